package ibsimd

import (
	"slices"
	"sync"

	"weft/emulator"
	"weft/wire"
	"weft/wire/mad"
)

// maxUnanswered is the maximum number of requests remembered for a client; the oldest is forgotten
// first.
const maxUnanswered = 256

// unanswered holds copies of other programs' requests that were written to a client and not
// answered yet. Its socket does not show which of them it has read.
type unanswered struct {
	mu     sync.Mutex
	list   []wire.Datagram // oldest first
	closed bool            // the client is gone
}

// add remembers a datagram about to be written, if it is a request. It returns false if the client
// is gone.
func (u *unanswered) add(d *wire.Datagram) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	if d.Undelivered || d.MAD.Method().IsResponse() || wire.RMPPControl(d.MAD) {
		return true
	}
	u.remove(d.MAD.TID())
	if len(u.list) == maxUnanswered {
		u.list = slices.Delete(u.list, 0, 1)
	}
	var request wire.Datagram
	request.CopyFrom(d)
	u.list = append(u.list, request)
	return true
}

// answer forgets the request answered by a client's datagram.
func (u *unanswered) answer(m mad.Datagram) {
	if !m.Method().IsResponse() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.remove(m.TID())
}

// remove takes the request with a transaction ID out of the list. Transaction IDs of programs have
// their sender in the upper 16 bits; no others are returned.
func (u *unanswered) remove(tid uint64) {
	u.list = slices.DeleteFunc(u.list, func(d wire.Datagram) bool { return d.MAD.TID() == tid })
}

// returnTo returns all requests to the subnet, which reports them to their senders as undelivered.
// From now on add refuses requests.
func (u *unanswered) returnTo(sub *emulator.Subnet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.list {
		sub.Return(&u.list[i])
	}
	u.list, u.closed = nil, true
}
