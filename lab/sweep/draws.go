package sweep

import (
	"cmp"
	"math"

	"weft/lab/stats"
	"weft/lab/store"
)

// moreDraws returns the number of draws of each cell for the next round, nil if no cell needs more.
// A cell needs more until the interval of each contestant's mean is narrow enough, or it has the
// most draws. It doubles the draws: fewer looks keep the intervals honest.
func (r *Run) moreDraws(p *Plan, draws map[string]int) map[string]int {
	if r.Draws.Within == 0 {
		return nil
	}
	next := map[string]int{}
	more := false
	groups := r.groups(p)
	for _, v := range r.variants(draws) {
		cell := v.cell()
		now := cmp.Or(draws[cell], r.Draws.Least)
		next[cell] = now
		if v.Draw != 0 && now < r.Draws.Most && !narrow(groups[cell], r.Draws.Within) {
			next[cell], more = min(2*now, r.Draws.Most), true
		}
	}
	if !more {
		return nil
	}
	return next
}

// groups returns the figures of each cell of this shard: a list for each contestant, with a value
// for each fabric.
func (r *Run) groups(p *Plan) map[string][]group {
	columns := store.Columns[Row]()
	samples := map[string]*sample{}
	for _, j := range p.Jobs {
		for _, c := range j.Cases {
			if row := r.Rows[c.Row.Case]; row != nil {
				addFigure(samples, r.Contestant(&c.Row), &c.Row.Place, row, columns, r.Draws.Figure)
			}
		}
	}
	out := map[string][]group{}
	for _, s := range samples {
		for _, g := range s.grouped(byCell) {
			out[g.key] = append(out[g.key], g)
		}
	}
	return out
}

// narrow reports whether all intervals of a cell are narrow enough. Those of a cell without figures
// are: more draws would have none either, or another shard has them.
func narrow(groups []group, within float64) bool {
	for _, g := range groups {
		if i := stats.IntervalOf(g.values); i.N < 2 || i.Half > within*math.Abs(i.Mean) {
			return false
		}
	}
	return true
}

// figureOf returns a number of a row, false if it has none.
func figureOf(row *Row, columns []store.Column, name string) (float64, bool) {
	for i := range columns {
		if columns[i].Name != name {
			continue
		}
		switch x := store.Value(row, &columns[i]).(type) {
		case float64:
			return x, true
		case int64:
			return float64(x), true
		}
	}
	return 0, false
}
