package gen

import (
	"fmt"

	"weft/fabric"
)

func fat648(b *builder, hosts int) { b.spread(b.chassis(1, d648, "")[0].leaves, hosts, 1) }

// fat3456 builds FT(24,3), the tree of rlft(24,3).
func fat3456(b *builder, hosts int) {
	t := evenTree(24, 3, hosts)
	b.tree(&t)
}

// modules builds racks of two switches A and B: ports 1-12 hosts, 13-24 to the partner, 25-36 up in
// four groups of three.
func (b *builder) modules(n int) []fabric.NodeID {
	ids := make([]fabric.NodeID, 0, 2*n)
	for m := range n {
		s := b.add(36, fmt.Sprintf("rack %d A", m))
		t := b.add(36, fmt.Sprintf("rack %d B", m))
		for p := 13; p <= 24; p++ {
			b.link(s, p, t, p)
		}
		ids = append(ids, s, t)
	}
	return ids
}

// group cables group j of a module's switch to three ports of a leaf, from first.
func (b *builder) group(rack fabric.NodeID, j int, leaf fabric.NodeID, first int) {
	for k := range 3 {
		b.link(rack, 25+3*j+k, leaf, first+k)
	}
}

// racks builds D648 and 27 modules, or some ninths of it: a ninth is four leaves of D648 and the
// three modules on them. All 18 spines stay.
func racks(ninths int) func(b *builder, hosts int) {
	return func(b *builder, hosts int) {
		modules := b.modules(3 * ninths)
		inside := d648
		inside.leaves = 4 * ninths
		core := b.chassis(1, inside, "")[0]
		for r, rack := range modules {
			m, side := r/2, r%2
			for j := range 4 {
				b.group(rack, j, core.leaves[4*(m%ninths)+j], 6*(m/ninths)+3*side+1)
			}
		}
		b.spread(modules, hosts, 1)
	}
}

// ninth builds four leaves of D648 with all ports to spines free, and the three modules on them.
func ninth(b *builder, hosts int) {
	modules := b.modules(3)
	leaves := b.addAll(4, d648.outside+d648.spines, "leaf")
	for r, rack := range modules {
		for j, leaf := range leaves {
			b.group(rack, j, leaf, 3*r+1)
		}
	}
	b.spread(modules, hosts, 1)
}

// over384 builds 16 leaves of 42 ports with 24 hosts and 18 cables up, dealt to 8 spines one after
// the other: the first spines of a leaf get a third cable.
func over384(b *builder, hosts int) {
	leaves, spines := b.addAll(16, 42, "leaf"), b.addAll(8, 36, "spine")
	for l, leaf := range leaves {
		for k := range 18 {
			t := 18*l + k
			b.link(leaf, 25+k, spines[t%8], t/8+1)
		}
	}
	b.spread(leaves, hosts, 1)
}

// juropa builds 8 D648 and some of the 216 modules.
func juropa(modules int) func(b *builder, hosts int) {
	return func(b *builder, hosts int) {
		racks := b.modules(modules)
		core := b.chassis(8, d648, "director")
		for r, rack := range racks {
			m, side := r/2, r%2
			for j := range 4 {
				b.group(rack, j, core[4*side+j].leaves[m/6], 3*(m%6)+1)
			}
		}
		b.spread(racks, hosts, 1)
	}
}

// dual builds two FT(24,3) and n rack switches with 12 hosts and 6 cables up to each core.
func dual(n int) func(b *builder, hosts int) {
	return func(b *builder, hosts int) {
		racks := b.addAll(n, 24, "rack")
		half := evenTree(24, 3, 0)
		var levels [2][3][]fabric.NodeID
		for l := range half.levels() {
			for c := range levels {
				name := fmt.Sprintf("core %d %s", c, levelName(l, half.levels()))
				levels[c][l] = b.addAll(half.count(l), half.radix, name)
			}
		}
		for c := range levels {
			for l := 1; l < half.levels(); l++ {
				b.join(&half, l, levels[c][l-1], levels[c][l])
			}
		}
		for r, rack := range racks {
			for c := range levels {
				for k := range 6 {
					t := 2*r + k/3
					b.link(rack, 13+6*c+k, levels[c][0][t%288], 3*(t/288)+1+k%3)
				}
			}
		}
		b.spread(racks, hosts, 1)
	}
}

// testbed is a hardware cluster of the papers. Every leaf has hosts on its first ports, then its
// cables to each root, or to the other leaf.
type testbed struct {
	leaves, hosts, roots, cables int
	onRoots                      int // hosts of a root
	homes                        int // leaves of a host
}

func (t testbed) build(b *builder, _ int) {
	leaves := b.addAll(t.leaves, 36, "leaf")
	roots := b.addAll(t.roots, 36, "root")
	for l, leaf := range leaves {
		for r, root := range roots {
			for k := range t.cables {
				b.link(leaf, t.hosts+1+r*t.cables+k, root, 1+l*t.cables+k)
			}
		}
	}
	if t.roots == 0 {
		b.link(leaves[0], t.hosts+1, leaves[1], t.hosts+1)
	}
	b.spread(leaves, t.leaves*t.hosts, 1)
	b.spread(roots, t.roots*t.onRoots, 1+t.leaves*t.cables)
	if b.err == nil && t.homes == 2 {
		b.f, b.err = twoPorts(b.f, &args{})
	}
}
