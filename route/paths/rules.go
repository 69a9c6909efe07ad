package paths

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// ruleOption is the rule that the candidates of path selection keep. A set of paths that needs no
// tree a destination can use any of them: paper 000 gives this as the reason for a separate
// assignment of LIDs.
var ruleOption = route.Option{
	Name: "rule", Default: byUpDown, OneOf: []string{byUpDown, byLTurn, bySmart, byNue},
	Doc: "the turns that candidates may take: up-down, as in paper 000; l-turn and smart, as in the computations of these names; nue, the turns of most shortest paths first, each unless it closes a cycle, as engine nue begins its graph. " +
		"smart can be FAULTY on some networks, and so can l-turn and nue: a switch is left without a way to some LID; take another root, another seed, or up-down, which is always proven",
}

// The values of ruleOption.
const (
	byUpDown = "up-down"
	byLTurn  = "l-turn"
	bySmart  = "smart"
	byNue    = "nue"
)

// legalRule makes the rule of ruleOption. None has a cycle of turns.
func legalRule(ctx context.Context, in *Input) (*Rule, error) {
	switch in.word(ruleOption) {
	case byLTurn:
		return newLTurn(in.Graph, rootOf(in)), nil
	case bySmart:
		return newSmart(ctx, in)
	case byNue:
		return newByDemand(ctx, in)
	}
	return UpDown(in.Graph, rootOf(in)), nil
}

// newByDemand makes the rule that Nue's graph begins with. Turns from a channel up a breadth-first
// tree, and onto a channel down it, come first: they have no cycle, and lead from everywhere to
// everywhere (newSmart keeps them too). Then come all other turns, the turn with the most shortest
// paths first, each unless it closes a cycle. Nue then improves its order of channels, which needs
// a tree a destination; this rule stays as it is.
func newByDemand(ctx context.Context, in *Input) (*Rule, error) {
	g := in.Graph
	all := Unrestricted(g)
	demand, err := countTurnUse(ctx, all)
	if err != nil {
		return nil, err
	}
	_, parent := treeFrom(g, rootOf(in))
	inTree := func(c, d int32) bool { return parent[g.From[c]] == c^1 || parent[g.To[d]] == d }
	type turn struct {
		c, d   int32
		inTree bool
		paths  float64
	}
	var list []turn
	for c := range int32(g.NumChannels) {
		for i := all.start[c]; i < all.start[c+1]; i++ {
			d := all.after[i]
			list = append(list, turn{c, d, inTree(c, d), demand.paths[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b turn) int {
		if a.inTree != b.inTree {
			if a.inTree {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.paths, a.paths)
	})
	turns := &turns{g: g, next: make([][]int32, g.NumChannels)}
	lane := cdg.NewOrder(cdg.NewIndex(g), fabric.Numbers(g.NumChannels), cdg.MoveFewer)
	for _, t := range list {
		if lane.Add([]cdg.Edge{{C: t.c, D: t.d}}) {
			turns.next[t.c] = append(turns.next[t.c], t.d)
		}
	}
	return NewRule(g, turns.allowed), nil
}
