package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/internal/draws"
	"weft/intersubnet"
	"weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/route"
	"weft/route/engine"
)

// drawNetwork draws two to five irregular subnets, joined by routers at random so that all are
// joined.
func drawNetwork(t *rapid.T, irregular bool) *subnets.Network {
	f := &subnets.File{}
	n := rapid.IntRange(2, 5).Draw(t, "subnets")
	var fabrics []*fabric.Fabric
	for i := range n {
		arg := fmt.Sprintf("irregular(switches=%d,degree=4,hosts=%d,seed=%d)",
			rapid.IntRange(5, 9).Draw(t, "switches"), rapid.IntRange(4, 12).Draw(t, "hosts"), rapid.IntRange(1, 99).Draw(t, "seed"))
		if !irregular {
			arg = rapid.SampledFrom([]string{arg, "torus(3x3)", "rlft(4,2)", "xgft(1;3;2;hosts=6)", "pgft(2;3,3;1,3;1,1)", "mesh(2x3,hosts=2)"}).Draw(t, "fabric")
		}
		o, err := subnetstest.Open(arg)
		if err != nil {
			t.Fatal(err)
		}
		fabrics = append(fabrics, o.Fabric)
		f.Subnets = append(f.Subnets, subnets.SubnetLine{Name: fmt.Sprint("s", i), Prefix: subnets.Prefix(i + 1), Fabric: arg})
	}
	next := map[string]uint8{} // ports of switches that routers have taken
	add := func(in ...int) {
		r := subnets.RouterLine{Name: fmt.Sprint("r", len(f.Routers)), GUID: fabric.GUID(0x1000 * (len(f.Routers) + 1))}
		for _, s := range in {
			d := fabrics[s]
			var switches []fabric.NodeID
			for id := range d.Nodes {
				if d.Nodes[id].Type == fabric.Switch {
					switches = append(switches, fabric.NodeID(id))
				}
			}
			node := &d.Nodes[rapid.SampledFrom(switches).Draw(t, "at")]
			key := fmt.Sprint(s, node.GUID)
			next[key]++
			r.Ports = append(r.Ports, subnets.PortLine{Number: uint8(len(r.Ports) + 1), Subnet: f.Subnets[s].Name, Switch: node.GUID.String(), SwitchPort: uint8(node.NumPorts()) + next[key]})
		}
		f.Routers = append(f.Routers, r)
	}
	for s := 1; s < n; s++ {
		for range rapid.IntRange(1, 2).Draw(t, "twice") {
			add(s, rapid.IntRange(0, s-1).Draw(t, "other"))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "more") {
		add(rapid.SliceOfN(rapid.IntRange(0, n-1), 2, 4).Draw(t, "in")...)
	}
	net, err := f.Build("drawn", subnetstest.Open)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// drawAlike draws two to four equal subnets, all joined by each router: what the judge has of one
// of them it takes for all.
func drawAlike(t *rapid.T) *subnets.Network {
	text := fmt.Sprintf("subnets(%d,%s,routers=%d,cables=%d)", rapid.IntRange(2, 4).Draw(t, "subnets"),
		rapid.SampledFrom([]string{"torus(3x3)", "rlft(4,2)", "mesh(2x3,hosts=2)", "irregular(switches=6,degree=4,hosts=8,seed=7)"}).Draw(t, "fabric"),
		rapid.IntRange(1, 3).Draw(t, "routers"), rapid.IntRange(1, 2).Draw(t, "cables"))
	return subnetstest.Network(t, text)
}

// A hundred combinations of irregular subnets (and more with other seeds): all is reachable, and
// with layers nothing can deadlock.
func TestIrregularSubnets(t *testing.T) {
	cycles := 0
	draws.Check(t, func(t *rapid.T) {
		n := drawNetwork(t, true)
		method := rapid.SampledFrom([]intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR, intersubnet.Nearest, intersubnet.Auto}).Draw(t, "method")
		engine := rapid.SampledFrom([]string{"updn", "nue", "dfsssp", "lash"}).Draw(t, "engine")
		layered, one := drawnRoute(t, n, method, engine)
		if layered == nil {
			layered = one
		} else if !judge(t, one.Plan).DeadlockFree {
			cycles++
		}
		if r := judge(t, layered.Plan); !r.OK || r.Pairs == 0 {
			t.Fatalf("%s: %+v", engine, r)
		}
	}, func() string {
		if cycles == 0 {
			return "no network had a cycle on one layer: the layers are not tested"
		}
		return ""
	})
}

// drawnRoute routes; where lanes do not suffice for layers, by an engine of one lane.
func drawnRoute(t *rapid.T, n *subnets.Network, method intersubnet.Method, engines string) (layered, one *between.Result) {
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	layered, one, err = between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain, Workers: 1}})
	if many := (*intersubnet.TooManyLanes)(nil); errors.As(err, &many) && engines != "updn" {
		return drawnRoute(t, n, method, "updn")
	}
	if err != nil {
		t.Fatal(err)
	}
	return layered, one
}

// dumb follows every pair by itself and collects the dependencies in a map.
type dumb struct {
	p     *intersubnet.Plan
	hosts bool
	edges map[[2]node]bool
	lost  int64
	hops  int
	sum   int64
}

type node struct {
	link intersubnet.Hop // its SL is the VL
}

func (d *dumb) takes(s, e int32) bool {
	return !d.p.Net.IsRouter(s, e) && (!d.hosts || d.p.Net.Graph(s).IsHost(e))
}

func newDumb(p *intersubnet.Plan, hosts bool) *dumb {
	d := &dumb{p: p, hosts: hosts, edges: map[[2]node]bool{}}
	var ends []intersubnet.Address
	for s := range int32(len(p.Net.Subnets)) {
		for e := range int32(p.Net.Graph(s).NumEnds) {
			if d.takes(s, e) {
				ends = append(ends, intersubnet.Address{Subnet: s, End: e})
			}
		}
	}
	for _, from := range ends {
		for e := range int32(p.Net.Graph(from.Subnet).NumEnds) { // local traffic, to routers too
			if e != from.End && (d.takes(from.Subnet, e) || p.Net.IsRouter(from.Subnet, e)) {
				d.follow(from, intersubnet.Address{Subnet: from.Subnet, End: e})
			}
		}
		for _, to := range ends {
			if to.Subnet != from.Subnet {
				d.follow(from, to)
			}
		}
	}
	return d
}

func (d *dumb) follow(from, to intersubnet.Address) {
	path, ok := d.p.Path(from, to, nil)
	if !ok {
		d.lost++
		return
	}
	var nodes []node
	links := 0
	for i, h := range path {
		if h.Switch < 0 && !d.p.Net.IsRouter(h.Subnet, h.End) { // the link from a host
			continue
		}
		if h.End >= 0 && h.Switch >= 0 && !d.p.Net.IsRouter(h.Subnet, h.End) { // the link to a host
			continue
		}
		local := d.p.Local[h.Subnet]
		if h.Switch < 0 {
			h.SL = local.SL2VL.HostTable(h.End)[h.SL]
		} else {
			in := uint8(0)
			if i > 0 {
				in = d.inPort(path[i-1])
			}
			h.SL = local.SL2VL.Table(d.p.Net.Graph(h.Subnet), h.Switch, in, h.Port)[h.SL]
		}
		nodes = append(nodes, node{h})
		links++
	}
	if from.Subnet != to.Subnet {
		d.hops = max(d.hops, links)
		d.sum += int64(links)
	}
	for i := 1; i < len(nodes); i++ {
		d.edges[[2]node{nodes[i-1], nodes[i]}] = true
	}
}

// inPort is the port of a switch behind a link.
func (d *dumb) inPort(h intersubnet.Hop) uint8 {
	g := d.p.Net.Graph(h.Subnet)
	if h.Switch < 0 {
		return g.EndPort[h.End]
	}
	c, _ := g.At(h.Switch, h.Port)
	return g.ToPort[c]
}

func (d *dumb) cyclic() bool {
	next := map[node][]node{}
	for e := range d.edges {
		next[e[0]] = append(next[e[0]], e[1])
	}
	state := map[node]int{}
	var visit func(x node) bool
	visit = func(x node) bool {
		state[x] = 1
		for _, y := range next[x] {
			if state[y] == 1 || state[y] == 0 && visit(y) {
				return true
			}
		}
		state[x] = 2
		return false
	}
	for x := range next {
		if state[x] == 0 && visit(x) {
			return true
		}
	}
	return false
}

// The judge agrees with one that follows every pair, on whole Plans and on broken ones. Where
// routers hash, the judge takes more dependencies.
func TestJudgeAgreesWithADumbOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := (*subnets.Network)(nil)
		if rapid.Bool().Draw(t, "alike") {
			n = drawAlike(t)
		} else {
			n = drawNetwork(t, false)
		}
		method := rapid.SampledFrom([]intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR, intersubnet.Nearest}).Draw(t, "method")
		layered, one := drawnRoute(t, n, method, rapid.SampledFrom([]string{"updn", "dfsssp", "ftree,updn", "dor,lash"}).Draw(t, "engine"))
		plan := one.Plan
		if layered != nil && rapid.Bool().Draw(t, "layers") {
			plan = layered.Plan
		}
		for range rapid.IntRange(0, 2).Draw(t, "faults") {
			breakPlan(t, plan)
		}
		hosts := rapid.Bool().Draw(t, "hosts only")
		r, d := judgeSome(t, plan, hosts), newDumb(plan, hosts)
		exact := method == intersubnet.Baseline
		if exact && r.Unreachable+r.Disconnected != d.lost-lostInside(plan, d) || !exact && r.Unreachable+r.Disconnected < d.lost-lostInside(plan, d) {
			t.Fatalf("unreachable %d, dumb %d", r.Unreachable, d.lost)
		}
		if len(d.edges) > 0 && d.lost == 0 && (r.Hops.Max < d.hops || exact && r.Hops.Max != d.hops) {
			t.Fatalf("hops %d, dumb %d", r.Hops.Max, d.hops)
		}
		if exact && d.lost == 0 && (int64(len(d.edges)) != r.Edges || r.DeadlockFree == d.cyclic()) {
			t.Fatalf("edges %d, dumb %d; deadlock-free %t, dumb cyclic %t", r.Edges, len(d.edges), r.DeadlockFree, d.cyclic())
		}
		if r.DeadlockFree && d.cyclic() {
			t.Fatal("the dumb judge finds a cycle")
		}
	})
}

// lostInside counts the pairs inside subnets that are lost.
func lostInside(p *intersubnet.Plan, d *dumb) (lost int64) {
	for s := range int32(len(p.Net.Subnets)) {
		g := p.Net.Graph(s)
		for from := range int32(g.NumEnds) {
			for to := range int32(g.NumEnds) {
				if from != to && d.takes(s, from) && (d.takes(s, to) || p.Net.IsRouter(s, to)) {
					if _, ok := p.Path(intersubnet.Address{Subnet: s, End: from}, intersubnet.Address{Subnet: s, End: to}, nil); !ok {
						lost++
					}
				}
			}
		}
	}
	return lost
}

// breakPlan changes an entry of a Plan.
func breakPlan(t *rapid.T, p *intersubnet.Plan) {
	s := int32(rapid.IntRange(0, len(p.Net.Subnets)-1).Draw(t, "subnet"))
	target := int32(rapid.IntRange(0, len(p.Net.Subnets)-1).Draw(t, "target"))
	switch rapid.IntRange(0, 2).Draw(t, "what") {
	case 0: // a gateway
		rows := p.Gateway
		if p.BySwitch != nil && p.BySwitch[s][target] != nil {
			rows = p.BySwitch
		}
		if row := rows[s][target]; row != nil {
			row = append([]int32(nil), row...)
			row[rapid.IntRange(0, len(row)-1).Draw(t, "end")] = int32(rapid.IntRange(-1, len(p.Net.Subnets[s].Ports)-1).Draw(t, "place"))
			rows[s][target] = row
		}
	case 1: // a way out of a router
		r := int32(rapid.IntRange(0, len(p.Net.Routers)-1).Draw(t, "router"))
		q := int32(rapid.IntRange(int(p.Net.Routers[r].First), int(p.Net.Routers[r].End)-1).Draw(t, "q"))
		p.Egress[r][target] = intersubnet.Egress{Ports: []int32{q}, Pick: make([]uint8, p.Net.Graph(target).NumEnds)}
	case 2: // an entry of a switch
		local := *p.Local[s]
		local.Tables = local.Tables.Clone()
		g := p.Net.Graph(s)
		sw := int32(rapid.IntRange(0, g.NumSwitches-1).Draw(t, "switch"))
		lid := fabric.LID(rapid.IntRange(1, int(local.Ends.Top())).Draw(t, "lid"))
		local.Tables.Set(sw, lid, rapid.SampledFrom([]uint8{0, 1, 2, 3, route.NoPort}).Draw(t, "entry"))
		p.Local[s] = &local
	}
}

// A link with fewer VLs than packets use is told, and not used in the first place.
func TestLinksWithFewVLs(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,torus(3x3))")
	layered, _ := routed(t, n, intersubnet.ISSR, "updn")
	if r := judge(t, layered.Plan); !r.OK || r.VLs != 2 {
		t.Fatalf("%+v", r)
	}
	for i := range n.Kinds[0].Graph.PortVLs {
		n.Kinds[0].Graph.PortVLs[i] = 1
	}
	if r := judge(t, layered.Plan); r.OK || !strings.Contains(fmt.Sprint(r.Faults), "but the link has 1 VLs") {
		t.Errorf("one VL: %+v", r)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISSR}, Local: planner.Request{Chain: chain}})
	if many := (*intersubnet.TooManyLanes)(nil); !errors.As(err, &many) {
		t.Errorf("routing with one VL: %v", err)
	}
}

// Every fault that is put into a proven Plan is told.
func TestJudgeNoticesFaults(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,torus(3x3),shape=chain)")
	fresh := func() *intersubnet.Plan { _, one := routed(t, n, intersubnet.Baseline, "updn"); return one.Plan }
	first := n.Ports[fresh().GatewayPort(0, intersubnet.Address{Subnet: 2})].Router // on the way from the first subnet to the last
	for name, fault := range map[string]func(p *intersubnet.Plan){
		"no gateway":           func(p *intersubnet.Plan) { p.Gateway[0][2] = nil },
		"gateway beyond":       func(p *intersubnet.Plan) { p.Gateway[0][2][0] = int32(len(n.Subnets[0].Ports)) },
		"router without a way": func(p *intersubnet.Plan) { p.Egress[first][2] = intersubnet.Egress{} },
		"router sends back":    func(p *intersubnet.Plan) { p.Egress[first][2].Ports = n.PortsIn(first, 0) },
		"port down":            func(p *intersubnet.Plan) { p.Down[p.Egress[first][2].Ports[0]] = true },
		"pick beyond":          func(p *intersubnet.Plan) { p.Egress[first][2].Pick[0] = 9 },
	} {
		p := fresh()
		if r := judge(t, p); r.Unreachable > 0 || r.Loops > 0 {
			t.Fatalf("fresh: %+v", r)
		}
		p = fresh()
		fault(p)
		r, err := check.Judge(context.Background(), p, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unreachable == 0 || r.OK || len(r.Faults) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "router sends back" && r.Loops == 0 {
			t.Errorf("%s: no loop", name)
		}
	}
}
