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
