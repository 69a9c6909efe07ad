package machine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/apps/program"
)

// two returns a schedule of two ranks with these operations each, one after the other.
func two(t *testing.T, ranks [2][]program.Op) *program.Run {
	t.Helper()
	b := program.NewBuilder(0, 0)
	for _, list := range ranks {
		b.Rank()
		last := int32(-1)
		for _, o := range list {
			n, err := b.Add(o, "")
			if err != nil {
				t.Fatal(err)
			}
			if last >= 0 {
				b.Wait(n, last, false)
			}
			last = n
		}
	}
	s, err := b.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return s.Start()
}

// TestTooLong: times and sizes near 2^63 are errors that name the operation, not overflows.
func TestTooLong(t *testing.T) {
	long := program.Op{Kind: program.Calc, Size: 1 << 62}
	half := program.Op{Kind: program.Calc, Size: 1 << 60}
	send := program.Op{Kind: program.Send, Size: 1<<63 - 1, Peer: 1}
	recv := program.Op{Kind: program.Recv, Size: 1<<63 - 1}
	for _, c := range []struct {
		ranks [2][]program.Op
		costs machine.Parameters
		want  string
	}{
		{[2][]program.Op{{long}}, machine.Parameters{}, "rank 0, operation 0: calc"},
		{[2][]program.Op{{}, {half, half, half}}, machine.Parameters{}, "rank 1, operation 2: calc"},
		{[2][]program.Op{{send}, {recv}}, machine.Parameters{OverheadPerByte: 1e12, Eager: 1 << 40}, "it ends after 26687 days"},
		{[2][]program.Op{{send}, {recv}}, machine.Parameters{GapPerByte: 1, Eager: 1<<63 - 1}, "rank 0, operation 0: send"},
		{[2][]program.Op{{send, send}, {recv, recv}}, machine.Parameters{Eager: 1<<63 - 1}, "rank 0, operation 1: send 9223372036854775807 bytes to rank 1, tag 0: the messages"},
	} {
		m := machine.New(two(t, c.ranks), c.costs)
		if err := m.Run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.ranks, err, c.want)
		}
		if _, ok := m.Next(); ok {
			t.Errorf("%v: events after the error", c.ranks)
		}
	}
	m := machine.New(two(t, [2][]program.Op{{half, half}}), machine.Parameters{})
	if err := m.Run(context.Background()); err != nil || m.End(0) != machine.Longest {
		t.Errorf("the longest run ends at %d with %v", m.End(0), err)
	}
}

// late is a Network that brings messages in the order opposite to that of their sending.
type late struct{ messages []machine.Message }

func (l *late) Send(_ machine.Time, m machine.Message) { l.messages = append(l.messages, m) }

// TestOvertaking: messages of one sender, target and tag meet receives in the order of their
// sending, whatever the order in which the network brings them; messages of other tags do not wait.
func TestOvertaking(t *testing.T) {
	message := func(kind program.Kind, size int64, tag int32) program.Op {
		return program.Op{Kind: kind, Size: size, Tag: tag, Peer: map[program.Kind]int32{program.Send: 1}[kind]}
	}
	sizes, tags := []int64{100, 70000, 5, 7}, []int32{3, 3, 3, 4}
	b := program.NewBuilder(0, 0)
	for _, kind := range []program.Kind{program.Send, program.Recv} {
		b.Rank()
		for i, size := range sizes {
			if _, err := b.Add(message(kind, size, tags[i]), ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := b.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	run, net := s.Start(), &late{}
	m := machine.On(net, run, machine.Parameters{Eager: 65536}, 1)
	order := []int32{}
	for at := machine.Time(1000); ; at += 1000 {
		for _, ok := m.Next(); ok; _, ok = m.Next() {
			m.Step()
		}
		for op := s.Starts[1]; op < s.Starts[2]; op++ {
			if id := s.Ops[op].ID; run.HasEnded(op) && !slices.Contains(order, id) {
				order = append(order, id)
			}
		}
		if len(net.messages) == 0 {
			break
		}
		last := len(net.messages) - 1
		arrived := net.messages[last]
		net.messages = net.messages[:last]
		m.Arrive(at, arrived.Number)
	}
	if m.Unequal != 0 {
		t.Errorf("%d messages met the receive of another one: %s", m.Unequal, m.FirstUnequal)
	}
	if len(order) != 4 || order[0] != 3 {
		t.Errorf("receives ended in the order %v, want the one of tag 4 first", order)
	}
	if w := m.Waiting(); len(w) > 0 {
		t.Errorf("left: %v", w)
	}
}

// TestUnequal: a receive of another size than its message is counted and named, whichever comes
// first.
func TestUnequal(t *testing.T) {
	wait := program.Op{Kind: program.Calc, Size: 1e6}
	send, recv := program.Op{Kind: program.Send, Size: 10, Peer: 1}, program.Op{Kind: program.Recv, Size: 12}
	for _, ranks := range [][2][]program.Op{{{send}, {wait, recv}}, {{wait, send}, {recv}}} {
		m := machine.New(two(t, ranks), machine.Usual)
		if err := m.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if m.Unequal != 1 || !strings.Contains(m.FirstUnequal, "recv 12 bytes from rank 0, tag 0, but the message has 10 bytes") {
			t.Errorf("%d unequal, %q", m.Unequal, m.FirstUnequal)
		}
	}
}
