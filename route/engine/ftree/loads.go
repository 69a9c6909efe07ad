package ftree

import (
	"bytes"
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// linkLoads counts, for every link, the paths of all pairs of hosts. A path is counted from
// every host to every LID of the other hosts.
type linkLoads struct {
	t      *tree
	order  *lidOrder
	ends   *route.Ends
	tables *route.Tables
	load   []int64   // by link
	head   []int32   // by link: switch to which it leads
	number []uint8   // by port, as in Graph.PortStart: number of its link among those of the switch
	sends  [][]uint8 // by LID of a host, switch: number of the link it takes; the tables by LID
}

// noNumber stands for the number of a link where there is none.
const noNumber = route.NoPort

func newLinkLoads(in *route.Input, t *tree, order *lidOrder, tables *route.Tables) *linkLoads {
	n := len(t.linkPort)
	l := &linkLoads{
		t: t, order: order, ends: &in.Ends, tables: tables,
		load: make([]int64, n), head: make([]int32, n), number: bytes.Repeat([]byte{noNumber}, len(t.g.PortVLs)),
	}
	l.eachLink(func(s, i, p int32) {
		l.head[p], l.number[t.g.PortStart[s]+int32(t.linkPort[p])] = t.neighbour[i], uint8(p-t.firstLink(s))
	})
	return l
}

// eachLink visits all links with the switch and the bundle that they belong to.
func (l *linkLoads) eachLink(visit func(s, bundle, link int32)) {
	for s := range int32(l.t.g.NumSwitches) {
		for i := range l.t.bundles(s) {
			for p := l.t.linkStart[i]; p < l.t.linkStart[i+1]; p++ {
				visit(s, i, p)
			}
		}
	}
}

// targets lists the switches with hosts, in the order of the LIDs.
func (l *linkLoads) targets() []int32 {
	var targets []int32
	for _, s := range l.order.switches {
		if len(l.t.g.HostsOf(s)) > 0 {
			targets = append(targets, s)
		}
	}
	return targets
}

// highest returns the load of the most loaded link, and the mean of all that carry any.
func (l *linkLoads) highest() (most, mean int64) {
	links := int64(0)
	for _, n := range l.load {
		if most = max(most, n); n > 0 {
			mean += n
			links++
		}
	}
	return most, mean / max(links, 1)
}

// set sends a LID of a host over a link.
func (l *linkLoads) set(m move) {
	l.tables.Set(m.s, m.lid, l.t.linkPort[m.link])
	l.sends[m.lid][m.s] = uint8(m.link - l.t.firstLink(m.s))
}

// read copies the tables to sends, so that all that is sent to one LID lies together.
func (l *linkLoads) read(ctx context.Context, workers int) error {
	g, ends := l.t.g, l.ends.ByLID()
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

// measure reads the tables and counts the paths to the LIDs of some columns.
func (l *linkLoads) measure(ctx context.Context, r *reachability, cols columns, numWorkers int) error {
	if err := l.read(ctx, numWorkers); err != nil {
		return err
	}
	workers, loads := l.newWorkers(r, max(1, numWorkers)), make([][]int64, max(1, numWorkers))
	for i := range loads {
		loads[i] = make([]int64, len(l.load))
	}
	targets := l.targets()
	err := par.For(ctx, numWorkers, len(targets), func(worker, i int) error {
		w := workers[worker]
		w.eachLID(targets[i], cols, func(hops *nextHops, at hostLID) {
			w.followTables(hops, at.lid)
			w.paths.gather(l.t.g, hops)
			w.paths.count(hops, loads[worker], 1)
		})
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

// columns is a range of LIDs of every host: column 0 is the base LIDs, column k the LIDs base + k.
type columns struct{ first, end int }

// baseLIDs is the column of the base LIDs.
var baseLIDs = columns{0, 1}

// hostLID is a LID of a host. Its number counts from the base LID.
type hostLID struct {
	end    int32
	number int
	lid    fabric.LID
	high   bool // a link on its paths has more than its limit
}

// lidPaths holds the paths of all switches to one LID, by switch.
type lidPaths struct {
	link []int32 // link that the switch takes
	next []int32 // switch to which that leads
	flow []int64 // paths of hosts that come through the switch
	cost []int64 // load of all links of its path together, or of the most loaded one
}

// gather adds up the paths of all hosts that come through each switch, the farthest first.
func (p *lidPaths) gather(g *fabric.Graph, hops *nextHops) {
	for _, s := range hops.order {
		p.flow[s] = int64(g.HostCount(s))
	}
	p.flow[hops.target] = 0
	for k := len(hops.order) - 1; k >= 0; k-- {
		s := hops.order[k]
		p.flow[p.next[s]] += p.flow[s]
	}
}

// count adds the paths to the loads of the links that they take, or removes them with sign -1.
func (p *lidPaths) count(hops *nextHops, load []int64, sign int64) {
	for _, s := range hops.order {
		load[p.link[s]] += sign * p.flow[s]
	}
}

// loadWorker looks at the paths to one LID after the other.
type loadWorker struct {
	*linkLoads
	nextHopCache
	paths    lidPaths
	siblings siblingPaths
	pending  changeSet
	lids     []hostLID // of the target
	above    []bool    // by switch: a link of its path has more than its limit
}

// newWorkers makes workers for the same tables and loads.
func (l *linkLoads) newWorkers(r *reachability, count int) []*loadWorker {
	n := l.t.g.NumSwitches
	workers := make([]*loadWorker, count)
	for i := range workers {
		workers[i] = &loadWorker{
			linkLoads: l, nextHopCache: nextHopCache{r: r}, above: make([]bool, n),
			paths:    lidPaths{make([]int32, n), make([]int32, n), make([]int64, n), make([]int64, n)},
			siblings: siblingPaths{marks: make([]int32, n), firstBehind: make([]int32, n), nextBehind: make([]int32, n)},
			pending:  changeSet{delta: make([]int64, len(l.load))},
		}
	}
	return workers
}

// listLIDs lists the LIDs of the hosts of a switch that are in some columns.
func (w *loadWorker) listLIDs(target int32, cols columns) {
	w.lids = w.lids[:0]
	for _, end := range w.t.g.HostsOf(target) {
		for k := cols.first; k < min(cols.end, w.ends.Count(end)); k++ {
			w.lids = append(w.lids, hostLID{end: end, number: k, lid: w.ends.Base[end] + fabric.LID(k)})
		}
	}
}

// eachLID visits the LIDs of the hosts of a switch that are in some columns, with the next hops to it.
func (w *loadWorker) eachLID(target int32, cols columns, visit func(hops *nextHops, at hostLID)) {
	w.listLIDs(target, cols)
	if len(w.lids) == 0 {
		return
	}
	hops := w.towards(target)
	for _, at := range w.lids {
		visit(hops, at)
	}
}

// followTables reads the paths to a LID from the tables.
func (w *loadWorker) followTables(hops *nextHops, lid fabric.LID) {
	sends := w.sends[lid]
	for _, s := range hops.order {
		p := w.t.firstLink(s) + int32(sends[s])
		w.paths.link[s], w.paths.next[s] = p, w.head[p]
	}
}

// routeByLoad routes one LID after the other along shortest legal paths, on which the paths
// chosen so far put the least load in all (balance=load): algorithm 1 of paper 003 on the paths of
// a tree. The base LIDs of all hosts and the switches come first, as with one LID a host.
func routeByLoad(ctx context.Context, in *route.Input, r *reachability, order *lidOrder) (*route.Tables, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	w := newLinkLoads(in, r.t, order, tables).newWorkers(r, 1)[0]
	for k := range 1 << in.Ends.MaxLMC() {
		for _, target := range order.switches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			w.eachLID(target, columns{k, k + 1}, func(hops *nextHops, at hostLID) {
				tables.Set(target, at.lid, g.EndPort[at.end])
				w.takeLeastLoad(hops, at.lid, k)
				w.paths.gather(g, hops)
				w.paths.count(hops, w.load, 1)
			})
			for _, end := range g.OthersOf(target) {
				if lid := in.Ends.Base[end] + fabric.LID(k); k < in.Ends.Count(end) {
					tables.Set(target, lid, g.EndPort[end])
					w.takeLeastLoad(w.towards(target), lid, k)
				}
			}
		}
	}
	return tables, nil
}

// takeLeastLoad chooses the paths to a LID by load, the nearest switches first. Of bundles of equal load
// it takes the first, for another column another one.
func (w *loadWorker) takeLeastLoad(hops *nextHops, lid fabric.LID, column int) {
	p := &w.paths
	p.cost[hops.target] = 0
	for k, s := range hops.order {
		bundles := hops.fromPlace(k)
		best := int32(-1)
		for n := range bundles {
			i := bundles[(n+column)%len(bundles)]
			for link := w.t.linkStart[i]; link < w.t.linkStart[i+1]; link++ {
				if cost := w.load[link] + p.cost[w.t.neighbour[i]]; best < 0 || cost < p.cost[s] {
					best, p.cost[s] = link, cost
				}
			}
		}
		p.link[s], p.next[s] = best, w.head[best]
		w.tables.Set(s, lid, w.t.linkPort[best])
	}
}

// isUniform reports whether the closed form fits: the switches of a level have as many
// neighbours above and below as each other, all over as many links.
func (t *tree) isUniform() bool {
	type shape struct{ up, down, linksUp, linksDown int32 }
	shapes := make([]*shape, t.top+1)
	for s := range int32(t.g.NumSwitches) {
		var is shape
		for i, v := range t.bundles(s) {
			n, links := &is.up, &is.linksUp
			switch d := t.level[v] - t.level[s]; {
			case d == 0:
				continue
			case d < 0:
				n, links = &is.down, &is.linksDown
			}
			width := t.linkStart[i+1] - t.linkStart[i]
			if *n > 0 && *links != width {
				return false
			}
			*n, *links = *n+1, width
		}
		if known := shapes[t.level[s]]; known == nil {
			shapes[t.level[s]] = &is
		} else if *known != is {
			return false
		}
	}
	return true
}
