package valiant

import (
	"context"
	"math"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/groups"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
)

// Name is the engine's name.
const Name = "valiant"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "via a third group on Dragonfly and full meshes: all-to-all without hot links, but longer paths; deadlock-free",
		Paper:   "Valiant, A Scheme for Fast Parallel Communication, 1982; Kim, Dally, Scott and Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, 2008",
		Cost:    "time O(LIDs x channels), memory O(channels x lanes) and the tables",
		Lanes:   "by position", // see lanes.go
		Options: []route.Option{
			{Name: "share", Default: 100, Min: 0, Max: 100, Doc: "percent of the hosts that packets reach via a third group; all others get shortest paths"},
		},
		New: func(o route.Options) (route.Engine, error) { return engine{o.Int("share")}, nil },
	}
}

type engine struct{ share int }

// Route implements route.Engine. It refuses networks without groups, then networks where the ways
// round missing links can deadlock, and then networks that need too many lanes.
func (e engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	n, err := groups.Find(g)
	if err != nil {
		return nil, route.Refuse(Name, "", "not a Dragonfly: %v", err)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(g.NumSwitches, in.Ends.Top())}
	sl, err := e.fill(ctx, in, n, plan.Tables)
	if err != nil {
		return nil, err
	}
	addLanes(in, n, plan, sl)
	if err := verify(ctx, in, n, plan); err != nil { // more lanes would not help
		return nil, err
	}
	if plan.VLs > in.MaxVLs {
		return nil, route.Refuse(Name, "", "needs %d lanes, %d allowed", plan.VLs, in.MaxVLs)
	}
	return plan, nil
}

// batch is the number of destinations searched at once.
const batch = 32

// fill routes every LID: all base LIDs first, then the others, one kind of hosts after another. It
// returns the SL of packets by LID.
func (e engine) fill(ctx context.Context, in *route.Input, n *groups.Groups, tables *route.Tables) (sl []int32, err error) {
	g := in.Graph
	sl = in.Ends.SwitchByLID(g)
	b := &builder{
		Loads: shortest.NewLoads(g), groups: n, share: e.share, routed: make([]int, len(n.Members)),
		hops: make([]int32, g.NumSwitches), indirect: make([]bool, g.NumSwitches), near: make([]bool, len(n.Members)),
	}
	none := func(int, int32, *struct{}) {}
	for _, part := range columns.PartsByKind(in) {
		err := columns.Route(ctx, in, tables, part, fabric.Numbers(g.NumSwitches), batch, none, func(c *columns.Columns, _ *struct{}) error {
			for column := range c.N {
				sl[c.LIDs[column]] = b.route(c, column)
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return sl, nil
}

// builder routes one LID after another.
type builder struct {
	*shortest.Loads
	groups *groups.Groups
	share  int
	routed []int // by group: number of its hosts' LIDs routed so far

	// The ways to one destination.
	hops     []int32 // by switch: channels to the destination, or if indirect to the intermediate group; -1 if unreached
	indirect []bool  // by switch: its way passes the intermediate group
	near     []bool  // by group: it has a link to the destination, or to a switch one hop from it
	order    []int32 // switches, each after the ones on its way
	minimal  bool    // near groups take no intermediate group
	shortest bool    // all take shortest ways, over any groups
}

// route takes the ways to a LID with the least load, and adds the paths of all hosts to the loads.
// It returns the SL of packets to it: the colour of the intermediate group, or if there is none
// another colour than that of the destination's group.
func (b *builder) route(c *columns.Columns, column int) (sl int32) {
	g, home := b.G, b.groups.Of[c.To]
	n := b.routed[home]
	b.minimal = true
	if column < c.Hosts {
		b.routed[home]++
		b.minimal = (n+1)*b.share/100 == n*b.share/100
	}
	over := int32(-1)
	if !b.minimal || !b.search(c.To, over) {
		over = b.intermediate(c.To, n)
	}
	if sl = colour(home + 1); over >= 0 {
		sl = colour(over)
	}
	b.shortest = over < 0 && !b.search(c.To, over)
	if b.shortest {
		b.anyWay(c.To)
	}
	b.Path[c.To] = 0
	for _, s := range b.order[1:] {
		least := int64(math.MaxInt64)
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			if v := b.Head[i]; (column < c.Hosts || least == math.MaxInt64) && b.isNext(s, v, c.To, over) {
				least = min(least, b.Load[i]+b.Path[v])
			}
		}
		b.Take(c, column, s, least)
	}
	if column < c.Hosts {
		b.Count(b.order, shortest.Unit)
	}
	return sl
}

// intermediate returns the intermediate group for the n-th LID of a group, at switch t. It takes
// the first group from the n-th on that is linked to its own, has another colour, and for which
// search finds ways; -1 if there is none.
func (b *builder) intermediate(t int32, n int) int32 {
	home := b.groups.Of[t]
	var others []int32
	for _, k := range b.groups.Linked[home] {
		if colour(k) != colour(home) {
			others = append(others, k)
		}
	}
	first, _ := slices.BinarySearch(others, home)
	for i := range others {
		if over := others[(first+n+i)%len(others)]; b.search(t, over) {
			return over
		}
	}
	return -1
}

// search orders the switches by their way to switch t over an intermediate group, or over none
// (-1). Packets leave their group by links to the intermediate one. They go straight, by links to
// t's group, without an intermediate group, or if their own group has its colour or no link to it.
// They also go straight if their group is near and paths are to be minimal. In t's group they take
// at most one hop, so that they need no further lane. It returns false if some switch has no such
// way.
func (b *builder) search(t, over int32) bool {
	g, of, home := b.G, b.groups.Of, b.groups.Of[t]
	b.start(t)
	b.extend(0, func(_, v int32) bool { return of[v] == home })
	b.findNear(home)
	direct := func(group int32) bool {
		return over < 0 || colour(group) == colour(over) || !b.groups.AreLinked(group, over) || b.minimal && b.near[group]
	}
	b.extend(0, func(u, v int32) bool {
		return of[u] == of[v] || of[u] == home && b.hops[u] <= 1 && direct(of[v])
	})
	if over < 0 {
		return len(b.order) == g.NumSwitches
	}
	inner := len(b.order)
	for _, s := range b.order[:inner] {
		if of[s] != over || g.Drained[s] {
			continue
		}
		for _, c := range g.OutOf(s) {
			if v := g.To[c]; b.hops[v] < 0 && of[v] != home && !direct(of[v]) {
				b.hops[v] = 1
				b.order = append(b.order, v)
			}
		}
	}
	b.extend(inner, func(u, v int32) bool { return of[u] == of[v] })
	for _, s := range b.order[inner:] {
		b.indirect[s] = true
	}
	return len(b.order) == g.NumSwitches
}

// findNear finds the groups with a link to the destination, or to a switch of its group one hop
// from it.
func (b *builder) findNear(home int32) {
	clear(b.near)
	for _, s := range b.groups.Members[home] {
		if h := b.hops[s]; h < 0 || h > 1 || h > 0 && b.G.Drained[s] {
			continue
		}
		for _, c := range b.G.OutOf(s) {
			b.near[b.groups.Of[b.G.To[c]]] = true
		}
	}
}

// start begins a search at switch t.
func (b *builder) start(t int32) {
	for s := range b.hops {
		b.hops[s], b.indirect[s] = -1, false
	}
	b.hops[t], b.order = 0, append(b.order[:0], t)
}

// anyWay orders the switches by their shortest ways to switch t.
func (b *builder) anyWay(t int32) {
	b.start(t)
	b.extend(0, func(_, _ int32) bool { return true })
}

// extend continues a search from a place in order: it appends the switches behind allowed channels.
// Nothing passes drained switches.
func (b *builder) extend(from int, allowed func(u, v int32) bool) {
	g := b.G
	for head := from; head < len(b.order); head++ {
		u := b.order[head]
		if g.Drained[u] && head > 0 {
			continue
		}
		for _, c := range g.OutOf(u) {
			if v := g.To[c]; b.hops[v] < 0 && allowed(u, v) {
				b.hops[v] = b.hops[u] + 1
				b.order = append(b.order, v)
			}
		}
	}
}

// isNext reports whether the neighbour v of s is next on a way to switch t, as found by search.
func (b *builder) isNext(s, v, t, over int32) bool {
	of, home := b.groups.Of, b.groups.Of[t]
	switch {
	case b.hops[v] < 0 || v != t && b.G.Drained[v]:
		return false
	case b.indirect[s] && !b.indirect[v]:
		return b.hops[s] == 1 && of[v] == over
	case b.indirect[s] != b.indirect[v] || b.hops[v] != b.hops[s]-1:
		return false
	}
	return b.shortest || of[s] == of[v] || !b.indirect[s] && of[v] == home
}
