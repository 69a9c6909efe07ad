package check

import (
	"context"
	"errors"
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
)

// corruption is one fault and what the judge must say of it.
type corruption struct {
	name string
	of   func(*testing.T) good
	do   func(g *fabric.Graph, p *route.Plan)
	want func(r *Report) bool
}

func finds(k Kind) func(*Report) bool {
	return func(r *Report) bool { return !r.OK && r.Find(k) != nil && len(r.Find(k).Examples) > 0 }
}

func losesBy(k Kind) func(*Report) bool {
	return func(r *Report) bool { return finds(k)(r) && r.Unreachable > 0 && r.Find(k).Pairs > 0 }
}

func warns(k Kind) func(*Report) bool {
	return func(r *Report) bool { return r.OK && r.Find(k) != nil && len(r.Find(k).Examples) > 0 }
}

func cyclic(r *Report) bool { return !r.OK && r.DeadlockFree == No && len(r.Cycle) > 1 }

func lidOfHost(p *route.Plan, h int32) fabric.LID { return p.Ends.Base[h] }

// away is a switch next to that of a host.
func away(g *fabric.Graph, h int32) int32 {
	for _, c := range g.OutOf(g.EndSwitch[h]) {
		return g.To[c]
	}
	panic("a switch without links")
}

var corruptions = []corruption{
	{"no entry", tree, func(g *fabric.Graph, p *route.Plan) { p.Tables.Set(away(g, 0), lidOfHost(p, 0), route.NoPort) }, losesBy(NoEntry)},
	{"port 254", tree, func(g *fabric.Graph, p *route.Plan) { p.Tables.Set(away(g, 0), lidOfHost(p, 0), 254) }, losesBy(DeadPort)},
	{"port without a cable", tree, func(g *fabric.Graph, p *route.Plan) {
		// The judge sees a fabric in which one cable is gone.
		c := g.OutOf(0)[0]
		g.Attached = slices.Clone(g.Attached)
		g.Attached[g.PortStart[0]+int32(g.FromPort[c])] = fabric.Nothing
	}, losesBy(DeadPort)},
	{"port 0 of a switch on the way", tree, func(g *fabric.Graph, p *route.Plan) { p.Tables.Set(away(g, 0), lidOfHost(p, 0), 0) }, losesBy(WrongEnd)},
	{"another host", tree, func(g *fabric.Graph, p *route.Plan) {
		s := g.EndSwitch[0]
		p.Tables.Set(s, lidOfHost(p, 0), g.EndPort[g.HostsOf(s)[1]])
	}, losesBy(WrongEnd)},
	{"two switches send to each other", tree, func(g *fabric.Graph, p *route.Plan) {
		c := g.OutOf(away(g, 0))[0]
		p.Tables.Set(g.From[c], lidOfHost(p, 7), g.FromPort[c])
		p.Tables.Set(g.To[c], lidOfHost(p, 7), g.ToPort[c])
	}, func(r *Report) bool { return losesBy(Loop)(r) && r.Loops == 1 }},
	{"a loop is a cycle", torus, func(g *fabric.Graph, p *route.Plan) {
		p.Tables.Set(g.From[0], lidOfHost(p, 20), g.FromPort[0])
		p.Tables.Set(g.To[0], lidOfHost(p, 20), g.ToPort[0])
	}, cyclic},
	{"no way back", tree, func(g *fabric.Graph, p *route.Plan) {
		for k := range p.Ends.Count(0) {
			p.Tables.Set(away(g, 0), lidOfHost(p, 0)+fabric.LID(k), route.NoPort)
		}
	}, func(r *Report) bool { return finds(OneWayPair)(r) && r.OneWay > 0 }},
	{"LID beyond the table", tree, func(g *fabric.Graph, p *route.Plan) { g.SwitchFDBCap[1] = int32(lidOfHost(p, 5)) }, losesBy(BeyondTable)},
	{"transit through a drained switch", tree, func(g *fabric.Graph, p *route.Plan) { g.Drained[away(g, 0)] = true }, warns(DrainedUsed)},
	{"entry for a LID of nobody", tree, func(g *fabric.Graph, p *route.Plan) { p.Tables.Set(0, p.Tables.Top(), 1) }, warns(StaleEntry)},

	{"offset beyond the LMC", tree, func(g *fabric.Graph, p *route.Plan) { p.Choice.Offset[0] = 2 }, finds(BadChoice)},
	{"target that does not exist", tree, func(g *fabric.Graph, p *route.Plan) { p.Choice.Target[0] = int32(g.NumEnds) }, finds(BadChoice)},
	{"target without a LID", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.Base[3] = 0 }, finds(BadChoice)},
	{"another LID", lineAndRing, func(g *fabric.Graph, p *route.Plan) {
		var rows []route.ChoiceRow
		for h := range int32(5) {
			rows = append(rows, route.ChoiceRow{Source: h, Target: (h + 3) % 5, Offset: 1})
		}
		p.Choice = route.NewChoice(g.NumEnds, rows)
	}, cyclic},
	{"LIDs unclear", tree, func(_ *fabric.Graph, p *route.Plan) { p.Unclear = []route.Remark{{LID: 5, Text: "may be anybody's"}} }, func(r *Report) bool {
		return finds(Unclear)(r) && len(r.Faults) == 0
	}},
	{"every LID", lineAndRing, func(g *fabric.Graph, p *route.Plan) { p.Choice = route.Choice{} }, cyclic},

	{"SL 0 for all", torus, func(g *fabric.Graph, p *route.Plan) { clear(p.SL.Cells) }, cyclic},
	{"replies on the SL of the request", halves, func(g *fabric.Graph, p *route.Plan) { p.Service.ReplySameSL = true }, cyclic},
	{"source class out of range", torus, func(g *fabric.Graph, p *route.Plan) {
		p.SL.Src = slices.Clone(p.SL.Src)
		p.SL.Src[2] = int32(p.SL.NumSrc)
	}, finds(NoSL)},
	{"destination class out of range", torus, func(g *fabric.Graph, p *route.Plan) { p.SL.Dst[p.Ends.Base[2]] = int32(p.SL.NumDst) }, finds(NoSL)},
	{"destination without a class", torus, func(g *fabric.Graph, p *route.Plan) { p.SL.Dst[p.Ends.Base[2]] = -1 }, finds(NoSL)},
	{"source without a class, lanes unknown", torus, func(g *fabric.Graph, p *route.Plan) {
		p.SL.Src = slices.Clone(p.SL.Src)
		p.SL.Src[1], p.SL2VL = -1, nil
	}, finds(NoSL)},
	{"classes that end too early", torus, func(g *fabric.Graph, p *route.Plan) { p.SL.Dst = p.SL.Dst[:len(p.SL.Dst)-1] }, finds(NoSL)},
	{
		"no SLs", torus, func(g *fabric.Graph, p *route.Plan) { p.SL = nil },
		func(r *Report) bool {
			return !r.OK && r.DeadlockFree == Unknown && r.Assigned.OneLane && len(r.Cycle) > 1
		},
	},
	{
		"no SL2VL", torus, func(g *fabric.Graph, p *route.Plan) { p.SL2VL = nil },
		func(r *Report) bool { return !r.OK && r.DeadlockFree == Unknown && len(r.Cycle) > 1 },
	},
	{
		"no lanes, but none needed", tree, func(g *fabric.Graph, p *route.Plan) { p.SL, p.SL2VL = nil, nil },
		func(r *Report) bool { return r.OK && r.DeadlockFree == Yes && r.Assigned.OneLane },
	},

	{"no turn for a VL", torus, func(g *fabric.Graph, p *route.Plan) { p.Arbitration = route.EqualArbitration(g, 1) }, finds(NoWeight)},
	{"no turn at a host", tree, func(_ *fabric.Graph, p *route.Plan) {
		p.Arbitration.Pool = append(p.Arbitration.Pool, route.ArbTable{Low: []route.ArbEntry{{VL: 1, Weight: 9}, {VL: 0}}})
		p.Arbitration.Host[2] = uint16(len(p.Arbitration.Pool) - 1)
	}, func(r *Report) bool { return finds(NoWeight)(r) && r.Find(NoWeight).Count == 1 }},
	{"a VL of low priority behind others without end", torus, func(_ *fabric.Graph, p *route.Plan) {
		for i := range p.Arbitration.Pool {
			p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Limit = []route.ArbEntry{{VL: 1, Weight: 1}}, 255
		}
	}, finds(Starved)},
	{"high priority with a limit", torus, func(_ *fabric.Graph, p *route.Plan) {
		for i := range p.Arbitration.Pool {
			p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Limit = []route.ArbEntry{{VL: 1, Weight: 1}}, 254
		}
	}, func(r *Report) bool { return r.OK }},
	{"high priority for what nobody sends on", tree, func(_ *fabric.Graph, p *route.Plan) {
		for i := range p.Arbitration.Pool {
			p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Limit = []route.ArbEntry{{VL: 1, Weight: 1}}, 255
		}
	}, func(r *Report) bool { return r.OK }},
	{"fewer operational VLs", torus, func(_ *fabric.Graph, p *route.Plan) { p.Ports.Pool[0].VLs = 1 }, finds(VLBeyondPort)},
	{"host's VL beyond the link's", tree, func(g *fabric.Graph, p *route.Plan) { p.SL2VL.Host[3] = p.SL2VL.Intern(route.VLTable{4}) }, finds(VLBeyondPort)},
	{"host's VL 15", tree, func(g *fabric.Graph, p *route.Plan) { p.SL2VL.Host[3] = p.SL2VL.Intern(route.VLTable{15}) }, discards},
	{"switch's VL beyond the link's", tree, func(g *fabric.Graph, p *route.Plan) {
		p.SL2VL.Switch[2].Index = []uint16{p.SL2VL.Intern(route.VLTable{4})}
	}, finds(VLBeyondPort)},
	{"switch's VL 15", tree, func(g *fabric.Graph, p *route.Plan) {
		p.SL2VL.Switch[2].Index = []uint16{p.SL2VL.Intern(route.VLTable{15})}
	}, discards},
	{"VL beyond the link's by output", tree, func(g *fabric.Graph, p *route.Plan) { byOut(g, p, 4) }, finds(VLBeyondPort)},
	{"VL 15 by output", tree, func(g *fabric.Graph, p *route.Plan) { byOut(g, p, 15) }, discards},
	{"VL beyond the link's by input and output", tree, func(g *fabric.Graph, p *route.Plan) { byInOut(g, p, 4) }, finds(VLBeyondPort)},
	{"VL 15 by input and output", tree, func(g *fabric.Graph, p *route.Plan) { byInOut(g, p, 15) }, discards},
	{"one lane in all switches", torus, func(g *fabric.Graph, p *route.Plan) {
		p.SL2VL.Switch = route.UniformVL(g, route.VLTable{}).Switch
		p.SL2VL.Pool[0] = route.VLTable{}
	}, cyclic},
	{"more VLs than the plan says", torus, func(g *fabric.Graph, p *route.Plan) { p.VLs = 1 }, warns(VLBeyondPlan)},

	{"one LID twice", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.Base[4] = p.Ends.Base[5] }, finds(Names)},
	{"unaligned LID", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.Base[4]++ }, finds(Names)},
	{"LID out of range", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.Base[4] = 0xC000 }, finds(Names)},
	{"LMC out of range", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.LMC[4] = 8 }, finds(Names)},
	{"two hosts with each other's LID", tree, func(g *fabric.Graph, p *route.Plan) {
		b := p.Ends.Base
		b[4], b[5] = b[5], b[4]
	}, losesBy(WrongEnd)},
	{"larger LMC", torus, func(g *fabric.Graph, p *route.Plan) { p.Ends.LMC[g.NumEnds-1] = 2; p.Ends.Base[g.NumEnds-1] = 100 }, losesBy(NoEntry)},
	{"smaller LMC", tree, func(g *fabric.Graph, p *route.Plan) { p.Ends.LMC[4] = 0 }, warns(StaleEntry)},
	{"no LID", torus, func(g *fabric.Graph, p *route.Plan) { p.Ends.Base[4] = 0 }, func(r *Report) bool { return !r.OK && r.Find(NoLID) != nil }},

	{
		"default SL on the wrong lane", torus, func(g *fabric.Graph, p *route.Plan) { p.Service.Default = 0 },
		func(r *Report) bool {
			return r.OK && r.NoPathRecord.DeadlockFree == No && len(r.NoPathRecord.Cycle) > 1
		},
	},
	{
		"LIDs that nobody should use", lineAndRing, func(g *fabric.Graph, p *route.Plan) {},
		func(r *Report) bool { return r.OK && r.AnyDLID.DeadlockFree == No && r.HostOnly.DeadlockFree == Yes },
	},
}

func discards(r *Report) bool {
	return finds(DiscardVL)(r) && r.Discarded > 0 && r.Find(DiscardVL).Pairs == r.Discarded
}

// byOut gives one port towards a neighbour a table of its own.
func byOut(g *fabric.Graph, p *route.Plan, vl uint8) {
	c := g.OutOf(g.EndSwitch[0])[0]
	index := make([]uint16, g.SwitchPorts[g.From[c]]+1)
	index[g.FromPort[c]] = p.SL2VL.Intern(route.VLTable{vl})
	p.SL2VL.Switch[g.From[c]] = route.SwitchSL2VL{By: route.ByOut, Index: index}
}

// byInOut does so for what comes in from one host.
func byInOut(g *fabric.Graph, p *route.Plan, vl uint8) {
	ports := g.SwitchPorts[g.EndSwitch[0]] + 1
	index := make([]uint16, ports*ports)
	bad := p.SL2VL.Intern(route.VLTable{vl})
	for out := range ports {
		index[int32(g.EndPort[0])*ports+out] = bad
	}
	p.SL2VL.Switch[g.EndSwitch[0]] = route.SwitchSL2VL{By: route.ByInOut, Index: index}
}

func TestFindsCorruptions(t *testing.T) {
	for _, c := range corruptions {
		t.Run(c.name, func(t *testing.T) {
			x := c.of(t)
			if r := judged(t, x); !r.OK || r.DeadlockFree != Yes {
				t.Fatalf("the plan to corrupt is not good: %v %v", r.DeadlockFree, r.Faults)
			}
			c.do(x.g, x.p)
			if r := judged(t, x); !c.want(r) {
				t.Errorf("not found; faults %v, warnings %v, answers %v %v %v %v, unreachable %d",
					r.Faults, r.Warnings, r.Assigned.DeadlockFree, r.HostOnly.DeadlockFree,
					r.AnyDLID.DeadlockFree, r.NoPathRecord.DeadlockFree, r.Unreachable)
			}
		})
	}
}

func judged(t *testing.T, x good) *Report {
	t.Helper()
	r, err := Judge(context.Background(), x.g, x.p, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// On a ring routed by dor one flipped SL is enough for a cycle, and every flip is
// judged as the dumb judge does.
func TestFindsFlippedSL(t *testing.T) {
	g, p := plan(t, "torus(7,hosts=1)", "dor", 0, nil)
	closed := 0
	for s := range int32(p.SL.NumSrc) {
		for d := range int32(p.SL.NumDst) {
			old := p.SL.ByClass(s, d)
			p.SL.Set(s, d, old^1)
			r := judged(t, good{g, p})
			if want, _ := newDumb(g, p).judge(); r.DeadlockFree != want.Free[assigned] {
				t.Fatalf("class %d to %d: %v, dumb judge %v", s, d, r.DeadlockFree, want.Free[assigned])
			}
			if cyclic(r) {
				closed++
			}
			p.SL.Set(s, d, old)
		}
	}
	if closed == 0 {
		t.Error("no flip closes a cycle")
	}
}

// toInOut writes tables by output port as tables by input and output port.
func toInOut(g *fabric.Graph, m *route.SL2VL) {
	for s := range m.Switch {
		old := m.Switch[s].Index
		ports := int(g.SwitchPorts[s]) + 1
		index := make([]uint16, 0, ports*ports)
		for range ports {
			index = append(index, old...)
		}
		m.Switch[s] = route.SwitchSL2VL{By: route.ByInOut, Index: index}
	}
}

// A table that forgets the dateline closes a cycle, and every change of one is
// judged as the dumb judge does, by output as by input and output port.
func TestFindsForgottenDateline(t *testing.T) {
	for _, inOut := range []bool{false, true} {
		x := dateline(t)
		g, p := x.g, x.p
		if inOut {
			toInOut(g, p.SL2VL)
		}
		if r := judged(t, good{g, p}); r.DeadlockFree != Yes || r.VLs != 2 || !r.OK {
			t.Fatal("the plan to corrupt is not good:", r.DeadlockFree, r.VLs)
		}
		closed := 0
		try := func() {
			r := judged(t, good{g, p})
			if want, _ := newDumb(g, p).judge(); r.DeadlockFree != want.Free[assigned] || int(r.Assigned.Edges) != want.Edges[assigned] {
				t.Fatalf("%v, dumb judge %v", r.DeadlockFree, want.Free[assigned])
			}
			if cyclic(r) {
				closed++
			}
		}
		for s := range p.SL2VL.Switch {
			index := p.SL2VL.Switch[s].Index
			for i := range index {
				index[i] ^= 1
				try()
				index[i] ^= 1
			}
		}
		if closed == 0 {
			t.Errorf("by input %v: no table closes a cycle", inOut)
		}
	}
}

func TestRefusesOtherShapes(t *testing.T) {
	for part, do := range map[string]func(g *fabric.Graph, p *route.Plan){
		"ends":        func(_ *fabric.Graph, p *route.Plan) { p.Ends.LMC = p.Ends.LMC[1:] },
		"tables":      func(_ *fabric.Graph, p *route.Plan) { p.Tables = route.NewTables(3, 100) },
		"choice":      func(_ *fabric.Graph, p *route.Plan) { p.Choice.Start[1] = 9000 },
		"sl":          func(_ *fabric.Graph, p *route.Plan) { p.SL.NumDst = 1 << 40 },
		"sl2vl":       func(_ *fabric.Graph, p *route.Plan) { p.SL2VL.Switch[1].Index = []uint16{77} },
		"arbitration": func(_ *fabric.Graph, p *route.Plan) { p.Arbitration.Host[0] = 9 },
		"ports":       func(_ *fabric.Graph, p *route.Plan) { p.Ports.Switch = p.Ports.Switch[1:] },
		"service":     func(_ *fabric.Graph, p *route.Plan) { p.Service.Default = 16 },
	} {
		x := tree(t)
		do(x.g, x.p)
		_, err := Judge(context.Background(), x.g, x.p, Options{})
		var shape *ShapeError
		if !errors.As(err, &shape) || shape.Part != part {
			t.Errorf("%s: %v", part, err)
		}
	}
}

// FuzzJudge throws Plans of any shape at the judge: it answers or refuses them.
func FuzzJudge(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	graphs := []*fabric.Graph{{OutStart: []int32{0}, EndsStart: []int32{0}}}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for range 20 {
			g, p := wild(t, seed, graphs)
			seed = seed*6364136223846793005 + 1
			_, err := Judge(context.Background(), g, p, Options{Workers: int(seed % 3)})
			var shape *ShapeError
			if err != nil && !errors.As(err, &shape) {
				t.Fatal(err)
			}
		}
	})
}
