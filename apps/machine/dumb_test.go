package machine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/apps/machine"
	"weft/apps/program"
)

// TestAgainstDumb: random schedules end as in a second implementation of the rules, written with
// lists that are searched from one end to the other.
func TestAgainstDumb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t, rapid.SampledFrom([]int{15, 80}).Draw(t, "most operations"))
		// Many operations then wait for one processor, and without costs several begin at one time.
		cost := func(most int, name string) machine.Time {
			return machine.Time(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, most)).Draw(t, name))
		}
		costs := machine.Parameters{
			Latency: cost(3000, "L"), Overhead: cost(300, "o"), Gap: cost(300, "g"), GapPerByte: cost(3, "G"),
			OverheadPerByte: cost(3, "O"), Eager: int64(rapid.SampledFrom([]int{0, 50, 1 << 30}).Draw(t, "S")),
		}
		m := machine.New(s.Start(), costs)
		for _, ok := m.Next(); ok; _, ok = m.Next() {
			m.Step()
		}
		want := dumb(s, costs)
		for rank := range want {
			if got := m.End(int32(rank)); got != want[rank] {
				t.Errorf("rank %d ends at %d, want %d", rank, got, want[rank])
			}
		}
	})
}

// draw returns a schedule whose messages have both sides; it may still not end.
func draw(t *rapid.T, most int) *program.Schedule {
	ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
	ops := make([][]program.Op, ranks)
	for range rapid.IntRange(0, most).Draw(t, "operations") {
		r := rapid.IntRange(0, ranks-1).Draw(t, "rank")
		cpu, nic := uint8(rapid.IntRange(0, 1).Draw(t, "cpu")), uint8(rapid.IntRange(0, 1).Draw(t, "nic"))
		size := int64(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 100)).Draw(t, "size"))
		if ranks == 1 || rapid.Bool().Draw(t, "calc") {
			ops[r] = append(ops[r], program.Op{Kind: program.Calc, CPU: cpu, Size: size})
			continue
		}
		to := (r + rapid.IntRange(1, ranks-1).Draw(t, "to")) % ranks
		tag := int32(rapid.IntRange(0, 1).Draw(t, "tag"))
		recv := program.Op{Kind: program.Recv, CPU: cpu, NIC: nic, Size: size, Peer: int32(r), Tag: tag}
		if rapid.IntRange(0, 4).Draw(t, "any source") == 0 {
			recv.Peer = program.Any
		}
		if rapid.IntRange(0, 4).Draw(t, "any tag") == 0 {
			recv.Tag = program.Any
		}
		ops[r] = append(ops[r], program.Op{Kind: program.Send, CPU: cpu, NIC: nic, Size: size, Peer: int32(to), Tag: tag})
		ops[to] = append(ops[to], recv)
	}
	b := program.NewBuilder(0, 0)
	for _, list := range ops {
		b.Rank()
		var numbers []int32
		for _, o := range list {
			n, err := b.Add(o, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, earlier := range numbers[max(0, len(numbers)-15):] {
				switch rapid.IntRange(0, 5).Draw(t, "edge") {
				case 0:
					b.Wait(n, earlier, false)
				case 1:
					b.Wait(n, earlier, true)
				}
			}
			numbers = append(numbers, n)
		}
	}
	s, err := b.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// dumb plays a schedule by the rules of the package comment and returns the end of each rank.
func dumb(s *program.Schedule, c machine.Parameters) []machine.Time {
	type occasion struct {
		at      machine.Time
		number  int
		op      int32
		message bool
	}
	shape := s.Shape()
	n := len(s.Ops)
	cpu, out, in := make([][2]machine.Time, shape.Ranks), make([][2]machine.Time, shape.Ranks), make([][2]machine.Time, shape.Ranks)
	left, ready, held := make([]int, n), make([]machine.Time, n), make([]machine.Time, n)
	var events []occasion
	var posted, kept []int32
	count := 0
	enter := func(ops []int32) {
		for kind := program.Send; kind <= program.Calc; kind++ {
			for _, op := range ops {
				if o := s.Ops[op]; o.Kind == kind {
					at := max(ready[op], cpu[s.Rank(op)][o.CPU])
					if kind == program.Send {
						at = max(at, out[s.Rank(op)][o.NIC])
					}
					events = append(events, occasion{at, count, op, false})
					count++
				}
			}
		}
	}
	free := func(waiting []int32, at machine.Time) (now []int32) {
		for _, w := range waiting {
			ready[w] = max(ready[w], at)
			if left[w]--; left[w] == 0 {
				now = append(now, w)
			}
		}
		return now
	}
	begun := func(op int32, at machine.Time) []int32 { b, _ := s.Dependents(op); return free(b, at) }
	ended := func(op int32, at machine.Time) []int32 { _, e := s.Dependents(op); return free(e, at) }
	fits := func(recv, send int32) bool {
		r, m := s.Ops[recv], s.Ops[send]
		return s.Rank(recv) == m.Peer && (r.Peer == program.Any || r.Peer == s.Rank(send)) && (r.Tag == program.Any || r.Tag == m.Tag)
	}
	each := func(size int64, t machine.Time) machine.Time { return machine.Time(max(size, 1)-1) * t }
	release := func(send int32, at machine.Time, by uint8, nic uint8) {
		if s.Ops[send].Size > c.Eager {
			r := s.Rank(send)
			cpu[r][by], out[r][nic] = max(cpu[r][by], at), max(out[r][nic], at)
			enter(ended(send, at))
		}
	}
	for op := range s.Ops {
		left[op] = int(s.Waits(int32(op)))
	}
	for r := range shape.Ranks {
		var first []int32
		for op := s.Starts[r]; op < s.Starts[r+1]; op++ {
			if left[op] == 0 {
				first = append(first, op)
			}
		}
		enter(first)
	}
	for len(events) > 0 {
		best := 0
		for i, e := range events {
			if b := events[best]; e.at < b.at || e.at == b.at && e.number < b.number {
				best = i
			}
		}
		e := events[best]
		events = slices.Delete(events, best, best+1)
		o, r := s.Ops[e.op], s.Rank(e.op)
		if e.message {
			r = o.Peer
			if busy := max(cpu[r][o.CPU], in[r][o.NIC]); busy > e.at {
				e.at = busy
				events = append(events, e)
				continue
			}
			cpu[r][o.CPU] = e.at + c.Overhead + max(each(o.Size, c.OverheadPerByte), each(o.Size, c.GapPerByte))
			in[r][o.NIC] = e.at + c.Gap + each(o.Size, c.GapPerByte)
			held[e.op] = cpu[r][o.CPU]
			i := slices.IndexFunc(posted, func(p int32) bool { return fits(p, e.op) })
			if i < 0 {
				kept = append(kept, e.op)
				continue
			}
			recv := posted[i]
			posted = slices.Delete(posted, i, i+1)
			enter(ended(recv, cpu[r][o.CPU]))
			release(e.op, e.at, o.CPU, o.NIC)
			continue
		}
		switch o.Kind {
		case program.Calc:
			if cpu[r][o.CPU] > e.at {
				e.at = cpu[r][o.CPU]
				events = append(events, e)
				continue
			}
			cpu[r][o.CPU] = e.at + machine.Time(o.Size)
			enter(append(begun(e.op, e.at), ended(e.op, cpu[r][o.CPU])...))
		case program.Send:
			if busy := max(cpu[r][o.CPU], out[r][o.NIC]); busy > e.at {
				e.at = busy
				events = append(events, e)
				continue
			}
			cpu[r][o.CPU], out[r][o.NIC] = e.at+c.Overhead+each(o.Size, c.OverheadPerByte), e.at+c.Gap+each(o.Size, c.GapPerByte)
			now := begun(e.op, e.at)
			if o.Size <= c.Eager {
				now = append(now, ended(e.op, cpu[r][o.CPU])...)
			}
			events = append(events, occasion{e.at + c.Overhead + c.Latency, count, e.op, true})
			count++
			enter(now)
		case program.Recv:
			now := begun(e.op, e.at)
			i := slices.IndexFunc(kept, func(k int32) bool { return fits(e.op, k) })
			if i < 0 {
				posted = append(posted, e.op)
				enter(now)
				continue
			}
			send := kept[i]
			kept = slices.Delete(kept, i, i+1)
			enter(append(now, ended(e.op, max(e.at, held[send]))...))
			release(send, e.at, o.CPU, o.NIC)
		}
	}
	ends := make([]machine.Time, shape.Ranks)
	for r := range ends {
		ends[r] = max(cpu[r][0], cpu[r][1])
	}
	return ends
}
