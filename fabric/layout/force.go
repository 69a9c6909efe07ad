package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/fabric"
)

// Limits of an irregular network before switches are folded, in boxes and lines, and the number of
// steps of the forces.
const (
	mostForced   = 600
	forcedLines  = 2000
	forceUpdates = 300
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
	d.settle(f, forced(len(f.blocks), bundles))
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

// forced returns places by the forces of Fruchterman and Reingold: all boxes repel each other,
// linked ones attract, and steps get shorter. The first places are on a spiral, so that nothing is
// random. Cost: O(n^2) a step.
func forced(n int, bundles []bundle) []Point {
	at, push := make([]Point, n), make([]Point, n)
	for i := range at {
		radius, turn := math.Sqrt(float64(i)+0.5), 2.399963*float64(i) // the golden angle
		at[i] = Point{radius * math.Cos(turn), radius * math.Sin(turn)}
	}
	for step := range forceUpdates {
		clear(push)
		add := func(i, j int32, force func(distance float64) float64) {
			dx, dy := at[j].X-at[i].X, at[j].Y-at[i].Y
			distance := max(0.01, math.Hypot(dx, dy))
			f := force(distance) / distance
			push[i].X, push[i].Y = push[i].X+dx*f, push[i].Y+dy*f
			push[j].X, push[j].Y = push[j].X-dx*f, push[j].Y-dy*f
		}
		for i := range int32(n) {
			for j := range i {
				add(i, j, func(d float64) float64 { return -1 / d })
			}
		}
		for _, b := range bundles {
			add(b.a, b.b, func(d float64) float64 { return d * d / 4 })
		}
		longest := math.Sqrt(float64(n)) * 0.2 * (1 - float64(step)/forceUpdates)
		for i := range at {
			length := max(1e-9, math.Hypot(push[i].X, push[i].Y))
			at[i].X += push[i].X / length * min(length, longest)
			at[i].Y += push[i].Y / length * min(length, longest)
		}
	}
	return at
}

// mostRoomy is the largest number of boxes drawn with large gaps.
const mostRoomy = 160

// settle puts each box into the free place of a raster nearest to its place by forces.
func (d *drawing) settle(f *folding, at []Point) {
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
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		low, high = Point{min(low.X, p.X), min(low.Y, p.Y)}, Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	free := make([]bool, columns*rows)
	for i := range free {
		free[i] = true
	}
	scale := func(x, from, to float64, places int) float64 {
		return (x - from) / max(to-from, 1e-9) * float64(places-1)
	}
	across := ranks(at, func(p Point) float64 { return p.X })
	down := ranks(at, func(p Point) float64 { return p.Y })
	for i := range f.blocks { // half by distance, half by order, so that outliers leave room for the others
		x := (scale(at[i].X, low.X, high.X, columns) + scale(across[i], 0, float64(n-1), columns)) / 2
		y := (scale(at[i].Y, low.Y, high.Y, rows) + scale(down[i], 0, float64(n-1), rows)) / 2
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

// ranks returns the rank of each point by one coordinate.
func ranks(at []Point, of func(Point) float64) []float64 {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(at[a]), of(at[b])) })
	out := make([]float64, len(at))
	for place, i := range order {
		out[i] = float64(place)
	}
	return out
}
