package choose

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/bill"
	"weft/fabric/gen"
	"weft/fabric/subnets"
	"weft/internal/draws"
	"weft/intersubnet"
	"weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
)

var needs = flag.Int("needs", 32, "random needs for which TestNeeds proposes networks: of up to 200 hosts, if there are over 50 of up to 400")

// plain is the need of hosts with one port.
func plain(hosts, radix int, ratio float64) need {
	return need{hosts: hosts, radix: radix, rails: 1, limit: limit{ratio, ratio}}
}

// draw draws a need: small machines are common, large ones not rare; some have storage, grow, or
// are larger than a subnet.
func draw(rng *rand.Rand, i, most int) Want {
	hosts := 2 + rng.IntN(100)
	for hosts < most && rng.IntN(3) > 0 {
		hosts *= 2
	}
	w := Want{
		Hosts: min(hosts, most), Radix: []int{8, 12, 18, 24, 36, 40, 48, 64}[rng.IntN(8)],
		Rails: []int{1, 1, 1, 2, 4, 8}[rng.IntN(6)], Ratio: []float64{1, 1, 1.5, 2, 4}[rng.IntN(5)],
	}
	if rng.IntN(3) == 0 {
		w.Pods = w.Ratio * float64(1+rng.IntN(4))
	}
	switch i % 4 {
	case 0:
		w.Storage = Group{1 + rng.IntN(20), 1 + i/4%2, 200}
		w.Service = Group{rng.IntN(5), 1, 0}
		if rng.IntN(2) == 0 {
			w.OnPlane, w.StorageRatio = 1+rng.IntN(2), 2
		}
		w.Now = w.Hosts / (1 + rng.IntN(4))
	case 1:
		w.Now = w.Hosts / (2 + rng.IntN(3))
	case 2:
		w.Rails, w.subnet = 1, 2+w.Hosts
	}
	if w.Now >= w.Hosts {
		w.Now = 0
	}
	return w
}

// TestNeeds: for random needs each offer builds, holds the servers, keeps ports, oversubscription
// and radix, and is routed and proven; growth keeps every cable; of the listed networks none is
// beaten by another one. -short draws few and small ones.
func TestNeeds(t *testing.T) {
	drawn, most, rng := *needs, 200, rand.New(rand.NewPCG(36, 3))
	if drawn > 50 {
		most = 400
	}
	if testing.Short() {
		drawn, most = 12, 90
	}
	met := map[string]int{}
	for i := range drawn {
		w := draw(rng, i, most)
		if err := w.Validate(); err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		t.Run(fmt.Sprintf("%+v", w), func(t *testing.T) {
			p, err := Propose(t.Context(), w, Study{Runs: 10, Seed: 1, Workers: 2, Measure: "always"})
			if err != nil {
				t.Fatal(err)
			}
			checkProposals(t, p, met)
		})
	}
	if missing := draws.Missing(met, "storage plane", "growth", "subnets", "rails", "planes", "a miss", "left out"); missing != "" {
		t.Errorf("no need had %s", missing)
	}
}

// meet counts a case.
func meet(met map[string]int, is bool, what string) {
	if is {
		met[what]++
	}
}

// checkProposals checks the answer to a need.
func checkProposals(t *testing.T, p *Proposals, met map[string]int) {
	all := slices.Concat(p.Proposals, p.Beaten)
	for _, c := range all {
		checkProposal(t, &p.Want, c)
		checkRouted(t, c.Whole, c.Subnets)
		checkSteps(t, &p.Want, c)
		meet(met, c.Storage != nil, "storage plane")
		meet(met, len(c.Steps) > 0, "growth")
		meet(met, c.Subnets != nil, "subnets")
		meet(met, c.Kind == rail, "rails")
		meet(met, c.Planes > 1, "planes")
		meet(met, len(c.Missing) > 0, "a miss")
	}
	for _, a := range p.Proposals {
		for _, b := range p.Proposals {
			if a != b && a.Planes == b.Planes && a.Bill.Switches <= b.Bill.Switches && a.EBB >= b.EBB && a.Shift <= b.Shift && (p.Now == 0 || a.Steps[0].Bill.Switches <= b.Steps[0].Bill.Switches) && p.Measured {
				t.Errorf("%s (%d switches, ebb %g, shifts %g) beats %s (%d, %g, %g)", a.Whole, a.Bill.Switches, a.EBB, a.Shift, b.Whole, b.Bill.Switches, b.EBB, b.Shift)
			}
		}
	}
	for _, c := range p.Beaten {
		if !slices.ContainsFunc(p.Proposals, func(a *Proposal) bool { return a.Formula == c.Beaten && p.beats(a, c) }) {
			t.Errorf("%s is not beaten by %s", c.Formula, c.Beaten)
		}
	}
	for _, l := range p.LeftOut {
		meet(met, true, "left out")
		if !slices.ContainsFunc([]byte(l.Reason), func(b byte) bool { return '0' <= b && b <= '9' }) {
			t.Errorf("%s is left out without a number: %s", l.Kind, l.Reason)
		}
		if strings.Contains(l.Reason, "gen: ") {
			t.Errorf("%s does not build: %s", l.Kind, l.Reason)
		}
	}
	if p.Best != nil && len(p.chosen().Missing) > 0 || p.Best == nil && slices.ContainsFunc(all, func(c *Proposal) bool { return len(c.Missing) == 0 }) {
		t.Errorf("recommended: %+v, which misses %q", p.Best, p.chosen().Missing)
	}
	meet(met, p.Nearest != nil, "nearest")
}

// open builds the formula of an offer.
func open(t *testing.T, formula string, several *Subnets) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if several != nil {
		f, _, err = openSubnets(formula)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// checkProposal builds an offer and counts again, without the room's own count.
func checkProposal(t *testing.T, w *Want, c *Proposal) {
	t.Helper()
	f := open(t, c.Whole, c.Subnets)
	switches := 0
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			switches++
			if f.Nodes[i].NumPorts() > w.Radix {
				t.Errorf("%s: %s has %d ports", c.Whole, f.NodeName(fabric.NodeID(i)), f.Nodes[i].NumPorts())
			}
		}
	}
	byPorts, ports := serversByPorts(f)
	want := map[int]int{}
	want[w.Rails+w.OnPlane] += w.Hosts
	want[w.Storage.Ports] += w.Storage.Servers
	want[w.Service.Ports] += w.Service.Servers
	for n, servers := range want {
		// Some kinds have as many hosts on each switch, and so a few more than asked.
		if got := byPorts[n]; servers > 0 && (got < servers || n != w.Rails+w.OnPlane && got != servers) {
			t.Errorf("%s: %d servers of %d ports, want %d", c.Whole, got, n, servers)
		}
	}
	servers := len(f.Servers().List)
	if servers != c.Servers || ports != c.HostPorts || switches != c.Bill.Switches || c.Bill.Between+c.Bill.Below != len(f.Links) || c.Bill.Left != switches*w.Radix-2*c.Bill.Between-c.Bill.Below {
		t.Errorf("%s has %d servers, %d host ports and %d switches; the bill: %+v, %d host ports", c.Whole, servers, ports, switches, c.Bill, c.HostPorts)
	}
	parts := c.Planes
	if w.OnPlane > 0 {
		parts++
	}
	if _, got := f.Compile().Components(); got != parts {
		t.Errorf("%s has %d parts, want %d", c.Whole, got, parts)
	}
	checkBalance(t, w, c)
}

// serversByPorts counts servers by their cabled ports, and all of these ports.
func serversByPorts(f *fabric.Fabric) (byPorts map[int]int, ports int) {
	byPorts = map[int]int{}
	for _, s := range f.Servers().List {
		n := 0
		for _, id := range s.Adapters {
			for range f.Cabled(fabric.NodeID(id), nil) {
				n++
			}
		}
		byPorts[n]++
		ports += n
	}
	return byPorts, ports
}

// slack is by how much uniform traffic on all shortest paths may load a channel beyond ideal
// balance, where the wiring of a kind does not give that on shortest paths alone.
var slack = map[string]float64{"tree": 1.5, "dragonfly": 2.2, "dragonfly+": 2, "torus": 1.5, "slim-fly": 1.6, "hyperx": 1.01, "full-mesh": 1.01, rail: 1.1}

// checkBalance holds the oversubscription against uniform traffic, spread over all shortest paths.
func checkBalance(t *testing.T, w *Want, c *Proposal) {
	t.Helper()
	least := 1 / max(w.Ratio, w.Pods)
	if len(c.Missing) == 0 && c.Uniform < least-1e-9 {
		t.Errorf("%s misses nothing, and uniform traffic gets %g", c.Whole, c.Uniform)
	}
	if c.Uniform <= 0 || c.Uniform > 1 || c.Ratio < 1 || c.Pods < c.Ratio {
		t.Errorf("%s: uniform %g, oversubscription %g and %g", c.Whole, c.Uniform, c.Ratio, c.Pods)
	}
	if c.Subnets != nil {
		return // see checkSubnets
	}
	plane := open(t, c.Formula, nil)
	if load := uniformLoad(plane.Compile()); load > slack[c.Kind]/c.Uniform {
		t.Errorf("%s: uniform traffic loads a channel by %.2f, said to be %.2f", c.Formula, load, 1/c.Uniform)
	}
	if c.Kind == "tree" {
		checkTree(t, plane, c.Formula, c.Ratio, c.Pods)
	}
}

// checkTree counts the cables up of leaves and pods.
func checkTree(t *testing.T, f *fabric.Fabric, formula string, ratio, pods float64) {
	t.Helper()
	level := gen.Levels(f)
	top := slices.Max(level)
	for i := range f.Nodes {
		id, up, hosts := fabric.NodeID(i), 0, 0
		if f.Nodes[i].Type != fabric.Switch || level[i] != 0 || top == 0 {
			continue
		}
		for p := range f.Cabled(id, nil) {
			if f.Nodes[f.Peer(fabric.End{Node: id, Port: p}).Node].Type == fabric.Switch {
				up++
			} else {
				hosts++
			}
		}
		if float64(hosts) > ratio*float64(up)+1e-9 {
			t.Errorf("%s: %s has %d hosts and %d cables up", formula, f.NodeName(id), hosts, up)
		}
	}
	if top < 2 {
		return
	}
	f = f.Clone()
	g := f.Without(func(id fabric.NodeID) bool { return level[id] == top }, nil)
	of, parts := g.Compile().Components()
	hosts, up := make([]int, parts), make([]int, parts)
	gg := g.Compile()
	for s := range int32(gg.NumSwitches) {
		hosts[of[s]] += int(gg.HostCount(s))
		id, _ := f.NodeByGUID(gg.SwitchGUID[s])
		for p := range f.Cabled(id, nil) {
			if level[f.Peer(fabric.End{Node: id, Port: p}).Node] == top && f.Nodes[f.Peer(fabric.End{Node: id, Port: p}).Node].Type == fabric.Switch {
				up[of[s]]++
			}
		}
	}
	for i := range parts {
		if float64(hosts[i]) > max(ratio, pods)*float64(up[i])+1e-9 {
			t.Errorf("%s: a pod has %d hosts and %d cables up", formula, hosts[i], up[i])
		}
	}
}

// uniformLoad returns the load of the busiest channel between switches, in rates of a host, if all
// hosts send to all alike and each switch spreads traffic evenly over its shortest paths.
func uniformLoad(g *fabric.Graph) float64 {
	load := make([]float64, g.NumChannels)
	search := g.NewSearch(nil)
	for d := range int32(g.NumSwitches) {
		if g.HostCount(d) == 0 {
			continue
		}
		search.From(d)
		order := make([]int32, 0, g.NumSwitches)
		flow := make([]float64, g.NumSwitches)
		for s := range int32(g.NumSwitches) {
			if search.Hops[s] > 0 {
				order = append(order, s)
				flow[s] = float64(g.HostCount(s)*g.HostCount(d)) / float64(g.NumHosts)
			}
		}
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(search.Hops[b], search.Hops[a]) })
		for _, s := range order {
			var ways []int32
			for _, c := range g.Out[g.OutStart[s]:g.OutStart[s+1]] {
				if search.Hops[g.To[c]] == search.Hops[s]-1 {
					ways = append(ways, c)
				}
			}
			for _, c := range ways {
				load[c] += flow[s] / float64(len(ways))
				flow[g.To[c]] += flow[s] / float64(len(ways))
			}
		}
	}
	return slices.Max(append(load, 0))
}

// checkRouted routes an offer by the engines known to deliver the most and asks for a proof.
func checkRouted(t *testing.T, formula string, several *Subnets) {
	t.Helper()
	if several != nil {
		checkSubnets(t, formula, several)
		return
	}
	g := open(t, formula, nil).Compile()
	for _, name := range planner.KnownBest(g) {
		chain, err := engine.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := planner.Run(t.Context(), g, &planner.Request{Chain: chain, Seed: 1, Workers: 2})
		if err != nil {
			continue // it refuses
		}
		if !r.Report.OK || r.Report.Unreachable > 0 {
			t.Errorf("%s by %s: %+v", formula, name, r.Report.Faults)
		}
		return
	}
	t.Errorf("%s: no engine routes it", formula)
}

// checkSteps: the first step holds its servers, and the second one changes nothing that stands.
func checkSteps(t *testing.T, w *Want, c *Proposal) {
	t.Helper()
	if (w.Now > 0) != (len(c.Steps) == 2) {
		t.Fatalf("%s has %d steps", c.Whole, len(c.Steps))
	}
	if w.Now == 0 {
		return
	}
	now, later := open(t, c.Steps[0].Formula, nil), open(t, c.Steps[1].Formula, nil)
	for _, change := range fabric.Diff(now, later) {
		if change.Kind != "node added" && change.Kind != "link added" {
			t.Fatalf("%s grows: %s", c.Whole, change)
		}
	}
	byPorts, _ := serversByPorts(now)
	want := map[int]int{w.Rails + w.OnPlane: w.Now}
	if w.OnPlane == 0 || w.Storage.Ports == w.Rails+w.OnPlane {
		want[w.Storage.Ports] += w.Storage.Servers
	} else {
		want[w.Storage.Ports] = w.Storage.Servers
	}
	want[w.Service.Ports] += w.Service.Servers
	maps.DeleteFunc(want, func(_, servers int) bool { return servers == 0 })
	if !maps.Equal(byPorts, want) {
		t.Errorf("%s: servers by ports %v, want %v", c.Steps[0].Formula, byPorts, want)
	}
	b, err := bill.Of(now, w.Radix)
	if err != nil || b.Switches != c.Steps[0].Bill.Switches || c.Steps[1].Stays != len(now.Links) || c.Steps[0].Reserved > b.Left {
		t.Errorf("%s: %+v, %v", c.Steps[0].Formula, b, err)
	}
	if _, parts := now.Compile().Components(); parts > c.Planes+w.OnPlane {
		t.Errorf("%s has %d parts", c.Steps[0].Formula, parts)
	}
	checkRouted(t, c.Steps[0].Formula, nil)
	if load := 1 / c.Steps[0].Uniform; c.Planes == 1 && w.OnPlane == 0 && uniformLoad(now.Compile()) > slack[c.Kind]*load {
		t.Errorf("%s: uniform traffic loads a channel by %.2f, said to be %.2f", c.Steps[0].Formula, uniformLoad(now.Compile()), load)
	}
}

// checkSubnets counts the cables of routers of an offer of several subnets, and routes it.
func checkSubnets(t *testing.T, formula string, several *Subnets) {
	t.Helper()
	made := func(one string) (subnets.Opened, error) {
		f, err := gen.Parse(one)
		return subnets.Opened{Fabric: f, Made: true}, err
	}
	file, err := subnets.Expand(formula, made)
	if err != nil {
		t.Fatal(err)
	}
	n, err := file.Build(formula, made)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Subnets) != several.Number || len(n.Routers) != several.Routers {
		t.Errorf("%s: %d subnets and %d routers", formula, len(n.Subnets), len(n.Routers))
	}
	hosts, ports := n.Graph(0).NumHosts-len(n.Subnets[0].Ports), len(n.Subnets[0].Ports)
	if crossing := float64(hosts) * quotient(len(n.Subnets)-1, len(n.Subnets)); crossing > several.Ratio*float64(ports)+1e-9 {
		t.Errorf("%s: %d hosts share %d cables to other subnets, said to be %g:1", formula, hosts, ports, several.Ratio)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	layered, one, err := between.Route(t.Context(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.Auto}, Local: planner.Request{Chain: chain, Seed: 1, Workers: 2}})
	if err != nil {
		t.Fatalf("%s: %v", formula, err)
	}
	report, err := check.Judge(t.Context(), one.Plan, check.Options{Workers: 2})
	if err == nil && !report.OK && layered != nil {
		report, err = check.Judge(t.Context(), layered.Plan, check.Options{Workers: 2})
	}
	if err != nil || !report.OK {
		t.Errorf("%s: %+v, %v", formula, report.Size, err)
	}
}
