package layout

import (
	"cmp"
	"math"
	"slices"
)

// Limits of the improvement of order: boxes, and sweeps.
const (
	mostSwept = 400
	sweeps    = 24
)

// sweep improves the order of rows: down and up by the mean places of neighbours, keeping the order
// with the fewest crossings.
func (r *rows) sweep() {
	if len(r.blocks) > mostSwept {
		return
	}
	best, least := r.copied(), r.crossings()
	for i := range sweeps {
		if i%2 == 0 {
			for h := 1; h < len(r.row); h++ {
				r.sort(h, -1)
			}
		} else {
			for h := len(r.row) - 2; h >= 0; h-- {
				r.sort(h, +1)
			}
		}
		if c := r.crossings(); c < least {
			best, least = r.copied(), c
		}
	}
	r.row = best
	for h := range r.row {
		r.setRanks(h)
	}
}

func (r *rows) copied() [][]int32 {
	out := make([][]int32, len(r.row))
	for h := range out {
		out[h] = slices.Clone(r.row[h])
	}
	return out
}

// sort orders a row by the mean places of neighbours in the row below (-1) or above (+1). A block
// without neighbours keeps its place.
func (r *rows) sort(h, side int) {
	mean := make([]float64, len(r.blocks))
	for i, b := range r.row[h] {
		sum, count := 0.0, 0
		for _, u := range r.near[b] {
			if int(r.blocks[u].level) == h+side {
				sum += (float64(r.rank[u]) + 0.5) / float64(len(r.row[h+side]))
				count++
			}
		}
		mean[b] = (float64(i) + 0.5) / float64(len(r.row[h]))
		if count > 0 {
			mean[b] = sum / float64(count)
		}
	}
	slices.SortStableFunc(r.row[h], func(a, b int32) int { return cmp.Compare(mean[a], mean[b]) })
	r.setRanks(h)
}

// crossings counts the crossing pairs of lines between neighbouring rows, by counting inversions
// with a Fenwick tree.
func (r *rows) crossings() int {
	total := 0
	for h := 1; h < len(r.row); h++ {
		tree := make([]int, len(r.row[h])+1)
		seen := 0
		for _, v := range r.row[h-1] {
			var ends []int
			for _, u := range r.near[v] {
				if int(r.blocks[u].level) == h {
					ends = append(ends, r.rank[u])
				}
			}
			for _, e := range ends {
				before := 0
				for i := e + 1; i > 0; i -= i & -i {
					before += tree[i]
				}
				total += seen - before
			}
			for _, e := range ends {
				for i := e + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
			seen += len(ends)
		}
	}
	return total
}

// attached is an end of a bundle on an edge of its box.
type attached struct {
	bundle int
	end    int     // 0 for a, 1 for b
	other  float64 // place of the other end
}

// cables draws all bundles. On each edge of a box they are attached in the order of their other
// ends, so that lines of one box do not cross.
func (r *rows) cables() {
	at := make([][2]Point, len(r.bundles))
	up, down := make([][]attached, len(r.blocks)), make([][]attached, len(r.blocks))
	for i, b := range r.bundles {
		if b.a == b.b {
			continue
		}
		for end, here := range [2]int32{b.a, b.b} {
			other := &r.blocks[b.a+b.b-here]
			a := attached{i, end, other.X + other.W/2}
			switch {
			case other.level > r.blocks[here].level:
				up[here] = append(up[here], a)
			case other.level < r.blocks[here].level:
				down[here] = append(down[here], a)
			}
		}
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		b.attach(up[i], b.Y, at)
		b.attach(down[i], b.Y+b.H, at)
	}
	for i := range r.bundles {
		b := &r.bundles[i]
		upper, lower := &r.blocks[b.a], &r.blocks[b.b]
		if b.a == b.b {
			continue
		}
		if upper.level == lower.level {
			r.beside(b)
			continue
		}
		class := levelClasses[min(int(min(upper.level, lower.level)), len(levelClasses)-1)]
		r.d.addLine(r.folding, b, class, at[i][0], at[i][1])
	}
	r.labelLines(at)
}

// labelLines labels the lines between levels with their numbers of cables, near their lower ends,
// where no other label is: across the line, or along it. Lines with marked cables come first. Where
// not all labels of lines with equal numbers have room, one stands for all.
func (r *rows) labelLines(at [][2]Point) {
	gaps := map[int32][]int{} // by lower level
	for i := range r.bundles {
		if a, b := r.blocks[r.bundles[i].a].level, r.blocks[r.bundles[i].b].level; a != b {
			gaps[min(a, b)] = append(gaps[min(a, b)], i)
		}
	}
	var taken []Area
	for h := range int32(len(r.row)) {
		gap := gaps[h]
		slices.SortStableFunc(gap, func(i, j int) int {
			return -cmp.Compare(len(r.d.troubles(&r.bundles[i])), len(r.d.troubles(&r.bundles[j])))
		})
		equal, placed, before := true, true, len(taken)
		var labels []Label
		for _, i := range gap {
			b := &r.bundles[i]
			equal = equal && len(b.links) == len(r.bundles[gap[0]].links) && r.d.troubles(b) == ""
			if len(b.links) < 2 {
				continue
			}
			low, high := at[i][0], at[i][1]
			if low.Y < high.Y {
				low, high = high, low
			}
			l, ok := r.freeLabel(b, low, high, &taken, len(gap) <= mostLabels)
			if placed = placed && ok; ok {
				labels = append(labels, l)
			}
		}
		if equal && len(gap) > 0 && len(r.bundles[gap[0]].links) > 1 && (!placed || len(gap) > mostTimes) {
			b := &r.bundles[gap[0]]
			taken, labels = taken[:before], nil
			y := min(at[gap[0]][0].Y, at[gap[0]][1].Y) + 16
			labels = append(labels, Label{Point: Point{0, y}, Text: "each line: " + several(len(b.links), "cable", "cables"), Size: labelSize, Anchor: Start})
		}
		r.d.p.Labels = append(r.d.p.Labels, labels...)
	}
}

// freeLabel returns the label of a line in a place where no other is, and adds its area to taken.
func (r *rows) freeLabel(b *bundle, low, high Point, taken *[]Area, few bool) (Label, bool) {
	along := math.Atan2(high.Y-low.Y, high.X-low.X) * 180 / math.Pi
	if along < -90 {
		along += 180
	}
	for _, turn := range []float64{0, along} {
		for _, share := range []float64{0.25, 0.4, 0.55, 0.7, 0.85} {
			l := r.d.timesLabel(b, Point{low.X + (high.X-low.X)*share, low.Y + (high.Y-low.Y)*share})
			if l.Turn = turn; turn == 0 {
				l.Size = 10
			}
			a := l.area()
			if few && !slices.ContainsFunc(*taken, a.overlaps) {
				*taken = append(*taken, a)
				return l, true
			}
		}
	}
	return Label{}, false
}

// overlaps reports whether two areas overlap.
func (a *Area) overlaps(b Area) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// mostLabels is the largest number of labelled lines between two levels.
const mostLabels = 160

// mostTimes is the largest number of lines between two levels that are labelled one by one if all
// have the same number of cables.
const mostTimes = 32

// timesLabel returns the label of a line: its number of cables, and of marked cables.
func (d *drawing) timesLabel(b *bundle, at Point) Label {
	text := "×" + number(float64(len(b.links))) + d.troubles(b)
	return Label{Point: at, Text: text, Size: 10, Anchor: Middle}
}

// attach spreads the ends on an edge of a box.
func (b *block) attach(ends []attached, y float64, at [][2]Point) {
	slices.SortStableFunc(ends, func(a, b attached) int { return cmp.Compare(a.other, b.other) })
	pitch := min(14, b.W*0.85/float64(max(1, len(ends))))
	for k, a := range ends {
		at[a.bundle][a.end] = Point{b.X + b.W/2 + (float64(k)-float64(len(ends)-1)/2)*pitch, y}
	}
}

// beside draws cables within a level: straight between neighbours, as an arc between others.
func (r *rows) beside(b *bundle) {
	left, right := &r.blocks[b.a], &r.blocks[b.b]
	if left.X > right.X {
		left, right = right, left
	}
	class := levelClasses[len(levelClasses)-1]
	if d := r.rank[b.a] - r.rank[b.b]; d == 1 || d == -1 {
		y := max(left.Y, right.Y) + min(left.H, right.H)/2
		r.d.addLine(r.folding, b, class, Point{left.X + left.W, y}, Point{right.X, y})
		if len(b.links) > 1 && right.X-left.X-left.W > 12 {
			r.d.p.Labels = append(r.d.p.Labels, r.d.timesLabel(b, Point{(left.X + left.W + right.X) / 2, y - 8}))
		}
		return
	}
	p, q := Point{left.X + left.W/2, left.Y + left.H}, Point{right.X + right.W/2, right.Y + right.H}
	sag := min(70, 16+math.Abs(q.X-p.X)/8)
	if left.level > 0 && int(left.level) == len(r.row)-1 {
		p.Y, q.Y, sag = left.Y, right.Y, -sag
	}
	r.d.addLine(r.folding, b, class, p, Point{p.X + (q.X-p.X)/6, p.Y + sag}, Point{q.X - (q.X-p.X)/6, q.Y + sag}, q)
}
