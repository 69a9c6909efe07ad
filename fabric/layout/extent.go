package layout

import "math"

// extent returns the upper left and the lower right corner of the contents of a picture.
func extent(p *Picture) (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	add := func(x, y float64) {
		low.X, low.Y = min(low.X, x), min(low.Y, y)
		high.X, high.Y = max(high.X, x), max(high.Y, y)
	}
	area := func(a *Area) {
		add(a.X, a.Y)
		add(a.X+a.W, a.Y+a.H)
	}
	for i := range p.Frames {
		area(&p.Frames[i].Area)
		if p.Frames[i].Text != "" {
			add(p.Frames[i].X, p.Frames[i].Y-16)
			add(p.Frames[i].X+textWidth(p.Frames[i].Text, labelSize), p.Frames[i].Y)
		}
	}
	for i := range p.Boxes {
		area(&p.Boxes[i].Area)
		for _, dot := range p.Boxes[i].Dots {
			add(dot.X-dotSize, dot.Y-dotSize)
			add(dot.X+dotSize, dot.Y+dotSize)
		}
	}
	for _, l := range p.Lines {
		for _, at := range l.Path { // a curve stays within its four points
			add(at.X, at.Y)
		}
	}
	for i := range p.Labels {
		for _, at := range p.Labels[i].corners() {
			add(at.X, at.Y)
		}
	}
	if math.IsInf(low.X, 1) {
		return Point{}, Point{}
	}
	return low, high
}

// corners returns the approximate corners of a label.
func (l *Label) corners() [4]Point {
	w := textWidth(l.Text, l.Size)
	from := 0.0
	switch l.Anchor {
	case Middle:
		from = -w / 2
	case End:
		from = -w
	case Start:
	}
	sin, cos := math.Sincos(l.Turn * math.Pi / 180)
	var out [4]Point
	for i, at := range [4]Point{{from, -l.Size}, {from + w, -l.Size}, {from, l.Size / 3}, {from + w, l.Size / 3}} {
		out[i] = Point{l.X + at.X*cos - at.Y*sin, l.Y + at.X*sin + at.Y*cos}
	}
	return out
}

// area returns the rectangle around a label, with a little space at its sides.
func (l *Label) area() Area {
	first, last := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range l.corners() {
		first, last = Point{min(first.X, p.X), min(first.Y, p.Y)}, Point{max(last.X, p.X), max(last.Y, p.Y)}
	}
	return Area{first.X - 2, first.Y, last.X - first.X + 4, last.Y - first.Y}
}

// textWidth returns the approximate width of a text.
func textWidth(text string, size float64) float64 {
	return float64(len([]rune(text))) * size * letter
}

// letter is the mean width of a letter as a share of the size of the font.
const letter = 0.56

// shorten removes the middle of a text that is too wide; at least three letters stay.
func shorten(text string, width, size float64) string {
	runes, room := []rune(text), int(width/(size*letter))
	if len(runes) <= room {
		return text
	}
	room = max(room, 3)
	if len(runes) <= room {
		return text
	}
	tail := room * 2 / 3
	return string(runes[:room-1-tail]) + "…" + string(runes[len(runes)-tail:])
}

// move shifts the whole picture.
func move(p *Picture, dx, dy float64) {
	shift := func(at *Point) {
		at.X += dx
		at.Y += dy
	}
	for i := range p.Frames {
		p.Frames[i].X += dx
		p.Frames[i].Y += dy
	}
	for i := range p.Boxes {
		b := &p.Boxes[i]
		b.X += dx
		b.Y += dy
		for k := range b.Cells {
			shift(&b.Cells[k].Point)
		}
		for k := range b.Ports {
			shift(&b.Ports[k].Point)
		}
		for k := range b.Dots {
			shift(&b.Dots[k])
		}
	}
	for i := range p.Lines {
		for k := range p.Lines[i].Path {
			shift(&p.Lines[i].Path[k])
		}
	}
	for i := range p.Labels {
		shift(&p.Labels[i].Point)
	}
}
