package traffic

import (
	"testing"

	"weft/fabric/gen"
)

func TestTwoPorts(t *testing.T) {
	f, err := gen.Parse("racks216|ports(2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	nodes := TwoPortNodes(g)
	doubled := DoublingOfNodes(g, nodes)
	if len(nodes) != 108 || len(doubled) != 6 || doubled[0].Len() != 2*64 {
		t.Fatalf("%d nodes, %d rounds of %d flows", len(nodes), len(doubled), doubled[0].Len())
	}
	for l, round := range doubled {
		for i := range round.Src {
			from, to := g.EndNode[round.Src[i]], g.EndNode[round.Dst[i]]
			if g.EndNum[round.Src[i]] != g.EndNum[round.Dst[i]] || from == to {
				t.Fatalf("round %d: port %d sends to port %d", l, round.Src[i], round.Dst[i])
			}
		}
	}
	ends := make([]int32, g.NumHosts)
	for h := range ends {
		ends[h] = int32(h)
	}
	shifts := ShiftsOfPorts(g, ends, 7)
	if len(shifts) != (len(ends)+5)/7 {
		t.Fatalf("%d rounds of shifts by 1, 8 ... of %d ports", len(shifts), len(ends))
	}
	for l, round := range shifts {
		for i, from := range round.Src {
			to := round.Dst[i]
			if int(to-from+int32(len(ends)))%len(ends) != 1+7*l || g.EndNode[from] == g.EndNode[to] {
				t.Fatalf("round %d: port %d sends to port %d", l, from, to)
			}
		}
	}
}
