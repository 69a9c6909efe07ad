package planner

import (
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// BenchmarkTransition measures the way from a Plan to its repair after the loss of one link between
// switches: the order of writing, and its proof.
func BenchmarkTransition(b *testing.B) {
	for _, formula := range []string{"fat648", "rlft(36,3)"} {
		b.Run(formula, func(b *testing.B) {
			f, err := gen.Parse(formula)
			if err != nil {
				b.Fatal(err)
			}
			old := f.Compile()
			first, err := Run(b.Context(), old, &Request{Chain: chain(b, "ftree")})
			if err != nil {
				b.Fatal(err)
			}
			for id, l := range f.Links {
				if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
					f.SetLinkDown(fabric.LinkID(id), true)
					break
				}
			}
			g, kept := f.Compile(), Keep(first.Plan, old)
			req := &Request{Chain: chain(b, "ftree"), Kept: kept}
			if err := kept.Hold(g, req); err != nil {
				b.Fatal(err)
			}
			second, err := Run(b.Context(), g, req)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := kept.Transition(b.Context(), g, second.Plan, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
