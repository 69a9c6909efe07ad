package wire_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

func nodeInfo(tb testing.TB) *wire.Request {
	tb.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return &wire.Request{Addr: wire.Directed(), MAD: m}
}

// echo answers every request.
func echo(d *wire.Datagram, reply func(*wire.Datagram)) {
	if d.MAD.Answer(mad.StatusOK) {
		d.Addr = d.Addr.Reply()
		reply(d)
	}
}

func silent(*wire.Datagram, func(*wire.Datagram)) {}

func requester(tb testing.TB, t wire.Transport, o wire.Options) *wire.Requester {
	tb.Helper()
	wiretest.NoLeaks(tb)
	r := wire.New(t, o)
	tb.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return r
}

// TestFaults: with enough retries every request is answered once, whatever the
// medium does, and the counters say what happened.
func TestFaults(t *testing.T) {
	const n = 1000
	r := requester(t, loop.New(wiretest.Lossy(echo, 1, 3*time.Millisecond), loop.Options{}),
		wire.Options{Config: wire.Config{Window: 64, Timeout: 10 * time.Millisecond, Retries: 50}})
	var ended [n]atomic.Int32
	var wg sync.WaitGroup
	for i := range n {
		q := nodeInfo(t)
		q.Tag = uint64(i)
		q.Done = func(res *wire.Result) {
			defer wg.Done()
			ended[res.Tag].Add(1)
			if res.Err != nil {
				t.Error(res.Err)
			}
		}
		wg.Add(1)
		r.Start(q)
	}
	wg.Wait()
	for i := range ended {
		if times := ended[i].Load(); times != 1 {
			t.Fatalf("request %d ended %d times", i, times)
		}
	}
	if c := r.Counters(); c.Answered != n || c.Sent != n+c.Retried || c.Retried < n/50 || c.Stray == 0 {
		t.Errorf("counters %+v", c)
	}
}

// TestShorterTimeoutComesFirst: the timer is set to a new request that is due
// before the older ones.
func TestShorterTimeoutComesFirst(t *testing.T) {
	r := requester(t, loop.New(silent, loop.Options{}), wire.Options{Config: wire.Config{Timeout: time.Hour}})
	r.Start(nodeInfo(t))
	q := nodeInfo(t)
	q.Timeout, q.Retries = time.Millisecond, wire.NoRetries
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := wiretest.Do(ctx, r, q, new(wire.Datagram)); !errors.Is(err, wire.ErrTimeout) {
		t.Fatalf("got error %v", err)
	}
}

// moody refuses datagrams for a while.
type moody struct {
	wire.Transport
	left atomic.Int32
	err  error
}

func (m *moody) Send(d *wire.Datagram) error {
	if m.left.Add(-1) >= 0 {
		return m.err
	}
	return m.Transport.Send(d)
}

func TestRefusals(t *testing.T) {
	m := &moody{Transport: loop.New(echo, loop.Options{}), err: wire.ErrBusy}
	r := requester(t, m, wire.Options{Config: wire.Config{Timeout: time.Hour}})
	m.left.Store(5)
	if err := wiretest.Do(t.Context(), r, nodeInfo(t), new(wire.Datagram)); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	m.err = gone
	m.left.Store(1)
	if err := wiretest.Do(t.Context(), r, nodeInfo(t), new(wire.Datagram)); !errors.Is(err, gone) {
		t.Fatalf("got error %v", err)
	}
	if c := r.Counters(); c != (wire.Counters{Started: 2, Sent: 1, Answered: 1, Failed: 1}) {
		t.Errorf("counters %+v", c)
	}
}

// TestManyRefusals: a queue that fails as a whole does not fail by recursion.
func TestManyRefusals(t *testing.T) {
	const n = 100_000
	m := &moody{Transport: loop.New(echo, loop.Options{}), err: wire.ErrBusy}
	m.left.Store(1 << 30)
	r := requester(t, m, wire.Options{Config: wire.Config{Window: 1, Timeout: time.Hour}})
	q := nodeInfo(t)
	var wg sync.WaitGroup
	wg.Add(n)
	q.Done = func(res *wire.Result) {
		if !errors.Is(res.Err, wire.ErrClosed) {
			t.Error(res.Err)
		}
		wg.Done()
	}
	for range n {
		r.Start(q)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestStartFromDone: a completion may start the next request, without end.
func TestStartFromDone(t *testing.T) {
	r := requester(t, loop.New(echo, loop.Options{}), wire.Options{})
	q := nodeInfo(t)
	left, done := 10_000, make(chan struct{})
	q.Done = func(*wire.Result) {
		if left--; left == 0 {
			close(done)
			return
		}
		r.Start(q)
	}
	r.Start(q)
	<-done
}

// TestPair: two requesters ask each other at the same time.
func TestPair(t *testing.T) {
	var ta, tb *loop.Transport
	ta = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) { tb.Deliver(d) }, loop.Options{})
	tb = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) { ta.Deliver(d) }, loop.Options{})
	var sides [2]*wire.Requester
	var ready sync.WaitGroup
	ready.Add(1)
	for i, tr := range []wire.Transport{ta, tb} {
		sides[i] = requester(t, tr, wire.Options{Handler: func(d *wire.Datagram) {
			ready.Wait()
			echo(d, func(d *wire.Datagram) {
				if err := sides[i].Transport().Send(d); err != nil {
					t.Error(err)
				}
			})
		}})
	}
	ready.Done()
	var wg sync.WaitGroup
	for _, r := range sides {
		q := nodeInfo(t)
		wg.Go(func() {
			var reply wire.Datagram
			for range 500 {
				if err := wiretest.Do(t.Context(), r, q, &reply); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, r := range sides {
		if c := r.Counters(); c.Answered != 500 || c.Unsolicited != 500 || c.Stray != 0 {
			t.Errorf("counters %+v", c)
		}
	}
}

// TestEnd: Done of waiting requests is called before End returns; requests of others continue.
func TestEnd(t *testing.T) {
	asked := make(chan func(), 1)
	r := requester(t, loop.New(func(d *wire.Datagram, reply func(*wire.Datagram)) {
		var c wire.Datagram
		c.CopyFrom(d)
		asked <- func() { echo(&c, reply) }
	}, loop.Options{}), wire.Options{Config: wire.Config{Window: 1, Timeout: time.Hour}})
	first, ends := make(chan error, 1), []error{}
	q := nodeInfo(t)
	q.Done = func(res *wire.Result) { first <- res.Err }
	r.Start(q)
	for range 3 {
		q := nodeInfo(t)
		q.Group, q.Done = 1, func(res *wire.Result) { ends = append(ends, res.Err) }
		r.Start(q)
	}
	if r.End(2); len(ends) != 0 {
		t.Fatal("another group was ended")
	}
	if r.End(1); len(ends) != 3 || !errors.Is(ends[2], wire.ErrCancelled) {
		t.Fatalf("%v", ends)
	}
	(<-asked)()
	if err := <-first; err != nil {
		t.Error(err)
	}
}
