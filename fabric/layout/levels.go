package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// rows is a folding in levels.
type rows struct {
	*folding
	d       *drawing
	bundles []bundle
	row     [][]int32 // by level: blocks from left to right
	rank    []int     // by block: its rank in its row
	near    [][]int32 // by block: blocks of other levels, once for each bundle
}

// levels draws a network in rows, the leaves at the bottom.
func (d *drawing) levels(level []int32) {
	d.p.Kind = Levels
	r := d.newRows(d.foldLevels(level), level)
	r.sweep()
	r.size()
	r.place()
	r.draw()
}

// newRows puts blocks in rows, pod by pod, in the order of their names.
func (d *drawing) newRows(f *folding, level []int32) *rows {
	r := &rows{folding: f, d: d, bundles: d.bundles(f), rank: make([]int, len(f.blocks)), near: make([][]int32, len(f.blocks))}
	for _, b := range r.bundles {
		if f.blocks[b.a].level != f.blocks[b.b].level {
			r.near[b.a] = append(r.near[b.a], b.b)
			r.near[b.b] = append(r.near[b.b], b.a)
		}
	}
	r.row = make([][]int32, len(f.boxesByLevel()))
	for i := range f.blocks {
		d.sortByName(f.blocks[i].members)
		h := f.blocks[i].level
		r.row[h] = append(r.row[h], int32(i))
	}
	first := func(b int32) string { return d.name[f.blocks[b].members[0]] }
	for h := range r.row {
		slices.SortStableFunc(r.row[h], func(a, b int32) int { return byName(first(a), first(b)) })
		r.setRanks(h)
	}
	r.sortByRail()
	for k := int32(1); k <= int32(len(r.row)); k++ {
		pods, n := d.parts(func(s int32) bool { return level[s] < k }, func(link int32) bool {
			return level[d.g.From[2*link]] != level[d.g.To[2*link]]
		})
		r.sortByPart(pods, n)
	}
	r.namePods()
	return r
}

// namePods names the group of each block: the words that begin the names of a pod, or its number
// from the left.
func (r *rows) namePods() {
	members := make([][]int32, r.d.pods)
	for s, p := range r.d.pod {
		if p >= 0 {
			members[p] = append(members[p], int32(s))
		}
	}
	names, next := make([]string, r.d.pods), 1
	for _, i := range r.row[0] {
		p := r.d.pod[r.blocks[i].members[0]]
		if p < 0 || names[p] != "" {
			continue
		}
		if names[p] = r.d.common(members[p]); !slices.ContainsFunc([]byte(names[p]), isDigit) {
			names[p] = fmt.Sprint("pod ", next)
		}
		next++
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		p := r.d.pod[b.members[0]]
		if p >= 0 && !slices.ContainsFunc(b.members, func(s int32) bool { return r.d.pod[s] != p }) {
			b.group = names[p]
		}
	}
}

// sortByRail sorts the leaves that have servers in common by rail, and keeps them together.
func (r *rows) sortByRail() {
	if len(r.d.servers) == 0 {
		return
	}
	rail := func(b int32) uint32 { return uint32(r.d.railOf(r.blocks[b].members)) } // rails.None is last
	slices.SortStableFunc(r.row[0], func(a, b int32) int { return cmp.Compare(rail(a), rail(b)) })
	r.setRanks(0)
	pods, n := r.d.joined()
	r.sortByPart(pods, n)
}

// sortByPart sorts all rows to keep the blocks of each part together, by the mean place of its
// lowest blocks.
func (r *rows) sortByPart(of []int32, n int) {
	sum, count := make([]float64, n), make([]float64, n)
	for _, row := range r.row[:1] {
		for i, b := range row {
			for _, s := range r.blocks[b].members {
				if p := of[s]; p >= 0 {
					sum[p] += float64(i)
					count[p]++
				}
			}
		}
	}
	for h := range r.row {
		place := func(b int32) float64 {
			p := of[r.blocks[b].members[0]]
			if p < 0 || count[p] == 0 {
				return float64(r.rank[b])
			}
			return sum[p] / count[p]
		}
		slices.SortStableFunc(r.row[h], func(a, b int32) int { return cmp.Compare(place(a), place(b)) })
		r.setRanks(h)
	}
}

// setRanks records the ranks of a row.
func (r *rows) setRanks(h int) {
	for i, b := range r.row[h] {
		r.rank[b] = i
	}
}

// gapOf returns the space between the boxes of a row of n.
func (r *rows) gapOf(n int) float64 {
	return max(2, min(14, r.d.wide/float64(n)/5))
}

// size sets the sizes of all boxes: the widest that let a row fit.
func (r *rows) size() {
	top := int32(len(r.row) - 1)
	for h, row := range r.row {
		gap := r.gapOf(len(row))
		share := (r.d.wide+gap)/float64(len(row)) - gap
		for room := r.d.wide; ; room *= 0.85 {
			for _, i := range row {
				r.d.size(&r.blocks[i], role(int32(h), top), max(room, share))
			}
			if room <= share || r.width(h, gap) <= r.d.wide {
				break
			}
		}
		if slices.ContainsFunc(row, func(i int32) bool { return r.blocks[i].upright }) {
			for _, i := range row {
				if b := &r.blocks[i]; len(b.members) == 1 {
					r.d.size(b, role(int32(h), top), min(b.W, uprightWidth))
				}
			}
		}
		tall := 0.0
		for _, i := range row {
			tall = max(tall, r.blocks[i].H)
		}
		for _, i := range row {
			if b := &r.blocks[i]; len(b.members) == 1 || b.upright {
				b.H = tall
			}
		}
	}
}

// width returns the width of a row with gaps.
func (r *rows) width(h int, gap float64) float64 {
	w := -gap
	for _, i := range r.row[h] {
		w += r.blocks[i].W + gap
	}
	return w
}

// place places the lowest row in its order, and boxes of other rows as near as possible to the
// middle of their neighbours below.
func (r *rows) place() {
	wide := 0.0
	for h := range r.row {
		wide = max(wide, r.width(h, r.gapOf(len(r.row[h]))))
	}
	gap := max(76, min(200, wide/6))
	y := 0.0
	for h := len(r.row) - 1; h >= 0; h-- {
		tall := 0.0
		for _, i := range r.row[h] {
			r.blocks[i].Y = y
			tall = max(tall, r.blocks[i].H)
		}
		y += tall + gap
	}
	for h, row := range r.row {
		least := r.gapOf(len(row))
		free := 0.0
		if len(row) > 1 {
			free = max(0, min(40, (0.85*wide-r.width(h, least))/float64(len(row)-1)))
		}
		if h == 0 {
			free = max(0, min(free, 14))
		}
		want := make([]float64, len(row))
		for k, i := range row {
			want[k] = r.wanted(i, int32(h), wide, k, len(row))
		}
		r.spread(row, want, least+free, wide)
	}
}

// wanted returns the desired middle of a box.
func (r *rows) wanted(i, h int32, wide float64, k, n int) float64 {
	sum, count := 0.0, 0.0
	for _, u := range r.near[i] {
		if b := &r.blocks[u]; b.level < h {
			sum += b.X + b.W/2
			count++
		}
	}
	if count == 0 || h == 0 {
		return wide * (float64(k) + 0.5) / float64(n)
	}
	return sum / count
}

// spread places the boxes of a row with their middles near the desired places.
func (r *rows) spread(row []int32, want []float64, gap, wide float64) {
	widths := make([]float64, len(row))
	for k, i := range row {
		widths[k] = r.blocks[i].W
	}
	for k, x := range spread(widths, want, gap, wide) {
		r.blocks[row[k]].X = x
	}
}

// spread places boxes in their order, with gaps, their middles as near as possible (least squares)
// to the desired places: boxes that would overlap move together. It returns their left edges, from
// 0 on.
func spread(widths, want []float64, gap, wide float64) []float64 {
	type pool struct{ sum, count float64 }
	var pools []pool
	offset := make([]float64, len(widths)) // of the middle, if all are side by side
	at := 0.0
	for k, w := range widths {
		offset[k] = at + w/2
		at += w + gap
		pools = append(pools, pool{want[k] - offset[k], 1})
		for last := len(pools) - 1; last > 0 && pools[last-1].sum/pools[last-1].count > pools[last].sum/pools[last].count; last-- {
			pools[last-1].sum += pools[last].sum
			pools[last-1].count += pools[last].count
			pools = pools[:last]
		}
	}
	high := max(0, wide-(at-gap))
	left := make([]float64, 0, len(widths))
	for _, q := range pools {
		for range int(q.count) {
			k := len(left)
			left = append(left, min(max(q.sum/q.count, 0), high)+offset[k]-widths[k]/2)
		}
	}
	return left
}

// draw draws boxes, hosts, frames and cables.
func (r *rows) draw() {
	top := int32(len(r.row) - 1)
	hosts, alone := 0, true
	for i := range r.blocks {
		hosts += r.d.loneOf(&r.blocks[i])
		alone = alone && len(r.blocks[i].members) == 1
	}
	for h := range slices.Backward(r.row) {
		for _, i := range r.row[h] {
			b := &r.blocks[i]
			box := r.d.addBox(b, role(int32(h), top))
			if alone && hosts <= mostDots && (h == 0 || int32(h) == top) {
				box.Dots = dots(b, r.d.loneOf(b), h == 0)
			}
		}
	}
	r.frames()
	r.cables()
}

// mostDots is the largest number of hosts drawn as dots.
const mostDots = 1300

// dots returns the places of hosts below or above a box.
func dots(b *block, hosts int, below bool) []Point {
	columns := max(1, int((b.W+dotPitch-2*dotSize)/dotPitch))
	var out []Point
	for i := range hosts {
		inRow := min(columns, hosts-i/columns*columns)
		x := b.X + b.W/2 + (float64(i%columns)-float64(inRow-1)/2)*dotPitch
		y := dotPitch * (float64(i/columns) + 0.9)
		if below {
			out = append(out, Point{x, b.Y + b.H + y})
		} else {
			out = append(out, Point{x, b.Y - y})
		}
	}
	return out
}

// frames draws an area behind each pod of several boxes, unless two would overlap. A text gives the
// size of the pods if all have the same.
func (r *rows) frames() {
	pad := r.framePadding()
	pods := r.pods(pad)
	if len(pods) < 2 {
		return
	}
	first := pods[0]
	if !slices.ContainsFunc(pods, func(p *pod) bool { return len(p.switches) != len(first.switches) || p.hosts != first.hosts }) {
		r.d.p.Text = append(r.d.p.Text, fmt.Sprintf("%d pods, each of %s.", len(pods), r.d.sizeText(first.switches, first.hosts)))
	}
	if overlap(pods, pad) || !slices.ContainsFunc(pods, func(p *pod) bool { return p.boxes > 1 }) {
		return
	}
	for _, p := range pods {
		r.d.p.Frames = append(r.d.p.Frames, r.frameOf(p))
	}
}

// framePadding returns the space between boxes and the frame around them, at most 5 pixels: it fits
// between boxes of different pods.
func (r *rows) framePadding() float64 {
	pad := 5.0
	for _, row := range r.row {
		for k := 1; k < len(row); k++ {
			left, right := &r.blocks[row[k-1]], &r.blocks[row[k]]
			if left.group != right.group {
				pad = max(0, min(pad, (right.X-left.X-left.W)/2-1))
			}
		}
	}
	return pad
}

// pod is a pod in the picture. Its area encloses its boxes.
type pod struct {
	Area
	name         string
	boxes, hosts int
	switches     []int32
}

// pods returns the pods, in the order of their first boxes.
func (r *rows) pods(pad float64) (list []*pod) {
	byName := map[string]*pod{}
	for _, row := range r.row {
		for _, i := range row {
			b := &r.blocks[i]
			if b.group == "" {
				continue
			}
			p, ok := byName[b.group]
			if !ok {
				p = &pod{name: b.group, Area: Area{b.X - pad, b.Y - pad, b.W + 2*pad, b.H + 2*pad}}
				byName[b.group], list = p, append(list, p)
			}
			x, y := min(p.X, b.X-pad), min(p.Y, b.Y-pad)
			p.W, p.H = max(p.X+p.W, b.X+b.W+pad)-x, max(p.Y+p.H, b.Y+b.H+pad)-y
			p.X, p.Y = x, y
			p.boxes, p.switches, p.hosts = p.boxes+1, append(p.switches, b.members...), p.hosts+r.d.hostsOf(b)
		}
	}
	return list
}

// overlap reports whether some pods do not stand side by side, in this order from left to right.
func overlap(pods []*pod, pad float64) bool {
	right := math.Inf(-1)
	for _, p := range pods {
		if p.X < right {
			return true
		}
		right = p.X + p.W - 2*pad + 1
	}
	return false
}

// frameOf returns the frame of a pod, with the longest text that fits.
func (r *rows) frameOf(p *pod) Frame {
	f := Frame{Area: p.Area, Group: p.name, Title: p.name + ": " + r.d.sizeText(p.switches, p.hosts)}
	for _, text := range []string{f.Title, p.name, strings.TrimPrefix(p.name, "pod ")} {
		if f.Text == "" && textWidth(text, labelSize) <= p.W {
			f.Text = text
		}
	}
	return f
}

// sizeText counts some switches and their hosts.
func (d *drawing) sizeText(switches []int32, hosts int) string {
	text := several(len(switches), "switch", "switches")
	if hosts > 0 {
		text += ", " + d.hostText(switches, hosts)
	}
	return text
}
