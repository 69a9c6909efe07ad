package ftree

import (
	"context"
	"path"
	"strings"

	"weft/fabric"
	"weft/route"
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

	vftree = "vftree"
	mftree = "mftree"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "fat-trees, whole and degraded: balanced, every two switches connected, one lane",
		Paper:   "Bogdański 2014 (paper 004), papers I to IV and VI; Zahavi 2010; Gliksberg et al. 2022 for degraded trees",
		Cost:    "time O(channels x switches/64 + switches x LIDs), memory O(switches^2) bits and the tables",
		Lanes:   "none, or own (lanes=vftree)",
		Options: []route.Option{
			{
				Name: "balance", Default: auto, OneOf: []string{auto, closed, load, dmodk, zahavi, beft},
				Doc: "in closed form over the ports in use (closed), by the load of whole ways (load), or the better of both (auto); " +
					"in closed form over all ports (dmodk); the classic one (zahavi), and that of paper I (beft)",
			},
			{
				Name: "switches", Default: all, OneOf: []string{all, sftree, none},
				Doc: "connect switches that no way up and then down joins: by an order from a leaf, by a subtree (paper III), or not",
			},
			{
				Name: "multihomed", Default: none, OneOf: []string{none, mftree},
				Doc: "keep the paths to the ports of one host apart (paper VI)",
			},
			{Name: "lanes", Default: none, OneOf: []string{none, vftree}, Doc: "spread the pairs of leaves over virtual lanes (paper II)"},
			{Name: "vls", Default: 0, Max: route.NumSLs - 1, Doc: "lanes for vftree, 0 for all that are allowed"},
			{Name: "types", Default: []string(nil), Doc: "hosts balanced by themselves, by patterns of their description (io*;gpu*)"},
			{Name: "roots", Default: []string(nil), Doc: "switches with the role of root, by GUID or description (a;b); inferred when none is given"},
			{Name: "leaves", Default: []string(nil), Doc: "switches with the role of leaf beside those with hosts"},
			{Name: "avoid", Default: []string(nil), Doc: "switches that are not to be the root of the subtree, as that of the subnet manager"},
			{Name: "strict", Default: false, Doc: "refuse any irregularity"},
		},
		New: func(o route.Options) (route.Engine, error) {
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
	mode := e.String("switches")
	rank := t.rankByHeight()
	if mode == all {
		rank = t.rankToJoin()
	}
	balance := e.String("balance")
	l := enlist(t, &in.Ends, newKinds(in.Graph, e.List("types"), e.String("multihomed") == mftree), balance == dmodk)
	r, err := newReach(ctx, t, rank, l.bit, in.Workers)
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends}
	if plan.Tables, err = e.paths(ctx, in, r, l); err != nil {
		return nil, err
	}
	if mode == sftree {
		avoid, err := findSwitches(in.Graph, e.List("avoid"))
		if err != nil {
			return nil, err
		}
		subtree(t, &in.Ends, plan.Tables, avoid)
		if err := acyclic(ctx, in, t, plan.Tables); err != nil {
			return nil, err
		}
	}
	if e.String("lanes") == vftree {
		lanes := in.MaxVLs
		if n := e.Int("vls"); n > lanes {
			return nil, route.Refuse(Name, "ask for fewer", "needs %d lanes, %d allowed", n, lanes)
		} else if n > 0 {
			lanes = n
		}
		if lanes > 1 {
			spread(in, t, lanes, plan)
		}
	}
	return plan, nil
}

// paths chooses among the ways by the balance asked for.
func (e *engine) paths(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	switch balance := e.String("balance"); balance {
	case zahavi, beft:
		return e.greedy(ctx, in, r, l)
	case load:
		return byLoad(ctx, in, r, l, nil)
	default:
		tables, err := fillClosed(ctx, in, r, l)
		if err != nil || balance != auto || e.String("multihomed") == mftree || len(r.t.irregular()) == 0 {
			return tables, err
		}
		return byLoad(ctx, in, r, l, tables)
	}
}

// greedy routes by the classic algorithm.
func (e *engine) greedy(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	w := newGreedy(in, r, l)
	w.redundant = e.String("multihomed") == mftree
	if w.bySwitch = e.String("balance") == beft; !w.bySwitch {
		w.dummies = mostHosts(r.t)
	}
	return w.tables, w.run(ctx, &in.Ends)
}

// tree recognises the network.
func (e *engine) tree(g *fabric.Graph) (*tree, error) {
	roots, err := findSwitches(g, e.List("roots"))
	if err != nil {
		return nil, err
	}
	leaves, err := findSwitches(g, e.List("leaves"))
	if err != nil {
		return nil, err
	}
	t := recognise(g, roots, leaves)
	if why := t.notATree(); why != "" {
		return nil, route.Refuse(Name, "use nue or updn", "not a fat-tree: %s", why)
	}
	if e.Bool("strict") {
		if odd := t.irregular(); len(odd) > 0 {
			return nil, route.Refuse(Name, "route it without strict", "not a regular fat-tree: %s", strings.Join(odd[:min(len(odd), 3)], "; "))
		}
	}
	return t, nil
}

// findSwitches finds switches by GUID or description.
func findSwitches(g *fabric.Graph, names []string) ([]int32, error) {
	var found []int32
	for _, name := range names {
		name = strings.TrimSpace(name)
		guid, err := fabric.ParseGUID(strings.TrimPrefix(name, "S-"))
		before := len(found)
		for s := range int32(g.NumSwitches) {
			if err == nil && g.SwitchGUID[s] == guid || g.SwitchDesc[s] == name {
				found = append(found, s)
			}
		}
		switch len(found) - before {
		case 0:
			return nil, route.Refuse(Name, "name a switch by its GUID or description", "no switch that is up is called %q", name)
		case 1:
		default:
			return nil, route.Refuse(Name, "name it by its GUID", "several switches are called %q", name)
		}
	}
	return found, nil
}
