package paths

import (
	"context"
	"math"
)

// The parts of the algorithms put together in another way, for experiments.

// Widest is shortest-widest under any rule.
func Widest(ctx context.Context, in *Input, r *Rule) (*Set, error) { return widestAll(ctx, in, r) }

// SelectAnyLength is path-selection from 16 candidates of any length.
func SelectAnyLength(ctx context.Context, in *Input) (*Set, error) {
	return selectPaths(ctx, in, math.MaxInt32, false)
}

// DORNewFirst is dor with the paths that replace others first among those to a
// destination.
func DORNewFirst(ctx context.Context, in *Input) (*Set, error) { return dimensionOrder(ctx, in, true) }

// MPortFromTop is mport with paths over broken links that keep the up*/down* rule of
// the last switch, one at the top, as the root.
func MPortFromTop(ctx context.Context, in *Input) (*Set, error) {
	t, err := newMPort(in.Graph)
	if err != nil {
		return nil, err
	}
	return t.repairedBy(ctx, UpDown(in.Graph, int32(in.Graph.NumSwitches-1)))
}
