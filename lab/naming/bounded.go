package naming

import (
	"context"
	"slices"

	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
)

// Nodes of the search tree for a question of the exact search, in place of the 4 h of
// lp_solve for a programme in the paper: the first limit, and that of the experiment.
const (
	mostNodes  = 4
	extraNodes = 8
)

// finishedOnly keeps the path sets for which the exact search, with a limit of nodes for
// a question, proves the least number of colours of every destination. Section VI-B of
// paper 000 keeps those that lp_solve finishes in time; nodes are the same on any machine.
func finishedOnly(ctx context.Context, s *lab.Setup, sets []*paths.Set, nodes int64) []*paths.Set {
	proven := make([]bool, len(sets))
	s.Parallel(ctx, len(sets), func(k int) {
		a := assign(ctx, sets[k], "exact", names.Options{Workers: 1, Goal: names.Colours, Budget: nodes})
		proven[k] = !slices.ContainsFunc(a.Need, func(b names.Bounds) bool { return b.Lower < b.Upper })
	})
	var finished []*paths.Set
	for k, set := range sets {
		if proven[k] {
			finished = append(finished, set)
		}
	}
	return finished
}
