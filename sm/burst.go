package sm

import (
	"weft/wire"
	"weft/wire/mad"
)

// burst holds requests that are sent together: one system call sends them, and their answers wake
// the process once for several.
type burst struct {
	list   []wire.Request
	packet [mad.Size]byte // memory to build a request in
}

// mostInBurst is the number of requests that are not held back any longer.
const mostInBurst = 64

// add adds a copy of a request.
func (b *burst) add(r *wire.Request) {
	n := len(b.list)
	if n == cap(b.list) {
		b.list = append(b.list, wire.Request{})
	}
	b.list = b.list[:n+1]
	to := &b.list[n]
	memory := to.MAD
	*to = *r
	to.MAD = append(memory[:0], r.MAD...)
}

// send starts the requests.
func (b *burst) send(by *wire.Requester) {
	if len(b.list) > 0 {
		by.StartAll(b.list)
		b.list = b.list[:0]
	}
}
