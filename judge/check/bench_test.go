package check

import (
	"context"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/recipe"
)

// plan routes a formula with an engine of the list; the judge itself knows none.
func plan(t testing.TB, formula, name string, lmc uint8, options map[string]string) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc, Fresh: true}, Workers: 2, Options: options}
	p, err := recipe.Run(context.Background(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, p
}

func benchmark(b *testing.B, formula, engine string, lmc uint8, change func(*fabric.Graph, *route.Plan)) {
	g, p := plan(b, formula, engine, lmc, nil)
	if change != nil {
		change(g, p)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Judge(context.Background(), g, p, Options{Workers: 2})
		if err != nil {
			b.Fatal(err)
		}
		if !r.OK {
			b.Fatal(r.Faults)
		}
	}
}

// BenchmarkTree36 is 11,664 hosts and 1,620 switches.
func BenchmarkTree36(b *testing.B) { benchmark(b, "rlft(36,3)", "updn", 0, nil) }

// BenchmarkTree36SLs has SLs that differ by source switch and LID.
func BenchmarkTree36SLs(b *testing.B) { benchmark(b, "rlft(36,3)", "updn", 0, manySLs) }

// BenchmarkTree36Choice has a Choice of some rows.
func BenchmarkTree36Choice(b *testing.B) { benchmark(b, "rlft(36,3)", "updn", 1, someChoice) }

// BenchmarkTree64 is 40,960 hosts and 5,120 switches.
func BenchmarkTree64(b *testing.B) { benchmark(b, "rlft(64,3,hosts=40960)", "updn", 0, nil) }

// BenchmarkTorus has VLs by input and output port.
func BenchmarkTorus(b *testing.B) { benchmark(b, "torus(10x10x10,hosts=4)", "dor", 0, nil) }

// manySLs spreads pairs over four SLs and lanes, by source switch and LID.
func manySLs(g *fabric.Graph, p *route.Plan) {
	dst := make([]int32, int(p.Ends.Top())+1)
	for i := range dst {
		dst[i] = int32(i)
	}
	p.SL = route.NewSLs(g.EndSwitch, dst, g.NumSwitches, len(dst))
	for s := range int32(g.NumSwitches) {
		for d := range dst {
			p.SL.Set(s, int32(d), uint8((int(s)+d)%4))
		}
	}
	p.SL2VL = route.UniformVL(g, route.VLTable{0, 1, 2, 3})
	p.VLs = 4
}

// someChoice makes every tenth source use the second LID of every tenth target.
func someChoice(g *fabric.Graph, p *route.Plan) {
	var rows []route.ChoiceRow
	for s := int32(0); s < int32(g.NumHosts); s += 10 {
		for t := int32(0); t < int32(g.NumHosts); t += 10 {
			rows = append(rows, route.ChoiceRow{Source: s, Target: t, Offset: 1})
		}
	}
	p.Choice = route.NewChoice(g.NumEnds, rows)
}

// BenchmarkWhole64 has ftree's tables, whose switches share equal blocks.
func BenchmarkWhole64(b *testing.B) { benchmark(b, "rlft(64,3,hosts=40960)", "ftree", 0, nil) }
