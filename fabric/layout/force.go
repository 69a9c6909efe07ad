package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/fabric"
	"weft/fabric/layout/internal/forces"
)

// Limits of an irregular network before switches are folded, in boxes and lines.
const (
	mostForced  = 600
	forcedLines = 2000
)

// irregular draws a network by forces: linked switches attract each other. Too many are drawn by
// their distance from one of them instead.
func (d *drawing) irregular() {
	d.p.Kind = Irregular
	f := unfolded(make([]int32, d.g.NumSwitches))
	bundles := d.bundles(f)
	if len(f.blocks) > mostForced || len(bundles) > forcedLines {
		d.shells()
		return
	}
	var links [][2]int32
	for _, b := range bundles {
		links = append(links, [2]int32{b.a, b.b})
	}
	x, y := forces.Place(len(f.blocks), links)
	d.settle(f, x, y)
	for i := range f.blocks {
		d.addBox(&f.blocks[i], "switch")
	}
	for _, b := range bundles {
		if b.a != b.b {
			d.addLine(f, &b, levelClasses[0], f.blocks[b.a].center(), f.blocks[b.b].center())
		}
	}
}

// shells draws a box for all switches at the same distance from one in the middle: of some of the
// network, the one nearest to the others. Switches that it does not reach share the last box.
func (d *drawing) shells() {
	n := int32(d.g.NumSwitches)
	var best []int32
	middle, least := int32(0), math.MaxInt
	for s := int32(0); s < n; s += max(1, n/mostMiddles) {
		if distance, sum := d.distances(s); sum < least {
			best, middle, least = distance, s, sum
		}
	}
	f := newFolding(best, func(s int32) int32 { return best[s] })
	order := fabric.Numbers(len(f.blocks))
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(f.blocks[a].level, f.blocks[b].level) })
	y := 0.0
	for _, i := range order {
		b := &f.blocks[i]
		switch b.level {
		case n:
			b.group = "not reached"
		case 0:
			b.group = d.name[middle]
		default:
			b.group = fmt.Sprint("distance ", b.level)
		}
		b.label = b.group + ": " + several(len(b.members), "switch", "switches")
		d.size(b, "switch", d.wide)
		b.X, b.Y = -b.W/2, y
		y += b.H + 44
		d.addBox(b, "switch")
	}
	for _, b := range d.bundles(f) {
		if b.a == b.b {
			continue
		}
		upper, lower := &f.blocks[b.a], &f.blocks[b.b]
		if upper.Y > lower.Y {
			upper, lower = lower, upper
		}
		at := [2]Point{{0, upper.Y + upper.H}, {0, lower.Y}}
		d.addLine(f, &b, levelClasses[0], at[0], at[1])
	}
	d.p.Text = append(d.p.Text, "Too many switches for a box each: a box holds those at one distance, in cables, from "+d.name[middle]+".")
}

// mostMiddles is the number of switches among which shells chooses.
const mostMiddles = 64

// distances returns the distances of all switches from one, in cables, and their sum. Switches that
// it does not reach have the number of switches.
func (d *drawing) distances(first int32) (distance []int32, sum int) {
	distance = slices.Repeat([]int32{int32(d.g.NumSwitches)}, d.g.NumSwitches)
	distance[first] = 0
	for queue := []int32{first}; len(queue) > 0; queue = queue[1:] {
		next := distance[queue[0]] + 1
		for _, c := range d.g.OutOf(queue[0]) {
			if t := d.g.To[c]; distance[t] > next {
				distance[t] = next
				queue = append(queue, t)
			}
		}
	}
	for _, away := range distance {
		sum += int(away)
	}
	return distance, sum
}

// mostRoomy is the largest number of boxes drawn with large gaps.
const mostRoomy = 160

// settle puts each box into the free place of a raster nearest to its place by forces.
func (d *drawing) settle(f *folding, byForceX, byForceY []float64) {
	pitchX, pitchY, gap := 92.0, 66.0, 14.0
	n := len(f.blocks)
	if n > mostRoomy {
		pitchX, pitchY = 58, 44
	}
	tall := pitchY
	for i := range f.blocks {
		b := &f.blocks[i]
		d.size(b, "switch", pitchX-gap)
		if b.upright && len(b.members) == 1 {
			b.upright, b.W, b.H = false, pitchX-gap, boxPadding*2+textRow*float64(len(d.words(b, "switch")))
		}
		tall = max(tall, b.H+gap)
	}
	columns := min(int(math.Floor(d.wide/pitchX)), max(2, int(math.Ceil(math.Sqrt(float64(n)*2.6*tall/pitchX)))))
	rows := max(1, int(math.Ceil(float64(n)*1.7/float64(columns))))
	free := slices.Repeat([]bool{true}, columns*rows)
	across, down := onRaster(byForceX, columns), onRaster(byForceY, rows)
	for i := range f.blocks {
		x, y := across[i], down[i]
		best, least := -1, math.Inf(1)
		for k, is := range free {
			if dx, dy := float64(k%columns)-x, float64(k/columns)-y; is && dx*dx+dy*dy < least {
				best, least = k, dx*dx+dy*dy
			}
		}
		free[best] = false
		b := &f.blocks[i]
		b.X = float64(best%columns)*pitchX + (pitchX-b.W)/2
		b.Y = float64(best/columns)*tall + (tall-b.H)/2
	}
}

// onRaster scales coordinates to places 0 to places-1: half by distance, half by order, so that
// outliers leave room for the others.
func onRaster(at []float64, places int) []float64 {
	scale := func(x, from, to float64) float64 { return (x - from) / max(to-from, 1e-9) * float64(places-1) }
	order := fabric.Numbers(len(at))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(at[a], at[b]) })
	out := make([]float64, len(at))
	for rank, i := range order {
		out[i] = (scale(at[i], slices.Min(at), slices.Max(at)) + scale(float64(rank), 0, float64(len(at)-1))) / 2
	}
	return out
}
