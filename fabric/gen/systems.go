package gen

import (
	"fmt"

	"weft/fabric"
)

// chassis is the two-level inside of a director switch.
type chassis struct {
	leaves, spines []fabric.NodeID
}

// shape is a type of chassis. A leaf has its outside ports first, then parallel cables to each
// spine; leaf l reaches spine r from port outside+1+parallel*r, at port parallel*l+1.
type shape struct {
	leaves, spines, outside, parallel int
}

var (
	d144 = shape{leaves: 12, spines: 6, outside: 12, parallel: 2}
	d288 = shape{leaves: 24, spines: 12, outside: 12, parallel: 1}
	d648 = shape{leaves: 36, spines: 18, outside: 18, parallel: 1}
)

// chassis builds n chassis of a shape: all their leaves, then all their spines.
func (b *builder) chassis(n int, s shape, name string) []chassis {
	out := make([]chassis, n)
	prefix := func(i int, part string) string {
		if n == 1 && name == "" {
			return part
		}
		return fmt.Sprintf("%s %d %s", name, i, part)
	}
	for i := range out {
		out[i].leaves = b.addAll(s.leaves, s.outside+s.spines*s.parallel, prefix(i, "leaf"))
	}
	for i := range out {
		out[i].spines = b.addAll(s.spines, s.leaves*s.parallel, prefix(i, "spine"))
	}
	for _, c := range out {
		for l, leaf := range c.leaves {
			for r, spine := range c.spines {
				for k := range s.parallel {
					b.link(leaf, s.outside+1+s.parallel*r+k, spine, s.parallel*l+k+1)
				}
			}
		}
	}
	return out
}

func odin(b *builder, hosts int) { b.deal(b.chassis(1, d144, "")[0].leaves, hosts) }

// deal puts host h on leaf h modulo the number of leaves.
func (b *builder) deal(leaves []fabric.NodeID, hosts int) {
	for h := range hosts {
		b.host(leaves[h%len(leaves)], h/len(leaves)+1)
	}
}

// deimos builds three D288 joined by trunks between 0 and 1, 1 and 2, 2 and 0; trunk u of a
// director is on its leaf u%24, port 12-u/24. A host goes to the director with the fewest hosts,
// there to the leaf with the fewest, and to the lowest free port.
func deimos(trunks ...int) func(b *builder, hosts int) {
	return func(b *builder, hosts int) {
		core := b.chassis(3, d288, "director")
		var used [3]int
		outside := func(d int) (fabric.NodeID, int) {
			u := used[d]
			used[d]++
			return core[d].leaves[u%24], 12 - u/24
		}
		for d, n := range trunks {
			for range n {
				x, xp := outside(d)
				y, yp := outside((d + 1) % 3)
				b.link(x, xp, y, yp)
			}
		}
		var on [3]int
		var onLeaf [3][24]int
		for range hosts {
			d := fewest(on[:], func(d int) bool { return on[d]+used[d] < 288 })
			// The first leaves of a director have one trunk more than the last.
			l := fewest(onLeaf[d][:], func(l int) bool { return onLeaf[d][l]+portion(used[d], 24, l) < 12 })
			onLeaf[d][l]++
			on[d]++
			b.host(core[d].leaves[l], onLeaf[d][l])
		}
	}
}

// fewest returns the first index of the least number among the allowed ones.
func fewest(n []int, allowed func(int) bool) int {
	best := -1
	for i := range n {
		if allowed(i) && (best < 0 || n[i] < n[best]) {
			best = i
		}
	}
	return best
}

// chic builds 46 edge switches, each with 6 cables to each of two D288; host h is on edge switch
// h%46.
func chic(b *builder, hosts int) {
	edges := b.addAll(46, 24, "edge")
	core := b.chassis(2, d288, "director")
	for e, edge := range edges {
		for c := range core {
			for k := range 6 {
				t := 6*e + k
				b.link(edge, 13+6*c+k, core[c].leaves[t%24], t/24+1)
			}
		}
	}
	b.deal(edges, hosts)
}

// tsubame builds 6 edge and 2 core D288 with 24 trunks for each edge and core; hosts go round robin
// over the edges, then over their leaves.
func tsubame(b *builder, hosts int) {
	edge := b.chassis(6, d288, "edge")
	core := b.chassis(2, d288, "core")
	for e := range edge {
		for c := range core {
			for k := range 24 {
				b.link(edge[e].leaves[k], 12-c, core[c].leaves[k], e+1)
			}
		}
	}
	for h := range hosts {
		b.host(edge[h%6].leaves[h/6%24], h/144+1)
	}
}
