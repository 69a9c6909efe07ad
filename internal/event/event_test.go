package event

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestOrder holds the queue against a sorted slice.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			at     int64
			serial int
		}
		var (
			q      Queue[int64, int]
			want   []entry
			now    int64
			serial int
		)
		wait := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1000), rapid.Int64Range(0, math.MaxInt64))
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				at := now + min(wait.Draw(t, "wait"), math.MaxInt64-now)
				q.Put(at, serial)
				i, _ := slices.BinarySearchFunc(want, at, func(e entry, at int64) int {
					return cmp.Or(cmp.Compare(e.at, at), -1) // after those of the same time
				})
				want = slices.Insert(want, i, entry{at, serial})
				serial++
			},
			"take": func(t *rapid.T) {
				if len(want) == 0 {
					t.Skip("empty")
				}
				at, got := q.Take()
				if at != want[0].at || got != want[0].serial {
					t.Fatalf("took event %d of time %d, want %+v", got, at, want[0])
				}
				now, want = at, want[1:]
			},
			"": func(t *rapid.T) {
				if q.Len() != len(want) {
					t.Fatalf("%d events, want %d", q.Len(), len(want))
				}
				at, ok := q.Next()
				if ok != (len(want) > 0) || ok && at != want[0].at {
					t.Fatalf("the next event is at %d (%v), want %v", at, ok, want)
				}
			},
		})
	})
}

func TestPastIsRefused(t *testing.T) {
	var q Queue[time.Duration, int]
	q.Put(5, 0)
	q.Put(7, 1)
	q.Put(4, 2) // nothing has been taken yet
	q.Take()
	defer func() {
		if recover() == nil {
			t.Error("an event before the one taken last was accepted")
		}
	}()
	q.Put(3, 3)
}

func TestNoAllocation(t *testing.T) {
	var q Queue[int64, int32]
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		q.Put(rng.Int64N(1<<20), 0)
	}
	step := func() {
		at, e := q.Take()
		q.Put(at+1+rng.Int64N(1<<20), e)
	}
	for range 1 << 20 {
		step()
	}
	if n := testing.AllocsPerRun(10_000, step); n != 0 {
		t.Errorf("%v allocations per event", n)
	}
}

// BenchmarkHold takes an event and puts another one, with as many in the queue as the name says.
// Waits are packets' waits in picoseconds: most end with a packet of 4 KiB at 100 Gbit/s or one hop
// later, some much later. "heap" is the same with container/heap.
func BenchmarkHold(b *testing.B) {
	wait := func(rng *rand.Rand) int64 {
		switch r := rng.Uint32(); {
		case r%16 == 0:
			return int64(r)
		case r%2 == 0:
			return 327_680
		default:
			return int64(r % 200_000)
		}
	}
	for _, pending := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("radix/%d", pending), func(b *testing.B) {
			var q Queue[int64, [2]int32]
			rng := rand.New(rand.NewPCG(1, 2))
			for range pending {
				q.Put(wait(rng), [2]int32{})
			}
			for b.Loop() {
				at, e := q.Take()
				q.Put(at+wait(rng), e)
			}
		})
		b.Run(fmt.Sprintf("heap/%d", pending), func(b *testing.B) {
			q := &binary{}
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range pending {
				*q = append(*q, numbered{at: wait(rng), serial: i})
			}
			heap.Init(q)
			for serial := pending; b.Loop(); serial++ {
				e := heap.Pop(q).(numbered)
				heap.Push(q, numbered{at: e.at + wait(rng), serial: serial, event: e.event})
			}
		})
	}
}

type numbered struct {
	at     int64
	serial int
	event  [2]int32
}

// binary is a heap of the standard library.
type binary []numbered

func (h binary) Len() int { return len(h) }
func (h binary) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].serial, h[j].serial)) < 0
}
func (h binary) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *binary) Push(x any)   { *h = append(*h, x.(numbered)) }
func (h *binary) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
