package whatif

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/tables"
	"weft/internal/dumps"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/foreign"
	"weft/route/lids"
	"weft/route/planfile"
	"weft/sim/flow"
)

// subnet is a fabric with the Plan that it runs.
type subnet struct {
	fabric *fabric.Fabric
	graph  *fabric.Graph
	plan   *route.Plan
	file   []byte // the Plan
	req    planner.Request
	today  *Today
}

// newSubnet routes a fabric by a chain, and gives its ports the LIDs of the Plan, as a dump has
// them.
func newSubnet(t *testing.T, f *fabric.Fabric, engines string, lmc uint8) *subnet {
	t.Helper()
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &subnet{fabric: f.Clone(), req: planner.Request{Chain: chain, Workers: 2, Seed: 1, LIDs: lids.Options{LMC: lmc}}}
	g := f.Compile()
	r, err := planner.Route(t.Context(), g, &s.req)
	if err != nil {
		t.Fatal(err)
	}
	for end := range int32(g.NumEnds) {
		id, _ := f.NodeByGUID(g.EndNodeGUID[end])
		p := &s.fabric.Nodes[id].Ports[g.EndNum[end]]
		p.LID, p.LMC = r.Plan.Ends.Base[end], r.Plan.Ends.LMC[end]
	}
	s.graph, s.plan = s.fabric.Compile(), r.Plan
	var file bytes.Buffer
	if err := planfile.Save(&file, s.graph, s.plan); err != nil {
		t.Fatal(err)
	}
	s.file = file.Bytes()
	if s.today, err = New(t.Context(), s.fabric, s.plan, Options{Request: s.req, Pace: UsualPace}); err != nil {
		t.Fatal(err)
	}
	return s
}

// draw makes a change at random, as a user writes it and as a suffix that the answer is checked by.
func (s *subnet) draw(rng *rand.Rand) Change {
	name := func(id fabric.NodeID) string { return s.fabric.Nodes[id].GUID.String() }
	var links []fabric.LinkID
	var switches, hosts []fabric.NodeID
	for i := range s.fabric.Links {
		if s.fabric.IsSwitchLink(fabric.LinkID(i)) {
			links = append(links, fabric.LinkID(i))
		}
	}
	for i := range s.fabric.Nodes {
		if s.fabric.Nodes[i].Type == fabric.Switch {
			switches = append(switches, fabric.NodeID(i))
		} else {
			hosts = append(hosts, fabric.NodeID(i))
		}
	}
	kind := []string{"fail", "fail", "drain"}[rng.IntN(3)]
	sw := switches[rng.IntN(len(switches))]
	switch rng.IntN(8) {
	case 0, 1:
		return Change{kind, "switch=" + name(sw)}
	case 2, 3:
		l := s.fabric.Links[links[rng.IntN(len(links))]]
		return Change{kind, fmt.Sprintf("link=%s[%d]", name(l.A.Node), l.A.Port)}
	case 4:
		return Change{kind, fmt.Sprintf("links=%d,seed=%d", 1+rng.IntN(4), rng.IntN(100))}
	case 5:
		return Change{"fail", "host=" + name(hosts[rng.IntN(len(hosts))])}
	case 6:
		return Change{"add", fmt.Sprintf("leaf=new %d", rng.IntN(100))}
	}
	return Change{"move", fmt.Sprintf("link=%s,to=%s", name(hosts[rng.IntN(len(hosts))]), name(sw))}
}

// compare asks for a change, and finds every number again by the ways of other commands: the
// changed fabric is made by a suffix, the Plan read from its file, the old tables read as those of
// another subnet manager. It returns false where the change cannot be made.
func (s *subnet) compare(t *testing.T, c Change) bool {
	t.Helper()
	after, err := gen.Apply(s.fabric, c.Kind+"("+c.What+")")
	if err != nil {
		if _, wrong := s.today.Ask(t.Context(), []Change{c}); wrong == nil {
			t.Fatalf("%v is asked, %v", c, err)
		}
		return false
	}
	g := after.Compile()
	a, err := s.today.Ask(t.Context(), []Change{c})
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	if s.plan.Choice.By != route.ListedLIDs { // which no file of tables holds
		s.sameAsTables(t, after, c, a.AsIs)
	}
	gone := 0
	for h := range int32(s.graph.NumHosts) {
		if s.graph.IsHost(h) && g.FindEnd(s.graph.EndNodeGUID[h], s.graph.EndNum[h]) < 0 {
			gone++
		}
	}
	if a.Gone != gone {
		t.Fatalf("%v: %d host ports are gone, %d are said to be", c, gone, a.Gone)
	}
	for _, way := range []struct {
		repair bool
		state  *State
		why    string
	}{{true, a.Repaired, a.NotRepaired}, {false, a.Fresh, a.NotFresh}} {
		kept, err := planner.ReadKept(bytes.NewReader(s.file))
		if err != nil {
			t.Fatal(err)
		}
		req := s.req
		if err := kept.Hold(g, &req); err != nil {
			t.Fatal(err)
		}
		if way.repair {
			req.Kept, req.Chain = kept, nil
		}
		r, err := planner.Route(t.Context(), g, &req)
		if err != nil || way.state == nil {
			if way.state != nil || err == nil || way.why == "" {
				t.Fatalf("%v: repair %v is %+v (%s), from scratch: %v", c, way.repair, way.state, way.why, err)
			}
			continue
		}
		same(t, fmt.Sprintf("%v, repair %v", c, way.repair), g, r.Plan, &req, way.state)
		change := kept.Changes(g, r.Plan)
		if w := way.state.Writes; w.Blocks != change.Blocks || w.Switches != len(change.Switches) || w.MovedLIDs != change.Ports.Moved ||
			w.NewLIDs != change.Ports.New || w.Entries != change.Entries.Moved+change.Entries.New+change.Entries.Gone {
			t.Fatalf("%v, repair %v: to write %+v, from scratch %+v", c, way.repair, w, change)
		}
		if path := !way.repair && s.plan.Choice.By == route.ListedLIDs; way.state.Writes.MovedLIDs != 0 && !path { // a path set may need other LIDs
			t.Fatalf("%v, repair %v: %d LIDs move", c, way.repair, way.state.Writes.MovedLIDs)
		}
	}
	return true
}

// same compares a State with what the judge and the yardstick say of a Plan.
func same(t *testing.T, what string, g *fabric.Graph, plan *route.Plan, req *planner.Request, got *State) {
	t.Helper()
	r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	sameLosses(t, what, g, plan, got)
	h := r.HostPairs
	if got.Pairs != h.Pairs || got.Lost != h.Unreachable+h.Disconnected || got.CutOff != h.Disconnected || got.Proven != r.OK ||
		got.DeadlockFree != r.DeadlockFree || got.VLs != r.VLs || got.Loops != r.Loops || (got.Losing > 0) != (got.Lost > 0) {
		t.Fatalf("%s: %+v, the judge says %+v, OK %v, %v, %d VLs", what, got, h, r.OK, r.DeadlockFree, r.VLs)
	}
	if g.NumHosts < 2 {
		return
	}
	k, err := flow.NewKeyFigures(t.Context(), g, plan, flow.Measure{Seed: req.Seed, Workers: 1})
	if err != nil || *k != *got.Figures {
		t.Fatalf("%s: %+v, the yardstick says %+v, %v", what, got.Figures, k, err)
	}
}

// sameLosses compares the hosts that lose pairs with those that a walk from host to host finds, of
// Plans with one LID a port.
func sameLosses(t *testing.T, what string, g *fabric.Graph, plan *route.Plan, got *State) {
	t.Helper()
	if plan.Ends.MaxLMC() > 0 {
		return
	}
	lost := map[string]int{}
	for a := range int32(g.NumHosts) {
		for b := range int32(g.NumHosts) {
			if lid := plan.Ends.Base[b]; a != b && lid != 0 && plan.Ends.Base[a] != 0 && g.IsHost(a) && g.IsHost(b) && !arrives(g, plan, a, b) {
				lost[g.EndName(a).String()]++
				lost[g.EndName(b).String()]++
			}
		}
	}
	if len(lost) != got.Losing {
		t.Fatalf("%s: %d hosts lose pairs, walks find %d", what, got.Losing, len(lost))
	}
	for i, name := range got.First {
		if lost[name] == 0 || i > 0 && lost[name] > lost[got.First[i-1]] {
			t.Fatalf("%s: %v lose the most, walks find %v", what, got.First, lost)
		}
	}
}

// arrives follows the tables from one host to another.
func arrives(g *fabric.Graph, plan *route.Plan, from, to int32) bool {
	s := g.EndSwitch[from]
	for range g.NumSwitches + 1 {
		c, host := g.At(s, plan.Tables.Port(s, plan.Ends.Base[to]))
		if c < 0 {
			return host == to
		}
		s = g.To[c]
	}
	return false
}

// sameAsTables compares the State under the old tables with that of a file of tables, read for the
// changed fabric. What is drained still carries traffic then.
func (s *subnet) sameAsTables(t *testing.T, after *fabric.Fabric, c Change, got *State) {
	t.Helper()
	if c.Kind == "drain" {
		after = s.fabric
	}
	g := after.Compile()
	var text bytes.Buffer
	if err := tables.WriteOpenSMLFTs(&text, foreign.LFTs(s.graph, s.plan)); err != nil {
		t.Fatal(err)
	}
	lfts, _, err := netfile.ReadLFTs("lfts", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	plan, _, err := (&foreign.Files{LFTs: lfts}).Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	plan.Choice = route.Choice{By: s.plan.Choice.By}
	r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	sameLosses(t, fmt.Sprintf("%v under old tables", c), g, plan, got)
	if h := r.HostPairs; got.Pairs != h.Pairs || got.Lost != h.Unreachable+h.Disconnected || got.CutOff != h.Disconnected || got.Loops != r.Loops {
		t.Fatalf("%v under old tables: %+v, the tables in a file give %+v, %d loops", c, got, h, r.Loops)
	}
	k, err := flow.NewKeyFigures(t.Context(), g, plan, flow.Measure{Seed: s.req.Seed, Workers: 1})
	if err != nil || *k != *got.Figures {
		t.Fatalf("%v under old tables: %+v, the tables in a file give %+v, %v", c, got.Figures, k, err)
	}
}

// TestFromScratch: whatever changes, the numbers are those of whoever routes and judges the
// changed fabric by other means.
func TestFromScratch(t *testing.T) {
	changes := 50
	if testing.Short() {
		changes = 14
	}
	bases := []struct {
		fabric, engines string
		lmc             uint8
	}{
		{"rlft(8,2)|radix(10)", "ftree", 0},
		{"rlft(4,3)|radix(5)", "updn", 0},
		{"torus(4x4,hosts=2)|radix(7)", "dfsssp", 0},
		{"torus(3x3x3,hosts=1)|radix(8)", "nue", 0},
		{"dragonfly(4,2,2)|radix(9)", "minhop", 0},
		{"random(switches=12,hosts=3,links=24,seed=4)", "lash", 0},
		{"rlft(8,2)|aggregation()|radix(10)", "auto", 0},
		{"rlft(4,3)|radix(5)", "ftree", 1},
		{"torus(4x4,hosts=2)|radix(7)", "dfsssp", 2},
		{"irregular(switches=8,degree=4,hosts=16,seed=2)|radix(12)", "separate", 0},
		{"fat648|ports(2)|without(hosts=0-250)", "updn", 0},
	}
	subnets := make([]*subnet, len(bases))
	for i, b := range bases {
		f, err := gen.Parse(b.fabric)
		if err != nil {
			t.Fatal(err)
		}
		subnets[i] = newSubnet(t, f, b.engines, b.lmc)
	}
	for _, c := range []Change{{"add", "leaf=new"}, {"fail", "switch=leaf 0"}, {"fail", "host=host 3"}, {"fail", "switch=spine 0"}, {"drain", "switch=spine 0"}} {
		if !subnets[0].compare(t, c) {
			t.Errorf("%v is not possible", c)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for made := 0; made < changes; {
		s := subnets[rng.IntN(len(subnets))]
		if s.compare(t, s.draw(rng)) {
			made++
		}
	}
}

// TestRealFromScratch does the same with the real clusters of the examples.
func TestRealFromScratch(t *testing.T) {
	subnets, changes := []*subnet{realSubnet(t, "psmn-x5", examples.PSMNX5)}, 2
	if !testing.Short() {
		subnets = append(subnets, realSubnet(t, "swlab", examples.Swlab), realSubnet(t, "sx6036", examples.SX6036))
		changes = 12
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for made := 0; made < changes; {
		s := subnets[made%len(subnets)]
		if s.compare(t, s.draw(rng)) {
			made++
		}
	}
}

// TestDumpsFromScratch does the same with dumps that are no part of the project.
func TestDumpsFromScratch(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	for _, name := range []string{"ndr-sequoia/ibdiagnet2.ibnetdiscover", "ndr-dgx/ibnetdiscover-2025-08-06.txt"} {
		t.Run(name, func(t *testing.T) {
			s := realSubnet(t, name, dumps.Read(t, name))
			rng := rand.New(rand.NewPCG(3, 4))
			for made := 0; made < 4; {
				if s.compare(t, s.draw(rng)) {
					made++
				}
			}
		})
	}
}

func realSubnet(t *testing.T, name string, dump []byte) *subnet {
	t.Helper()
	f, _, err := netfile.Read(name, dump, netfile.Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	return newSubnet(t, f, "auto", 0)
}
