package wire_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/loop"
)

// narrow is a medium that takes a few datagrams at a time, and refuses some for good.
type narrow struct {
	wire.Transport
	mu    sync.Mutex
	calls int
	most  int
	never uint64 // TID
}

var errNever = errors.New("never")

func (n *narrow) SendAll(list []*wire.Datagram) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	for i, d := range list {
		if i == n.most {
			return i, wire.ErrBusy
		}
		if d.MAD.TID() == n.never {
			return i, errNever
		}
		if err := n.Transport.Send(d); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

// TestStartAll: requests that start together are sent together; what the medium has no room for is
// sent a little later, and a datagram that it refuses ends its own request alone.
func TestStartAll(t *testing.T) {
	const many = 100
	medium := &narrow{Transport: loop.New(echo, loop.Options{}), most: 30, never: 17}
	r := requester(t, medium, wire.Options{Config: wire.Config{Window: many, Timeout: 10 * time.Second}})
	ends := make(chan wire.Result, many)
	var list []wire.Request
	for i := range many {
		q := nodeInfo(t)
		q.Tag, q.Done = uint64(i), func(res *wire.Result) { ends <- wire.Result{Tag: res.Tag, Err: res.Err} }
		list = append(list, *q)
	}
	r.StartAll(list)
	met := map[uint64]bool{}
	for range many {
		e := <-ends
		if refused := e.Tag == medium.never-1; met[e.Tag] || errors.Is(e.Err, errNever) != refused || !refused && e.Err != nil {
			t.Errorf("request %d: %v, ended before: %t", e.Tag, e.Err, met[e.Tag])
		}
		met[e.Tag] = true
	}
	medium.mu.Lock()
	defer medium.mu.Unlock()
	if c := r.Counters(); c.Sent != many-1 || c.Failed != 1 || c.Answered != many-1 || medium.calls > many/2 {
		t.Errorf("%+v, %d calls", c, medium.calls)
	}
}
