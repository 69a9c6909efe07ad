package ftree

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/updown"
)

// Name is the engine's name.
const Name = "ftree"

// The values of the options.
const (
	closed = "closed"
	dmodk  = "dmodk"
	auto   = "auto"
	load   = "load"
	zahavi = "zahavi"
	beft   = "beft"

	all    = "all"
	sftree = "sftree"
	none   = "none"

	vftree  = "vftree"
	mftree  = "mftree"
	standby = "standby"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "fat-trees, whole and degraded: balanced, every two switches connected, on one lane or a second for what is not up and down",
		Paper:   "Bogdański 2014 (paper 004), papers I to IV and VI; Zahavi 2010; Gliksberg et al. 2022 for degraded trees",
		Cost:    "time O(channels x switches/64 + switches x LIDs), memory O(switches^2) bits and the tables",
		Lanes:   "one; on some degraded trees a second; own with lanes=vftree",
		Options: []route.Option{
			{
				Name: "balance", Default: auto, OneOf: []string{auto, closed, load, dmodk, zahavi, beft},
				Doc: "in closed form over the ports in use (closed), by the load of whole ways (load), or closed and then evened out where no formula fits (auto); " +
					"in closed form over all ports (dmodk); the classic one (zahavi), and that of paper I (beft)",
			},
			{
				Name: "switches", Default: all, OneOf: []string{all, sftree, none},
				Doc: "connect switches that no way up and then down joins: by an order that joins them, by a subtree (paper III), or not",
			},
			{
				Name: "multihomed", Default: none, OneOf: []string{none, mftree, standby},
				Doc: "keep the paths to the ports of one host apart (paper VI), all balanced alike (mftree), or the first of each host by itself (standby)",
			},
			{Name: "lanes", Default: none, OneOf: []string{none, vftree}, Doc: "spread the pairs of leaves over virtual lanes (paper II)"},
			{Name: "vls", Default: 0, Max: route.NumSLs - 1, Doc: "lanes for vftree, 0 for all that are allowed"},
			{Name: "types", Default: []string(nil), Doc: "hosts balanced by themselves, by patterns of their description (io*;gpu*)"},
			{Name: "roots", Default: []string(nil), Doc: "all switches with the role of root, by GUID or description (a;b); when none is given, those that have it by --roles or by themselves, or else inferred"},
			{Name: "leaves", Default: []string(nil), Doc: "switches with the role of leaf beside those with hosts, in the same order"},
			{Name: "avoid", Default: []string(nil), Doc: "switches that are not to be the root of the subtree, as that of the subnet manager"},
			{Name: "strict", Default: false, Doc: "refuse any irregularity"},
		},
		New: func(o route.Options) (route.Engine, error) {
			if n := len(o.List("types")); n >= maxKinds {
				return nil, route.Refuse(Name, "let one pattern stand for several", "%d types, at most %d are balanced by themselves", n, maxKinds-1)
			}
			for _, pattern := range o.List("types") {
				if _, err := path.Match(pattern, ""); err != nil {
					return nil, route.Refuse(Name, "write it as for file names", "%q is no pattern", pattern)
				}
			}
			return &engine{o}, nil
		},
	}
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}

type engine struct {
	route.Options
}

// Route implements route.Engine. It refuses networks that are no trees, and with
// strict those that are not regular.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	t, err := e.tree(in.Graph)
	if err != nil {
		return nil, err
	}
	l := enlist(t, &in.Ends, newKinds(in.Graph, e.List("types"), e.String("multihomed")), e.String("balance") == dmodk)
	lanes, err := e.lanes(in)
	if err != nil {
		return nil, err
	}
	mode := e.String("switches")
	rank, joined := t.rankByHeight(), updown.Order(nil)
	if mode == all {
		var free bool
		if joined, free = t.rankToJoin(); in.MaxVLs == 1 || free && t.even() && !t.level() {
			rank, joined = joined, nil // as good for hosts, or all that is allowed
		}
	}
	r, err := newReach(ctx, t, rank, l.bit, noLink, in.Workers)
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends}
	if plan.Tables, err = e.paths(ctx, in, r, l); err != nil {
		return nil, err
	}
	y := layout{lanes: lanes, spread: lanes > 1}
	if joined != nil {
		order, err := newReach(ctx, t, joined, l.bit, t.beside(joined), in.Workers)
		if err != nil {
			return nil, err
		}
		if y.apart, err = newJoiner(in, r, order, plan.Tables).run(ctx); err != nil {
			return nil, err
		}
		if y.apart != nil {
			cycle, err := cyclic(ctx, in, plan.Tables)
			if err != nil {
				return nil, err
			}
			if y.lanes = max(2, lanes); !cycle {
				y.apart, y.lanes = nil, lanes
			}
		}
	}
	if mode == sftree {
		avoid, err := e.switches(in.Graph, "avoid")
		if err != nil {
			return nil, err
		}
		if err := subtree(ctx, in, r, plan.Tables, avoid); err != nil {
			return nil, err
		}
		cycle := false
		if len(t.irregular()) > 0 || slices.Contains(in.Graph.Drained, true) { // else they close none
			cycle, err = cyclic(ctx, in, plan.Tables)
		}
		switch {
		case err != nil:
			return nil, err
		case cycle:
			return nil, route.Refuse(Name, "use switches=all", "paths through the subtree of this irregular tree close a cycle")
		}
		if plan.Notes, err = apartBySubtree(ctx, in, plan.Tables); err != nil {
			return nil, err
		}
	}
	if y.lanes > 1 {
		y.fill(in, t, plan)
		plan.Notes = append(plan.Notes, y.notes(in.MaxVLs)...)
	}
	return plan, nil
}

// lanes is how many lanes vftree has, 1 without it.
func (e *engine) lanes(in *route.Input) (int, error) {
	n := e.Int("vls")
	switch {
	case e.String("lanes") != vftree:
		return 1, nil
	case n > in.MaxVLs:
		return 0, route.Refuse(Name, "ask for fewer", "needs %d lanes, %d allowed", n, in.MaxVLs)
	case n > 0:
		return n, nil
	}
	return in.MaxVLs, nil
}

// paths chooses among the ways by the balance asked for. Where no formula fits, links
// are relieved (auto) and the ways to one node parted (multihomed).
func (e *engine) paths(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	balance, even := e.String("balance"), r.t.even()
	tables, err := e.balanced(ctx, in, r, l)
	if err != nil || balance != load && (balance != auto || even) {
		return tables, err
	}
	w := newLoader(in, r, l, tables)
	apart := e.String("multihomed") != none
	if apart {
		if err := w.part(ctx); err != nil {
			return nil, err
		}
	}
	return tables, w.ease(ctx, apart)
}

func (e *engine) balanced(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	switch e.String("balance") {
	case zahavi, beft:
		return e.greedy(ctx, in, r, l)
	case load:
		tables := route.NewTables(in.Graph.NumSwitches, in.Ends.Top())
		return tables, newLoader(in, r, l, tables).byLoad(ctx)
	default:
		return fillClosed(ctx, in, r, l)
	}
}

// greedy routes by the classic algorithm.
func (e *engine) greedy(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	w := newGreedy(in, r, l)
	w.homes = e.String("multihomed")
	if w.bySwitch = e.String("balance") == beft; !w.bySwitch {
		w.dummies = mostHosts(r.t)
	}
	return w.tables, w.run(ctx, &in.Ends)
}

// tree recognises the network.
func (e *engine) tree(g *fabric.Graph) (*tree, error) {
	roots, err := e.switches(g, "roots")
	if err != nil {
		return nil, err
	}
	leaves, err := e.switches(g, "leaves")
	if err != nil {
		return nil, err
	}
	t := recognise(g, roots, leaves)
	if why := t.notATree(); why != "" {
		return nil, route.Refuse(Name, "use nue or updn", "not a fat-tree: %s", why)
	}
	if e.Bool("strict") {
		if odd := t.irregular(); len(odd) > 0 {
			return nil, route.Refuse(Name, "route it without strict", "not a regular fat-tree: %s%s", strings.Join(odd[:min(len(odd), 3)], "; "), more(len(odd)-3))
		}
	}
	return t, nil
}

// switches are those that an option names.
func (e *engine) switches(g *fabric.Graph, option string) ([]int32, error) {
	return route.NamedSwitches(g, Name, option, e.List(option))
}

// more says how many others there are, and who lists them.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %d more (weft show --tree --json lists all)", n)
}
