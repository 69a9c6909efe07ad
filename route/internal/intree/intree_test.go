package intree

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
)

// TestTree: whatever the entries are, also such that lead nowhere and in circles, a Tree holds for
// each switch the hops of a walk, and the hosts whose walks pass it; the same from a block, and
// after moves. Order has the farther ones first.
func TestTree(t *testing.T) {
	f, err := gen.Parse("random(switches=12,hosts=20,links=30,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	count := make([]int32, g.NumSwitches)
	for h := range g.NumHosts {
		count[g.EndSwitch[h]]++
	}
	rapid.Check(t, func(t *rapid.T) {
		tables, lid := route.NewTables(g.NumSwitches, 130), fabric.LID(rapid.IntRange(1, 130).Draw(t, "lid"))
		home := rapid.Int32Range(0, int32(g.NumSwitches)-1).Draw(t, "home")
		search := g.NewSearch(nil)
		search.From(home)
		for x := range int32(g.NumSwitches) {
			switch rapid.IntRange(0, 9).Draw(t, "entry") {
			case 0:
				tables.Set(x, lid, uint8(rapid.IntRange(0, 255).Draw(t, "port")))
			default:
				if x != home {
					tables.Set(x, lid, g.ToPort[search.Via[x]]) // the channel to x, backwards
				}
			}
		}
		p, columns := New(g), NewColumns(g)
		if rapid.Bool().Draw(t, "by block") {
			columns.Read(tables, int(lid)/route.BlockSize)
			p.Take(columns, home, lid, count)
		} else {
			p.Read(tables, home, lid, count)
		}
		check(t, g, p, tables, home, lid, count)
		for _, x := range p.Order {
			if p.HasChoice(x) {
				n := p.Flow[x]
				for _, c := range g.OutOf(x) {
					if p.LeadsNearer(x, c) {
						p.ChangeFlow(p.Next[x], -n)
						p.Move(x, c)
						p.ChangeFlow(c, n)
						tables.Set(x, lid, g.FromPort[c])
					}
				}
				p.Gather(x, count)
				for y := range int32(g.NumSwitches) {
					if slices.Contains(p.Above, y) != (y == x || p.Passes(y, x)) || slices.Contains(p.Source, y) != (slices.Contains(p.Above, y) && count[y] > 0) {
						t.Fatalf("packets of switches %v pass switch %d, of %v with hosts", p.Above, x, p.Source)
					}
				}
			}
		}
		for x := range p.Depth {
			p.Depth[x] = -1 // is of the first reading
		}
		check(t, g, p, tables, home, lid, count)
	})
}

// check walks from every switch.
func check(t *rapid.T, g *fabric.Graph, p *Tree, tables *route.Tables, home int32, lid fabric.LID, count []int32) {
	flow := make([]int64, g.NumSwitches)
	for x := range int32(g.NumSwitches) {
		passed, y := []int32{x}, x
		for len(passed) <= g.NumSwitches && y != home {
			c, _ := g.At(y, tables.Port(y, lid))
			if c < 0 {
				break
			}
			y = g.To[c]
			passed = append(passed, y)
		}
		if y != home {
			if p.Next[x] != fabric.Nothing || p.Depth[x] >= 0 || slices.Contains(p.Order, x) {
				t.Fatalf("switch %d has no way, but channel %d, %d hops", x, p.Next[x], p.Depth[x])
			}
			continue
		}
		if hops := int32(len(passed)) - 1; p.Depth[x] >= 0 && p.Depth[x] != hops || slices.Contains(p.Order, x) != (x != home) {
			t.Fatalf("switch %d has %d hops, %d by the tree", x, hops, p.Depth[x])
		}
		for _, z := range passed {
			flow[z] += int64(count[x])
		}
	}
	for i, x := range p.Order {
		if p.Flow[x] != flow[x] || i > 0 && p.Depth[x] > p.Depth[p.Order[i-1]] {
			t.Fatalf("%d hosts pass switch %d, %d by the tree; order %v", flow[x], x, p.Flow[x], p.Order)
		}
	}
	if p.Flow[home] != flow[home] || p.Home != home {
		t.Fatalf("%d of %d hosts reach switch %d", p.Flow[home], flow[home], home)
	}
}
