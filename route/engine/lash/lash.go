package lash

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
	"weft/route/lanes"
)

// Name is the engine's name.
const Name = "lash"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "one shortest path for each pair of switches, on the first lane where it closes no cycle",
		Paper:   "Lysne, Skeie, Reinemo and Theiss 2006; compared in Domke, Hoefler and Nagel 2011 (paper 003)",
		Cost:    "time O(switches x (channels + LIDs)) and the dependencies of all pairs of switches; memory 8 bytes a pair of switches",
		Lanes:   "online",
		Options: []route.Option{
			{Name: "balance", Default: false, Doc: "spread the pairs over all allowed lanes"},
			{Name: "lean", Default: false, Doc: "always take the first port on shortest paths, like OpenSM's lash: few lanes, but a small part of the bandwidth on fat-trees"},
			route.Relief,
		},
		New: func(o route.Options) (route.Engine, error) {
			return &engine{balance: o.Bool("balance"), lean: o.Bool("lean")}, nil
		},
	}
}

type engine struct {
	balance bool
	lean    bool
}

// Route implements route.Engine. It refuses a network if neither form of the paths has enough
// lanes.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	chosen, note, err := e.choose(ctx, in)
	if err != nil {
		return nil, err
	}
	if e.balance {
		chosen.lanes.Balance(in.MaxVLs)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: chosen.tables}
	if note != "" {
		plan.Notes = append(plan.Notes, note)
	}
	if err := chosen.lanes.Fill(Name, in.Graph, in.MaxVLs, plan); err != nil {
		return nil, err
	}
	return plan, chosen.deal(ctx, in)
}

// choose takes the balanced paths with three exceptions: paths by the first port spread the load as
// well, the balanced ones do not fit, or they take more lanes than OpenSM's engine. A note names
// the loss.
func (e *engine) choose(ctx context.Context, in *route.Input) (f *form, note string, err error) {
	even, plainAsGood := (*form)(nil), e.lean
	if !e.lean {
		if even, plainAsGood, err = newForm(ctx, in, balanced); err != nil {
			return nil, "", err
		}
	}
	if !plainAsGood {
		if err := even.layer(ctx, in.MaxVLs, lanes.LongestFirst); err != nil || even.lanes.Need == 1 {
			return even, "", err
		}
	}
	plain, _, err := newForm(ctx, in, firstPort)
	if err != nil {
		return nil, "", err
	}
	inOpenSM := likeOpenSM(in.Graph)
	if plainAsGood {
		return plain, "", plain.layer(ctx, in.MaxVLs, lanes.LongestFirst, inOpenSM)
	}
	first := even.lanes.Need
	err = plain.layer(ctx, first-1, inOpenSM)
	if err != nil || first <= in.MaxVLs && plain.lanes.Need == first {
		return even, "", err
	}
	most := min(plain.lanes.Need, in.MaxVLs)
	if err := even.layer(ctx, most, lanes.Refilled); err != nil {
		return nil, "", err
	}
	if err := plain.layer(ctx, most, lanes.LongestFirst); err != nil || plain.lanes.Need > most {
		return even, "", err // it refuses if it needs too many too
	}
	need := fmt.Sprint(even.lanes.Need)
	switch {
	case even.lanes.Need > in.MaxVLs:
		need = fmt.Sprintf("more than %d", in.MaxVLs)
	case even.lanes.Need <= most && !plain.isAsGood(in, even):
		return even, "", nil
	}
	return plain, fmt.Sprintf("lash: every path by the first port, on %d lanes; balanced paths need %s", plain.lanes.Need, need), nil
}

// isAsGood reports whether paths have nearly as much bandwidth as others, on no more lanes.
func (f *form) isAsGood(in *route.Input, other *form) bool {
	return f.lanes.Need <= other.lanes.Need && sample.Bandwidth(in, f.tables, false) >= sample.AsGood*sample.Bandwidth(in, other.tables, false)
}

// likeOpenSM assigns lanes to pairs in OpenSM's order of switches: by GUID with its bytes reversed,
// since OpenSM compares GUIDs in network byte order on little-endian machines. So paths by the
// first port take as many lanes as there.
func likeOpenSM(g *fabric.Graph) layering {
	order := fabric.Numbers(g.NumSwitches)
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Compare(bits.ReverseBytes64(uint64(g.SwitchGUID[a])), bits.ReverseBytes64(uint64(g.SwitchGUID[b])))
	})
	return func(ctx context.Context, p *lanes.Paths, most int) (*lanes.Lanes, error) {
		return lanes.OnlineBy(ctx, p, order, most)
	}
}

// form is one choice of paths. Of parallel links the tables have the first, until deal.
type form struct {
	tables *route.Tables
	paths  *lanes.Paths
	lanes  *lanes.Lanes // after layer
	links  *links
}

// batch is the number of destinations searched at once.
const batch = 32

// newForm chooses the paths by a rule, and reports whether paths by the first port spread the load
// as well.
func newForm(ctx context.Context, in *route.Input, rule rule) (f *form, plainAsGood bool, err error) {
	g := in.Graph
	l := newLinks(g)
	b, plain := newBuilder(g, l, rule), newBuilder(g, l, firstPort)
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	all := columns.Part{First: 0, End: 1 << in.Ends.MaxLMC(), Hosts: true, PortZero: true}
	search := func(_ int, to int32, s **fabric.Search) {
		if *s == nil {
			*s = g.NewSearch(g.Drained)
		}
		(*s).From(to)
	}
	order := fabric.Numbers(g.NumSwitches)
	err = columns.Route(ctx, in, tables, all, order, batch, search, func(c *columns.Columns, s **fabric.Search) error {
		b.addTree(*s, c.To)
		b.enter(c, (*s).Order)
		if rule == balanced {
			plain.addTree(*s, c.To)
		}
		return nil
	})
	f = &form{tables: tables, paths: lanes.ByTree(in, tables, oneEach(in)), links: l}
	return f, plain.squares() <= b.squares(), err
}

// oneEach marks one LID of each switch: all others there have its tree.
func oneEach(in *route.Input) []bool {
	marked := make([]bool, int(in.Ends.Top())+1)
	seen := make([]bool, in.Graph.NumSwitches)
	for lid, s := range in.Ends.SwitchByLID(in.Graph) {
		if s >= 0 && !seen[s] {
			seen[s], marked[lid] = true, true
		}
	}
	return marked
}

// layering assigns lanes to the pairs of switches in an order of its own.
type layering func(ctx context.Context, p *lanes.Paths, most int) (*lanes.Lanes, error)

// layer assigns lanes to the paths by the layering with the fewest, the earlier one of equals.
// Earlier results count too.
func (f *form) layer(ctx context.Context, most int, ways ...layering) error {
	for _, way := range ways {
		if f.lanes != nil {
			most = min(most, f.lanes.Need-1)
		}
		if most == 0 {
			break
		}
		found, err := way(ctx, f.paths, most)
		if err != nil {
			return err
		}
		if f.lanes == nil || found.Need <= most {
			f.lanes = found
		}
	}
	return nil
}
