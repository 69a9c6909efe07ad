package relief

import (
	"math/bits"
	"slices"

	"weft/route/internal/cdg"
	"weft/route/internal/intree"
)

// swapWithOthers exchanges the paths to a destination with those to others at the same switch where
// that lowers the price. It reports whether it did.
func (r *byJob) swapWithOthers(t *target) (gained bool) {
	i, _ := slices.BinarySearchFunc(r.targets, t.home, func(t target, home int32) int { return int(t.home - home) })
	for ; &r.targets[i] != t; i++ {
		if other := &r.targets[i]; !other.fixed && r.swap(t, other) {
			gained = true
		}
	}
	return gained
}

// swap exchanges the paths to two destinations at the same switch if that lowers the price.
func (r *byJob) swap(a, b *target) bool {
	unused := r.unused
	r.put(a, -1)
	r.put(b, -1)
	gains := r.cost(a, b.ports)+r.cost(b, a.ports) < r.cost(a, a.ports)+r.cost(b, b.ports)
	n := 0
	if gains = gains && r.admitsSwap(a, b); gains {
		n = 2 * r.differing(a, b)
		gains = r.spend(n)
	}
	if gains {
		a.ports, b.ports = b.ports, a.ports
	}
	r.put(a, 1)
	r.put(b, 1)
	if !gains || r.unused <= unused && r.fits(a) && r.fits(b) {
		return gains
	}
	r.put(a, -1)
	r.put(b, -1)
	a.ports, b.ports = b.ports, a.ports
	r.refund(n)
	r.put(a, 1)
	r.put(b, 1)
	return false
}

// differing counts the switches with other entries for one destination than for another at the
// same switch.
func (r *byJob) differing(a, b *target) (n int) {
	for x, p := range a.ports {
		if p != b.ports[x] && int32(x) != a.home {
			n++
		}
	}
	return n
}

// admitsSwap reports whether the dependencies of exchanged paths can be added. On one lane they are
// all there.
func (r *byJob) admitsSwap(a, b *target) bool {
	if !r.several {
		return true
	}
	admits := func(t *target, ports []uint8) bool {
		r.ReadPorts(ports, t.home, r.hosts)
		r.setSent(t.end, t.lid)
		return r.admitTree(r.Tree)
	}
	return admits(a, b.ports) && admits(b, a.ports)
}

// admitTree adds the dependencies of all paths to the LID sentTo. If the dependencies of a VL would
// close a cycle, it returns false.
func (l *lanes) admitTree(paths *intree.Tree) bool {
	copy(l.passed, l.sent)
	var edges [16][]cdg.Edge
	for _, x := range paths.Order {
		c := paths.Next[x]
		y := l.g.To[c]
		l.passed[y] |= l.passed[x]
		d := paths.Next[y]
		if d < 0 {
			continue
		}
		for vls := l.passed[x]; vls != 0; vls &= vls - 1 {
			if vl := bits.TrailingZeros16(vls); !l.orders[vl].Has(c, l.index.Rank[d]) {
				edges[vl] = append(edges[vl], cdg.Edge{C: c, D: d})
			}
		}
	}
	for vl, list := range edges {
		if len(list) > 0 && !l.orders[vl].Add(list) {
			return false
		}
	}
	return true
}
