package layout

import (
	"cmp"
	"math"
	"slices"
)

// Limits of an irregular network before switches are folded, in boxes and lines, and the number of
// steps of the forces.
const (
	mostForced   = 160
	forcedLines  = 1200
	forceUpdates = 300
)

// irregular draws a network by forces: linked switches attract each other.
func (d *drawing) irregular() {
	d.p.Kind = Irregular
	f := d.coarse()
	bundles := d.bundles(f)
	at := forced(len(f.blocks), bundles)
	d.settle(f, at)
	for i := range f.blocks {
		d.addBox(&f.blocks[i], "switch")
	}
	for _, b := range bundles {
		if b.a != b.b {
			d.addLine(f, &b, levelClasses[0], f.blocks[b.a].center(), f.blocks[b.b].center())
		}
	}
}

// coarse joins blocks, pair by pair, until they fit; pairs with the most cables for their size come
// first.
func (d *drawing) coarse() *folding {
	f := unfolded(make([]int32, d.g.NumSwitches))
	for {
		bundles := d.bundles(f)
		if len(f.blocks) <= mostForced && len(bundles) <= forcedLines || len(f.blocks) < 3 {
			return f
		}
		share := func(b *bundle) float64 {
			return float64(len(b.links)) / float64(len(f.blocks[b.a].members)*len(f.blocks[b.b].members))
		}
		slices.SortStableFunc(bundles, func(x, y bundle) int { return cmp.Compare(share(&y), share(&x)) })
		number := make([]int32, len(f.blocks))
		for b := range number {
			number[b] = int32(b)
		}
		taken, joined := make([]bool, len(f.blocks)), 0
		for i := range bundles {
			if b := &bundles[i]; b.a != b.b && !taken[b.a] && !taken[b.b] {
				taken[b.a], taken[b.b] = true, true
				number[b.b] = b.a
				joined++
			}
		}
		if joined == 0 {
			return d.chunk(f, 0, mostForced)
		}
		f = f.merged(number)
	}
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

// settle puts each box into the free place of a raster nearest to its place by forces.
func (d *drawing) settle(f *folding, at []Point) {
	const pitchX, pitchY, gap = 92.0, 66.0, 14.0
	n := len(f.blocks)
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
