package between

import (
	"context"
	"testing"

	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	"weft/sim/packet"
)

// A router fails under traffic. Packets are lost until routers and the hosts of every subnet have
// been told of the ways around it; where the manager of a subnet is lost with it, its hosts go on
// losing until another has taken over. Nothing is lost before and after, and nothing deadlocks.
func TestRouterFailsUnderTraffic(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,rlft(6,2),routers=4)")
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	req := between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: planner.Request{Chain: chain}}
	before, _, err := between.Route(context.Background(), n, &req)
	if err != nil {
		t.Fatal(err)
	}
	req.Routed = before.Jobs
	for p := n.Routers[1].First; p < n.Routers[1].End; p++ {
		req.Down = append(req.Down, p)
	}
	after, _, err := between.Route(context.Background(), n, &req)
	if err != nil {
		t.Fatal(err)
	}
	const us = packet.Microsecond
	flat, err := Flatten(before.Plan, 0)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(takeover packet.Time) (at [8]int64) { // lost until so many times 20 us
		work := &packet.Streams{Seed: 7}
		for s := range int32(len(n.Subnets)) {
			work.Targets = append(work.Targets, flat.Hosts(s)...)
		}
		for _, h := range work.Targets {
			work.List = append(work.List, packet.Stream{Src: h, Dst: packet.Anyone, Bytes: 2048, Gap: 500 * packet.Nanosecond})
		}
		c := packet.Default()
		c.DeadlockCheck = 20 * us
		sim, err := packet.New(flat.Graph, flat.Plan, c, work)
		if err != nil {
			t.Fatal(err)
		}
		told := flat.Transition()
		sim.UseRelay(told)
		check := func(err error) {
			if err != nil {
				sim.Fail(err)
			}
		}
		sim.At(20*us, func(s *packet.Sim) { s.SetSwitchDown(flat.Router(1), true) })
		sim.At(40*us, func(*packet.Sim) {
			check(told.TellRouters(after.Plan))
			check(told.TellHosts(1, after.Plan))
			check(told.TellHosts(2, after.Plan))
		})
		sim.At(takeover, func(*packet.Sim) { check(told.TellHosts(0, after.Plan)) })
		for i := range at {
			sim.At(packet.Time(i+1)*20*us-1, func(s *packet.Sim) {
				sum := s.Lost()
				at[i] = sum.Total()
			})
		}
		r, err := sim.Run(context.Background(), 0, 161*us)
		if err != nil {
			t.Fatal(err)
		}
		if r.Deadlock != nil || r.Arrived == 0 {
			t.Fatalf("deadlock %v, arrived %d", r.Deadlock, r.Arrived)
		}
		return at
	}
	with, without := lost(40*us), lost(80*us)
	t.Logf("packets lost by 20, 40 ... 160 us: %v; where a manager is lost until 80 us: %v", with, without)
	if with[0] != 0 || with[1] == 0 || with[7] != with[3] {
		t.Errorf("with all managers: %v", with)
	}
	if without[3]-without[2] == 0 || without[7] != without[6] || without[4] <= with[4] {
		t.Errorf("without the manager of a subnet: %v, with all %v", without, with)
	}
	other, _, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: planner.Request{Chain: chain}})
	if err != nil {
		t.Fatal(err)
	}
	if flat.Transition().TellHosts(0, other.Plan) == nil {
		t.Error("a Plan with tables of its own is taken")
	}
}
