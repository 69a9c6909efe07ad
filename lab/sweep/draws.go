package sweep

import (
	"cmp"
	"math"

	"weft/lab/stats"
	"weft/lab/store"
)

// more returns the number of draws of each cell for the next round, nil if no cell needs more: a
// cell is open until the interval of each engine's mean is narrow enough, or its draws are the
// most. Draws are doubled: fewer looks keep the intervals honest.
func (r *Run) more(p *Plan, draws map[string]int) map[string]int {
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

// groups returns, for each cell of this shard and each contestant in it, the figure of the fabrics
// drawn: of a fabric the mean over seeds.
func (r *Run) groups(p *Plan) map[string]map[string][]float64 {
	columns := store.Columns[Row]()
	type at struct{ cell, contestant, graph string }
	sums, counts := map[at]float64{}, map[at]float64{}
	var order []at
	for _, j := range p.Jobs {
		for _, c := range j.Cases {
			row := r.Rows[c.Row.Case]
			if row == nil || row.Status != Proven {
				continue
			}
			x, ok := figureOf(row, columns, r.Draws.Figure)
			if !ok {
				continue
			}
			k := at{c.Row.cell(), r.Contestant(&c.Row), c.Row.Graph}
			if counts[k] == 0 {
				order = append(order, k)
			}
			sums[k] += x
			counts[k]++
		}
	}
	out := map[string]map[string][]float64{}
	for _, k := range order {
		if out[k.cell] == nil {
			out[k.cell] = map[string][]float64{}
		}
		out[k.cell][k.contestant] = append(out[k.cell][k.contestant], sums[k]/counts[k])
	}
	return out
}

// narrow reports whether all intervals are narrow enough. A cell without figures is: more draws
// would have none either, or another shard has it.
func narrow(groups map[string][]float64, within float64) bool {
	for _, v := range groups {
		if i := stats.IntervalOf(v); i.N < 2 || i.Half > within*math.Abs(i.Mean) {
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
