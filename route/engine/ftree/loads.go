package ftree

import (
	"bytes"
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// linkLoads adds up, for every link, the weights of the paths of all pairs of hosts: one path from
// every host to every LID of the other hosts.
type linkLoads struct {
	t      *tree
	order  *lidOrder
	ends   *route.Ends
	tables *route.Tables
	load   []int64       // by link
	weight []int64       // by link: of a path on it
	head   []int32       // by link: its switch at the far end
	number []uint8       // by port, as in Graph.PortStart: number of its link among those of the switch
	first  []int32       // by switch: its first link
	hosts  []int64       // by switch
	sends  [][]uint8     // by LID of a host, switch: number of the link it takes; the tables by LID
	ways   []*firstLinks // by switch: the links to it, once found; nil in networks too large for it
}

// noNumber is the number of a missing link.
const noNumber = route.NoPort

func newLinkLoads(in *route.Input, t *tree, order *lidOrder, tables *route.Tables) *linkLoads {
	n, switches := len(t.LinkPort), t.G.NumSwitches
	l := &linkLoads{
		t: t, order: order, ends: &in.Ends, tables: tables,
		load: make([]int64, n), weight: t.weights(), head: make([]int32, n), number: bytes.Repeat([]byte{noNumber}, len(t.G.PortVLs)),
		first: make([]int32, switches), hosts: make([]int64, switches),
	}
	if switches*switches <= mostWays {
		l.ways = make([]*firstLinks, switches)
	}
	for s := range int32(switches) {
		l.first[s], l.hosts[s] = t.FirstLink(s), int64(t.G.HostCount(s))
		for i, v := range t.Bundles(s) {
			for p := t.LinkStart[i]; p < t.LinkStart[i+1]; p++ {
				l.head[p], l.number[t.G.PortStart[s]+int32(t.LinkPort[p])] = v, uint8(p-t.FirstLink(s))
			}
		}
	}
	return l
}

// set makes a switch send packets to a LID of a host over a link.
func (l *linkLoads) set(s int32, lid fabric.LID, link int32) {
	l.tables.Set(s, lid, l.t.LinkPort[link])
	l.sends[lid][s] = uint8(link - l.first[s])
}

// read copies the tables to sends, so that all entries of one LID lie together.
func (l *linkLoads) read(ctx context.Context, workers int) error {
	g, ends := l.t.G, l.ends.ByLID()
	l.sends = make([][]uint8, l.tables.NumBlocks()*route.BlockSize)
	return par.For(ctx, workers, l.tables.NumBlocks(), func(_, b int) error {
		sends := l.sends[b*route.BlockSize:][:route.BlockSize]
		for k := range sends {
			if lid := b*route.BlockSize + k; lid < len(ends) && ends[lid] >= 0 && g.IsHost(ends[lid]) {
				sends[k] = make([]uint8, g.NumSwitches)
			}
		}
		for s := range int32(g.NumSwitches) {
			number, block := l.number[g.PortStart[s]:], l.tables.Block(s, b)
			for k, of := range sends {
				if of == nil {
					continue
				}
				if of[s] = noNumber; block[k] != route.NoPort {
					of[s] = number[block[k]]
				}
			}
		}
		return nil
	})
}

// measure reads the tables and counts the paths to the LIDs of a range of numbers.
func (l *linkLoads) measure(ctx context.Context, r *reachability, numbers lidNumbers, numWorkers int) error {
	if err := l.read(ctx, numWorkers); err != nil {
		return err
	}
	workers, loads := make([]*lidPaths, max(1, numWorkers)), make([][]int64, max(1, numWorkers))
	for i := range loads {
		workers[i], loads[i] = l.newPaths(r), make([]int64, len(l.load))
	}
	var targets []int32
	for _, s := range l.order.switches {
		if len(l.t.G.HostsOf(s)) > 0 {
			targets = append(targets, s)
		}
	}
	err := par.For(ctx, numWorkers, len(targets), func(worker, i int) error {
		w := workers[worker]
		for _, at := range l.lidsOf(targets[i:i+1], numbers) {
			w.follow(at)
			w.count(loads[worker], 1)
		}
		return nil
	})
	clear(l.load)
	for _, load := range loads {
		for p, n := range load {
			l.load[p] += n
		}
	}
	return err
}

// lidNumbers is a range of LIDs of every host, by number: 0 stands for the base LIDs, k for the
// LIDs base + k.
type lidNumbers struct{ first, end int }

// baseLIDs is the range of the base LIDs alone.
var baseLIDs = lidNumbers{0, 1}

// hostLID is a LID of a host. Its number counts from the base LID.
type hostLID struct {
	end    int32
	number int
	lid    fabric.LID
}

// lidsOf lists the LIDs of some switches' hosts in a range of numbers.
func (l *linkLoads) lidsOf(switches []int32, numbers lidNumbers) []hostLID {
	var lids []hostLID
	for _, s := range switches {
		for _, end := range l.t.G.HostsOf(s) {
			for k := numbers.first; k < min(numbers.end, l.ends.Count(end)); k++ {
				lids = append(lids, hostLID{end, k, l.ends.Base[end] + fabric.LID(k)})
			}
		}
	}
	return lids
}

// lidPaths holds the paths of all switches to one LID, by switch.
type lidPaths struct {
	*linkLoads
	search nextHops    // finds ways that linkLoads does not keep
	found  *firstLinks // by the last search
	to     *firstLinks
	link   []int32 // output link of the switch, -1 if the table has none yet
	next   []int32 // switch at its far end, or -1
	flow   []int64 // hosts whose packets pass the switch
	near   int64   // extra weight of a host's path on its first link
}

func (l *linkLoads) newPaths(r *reachability) *lidPaths {
	n := l.t.G.NumSwitches
	return &lidPaths{
		linkLoads: l, search: newNextHops(r), found: &firstLinks{target: -1},
		link: make([]int32, n), next: make([]int32, n), flow: make([]int64, n),
	}
}

// towards finds the links to a switch. Concurrent callers must ask for different switches.
func (p *lidPaths) towards(target int32) *firstLinks {
	if p.ways != nil && p.ways[target] != nil {
		return p.ways[target]
	}
	if p.found.target == target {
		return p.found
	}
	if p.ways != nil {
		p.found = &firstLinks{}
		p.ways[target] = p.found
	}
	p.found.find(&p.search, target)
	return p.found
}

// follow reads the paths to a LID from the tables.
func (p *lidPaths) follow(at hostLID) {
	p.to = p.towards(p.t.G.EndSwitch[at.end])
	sends := p.sends[at.lid]
	for _, s := range p.to.order {
		if sends[s] == noNumber {
			p.link[s], p.next[s] = -1, -1
			continue
		}
		link := p.first[s] + int32(sends[s])
		p.link[s], p.next[s] = link, p.head[link]
	}
}

// count adds the paths of all hosts to the loads of their links, the farthest first, or removes
// them with sign -1. Paths end where the table has no link yet.
func (p *lidPaths) count(load []int64, sign int64) {
	copy(p.flow, p.hosts)
	for k := len(p.to.order) - 1; k >= 0; k-- {
		s := p.to.order[k]
		if link := p.link[s]; link >= 0 {
			load[link] += sign * (p.flow[s]*p.weight[link] + p.hosts[s]*p.near)
			p.flow[p.next[s]] += p.flow[s]
		}
	}
}

// weights returns by link the weight of a path on it: perPath on the fastest links, more on slower
// ones.
func (t *tree) weights() []int64 {
	fastest := slices.Max(append([]int32{1}, t.LinkRate...))
	all := make([]int64, len(t.LinkRate))
	for link, rate := range t.LinkRate {
		all[link] = perPath
		if rate > 0 {
			all[link] = (perPath*int64(fastest) + int64(rate)/2) / int64(rate)
		}
	}
	return all
}

// fitsClosedForm reports whether the closed form balances a tree: it is uniform, and no two ways up
// from a leaf meet below the roots. They would meet if a leaf were linked to several leaves of a
// core, and the switches above would then see only some of the indexes.
func (t *tree) fitsClosedForm() bool {
	if !t.isUniform() || !t.hasOneRate() {
		return false
	}
	reached := make([]bool, t.G.NumSwitches)
	for list := t.Leaves[:min(1, len(t.Leaves))]; len(list) > 0; {
		var above []int32
		for _, s := range list {
			for _, v := range t.Parents(s) {
				if reached[v] && len(t.Parents(v)) > 0 {
					return false
				}
				if !reached[v] {
					above = append(above, v)
				}
				reached[v] = true
			}
		}
		list = above
	}
	return true
}

// hasOneRate reports whether all links between the same two levels are equally fast.
func (t *tree) hasOneRate() bool {
	rates := make([]int32, (t.Top+1)*(t.Top+1)) // by levels
	for s := range int32(t.G.NumSwitches) {
		for i, v := range t.Bundles(s) {
			known := &rates[t.Level[s]*(t.Top+1)+t.Level[v]]
			for _, rate := range t.LinkRate[t.LinkStart[i]:t.LinkStart[i+1]] {
				if *known > 0 && rate > 0 && *known != rate {
					return false
				}
				*known = max(*known, rate)
			}
		}
	}
	return true
}

// isUniform reports whether all switches of a level have equally many neighbours above and below,
// over equally many links.
func (t *tree) isUniform() bool {
	type shape struct{ up, down, linksUp, linksDown int32 }
	shapes := make([]*shape, t.Top+1)
	for s := range int32(t.G.NumSwitches) {
		var is shape
		for i, v := range t.Bundles(s) {
			n, links := &is.up, &is.linksUp
			switch d := t.Level[v] - t.Level[s]; {
			case d == 0:
				continue
			case d < 0:
				n, links = &is.down, &is.linksDown
			}
			width := t.LinkStart[i+1] - t.LinkStart[i]
			if *n > 0 && *links != width {
				return false
			}
			*n, *links = *n+1, width
		}
		if known := shapes[t.Level[s]]; known == nil {
			shapes[t.Level[s]] = &is
		} else if *known != is {
			return false
		}
	}
	return true
}
