package gen

import (
	"fmt"
	"slices"
	"strconv"

	"weft/fabric"
)

// tree is a generalised fat tree over switch levels 0 (leaves) to h. A switch of level l has m[l]
// children and w[l+1] parents, each joined by p parallel cables. m[0] and p[0] are the host ports
// of a leaf: m[0] hosts, each on w0 leaves with p[0] cables (w0 = p[0] = 1 except for pgft).
//
// A switch has the digits a_h..a_(l+1), A (which child it is, from the top down), and b_1..b_l, B
// (which parent it is, from the bottom up). Its number in level l is A*W + B, with W the product of
// w_1..w_l. Its parents have the same digits, but with a_(l+1) replaced by b_(l+1).
type tree struct {
	m, w, p []int // by level; w[0] belongs to the hosts
	down    int   // ports down of a leaf, 0 for as many as its hosts need
	radix   int   // ports of every switch, 0 for as many as have cables
	hosts   int   // -1 for a full tree
	most    Limits
}

func (t *tree) levels() int { return len(t.m) }

// count returns the number of switches of level l.
func (t *tree) count(l int) int {
	return mul(mul(t.w[:l+1]...), mul(t.m[l+1:]...))
}

func (t *tree) leaves() int { return t.count(0) }

// perLeaf returns the largest number of hosts on a leaf.
func (t *tree) perLeaf() int {
	if t.hosts < 0 {
		return t.m[0]
	}
	return ceil(mul(t.hosts, t.w[0]), t.leaves())
}

func (t *tree) downPorts(l int) int {
	if l == 0 {
		return max(t.down, t.perLeaf()*t.p[0])
	}
	return mul(t.m[l], t.p[l])
}

func (t *tree) upPorts(l int) int {
	if l+1 == t.levels() {
		return 0
	}
	return mul(t.w[l+1], t.p[l+1])
}

// check returns an error if a tree cannot be built.
func (t *tree) check() error {
	s := size{}
	for l := range t.levels() {
		n := t.count(l)
		s.switches += n
		ports := t.downPorts(l) + t.upPorts(l)
		if t.radix > 0 && ports > t.radix {
			return fmt.Errorf("a switch of level %d would need %d ports and has %d: at most %d hosts fit",
				l, ports, t.radix, mul(t.leaves(), (t.radix-t.upPorts(l))/t.p[0]))
		}
		s.ports = max(s.ports, ports, t.radix)
		s.links += mul(n, t.upPorts(l))
	}
	if s.hosts = t.hosts; t.hosts < 0 {
		s.hosts = mul(t.leaves(), t.m[0]) / t.w[0]
	}
	s.links += mul(s.hosts, t.w[0], t.p[0])
	return s.fits(t.most)
}

func (t *tree) build() (*fabric.Fabric, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	b := newBuilder()
	b.tree(t)
	return b.done()
}

// tree adds the switches and hosts of a tree.
func (b *builder) tree(t *tree) {
	below := b.level(t, 0)
	leaves := below
	for l := 1; l < t.levels(); l++ {
		here := b.level(t, l)
		b.join(t, l, below, here)
		below = here
	}
	switch {
	case t.w[0]*t.p[0] > 1:
		b.manyPortHosts(t, leaves)
	case t.hosts >= 0:
		b.spread(leaves, t.hosts, 1)
	default:
		b.spread(leaves, len(leaves)*t.m[0], 1)
	}
}

func (b *builder) level(t *tree, l int) []fabric.NodeID {
	ports := max(t.downPorts(l)+t.upPorts(l), t.radix, 1)
	return b.addAll(t.count(l), ports, levelName(l, t.levels()))
}

// levelName names the switches of a level: leaf and spine, or leaf, middle and root, or middle with
// the number of the level.
func levelName(l, levels int) string {
	switch {
	case l == 0:
		return "leaf"
	case levels == 2:
		return "spine"
	case l == levels-1:
		return "root"
	case levels == 3:
		return "middle"
	}
	return "middle" + strconv.Itoa(l)
}

// join cables level l-1 to level l.
func (b *builder) join(t *tree, l int, below, here []fabric.NodeID) {
	up, m, w, p := t.downPorts(l-1), t.m[l], t.w[l], t.p[l]
	bs := mul(t.w[:l]...) // combinations of B below
	for i, s := range below {
		a, rest := i/bs%m, i%bs
		first := (i/bs/m*bs + rest) * w
		for parent := range w {
			for k := range p {
				b.link(s, up+1+parent*p+k, here[first+parent], 1+a*p+k)
			}
		}
	}
}

// manyPortHosts cables hosts of w[0]*p[0] ports: m[0] hosts to each group of w[0] consecutive
// leaves.
func (b *builder) manyPortHosts(t *tree, leaves []fabric.NodeID) {
	w, p := t.w[0], t.p[0]
	groups := len(leaves) / w
	hosts := groups * t.m[0]
	if t.hosts >= 0 {
		hosts = t.hosts
	}
	for g := range groups {
		for i := range portion(hosts, groups, g) {
			h := b.newHost(w * p)
			for leaf := range w {
				for k := range p {
					b.link(h, 1+leaf*p+k, leaves[g*w+leaf], 1+i*p+k)
				}
			}
		}
	}
}

// ones returns n times 1.
func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// repeat returns first followed by n times v.
func repeat(first, v, n int) []int { return append([]int{first}, slices.Repeat([]int{v}, n)...) }

// buildRLFT builds the largest real-life fat tree of switches of one radix, which is also the
// m-port n-tree: 2*(radix/2)^levels hosts.
func buildRLFT(radix, levels, hosts int, most Limits) (*fabric.Fabric, error) {
	if levels == 1 {
		t := tree{m: []int{radix}, w: ones(1), p: ones(1), radix: radix, hosts: hosts, most: most}
		return t.build()
	}
	if radix%2 != 0 {
		return nil, fmt.Errorf("radix %d is odd: half of a switch's ports go up", radix)
	}
	t := evenTree(radix, levels, hosts)
	t.most = most
	return t.build()
}

// evenTree returns the tree of buildRLFT for an even radix and two levels or more.
func evenTree(radix, levels, hosts int) tree {
	k := radix / 2
	t := tree{m: repeat(k, k, levels-1), w: repeat(1, k, levels-1), p: ones(levels), down: k, radix: radix, hosts: hosts}
	t.m[levels-1] = radix
	return t
}

func rlft(a *args) (*fabric.Fabric, error) {
	return buildRLFT(a.int("radix"), a.int("levels"), a.int("hosts"), a.most)
}

func mport(a *args) (*fabric.Fabric, error) {
	return buildRLFT(a.int("m"), a.int("n"), a.int("hosts"), a.most)
}

// karytree has k hosts on each of k^(n-1) leaves; the roots have k ports.
func karytree(a *args) (*fabric.Fabric, error) {
	k, n := a.int("k"), a.int("n")
	t := tree{m: repeat(k, k, n-1), w: repeat(1, k, n-1), p: ones(n), down: k, hosts: a.int("hosts"), most: a.most}
	return t.build()
}

// xgft takes the numbers for the graph of switches, with h+1 levels. Without hosts= a leaf has as
// many hosts as cables up.
func xgft(a *args) (*fabric.Fabric, error) {
	h, m, w := a.int("h"), a.ints("m"), a.ints("w")
	if len(m) != h || len(w) != h {
		return nil, fmt.Errorf("xgft of height %d wants %d numbers m and %d numbers w, not %d and %d", h, h, h, len(m), len(w))
	}
	t := tree{m: append([]int{w[0]}, m...), w: append([]int{1}, w...), p: ones(h + 1), hosts: a.int("hosts"), most: a.most}
	return t.build()
}

// pgft takes the numbers as defined by Zahavi: level 0 is the hosts, so that m1, w1 and p1 join the
// hosts to the leaves.
func pgft(a *args) (*fabric.Fabric, error) {
	h, m, w, p := a.int("h"), a.ints("m"), a.ints("w"), a.ints("p")
	if len(m) != h || len(w) != h || len(p) != h {
		return nil, fmt.Errorf("pgft of height %d wants %d numbers m, w and p each, not %d, %d and %d", h, h, len(m), len(w), len(p))
	}
	if w[0]*p[0] > fabric.MaxPorts {
		return nil, fmt.Errorf("a host would have %d ports (at most %d)", w[0]*p[0], fabric.MaxPorts)
	}
	t := tree{m: m, w: w, p: p, down: mul(m[0], p[0]), hosts: a.int("hosts"), most: a.most}
	return t.build()
}
