package several

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	"weft/route/lids"
	simbetween "weft/sim/between"
	"weft/study/whatif"
)

func betweenToday(t rapid.TB, n *subnets.Network, method intersubnet.Method, engines string, lmc uint8) *Today {
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	req := &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain, Workers: 1, LIDs: lids.Options{LMC: lmc}}}
	today, err := NewToday(context.Background(), n, Options{Request: req, Flows: &simbetween.FlowRequest{Runs: 2, Workers: 1}, Pace: whatif.UsualPace})
	if err != nil {
		t.Fatal(err)
	}
	return today
}

// failed is what is down in a network, by the names that nodes have in it.
type failed struct {
	routers map[int32]bool               // ports
	nodes   map[[2]int]bool              // by subnet and node of its fabric
	links   map[[2]int]bool              // by subnet and link
	of      func(s int32) *fabric.Fabric // of today
	node    func(s int32, guid fabric.GUID) int
}

func newFailed(n *subnets.Network) *failed {
	f := &failed{routers: map[int32]bool{}, nodes: map[[2]int]bool{}, links: map[[2]int]bool{}}
	f.of = func(s int32) *fabric.Fabric { return n.Kinds[n.Subnets[s].Kind].Fabric }
	f.node = func(s int32, guid fabric.GUID) int {
		id, _ := f.of(s).NodeByGUID(guid)
		return int(id)
	}
	return f
}

// cut reports whether a port of a node of a subnet carries nothing: its node, its link or the node
// behind it is down.
func (f *failed) cut(s int32, node int, port uint8) bool {
	from := f.of(s)
	link := from.Nodes[node].Ports[port].Link
	peer := from.Peer(fabric.End{Node: fabric.NodeID(node), Port: port})
	return f.nodes[[2]int{int(s), node}] || f.links[[2]int{int(s), int(link)}] || f.nodes[[2]int{int(s), int(peer.Node)}]
}

// there reports whether an end port of today's network is still there.
func (f *failed) there(n *subnets.Network, at intersubnet.Address) bool {
	g := n.Graph(at.Subnet)
	if g.IsPortZero(at.End) {
		return !f.nodes[[2]int{int(at.Subnet), f.node(at.Subnet, g.SwitchGUID[g.EndSwitch[at.End]])}]
	}
	return !f.cut(at.Subnet, f.node(at.Subnet, g.EndNodeGUID[at.End]), g.EndNum[at.End])
}

// lostPairs counts the pairs of end ports in different subnets that are there, and those of them
// whose path of today crosses what is down.
func (f *failed) lostPairs(p *intersubnet.Plan) (pairs, lost int64) {
	n := p.Net
	var all []intersubnet.Address
	for s := range int32(len(n.Subnets)) {
		for e := range int32(n.Graph(s).NumEnds) {
			if at := (intersubnet.Address{Subnet: s, End: e}); !n.IsRouter(s, e) && f.there(n, at) {
				all = append(all, at)
			}
		}
	}
	for _, from := range all {
		for _, to := range all {
			if from.Subnet == to.Subnet {
				continue
			}
			pairs++
			path, ok := p.Path(from, to, nil)
			for _, h := range path {
				g := n.Graph(h.Subnet)
				if h.Switch >= 0 {
					ok = ok && !f.cut(h.Subnet, f.node(h.Subnet, g.SwitchGUID[h.Switch]), h.Port)
				}
				if h.End >= 0 && n.IsRouter(h.Subnet, h.End) {
					ok = ok && !f.routers[n.Subnets[h.Subnet].PortOf[h.End]] && f.there(n, intersubnet.Address{Subnet: h.Subnet, End: h.End})
				}
			}
			if !ok {
				lost++
			}
		}
	}
	return pairs, lost
}

// hashes reports whether some router hashes: the judge then wants each port that it could take.
func hashes(p *intersubnet.Plan) bool {
	return slices.ContainsFunc(p.Egress, func(of []intersubnet.Egress) bool {
		return slices.ContainsFunc(of, func(e intersubnet.Egress) bool { return e.Pick == nil && len(e.Ports) > 1 })
	})
}

// joined counts the pairs of end ports in different subnets that some way joins: by a search over
// all nodes.
func (f *failed) joined(n *subnets.Network) (pairs int64) {
	lead := map[[2]int][2]int{} // by subnet and node; routers are in subnet -1
	var find func(x [2]int) [2]int
	find = func(x [2]int) [2]int {
		if up, ok := lead[x]; ok && up != x {
			return find(up)
		}
		return x
	}
	for s := range int32(len(n.Subnets)) {
		from, g := f.of(s), n.Graph(s)
		for id := range from.Links {
			a, b := from.Links[id].A, from.Links[id].B
			if f.cut(s, int(a.Node), a.Port) || from.Nodes[a.Node].Type == fabric.Router || from.Nodes[b.Node].Type == fabric.Router {
				continue
			}
			lead[find([2]int{int(s), int(a.Node)})] = find([2]int{int(s), int(b.Node)})
		}
		for _, p := range n.Subnets[s].Ports {
			if end := n.Ports[p].End; !f.routers[p] && f.there(n, intersubnet.Address{Subnet: s, End: end}) {
				lead[find([2]int{-1, int(n.Ports[p].Router)})] = find([2]int{int(s), f.node(s, g.SwitchGUID[g.EndSwitch[end]])})
			}
		}
	}
	size := map[[2]int][]int64{} // by part: end ports of each subnet
	for s := range int32(len(n.Subnets)) {
		g := n.Graph(s)
		for e := range int32(g.NumEnds) {
			if at := (intersubnet.Address{Subnet: s, End: e}); !n.IsRouter(s, e) && f.there(n, at) {
				part := find([2]int{int(s), f.node(s, g.SwitchGUID[g.EndSwitch[e]])})
				if size[part] == nil {
					size[part] = make([]int64, len(n.Subnets))
				}
				size[part][s]++
			}
		}
	}
	for _, of := range size {
		for s, a := range of {
			for t, b := range of {
				if s != t {
					pairs += a * b
				}
			}
		}
	}
	return pairs
}

// drawnNetwork draws a network: of a formula, or of small subnets, some with one host or none, that
// routers join anyhow: two of them the same subnets, one several or one subnet twice, or none.
func drawnNetwork(t *rapid.T) *subnets.Network {
	if rapid.Bool().Draw(t, "formula") {
		return subnetstest.Network(t, rapid.SampledFrom([]string{
			"subnets(3,torus(3x3),shape=chain,routers=2)", "subnets(3,rlft(4,2),routers=3)", "subnets(2,mesh(2x3,hosts=2),core=torus(3x3,hosts=0),routers=2)",
			"subnets(2,mesh(2x2,hosts=1),routers=3,cables=2)", "subnets(mesh(1x2,hosts=1),torus(3x3),routers=2)",
		}).Draw(t, "network"))
	}
	file := &subnets.File{}
	for s := range rapid.IntRange(2, 4).Draw(t, "subnets") {
		one := rapid.SampledFrom([]string{"random(switches=1,hosts=1,links=0,seed=1)", "mesh(1x2,hosts=1)", "torus(3x3,hosts=0)", "rlft(4,2)"}).Draw(t, "fabric")
		file.Subnets = append(file.Subnets, subnets.SubnetLine{Name: fmt.Sprint("s", s), Prefix: subnets.Prefix(s + 1), Fabric: one})
	}
	taken := map[string]uint8{}
	for r := range rapid.IntRange(0, 4).Draw(t, "routers") {
		line := subnets.RouterLine{Name: fmt.Sprint("router ", r), GUID: fabric.GUID(0x0200005200000000 + 0x100*(r+1))}
		for p := range rapid.IntRange(1, 4).Draw(t, "ports") {
			sub := rapid.SampledFrom(file.Subnets).Draw(t, "of subnet")
			o, err := subnetstest.Open(sub.Fabric)
			if err != nil {
				t.Fatal(err)
			}
			at := rapid.SampledFrom(o.Fabric.Compile().SwitchGUID).Draw(t, "switch").String()
			taken[sub.Name+at]++
			line.Ports = append(line.Ports, subnets.PortLine{Number: uint8(p + 1), Subnet: sub.Name, Switch: at, SwitchPort: 30 + taken[sub.Name+at]})
		}
		file.Routers = append(file.Routers, line)
	}
	n, err := file.Build("drawn", subnetstest.Open)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What is lost under the old Plans is what the paths of today lose that cross what has failed; what
// stays without a way is what a search over all nodes does not find. What is drained loses nothing
// until then, and is no more used afterwards.
func TestAsk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawnNetwork(t)
		method := rapid.SampledFrom([]intersubnet.Method{intersubnet.Baseline, intersubnet.ISFR, intersubnet.Nearest}).Draw(t, "method")
		today := betweenToday(t, n, method, "updn", uint8(rapid.IntRange(0, 1).Draw(t, "LMC")))
		down := newFailed(n)
		kind := rapid.SampledFrom([]string{"fail", "fail", "drain"}).Draw(t, "kind")
		var changes []whatif.Change
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			s := int32(rapid.IntRange(0, len(n.Subnets)-1).Draw(t, "subnet"))
			f := down.of(s)
			what := ""
			part := rapid.IntRange(0, 3).Draw(t, "part")
			switch {
			case part < 2 && len(n.Routers) == 0:
				continue
			case part == 0:
				r := rapid.IntRange(0, len(n.Routers)-1).Draw(t, "router")
				what = n.Routers[r].Name
				for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
					down.routers[p] = true
				}
			case part == 1:
				p := int32(rapid.IntRange(0, len(n.Ports)-1).Draw(t, "router port"))
				what = fmt.Sprintf("%s[%d]", n.Routers[n.Ports[p].Router].Name, n.Ports[p].Number)
				down.routers[p] = true
			case part == 2:
				g := n.Graph(s)
				guid := g.SwitchGUID[rapid.IntRange(0, g.NumSwitches-1).Draw(t, "switch")]
				what = fmt.Sprintf("%s: %s", n.Subnets[s].Name, guid)
				down.nodes[[2]int{int(s), down.node(s, guid)}] = true
			case len(f.Links) > 0:
				id := rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")
				if !f.IsSwitchLink(fabric.LinkID(id)) {
					continue
				}
				a := f.Links[id].A
				what = fmt.Sprintf("%s: %s[%d]", n.Subnets[s].Name, f.Nodes[a.Node].GUID, a.Port)
				down.links[[2]int{int(s), id}] = true
			}
			changes = append(changes, whatif.Change{Kind: kind, What: what})
		}
		if len(changes) == 0 {
			return
		}
		a, err := today.Ask(t.Context(), changes)
		if err != nil {
			if strings.Contains(err.Error(), "nothing would change") { // the same part twice
				return
			}
			t.Fatal(changes, err)
		}
		if a.Today.Lost != a.Today.CutOff || a.Today.Inside.Lost != 0 || a.Today.Lost != a.Today.Pairs-newFailed(n).joined(n) {
			t.Fatalf("today: %+v", a.Today)
		}
		if a.AsIs == nil {
			if !strings.Contains(a.Reason, "nothing would be left of subnet") {
				t.Fatal(a.Reason)
			}
			return
		}
		if kind == "drain" {
			if a.AsIs.Lost != a.Today.Lost || a.AsIs.Pairs != a.Today.Pairs || a.AsIs.Inside.Lost != 0 {
				t.Fatalf("%v: while it is drained: %+v", changes, a.AsIs)
			}
			return
		}
		pairs, lost := down.lostPairs(today.now.Plan)
		if a.AsIs.Pairs != pairs || a.AsIs.Lost != lost && !hashes(today.now.Plan) || a.AsIs.Lost < lost {
			t.Fatalf("%v: %d of %d pairs are lost, by the paths of today %d of %d", changes, a.AsIs.Lost, a.AsIs.Pairs, lost, pairs)
		}
		if a.Fresh == nil {
			t.Logf("%v: %s", changes, a.NotFresh)
			return
		}
		joined := down.joined(n)
		if a.Fresh.Pairs != pairs || a.Fresh.CutOff != pairs-joined || a.Fresh.Lost < a.Fresh.CutOff || a.OK && (pairs-joined > a.Today.Lost || len(a.CutOff) > 0) {
			t.Fatalf("%v: %+v; a search finds %d of %d", changes, a.Fresh, joined, pairs)
		}
		if a.Fresh.Inside.CutOff == 0 && a.Fresh.Lost != a.Fresh.CutOff {
			t.Fatalf("%v: %d pairs stay lost, %d are cut off", changes, a.Fresh.Lost, a.Fresh.CutOff)
		}
		if a.Backups != nil && (a.Backups.Lost < a.Fresh.CutOff || a.ToBackup > a.Targets || !a.Backups.DeadlockFree) {
			t.Fatalf("%v: backups: %+v", changes, a.Backups)
		}
	})
}

// A row of a campaign is what the same failure is when it is asked alone.
func TestEachAsAsked(t *testing.T) {
	today := betweenToday(t, subnetstest.Network(t, "subnets(2,rlft(4,2),core=torus(3x3,hosts=0),routers=2)"), intersubnet.Nearest, "updn", 0)
	for _, kind := range Kinds {
		parts, err := CountEach(today.net, kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := today.TryOne(t.Context(), kind); err != nil {
			t.Fatal(err)
		}
		c, err := today.Each(t.Context(), kind)
		if err != nil || len(c.Rows) != parts || !c.Complete {
			t.Fatalf("%s: %d rows of %d, %v", kind, len(c.Rows), parts, err)
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			name := strings.TrimPrefix(r.Part, "router ")
			a, err := today.Ask(t.Context(), []whatif.Change{{Kind: "fail", What: name}})
			if err != nil {
				t.Fatal(err)
			}
			if r.CutOff != len(a.CutOff) || r.AtOnce != a.AsIs.Lost+a.AsIs.Inside.Lost || r.Remaining == nil || r.ForGood != a.Fresh.Lost+a.Fresh.Inside.Lost || r.Remaining.Figures.EBB.Mean != a.Fresh.Bandwidth || *r.Remaining.Writes != *a.Writes {
				t.Errorf("%s: %+v, asked alone %+v", r.Part, r, a)
			}
		}
		var text strings.Builder
		if err := c.Write(&text, 2); err != nil || !strings.Contains(text.String(), "pairs of end ports lost") {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
	if _, err := today.Each(t.Context(), "host"); err == nil {
		t.Error("hosts fail one by one")
	}
}

// A leaf is added and a host moved inside a subnet; all is reached afterwards, and LIDs stay.
func TestGrow(t *testing.T) {
	today := betweenToday(t, subnetstest.Network(t, "subnets(2,rlft(8,2)|radix(14),routers=4)"), intersubnet.ISFR, "ftree", 0)
	for _, c := range []whatif.Change{{Kind: "add", What: "s0: new"}, {Kind: "move", What: "s1: host 1 to leaf 4"}} {
		a, err := today.Ask(t.Context(), []whatif.Change{c})
		if err != nil || !a.OK || a.Writes.MovedLIDs != 0 {
			t.Fatalf("%v: %v, %+v", c, err, a)
		}
		if added := a.Fresh.Pairs - a.Today.Pairs; (c.Kind == "add") != (added == 5*44*2) || a.AsIs.Lost == 0 {
			t.Errorf("%v: %d pairs more, %d lost under the old tables", c, added, a.AsIs.Lost)
		}
	}
}

// What cannot be asked is said before anything is routed.
func TestBadChanges(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,rlft(4,2),routers=1)")
	for _, c := range []struct{ kind, what, want string }{
		{"fail", "s7: leaf 1", `no subnet is called "s7"`},
		{"fail", "links=2,seed=1", "say in which of the subnets"},
		{"add", "rack 9", "say in which of the subnets"},
		{"move", "host 1 to leaf 2", "say in which of the subnets"},
		{"fail", "router 9", "router 9"},
		{"drain", "router 0[9]", "no cabled port 9"},
		{"fail", "s0: leaf 99", "leaf 99"},
	} {
		if err := CheckChanges(n, []whatif.Change{{Kind: c.kind, What: c.what}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s %s: %v, want %q", c.kind, c.what, err, c.want)
		}
	}
	if err := CheckChanges(n, []whatif.Change{{Kind: "fail", What: "router 0"}}); err != nil {
		t.Error(err)
	}
}

// Servers of several ports are lost and degraded inside subnets as in a fabric by itself.
func TestServersBetween(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,rail(2,3,2,spines=2)|radix(12),routers=1)")
	for _, c := range []struct {
		kind, what     string
		lost, degraded []string
	}{
		{"fail", "s0: server=host 3", []string{"s0: host 3"}, nil},
		{"drain", "s1: host 3", []string{"s1: host 3"}, nil},
		{"fail", "s1: pod 0 rail 1", nil, []string{"s1: host 0", "s1: host 1", "s1: host 2"}},
		{"add", "s0: pod 2", nil, nil},
	} {
		changed, err := changeNetwork(n, []whatif.Change{{Kind: c.kind, What: c.what}})
		if err != nil {
			t.Fatal(err)
		}
		l := &changed.lost
		var degraded []string
		for _, d := range l.Degraded {
			degraded = append(degraded, d.Server)
		}
		if len(l.ServersCutOff) > 0 || !slices.Equal(l.ServersLost, c.lost) || !slices.Equal(degraded, c.degraded) {
			t.Errorf("--%s %s: %+v", c.kind, c.what, l)
		}
		if added := len(changed.parts.Added); (c.kind == "add") != (added == 2+3) {
			t.Errorf("--%s %s: %d nodes are added", c.kind, c.what, added)
		}
	}
}
