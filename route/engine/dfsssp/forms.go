package dfsssp

import (
	"context"

	"weft/route"
	"weft/route/engine/internal/sample"
	"weft/route/engine/sssp"
	"weft/route/lanes"
)

// form is a method of choosing paths.
type form struct {
	balanced bool  // the paths of package sssp between hosts, on any lanes
	slack    slack // otherwise
	passes   int
	others   bool // with balanced: other LIDs than base LIDs have paths of their own
}

// most is an unlimited slack in effect.
const most = 1 << 16

// formsFor lists the forms to try, in groups: the best result of the first group with one that fits
// wins. passes is the value of the option, 0 for a number by size.
func formsFor(in *route.Input, passes int) [][]form {
	few := func(k, passes int) form { return form{slack: slack{base: k}, passes: passes} }
	n := sssp.PassesFor(in, passes)
	balanced := form{balanced: true, passes: n}
	switch sssp.SizeOf(in) {
	case sssp.Small:
		return [][]form{{balanced, few(3, n), few(8, n), few(most, n)}, {few(most, 1)}}
	case sssp.Medium:
		return [][]form{{balanced}, {few(8, n)}, {few(most, n)}, {few(most, 1)}}
	case sssp.Large:
	}
	return [][]form{{few(3, n)}, {few(8, n)}, {few(most, n)}, {few(most, 1)}}
}

// build chooses the paths. Its lanes have all of them.
func (f form) build(ctx context.Context, in *route.Input, u *upDown) (*route.Tables, *lanes.Acyclic, error) {
	if f.balanced {
		return buildBalanced(ctx, in, u, f.passes, f.others)
	}
	return buildFewLanes(ctx, in, u, f.slack, f.passes)
}

// withOthers lists the forms for other LIDs beside the base LIDs. These get at least as much slack
// as base LIDs; in the last form they take the path to the base LID.
func (f form) withOthers() []form {
	own, same := f, f
	own.others = true
	if f.balanced {
		return []form{own, same}
	}
	var list []form
	for _, k := range []int{3, 8, most, sameAsBase} {
		if k >= f.slack.base || k == sameAsBase {
			own.slack.others = k
			list = append(list, own)
		}
	}
	return list
}

// result holds the outcome of one form.
type result struct {
	form   form
	tables *route.Tables
	found  *lanes.Lanes
}

// chooseResult prefers results whose answers are safe on the SL of the request. Among those with as
// good a bandwidth as the best it takes the one on the fewest lanes.
func chooseResult(in *route.Input, list []*result) *result {
	same := func(r *result) bool { return r.found.SL == nil || !r.found.SL.OneWay }
	anySame := false
	for _, r := range list {
		anySame = anySame || same(r)
	}
	top, bandwidth := 0.0, make([]float64, len(list))
	for i, r := range list {
		if len(list) > 1 && same(r) == anySame {
			bandwidth[i] = sample.Bandwidth(in, r.tables, false)
			top = max(top, bandwidth[i])
		}
	}
	var best *result
	most := 0.0
	for i, r := range list {
		if same(r) != anySame || bandwidth[i] < sample.AsGood*top {
			continue
		}
		if best == nil || r.found.Need < best.found.Need || r.found.Need == best.found.Need && bandwidth[i] > most {
			best, most = r, bandwidth[i]
		}
	}
	return best
}
