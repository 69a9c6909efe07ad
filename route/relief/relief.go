// Package relief moves paths of a finished Plan away from links where packets of many pairs of
// hosts meet. It does not know which engine made the Plan. It never lengthens a path and needs no
// further lane.
//
// # Meetings
//
// Three prices add up over the links of a path. The first is for random traffic: the number of
// pairs of hosts whose packets could meet the path's on a link. Pairs with the same source or the
// same destination do not count, since a host sends and receives one packet at a time. So a link
// with few destinations is no burden, however many hosts send over it. Engines count all pairs
// alike (route/engine/sssp); this is the refinement.
//
// The second price is for all-to-all by shifts, in which the round of each pair is known, and so
// the packets that it meets. One more packet costs the sixth power of the link's new share of the
// round's largest load. The third price keeps pairs off the link with the most pairs: the same
// power of the share of the largest number of pairs on any link. Making a link as loaded as the
// most loaded one costs a fraction of a mean path's first price (shiftEighths, loadEighths).
//
// # Moves
//
// Relief takes destination after destination, and for each its switches from the farthest on. It
// takes the packets through the switch off, and gives them the next hop with the cheapest rest of
// the way, as it is now. Next hops lead only to a switch that was nearer to the destination before,
// so that no path grows and none loops. There are at most three sweeps.
//
// # Freedom from deadlock
//
// Each VL has an order of its channels in which all dependencies of the Plan lead forwards
// (route/internal/cdg). Relief makes a move only if its dependencies can be added; it removes none
// when a path moves away. On several VLs clients that know no path records and send on the wrong
// one get no guarantee.
//
// # Jobs
//
// ForJobs moves paths for jobs, with prices and moves of its own: docs/design/2026-11-29-jobs.md.
//
// # Cost
//
// O(pairs of hosts x ways out of a switch x hops squared) a sweep, and 4 bytes for each pair of a
// channel and a host or switch. Plans with more than mostCells such pairs are refused, and so are
// Plans whose packets change lanes, or whose hosts have several LIDs or ports.
package relief

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/intree"
	"weft/route/internal/rounds"
)

// mostCells is the maximum number of channels x (hosts and switches): 64 MB.
const mostCells = 1 << 24

// There are at most sweeps sweeps over all destinations. A sweep that lowers the sum of the rounds'
// largest loads by less than 1/leastFall is the last one.
const (
	sweeps    = 3
	leastFall = 128
)

// relief is the state for one Plan.
type relief struct {
	g     *fabric.Graph
	plan  *route.Plan
	hosts []int32 // hosts with a LID, in the order of switches and their ports: the ranks of shifts
	count []int32 // by switch: its number of these hosts
	first []int32 // by switch: rank of its first one
	meetings
	*intree.Tree
	lanes
	offers []offer // scratch of choose
}

// Impossible is the error of a Plan whose paths Run cannot move.
type Impossible struct{ Reason string }

func (e *Impossible) Error() string { return "relief: " + e.Reason }

// Run returns a Plan with moved paths; the given Plan stays unchanged. Errors: *Impossible, or the
// context's.
func Run(ctx context.Context, g *fabric.Graph, plan *route.Plan) (*route.Plan, error) {
	r, err := newRelief(ctx, g, plan)
	if err != nil {
		return nil, err
	}
	return r.plan, r.run(ctx)
}

// newRelief counts the meetings in a Plan, and copies it for changes.
func newRelief(ctx context.Context, g *fabric.Graph, plan *route.Plan) (*relief, error) {
	out := *plan
	out.Tables = plan.Tables.Clone()
	r := &relief{g: g, plan: &out, count: make([]int32, g.NumSwitches), first: make([]int32, g.NumSwitches)}
	if err := r.listHosts(); err != nil {
		return nil, err
	}
	if err := r.lanes.read(g, r.plan); err != nil {
		return nil, err
	}
	r.Tree, r.meetings = intree.New(g), newMeetings(g, len(r.hosts))
	return r, r.readAll(ctx)
}

// run moves paths until a sweep gains little.
func (r *relief) run(ctx context.Context) error {
	before := int64(-1)
	for range sweeps {
		sum := r.setPrices(r.count)
		if before >= 0 && sum > before-before/leastFall {
			break
		}
		before = sum
		if moved, err := r.sweep(ctx); err != nil || moved == 0 {
			return err
		}
	}
	return nil
}

// listHosts lists the hosts with a LID by switch and port.
func (r *relief) listHosts() error {
	g, ends := r.g, &r.plan.Ends
	for h := range int32(g.NumHosts) {
		if !g.IsHost(h) || ends.Base[h] == 0 {
			continue
		}
		switch node := g.EndNode[h]; {
		case ends.LMC[h] > 0:
			return &Impossible{"hosts have several LIDs"}
		case g.NodeStart[node+1]-g.NodeStart[node] > 1:
			return &Impossible{"hosts have several ports, whose paths may be separate on purpose"}
		}
		r.hosts = append(r.hosts, h)
	}
	if n := len(r.hosts) + g.NumSwitches; n*g.NumChannels > mostCells {
		return &Impossible{fmt.Sprintf("the network is too large: %d channels x %d hosts and switches, more than %d million", g.NumChannels, n, mostCells/1_000_000)}
	}
	slices.SortFunc(r.hosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]), cmp.Compare(g.EndPort[a], g.EndPort[b]))
	})
	for rank, h := range slices.Backward(r.hosts) {
		s := g.EndSwitch[h]
		r.first[s] = int32(rank)
		r.count[s]++
	}
	return nil
}

// readAll counts the packets of all pairs of hosts, and the dependencies of all paths, including
// those from and to switches.
func (r *relief) readAll(ctx context.Context) error {
	for end, base := range r.plan.Ends.Base {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range r.plan.Ends.Count(int32(end)) {
			r.Tree.Read(r.plan.Tables, r.g.EndSwitch[end], base+fabric.LID(k), r.count)
			r.noteDependencies(int32(end), base+fabric.LID(k), r.Tree)
		}
	}
	if err := r.arrange(); err != nil {
		return err
	}
	for rank, h := range r.hosts {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Tree.Read(r.plan.Tables, r.g.EndSwitch[h], r.plan.Ends.Base[h], r.count)
		for _, x := range r.Order {
			if r.count[x] == 0 {
				continue
			}
			r.Source = append(r.Source[:0], x)
			r.put(r.Next[x], int32(rank), 1)
		}
		r.noteSquares()
	}
	return nil
}

// noteSquares adds up pairs with the same destination, which do not meet, for the mean price.
func (r *relief) noteSquares() {
	for _, x := range r.Order {
		r.squares += r.weight[r.Next[x]] * r.Flow[x] * r.Flow[x]
	}
}

// put adds the packets of r.Source to a destination to the path over a channel, or removes them
// with sign -1.
func (r *relief) put(c, rank int32, sign int64) {
	for ; c >= 0; c = r.Next[r.g.To[c]] {
		for _, x := range r.Source {
			r.add(c, x, r.first[x], r.count[x], rank, sign)
		}
	}
}

// sweep visits all destinations once and returns the number of moved entries.
func (r *relief) sweep(ctx context.Context) (moved int, err error) {
	r.squares = 0
	for rank, h := range r.hosts {
		if err := ctx.Err(); err != nil {
			return moved, err
		}
		lid := r.plan.Ends.Base[h]
		r.Tree.Read(r.plan.Tables, r.g.EndSwitch[h], lid, r.count)
		r.setSent(h, lid)
		for _, x := range r.Order {
			if r.Flow[x] > 0 && r.HasChoice(x) && r.choose(x, int32(rank)) {
				r.plan.Tables.Set(x, lid, r.g.FromPort[r.Next[x]])
				moved++
			}
		}
		r.noteSquares()
	}
	return moved, nil
}

// offer is a cheaper next hop than the present one.
type offer struct {
	c    int32
	cost int64
}

// choose moves the packets through a switch to the cheapest next hop, and reports whether it
// changed.
func (r *relief) choose(x, rank int32) bool {
	r.Gather(x, r.count)
	old, n := r.Next[x], r.Flow[x]
	r.put(old, rank, -1)
	r.ChangeFlow(old, -n)
	least := r.cost(old, rank, n, 1<<62)
	r.offers = r.offers[:0]
	for _, c := range r.g.OutOf(x) {
		if c != old && r.LeadsNearer(x, c) {
			if cost := r.cost(c, rank, n, least); cost < least {
				r.offers = append(r.offers, offer{c, cost})
			}
		}
	}
	slices.SortStableFunc(r.offers, func(a, b offer) int { return cmp.Compare(a.cost, b.cost) })
	chosen := old
	for _, o := range r.offers {
		if r.lanes.admit(r.Tree, x, o.c) {
			chosen = o.c
			break
		}
	}
	if chosen != old {
		r.Move(x, chosen)
	}
	r.ChangeFlow(chosen, n)
	r.put(chosen, rank, 1)
	return chosen != old
}

// cost returns the price of n packets, those of r.Source, on the path over a channel; at a limit it
// stops.
func (r *relief) cost(c, rank int32, n, limit int64) (sum int64) {
	flow := int64(0) // others to this destination by channel c
	for ; c >= 0 && sum < limit; c = r.Next[r.g.To[c]] {
		meet, shifts := n*(r.load[c]-flow), int64(0)
		for _, x := range r.Source {
			meet -= int64(r.count[x]) * int64(r.from[int(c)*len(r.count)+int(x)])
			shifts += r.priceOf(c, r.first[x], r.count[x], rank)
		}
		extra := shiftEighths*shifts + loadEighths*r.priceOfLoad(c, n)
		sum += meet*r.weight[c] + extra*r.mean/(8*rounds.PacketPrice)
		flow = r.Flow[r.g.To[c]]
	}
	return sum
}
