package sm

import "weft/wire"

// burst holds requests that are sent together: one system call sends them, and their answers wake
// the process once for several.
type burst []wire.Request

// mostInBurst is the number of requests that are not held back any longer.
const mostInBurst = 64

// add adds a copy of a request.
func (b *burst) add(r *wire.Request) {
	n := len(*b)
	if n == cap(*b) {
		*b = append(*b, wire.Request{})
	}
	*b = (*b)[:n+1]
	to := &(*b)[n]
	memory := to.MAD
	*to = *r
	to.MAD = append(memory[:0], r.MAD...)
}

// send starts the requests.
func (b *burst) send(by *wire.Requester) {
	if len(*b) > 0 {
		by.StartAll(*b)
		*b = (*b)[:0]
	}
}
