package dfsssp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"weft/lab"
)

// layering compares the offline with the online algorithm in time and memory.
func layering(ctx context.Context, s *lab.Setup) *lab.Result {
	var nets []network
	for _, k := range []kind{xgft, kautz, kary} {
		all := table1Networks(k, lab.Pick(s, 1024, 4096))
		n := all[len(all)-1]
		nets = append(nets, network{n.name + " " + string(k), n.formula})
	}
	t, r := timing(ctx, s, "layering", "Offline and online layering", nets, []string{"minhop", onceSSSP, "dfsssp", "dfsssp-online", plainDFSSSP})
	faster := lab.NewClaim("offline is much faster than online (4,096 endpoints, \"a synthetic network\")", "170 s against nearly 2 h: about 42 times")
	low, high := 0.0, 0.0
	for _, n := range nets {
		off, on, paths := r[n.name][plainDFSSSP], r[n.name]["dfsssp-online"], r[n.name][onceSSSP]
		if off <= paths || on == 0 {
			continue
		}
		ratio := on / off
		if high == 0 {
			low = ratio
		}
		low, high = min(low, ratio), max(high, ratio)
	}
	if high > 0 {
		faster.Judge(low > 10, "%s to %s times", lab.Num(low), lab.Num(high))
	}
	explainOnline(ctx, s, nets, r, &faster)
	size := r.plainForms(ctx, s, &t, nets)
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{faster, listClaim(size)}, Notes: []string{onlineNote}}
}

// listClaim is about the memory of the lists of paths, by network.
func listClaim(size map[string]float64) lab.Claim {
	c := lab.NewClaim("the offline algorithm's lists of paths take 340 MByte more (4,096 endpoints, within a factor of 2)", "340 MByte")
	if len(size) > 0 {
		sizes := slices.Sorted(maps.Values(size))
		low, high := sizes[0], sizes[len(sizes)-1]
		c.Judge(low >= 170 && high <= 680, "%s to %s MB, 8 bytes a pair and edge", lab.Num(low), lab.Num(high))
	}
	return c
}

const onlineNote = "Weft's online layering keeps the channels in order (Pearce and Kelly) and searches only where a path breaks it; the paper's searches the whole layer for a cycle after each path." +
	" The memory that the paper's offline algorithm takes more is lists of paths, which weft finds from the tables instead: a row of its own has the lists."

// explainOnline puts the paper's search, one of the whole graph for each pair of
// hosts, in place of weft's: the time of one search times the number of pairs.
func explainOnline(ctx context.Context, s *lab.Setup, nets []network, r runtimes, c *lab.Claim) {
	if c.Verdict != lab.Differs {
		return
	}
	least, tried := math.Inf(1), ""
	for _, n := range nets {
		offline := r[n.name][plainDFSSSP]
		g := n.graph()
		t := lab.Must(s.Route(ctx, g, lab.Routing{Engine: onceSSSP, Workers: 1}))
		const searches = 20
		used := usedEdges(t)
		cost := lab.Must(s.Measure(func() error {
			for range searches {
				used.search()
			}
			return ctx.Err()
		}))
		if offline == 0 {
			continue
		}
		online := cost.Seconds / searches * float64(g.NumHosts) * float64(g.NumHosts-1)
		least = min(least, online/offline)
		tried += fmt.Sprintf("; %s: %s s, %s times", n.name, lab.Num(online), lab.Num(online/offline))
	}
	c.Explain(least > 10 && tried != "", "Experiment, a search of the whole graph for each pair of hosts (the time of one, times the pairs)%s.", tried)
}

// usedEdges is a layer with the edges of all paths between hosts.
func usedEdges(t *lab.Trial) *onlineLayer {
	e := newEdges(t.Graph)
	layer := newOnlineLayer(e)
	var path []int32
	for end, lid := range t.Plan.Ends.Base[:t.Graph.NumHosts] {
		for s := range int32(t.Graph.NumSwitches) {
			if len(t.Graph.HostsOf(s)) == 0 {
				continue
			}
			path = e.path(path[:0], t.Plan, s, lid, t.Graph.EndSwitch[end])
			for _, place := range path {
				layer.has[place] = true
			}
		}
	}
	return layer
}

// search visits all that a cycle search of the whole layer would.
func (o *onlineLayer) search() {
	o.now++
	for c := range int32(o.e.g.NumChannels) {
		if o.seen[c] != o.now {
			o.visit(c, -1)
		}
	}
}
