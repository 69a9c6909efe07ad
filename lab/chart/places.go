package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// place is where points of a chart are on the axis X.
type place struct {
	x  float64
	at vg.Length // from the left end of the axis, about
}

// places are the places of all points, from left to right on an axis so wide.
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
		out[i] = place{x, wide / 2}
		if low < high {
			out[i].at = wide * vg.Length((along(x)-low)/(high-low))
		}
	}
	return out
}

// ticks are at the places of a logarithmic axis. Each is named, but where that would run
// into the name of the one before.
func ticks(places []place) plot.ConstantTicks {
	var out plot.ConstantTicks
	end := vg.Length(math.Inf(-1))
	for _, p := range places {
		tick := plot.Tick{Value: p.x, Label: number(p.x)}
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

// aside is how far beside their places the ranges of line i are drawn, of those shown:
// as far as there is room to the next place.
func aside(shown []Series, i int, places []place) vg.Length {
	step := vg.Length(apart)
	for k := 1; k < len(places); k++ {
		step = min(step, (places[k].at-places[k-1].at)/vg.Length(len(shown)+1))
	}
	return step * (vg.Length(i) - vg.Length(len(shown)-1)/2)
}
