package outage

import (
	"reflect"
	"testing"
	"time"

	"weft/fabric"
	"weft/route"
	"weft/sim/packet"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestSeveralLanes: engines that need several lanes are simulated too. A pulled cable costs packets
// until the tables lead past it, none wait for each other in a ring, and the same again is the
// same.
func TestSeveralLanes(t *testing.T) {
	for _, chain := range []string{"dor", "dfsssp", "nue"} {
		u := setup(t, "torus(5x3,hosts=1)", chain)
		u.Load, u.After = 0.02, 120*time.Millisecond
		u.Fault.Pull = between(t, u.Fabric)
		r := simulate(t, u)
		if r.Lost.NoLink == 0 || r.First != 0 || r.Last < u.Planning || r.Quiet < u.Planning || r.Blocks == 0 || r.Steps[len(r.Steps)-1].Lost > 0 {
			t.Errorf("%s: %+v from %v to %v, quiet after %v", chain, r.Lost, r.First, r.Last, r.Quiet)
		}
		if again := simulate(t, u); !reflect.DeepEqual(again, r) {
			t.Errorf("%s: again it is another one: %+v and %+v", chain, again, r)
		}
	}
}

// brought is a run whose subnet is up, before its traffic.
func brought(t *testing.T, text, chain string) *run {
	t.Helper()
	r := &run{Setup: setup(t, text, chain)}
	if err := r.bringUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.startTraffic(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLanesAreSeen: the packets see the lane tables of the Plan; of a switch that has restarted
// those that it has after power-on; and, when the manager has brought it up again, those of the
// Plan.
func TestLanesAreSeen(t *testing.T) {
	r := brought(t, "torus(5x3,hosts=1)", "dor")
	plan := r.managers[0].machine.Result().Plan()
	if plan.VLs < 2 {
		t.Fatalf("%d lanes", plan.VLs)
	}
	own := r.subnet.Fabric().Peer(fabric.End{Node: 0, Port: 1}).Node
	for s := range int32(r.graph.NumSwitches) {
		if n, _ := r.differing(plan, s); n > 0 {
			t.Fatalf("%d tables of %s are other ones than the Plan's", n, fabric.SwitchName(r.graph, s))
		}
		node, _ := r.subnet.Fabric().NodeByGUID(r.graph.SwitchGUID[s])
		if node == own {
			continue
		}
		if err := r.subnet.Reboot(node, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		r.advance(r.subnet.Now() + 2*time.Millisecond)
		r.mirror(true)
		lanes, turns := r.differing(plan, s)
		if lanes == 0 || turns == 0 {
			t.Errorf("%s: after power-on %d mappings and %d arbitration tables are other ones than the Plan's", fabric.SwitchName(r.graph, s), lanes, turns)
		}
		r.advance(r.subnet.Now() + 20*time.Second)
		r.mirror(true)
		now := r.managers[0].machine.Result().Plan()
		if lanes, turns := r.differing(now, s); lanes+turns > 0 {
			t.Errorf("%s: after a repair %d mappings and %d arbitration tables are other ones than the Plan's", fabric.SwitchName(r.graph, s), lanes, turns)
		}
		return
	}
}

// differing counts the lane tables of a switch that the packets see otherwise than a Plan has them,
// where packets pass.
func (r *run) differing(p *route.Plan, s int32) (lanes, turns int) {
	g, held := r.graph, r.lanes.held
	live := func(port uint8) bool {
		c, host := g.At(s, port)
		return c >= 0 || host >= 0
	}
	for out := uint8(1); int32(out) <= g.SwitchPorts[s]; out++ {
		if !live(out) {
			continue
		}
		for in := uint8(0); int32(in) <= g.SwitchPorts[s]; in++ {
			if (in == 0 || live(in)) && in != out && *held.SL2VL.Table(g, s, in, out) != *p.SL2VL.Table(g, s, in, out) {
				lanes++
			}
		}
		told, is := p.Arbitration.OfSwitch(g, s, out), held.Arbitration.OfSwitch(g, s, out)
		if len(told.Low) > 1 && !reflect.DeepEqual(told.Low, is.Low) {
			turns++
		}
	}
	return lanes, turns
}

// TestWrittenLanes: what is written into a lane table while packets are under way holds for them: a
// switch that is told to drop a service level does.
func TestWrittenLanes(t *testing.T) {
	r := brought(t, "torus(5x3,hosts=1)", "dor")
	drop := make([]byte, 64)
	for i := range drop {
		drop[i] = 0xFF
	}
	r.sim.At(ps(time.Millisecond), func(*packet.Sim) {
		r.managers[0].send(&terms.Action{Tag: 1 << 63, Method: mad.Set, Attr: mad.AttrSLtoVLMappingTable, Modifier: mad.SLtoVLAllInputs | mad.SLtoVLAllOutputs, Path: []byte{1}, Data: drop})
		r.runDue()
	})
	r.schedule()
	got, err := r.sim.Run(t.Context(), 0, ps(4*time.Millisecond))
	if err != nil || got.Lost.NoLane == 0 || got.Lost.Total() != got.Lost.NoLane {
		t.Errorf("%+v, %v", got.Lost, err)
	}
}
