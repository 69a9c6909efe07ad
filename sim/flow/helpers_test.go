package flow

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/lids"
	"weft/sim/traffic"
)

func parse(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

func network(t testing.TB, g *fabric.Graph, p *route.Plan) *Network {
	t.Helper()
	n, err := New(context.Background(), g, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func simulate(t testing.TB, n *Network, pattern string, opt Options) *Result {
	t.Helper()
	p, err := traffic.Parse(pattern, len(n.Hosts))
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// dModK routes rlft(2k, levels) by destination: host d goes up from level l by up
// port floor(d / k^l) mod k, and down by the only way there is. Leaves and middle
// switches have ports 1..k down and k+1..2k up.
func dModK(t testing.TB, g *fabric.Graph, k int) *route.Plan {
	t.Helper()
	level := make([]int, g.NumSwitches)
	for s, desc := range g.SwitchDesc {
		if !strings.HasPrefix(desc, "leaf") {
			level[s] = 1
		}
	}
	p := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	for e := range p.Ends.Base {
		p.Ends.Base[e] = fabric.LID(e + 1)
	}
	p.Tables = route.NewTables(g.NumSwitches, p.Ends.Top())
	up := make([]int, 2)
	for h := range int32(g.NumHosts) {
		d, err := strconv.Atoi(strings.TrimPrefix(g.EndDesc[h], "host "))
		if err != nil {
			t.Fatal(err)
		}
		lid := p.Ends.Base[h]
		up[0], up[1] = d%k, d/k%k
		for s := range int32(g.NumSwitches) {
			p.Tables.Set(s, lid, uint8(k+1+up[level[s]]))
		}
		p.Tables.Set(g.EndSwitch[h], lid, g.EndPort[h])
		for below, top := []int32{g.EndSwitch[h]}, false; !top; {
			var above []int32
			for _, s := range below {
				for _, c := range g.OutOf(s) {
					if int(g.FromPort[c]) > k && !strings.HasPrefix(g.SwitchDesc[s], "root") && !strings.HasPrefix(g.SwitchDesc[s], "spine") {
						p.Tables.Set(g.To[c], lid, g.ToPort[c])
						above = append(above, g.To[c])
					}
				}
			}
			below, top = above, len(above) == 0
		}
	}
	return p
}

// drawNetwork draws a small network with parallel links and tables that mean
// nothing: with holes, dead ports, wrong hosts and loops, and a Choice at times. Links
// are of several rates, some not known.
func drawNetwork(t *rapid.T, tb testing.TB) (*fabric.Graph, *route.Plan) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	f := fabric.New("random")
	switches, hosts := rapid.IntRange(1, 8).Draw(t, "switches"), rapid.IntRange(0, 12).Draw(t, "hosts")
	free := make([]uint8, switches)
	add := func(kind fabric.NodeType, guid, ports int) fabric.NodeID {
		id, err := f.AddNode(kind, fabric.GUID(guid), ports, strconv.Itoa(guid))
		if err != nil {
			tb.Fatal(err)
		}
		return id
	}
	join := func(a, b fabric.End) {
		speed := []fabric.Speed{fabric.EDR, fabric.EDR, fabric.HDR, fabric.QDR, fabric.SpeedUnknown}[rng.IntN(5)]
		if _, err := f.Connect(a, b, 4, speed); err != nil {
			tb.Fatal(err)
		}
	}
	port := func(s int) fabric.End {
		free[s]++
		return fabric.End{Node: fabric.NodeID(s), Port: free[s]}
	}
	for s := range switches {
		add(fabric.Switch, 1+s, 60)
	}
	for range rapid.IntRange(0, 16).Draw(t, "links") {
		a, b := rng.IntN(switches), rng.IntN(switches)
		join(port(a), port(b))
	}
	for h := range hosts {
		join(fabric.End{Node: add(fabric.CA, 100+h, 1), Port: 1}, port(rng.IntN(switches)))
	}
	g := f.Compile()
	lmc := uint8(rapid.IntRange(0, 1).Draw(t, "lmc"))
	ends, err := lids.Assign(g, lids.Options{LMC: lmc})
	if err != nil {
		tb.Fatal(err)
	}
	p := &route.Plan{Ends: ends, Tables: route.NewTables(g.NumSwitches, ends.Top())}
	if hosts > 0 && rapid.Bool().Draw(t, "nameless") {
		p.Ends.Base[rng.IntN(hosts)] = 0
	}
	for e := range int32(g.NumHosts) {
		for k := range p.Ends.Count(e) {
			drawColumn(rng, g, p, e, p.Ends.Base[e]+fabric.LID(k))
		}
	}
	if lmc > 0 {
		var rows []route.ChoiceRow
		for range rng.IntN(30) {
			r := route.ChoiceRow{Source: int32(rng.IntN(g.NumEnds)), Target: int32(rng.IntN(g.NumEnds))}
			if p.Ends.Count(r.Target) > 1 {
				r.Offset = 1
			}
			rows = append(rows, r)
		}
		p.Choice = route.NewChoice(g.NumEnds, rows)
		if by := route.ChoiceBy(rng.IntN(int(route.ListedLIDs) + 1)); by != route.ListedLIDs {
			p.Choice = route.Choice{By: by}
		}
	}
	return g, p
}

// drawColumn fills in the entries of one LID: mostly a way to the host.
func drawColumn(rng *rand.Rand, g *fabric.Graph, p *route.Plan, host int32, lid fabric.LID) {
	search := g.NewSearch(nil)
	search.From(g.EndSwitch[host])
	hops := search.Hops
	wild := rng.IntN(4) == 0
	for s := range int32(g.NumSwitches) {
		if s == g.EndSwitch[host] {
			p.Tables.Set(s, lid, g.EndPort[host])
		}
		for _, c := range g.OutOf(s) {
			if hops[g.To[c]] >= 0 && hops[g.To[c]] < hops[s] && rng.IntN(3) > 0 {
				p.Tables.Set(s, lid, g.FromPort[c])
			}
		}
		if wild && rng.IntN(2) == 0 {
			p.Tables.Set(s, lid, uint8(rng.IntN(64)))
		}
	}
}
