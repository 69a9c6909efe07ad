package paths

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// broken is what a base routing answers when the link that it wants is not there.
const broken = fabric.Nothing

// repair says how the paths of a base routing that meet a broken link are replaced.
type repair struct {
	by    []*Rule // that shortest-widest keeps: the first that leaves a way
	first bool    // whether the new paths to a destination come before the old ones
}

// repaired follows a base routing, which knows the network as it was built, from
// every host to every other. Paths that meet no broken link stay as they are, and are
// taken first; each of the others is replaced by the shortest-widest path, in order of
// destination and source (paper 000, section VI-C). rule is one that base keeps; the
// Set keeps it if no new path breaks it.
func repaired(ctx context.Context, g *fabric.Graph, base func(at, dst int32) int32, rule *Rule, how repair) (*Set, error) {
	w := make([]*widest, len(how.by))
	for i, r := range how.by {
		w[i] = newWidest(r)
		w[i].weight = w[0].weight
	}
	n := g.NumHosts
	ways := make([][]int32, n*n) // by destination, then source
	old, there := make([]bool, n*n), make([]bool, n*n)
	next := func(at, _, dst int32) int32 { return base(at, dst) }
	for p := range ways {
		var err error
		if ways[p], old[p], err = follow(g, nil, int32(p%n), int32(p/n), next); err != nil {
			return nil, err
		}
		if there[p] = old[p]; old[p] {
			w[0].take(ways[p])
		}
	}
	b := newBuilder(rule)
	add := func(dst int, want func(p int) bool) {
		for src := range n {
			if p := dst*n + src; src != dst && there[p] && want(p) {
				b.Add(int32(src), int32(dst), ways[p])
			}
		}
	}
	for dst := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for src := range n {
			p := dst*n + src
			for i := 0; i < len(w) && !there[p]; i++ {
				ways[p], there[p] = w[i].path(g.EndSwitch[src], g.EndSwitch[dst], nil)
			}
			if !old[p] && !b.rule.keeps(ways[p]) {
				b.rule = nil
			}
		}
		if how.first {
			add(dst, func(p int) bool { return !old[p] })
			add(dst, func(p int) bool { return old[p] })
		} else {
			add(dst, func(int) bool { return true })
		}
	}
	return b.Build()
}

// keeps reports whether a way keeps the rule, which nothing does when it is nil.
func (r *Rule) keeps(way []int32) bool {
	for i := 1; i < len(way); i++ {
		if r == nil || !r.Allows(way[i-1], way[i]) {
			return false
		}
	}
	return r != nil
}

var dor = &Algorithm{
	Name:    "dor",
	Summary: "dimension order on a torus or mesh with named coordinates, paths over broken links by unrestricted shortest-widest; deadlocks on rings and after repair",
	Paper:   "Nienaber, Yuan, Duan (paper 000), section VI-C",
	Cost:    "O(pairs x hops), and O(switches x turns) for the repair",
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return dimensionOrder(ctx, in, false)
	},
}

// dimensionOrder is dor; in an experiment the new paths come first.
func dimensionOrder(ctx context.Context, in *Input, newFirst bool) (*Set, error) {
	t, err := newTorus(in.Graph)
	if err != nil {
		return nil, err
	}
	return repaired(ctx, in.Graph, t.next, t.rule(), repair{[]*Rule{Unrestricted(in.Graph)}, newFirst})
}

// torus is a torus or mesh whose switches are described as "switch (x,y,..)", with
// links missing.
type torus struct {
	g     *fabric.Graph
	size  []int32
	wraps []bool
	coord [][]int32 // by switch
	link  [][]int32 // by switch: channel by dimension and direction (0 rising), or broken
}

func newTorus(g *fabric.Graph) (*torus, error) {
	refuse := func(format string, args ...any) error {
		return route.Refuse("dor", "use shortest-widest", format, args...)
	}
	t := &torus{g: g, coord: make([][]int32, g.NumSwitches), link: make([][]int32, g.NumSwitches)}
	for s := range t.coord {
		x, ok := coordinates(g.SwitchDesc[s])
		if !ok || len(x) != len(t.coord[0]) && s > 0 {
			return nil, refuse("%s has no coordinates in its description, as in \"switch (1,2)\"", route.SwitchName(g, int32(s)))
		}
		t.coord[s] = x
		if s == 0 {
			t.size, t.wraps = make([]int32, len(x)), make([]bool, len(x))
		}
		for i, v := range x {
			t.size[i] = max(t.size[i], v+1)
		}
	}
	for c := range int32(g.NumChannels) {
		if i, step := t.step(c); i >= 0 && step < -1 {
			t.wraps[i] = true
		}
	}
	for s := range t.link {
		t.link[s] = make([]int32, 2*len(t.size))
		for i := range t.link[s] {
			t.link[s][i] = broken
		}
		for _, c := range g.OutOf(int32(s)) {
			i, step := t.step(c)
			if i < 0 || step != 1 && step != -1 && step != 1-t.size[i] && step != t.size[i]-1 {
				return nil, refuse("%s and %s are joined, but are no neighbours", route.SwitchName(g, g.From[c]), route.SwitchName(g, g.To[c]))
			}
			back := 1
			if rising(step) {
				back = 0
			}
			if at := &t.link[s][2*i+back]; *at == broken {
				*at = c
			}
		}
	}
	return t, nil
}

// step is the one dimension in which the ends of a channel differ, and by how much;
// dimension -1 if there is none or several.
func (t *torus) step(c int32) (dim int, step int32) {
	dim = -1
	from, to := t.coord[t.g.From[c]], t.coord[t.g.To[c]]
	for i := range from {
		if from[i] != to[i] {
			if dim >= 0 {
				return -1, 0
			}
			dim, step = i, to[i]-from[i]
		}
	}
	return dim, step
}

// rising reports whether a step goes up, or up over the edge.
func rising(step int32) bool { return step == 1 || step < -1 }

// next corrects the first dimension that differs, the short way round, up when both
// are equal.
func (t *torus) next(at, dst int32) int32 {
	here, there := t.coord[at], t.coord[t.g.EndSwitch[dst]]
	for i := range here {
		if here[i] == there[i] {
			continue
		}
		back := 0
		if t.wraps[i] {
			if ahead := (there[i] - here[i] + t.size[i]) % t.size[i]; 2*ahead > t.size[i] {
				back = 1
			}
		} else if there[i] < here[i] {
			back = 1
		}
		return t.link[at][2*i+back]
	}
	return broken
}

// rule lets a path correct one dimension after the other, each in one direction.
func (t *torus) rule() *Rule {
	return NewRule(t.g, func(c, d int32) bool {
		i, step := t.step(c)
		j, next := t.step(d)
		return j > i || j == i && rising(step) == rising(next)
	})
}

// coordinates reads "switch (1,2,3)".
func coordinates(desc string) ([]int32, bool) {
	var x []int32
	value, digits, open := int32(0), 0, false
	for _, r := range desc {
		switch {
		case r == '(' && !open:
			open = true
		case !open:
		case r >= '0' && r <= '9' && digits < 6:
			value, digits = 10*value+r-'0', digits+1
		case (r == ',' || r == ')') && digits > 0:
			x = append(x, value)
			if r == ')' {
				return x, true
			}
			value, digits = 0, 0
		default:
			return nil, false
		}
	}
	return nil, false
}

var mport = &Algorithm{
	Name:    "mport",
	Summary: "deterministic routing of the m-port n-tree, a digit of the destination a level; paths over broken links by shortest-widest, up and then down where that leaves a way",
	Paper:   "Gomez, Gilabert, Gomez, Lopez, Duato 2007 (reference [5] of paper 000, section VI-C)",
	Cost:    "O(pairs x hops), and O(switches x turns) for the repair",
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		t, err := newMPort(in.Graph)
		if err != nil {
			return nil, err
		}
		return t.repaired(ctx, t.rule())
	},
}

// repaired replaces paths over broken links by ones that keep a rule, or none where
// it leaves no way. Only of the tori does the paper say that up*/down* is lifted.
func (t *mportTree) repaired(ctx context.Context, r *Rule) (*Set, error) {
	return repaired(ctx, t.g, t.next, t.rule(), repair{by: []*Rule{r, Unrestricted(t.g)}})
}

// mportTree is an m-port n-tree in the order of the formula mport(m,n), with links
// missing. Its switches are numbered level by level from the leaves up. Switch i of
// level l has the digits of i: the lowest l say which parents lead to it, the others
// whose child it is. Ports 1 to half lead down, the others up; those of a root all
// lead down.
type mportTree struct {
	g      *fabric.Graph
	half   int32 // m/2
	levels int32
	width  int32   // switches of a level below the top
	power  []int32 // powers of half
}

func newMPort(g *fabric.Graph) (*mportTree, error) {
	refuse := func(format string, args ...any) error {
		return route.Refuse("mport", "use updn-shortest", format, args...)
	}
	if g.NumSwitches < 3 || g.SwitchPorts[0] < 4 || g.SwitchPorts[0]%2 != 0 {
		return nil, refuse("not an m-port n-tree of two levels or more")
	}
	t := &mportTree{g: g, half: g.SwitchPorts[0] / 2, levels: 1, width: 2, power: []int32{1}}
	for t.levels = 1; (t.levels-1)*t.width+t.width/2 < int32(g.NumSwitches) || t.levels < 2; t.levels++ {
		t.power = append(t.power, t.power[t.levels-1]*t.half)
		t.width *= t.half
	}
	if (t.levels-1)*t.width+t.width/2 != int32(g.NumSwitches) {
		return nil, refuse("%d switches are no %d-port n-tree", g.NumSwitches, 2*t.half)
	}
	for c := int32(0); int(c) < g.NumChannels; c++ {
		s, v := g.From[c], g.To[c]
		if s > v {
			continue
		}
		if int32(g.FromPort[c]) <= t.half || s/t.width+1 == t.levels || t.above(s, int32(g.FromPort[c])-t.half-1) != v {
			return nil, refuse("port %d of %s leads to %s", g.FromPort[c], route.SwitchName(g, s), route.SwitchName(g, v))
		}
	}
	for h := range g.NumHosts {
		if s := g.EndSwitch[h]; s >= t.width || int32(g.EndPort[h]) > t.half {
			return nil, refuse("a host is at port %d of %s", g.EndPort[h], route.SwitchName(g, s))
		}
	}
	return t, nil
}

// level of a switch, and its number in it.
func (t *mportTree) level(s int32) (l, i int32) { return s / t.width, s % t.width }

// rule is the up*/down* rule of the whole tree with a leaf as its root, which makes all
// minimal paths between leaves legal, broken links or not.
func (t *mportTree) rule() *Rule {
	root := t.root()
	up := func(c int32) bool { return t.apart(t.g.To[c], root) < t.apart(t.g.From[c], root) }
	return NewRule(t.g, func(c, d int32) bool { return up(c) || !up(d) })
}

// root is the first leaf to which a link leads nearer from every other switch, so that
// the rule leaves every pair a way; the first of all if there is none.
func (t *mportTree) root() int32 {
	for leaf := range t.width {
		nearer := func(s int32) bool {
			return s == leaf || slices.ContainsFunc(t.g.OutOf(s), func(c int32) bool {
				return t.apart(t.g.To[c], leaf) < t.apart(s, leaf)
			})
		}
		all := true
		for s := int32(0); all && int(s) < t.g.NumSwitches; s++ {
			all = nearer(s)
		}
		if all {
			return leaf
		}
	}
	return 0
}

// apart is the distance of a switch from a leaf in the whole tree: from its own level
// up to a switch above both, and down.
func (t *mportTree) apart(s, leaf int32) int32 {
	l, i := t.level(s)
	top := l
	for a, b := i/t.power[l], leaf/t.power[l]; a != b && top+1 < t.levels; a, b = a/t.half, b/t.half {
		top++
	}
	return 2*top - l
}

// above is the switch that up port j of a switch leads to.
func (t *mportTree) above(s, j int32) int32 {
	l, i := t.level(s)
	low := t.power[l]
	fan := t.half
	if l+2 == t.levels {
		fan = 2 * t.half
	}
	return (l+1)*t.width + (i/low/fan*low+i%low)*t.half + j
}

// next goes down if the destination is below, and else up by the port that the digit
// of the destination at this level says: its port on the leaf, then which child its
// leaf is, and so on.
func (t *mportTree) next(at, dst int32) int32 {
	leaf := t.g.EndSwitch[dst]
	l, i := t.level(at)
	port := t.half + 1 + int32(t.g.EndPort[dst]) - 1
	if l > 0 {
		child := leaf / t.power[l-1]
		if l+1 == t.levels {
			return t.out(at, child+1)
		}
		child, group := child%t.half, child/t.half
		if i/t.power[l] == group {
			return t.out(at, child+1)
		}
		port = t.half + 1 + child
	}
	return t.out(at, port)
}

// out is the channel that leaves by a port.
func (t *mportTree) out(at, port int32) int32 {
	c, _ := t.g.At(at, uint8(port))
	return c
}
