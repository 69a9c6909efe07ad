package outage

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/packet"
	"weft/sm/terms"
)

// setup is a small subnet under a light load, in which nothing fails.
func setup(t *testing.T, text, chain string) *Setup {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Setup{
		Fabric: f, Routing: planner.Request{Chain: steps, Workers: 1, Seed: 1}, Watch: terms.UsualWatch, Managers: 1,
		Planning: 5 * time.Millisecond, Hop: time.Microsecond, Seed: 1, Packet: packet.Default(), Load: 0.05, Bytes: 2048,
		Fault: Fault{Pull: fabric.NoLink, Reboot: -1}, Before: 5 * time.Millisecond, After: 100 * time.Millisecond, Step: time.Millisecond,
	}
}

// between returns a link between two switches.
func between(t *testing.T, f *fabric.Fabric) fabric.LinkID {
	t.Helper()
	i := slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	})
	return fabric.LinkID(i)
}

func simulate(t *testing.T, u *Setup) *Result {
	t.Helper()
	r, err := Run(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	if r.Deadlock != nil {
		t.Fatalf("%+v", r.Deadlock)
	}
	return r
}

// TestNothingFails: without a fault no packet is lost and nothing is written.
func TestNothingFails(t *testing.T) {
	r := simulate(t, setup(t, "rlft(4,2)", "updn"))
	if r.Lost.Total() != 0 || r.Arrived == 0 || r.Blocks != 0 || r.First != 0 || r.Last != 0 || r.Quiet != 0 {
		t.Errorf("%+v", r)
	}
}

// TestPulledCable: packets are lost from the moment at which a cable is pulled until the tables
// lead past it: the time that a Plan takes, and that of some SMPs. After that none is. The same
// again is the same.
func TestPulledCable(t *testing.T) {
	for _, chain := range []string{"updn", "ftree"} {
		u := setup(t, "rlft(6,2)", chain)
		u.Fault.Pull = between(t, u.Fabric)
		r := simulate(t, u)
		least := u.Planning
		if r.Lost.NoLink == 0 || r.First != 0 || r.Last < least || r.Last > least+20*time.Millisecond {
			t.Errorf("%s: %+v from %v to %v", chain, r.Lost, r.First, r.Last)
		}
		if r.Blocks == 0 || r.Quiet < least || r.Quiet > r.Last+u.Step || len(r.Log) == 0 {
			t.Errorf("%s: %d blocks, quiet after %v, %d lines", chain, r.Blocks, r.Quiet, len(r.Log))
		}
		lost, after := int64(0), int64(0)
		for i, s := range r.Steps {
			if lost += s.Lost; time.Duration(i)*u.Step >= u.Before+r.Last {
				after += s.Arrived
			}
		}
		if lost != r.Lost.Total() || after == 0 {
			t.Errorf("%s: %d of %d losses are in the steps, %d packets arrive afterwards", chain, lost, r.Lost.Total(), after)
		}
		if again := simulate(t, u); !reflect.DeepEqual(again, r) {
			t.Errorf("%s: again it is another one: %+v and %+v", chain, again, r)
		}
		u.Planning += 30 * time.Millisecond
		if slower := simulate(t, u); slower.Last < r.Last+25*time.Millisecond || slower.Lost.Total() <= r.Lost.Total() {
			t.Errorf("%s: with a slower Plan %d are lost in %v, before %d in %v", chain, slower.Lost.Total(), slower.Last, r.Lost.Total(), r.Last)
		}
	}
}

// TestRebootedSpine: a spine that restarts loses what it holds, and costs less time than it is off:
// tables lead past it meanwhile.
func TestRebootedSpine(t *testing.T) {
	u := setup(t, "rlft(6,2)", "updn")
	u.Fault.Reboot, u.Fault.Down = fabric.NodeID(slices.IndexFunc(u.Fabric.Nodes, func(n fabric.Node) bool { return n.Desc == "spine 1" })), 80*time.Millisecond
	u.After = 200 * time.Millisecond
	r := simulate(t, u)
	if r.Lost.Total() == 0 || r.Last > u.Fault.Down-20*time.Millisecond || r.Quiet < u.Fault.Down {
		t.Errorf("%+v until %v, quiet after %v", r.Lost, r.Last, r.Quiet)
	}
}

// TestTakeover: a master that dies costs no packet as long as nothing else fails. A cable that is
// pulled at the same moment costs packets until the one that stands by has found out.
func TestTakeover(t *testing.T) {
	u := setup(t, "rlft(4,2)", "updn")
	u.Managers, u.Fault.Kill, u.Load = 2, true, 0.01
	u.Watch.Interval, u.After = 200*time.Millisecond, 3*time.Second
	if r := simulate(t, u); r.Lost.Total() != 0 {
		t.Errorf("%+v", r.Lost)
	}
	u.Fault.Pull = between(t, u.Fabric)
	r := simulate(t, u)
	if r.Lost.Total() == 0 || r.Last < 100*time.Millisecond || r.Last > 2500*time.Millisecond || !slices.ContainsFunc(r.Log, func(l Line) bool { return l.Manager == 1 && l.Kind == terms.RoundEnds }) {
		t.Errorf("%+v until %v: %v", r.Lost, r.Last, r.Log)
	}
}

// TestRefused: what cannot be simulated says so.
func TestRefused(t *testing.T) {
	u := setup(t, "rlft(4,2)", "updn")
	u.Managers = 99
	if _, err := Run(t.Context(), u); err == nil {
		t.Error("99 managers at 8 hosts")
	}
}
