package rmpp_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
	"weft/wire/rmpp"
	"weft/wire/wiretest"
)

// realTime counts from now on.
func realTime() func() time.Duration {
	origin := time.Now()
	return func() time.Duration { return time.Since(origin) }
}

// joined creates two connected media; one in loss datagrams is lost.
func joined(loss int) (a, b *loop.Transport) {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(1, 2))
	lost := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return loss > 0 && rng.IntN(loss) == 0
	}
	port := func(lid uint16) func() wire.Port { return func() wire.Port { return wire.Port{LID: lid} } }
	a = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) {
		if !lost() {
			b.Deliver(d)
		}
	}, loop.Options{Port: port(1)})
	b = loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) {
		if !lost() {
			a.Deliver(d)
		}
	}, loop.Options{Port: port(2)})
	return a, b
}

// TestTransport asks for a table over media that lose one datagram of seven: the requester gets it
// whole.
func TestTransport(t *testing.T) {
	wiretest.NoLeaks(t)
	a, b := joined(7)
	cfg := rmpp.Config{Timeout: 5 * time.Millisecond, Retries: 1000, Window: 4}
	server := rmpp.Over(b, cfg, realTime())
	table := make([]byte, 40_000)
	for i := range table {
		table[i] = byte(i / 200)
	}
	served := make(chan error, 1)
	go func() {
		var d wire.Datagram
		for {
			if err := server.Recv(context.Background(), &d); err != nil {
				served <- err
				return
			}
			d.MAD.Answer(0)
			d.MAD = append(d.MAD[:mad.SAHeader.Size], table...)
			d.MAD.PutSegment(1, len(table))
			d.Addr = d.Addr.Reply()
			if err := server.Send(&d); err != nil {
				served <- err
				return
			}
		}
	}()
	r := wire.New(rmpp.Over(a, cfg, realTime()), wire.Options{Config: wire.Config{Timeout: 200 * time.Millisecond, Retries: 1000}})
	m, err := mad.Request{Method: mad.GetTable, Attr: mad.AttrNodeRecord}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan wire.Result, 1)
	for range 5 {
		r.Start(&wire.Request{Addr: wire.ToLID(2, 1), MAD: m, Done: func(res *wire.Result) {
			x := *res
			if res.Reply != nil {
				x.Reply = new(wire.Datagram)
				x.Reply.CopyFrom(res.Reply)
			}
			done <- x
		}})
		res := <-done
		if res.Err != nil || !bytes.Equal(res.Reply.MAD.Data(), table) {
			t.Fatalf("error %v, or another table", res.Err)
		}
	}
	if err := errors.Join(r.Close(context.Background()), server.Close()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, wire.ErrClosed) {
		t.Errorf("the server ended with %v", err)
	}
}
