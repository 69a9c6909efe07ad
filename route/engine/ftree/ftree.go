package ftree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/updown"
)

// Name is the engine's name.
const Name = "ftree"

// The values of the options.
const (
	closed      = "closed"
	dmodk       = "dmodk"
	auto        = "auto"
	zahavi      = "zahavi"
	eft         = "eft"
	beft        = "beft"
	beftRegular = "beft-regular"
	opensm335   = "opensm-3.3.5"

	all    = "all"
	sftree = "sftree"
	none   = "none"

	vftree  = "vftree"
	fewest  = "victims"
	mftree  = "mftree"
	printed = "mftree-printed"
	standby = "standby"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "fat-trees, whole and degraded: balanced, every two switches connected, on one lane, or two if some paths are not up and down",
		Paper:   "Bogdański 2014 (paper 004), papers I to IV and VI; Zahavi 2010; Gliksberg et al. 2022 for degraded trees",
		Cost:    "time O(channels x switches/64 + switches x LIDs), memory O(switches^2) bits and the tables",
		Lanes:   "one; on some degraded trees a second; own with lanes=vftree and lanes=victims",
		Options: []route.Option{
			{
				Name: "balance", Default: auto, OneOf: []string{auto, closed, dmodk, zahavi, opensm335, eft, beft, beftRegular},
				Doc: "in closed form over the ports in use (closed), and then by the load of whole paths where no formula fits (auto); " +
					"in closed form over all ports (dmodk); the classic one (zahavi), as OpenSM 3.3.5 has it (opensm-3.3.5), as paper I tells it (eft), and those of paper I, for trees with racks (beft) or without (beft-regular)",
			},
			{
				Name: "switches", Default: all, OneOf: []string{all, sftree, none},
				Doc: "connect switches without a path up and then down: by an order that joins them, by a subtree (paper III), or not",
			},
			{
				Name: "multihomed", Default: none, OneOf: []string{none, mftree, printed, standby},
				Doc: "separate the paths to the ports of one host (paper VI): balance all equally (mftree), by its algorithms alone with a balance that routes one LID after another (mftree-printed), or the first port of each host separately (standby)",
			},
			{Name: "lanes", Default: none, OneOf: []string{none, vftree, fewest}, Doc: "spread the pairs of leaves over virtual lanes, as paper II has it (vftree), or so that hot-spots hold up the fewest flows to other hosts (victims)"},
			{Name: "vls", Default: 0, Max: route.NumSLs - 1, Doc: "lanes for vftree and victims, 0 for all allowed ones; a second lane for paths that are not up and down comes on top where one is left"},
			{Name: "roots", Default: []string(nil), Switches: true, Doc: "all switches with the role of root, by GUID or description (a;b); when none is given, those that have it by --roles or by themselves, or else inferred"},
			{Name: "leaves", Default: []string(nil), Switches: true, Doc: "switches with the role of leaf besides those with hosts, in the same order"},
			{Name: "avoid", Default: []string(nil), Switches: true, Doc: "switches that must not be the root of the subtree, such as the subnet manager's"},
			route.Relief,
			{Name: "strict", Default: false, Doc: "refuse any irregularity"},
		},
		New: func(o route.Options) (route.Engine, error) {
			if balance := o.String("balance"); o.String("multihomed") == printed && !isGreedy(balance) {
				return nil, fmt.Errorf("%s: multihomed=%s is for the balances that route one LID after another, not %s: use multihomed=%s, or balance=%s", Name, printed, balance, mftree, zahavi)
			}
			return &engine{o}, nil
		},
	}
}

type engine struct {
	route.Options
}

// Route implements route.Engine. It refuses networks that are not trees, and with strict irregular
// ones. The package comment lists its steps.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	t, err := e.tree(in.Graph)
	if err != nil {
		return nil, err
	}
	lids := orderLIDs(t, &in.Ends, newHostKinds(in, e.String("multihomed")), e.String("balance") == dmodk)
	lanes, err := e.lanesToSpread(in)
	if err != nil {
		return nil, err
	}
	order, joining := e.orders(t, in.MaxVLs)
	r, err := newReachability(ctx, t, order, lids.placeOf, noLinks, in.Workers)
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends}
	if plan.Tables, err = e.balanced(ctx, in, r, lids); err != nil {
		return nil, err
	}
	layout := laneLayout{lanes: lanes, spread: none}
	if lanes > 1 {
		layout.spread = e.String("lanes")
	}
	switch {
	case joining != nil:
		if layout.second, err = joinSwitches(ctx, in, r, joining, plan.Tables); layout.second != nil {
			layout.lanes = min(lanes+1, in.MaxVLs)
		}
	case e.String("switches") == sftree:
		err = e.joinBySubtree(ctx, in, r, plan)
	}
	if err != nil {
		return nil, err
	}
	if layout.lanes > 1 {
		if err := layout.assign(ctx, in, t, plan); err != nil {
			return nil, err
		}
		plan.Notes = append(plan.Notes, layout.notes(in.MaxVLs)...)
	}
	return plan, nil
}

// orders chooses the order for routing hosts, and the order that joins all switches afterwards.
// joining is nil if hosts already joins them, or they need not be joined.
func (e *engine) orders(t *tree, maxVLs int) (hosts, joining updown.Order) {
	if e.String("switches") != all {
		return t.orderByLevel(), nil
	}
	joining, free := t.joiningOrder()
	if maxVLs == 1 || free && t.isUniform() && !t.hasHorizontalLinks() {
		return joining, nil // as good for hosts, or the only one allowed
	}
	return t.orderByLevel(), joining
}

// lanesToSpread returns the number of lanes of option lanes, 1 without it.
func (e *engine) lanesToSpread(in *route.Input) (int, error) {
	n := e.Int("vls")
	switch {
	case e.String("lanes") == none:
		return 1, nil
	case n > in.MaxVLs:
		return 0, route.Refuse(Name, "ask for fewer", "needs %d lanes, %d allowed", n, in.MaxVLs)
	case n > 0:
		return n, nil
	}
	return in.MaxVLs, nil
}

// isGreedy reports whether a balance routes one LID after another.
func isGreedy(balance string) bool {
	return slices.Contains([]string{zahavi, opensm335, eft, beft, beftRegular}, balance)
}

// balanced chooses among the shortest legal paths by option balance.
func (e *engine) balanced(ctx context.Context, in *route.Input, r *reachability, lids *lidOrder) (*route.Tables, error) {
	balance := e.String("balance")
	if isGreedy(balance) {
		return e.greedy(ctx, in, r, lids)
	}
	if balance != auto || r.t.fitsClosedForm() {
		return closedForm(ctx, in, r, lids, nil)
	}
	tables, err := closedForm(ctx, in, r, lids, r.t.InferWhole())
	if err != nil {
		return nil, err
	}
	loads := newLinkLoads(in, r.t, lids, tables)
	for _, numbers := range []lidNumbers{baseLIDs, {1, 1 << in.Ends.MaxLMC()}} {
		if numbers.first >= numbers.end {
			break
		}
		if err := rebalance(ctx, in, r, loads, numbers, e.String("multihomed") != none); err != nil {
			return nil, err
		}
	}
	return tables, nil
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
	t.acrossFirst = e.String("balance") == auto && e.String("switches") != sftree // the papers' forms cross at the end
	if why := t.NotATree(); why != "" {
		return nil, route.Refuse(Name, "", "not a fat-tree: %s", why)
	}
	if e.Bool("strict") {
		if odd := t.Irregular(); len(odd) > 0 {
			return nil, route.Refuse(Name, "route it without strict", "not a regular fat-tree: %s%s", strings.Join(odd[:min(len(odd), 3)], "; "), more(len(odd)-3))
		}
	}
	return t, nil
}

// switches finds the switches that an option names.
func (e *engine) switches(g *fabric.Graph, option string) ([]int32, error) {
	return route.NamedSwitches(g, Name, option, e.List(option))
}

// more says how many others there are, and which command lists them.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %d more (weft show --tree --json lists all)", n)
}
