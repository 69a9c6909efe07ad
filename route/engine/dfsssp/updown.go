package dfsssp

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/sample"
	"weft/route/engine/internal/shortest"
	"weft/route/internal/updown"
)

// upDown is an order of the channels. Every up*/down* path leads forwards in it.
type upDown struct {
	rank updown.Order
	list []int32 // the channels; only of the chosen order
	down []uint8 // by position in Out: 1 for a channel down, 0 for one up
}

// newUpDown ranks the switches by a breadth-first search from the root of each part of the network.
// Nothing passes a drained switch.
func newUpDown(g *fabric.Graph, roots []int32) *upDown {
	search := g.NewSearch(g.Drained)
	for _, root := range roots {
		search.Extend(root)
	}
	for s := range int32(g.NumSwitches) {
		search.Extend(s)
	}
	u := &upDown{rank: updown.FromList(g.NumSwitches, search.Order), down: make([]uint8, g.NumChannels)}
	for i, c := range g.Out {
		if u.rank.Above(g.From[c], g.To[c]) {
			u.down[i] = 1
		}
	}
	return u
}

const (
	rootsTried    = 12 // in each part of the network
	targetsTried  = 16
	hostRootShare = 3 // of four roots tried, so many have hosts
)

// chooseUpDown tries several roots in each part of the network. It takes the root that leaves the
// fewest switches without a legal shortest path to a host; among such roots, the one that leaves
// the most choices. In a fat-tree that is a leaf: paths between hosts are legal from any root,
// paths between spines only with a leaf as root.
func chooseUpDown(ctx context.Context, in *route.Input) (*upDown, error) {
	g := in.Graph
	head := shortest.NewLoads(g).Head
	parts := split(g)
	tries := make([][]legality, rootsTried)
	ways := make([][]shortest.Ways, len(parts))
	for i := range parts {
		ways[i] = parts[i].waysTo(g, head)
	}
	err := par.For(ctx, in.Workers, rootsTried, func(_, try int) error {
		roots := make([]int32, len(parts))
		for i := range parts {
			roots[i] = parts[i].root(try)
		}
		u := newUpDown(g, roots)
		tries[try] = make([]legality, len(parts))
		kind := make([]uint8, g.NumSwitches)
		for i := range parts {
			for k := range ways[i] {
				tries[try][i].add(u.countLegal(g, &ways[i][k], kind))
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
	u := newUpDown(g, roots)
	u.list = slices.Clone(g.Out)
	u.rank.SortChannels(g, u.list)
	return u, nil
}

// legality counts switches without a legal shortest path, and the first channels of all others'
// legal ones.
type legality struct{ illegal, choices int }

func (v *legality) add(w legality) {
	v.illegal += w.illegal
	v.choices += w.choices
}

func (v legality) better(w legality) bool {
	return v.illegal < w.illegal || v.illegal == w.illegal && v.choices > w.choices
}

// Kinds of the legal shortest paths from a switch.
const (
	none uint8 = iota
	upFirst
	downOnly
)

// counts holds the contribution of a path to a sum, by direction of the channel (up, down) and kind
// of the switch behind it: 1 for upFirst, above for downOnly.
var counts = [2][4]int{{upFirst: 1, downOnly: 1}, {downOnly: above}}

const above = 1 << 16

// countLegal counts, for one target, the switches with hosts that have no legal shortest path, and
// the first channels of the other switches. A switch that can go down only does.
func (u *upDown) countLegal(g *fabric.Graph, w *shortest.Ways, kind []uint8) legality {
	v := legality{}
	kind[w.Order[0]] = downOnly
	for k, s := range w.Order[1:] {
		both := 0 // upFirst below, downOnly above
		for _, e := range w.Exits(k) {
			both += counts[u.down[e.At()]&1][kind[e.Head()]&3]
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
		if g.HostCount(s) == 0 {
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

// split finds the parts of a network; drained switches count like others.
func split(g *fabric.Graph) []part {
	var parts []part
	search := g.NewSearch(nil)
	for s := range int32(g.NumSwitches) {
		found := search.Extend(s)
		if len(found) == 0 {
			continue
		}
		var p part
		for _, x := range found {
			if g.HostCount(x) > 0 {
				p.hosted = append(p.hosted, x)
			} else {
				p.bare = append(p.bare, x)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// root returns the switch to try as root.
func (p *part) root(try int) int32 {
	if len(p.bare) == 0 || len(p.hosted) > 0 && try%4 < hostRootShare {
		return p.hosted[try*len(p.hosted)/rootsTried]
	}
	return p.bare[try*len(p.bare)/rootsTried]
}

// waysTo searches for the ways to some switches with hosts.
func (p *part) waysTo(g *fabric.Graph, head []int32) []shortest.Ways {
	targets := sample.Spread(p.hosted, targetsTried)
	ways := make([]shortest.Ways, len(targets))
	for k, t := range targets {
		ways[k].Search(g, head, t)
	}
	return ways
}
