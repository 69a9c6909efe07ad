package machine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/apps/machine"
)

// TestSendQueues holds SendQueues against a list of all messages: at most one of a queue is under
// way, and they leave in the order in which they came, none before its time.
func TestSendQueues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := machine.SendQueues{Order: rapid.SampledFrom([]machine.SendOrder{machine.ByPair, machine.ByPort}).Draw(t, "order")}
		type sent struct {
			port   int32
			at     machine.Time
			m      machine.Message
			leaves bool
		}
		var list []sent // not left, in order
		same := func(a, b *sent) bool {
			return a.port == b.port && (s.Order == machine.ByPort || a.m.From == b.m.From && a.m.To == b.m.To)
		}
		now, number := machine.Time(0), int32(0)
		t.Repeat(map[string]func(*rapid.T){
			"enter": func(t *rapid.T) {
				draw := rapid.Int32Range(0, 2)
				e := sent{port: draw.Draw(t, "port"), at: now + machine.Time(draw.Draw(t, "later")), m: machine.Message{Number: number, From: draw.Draw(t, "from"), To: draw.Draw(t, "to")}}
				number++
				e.leaves = !slices.ContainsFunc(list, func(o sent) bool { return same(&o, &e) })
				if got := s.Enter(e.port, e.at, &e.m); got != e.leaves {
					t.Fatalf("message %+v leaves: %v, want %v", e, got, e.leaves)
				}
				list = append(list, e)
			},
			"left": func(t *rapid.T) {
				i := slices.IndexFunc(list, func(e sent) bool { return e.leaves })
				if i < 0 {
					t.Skip("none is under way")
				}
				now += machine.Time(rapid.Int32Range(0, 2).Draw(t, "wait"))
				gone := list[i]
				list = slices.Delete(list, i, i+1)
				at, left, ok := s.Left(gone.m.Number, now)
				next := slices.IndexFunc(list, func(e sent) bool { return same(&e, &gone) })
				if ok != (next >= 0) || ok && (left != list[next].m.Number || at != max(now, list[next].at)) {
					t.Fatalf("after %+v at %d: %d at %d, %v; the list has %+v", gone, now, left, at, ok, list)
				}
				if ok {
					list[next].leaves = true
				}
			},
		})
	})
}
