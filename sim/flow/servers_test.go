package flow

import (
	"context"
	"math"
	"testing"

	"weft/fabric"
	"weft/route"
)

// shortest routes every LID on first shortest paths.
func shortest(g *fabric.Graph) *route.Plan {
	p := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	for e := range p.Ends.Base {
		p.Ends.Base[e] = fabric.LID(e + 1)
	}
	p.Tables = route.NewTables(g.NumSwitches, p.Ends.Top())
	search := g.NewSearch(nil)
	for h := range int32(g.NumHosts) {
		search.From(g.EndSwitch[h])
		for s := range int32(g.NumSwitches) {
			if search.Hops[s] > 0 {
				p.Tables.Set(s, p.Ends.Base[h], g.FromPort[search.Via[s]^1])
			}
		}
		p.Tables.Set(g.EndSwitch[h], p.Ends.Base[h], g.EndPort[h])
	}
	return p
}

// place runs a pattern on host ports, or on servers.
func placed(t testing.TB, n *Network, pattern string, onServers bool, opt Options) *Result {
	t.Helper()
	place := n.Servers().OnPorts
	if onServers {
		place = n.Servers().OnServers
	}
	p, at, err := place(pattern, n.Hosts, 0)
	if err != nil {
		t.Fatal(err)
	}
	opt.Place = at
	r, err := n.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Several planes of one kind have the figures of one: servers send on each the same flows, and no
// pair is lost between them.
func TestPlanesHaveTheFiguresOfOne(t *testing.T) {
	one := parse(t, "rlft(8,2)")
	all := parse(t, "rlft(8,2)|planes(3)")
	a, b := network(t, one, shortest(one)), network(t, all, shortest(all))
	for _, pattern := range []string{"bisect", "rand", "shift", "recdbl", "nearest2d", "gather"} {
		opt := Options{Runs: 20, Seed: 3, Shuffle: pattern != "shift", Workers: 2}
		want, got := placed(t, a, pattern, true, opt), placed(t, b, pattern, true, opt)
		if math.Abs(got.Bandwidth.Mean-want.Bandwidth.Mean) > 1e-12 || got.MaxCongestion != want.MaxCongestion || got.Flows != 3*want.Flows || got.Undelivered != 0 {
			t.Errorf("%s: %+v, on one plane %+v", pattern, got, want)
		}
		if want.PerServer != nil || math.Abs(got.PerServer.Mean-3*want.Bandwidth.Mean) > 1e-12 {
			t.Errorf("%s: a server has %+v, a port %g", pattern, got.PerServer, want.Bandwidth.Mean)
		}
		ports := placed(t, b, pattern, false, opt)
		if ports.Flows != got.Flows || ports.Undelivered != 0 || ports.PerServer != nil || math.Abs(ports.Bandwidth.Mean-want.Bandwidth.Mean) > .1 {
			t.Errorf("%s: on ports %+v, on one plane %+v", pattern, ports, want)
		}
	}
	want, err := a.AllPairs(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.AllPairs(context.Background(), 2)
	if err != nil || got.Pairs != 3*want.Pairs || got.Undelivered != 0 || got.Index != want.Index || got.DarkChannels != 3*want.DarkChannels {
		t.Errorf("%v: all pairs %+v, on one plane %+v", err, got, want)
	}
}

// The yardstick of planes is that of one, and its bounds hold; it has figures of servers only where
// servers have several ports.
func TestYardstickOfServers(t *testing.T) {
	for _, c := range []struct {
		formula                string
		servers, ports, planes int
	}{{"rlft(4,2)|planes(2)", 8, 16, 2}, {"rail(4,4,2,spines=2,width=2)", 8, 32, 1}, {"rlft(6,2)", 0, 0, 0}} {
		g := parse(t, c.formula)
		y, err := NewYardstick(context.Background(), g, shortest(g), Measure{Runs: 50, Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if y.Undelivered != 0 || y.EBB.Mean > y.EBBBound+1e-9 || float64(y.PairLoad) < y.PairLoadBound-1e-9 {
			t.Errorf("%s: %+v", c.formula, y)
		}
		s := y.Servers
		switch {
		case c.servers == 0:
			if s != nil {
				t.Errorf("%s: servers of one port: %+v", c.formula, s)
			}
		case s == nil || s.Servers != c.servers || s.HostPorts != c.ports || s.Planes != c.planes || s.Shift.Rounds != c.servers-1:
			t.Errorf("%s: %+v", c.formula, s)
		case math.Abs(s.PerServer.Mean-s.EBB.Mean*float64(c.ports/c.servers)) > 1e-9:
			t.Errorf("%s: a port has %g, a server %g", c.formula, s.EBB.Mean, s.PerServer.Mean)
		}
	}
}

// Rails without a spine carry everything between servers, and nothing between rails.
func TestRailsWithoutSpines(t *testing.T) {
	g := parse(t, "rail(8,8,1,spines=0)")
	n := network(t, g, shortest(g))
	r := placed(t, n, "bisect", true, Options{Runs: 10, Shuffle: true, Workers: 1})
	if r.Bandwidth.Min != 1 || r.PerServer.Mean != 8 || r.Undelivered != 0 {
		t.Errorf("%+v, a server %+v", r, r.PerServer)
	}
	ports := placed(t, n, "alltoall", false, Options{Runs: 1, Workers: 1})
	if ports.Flows != 8*8*7 || ports.Undelivered != 0 {
		t.Errorf("all to all: %+v", ports)
	}
}
