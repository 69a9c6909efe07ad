package gen

import (
	"fmt"

	"weft/fabric"
)

func fat648(a *args) (*fabric.Fabric, error) {
	if err := room(a.int("hosts"), 648); err != nil {
		return nil, err
	}
	b := newBuilder()
	b.spread(b.chassis(1, d648, "")[0].leaves, a.int("hosts"), 1)
	return b.done()
}

// fat3456 is FT(24,3), the tree of rlft(24,3).
func fat3456(a *args) (*fabric.Fabric, error) { return buildRLFT(24, 3, a.int("hosts")) }

// modules makes racks of two switches A and B: ports 1-12 hosts, 13-24 to the
// partner, 25-36 up in four groups of three.
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

func racks648(a *args) (*fabric.Fabric, error) { return buildRacks(9, a.int("hosts")) }
func racks432(a *args) (*fabric.Fabric, error) { return buildRacks(6, a.int("hosts")) }
func racks216(a *args) (*fabric.Fabric, error) { return buildRacks(3, a.int("hosts")) }

// buildRacks is D648 and 27 modules, or some ninths of it: a ninth is four leaves of
// D648 and the three modules on them. All 18 spines stay.
func buildRacks(ninths, hosts int) (*fabric.Fabric, error) {
	if err := room(hosts, 72*ninths); err != nil {
		return nil, err
	}
	b := newBuilder()
	racks := b.modules(3 * ninths)
	inside := d648
	inside.leaves = 4 * ninths
	core := b.chassis(1, inside, "")[0]
	for r, rack := range racks {
		m, side := r/2, r%2
		for j := range 4 {
			b.group(rack, j, core.leaves[4*(m%ninths)+j], 6*(m/ninths)+3*side+1)
		}
	}
	b.spread(racks, hosts, 1)
	return b.done()
}

// over384 is 16 leaves of 42 ports, 24 hosts and 18 cables up, dealt to 8 spines one
// after the other: the first spines of a leaf have a third one.
func over384(a *args) (*fabric.Fabric, error) {
	if err := room(a.int("hosts"), 384); err != nil {
		return nil, err
	}
	b := newBuilder()
	leaves, spines := b.addAll(16, 42, "leaf"), b.addAll(8, 36, "spine")
	for l, leaf := range leaves {
		for k := range 18 {
			t := 18*l + k
			b.link(leaf, 25+k, spines[t%8], t/8+1)
		}
	}
	b.spread(leaves, a.int("hosts"), 1)
	return b.done()
}

func juropa(a *args) (*fabric.Fabric, error)     { return buildJuropa(216, a.int("hosts")) }
func juropa3288(a *args) (*fabric.Fabric, error) { return buildJuropa(137, a.int("hosts")) }

// buildJuropa is 8 D648 and some of the 216 modules.
func buildJuropa(modules, hosts int) (*fabric.Fabric, error) {
	if err := room(hosts, 24*modules); err != nil {
		return nil, err
	}
	b := newBuilder()
	racks := b.modules(modules)
	core := b.chassis(8, d648, "director")
	for r, rack := range racks {
		m, side := r/2, r%2
		for j := range 4 {
			b.group(rack, j, core[4*side+j].leaves[m/6], 3*(m%6)+1)
		}
	}
	b.spread(racks, hosts, 1)
	return b.done()
}

func ranger(a *args) (*fabric.Fabric, error)   { return buildDual(328, a.int("hosts")) }
func dual4608(a *args) (*fabric.Fabric, error) { return buildDual(384, a.int("hosts")) }

// buildDual is two FT(24,3) and rack switches with 12 hosts and 6 cables up to each
// core.
func buildDual(n, hosts int) (*fabric.Fabric, error) {
	if err := room(hosts, 12*n); err != nil {
		return nil, err
	}
	b := newBuilder()
	racks := b.addAll(n, 24, "rack")
	half := tree{m: []int{12, 12, 24}, w: []int{1, 12, 12}, p: ones(3), down: 12, radix: 24}
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
			for g := range 2 {
				t := 2*r + g
				for k := range 3 {
					b.link(rack, 13+6*c+3*g+k, levels[c][0][t%288], 3*(t/288)+1+k)
				}
			}
		}
	}
	b.spread(racks, hosts, 1)
	return b.done()
}

// testbed is a hardware cluster of the papers: every leaf with hosts on its first
// ports, then its cables to each root.
type testbed struct {
	leaves, hosts, roots, cables int
	onRoots                      int // hosts of a root
	homes                        int // leaves of a host
}

var (
	vftreeFig3  = testbed{leaves: 2, hosts: 4} // cabled to each other
	vftreeFig4a = testbed{leaves: 3, hosts: 2, roots: 1, cables: 2}
	vftreeFig4b = testbed{leaves: 3, hosts: 4, roots: 1, cables: 2}
	sftreeFig4a = testbed{leaves: 4, hosts: 2, roots: 2, cables: 1}
	sftreeFig4b = testbed{leaves: 2, hosts: 1, roots: 2, cables: 1, onRoots: 1}
	mftreeFig2  = testbed{leaves: 4, hosts: 2, roots: 2, cables: 1, homes: 2}
)

func (t testbed) build(a *args) (*fabric.Fabric, error) {
	b := newBuilder()
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
	f, err := b.done()
	if err == nil && t.homes == 2 {
		return twoPorts(f, a)
	}
	return f, err
}
