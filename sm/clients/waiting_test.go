package clients

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/internal/share"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
)

// TestWaitingShares: while the Manager is at work, each kind of query gets its share of the time
// and no more, otherwise all of it. No query waits that may be answered, and sources take turns.
func TestWaitingShares(t *testing.T) {
	methods := [NumKindsOfQuery]mad.Method{mad.Get, mad.GetTable, mad.Set}
	rapid.Check(t, func(t *rapid.T) {
		cores := time.Duration(rapid.SampledFrom([]int{1, 2, 4, 16, 200}).Draw(t, "cores"))
		w := NewWaiting(int(cores))
		longest := time.Duration(rapid.IntRange(1, 2000).Draw(t, "microseconds at most")) * time.Microsecond
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var used [NumKindsOfQuery]time.Duration
		var waits [NumKindsOfQuery]int
		var now, begun time.Duration
		var d wire.Datagram
		busy := time.Duration(0)
		for range 3000 {
			for range rng.IntN(3) {
				kind := rng.IntN(NumKindsOfQuery)
				m := smtest.Request(methods[kind], mad.AttrServiceRecord, 0, make([]byte, 200))
				if w.Push(&wire.Datagram{Addr: wire.Address{SLID: uint16(1 + rng.IntN(3))}, MAD: m}) == nil {
					waits[kind]++
				}
			}
			if rng.IntN(500) == 0 {
				w.Follow(!w.AtWork.Load())
				begun, used = now, [NumKindsOfQuery]time.Duration{}
			}
			room := rng.IntN(4) > 0
			if !w.Pop(now, room, &d) {
				for kind, n := range waits {
					if n > 0 && (room || kind != ForChange) && !w.AtWork.Load() {
						t.Fatalf("%d queries of kind %d wait for nothing", n, kind)
					}
				}
				due := w.Due(room)
				if w.AtWork.Load() && due <= now {
					t.Fatalf("nothing may be answered at %v, and is due at %v", now, due)
				}
				now = min(due, now+time.Duration(rng.IntN(2000))*time.Microsecond)
				continue
			}
			kind := w.Last
			if methods[kind] != d.MAD.Method() || kind == ForChange && !room {
				t.Fatalf("a %v is taken as of kind %d", d.MAD.Method(), kind)
			}
			waits[kind]--
			took := 1 + time.Duration(rng.Int64N(int64(longest)))
			w.Took(now, now+took)
			now += took
			slice := min(SharePeriod, SharePeriod*cores/partsAtWork[kind])
			if used[kind] += took; w.AtWork.Load() && used[kind] > (now-begun)*slice/SharePeriod+slice+longest {
				t.Fatalf("kind %d has had %v in %v", kind, used[kind], now-begun)
			}
			busy += took
		}
		if busy == 0 {
			t.Fatal("nothing is answered")
		}
	})
}

// TestBusyAtWork: while the Manager is at work, busy answers to excess queries get a bounded share
// of the time. Other excess queries are only counted.
func TestBusyAtWork(t *testing.T) {
	now := time.Duration(0)
	sent := 0
	medium := loop.New(func(*wire.Datagram, func(*wire.Datagram)) {
		sent++
		now += 10 * time.Microsecond
	}, loop.Options{})
	a := NewAdministration(medium, func() time.Duration { return now }, share.Rule{}, nil)
	d := wire.Datagram{Addr: wire.Address{SLID: 7}, MAD: smtest.Request(mad.Get, mad.AttrNodeRecord, 0, nil)}
	for range mostQueuedOfSource {
		a.Ask(&d)
	}
	for range 1000 {
		a.Ask(&d)
	}
	if sent != 1000 {
		t.Errorf("of 1000 queries that are left out %d are told that we are busy", sent)
	}
	a.In.Follow(true)
	sent = 0
	for range 10_000 {
		now += 10 * time.Microsecond
		a.Ask(&d)
	}
	if _, unheeded := a.Counts.Now(); sent == 0 || sent > 10_000/10 || unheeded != 10_000-sent {
		t.Errorf("while the Manager is at work %d of 10000 are told that we are busy, %d are counted as unheeded", sent, unheeded)
	}
}
