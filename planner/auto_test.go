package planner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/sim/flow"
)

// Auto's Plan is that of the engine which it names, proven, the same on any number of workers,
// and no engine that it tried is better in every figure.
func TestAuto(t *testing.T) {
	for i, formula := range []string{
		"rlft(8,2)", "rlft(8,3)|fail(links=20,seed=1)", "torus(5x4,hosts=2)", "mesh(4x3,hosts=2)", "dragonfly(4,2,2)", "hyperx(4x3,hosts=2)",
		"kautz(2,3,hosts=24)", "hypercube(4,hosts=1)", "random(switches=20,hosts=40,links=40,seed=3)", "now-c",
	} {
		g := graph(t, formula)
		req := &Request{Chain: chain(t, engine.Auto), Workers: 1, NoPathRecords: i%2 == 0, Seed: 7}
		r, err := Run(context.Background(), g, req)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Report.OK || req.NoPathRecords && r.Report.NoPathRecord.DeadlockFree != check.Yes {
			t.Fatalf("%s: %s is not fit to be chosen", formula, r.Engine.Name)
		}
		if chain(t, r.Choice.Engine)[0].Engine.Name != r.Engine.Name || !strings.Contains(r.Choice.String(), r.Engine.Name) {
			t.Errorf("%s: %s: %s", formula, r.Engine.Name, r.Choice)
		}
		named, err := Route(context.Background(), g, &Request{Chain: chain(t, r.Choice.Engine), Seed: 7})
		r.Plan.Recipe.Asked = nil // the chain of this job, auto
		if err != nil || !reflect.DeepEqual(blocks(named.Plan), blocks(r.Plan)) || !reflect.DeepEqual(named.Plan.Recipe, r.Plan.Recipe) {
			t.Errorf("%s: not the Plan of %s: %v", formula, r.Engine.Name, err)
		}
		best := r.Choice.trial(r.Choice.Engine)
		for _, other := range r.Choice.Trials {
			if o, b := other.Figures, best.Figures; o != nil && b != nil && o.EBB.Mean*(1-asGood) > b.EBB.Mean && o.Shift.Sum < b.Shift.Sum && o.PairLoad <= b.PairLoad {
				t.Errorf("%s: %s beats %s", formula, other.Engine, r.Choice)
			}
		}
		req.Workers = 4
		again, err := Run(context.Background(), g, req)
		if err != nil || !reflect.DeepEqual(again.Choice, r.Choice) {
			t.Errorf("%s: on 4 workers: %v, %s, not %s", formula, err, again.Choice, r.Choice)
		}
	}
}

// blocks lists the entries of a Plan.
func blocks(p *route.Plan) (list []route.Block) {
	for s := range int32(p.Tables.NumSwitches()) {
		for i := range p.Tables.NumBlocks() {
			list = append(list, *p.Tables.Block(s, i))
		}
	}
	return list
}

// The order in which trials are given and the number of lanes decide between equals alone.
func TestRank(t *testing.T) {
	trial := func(engine string, ebb, shift float64, load int64, lanes int) Trial {
		k := &flow.KeyFigures{PairLoad: load}
		k.EBB.Mean, k.Shift.Sum = ebb, shift
		return Trial{Engine: engine, VLs: lanes, Figures: k}
	}
	for _, c := range []struct {
		trials []Trial
		want   string
	}{
		{[]Trial{trial("a", .7, 100, 10, 1), trial("b", .8, 100, 10, 1)}, "b a"},
		{[]Trial{trial("a", .7, 100, 10, 1), trial("b", .7, 90, 10, 1)}, "b a"},
		{[]Trial{trial("a", .7, 100, 10, 2), trial("b", .7, 100, 10, 1), trial("c", .7, 100, 10, 1)}, "b c"},
		{[]Trial{trial("a", .700, 100, 10, 2), trial("b", .699, 100, 10, 1)}, "b a"},
		{[]Trial{trial("a", .7, 100, 11, 1), trial("b", .7, 100, 10, 1)}, "a b"}, // within 1.15
		{[]Trial{trial("a", .7, 100, 30, 1), trial("b", .7, 100, 10, 1)}, "b a"},
		{[]Trial{trial("a", .7, 101.2, 10, 1), trial("b", .6965, 100, 10, 3)}, "b a"},                         // a is behind by more than 1 % in shifts
		{[]Trial{trial("a", .7, 100, 12, 1), trial("b", .7, 100, 10, 2)}, "b a"},                              // a is beyond 1.15
		{[]Trial{trial("a", .7, 110, 10, 1), trial("b", .65, 100, 10, 1), trial("c", .7, 109, 10, 2)}, "a c"}, // none holds both: by loss, where bandwidth weighs more
		{[]Trial{trial("a", .7, 130, 10, 1), trial("b", .69, 100, 10, 1), trial("c", .71, 120, 10, 2)}, "c b"},
		{[]Trial{{Engine: "x", Reason: "refused"}, trial("a", .7, 100, 30, 1)}, "a"},
		{[]Trial{{Engine: "x", Reason: "refused"}}, ""},
	} {
		best, next := Rank(c.trials)
		var got []string
		for _, t := range []*Trial{best, next} {
			if t != nil {
				got = append(got, t.Engine)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}

// Plans that relief moved and engines for small networks do not give up what plain engines deliver,
// however much they gain in the other figure. Where no trial comes up to the plain ones, losses
// decide.
func TestRankPlain(t *testing.T) {
	trial := func(engine string, ebb, shift float64) Trial {
		k := &flow.KeyFigures{PairLoad: 10}
		k.EBB.Mean, k.Shift.Sum = ebb, shift
		return Trial{Engine: engine, VLs: 1, Figures: k, moved: engine == "m" || engine == "n", small: engine == "s"}
	}
	for _, c := range []struct {
		trials []Trial
		want   string
	}{
		{[]Trial{trial("a", .7, 100), trial("m", .692, 60)}, "a m"},
		{[]Trial{trial("a", .7, 100), trial("s", .692, 60)}, "a s"},
		{[]Trial{trial("a", .7, 100), trial("b", .692, 60)}, "b a"},                       // none holds both
		{[]Trial{trial("a", .7, 100), trial("m", .694, 90)}, "m a"},                       // holds both, and more
		{[]Trial{trial("a", .7, 100), trial("b", .692, 60), trial("m", .694, 60)}, "m b"}, // that one does
		{[]Trial{trial("a", .7, 100), trial("m", .694, 90), trial("n", .706, 80)}, "n m"},
		{[]Trial{trial("m", .7, 100), trial("n", .69, 60)}, "n m"}, // no plain one
	} {
		best, next := Rank(c.trials)
		if got := best.Engine + " " + next.Engine; got != c.want {
			t.Errorf("%+v: %s, want %s", c.trials, got, c.want)
		}
	}
}

// A named engine that refuses is not replaced: the refusal says what to use instead, on each kind
// of network. Auto refuses with the reasons of all.
func TestAdvice(t *testing.T) {
	for _, c := range []struct{ formula, engine, want string }{
		{"rlft(4,2)", "dor", "use ftree, known"},
		{"torus(5x5,hosts=1)", "ftree", "use dor or torus, known"},
		{"dragonfly(4,2,2)", "torus", "use dfsssp or nue, known"},
		{"hyperx(4x4,hosts=4)", "torus", "use hyperx, known"},
		{"mesh(4x4,hosts=1)|fail(links=1,seed=1)", "dor", "use auto"},
	} {
		r, err := Run(context.Background(), graph(t, c.formula), &Request{Chain: chain(t, c.engine)})
		refusal, ok := errors.AsType[*route.Refusal](err)
		if !ok || r.Plan != nil || !strings.Contains(refusal.Advice, c.want) {
			t.Errorf("%s on %s: %v", c.engine, c.formula, err)
		}
	}
	g := graph(t, "rlft(4,2)")
	g.SwitchFDBCap[0] = 3
	_, err := Run(context.Background(), g, &Request{Chain: chain(t, engine.Auto), LIDs: lids.Options{LMC: 1}})
	if refusal, ok := errors.AsType[*route.Refusal](err); !ok || refusal.Engine != engine.Auto || !strings.Contains(refusal.Advice, "lower the LMC") || strings.Count(refusal.Reason, "beyond the forwarding table") != 1 {
		t.Errorf("no engine: %v", err)
	}
	g = graph(t, "rlft(8,2)")
	g.Drained[g.NumSwitches-1] = true
	if r, err := Run(context.Background(), g, &Request{Chain: chain(t, engine.Auto)}); err != nil || len(r.Choice.Trials) < 2 || len(r.Report.Warnings) != 0 {
		t.Errorf("a tree with a drained switch is whole: %v", err)
	}
}

// Plans of engines that are known to fall behind say so; the best ones and Auto do not.
func TestKnownAhead(t *testing.T) {
	for _, c := range []struct{ formula, engine, want string }{
		{"rlft(4,2)", "updn", "ftree is known to deliver as much or more on fat-trees"},
		{"rlft(4,2)", "ftree", ""},
		{"rlft(4,2)|fail(links=1,seed=1)", engine.Auto, ""},
		{"rlft(4,2,hosts=1)", "updn", ""},                              // no traffic
		{"mesh(5x1,hosts=2)", "updn", ""},                              // one path
		{"fullmesh(1,hosts=4)", "updn", ""},                            // one switch
		{"rlft(4,2)|fail(share=1)", "updn", ""},                        // parts of one switch
		{"mesh(2x1,hosts=2,width=2)", "updn", "dor or torus is known"}, // parallel links
		{"torus(5x5,hosts=1)", "updn", "dor or torus is known"},
		{"torus(5x5,hosts=1)", "torus", ""},
		{"dragonfly(4,2,2)", "updn", "dfsssp or nue is known"},
		{"dragonfly(4,2,2)", "lash", ""},
		{"dragonflyplus(3,3,2,1)", "dfsssp", ""},
		{"deimos", "ftree", "dfsssp or nue is known"},
		{"hyperx(4x4,hosts=4)|fail(links=3)", "dfsssp", "hyperx is known to deliver as much or more on HyperX networks"},
	} {
		r, err := Route(context.Background(), graph(t, c.formula), &Request{Chain: chain(t, c.engine)})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Plan.Notes); strings.Contains(got, "is known") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s on %s: %s", c.engine, c.formula, got)
		}
	}
}
