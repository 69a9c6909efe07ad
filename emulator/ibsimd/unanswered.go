package ibsimd

import (
	"slices"
	"sync"

	"weft/emulator"
	"weft/wire"
	"weft/wire/mad"
)

// maxUnanswered bounds the requests that are remembered for a client; the oldest is
// forgotten first.
const maxUnanswered = 256

// unanswered holds copies of the requests of other programs that were written to a client
// and that it has not answered. Its socket does not tell which of them it has read.
type unanswered struct {
	mu     sync.Mutex
	list   []wire.Datagram // oldest first
	closed bool            // the client is gone
}

// add remembers a datagram that is about to be written, if it is a request. It reports
// false when the client is gone.
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

// answer forgets the request that a client's datagram answers.
func (u *unanswered) answer(m mad.Datagram) {
	if !m.Method().IsResponse() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.remove(m.TID())
}

// remove takes the request with a transaction ID out of the list. Those of programs differ
// in the upper 16 bits, which name the sender; no others are given back.
func (u *unanswered) remove(tid uint64) {
	u.list = slices.DeleteFunc(u.list, func(d wire.Datagram) bool { return d.MAD.TID() == tid })
}

// returnTo gives all requests back to the subnet, which tells their senders that they were
// not delivered. From now on add takes no more.
func (u *unanswered) returnTo(sub *emulator.Subnet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.list {
		sub.Return(&u.list[i])
	}
	u.list, u.closed = nil, true
}
