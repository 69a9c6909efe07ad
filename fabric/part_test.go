package fabric_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
)

// A part of a Graph is the Graph of a fabric without the other switches.
func TestPart(t *testing.T) {
	formulas := []string{"rlft(4,2)", "rlft(4,2)|planes(2)", "rail(2,3,2,spines=2)", "torus(3x3,hosts=1)|aggregation()", "rlft(4,2)|plane(fullmesh(3,hosts=2))|fail(links=3)", "rlft(4,2)|drain(switch=spine 1)"}
	rapid.Check(t, func(rt *rapid.T) {
		f, err := gen.Parse(rapid.SampledFrom(formulas).Draw(rt, "formula"))
		if err != nil {
			rt.Fatal(err)
		}
		for n := range f.Nodes {
			for i := range f.Nodes[n].Ports {
				f.Nodes[n].Ports[i].VLCap = uint8(1 + (n+i)%4)
			}
		}
		g := f.Compile()
		var switches []int32
		kept := map[fabric.GUID]bool{}
		for s := range int32(g.NumSwitches) {
			if rapid.Bool().Draw(rt, "kept") {
				switches = append(switches, s)
				kept[g.SwitchGUID[s]] = true
			}
		}
		for n := range f.Nodes {
			if f.Nodes[n].Type == fabric.Switch && !kept[f.Nodes[n].GUID] {
				f.SetNodeDown(fabric.NodeID(n), true)
			}
		}
		part, ends := g.Part(switches)
		if diff := cmp.Diff(f.Compile(), part, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("part (-want +got):\n%s", diff)
		}
		for e, whole := range ends {
			if part.EndGUID[e] != g.EndGUID[whole] || part.EndNum[e] != g.EndNum[whole] || part.EndNodeGUID[e] != g.EndNodeGUID[whole] {
				rt.Fatalf("end port %d of the part is not %d", e, whole)
			}
		}
	})
}
