package paths

import (
	"context"
)

// Candidates are the paths from which path-selection selects, for other ways to
// select: up to 16 shortest legal loopless paths for each pair of switches with hosts,
// s*NumSwitches+t, the shortest first.
func Candidates(ctx context.Context, in *Input) ([][][]int32, error) {
	g := in.Graph
	sel := &selection{g: g, r: UpDown(g, rootOf(in)), ways: make([][][]int32, g.NumSwitches*g.NumSwitches)}
	return sel.ways, sel.candidates(ctx, in)
}

// HostOrder is the random order in which algorithms take the hosts.
func HostOrder(in *Input) []int32 { return hostOrder(in) }
