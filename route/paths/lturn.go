package paths

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route/internal/cdg"
)

var lTurn = &Algorithm{
	Name:         "l-turn",
	Summary:      "shortest-widest paths under a turn rule of left and right, from which harmless prohibitions are lifted",
	Paper:        "Koibuchi, Funahashi, Jouraku, Amano 2001 (reference [6] of paper 000)",
	Cost:         "O(forbidden turns x turns) at worst for the rule, then as shortest-widest",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return widestAll(ctx, in, newLTurn(in.Graph, rootOf(in)))
	},
}

// newLTurn makes the rule. It puts the switches in a plane: x is the place in a preorder walk of
// the breadth-first tree, y the level. A channel leads left if x falls. Neither the channels to the
// left nor those to the right have a cycle. A way in the tree goes left first (towards the root)
// and then right, so turns from right to left are forbidden. up*/down* crowds its forbidden turns
// and its traffic around the root; here they lie at the far side of every branch. Then the rule
// allows each forbidden turn again that closes no cycle, from left to right and top to bottom of
// the plane. The paper's text was not available: its order of siblings and of lifting may differ.
func newLTurn(g *fabric.Graph, root int32) *Rule {
	_, parent := treeFrom(g, root)
	x := preorder(g, parent)
	left := func(c int32) bool { return x[g.To[c]] < x[g.From[c]] }
	turns := newTurns(NewRule(g, func(c, d int32) bool { return left(c) || !left(d) }))
	lane := cdg.NewOrder(cdg.NewIndex(g), nil, cdg.MoveFewer)
	for c, next := range turns.next {
		for _, d := range next {
			lane.Add([]cdg.Edge{{C: int32(c), D: d}})
		}
	}
	at := make([]int32, g.NumSwitches)
	for s, place := range x {
		at[place] = int32(s)
	}
	for _, v := range at {
		for _, in := range g.OutOf(v) {
			c := in ^ 1
			for _, d := range g.OutOf(v) {
				if !left(c) && left(d) && turns.possible(c, d) && lane.Add([]cdg.Edge{{C: c, D: d}}) {
					turns.next[c] = append(turns.next[c], d)
				}
			}
		}
	}
	return NewRule(g, turns.allowed)
}

// preorder numbers the switches in a walk of the tree, children by port; switches outside the tree
// (drained ones) come last.
func preorder(g *fabric.Graph, parent []int32) []int32 {
	x := make([]int32, g.NumSwitches)
	n := int32(0)
	var walk func(s int32)
	walk = func(s int32) {
		x[s] = n
		n++
		for _, c := range g.OutOf(s) {
			if parent[g.To[c]] == c {
				walk(g.To[c])
			}
		}
	}
	for _, drained := range []bool{false, true} {
		for s := range int32(g.NumSwitches) {
			if parent[s] < 0 && g.Drained[s] == drained {
				walk(s)
			}
		}
	}
	return x
}

// turns is a changing set of allowed turns.
type turns struct {
	g    *fabric.Graph
	next [][]int32 // by channel: the channels that may follow it
}

// newTurns starts with the turns of a rule.
func newTurns(r *Rule) *turns {
	t := &turns{g: r.g, next: make([][]int32, r.g.NumChannels)}
	for c := range int32(r.g.NumChannels) {
		t.next[c] = append([]int32(nil), r.next(c)...)
	}
	return t
}

// possible reports whether some rule may allow a turn.
func (t *turns) possible(c, d int32) bool {
	v := t.g.To[c]
	return d != c^1 && !t.g.Drained[v] && t.g.From[c] != v && t.g.To[d] != v
}

func (t *turns) allowed(c, d int32) bool {
	return slices.Contains(t.next[c], d)
}

func (t *turns) forbid(c, d int32) {
	if i := slices.Index(t.next[c], d); i >= 0 {
		t.next[c] = slices.Delete(t.next[c], i, i+1)
	}
}
