package loop_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"weft/mad"
	"weft/wire"
	"weft/wire/loop"
)

// arrival is what came out of a loop in virtual time.
type arrival struct {
	at  time.Duration
	tid uint32
}

// history sends n requests, one a millisecond, through a loop with faults, in
// virtual time.
func history(t *testing.T, n int, faults loop.Faults) []arrival {
	t.Helper()
	type late struct {
		at time.Duration
		f  func()
	}
	var now time.Duration
	var timers []late
	tr := loop.New(answer, loop.Options{Faults: faults, After: func(d time.Duration, f func()) {
		timers = append(timers, late{now + d, f})
	}})
	defer func() { _ = tr.Close() }()
	poll, cancel := context.WithCancel(t.Context())
	cancel()
	var got []arrival
	var d wire.Datagram
	q := nodeInfo(t)
	for i := 0; i < n || len(timers) > 0; {
		next := time.Duration(i) * time.Millisecond
		slices.SortStableFunc(timers, func(a, b late) int { return cmp.Compare(a.at, b.at) })
		if len(timers) > 0 && (i == n || timers[0].at <= next) {
			run := timers[0]
			timers = timers[1:]
			now = run.at
			run.f()
		} else {
			now = next
			i++
			mad.HeaderTransactionID.Put(q.MAD, uint64(i))
			if err := tr.Send(&wire.Datagram{Addr: q.Addr, MAD: q.MAD}); err != nil {
				t.Fatal(err)
			}
		}
		for tr.Recv(poll, &d) == nil {
			got = append(got, arrival{now, uint32(d.MAD.TID())})
		}
	}
	return got
}

func TestFaultsAreRepeatable(t *testing.T) {
	rates := loop.Rates{Loss: 0.1, Duplicate: 0.1, Late: 0.3, Delay: 10 * time.Millisecond}
	a := history(t, 500, loop.Random(7, rates))
	if b := history(t, 500, loop.Random(7, rates)); !slices.Equal(a, b) {
		t.Error("the same seed gave another history")
	}
	if b := history(t, 500, loop.Random(8, rates)); slices.Equal(a, b) {
		t.Error("another seed gave the same history")
	}
	copies := map[uint32]int{}
	overtaken, last := 0, uint32(0)
	for _, x := range a {
		copies[x.tid]++
		if x.tid < last {
			overtaken++
		}
		last = x.tid
	}
	twice := 0
	for _, n := range copies {
		if n > 1 {
			twice++
		}
	}
	if lost := 500 - len(copies); lost < 50 || lost > 150 || twice < 40 || overtaken < 50 {
		t.Errorf("lost %d, arrived twice %d, overtaken %d", lost, twice, overtaken)
	}
}

func TestNoFaults(t *testing.T) {
	got := history(t, 100, loop.Random(1, loop.Rates{}))
	if len(got) != 100 {
		t.Fatalf("%d of 100 came back", len(got))
	}
	for i, x := range got {
		if x != (arrival{time.Duration(i) * time.Millisecond, uint32(i + 1)}) {
			t.Fatalf("answer %d: %+v", i, x)
		}
	}
}

// TestLateAfterClose: what was delayed beyond Close goes nowhere.
func TestLateAfterClose(t *testing.T) {
	var late []func()
	asked := 0
	tr := loop.New(func(*wire.Datagram, func(*wire.Datagram)) { asked++ }, loop.Options{
		Faults: func(_ *wire.Datagram, d []time.Duration) []time.Duration { return append(d, time.Second) },
		After:  func(_ time.Duration, f func()) { late = append(late, f) },
	})
	q := nodeInfo(t)
	if err := tr.Send(&wire.Datagram{Addr: q.Addr, MAD: q.MAD}); err != nil {
		t.Fatal(err)
	}
	tr.Deliver(&wire.Datagram{Addr: q.Addr, MAD: q.MAD})
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range late {
		f()
	}
	if err := tr.Recv(t.Context(), new(wire.Datagram)); len(late) != 2 || asked != 0 || !errors.Is(err, wire.ErrClosed) {
		t.Errorf("%d late, %d asked, Recv: %v", len(late), asked, err)
	}
}
