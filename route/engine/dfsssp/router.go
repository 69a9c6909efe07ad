package dfsssp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
	"weft/route/lanes"
)

// errLanes is the error for paths that do not fit into the lanes.
var errLanes = errors.New("dfsssp: the paths need more lanes")

const (
	batch      = 16 // destination switches searched at once
	sameAsBase = -1 // slack of LIDs that take the path to their base LID
)

// slack is the load that a path may have beyond the least for the sake of its lane, in sixteenths
// of the least load: for a base LID, and for another LID.
type slack struct{ base, others int }

// buildFewLanes routes every LID over paths on few lanes. Of the shortest paths it takes the least
// loaded one that the first lane can have without a cycle, otherwise one on the first possible
// lane. The returned lanes have all paths. Base LIDs come first, as if there were no others.
//
// The first lane begins with an up*/down* order of the channels, and changes it where it must. Port
// 0 of a switch gets the shortest path that is possible on the first lane, which may be longer than
// the shortest of all. So do hosts from a switch without hosts that no path between hosts passes.
//
// Hosts are routed in several passes. Paths of one pass stay on their lanes for the next, which may
// take more lanes for it.
func buildFewLanes(ctx context.Context, in *route.Input, u *upDown, slack slack, passes int) (*route.Tables, *lanes.Acyclic, error) {
	g := in.Graph
	r := newRouter(in, shortest.NewLoads(g), route.NewTables(g.NumSwitches, in.Ends.Top()), u)
	order := r.ByHosts()
	hosted := r.Hosted(order)
	search := func(_ int, to int32, w *shortest.Ways) { w.Search(g, r.Head, to) }
	for _, part := range columns.PartsByKind(in) {
		if r.slack = int64(slack.base); part.First > 0 {
			r.slack = int64(slack.others)
		}
		if r.slack == sameAsBase {
			r.followBase(&in.Ends)
			break
		}
		last := part.PortZero
		part.PortZero = false
		for pass := range passes {
			part.Again = pass > 0
			err := columns.Route(ctx, in, r.tables, part, hosted, batch, search, func(c *columns.Columns, w *shortest.Ways) error {
				r.routeHosts(c, w, part.Again)
				return nil
			})
			if err != nil {
				return nil, nil, err
			}
		}
		if !last {
			continue
		}
		part.Hosts, part.PortZero, part.Again = false, true, false
		if err := r.routePortZeros(ctx, part, order); err != nil {
			return nil, nil, err
		}
	}
	if r.failed {
		return nil, nil, errLanes
	}
	return r.tables, r.lanes, nil
}

// router chooses the paths to one LID after another.
type router struct {
	*channels
	in     *route.Input
	tables *route.Tables
	lanes  *lanes.Acyclic
	slack  int64
	failed bool // some path fit on no lane

	tree   *tree   // paths to the current LID
	spare  []*tree // trees for reuse
	number []int32 // by switch: place in Ways.Order
	linked int     // number of tree.taken whose first edges are on the first lane
	moves  int     // moves of channels on the first lane, at the last reading of labels

	few  []shortest.Exit // scratch of placeOnLane
	path []int32         // scratch of pathFrom
	off  []int32         // scratch of enter
}

func newRouter(in *route.Input, loads *shortest.Loads, tables *route.Tables, u *upDown) *router {
	g := in.Graph
	l := lanes.NewAcyclic(g, u.list)
	return &router{
		channels: newChannels(loads, u, l.First().Labels()), in: in, lanes: l,
		tables: tables, tree: newTree(g.NumSwitches), number: make([]int32, g.NumSwitches),
	}
}

// routeHosts routes the LIDs of the hosts of a destination. In later passes (again) it first takes
// the paths of the previous pass off the loads.
func (r *router) routeHosts(c *columns.Columns, w *shortest.Ways, again bool) {
	r.enumerate(w)
	for column := range c.LIDs {
		if again {
			r.Read(c, column, w.Order)
			r.Count(w.Order, -shortest.Unit)
		}
		r.tree.reset(r.channels, c.To, len(w.Order)-1)
		r.linked, r.moves = 0, r.lanes.First().Moves()
		r.routeShortest(w)
		if r.tree.left > 0 {
			r.tree.joinRest(r.channels, w.Hops())
			r.placeRest(w)
		}
		r.enter(c, column)
		r.Count(w.Order, shortest.Unit)
	}
}

// enumerate stores the places of the switches in Ways.Order.
func (r *router) enumerate(w *shortest.Ways) {
	for k, s := range w.Order {
		r.number[s] = int32(k)
	}
}

// enter writes the ports of the paths into a column.
func (r *router) enter(c *columns.Columns, column int) {
	r.linkTaken()
	r.off = r.off[:0]
	for _, s := range r.tree.taken {
		p := &r.tree.of[s]
		c.Set(s, column, r.Port[p.first])
		r.First[s] = p.first
		if p.lane > 0 {
			r.off = append(r.off, s)
		}
	}
	r.lanes.SetOffFirst(c.LIDs[column], r.off)
}

// linkTaken adds to the first lane the edges of paths newly taken on it. They agree with its
// labels.
func (r *router) linkTaken() {
	for _, s := range r.tree.taken[r.linked:] {
		p := &r.tree.of[s]
		v := r.Head[p.first]
		if next := r.tree.of[v].first; next >= 0 && p.lane == 0 {
			r.lanes.First().Link(r.G.Out[p.first], next-r.G.OutStart[v])
		}
	}
	r.linked = len(r.tree.taken)
}

// routeShortest gives shortest paths to all switches with hosts, and to the switches on these
// paths; also to others, if the unchanged first lane allows one.
func (r *router) routeShortest(w *shortest.Ways) {
	for k, s := range w.Order[1:] {
		sum, least := leastSums(r.channels, r.tree, w.Exits(k))
		switch {
		case sum == least || shortest.Whole(sum) <= r.limit(shortest.Whole(least), r.Hosts[s] > 0):
			r.tree.take(r.channels, s, r.G.OutStart[s]+int32(sum%shortest.Unit), 0)
		case r.Hosts[s] > 0:
			r.placeOnLane(w, s)
		default:
			r.tree.of[s].load = shortest.Whole(least)
		}
	}
}

// leastSums is the inner loop. It returns two loads of the least loaded shortest path from a
// switch: among paths that the unchanged first lane allows, or beyond all limits if there is none,
// and among all. A switch without hosts and without a path counts as if it had one. The part below
// units names the channel. It is a function of its own so that it has all registers.
//
//go:noinline
func leastSums(x *channels, r *tree, exits []shortest.Exit) (sum, least int64) {
	load, of := x.Load, r.of
	label := x.label[:len(load)]
	sum, least = math.MaxInt64, math.MaxInt64
	for _, e := range exits {
		i, p := e.At(), &of[e.Head()]
		this := load[i] + p.load
		least = min(least, this)
		if label[i] >= p.label {
			this = math.MaxInt64
		}
		sum = min(sum, this)
	}
	return sum, least
}

// limit returns the maximum load of a path taken for its lane. If no host starts one, few paths
// depend on the choice, and the limit is higher.
func (r *router) limit(least int64, hosts bool) int64 {
	more := least / shortest.Unit * r.slack / 16 * shortest.Unit
	if !hosts {
		more = max(2*least, more)
	}
	return least + more
}

// load returns the load of the path over an exit.
func (r *router) load(e shortest.Exit) int64 {
	return shortest.Whole(r.Load[e.At()]) + r.tree.of[e.Head()].load
}

// placeOnLane gives switch s a shortest path on the first possible lane.
func (r *router) placeOnLane(w *shortest.Ways, s int32) {
	exits := w.ListExits(r.G, r.Head, int(r.number[s])-1)
	limit := r.placeBehind(w, exits)
	r.few = r.few[:0]
	for _, e := range exits {
		if r.load(e) <= limit {
			r.few = append(r.few, e)
		}
	}
	slices.SortStableFunc(r.few, func(x, y shortest.Exit) int { return cmp.Compare(r.load(x), r.load(y)) })
	r.linkTaken()
	i, lane := r.addToLane(r.few)
	r.readLabels()
	r.tree.take(r.channels, s, i, lane)
}

// readLabels reads the labels of the tree again if channels have moved.
func (r *router) readLabels() {
	if moves := r.lanes.First().Moves(); r.moves != moves {
		r.moves = moves
		r.tree.updateLabels(r.channels)
	}
}

// placeBehind gives paths to the switches behind the least loaded exits, until none is without, and
// returns the limit of load.
func (r *router) placeBehind(w *shortest.Ways, exits []shortest.Exit) int64 {
	_, least := leastSums(r.channels, r.tree, exits)
	limit := r.limit(shortest.Whole(least), true)
	for _, e := range exits {
		if v := int32(e.Head()); r.tree.of[v].lane == noLane && r.load(e) <= limit {
			r.placeOnLane(w, v)
			return r.placeBehind(w, exits)
		}
	}
	return limit
}

// addToLane adds the path over one of some exits to the first possible lane. It returns the
// position of the exit in Out, and the lane.
func (r *router) addToLane(exits []shortest.Exit) (i, lane int32) {
	of := r.tree.of
	for lane := range int32(lanes.MaxLanes) {
		for _, e := range exits {
			i, v := int32(e.At()), e.Head()
			if of[v].lane > lane {
				continue
			}
			if next := of[v].first; next >= 0 && r.lanes.Refuses(int(lane), r.G.Out[i], next-r.G.OutStart[v]) {
				continue
			}
			if r.lanes.Add(int(lane), r.pathFrom(i, lane)) {
				return i, lane
			}
		}
	}
	r.failed = true
	return int32(exits[0].At()), 0
}

// pathFrom lists the channels of a path, up to the first one on a lane.
func (r *router) pathFrom(i, lane int32) []int32 {
	r.path = r.path[:0]
	for has := false; i >= 0; i = r.tree.of[r.Head[i]].first {
		r.path = append(r.path, r.G.Out[i])
		if has {
			break
		}
		has = r.tree.of[r.Head[i]].lane == lane
	}
	return r.path
}

// placeRest gives shortest paths to the switches without one, for which the unchanged first lane
// allows none.
func (r *router) placeRest(w *shortest.Ways) {
	for _, s := range w.Order {
		if r.tree.of[s].lane == noLane {
			r.placeOnLane(w, s)
		}
	}
}

// followBase gives all other LIDs the path to their base LID.
func (r *router) followBase(ends *route.Ends) {
	for end, base := range ends.Base {
		for k := 1; k < ends.Count(int32(end)); k++ {
			lid := base + fabric.LID(k)
			for s := range int32(r.G.NumSwitches) {
				r.tables.Set(s, lid, r.tables.Port(s, base))
			}
			r.lanes.SetOffFirst(lid, r.lanes.OffFirst(base))
		}
	}
}
