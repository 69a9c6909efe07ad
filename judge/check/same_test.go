package check

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// drawGraph draws a small fabric: several cables between two switches, cables from a
// switch to itself, CAs on two switches, drained switches, and parts apart.
func drawGraph(t *rapid.T) *fabric.Graph {
	f := fabric.New("random")
	var free []fabric.End
	n := rapid.IntRange(1, 6).Draw(t, "switches")
	for s := range n {
		ports := rapid.IntRange(2, 7).Draw(t, "ports")
		id, err := f.AddNode(fabric.Switch, fabric.GUID(100+s), ports, fmt.Sprintf("s%d", s))
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].Drained = rapid.IntRange(0, 9).Draw(t, "drained") == 0
		f.Nodes[id].LinearFDBCap = rapid.SampledFrom([]uint16{0, 0, 0, 0, 49152, 16}).Draw(t, "cap")
		for p := 1; p <= ports; p++ {
			f.Nodes[id].Ports[p].VLCap = rapid.SampledFrom([]uint8{0, 8, 8, 8, 8, 2}).Draw(t, "vls")
			free = append(free, fabric.End{Node: id, Port: uint8(p)})
		}
	}
	take := func() fabric.End {
		i := rapid.IntRange(0, len(free)-1).Draw(t, "port")
		e := free[i]
		free = append(free[:i], free[i+1:]...)
		return e
	}
	connect := func(a, b fabric.End) {
		if _, err := f.Connect(a, b, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	for h := range rapid.IntRange(0, 5).Draw(t, "hosts") {
		id, err := f.AddNode(fabric.CA, fabric.GUID(200+h), 2, fmt.Sprintf("h%d", h))
		if err != nil {
			t.Fatal(err)
		}
		for p := range rapid.IntRange(1, 2).Draw(t, "cabled") {
			if len(free) > 0 {
				connect(fabric.End{Node: id, Port: uint8(p + 1)}, take())
			}
		}
	}
	for range rapid.IntRange(0, 14).Draw(t, "cables") {
		if len(free) >= 2 {
			connect(take(), take())
		}
	}
	return f.Compile()
}

// treeTables fills in shortest ways to every LID, by the first port.
func treeTables(g *fabric.Graph, ends *route.Ends) *route.Tables {
	top := fabric.LID(0)
	for e, b := range ends.Base {
		top = max(top, b+1<<min(ends.LMC[e], 7))
	}
	tables := route.NewTables(g.NumSwitches, top)
	d := newDumb(g, &route.Plan{Ends: *ends})
	for lid, e := range d.owner {
		if lid > tables.Top() {
			continue
		}
		dist := d.dist[g.EndSwitch[e]]
		for s := range int32(g.NumSwitches) {
			if s == g.EndSwitch[e] {
				tables.Set(s, lid, g.EndPort[e])
			}
			for _, c := range g.OutOf(s) {
				if v := g.To[c]; dist[v] >= 0 && dist[v] == dist[s]-1 && (dist[v] == 0 || !g.Drained[v]) {
					tables.Set(s, lid, g.FromPort[c])
					if int(lid)%2 == 0 {
						break
					}
				}
			}
		}
	}
	return tables
}

// drawPlan draws a Plan that is more or less right.
func drawPlan(t *rapid.T, g *fabric.Graph) *route.Plan {
	p := &route.Plan{}
	lmc := rapid.SampledFrom([]uint8{0, 0, 1, 2}).Draw(t, "lmc")
	var err error
	if p.Ends, err = lids.Assign(g, lids.Options{LMC: lmc}); err != nil {
		t.Fatal(err)
	}
	often := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
	some := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	if often("ends") {
		e := some("end", g.NumEnds)
		p.Ends.Base[e] = fabric.LID(rapid.SampledFrom([]int{0, 1, 2, 3, 5, 70, 49150, 60000}).Draw(t, "base"))
		p.Ends.LMC[e] = rapid.SampledFrom([]uint8{0, 1, 3, 7, 9}).Draw(t, "end lmc")
	}
	p.Tables = treeTables(g, &p.Ends)
	for range rapid.IntRange(0, 6).Draw(t, "entries") {
		p.Tables.Set(int32(some("switch", g.NumSwitches)), fabric.LID(rapid.IntRange(0, min(30, int(p.Tables.Top()))).Draw(t, "lid")),
			rapid.SampledFrom([]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 254, 255}).Draw(t, "entry"))
	}
	p.Choice.By = rapid.SampledFrom([]route.ChoiceBy{route.AnyLID, route.AnyLID, route.BaseLID, route.HashedLID}).Draw(t, "choose by")
	if p.Ends.Validate(g) != nil { // then a LID by hash may be nobody's
		p.Choice.By = route.AnyLID
	}
	if often("choice") {
		var rows []route.ChoiceRow
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			rows = append(rows, route.ChoiceRow{Source: int32(some("source", g.NumEnds)), Target: int32(some("target", g.NumEnds+1)), Offset: uint8(some("offset", 4))})
		}
		p.Choice = route.NewChoice(g.NumEnds, rows)
	}
	p.VLs = some("plan vls", 4)
	p.Service = route.Service{Default: uint8(some("default", 3)), ReplySameSL: rapid.Bool().Draw(t, "reply")}
	if !often("no sl") {
		p.SL = drawSLs(t, g, p)
	}
	if !often("no sl2vl") {
		p.SL2VL = drawSL2VL(t, g)
	}
	if often("levels") {
		p.Levels = make([]route.Level, some("more levels", 3)+1)
		for i := range p.Levels {
			for sl := range p.Levels[i].SL {
				p.Levels[i].SL[sl] = uint8(some("level sl", 16))
			}
		}
	}
	if often("arbitration") {
		p.Arbitration = route.EqualArbitration(g, 1+some("turns", 4))
		for i := range p.Arbitration.Pool {
			t := &p.Arbitration.Pool[i]
			t.Limit = []uint8{0, 254, 255}[some("limit", 3)]
			t.High = append(t.High, route.ArbEntry{VL: uint8(some("high", 4)), Weight: uint8(some("weight", 2))})
		}
	}
	if often("ports") {
		p.Ports = route.UsualPorts(g)
		p.Ports.Pool[some("kind of port", 2)].VLs = uint8(some("operational vls", 4))
	}
	return p
}

func drawSLs(t *rapid.T, g *fabric.Graph, p *route.Plan) *route.SLs {
	src, dst := make([]int32, g.NumEnds), make([]int32, int(p.Ends.Top())+1)
	numSrc, numDst := rapid.IntRange(1, 5).Draw(t, "source classes"), rapid.IntRange(1, 5).Draw(t, "classes")
	for i := range src {
		src[i] = int32(i % numSrc)
	}
	for i := range dst {
		dst[i] = int32(i % numDst)
	}
	if rapid.IntRange(0, 5).Draw(t, "class") == 0 {
		src[rapid.IntRange(0, len(src)-1).Draw(t, "source")] = rapid.SampledFrom([]int32{-1, 99}).Draw(t, "source class")
		i := rapid.IntRange(0, len(dst)-1).Draw(t, "destination")
		dst[i] = rapid.SampledFrom([]int32{-1, 99}).Draw(t, "destination class")
		dst = dst[:max(i, len(dst)/2)]
	}
	m := route.NewSLs(src, dst, numSrc, numDst)
	top := rapid.SampledFrom([]int{0, 1, 3, 15}).Draw(t, "top sl")
	for s := range int32(numSrc) {
		for d := range int32(numDst) {
			m.Set(s, d, uint8(rapid.IntRange(0, top).Draw(t, "sl")))
		}
	}
	return m
}

func drawSL2VL(t *rapid.T, g *fabric.Graph) *route.SL2VL {
	m := route.UniformVL(g, route.VLTable{})
	top := rapid.SampledFrom([]uint8{0, 1, 3, 14, 15}).Draw(t, "top vl")
	n := rapid.IntRange(1, 3).Draw(t, "tables")
	m.Pool = make([]route.VLTable, n)
	for i := range m.Pool {
		for sl := range m.Pool[i] {
			m.Pool[i][sl] = uint8(rapid.IntRange(0, int(top)).Draw(t, "vl"))
		}
	}
	index := func(count int) []uint16 {
		list := make([]uint16, count)
		for i := range list {
			list[i] = uint16(rapid.IntRange(0, n-1).Draw(t, "table"))
		}
		return list
	}
	copy(m.Host, index(g.NumHosts))
	kinds := rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "kinds")
	for s := range m.Switch {
		ports := int(g.SwitchPorts[s]) + 1
		switch by := route.SL2VLBy(rapid.IntRange(0, kinds-1).Draw(t, "by")); by {
		case route.ByNothing:
			m.Switch[s].Index = index(1)
		case route.ByOut:
			m.Switch[s] = route.SwitchSL2VL{By: by, Index: index(ports)}
		case route.ByInOut:
			m.Switch[s] = route.SwitchSL2VL{By: by, Index: index(ports * ports)}
		}
	}
	return m
}

// figures takes out of a Report what the dumb judge finds too.
func figures(r *Report) *dumbReport {
	f := &dumbReport{Reachability: r.Reachability, VLs: r.VLs, ChannelVLs: r.ChannelVLs, Deliveries: r.Deliveries, Faults: map[Kind][2]int64{}}
	for i, v := range byTraffic(r) {
		f.Edges[i], f.Free[i], f.CycleLen[i] = int(v.Edges), v.DeadlockFree, len(v.Cycle)
	}
	for _, list := range [][]Finding{r.Faults, r.Warnings} {
		for _, x := range list {
			f.Faults[x.Kind] = [2]int64{x.Count, x.Pairs}
		}
	}
	return f
}

func byTraffic(r *Report) [4]*Verdict {
	return [4]*Verdict{assigned: &r.Assigned, hostOnly: &r.HostOnly, anyDLID: &r.AnyDLID, noRecord: &r.NoPathRecord}
}

// The judge and the dumb judge find the same in any Plan, on any number of workers,
// and the packets named on a cycle do what is said of them.
func TestSameAsDumbJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		p := drawPlan(t, g)
		var reports [3]string
		for i, workers := range []int{1, 2, 7} {
			r, err := Judge(context.Background(), g, p, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			reports[i] = string(text)
			if reports[i] != reports[0] {
				t.Fatalf("%d workers: %s", workers, cmp.Diff(reports[0], reports[i]))
			}
			if i > 0 {
				continue
			}
			d := newDumb(g, p)
			want, deps := d.judge()
			if diff := cmp.Diff(want, figures(r)); diff != "" {
				t.Fatalf("dumb judge -, judge +\n%s", diff)
			}
			for traffic, v := range byTraffic(r) {
				checkCycle(t, d, v, deps[traffic], traffic)
			}
			_, nameless := want.Faults[NoLID]
			if ok := len(r.Faults) == 0 && want.Free[assigned] == Yes && !nameless; r.OK != ok {
				t.Fatalf("ok %v with %v", r.OK, r.Faults)
			}
		}
	})
}

func checkCycle(t *rapid.T, d *dumb, v *Verdict, deps map[dumbDep]bool, traffic int) {
	for i, h := range v.Cycle {
		next := v.Cycle[(i+1)%len(v.Cycle)]
		dep := dumbDep{dumbNode{h.Channel, h.VL}, dumbNode{next.Channel, next.VL}}
		if !deps[dep] {
			t.Fatalf("%+v is no dependency", dep)
		}
		src := int32(-1)
		for e := range int32(d.g.NumEnds) {
			if d.g.EndName(e) == h.Source {
				src = e
			}
		}
		if src < 0 || !d.sls(src, h.LID, traffic)[h.SL] {
			t.Fatalf("%+v is no packet", h)
		}
		made, _, _, _, _ := d.packet(src, h.LID, h.SL)
		found := false
		for _, m := range made {
			found = found || m == dep
		}
		if !found {
			t.Fatalf("%+v does not do so", h)
		}
	}
}
