package sssp

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// upDown is an order of channels in which every up*/down* path leads forwards: those
// that lead up, to a switch nearer to a root, then those that lead down.
type upDown struct {
	list []int32
	down []uint8 // by position in Out: 1 or 0
}

// newUpDown ranks the switches by a breadth-first search from the root of their part
// of the network. Nothing passes a drained switch.
func newUpDown(g *fabric.Graph, roots []int32) *upDown {
	rank := make([]int32, g.NumSwitches)
	for s := range rank {
		rank[s] = -1
	}
	var order []int32
	reach := func(s int32) {
		if rank[s] < 0 {
			rank[s] = int32(len(order))
			order = append(order, s)
		}
	}
	begin := func(root int32) {
		at := len(order)
		for reach(root); at < len(order); at++ {
			if s := order[at]; s == root || !g.Drained[s] {
				for _, c := range g.OutOf(s) {
					reach(g.To[c])
				}
			}
		}
	}
	for _, root := range roots {
		begin(root)
	}
	for s := range int32(g.NumSwitches) {
		begin(s)
	}
	u := &upDown{list: make([]int32, 0, g.NumChannels), down: make([]uint8, g.NumChannels)}
	for k := len(order) - 1; k >= 0; k-- {
		s := order[k]
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			c := g.Out[i]
			if rank[g.To[c]] > rank[s] {
				u.down[i] = 1
			} else {
				u.list = append(u.list, c)
			}
		}
	}
	for _, s := range order {
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			if u.down[i] == 1 {
				u.list = append(u.list, g.Out[i])
			}
		}
	}
	return u
}

const (
	rootsTried    = 12 // in each part of the network
	targetsTried  = 16
	hostRootShare = 3 // of four roots tried, so many have hosts
)

// chooseUpDown tries several roots in each part of the network. It takes those that
// leave the fewest switches without a shortest path to a host that is legal, then
// those that leave the most choices. In a fat-tree that is a leaf: paths between
// hosts are legal from any root, those between spines only where a leaf is the root.
func chooseUpDown(ctx context.Context, in *route.Input, head []int32) (*upDown, error) {
	g := in.Graph
	parts := split(g)
	tries := make([][]verdict, rootsTried)
	ways := make([][]ways, len(parts))
	for i := range parts {
		ways[i] = parts[i].waysTo(g, head)
	}
	err := par.For(ctx, in.Workers, rootsTried, func(_, try int) error {
		roots := make([]int32, len(parts))
		for i := range parts {
			roots[i] = parts[i].root(try)
		}
		u := newUpDown(g, roots)
		tries[try] = make([]verdict, len(parts))
		kind := make([]uint8, g.NumSwitches)
		for i := range parts {
			for k := range ways[i] {
				tries[try][i].add(u.judge(g, &ways[i][k], kind))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	roots := make([]int32, len(parts))
	for i := range parts {
		best := 0
		for try := range tries {
			if tries[try][i].better(tries[best][i]) {
				best = try
			}
		}
		roots[i] = parts[i].root(best)
	}
	return newUpDown(g, roots), nil
}

// verdict is how well an order suits.
type verdict struct{ illegal, choices int }

func (v *verdict) add(w verdict) {
	v.illegal += w.illegal
	v.choices += w.choices
}

func (v verdict) better(w verdict) bool {
	return v.illegal < w.illegal || v.illegal == w.illegal && v.choices > w.choices
}

// Kinds of the legal shortest paths from a switch.
const (
	none uint8 = iota
	upFirst
	downOnly
)

// counts is what a channel up and one down count for, by the kind of the switch behind
// it: a path that is upFirst counts 1, one that is downOnly above.
var counts = [2][4]int{{upFirst: 1, downOnly: 1}, {downOnly: above}}

const above = 1 << 16

// judge counts, for one target, the switches with hosts that have no legal shortest
// path, and the choices of those that have. A switch that can go down only does.
func (u *upDown) judge(g *fabric.Graph, w *ways, kind []uint8) verdict {
	v := verdict{}
	kind[w.order[0]] = downOnly
	for k, s := range w.order[1:] {
		both := 0 // upFirst below, downOnly above
		for _, e := range w.exits(k) {
			both += counts[u.down[e.at()]&1][kind[e.head()]&3]
		}
		count := [3]int{upFirst: both & (above - 1), downOnly: both / above}
		switch {
		case count[downOnly] > 0:
			kind[s] = downOnly
		case count[upFirst] > 0:
			kind[s] = upFirst
		default:
			kind[s] = none
		}
		if g.HostStart[s] == g.HostStart[s+1] {
			continue
		}
		if kind[s] == none {
			v.illegal++
		}
		v.choices += count[kind[s]]
	}
	return v
}

// part is a connected part of the network.
type part struct{ hosted, bare []int32 } // switches with and without hosts

// split finds the parts of a network.
func split(g *fabric.Graph) []part {
	var parts []part
	seen := make([]bool, g.NumSwitches)
	var queue []int32
	for s := range int32(g.NumSwitches) {
		if seen[s] {
			continue
		}
		seen[s] = true
		var p part
		for queue = append(queue[:0], s); len(queue) > 0; queue = queue[1:] {
			x := queue[0]
			if g.HostStart[x] < g.HostStart[x+1] {
				p.hosted = append(p.hosted, x)
			} else {
				p.bare = append(p.bare, x)
			}
			for _, c := range g.OutOf(x) {
				if v := g.To[c]; !seen[v] {
					seen[v] = true
					queue = append(queue, v)
				}
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// root is the switch to try as root.
func (p *part) root(try int) int32 {
	if len(p.bare) == 0 || len(p.hosted) > 0 && try%4 < hostRootShare {
		return p.hosted[try*len(p.hosted)/rootsTried]
	}
	return p.bare[try*len(p.bare)/rootsTried]
}

// waysTo searches for the ways to some switches with hosts.
func (p *part) waysTo(g *fabric.Graph, head []int32) []ways {
	ways := make([]ways, min(targetsTried, len(p.hosted)))
	for k := range ways {
		ways[k].search(g, head, p.hosted[k*len(p.hosted)/len(ways)])
	}
	return ways
}
