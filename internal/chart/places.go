package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// place is a position on axis X where a chart has points.
type place struct {
	x     float64
	at    vg.Length // approximate distance from the left end of the axis
	label string
}

// places lists the places of all points, from left to right on an axis of a width.
func (c *Chart) places(wide vg.Length) []place {
	var all []float64
	for _, s := range c.Series {
		for _, pt := range s.Points {
			all = append(all, pt.X)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	along := func(x float64) float64 { return x }
	if c.X.Log {
		along = math.Log
	}
	low, high := along(all[0]), along(all[len(all)-1])
	if c.X.Log {
		low, high = low-along(logRoom), high+along(logRoom)
	}
	out := make([]place, len(all))
	for i, x := range all {
		out[i] = place{x, wide / 2, number(x)}
		if low < high {
			out[i].at = wide * vg.Length((along(x)-low)/(high-low))
		}
	}
	return out
}

// spaced returns the chart, its shown series and its places with the places evenly spaced. A place
// keeps its number as label.
func (c *Chart) spaced(shown []Series, places []place) (*Chart, []Series, []place) {
	index := map[float64]float64{} // by number
	even, first, last := slices.Clone(places), places[0].at, places[len(places)-1].at
	for i, p := range places {
		index[p.x] = float64(i)
		even[i].x = float64(i)
		even[i].at = first + (last-first)*vg.Length(i)/vg.Length(max(len(places)-1, 1))
	}
	moved := func(all []Series) []Series {
		all = slices.Clone(all)
		for i := range all {
			all[i].Points = slices.Clone(all[i].Points)
			for k := range all[i].Points {
				all[i].Points[k].X = index[all[i].Points[k].X]
			}
		}
		return all
	}
	out := *c
	out.Uprights = slices.Clone(c.Uprights)
	for i := range out.Uprights {
		out.Uprights[i].X = between(places, out.Uprights[i].X)
	}
	return &out, moved(shown), even
}

// between returns the index at which a number lies among places; between two of them a fraction.
func between(places []place, x float64) float64 {
	k := slices.IndexFunc(places, func(p place) bool { return p.x >= x })
	switch {
	case k < 0:
		return float64(len(places) - 1)
	case k == 0:
		return 0
	}
	low, high := places[k-1].x, places[k].x
	return float64(k-1) + (x-low)/(high-low)
}

// ticks returns the ticks at the places of a logarithmic or even axis. A tick has no label if that
// would run into the previous label.
func ticks(places []place) plot.ConstantTicks {
	var out plot.ConstantTicks
	end := vg.Length(math.Inf(-1))
	for _, p := range places {
		tick := plot.Tick{Value: p.x, Label: p.label}
		half := digit * vg.Length(len(tick.Label)) / 2
		if p.at-half < end+blank {
			tick.Label = ""
		} else {
			end = p.at + half
		}
		out = append(out, tick)
	}
	return out
}

// aside returns the offset of the ranges of line i from their places, so that the ranges of the
// lines shown do not hide each other; it leaves room to the next place.
func aside(shown []Series, i int, places []place) vg.Length {
	step := vg.Length(apart)
	for k := 1; k < len(places); k++ {
		step = min(step, (places[k].at-places[k-1].at)/vg.Length(len(shown)+1))
	}
	return step * (vg.Length(i) - vg.Length(len(shown)-1)/2)
}
