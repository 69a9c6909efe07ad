package between

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// flood has every host of a Flat send packets of 2 KB to hosts at random, as fast as it can.
func flood(t rapid.TB, p *intersubnet.Plan, buffer int, until packet.Time) *packet.Result {
	t.Helper()
	f, err := Flatten(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	work := &packet.Streams{Seed: 7}
	for s := range int32(len(p.Net.Subnets)) {
		work.Targets = append(work.Targets, f.Hosts(s)...)
	}
	for _, h := range work.Targets {
		work.List = append(work.List, packet.Stream{Src: h, Dst: packet.Anyone, Bytes: 2048, Gap: 100 * packet.Nanosecond})
	}
	c := packet.Default()
	c.Buffer, c.DeadlockCheck = buffer, 20*packet.Microsecond
	sim, err := packet.New(f.Graph, f.Plan, c, work)
	if err != nil {
		t.Fatal(err)
	}
	sim.UseRelay(f)
	r, err := sim.Run(context.Background(), 0, until)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With layers packets of irregular subnets do not deadlock under load; none is lost.
func TestPacketsDoNotDeadlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "subnets("
		for range rapid.IntRange(2, 5).Draw(t, "subnets") {
			text += fmt.Sprintf("irregular(switches=%d,degree=4,hosts=%d,seed=%d),", rapid.IntRange(5, 8).Draw(t, "switches"), rapid.IntRange(6, 16).Draw(t, "hosts"), rapid.IntRange(1, 99).Draw(t, "seed"))
		}
		n := subnetstest.Network(t, text+fmt.Sprintf("routers=%d,shape=%s)", rapid.IntRange(1, 4).Draw(t, "routers"), rapid.SampledFrom([]string{"all", "chain", "star"}).Draw(t, "shape")))
		chain, err := engine.Parse(rapid.SampledFrom([]string{"updn", "nue", "dfsssp"}).Draw(t, "engine"), nil)
		if err != nil {
			t.Fatal(err)
		}
		method := rapid.SampledFrom([]intersubnet.Method{intersubnet.ISSR, intersubnet.Nearest, intersubnet.Baseline}).Draw(t, "method")
		r, _, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain}})
		if many := (*intersubnet.TooManyLanes)(nil); errors.As(err, &many) {
			t.Skip("too many lanes")
		}
		if err != nil {
			t.Fatal(err)
		}
		got := flood(t, r.Plan, 4<<10, 60*packet.Microsecond)
		if got.Deadlock != nil || got.Lost.Total() > 0 || got.Arrived == 0 {
			t.Fatalf("deadlock %v, lost %+v, delivered %d", got.Deadlock, got.Lost, got.Arrived)
		}
	})
}

// Two trees joined at their leaves deadlock on one layer, and not on two.
func TestPacketsDeadlockOnOneLayer(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,rlft(6,2),routers=3,cables=2,on=leaves)")
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, one, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISSR}, Local: planner.Request{Chain: chain}})
	if err != nil {
		t.Fatal(err)
	}
	if got := flood(t, one.Plan, 2304, packet.Millisecond); got.Deadlock == nil || got.Lost.Total() > 0 {
		t.Errorf("no deadlock on one layer: %d packets, lost %+v", got.Arrived, got.Lost)
	}
	if got := flood(t, r.Plan, 2304, packet.Millisecond); got.Deadlock != nil || got.Lost.Total() > 0 {
		t.Errorf("on two layers: %v, lost %+v", got.Deadlock, got.Lost)
	}
}

// Packets take the links that Path lists, no others, and arrive: one pair after the other.
func TestPacketsFollowPaths(t *testing.T) {
	for _, text := range []string{"subnets(3,mesh(2x2),shape=chain)", "subnets(rlft(4,2),torus(3x3),routers=2)", "subnets(2,racks72,routers=18,cables=4)"} {
		n := subnetstest.Network(t, text)
		p := oneLayer(t, n, intersubnet.ISSR, "auto").Plan
		f, err := Flatten(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for at, from := range p.Hosts() {
			for k := range 3 {
				to := p.Hosts()[(at*7+k*11+1)%len(p.Hosts())]
				if from == to {
					continue
				}
				path, ok := p.Path(from, to, nil)
				if !ok {
					t.Fatal("lost")
				}
				one := packet.NewRounds([]traffic.Flows{{Src: []int32{0}, Dst: []int32{1}}}, []int32{f.hosts[from.Subnet][from.End], f.hosts[to.Subnet][to.End]}, f.Graph.NumEnds, 64)
				sim, err := packet.New(f.Graph, f.Plan, packet.Default(), one)
				if err != nil {
					t.Fatal(err)
				}
				sim.UseRelay(f)
				r, err := sim.Run(context.Background(), 0, 20*packet.Microsecond)
				if err != nil {
					t.Fatal(err)
				}
				used := 0
				for _, bytes := range r.Carried {
					if bytes > 0 {
						used++
					}
				}
				if r.Arrived != 1 || used != len(path) {
					t.Fatalf("%s, %v to %v: %d packets over %d links, the path has %d", text, from, to, r.Arrived, used, len(path))
				}
			}
		}
	}
}
