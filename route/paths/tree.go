package paths

import (
	"context"

	"weft/fabric"
	"weft/route/internal/updown"
)

var srd = &Algorithm{
	Name:         "srd",
	Summary:      "legal up*/down* paths with one LID for all paths to a destination, balanced over the links",
	Paper:        "Sancho, Robles, Duato 2001, as paper 000, section VI-D, describes it",
	Cost:         "O(hosts x channels), one core",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return growTrees(ctx, in, false)
	},
}

var updnIBA = &Algorithm{
	Name:         "updn-iba",
	Summary:      "up*/down* that goes down as soon as it can, however long the path: one LID is enough",
	Paper:        "Lopez, Flich, Duato (paper 002), section 2.1, reference [5]",
	Cost:         "O(hosts x channels), one core",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return growTrees(ctx, in, true)
	},
}

// growTrees grows an in-tree of legal paths to every host. The paper of srd was not available; this
// follows paper 000's description. A tree is legal if a switch that packets come down to sends them
// further down. So a switch with a path down only may be joined from above, a switch with a path up
// only from below. Switches join in order of path length, those with a path down only first among
// equals; with downFirst all switches that can go down join before any other. Some path always
// remains: the topmost switch with a path down only has a parent in the rule's tree that can go
// down too. Of equally long paths a switch takes the channel with the fewest paths so far.
func growTrees(ctx context.Context, in *Input, downFirst bool) (*Set, error) {
	g := in.Graph
	o, _ := treeFrom(g, rootOf(in))
	b := newBuilder(upDownRule(g, o))
	t := newTree(g, o)
	var way []int32
	for dst := range int32(g.NumHosts) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.grow(g.EndSwitch[dst], downFirst)
		for src := range int32(g.NumHosts) {
			s := g.EndSwitch[src]
			if src == dst || t.length[s] == unreachable {
				continue
			}
			way = way[:0]
			for t.next[s] >= 0 {
				way = append(way, t.next[s])
				s = g.To[t.next[s]]
			}
			b.Add(src, dst, way)
			for _, c := range way {
				t.load[c]++
			}
		}
	}
	return b.Build()
}

// tree is an in-tree of legal paths to a switch.
type tree struct {
	g        *fabric.Graph
	o        updown.Order
	load     []int32 // by channel: paths of the trees so far
	length   []int32 // by switch: hops of its path
	downOnly []bool  // by switch: its path is down all along
	next     []int32 // by switch: first channel of its path, -1 at the end
}

func newTree(g *fabric.Graph, o updown.Order) *tree {
	n := g.NumSwitches
	return &tree{
		g: g, o: o, load: make([]int32, g.NumChannels),
		length: make([]int32, n), downOnly: make([]bool, n), next: make([]int32, n),
	}
}

// grow builds the tree to a switch.
func (t *tree) grow(root int32, downFirst bool) {
	for s := range t.length {
		t.length[s], t.next[s], t.downOnly[s] = unreachable, fabric.Nothing, false
	}
	t.length[root], t.downOnly[root] = 0, true
	layers := [][]int32{{root}} // joined switches by length
	if downFirst {
		for l := 0; l < len(layers); l++ {
			layers = t.joinLayer(layers, l, true)
		}
	}
	for l := 0; l < len(layers); l++ {
		if !downFirst {
			layers = t.joinLayer(layers, l, true)
		}
		layers = t.joinLayer(layers, l, false)
	}
}

// joinLayer lets switches join one hop behind switches of length l, by going down or up.
func (t *tree) joinLayer(layers [][]int32, l int, down bool) [][]int32 {
	g := t.g
	for _, v := range layers[l] {
		if g.Drained[v] && l > 0 || down && !t.downOnly[v] {
			continue
		}
		for _, out := range g.OutOf(v) {
			c := out ^ 1
			s := g.From[c]
			if s == v || t.o.LeadsUp(g, c) == down {
				continue
			}
			switch {
			case t.length[s] == unreachable:
				t.length[s], t.downOnly[s] = int32(l+1), down
				if len(layers) == l+1 {
					layers = append(layers, nil)
				}
				layers[l+1] = append(layers[l+1], s)
			case t.length[s] != int32(l+1) || t.downOnly[s] != down || t.load[c] >= t.load[t.next[s]]:
				continue
			}
			t.next[s] = c
		}
	}
	return layers
}
