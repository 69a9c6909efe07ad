package repair

import (
	"context"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
)

// BenchmarkLink repairs a Plan after the loss of one link between switches, on two cores.
func BenchmarkLink(b *testing.B) {
	for _, c := range []struct{ formula, engine string }{
		{"rlft(36,3)", "ftree"}, {"rlft(36,3)", "updn"}, {"fat3456", "ftree"}, {"fat3456", "updn"}, {"fat3456", "nue"},
	} {
		b.Run(c.formula+" "+c.engine, func(b *testing.B) {
			f, err := gen.Parse(c.formula)
			if err != nil {
				b.Fatal(err)
			}
			old := f.Compile()
			plan := routed(b, old, c.engine)
			f.SetLinkDown(betweenSwitches(f, 37), true)
			g := f.Compile()
			held := route.Hold(old, plan, g)
			for b.Loop() {
				if _, _, err := Run(context.Background(), g, &Request{Old: old, Plan: plan, Held: held, Workers: 2}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// betweenSwitches is the n-th link between switches.
func betweenSwitches(f *fabric.Fabric, n int) fabric.LinkID {
	for i, l := range f.Links {
		if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
			if n--; n < 0 {
				return fabric.LinkID(i)
			}
		}
	}
	return fabric.NoLink
}

// BenchmarkSpread moves 333 entries of a Plan after the loss and the return of links, on one core.
func BenchmarkSpread(b *testing.B) {
	for _, c := range []struct{ formula, engine string }{
		{"rlft(18,3)", "ftree"}, {"fat3456", "ftree"}, {"rlft(36,3)", "ftree"}, {"hyperx(6x6,hosts=6)", "hyperx"},
	} {
		b.Run(c.formula+" "+c.engine, func(b *testing.B) {
			g, plan := returned(b, c.formula, c.engine, 5)
			for b.Loop() {
				_, done, err := Spread(context.Background(), g, plan, nil, 333, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(done.Moved), "moves")
			}
		})
	}
}

// returned routes a network, and repairs the Plan when links are lost, and when they are back.
func returned(t testing.TB, formula, engine string, links int) (*fabric.Graph, *route.Plan) {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	old := f.Compile()
	plan := routed(t, old, engine)
	for _, down := range []bool{true, false} {
		for n := range links {
			f.SetLinkDown(betweenSwitches(f, 7*n), down)
		}
		g := f.Compile()
		if plan == nil {
			t.Fatal(engine, "refuses", formula)
		}
		if plan, _, err = Run(context.Background(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 2}); err != nil {
			t.Fatal(formula, err)
		}
		old = g
	}
	return old, plan
}
