package paths

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/updown"
)

var mport = &Algorithm{
	Name:     "mport",
	Summary:  "deterministic routing of the m-port n-tree, a digit of the destination a level; paths over broken links by shortest-widest, up and then down where that leaves a way",
	Paper:    "Gomez, Gilabert, Gomez, Lopez, Duato 2007 (reference [5] of paper 000, section VI-C)",
	Cost:     "O(pairs x hops), and O(switches x turns) for the repair",
	Rootless: true,
	Options:  []route.Option{weightOption, repairedOption, repairOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		t, err := newMPort(in.Graph)
		if err != nil {
			return nil, err
		}
		return repairBroken(ctx, in, t.next, t.rule(), repair{t.repairRules(in.word(repairOption)), in.word(repairedOption) == repairedFirst})
	},
}

// repairRules returns the rules for paths over broken links; the first that allows a path counts.
// Only for tori the paper says that up*/down* is lifted.
func (t *mportTree) repairRules(kept string) []*Rule {
	if kept == fromTop {
		return []*Rule{UpDown(t.g, int32(t.g.NumSwitches-1)), Unrestricted(t.g)}
	}
	return []*Rule{t.rule(), Unrestricted(t.g)}
}

// mportTree is an m-port n-tree in the order of the formula mport(m,n), with missing links. Its
// switches are numbered level by level from the leaves up. The lowest l digits of switch i on level
// l number it among the roots of its subtree, the others number the subtree. Ports 1 to half lead
// down, the others up; all ports of a root lead down.
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
		return nil, refuse("%d switches are not a %d-port n-tree", g.NumSwitches, 2*t.half)
	}
	for c := range int32(g.NumChannels) {
		if g.From[c] <= g.To[c] && !t.leadsUp(c) {
			return nil, refuse("port %d of %s leads to port %d of %s",
				g.FromPort[c], fabric.SwitchName(g, g.From[c]), g.ToPort[c], fabric.SwitchName(g, g.To[c]))
		}
	}
	for h := range g.NumHosts {
		if s := g.EndSwitch[h]; s >= t.width || int32(g.EndPort[h]) > t.half {
			return nil, refuse("a host is at port %d of %s", g.EndPort[h], fabric.SwitchName(g, s))
		}
	}
	return t, nil
}

// level returns the level of a switch, and its number in the level.
func (t *mportTree) level(s int32) (l, i int32) { return s / t.width, s % t.width }

// rule returns the up*/down* rule of the whole tree with a leaf as its root. It makes all minimal
// paths between leaves legal, with or without broken links.
func (t *mportTree) rule() *Rule {
	root := t.root()
	o := updown.New(t.g.NumSwitches)
	for s := range o {
		o[s] = t.distance(int32(s), root)
	}
	return upDownRule(t.g, o)
}

// root returns the first leaf with this property: every other switch has a link to a switch one hop
// nearer to the leaf. So the rule leaves every pair a path. Without such a leaf it returns the
// first one.
func (t *mportTree) root() int32 {
	for leaf := range t.width {
		nearer := func(s int32) bool {
			return s == leaf || slices.ContainsFunc(t.g.OutOf(s), func(c int32) bool {
				return t.distance(t.g.To[c], leaf) < t.distance(s, leaf)
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

// distance returns the distance of a switch from a leaf in the whole tree: up to a switch above
// both, and down.
func (t *mportTree) distance(s, leaf int32) int32 {
	l, i := t.level(s)
	top := l
	for a, b := i/t.power[l], leaf/t.power[l]; a != b && top+1 < t.levels; a, b = a/t.half, b/t.half {
		top++
	}
	return 2*top - l
}

// leadsUp reports whether a channel leads up in the tree: by an up port to the parent and down port
// that the numbers of both switches demand.
func (t *mportTree) leadsUp(c int32) bool {
	l, i := t.level(t.g.From[c])
	up := int32(t.g.FromPort[c]) - t.half - 1
	if l+1 == t.levels || up < 0 || up >= t.half {
		return false
	}
	low, fan := t.power[l], t.half
	if l+2 == t.levels {
		fan = 2 * t.half
	}
	child, group := i/low%fan, i/low/fan
	return t.g.To[c] == (l+1)*t.width+(group*low+i%low)*t.half+up && int32(t.g.ToPort[c]) == child+1
}

// next goes down if the destination is below. Otherwise it goes up by the port of the destination's
// digit at this level: its port on the leaf, then its leaf's child number, and so on.
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

// out returns the channel at a port.
func (t *mportTree) out(at, port int32) int32 {
	c, _ := t.g.At(at, uint8(port))
	return c
}
