package quality

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/foreign"
	"weft/route/lids"
	"weft/route/recipe"
	"weft/route/routetest"
)

// tb is a test or a property.
type tb interface {
	Helper()
	Fatal(...any)
}

// plan routes a formula with an engine.
func plan(t tb, formula, name string, lmc uint8) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	return g, routedBy(t, g, name, lmc)
}

// routedBy routes a network with an engine.
func routedBy(t tb, g *fabric.Graph, name string, lmc uint8) *route.Plan {
	t.Helper()
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc, Fresh: true}, Workers: 2}
	p, err := recipe.Run(context.Background(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func judged(t tb, g *fabric.Graph, p *route.Plan, workers int) *Report {
	t.Helper()
	r, err := Judge(context.Background(), g, p, check.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drawPlan draws a Plan of shortest ways, often with faults: drained switches, changed
// entries, ends without a LID, short tables, and sources that may not use every LID.
func drawPlan(t *rapid.T) (*fabric.Graph, *route.Plan) {
	formula := rapid.SampledFrom([]string{
		"torus(4x2,hosts=2)|ports(2)", "rlft(4,2)", "rlft(4,2)|ports(2)|fail(links=2,seed=1)", "fullmesh(4,hosts=3)", "mftree-fig2",
		"random(switches=6,hosts=8,links=7,seed=5)|fail(links=2,seed=2)", "kautz(2,2,hosts=9)",
	}).Draw(t, "fabric")
	known, p := plan(t, formula, "minhop", uint8(rapid.IntRange(0, 2).Draw(t, "lmc")))
	g := *known
	g.Drained, g.SwitchFDBCap = slices.Clone(g.Drained), slices.Clone(g.SwitchFDBCap)
	some := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	if some("drain", 3) == 0 {
		g.Drained[some("drained", g.NumSwitches)] = true
	}
	if some("short", 5) == 0 {
		g.SwitchFDBCap[some("short table", g.NumSwitches)] = int32(p.Ends.Top()) / 2
	}
	if some("gone", 5) == 0 {
		p.Ends.Base[some("without LID", g.NumEnds)] = 0
	}
	for range some("entries", 8) {
		port := rapid.SampledFrom([]uint8{0, 1, 2, 3, 4, 5, 254, route.NoPort}).Draw(t, "port")
		p.Tables.Set(int32(some("switch", g.NumSwitches)), fabric.LID(1+some("lid", int(p.Tables.Top()))), port)
	}
	if some("choice", 3) == 0 {
		var rows []route.ChoiceRow
		for range 3 * g.NumEnds {
			target := int32(some("target", g.NumEnds))
			rows = append(rows, route.ChoiceRow{Source: int32(some("source", g.NumEnds)), Target: target, Offset: uint8(some("offset", max(1, p.Ends.Count(target))))})
		}
		p.Choice = route.NewChoice(g.NumEnds, rows)
	}
	return &g, p
}

// TestAsDumb compares with pairs walked one by one, on any number of workers.
func TestAsDumb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := drawPlan(t)
		r := judged(t, g, p, 1)
		got := figures{r.HostPairs, r.NonMinimal, r.Entries, r.Hops, r.Load}
		if diff := cmp.Diff(newDumb(g, p).measure(), got); diff != "" {
			t.Fatalf("dumb -, measured +\n%s", diff)
		}
		if r.Minimal != (r.NonMinimal == 0) {
			t.Fatal("minimal", r.Minimal, r.NonMinimal)
		}
		one, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if four, _ := json.Marshal(judged(t, g, p, 4)); string(four) != string(one) {
			t.Fatal("4 workers:", cmp.Diff(string(one), string(four)))
		}
		if err := r.Write(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
}

// TestProofIsKept: the proof in a Report is that of check.Judge, but for the warnings about
// quality.
func TestProofIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := drawPlan(t)
		want, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := judged(t, g, p, 2).Report
		got.Warnings = slices.DeleteFunc(got.Warnings, func(f check.Finding) bool { return f.Kind == DarkChannel || f.Kind == Detours })
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Fatalf("proof -, report +\n%s", diff)
		}
	})
}

// TestManySwitches: the figures of a torus with minimal ways, of more switches than the
// judge keeps all distances of.
func TestManySwitches(t *testing.T) {
	g, p := plan(t, "torus(27x27,hosts=1)", "dor", 0)
	n := int64(g.NumHosts)
	r := judged(t, g, p, 2)
	if !r.OK || !r.Minimal || r.HostPairs.Pairs != n*(n-1) || r.Hops.Max != 13+13+1 {
		t.Fatalf("ok %v, minimal %v, %d pairs of hosts, at most %d hops: %v", r.OK, r.Minimal, r.HostPairs.Pairs, r.Hops.Max, r.Faults)
	}
	// As many dark channels as there are, and every path counted on each of its channels.
	paths := int64(0)
	for hops, pairs := range r.Hops.Histogram {
		paths += pairs * int64(hops-1)
	}
	if r.Load.Dark != 0 || int64(r.Load.Avg*float64(r.Channels)+0.5) != paths {
		t.Errorf("load %+v, %d channels of paths", r.Load, paths)
	}
}

// asWalked intends the paths that the tables gave when it was made.
type asWalked struct{ d *dumb }

func (w asWalked) Path(src, dst int32, lid fabric.LID, buf []int32) ([]int32, bool) {
	if dst == 1 {
		return nil, false
	}
	_, path, _ := w.d.walk(w.d.g.EndSwitch[src], lid)
	return append(buf, path...), true
}

// TestIntendedPaths: a pair whose way is not the intended one is found, and no other.
func TestIntendedPaths(t *testing.T) {
	g, p := plan(t, "rlft(4,3)", "updn", 1)
	p.Choice = route.NewChoice(g.NumEnds, []route.ChoiceRow{{Source: 0, Target: 3, Offset: 1}, {Source: 2, Target: 3, Offset: 0}, {Source: 2, Target: 3, Offset: 1}})
	before := *p
	before.Tables = p.Tables.Clone()
	p.Intended = asWalked{newDumb(g, &before)}
	r := judged(t, g, p, 2)
	toOne := int64(g.NumEnds - 1) // pairs to end port 1, for which nothing is intended
	if r.DifferingPaths != 0 || r.IntendedPaths != r.Pairs-toOne || !r.OK {
		t.Fatal(r.IntendedPaths, r.DifferingPaths, r.Pairs, r.Faults)
	}
	s, last := g.EndSwitch[0], int32(g.NumHosts-1)
	lid := p.Ends.Base[last]
	for _, c := range g.OutOf(s) {
		if g.FromPort[c] != p.Tables.Port(s, lid) {
			p.Tables.Set(s, lid, g.FromPort[c]) // another way up
			break
		}
	}
	r = judged(t, g, p, 2)
	through := int64(0)
	for e := range int32(g.NumEnds) {
		if switches, _, _ := newDumb(g, &before).walk(g.EndSwitch[e], lid); e != last && slices.Contains(switches, s) {
			through++
		}
	}
	f := r.Find(DifferingPath)
	if r.DifferingPaths != through || r.OK || f == nil || f.Count != through || len(f.Examples) != min(examplesShown, int(through)) || r.Unreachable != 0 {
		t.Fatal(r.DifferingPaths, through, r.Faults)
	}
	t.Log(f.Examples[0])
}

// TestSwlab: the figures of a real cluster's tables, counted beforehand by other means.
func TestSwlab(t *testing.T) {
	g, lfts := routetest.Swlab(t)
	p, _, err := (&foreign.Files{LFTs: lfts}).Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	r := judged(t, g, p, 2)
	if r.Entries.Total != 4030 || r.Entries.Delivered != 4030 || !r.Minimal || r.OK || len(r.Faults) > 0 {
		t.Errorf("entries %+v, minimal %v, ok %v: %v", r.Entries, r.Minimal, r.OK, r.Faults)
	}
	if want := []int64{62, 341, 839, 1572, 1100, 96, 20}; !slices.Equal(r.Entries.Hops.Histogram, want) {
		t.Errorf("hops %v, want %v", r.Entries.Hops.Histogram, want)
	}
	wants(t, written(t, r), "unknown (cyclic on one lane")
}

// TestWarnings: dark channels are named, and ways of hosts that are longer than needed counted
// where they are many.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		formula       string
		dark, detours bool
	}{{"rlft(4,2)", false, false}, {"torus(5x5,hosts=1)", false, true}, {"rlft(4,2,hosts=2)", true, false}} {
		g, p := plan(t, c.formula, "updn", 0)
		r := judged(t, g, p, 1)
		dark, detours := r.Find(DarkChannel), r.Find(Detours)
		if (dark != nil) != c.dark || (detours != nil) != c.detours || !r.OK {
			t.Errorf("%s: %+v", c.formula, r.Warnings)
			continue
		}
		if c.dark && (dark.Count != int64(r.Load.Dark) || len(dark.Examples) != min(r.Load.Dark, examplesShown) || len(dark.Examples[0].Ports) != 2) {
			t.Errorf("%s: %+v", c.formula, dark)
		}
		if c.detours && detours.Count != r.HostPairs.NonMinimal {
			t.Errorf("%s: %+v", c.formula, detours)
		}
	}
}

// TestDetours: pairs of hosts on ways longer than needed are a warning where they are more than one
// in a hundred.
func TestDetours(t *testing.T) {
	g := routetest.Line(t, 2, 1).Compile()
	for longer, want := range map[int64]bool{0: false, 10: false, 11: true} {
		r := Report{HostPairs: HostPairs{Pairs: 1000, NonMinimal: longer}}
		r.warn(g, make([]int64, g.NumChannels))
		if f := r.Find(Detours); (f != nil) != want || want && f.Count != longer {
			t.Errorf("%d of 1000: %+v", longer, f)
		}
	}
}
