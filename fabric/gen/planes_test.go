package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"

	"pgregory.net/rapid"
)

// TestPlaneCounts: counts by hand of networks that share servers.
func TestPlaneCounts(t *testing.T) {
	for _, c := range []struct {
		expr                           string
		servers, ports, switches, arcs int // ports of servers that are cabled; cables between switches
		parts                          int
	}{
		{"rlft(8,2)|planes(2)", 32, 64, 24, 64, 2},
		{"rlft(8,2)|planes(8)", 32, 256, 96, 256, 8},
		{"rlft(8,2)|planes(2)|planes(3)", 32, 192, 72, 192, 6},
		{"rail(8,32,4,spines=16,width=2)|plane(tree(64,160),name=storage)", 160, 1024 + 160, 48 + 5 + 4, 1024 + 160, 2},
		{"rail(4,4)|plane(rlft(8,2,hosts=3))", 4, 19, 8 + 12, 16 + 32, 2},
		{"rail(4,4)|planes(2)|plane(rlft(8,2)|planes(2))", 32, 2*16 + 2*32, 2*8 + 2*12, 2*16 + 2*32, 4},
		{"rlft(8,2)|plane(rlft(8,2)|merge(rlft(8,2)))", 64, 32 + 64, 12 + 20, 32 + 64, 2},
		{"rlft(8,2)|aggregation()|planes(2)", 32, 64 + 24, 24, 64, 2},
	} {
		f := parse(t, c.expr)
		g := f.Compile()
		_, parts := g.Components()
		if got := len(f.Servers().List); got != c.servers || g.NumHosts != c.ports || g.NumSwitches != c.switches || g.NumChannels != 2*c.arcs || parts != c.parts {
			t.Errorf("%s: %d servers, %d ports, %d switches, %d cables, %d parts", c.expr, got, g.NumHosts, g.NumSwitches, g.NumChannels/2, parts)
		}
	}
	_ = fmt.Sprint
	_ = slices.Max[[]int]
	_ = strings.Cut
	_ = rapid.Check
	_ = fabric.CA
}
