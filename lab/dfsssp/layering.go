package dfsssp

import (
	"context"
	"fmt"

	"weft/lab"
)

// layering compares the offline with the online algorithm of section IV in time and memory.
func (p *paper) layering(ctx context.Context, s *lab.Setup) *lab.Result {
	t := timesTable("layering", "Offline and online layering")
	faster := lab.NewClaim(`4,096 nodes: the online algorithm takes about 42 times as long as the offline one (21 to 84)`, "nearly 2 h against 170 s")
	memory := lab.NewClaim("4,096 nodes: the offline algorithm's lists of paths take 340 MByte more (within a factor of 2)", "340 MByte")
	var ratio, size span
	for _, k := range []kind{xgft, kautz, kary} {
		all := table1Networks(k, lab.Pick(s, 1024, 4096))
		n := network{all[len(all)-1].name + " " + string(k), all[len(all)-1].formula}
		if !s.Want(n.name) {
			continue
		}
		for _, e := range []string{minhop, sssp, weftsForm, weftsOnline} {
			p.timed(ctx, s, &t, n, e)
		}
		lists := p.lists(ctx, s, n)
		online := searchTime(ctx, s, p, n) * float64(lists.pairs)
		t.Add(n.name, dfsssp, lab.Num(lists.seconds), count(lists.lanes), lab.Num(megabytes(lists.entries)), "algorithm 2 with lists of pairs")
		t.Add(n.name, "dfsssp online", lab.Num(online), "-", "-", "one search of the whole graph, times the pairs of hosts")
		ratio.add(online / lists.seconds)
		size.add(megabytes(lists.entries))
	}
	if ratio.seen > 0 {
		faster.Judge(ratio.low >= 21 && ratio.high <= 84, "%s to %s times", lab.Num(ratio.low), lab.Num(ratio.high))
		memory.Judge(size.low >= 170 && size.high <= 680, "%s to %s MB, 8 bytes a pair and edge", lab.Num(size.low), lab.Num(size.high))
		if faster.Verdict == lab.Differs {
			faster.Why = "The text's search for each path is taken as one of the whole graph with all paths in it; a graph that grows, or a search from the new path alone, takes less. Weft's online layering, which searches only where a path breaks the order of the channels, stands in the table."
		}
	}
	claims := []lab.Claim{faster, memory, p.rangerLists(ctx, s)}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{onlineNote}}
}

// rangerLists returns the claim about the lists of the largest system.
func (p *paper) rangerLists(ctx context.Context, s *lab.Setup) lab.Claim {
	c := lab.NewClaim("Ranger: the lists of paths take 540 MByte more (within a factor of 2)", "540 MByte")
	if s.Want("Ranger lists") && s.Mode == lab.Full {
		r := lab.Must(s.Route(ctx, p.graph(s, network{"Ranger", "ranger"}), routingOf(s, sssp)))
		mb := megabytes(listEntries(ctx, r))
		c.Judge(mb >= 270 && mb <= 1080, "%s MB, 8 bytes a pair and edge", lab.Num(mb))
	}
	return c
}

const onlineNote = "Weft's online layering keeps the channels in order (Pearce and Kelly) and searches only where a path breaks it; the paper's searches the whole layer for a cycle for each path." +
	" The memory that the paper's offline algorithm takes more is lists of paths, which weft finds from the tables instead."

// searchTime measures one search of the dependency graph of all paths between hosts, in seconds.
func searchTime(ctx context.Context, s *lab.Setup, p *paper, n network) float64 {
	const searches = 20
	used := usedEdges(lab.Must(s.Route(ctx, p.graph(s, n), lab.Routing{Engine: onceSSSP, Workers: 1})))
	cost := lab.Must(s.Measure(func() error {
		for range searches {
			used.search()
		}
		return ctx.Err()
	}))
	return cost.Seconds / searches
}

// span is a range of numbers.
type span struct {
	low, high float64
	seen      int
}

func (r *span) add(v float64) {
	if r.seen == 0 {
		r.low, r.high = v, v
	}
	r.low, r.high, r.seen = min(r.low, v), max(r.high, v), r.seen+1
}

func (r *span) text() string {
	return fmt.Sprintf("%s to %s (%d networks)", lab.Num(r.low), lab.Num(r.high), r.seen)
}

// usedEdges returns a layer with the edges of all paths between hosts.
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

// search visits everything that a cycle search of the whole layer would visit.
func (o *onlineLayer) search() {
	o.now++
	for c := range int32(o.e.g.NumChannels) {
		if o.seen[c] != o.now {
			o.visit(c, -1)
		}
	}
}
