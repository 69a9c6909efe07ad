package dfsssp

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/cdg"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
	"weft/route/engine/sssp"
	"weft/route/lanes"
)

// buildBalanced routes hosts over the paths of package sssp, all on the first lane if that
// takes them, else each on the first that does; with oneLane it fails instead. Then it leads to
// hosts the switches that no path between hosts passes, and all switches to port 0 of each
// other, over paths that the first lane has where it can. Unless others is set, all LIDs of a
// port take the path to its base LID.
func buildBalanced(ctx context.Context, in *route.Input, u *upDown, passes int, oneLane, others bool) (*route.Tables, *lanes.Acyclic, error) {
	r := newRouter(in, shortest.NewLoads(in.Graph), u)
	var err error
	if r.tables, err = sssp.Build(ctx, in, passes); err != nil {
		return nil, nil, err
	}
	r.hosts = newHostPaths(in.Graph)
	order := r.ByHosts()
	hosted := r.hosted(order)
	for k, part := range columns.Parts(&in.Ends) {
		if k > 0 && !others {
			r.followBase(&in.Ends)
			break
		}
		part.PortZero = false
		if err := r.linkHosts(ctx, part, hosted, oneLane); err != nil {
			return nil, nil, err
		}
		if err := r.completeHosts(ctx, part, hosted); err != nil {
			return nil, nil, err
		}
		part.Hosts, part.PortZero = false, true
		if err := r.routePortZeros(ctx, part, order); err != nil {
			return nil, nil, err
		}
	}
	if r.failed {
		return nil, nil, errLanes
	}
	return r.tables, r.lanes, nil
}

// hostPaths holds the paths to a LID that tables have.
type hostPaths struct {
	first []int32 // by switch: position in Out of the first channel
	flow  []int64 // by switch: paths of hosts that pass it or start at it
}

func newHostPaths(g *fabric.Graph) *hostPaths {
	return &hostPaths{make([]int32, g.NumSwitches), make([]int64, g.NumSwitches)}
}

// read reads the paths to a LID. order lists the switches, nearest first.
func (p *hostPaths) read(l *shortest.Loads, tables *route.Tables, order []int32, lid fabric.LID) {
	for _, s := range order {
		p.flow[s] = l.Hosts[s]
	}
	for k := len(order) - 1; k > 0; k-- {
		s := order[k]
		c, _ := l.G.At(s, tables.Port(s, lid))
		p.first[s] = l.Place[c]
		p.flow[l.G.To[c]] += p.flow[s]
	}
}

// linkHosts puts the paths between hosts on lanes: all on the first if that takes them, else
// each on the first that does. With oneLane it fails instead.
func (r *router) linkHosts(ctx context.Context, part columns.Part, hosted []int32, oneLane bool) error {
	edges, err := r.edgesOfHosts(ctx, part, hosted)
	if err != nil || r.lanes.First().Add(edges) {
		return err
	}
	if oneLane {
		return errLanes
	}
	var w shortest.Ways
	for _, to := range hosted {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.Reach(r.G, r.Head, to)
		for _, lid := range hostLIDs(r.in, to, part) {
			r.hosts.read(r.Loads, r.tables, w.Order, lid)
			r.placeHosts(w.Order)
			r.linkTaken()
		}
	}
	return nil
}

// hostLIDs lists the LIDs of a part that the hosts of a switch have.
func hostLIDs(in *route.Input, to int32, part columns.Part) []fabric.LID {
	var list []fabric.LID
	for _, host := range in.Graph.HostsOf(to) {
		for k := range max(0, part.Count(&in.Ends, host)) {
			list = append(list, in.Ends.Base[host]+fabric.LID(part.First+k))
		}
	}
	return list
}

// edgesOfHosts lists the edges of the paths between hosts.
func (r *router) edgesOfHosts(ctx context.Context, part columns.Part, hosted []int32) ([]cdg.Edge, error) {
	index := cdg.NewIndex(r.G)
	type scratch struct {
		ways  shortest.Ways
		paths *hostPaths
		used  []bool // by number of an edge
	}
	of := make([]scratch, max(1, r.in.Workers))
	err := par.For(ctx, r.in.Workers, len(hosted), func(worker, i int) error {
		x := &of[worker]
		if x.used == nil {
			x.paths, x.used = newHostPaths(r.G), make([]bool, index.Size)
		}
		x.ways.Reach(r.G, r.Head, hosted[i])
		for _, lid := range hostLIDs(r.in, hosted[i], part) {
			x.paths.read(r.Loads, r.tables, x.ways.Order, lid)
			for _, s := range x.ways.Order[1:] {
				c := r.G.Out[x.paths.first[s]]
				if v := r.G.To[c]; x.paths.flow[s] > 0 && v != hosted[i] {
					x.used[index.Number(c, r.G.Out[x.paths.first[v]])] = true
				}
			}
		}
		return nil
	})
	var edges []cdg.Edge
	for c := range int32(r.G.NumChannels) {
		for k, d := range r.G.OutOf(r.G.To[c]) {
			for i := range of {
				if of[i].used != nil && of[i].used[index.Row[c]+k] {
					edges = append(edges, cdg.Edge{C: c, D: d})
					break
				}
			}
		}
	}
	return edges, err
}

// grownHosts holds the trees to the LIDs of the hosts of a destination, as far as the first lane
// allows them.
type grownHosts struct {
	columns columns.Columns
	ways    shortest.Ways
	paths   *hostPaths
	trees   []*tree // by column
	whole   []bool  // by column
	moves   int     // on the first lane, when they grew
}

// completeHosts routes the switches that no path between hosts passes to the LIDs of hosts.
// Trees grow side by side; those for which the first lane, as it is, has not all paths, or has
// changed, grow again one after the other.
func (r *router) completeHosts(ctx context.Context, part columns.Part, hosted []int32) error {
	slots := make([]grownHosts, grownSwitches)
	for now := range slices.Chunk(hosted, grownSwitches) {
		err := par.For(ctx, r.in.Workers, len(now), func(_, i int) error {
			slots[i].grow(r, now[i], part)
			return nil
		})
		if err != nil {
			return err
		}
		var chosen []*columns.Columns
		for i := range now {
			d := &slots[i]
			chosen = append(chosen, &d.columns)
			r.enumerate(&d.ways)
			for column, lid := range d.columns.LIDs {
				r.tree, r.linked = d.trees[column], 0
				if moves := r.lanes.First().Moves(); !d.whole[column] || d.moves != moves {
					r.hosts.read(r.Loads, r.tables, d.ways.Order, lid)
					r.placeHosts(d.ways.Order)
					if r.tree.left > 0 {
						r.linkTaken()
						r.tree.joinRest(r.channels, d.ways.Hops())
						r.placeRest(&d.ways)
					}
				}
				r.enter(&d.columns, column)
				r.Count(d.ways.Order, shortest.Unit)
			}
		}
		if err := columns.Write(ctx, r.in, r.tables, chosen); err != nil {
			return err
		}
	}
	return nil
}

// grownSwitches is the number of destinations whose trees grow at once.
const grownSwitches = 8

func (d *grownHosts) grow(r *router, to int32, part columns.Part) {
	if d.paths == nil {
		d.paths = newHostPaths(r.G)
	}
	d.columns.Open(r.in, to, part)
	d.ways.Reach(r.G, r.Head, to)
	d.moves, d.whole = r.lanes.First().Moves(), d.whole[:0]
	for column, lid := range d.columns.LIDs {
		if column == len(d.trees) {
			d.trees = append(d.trees, newTree(r.G.NumSwitches))
		}
		t := d.trees[column]
		d.paths.read(r.Loads, r.tables, d.ways.Order, lid)
		whole := t.placeFirst(r.channels, d.paths, d.ways.Order)
		if whole && t.left > 0 {
			t.joinRest(r.channels, d.ways.Hops())
			whole = t.left == 0
		}
		d.whole = append(d.whole, whole)
	}
}

// placeFirst begins a tree with paths of hosts, as long as the first lane allows them as it is.
func (t *tree) placeFirst(x *channels, p *hostPaths, order []int32) bool {
	t.reset(x, order[0], len(order)-1)
	for _, s := range order[1:] {
		if p.flow[s] == 0 {
			continue
		}
		i := p.first[s]
		if x.label[i] >= t.of[x.Head[i]].label {
			return false
		}
		t.take(x, s, i, 0)
	}
	return true
}

// placeHosts begins the tree of a LID with the paths of hosts that were read, each on the first
// lane that takes it.
func (r *router) placeHosts(order []int32) {
	r.tree.reset(r.channels, order[0], len(order)-1)
	r.linked, r.moves = 0, r.lanes.First().Moves()
	for _, s := range order[1:] {
		if r.hosts.flow[s] == 0 {
			continue
		}
		i, lane := r.hosts.first[s], int32(0)
		if after := &r.tree.of[r.Head[i]]; after.lane != 0 || r.label[i] >= after.label {
			r.linkTaken()
			i, lane = r.addToLane([]shortest.Exit{shortest.Exit(i)<<32 | shortest.Exit(r.Head[i])})
			r.readLabels()
		}
		r.tree.take(r.channels, s, i, lane)
	}
}
