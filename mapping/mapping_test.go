package mapping

import (
	"strings"
	"testing"
	"time"

	"weft/fabric"
)

// pair is two switches of 8 ports joined by two wires, a host on each, and a loopback
// cable on the second.
func pair(t *testing.T) *Network {
	t.Helper()
	n, err := New([]Host{{1, "a"}, {2, "b"}}, []int32{8, 8}, []Wire{
		{{0, 0}, {2, 3}}, {{1, 0}, {3, 0}}, {{2, 4}, {3, 2}}, {{2, 7}, {3, 3}}, {{3, 5}, {3, 6}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOutcomes has a message for each way to end.
func TestOutcomes(t *testing.T) {
	n := pair(t)
	long := Hardware{Buffer: 108, Payload: 250}
	for _, c := range []struct {
		name  string
		rule  Collision
		hw    Hardware
		turns []Turn
		want  Outcome
		at    string
	}{
		{"host-probe", Circuit, Myrinet, []Turn{1, -2}, Delivered, "b"},
		{"switch-probe", Circuit, Myrinet, []Turn{1, 0, -1}, Delivered, "a"},
		{"below port 0", Packet, Myrinet, []Turn{-4}, IllegalTurn, "switch 1"},
		{"above the last port", Packet, Myrinet, []Turn{5}, IllegalTurn, "switch 1"},
		{"no wire", Packet, Myrinet, []Turn{2}, NoSuchWire, "switch 1"},
		{"host too soon", Packet, Myrinet, []Turn{1, -2, 1}, HostTooSoon, "b"},
		{"stranded", Packet, Myrinet, []Turn{1}, Stranded, "switch 2"},
		{"early reply", Packet, Hardware{Buffer: 108, Payload: 200, Early: true}, []Turn{1, -2, 1}, Delivered, "b"},
		// Over one wire, back by the other, and the first again: two wires between.
		{"twice round, packet", Packet, Myrinet, []Turn{1, 1, -3, -2}, Delivered, "b"},
		{"twice round, circuit", Circuit, Myrinet, []Turn{1, 1, -3, -2}, Collided, "b"},
		{"twice round, short worm", CutThrough, Myrinet, []Turn{1, 1, -3, -2}, Delivered, "b"},
		{"twice round, long worm", CutThrough, long, []Turn{1, 1, -3, -2}, Collided, "b"},
		{"comparison through the loopback cable", Circuit, Myrinet, []Turn{1, 3, -4, -1}, Delivered, "a"},
	} {
		outcome, at, _ := NewModel(n, c.rule, c.hw).Send(0, c.turns)
		if outcome != c.want || n.NodeName(at) != c.at {
			t.Errorf("%s: %s at %s, want %s at %s", c.name, outcome, n.NodeName(at), c.want, c.at)
		}
	}
}

func TestRefusals(t *testing.T) {
	hosts := []Host{{1, "a"}, {2, "b"}}
	for _, c := range []struct {
		hosts []Host
		wires []Wire
		want  string
	}{
		{hosts, []Wire{{{0, 0}, {2, 8}}}, "dangles"},
		{hosts, []Wire{{{0, 0}, {3, 0}}}, "dangles"},
		{hosts, []Wire{{{0, 0}, {2, 1}}, {{1, 0}, {2, 1}}}, "two wires in port 1"},
		{hosts, []Wire{{{0, 0}, {2, 1}}, {{0, 0}, {2, 2}}}, "two wires in port 0"},
		{hosts, []Wire{{{2, 1}, {2, 1}}}, "wired to itself"},
		{[]Host{{1, "a"}, {1, "b"}}, nil, "same address"},
	} {
		if _, err := New(c.hosts, []int32{8}, c.wires); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.wires, err, c.want)
		}
	}
}

// TestHostWithTwoWires is refused by name.
func TestHostWithTwoWires(t *testing.T) {
	f := fabric.New("x")
	s, _ := f.AddNode(fabric.Switch, 1, 8, "s")
	h, _ := f.AddNode(fabric.CA, 2, 2, "two ports")
	for p := uint8(1); p <= 2; p++ {
		if _, err := f.Connect(fabric.End{Node: h, Port: p}, fabric.End{Node: s, Port: p}, 4, fabric.SDR); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := FromFabric(f); err == nil || !strings.Contains(err.Error(), `"two ports"`) || !strings.Contains(err.Error(), "2 wires") {
		t.Error(err)
	}
}

// TestConditions: hosts that do not respond, lost probes and their time.
func TestConditions(t *testing.T) {
	n := pair(t)
	m := NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{Responding: []bool{true, false}})
	if r, took := m.Probe([]Turn{1, -2}); r.Answered || took != MyrinetClock.Timeout {
		t.Errorf("a host that does not respond: %v %v", r, took)
	}
	if r, took := m.Probe([]Turn{1, 0, -1}); !r.Answered || r.Host.ID != 1 || r.Switch.Ports != 0 || took <= MyrinetClock.Overhead {
		t.Errorf("own message: %v %v", r, took)
	}
	m = NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{SelfIdentifying: true})
	if r, _ := m.Probe([]Turn{1, 0, -1}); r.Switch != (ID{Number: 3, Port: 2, Ports: 8}) {
		t.Errorf("identity %v", r.Switch)
	}
	m = NewMapper(NewModel(n, Circuit, Myrinet), 0, Conditions{Traffic: Traffic{Loss: 0.5}, Seed: 1})
	for range 1000 {
		m.Probe([]Turn{1, -2})
	}
	if lost := m.Outcomes[Lost]; lost < 400 || lost > 600 {
		t.Errorf("%d of 1,000 lost, want about 500", lost)
	}
}

// TestBreak: a message that collided with itself holds its wires until it is destroyed.
// One that holds the mapper's own wire delays the next before it leaves; one that does
// not delays it on its way, so that its answer comes after the timeout.
func TestBreak(t *testing.T) {
	n := pair(t)

	long := Hardware{Buffer: 20, Payload: 30, Break: Myrinet.Break}
	for _, c := range []struct {
		name   string
		rule   Collision
		hw     Hardware
		first  []Turn
		before bool // the next probe waits before it leaves
		late   bool
	}{
		{"circuit", Circuit, Myrinet, []Turn{1, 1, -3, -2}, true, false},
		{"packet", Packet, Myrinet, []Turn{1, 1, -3, -2}, false, false},
		{"long worm, its tail on the way", CutThrough, Hardware{Buffer: 100, Payload: 250, Break: Myrinet.Break}, []Turn{1, 3, -1, -6}, false, true},
		{"short worm", CutThrough, long, []Turn{1, 1}, false, false},
	} {
		m := NewMapper(NewModel(n, c.rule, c.hw), 0, Conditions{})
		m.Probe(c.first)
		if collided := m.Outcomes[Collided] > 0; collided != (c.before || c.late) {
			t.Errorf("%s: %v", c.name, m.Outcomes)
		}
		r, took := m.Probe([]Turn{1, 3, -6})
		if waited := took > c.hw.Break/2; r.Answered == c.late || waited != c.before || m.Delays() > 0 != c.late {
			t.Errorf("%s: the next is answered %v, after %v; %d delayed", c.name, r.Answered, took, m.Delays())
		}
		if c.late {
			m.WaitLonger()
			if r, took := m.Probe([]Turn{1, 3, -6}); !r.Answered || took < c.hw.Break/2 || m.Delays() > 1 {
				t.Errorf("%s: with patience it is answered %v, after %v; %d delayed", c.name, r.Answered, took, m.Delays())
			}
		}
	}
}

// TestRoundTrip: a host answers by the same way, a message that comes back has only one.
func TestRoundTrip(t *testing.T) {
	c := MyrinetClock
	way := c.Way(4, 200)
	if want := 4*c.Hop + 1250*time.Nanosecond; way != want {
		t.Errorf("4 wires and 200 bytes take %v, want %v", way, want)
	}
	if there, back := c.RoundTrip(4, 200, false), c.RoundTrip(4, 200, true); there != c.Overhead+2*way || back != c.Overhead+way {
		t.Errorf("an answer takes %v, a message that comes back %v", there, back)
	}
}
