package fattree

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/sim/flow"
)

// tree is a fabric with the levels of its switches, 0 for leaves.
type tree struct {
	graph *fabric.Graph
	level []int32
	top   int32
}

// newTree builds a formula. Levels come from the whole fabric, without suffixes: a rack switch that
// lost its hosts keeps its level.
func newTree(formula string) *tree {
	base, _ := gen.Split(formula)
	whole := lab.Must(gen.Parse(base))
	g := lab.Must(lab.Graph(formula))
	return treeOf(whole, g)
}

// treeOf adds the levels of the whole fabric to a graph of some of its nodes.
func treeOf(whole *fabric.Fabric, g *fabric.Graph) *tree {
	byGUID := map[fabric.GUID]int32{}
	for id, l := range gen.Levels(whole) {
		byGUID[whole.Nodes[id].GUID] = l
	}
	t := &tree{graph: g, level: make([]int32, g.NumSwitches)}
	for s, guid := range g.SwitchGUID {
		t.level[s] = byGUID[guid]
		t.top = max(t.top, t.level[s])
	}
	return t
}

// extent is the least and the largest of some counts.
type extent struct {
	least, most int64
	any         bool
}

func (e *extent) add(v int64) {
	if !e.any {
		*e = extent{v, v, true}
		return
	}
	e.least, e.most = min(e.least, v), max(e.most, v)
}

func (e extent) String() string {
	if e.least == e.most {
		return fmt.Sprint(e.most)
	}
	return fmt.Sprintf("%d to %d", e.least, e.most)
}

// balance measures how evenly a Plan loads a tree.
type balance struct {
	// targets counts, for each level from 1 on, the destinations of a switch's channels down.
	targets []extent
	// up counts, for each level from 0 on, the pairs of hosts on a channel up.
	up []extent
	// most is the load of the most loaded channel when every host sends a link's worth.
	most float64
}

// texts prints counts by level, from the lowest.
func texts(of []extent) string {
	var all []string
	for _, e := range of {
		all = append(all, e.String())
	}
	return strings.Join(all, "; ")
}

// allPairs counts the paths of all pairs.
func allPairs(ctx context.Context, s *lab.Setup, trial *lab.Trial) *flow.Pairs {
	n := lab.Must(flow.New(ctx, trial.Graph, trial.Plan, s.Workers))
	return lab.Must(n.AllPairs(ctx, s.Workers))
}

// measure returns the balance of a routed tree.
func (t *tree) measure(ctx context.Context, s *lab.Setup, trial *lab.Trial) *balance {
	p := allPairs(ctx, s, trial)
	g := t.graph
	b := &balance{targets: make([]extent, t.top), up: make([]extent, t.top), most: float64(p.Index) / float64(max(g.NumHosts-1, 1))}
	down := make([]int64, g.NumSwitches)
	for c := range g.NumChannels {
		from, to := g.From[c], g.To[c]
		switch {
		case t.level[to] < t.level[from]:
			down[from] += p.Targets[c]
		case t.level[to] > t.level[from]:
			b.up[t.level[from]].add(p.Loads[c])
		}
	}
	for s, n := range down {
		if t.level[s] > 0 {
			b.targets[t.level[s]-1].add(n)
		}
	}
	return b
}

// mustBeRouted ends the artefact if an engine refused.
func mustBeRouted(e *lab.Candidate, trial *lab.Trial) {
	if trial.Refused != "" {
		lab.Check(fmt.Errorf("%s: %s", e.Name, trial.Refused))
	}
}

// percent prints a share of capacity.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
