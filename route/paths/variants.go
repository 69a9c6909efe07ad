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
