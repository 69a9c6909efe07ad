package layout

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric/shape/coords"
)

// plane puts switches with coordinates into slices of two dimensions, and arranges the slices: the
// third dimension to the right, the fourth downwards, and so on in turn.
type plane struct {
	d      *drawing
	places [][]int32
	size   []int32
	pitch  float64
	perRow int32   // slices side by side
	gap    float64 // between slices
}

// newPlane measures coordinates.
func (d *drawing) newPlane(places [][]int32) *plane {
	p := &plane{d: d, places: places, size: make([]int32, len(places[0]))}
	for _, x := range places {
		for i, v := range x {
			p.size[i] = max(p.size[i], v+1)
		}
	}
	if len(p.size) == 1 {
		p.size = append(p.size, 1)
		for i := range places {
			places[i] = []int32{places[i][0], 0}
		}
	}
	across, slices := p.size[0], int32(1)
	for _, n := range p.size[2:] {
		slices *= n
	}
	p.perRow = slices
	if len(p.size) > 2 {
		p.perRow = p.size[2]
		for i := 4; i < len(p.size); i += 2 {
			p.perRow *= p.size[i]
		}
	}
	if len(p.size) == 3 { // a row of slices wraps
		for p.perRow > 2 && float64(p.perRow*(across+1)) > 2*float64((slices+p.perRow-1)/p.perRow*(p.size[1]+1)) {
			p.perRow = (p.perRow + 1) / 2
		}
	}
	p.gap = max(6, min(34, 400/float64(p.perRow)))
	p.pitch = max(3, min(96, (d.wide-float64(p.perRow)*p.gap)/float64(p.perRow*across)))
	return p
}

// slice returns the column and row of the slice of a switch.
func (p *plane) slice(x []int32) (column, row int32) {
	wide, high := int32(1), int32(1)
	for i := 2; i < len(x); i++ {
		if i%2 == 0 {
			column += x[i] * wide
			wide *= p.size[i]
		} else {
			row += x[i] * high
			high *= p.size[i]
		}
	}
	if len(p.size) == 3 { // there and back, so that the next slice is near
		row = column / p.perRow
		if column %= p.perRow; row%2 == 1 {
			column = p.perRow - 1 - column
		}
	}
	return column, row
}

// corner returns the upper left corner of the slice of a switch.
func (p *plane) corner(x []int32) Point {
	c, r := p.slice(x)
	return Point{float64(c) * (p.pitch*float64(p.size[0]) + p.gap), float64(r) * (p.pitch*float64(p.size[1]) + p.gap)}
}

// middle returns the place of a switch.
func (p *plane) middle(x []int32) Point {
	at := p.corner(x)
	return Point{at.X + p.pitch*(float64(x[0])+0.5), at.Y + p.pitch*(float64(x[1])+0.5)}
}

// boxes draws the switches and the frames of slices.
func (p *plane) boxes(f *folding) {
	side := p.pitch * 0.56
	seen := map[Point]bool{}
	for s, x := range p.places {
		at, b := p.middle(x), &f.blocks[s]
		b.W, b.H = max(side, min(p.pitch-18, 64)), min(side, 36)
		b.X, b.Y = at.X-b.W/2, at.Y-b.H/2
		caption := p.caption(x)
		if caption != "" && p.d.name[s] == coords.Format(x) {
			b.label = fmt.Sprintf("%d,%d", x[0], x[1])
		}
		b.group = p.group(x)
		p.d.addBox(b, "switch")
		corner := p.corner(x)
		if len(p.size) > 2 && !seen[corner] {
			seen[corner] = true
			p.d.p.Frames = append(p.d.p.Frames, Frame{
				Area: Area{corner.X - p.gap/8, corner.Y - p.gap/8, p.pitch*float64(p.size[0]) + p.gap/4, p.pitch*float64(p.size[1]) + p.gap/4},
				Text: caption, Group: b.group, Title: b.group,
			})
		}
	}
}

// group names the slice of a switch by the coordinates that its switches share.
func (p *plane) group(x []int32) string {
	var axes []string
	for i, v := range x[min(2, len(x)):] {
		axes = append(axes, fmt.Sprintf("%s = %d", p.axis(i+2), v))
	}
	return strings.Join(axes, ", ")
}

// caption returns the text over the slice of a switch, if there is room.
func (p *plane) caption(x []int32) string {
	room := p.pitch*float64(p.size[0]) + p.gap - 6
	if len(x) < 3 || p.gap < labelSize+8 || room < 5*labelSize*letter {
		return ""
	}
	text := p.group(x)
	if textWidth(text, labelSize) > room {
		text = "(·,·," + coords.Format(x[2:])[1:]
	}
	return shorten(text, room, labelSize)
}

// axis names a dimension.
func (p *plane) axis(i int) string {
	if len(p.size) == 3 {
		return "z"
	}
	return fmt.Sprintf("x%d", i+1)
}

// grid draws a mesh or torus.
func (d *drawing) grid(m *coords.Grid) {
	places := make([][]int32, d.g.NumSwitches)
	for s, sw := range m.Switches {
		places[sw] = slices.Clone(m.Coords(int32(s)))
	}
	if m.Dims == 1 && m.Wrap[0] && len(places) > 3 {
		d.ringInOrder(places)
		return
	}
	d.p.Kind = Grid
	p := d.newPlane(places)
	f := unfolded(make([]int32, len(places)))
	p.boxes(f)
	between := newSliceCables(p)
	for _, b := range d.bundles(f) {
		if b.a == b.b {
			continue
		}
		dim, apart := differing(places[b.a], places[b.b])
		switch {
		case dim >= 2:
			between.add(dim, &b, f)
		case apart == 1:
			d.addLine(f, &b, levelClasses[dim], p.middle(places[b.a]), p.middle(places[b.b]))
		default:
			p.around(f, &b, dim)
		}
	}
	between.draw()
}

// differing returns the first dimension where two places differ, and the distance.
func differing(x, y []int32) (dim int, apart int32) {
	for dim < len(x)-1 && x[dim] == y[dim] {
		dim++
	}
	return dim, max(x[dim]-y[dim], y[dim]-x[dim])
}

// around draws the cable that closes a ring as an arc beside the row or column, from the outer edge
// of its first switch to that of its last.
func (p *plane) around(f *folding, b *bundle, dim int) {
	first, last := &f.blocks[b.a], &f.blocks[b.b]
	if p.places[b.a][dim] > p.places[b.b][dim] {
		first, last = last, first
	}
	u, v := first.center(), last.center()
	ear, bend := p.pitch*0.3, p.pitch*0.64
	if dim == 0 {
		u.X, v.X = first.X, last.X+last.W
		p.d.addLine(f, b, levelClasses[dim], u, Point{u.X - ear, u.Y - bend}, Point{v.X + ear, v.Y - bend}, v)
		return
	}
	u.Y, v.Y = first.Y, last.Y+last.H
	p.d.addLine(f, b, levelClasses[dim], u, Point{u.X + bend, u.Y - ear}, Point{v.X + bend, v.Y + ear}, v)
}

// sliceCables draws the cables between slices: each as a curve if they are few, or else one line
// for each pair of slices.
type sliceCables struct {
	p    *plane
	each bool
	all  map[[2]Point]*bundle // by the middles of the slices
	keys [][2]Point
	dim  map[[2]Point]int
}

func newSliceCables(p *plane) *sliceCables {
	return &sliceCables{p: p, each: len(p.places) <= 64, all: map[[2]Point]*bundle{}, dim: map[[2]Point]int{}}
}

// add adds the cables of two switches in different slices.
func (c *sliceCables) add(dim int, b *bundle, f *folding) {
	class := levelClasses[min(dim, len(levelClasses)-1)]
	u, v := c.p.middle(c.p.places[b.a]), c.p.middle(c.p.places[b.b])
	if c.each {
		bend := Point{(v.Y - u.Y) * 0.12, (u.X - v.X) * 0.12}
		c.p.d.addLine(f, b, class, u, Point{u.X + (v.X-u.X)*0.3 + bend.X, u.Y + (v.Y-u.Y)*0.3 + bend.Y},
			Point{u.X + (v.X-u.X)*0.7 + bend.X, u.Y + (v.Y-u.Y)*0.7 + bend.Y}, v)
		return
	}
	key := [2]Point{c.p.corner(c.p.places[b.a]), c.p.corner(c.p.places[b.b])}
	sum, ok := c.all[key]
	if !ok {
		sum = &bundle{a: b.a, b: b.b}
		c.all[key], c.dim[key], c.keys = sum, dim, append(c.keys, key)
	}
	sum.links = append(sum.links, b.links...)
}

// draw draws the lines between neighbouring slices in the gap between them, others as arcs.
func (c *sliceCables) draw() {
	p := c.p
	w, h := p.pitch*float64(p.size[0]), p.pitch*float64(p.size[1])
	slice := unfolded(make([]int32, len(p.places)))
	for _, key := range c.keys {
		u, v := key[0], key[1]
		if v.Y < u.Y || v.Y == u.Y && v.X < u.X {
			u, v = v, u
		}
		b := c.all[key]
		var path []Point
		switch {
		case u.Y == v.Y && v.X-u.X < w+p.gap+1:
			path = []Point{{u.X + w + 4, u.Y + h/2}, {v.X - 4, v.Y + h/2}}
		case u.X == v.X && v.Y-u.Y < h+p.gap+1:
			path = []Point{{u.X + w/2, u.Y + h + 4}, {v.X + w/2, v.Y - 4}}
		case u.Y == v.Y:
			rise := u.Y - max(p.gap, 14)
			path = []Point{{u.X + w*0.75, u.Y - 4}, {u.X + w*0.75, rise}, {v.X + w*0.65, rise}, {v.X + w*0.65, v.Y - 4}}
		case u.X == v.X:
			rise := u.X - max(p.gap, 14)
			path = []Point{{u.X - 4, u.Y + h*0.7}, {rise, u.Y + h*0.7}, {rise, v.Y + h*0.3}, {v.X - 4, v.Y + h*0.3}}
		case v.Y-u.Y > h+p.gap+1: // the last slice, somewhere in its row, to the first: around the corner
			out, low := u.X-2*max(p.gap, 14), v.Y+h+2*max(p.gap, 14)
			path = []Point{{u.X - 4, u.Y + h/2}, {out, low}, {out, low}, {v.X + w/2, v.Y + h + 4}}
		default: // to the next row of slices
			path = []Point{{u.X + w/2, u.Y + h + 4}, {u.X + w/2, u.Y + h + p.gap - 4}, {v.X + w/2, v.Y - p.gap + 4}, {v.X + w/2, v.Y - 4}}
		}
		p.d.addLine(slice, b, levelClasses[min(c.dim[key], len(levelClasses)-1)], path...)
	}
}

// hyperX draws a HyperX network: in a short line of switches every cable is an arc, in a long one a
// single line stands for all, as one does for the cables between slices.
func (d *drawing) hyperX(places [][]int32) {
	if len(places[0]) == 1 {
		d.ringInOrder(places)
		return
	}
	d.p.Kind = Grid
	p := d.newPlane(places)
	f := unfolded(make([]int32, len(places)))
	p.boxes(f)
	between := newSliceCables(p)
	type row struct {
		first string // its first place
		dim   int
	}
	rows := map[row]*bundle{}
	var order []row
	for _, b := range d.bundles(f) {
		if b.a == b.b {
			continue
		}
		dim, _ := differing(places[b.a], places[b.b])
		switch {
		case dim >= 2 && (between.each || d.apart(&b)):
			between.add(dim, &b, f)
			continue
		case dim < 2 && (p.size[dim] <= arcs || d.apart(&b)):
			p.arc(f, &b, dim)
			continue
		}
		first := slices.Clone(places[b.a])
		first[dim] = 0
		if dim >= 2 {
			first[0], first[1] = 0, 0
		}
		key := row{coords.Format(first), dim}
		if rows[key] == nil {
			rows[key] = &bundle{a: b.a, b: b.b}
			order = append(order, key)
		}
		rows[key].links = append(rows[key].links, b.links...)
	}
	for _, key := range order {
		p.row(f, rows[key], key.dim)
	}
	if len(order) > 0 {
		d.p.Text = append(d.p.Text, "A line through switches, or through slices, stands for the cables between all of them.")
	}
	between.draw()
}

// arcs is the largest number of switches of a line whose cables are drawn one by one.
const arcs = 7

// arc draws the cables between two switches of a line, straight between neighbours.
func (p *plane) arc(f *folding, b *bundle, dim int) {
	_, apart := differing(p.places[b.a], p.places[b.b])
	u, v := p.middle(p.places[b.a]), p.middle(p.places[b.b])
	bend := p.pitch * min(0.75, 0.16*float64(apart))
	switch {
	case apart == 1:
		p.d.addLine(f, b, levelClasses[dim], u, v)
	case dim == 0:
		p.d.addLine(f, b, levelClasses[dim], u, Point{u.X, u.Y - bend}, Point{v.X, v.Y - bend}, v)
	default:
		p.d.addLine(f, b, levelClasses[dim], u, Point{u.X + bend, u.Y}, Point{v.X + bend, v.Y}, v)
	}
}

// row draws the line for all cables of a line of switches or slices: through the switches, or in
// the middle of the slices between the rows and columns of their switches.
func (p *plane) row(f *folding, b *bundle, dim int) {
	at := slices.Clone(p.places[b.a])
	if dim >= 2 {
		at[0], at[1] = p.size[0]/2, p.size[1]/2
	}
	var path []Point
	for k := range p.size[dim] {
		at[dim] = k
		place := p.middle(at)
		if dim >= 2 {
			place.X, place.Y = place.X-p.pitch/2, place.Y-p.pitch/2
		}
		path = append(path, place)
	}
	if len(path) == 4 { // four points are a curve
		path = slices.Insert(path, 1, path[1])
	}
	first, last := p.d.name[b.a], p.d.name[b.b]
	b.title = "all from " + first + " to " + last
	if dim >= 2 {
		b.title = fmt.Sprintf("all slices of dimension %d", dim+1)
	}
	p.d.addLine(f, b, levelClasses[min(dim, len(levelClasses)-1)], path...)
}
