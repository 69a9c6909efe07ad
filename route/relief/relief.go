// Package relief moves paths of a finished Plan away from links where packets of many pairs of hosts meet. It
// does not know which engine made the Plan, and neither lengthens a path nor needs a lane more.
//
// # What meets
//
// Three prices are added up on the links of a path. The first is for random traffic: the number of pairs of hosts on a
// link whose packets could meet there with those of the path. Pairs with the same source or the same destination
// do not count, since a host sends and receives one packet at a time; so a link that serves few destinations is
// no burden, however many send by it. Engines count all pairs alike (route/engine/sssp), and that is what this adds to
// them. The second is for all-to-all by shifts, where the round is known in which each pair sends, and so
// the packets that it meets: one more costs the sixth power of the share of the round's largest load that the
// link then has. The third keeps pairs off the link that most of them pass: the same power of the share of the largest number
// of pairs on any link. What makes a link as loaded as the most loaded one costs part of what a mean path
// costs by the first price (shiftEighths, loadEighths).
//
// # Moves
//
// Destination after destination, and for each its switches from the farthest on: the packets that pass the
// switch are taken off, and take the next hop from which the rest of the way, as it is, is cheapest. Hops are
// taken only towards a switch that was nearer to the destination before, so that no path grows and none goes
// round. Three sweeps at most.
//
// # Freedom from deadlock
//
// Each VL has an order of its channels in which all dependencies of the Plan lead forwards (route/cdg). A move is
// made only if its dependencies can be added; none is taken out when a path has left it. On several
// VLs nothing is promised to clients that know no path records and send on the wrong one.
//
// # Cost
//
// O(pairs of hosts x ways out of a switch x hops squared) a sweep, and 4 bytes for each pair of a channel
// and a host or switch: Plans with more than mostCells such pairs are refused, as are those whose packets change
// lane on their way, and those of hosts with several LIDs or ports.
package relief

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/rounds"
)

// mostCells is the number of channels x (hosts and switches) up to which Plans are relieved: 64 MB.
const mostCells = 1 << 24

// All destinations are gone through sweeps times at most. A sweep that takes less than 1/leastFall off the sum of
// the rounds' largest loads is the last one.
const (
	sweeps    = 3
	leastFall = 128
)

// relief is the work on one Plan.
type relief struct {
	g     *fabric.Graph
	plan  *route.Plan
	hosts []int32 // that have a LID, in the order of switches and their ports: the ranks of shifts
	count []int32 // by switch: how many of them it has
	first []int32 // by switch: rank of its first
	meetings
	column
	lanes
	offers []offer // scratch of choose
}

// Impossible is the error of a Plan whose paths Run does not move.
type Impossible struct{ Reason string }

func (e *Impossible) Error() string { return "relief: " + e.Reason }

// Run returns a Plan whose paths were moved; the one given stays as it is. Errors: *Impossible, or the context's.
func Run(ctx context.Context, g *fabric.Graph, plan *route.Plan) (*route.Plan, error) {
	r, err := newRelief(ctx, g, plan)
	if err != nil {
		return nil, err
	}
	return r.plan, r.run(ctx)
}

// newRelief counts what meets in a Plan, and takes a copy of it to change.
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
	r.column, r.meetings = newColumn(g, r.plan), newMeetings(g, len(r.hosts))
	return r, r.readAll(ctx)
}

// run moves paths until that takes little more off.
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
			return &Impossible{"hosts have several ports, and their paths may be kept apart"}
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

// readAll counts the packets of all pairs of hosts, and notes the dependencies of all paths, those from and to switches too.
func (r *relief) readAll(ctx context.Context) error {
	for end, base := range r.plan.Ends.Base {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range r.plan.Ends.Count(int32(end)) {
			r.column.read(r.g.EndSwitch[end], base+fabric.LID(k), r.count)
			r.noteDependencies(int32(end), base+fabric.LID(k), &r.column)
		}
	}
	if err := r.arrange(); err != nil {
		return err
	}
	for rank, h := range r.hosts {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.column.read(r.g.EndSwitch[h], r.plan.Ends.Base[h], r.count)
		for _, x := range r.order {
			if r.count[x] == 0 {
				continue
			}
			r.source = append(r.source[:0], x)
			r.put(r.next[x], int32(rank), 1)
		}
		r.noteSquares()
	}
	return nil
}

// noteSquares adds up, for the mean price, what pairs with the same destination do not meet.
func (r *relief) noteSquares() {
	for _, x := range r.order {
		r.squares += r.weight[r.next[x]] * r.flow[x] * r.flow[x]
	}
}

// put adds the packets of r.source to a destination on the path that begins with a channel, or removes them with sign -1.
func (r *relief) put(c, rank int32, sign int64) {
	for ; c >= 0; c = r.next[r.g.To[c]] {
		for _, x := range r.source {
			r.add(c, x, r.first[x], r.count[x], rank, sign)
		}
	}
}

// sweep goes through all destinations once and returns the number of entries that it moved.
func (r *relief) sweep(ctx context.Context) (moved int, err error) {
	r.squares = 0
	for rank, h := range r.hosts {
		if err := ctx.Err(); err != nil {
			return moved, err
		}
		lid := r.plan.Ends.Base[h]
		r.column.read(r.g.EndSwitch[h], lid, r.count)
		r.setSent(h, lid)
		for _, x := range r.order {
			if r.flow[x] > 0 && r.hasChoice(x) && r.choose(x, int32(rank)) {
				r.plan.Tables.Set(x, lid, r.g.FromPort[r.next[x]])
				moved++
			}
		}
		r.noteSquares()
	}
	return moved, nil
}

// offer is a next hop that is cheaper than the one taken now.
type offer struct {
	c    int32
	cost int64
}

// choose moves the packets that pass a switch to the cheapest next hop, and reports whether that is another one.
func (r *relief) choose(x, rank int32) bool {
	r.gather(x, r.count)
	old, n := r.next[x], r.flow[x]
	r.put(old, rank, -1)
	r.changeFlow(old, -n)
	least := r.cost(old, rank, n, 1<<62)
	r.offers = r.offers[:0]
	for _, c := range r.g.OutOf(x) {
		if c != old && r.leadsNearer(x, c) {
			if cost := r.cost(c, rank, n, least); cost < least {
				r.offers = append(r.offers, offer{c, cost})
			}
		}
	}
	slices.SortStableFunc(r.offers, func(a, b offer) int { return cmp.Compare(a.cost, b.cost) })
	chosen := old
	for _, o := range r.offers {
		if r.lanes.admit(&r.column, x, o.c) {
			chosen = o.c
			break
		}
	}
	if chosen != old {
		r.move(x, chosen)
	}
	r.changeFlow(chosen, n)
	r.put(chosen, rank, 1)
	return chosen != old
}

// cost is the price of n packets, those of r.source, on the path that begins with a channel, as far as it stays below a limit.
func (r *relief) cost(c, rank int32, n, limit int64) (sum int64) {
	flow := int64(0) // others to this destination by channel c
	for ; c >= 0 && sum < limit; c = r.next[r.g.To[c]] {
		meet, shifts := n*(r.load[c]-flow), int64(0)
		for _, x := range r.source {
			meet -= int64(r.count[x]) * int64(r.from[int(c)*len(r.count)+int(x)])
			shifts += r.priceOf(c, r.first[x], r.count[x], rank)
		}
		extra := shiftEighths*shifts + loadEighths*r.priceOfLoad(c, n)
		sum += meet*r.weight[c] + extra*r.mean/(8*rounds.PacketPrice)
		flow = r.flow[r.g.To[c]]
	}
	return sum
}
