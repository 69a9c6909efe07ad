package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tellHosts writes the number of hosts of each switch below the title, if boxes have no room for it
// and all numbers are equal.
func (d *drawing) tellHosts() {
	n := d.g.HostCount(0)
	for s := range int32(d.g.NumSwitches) {
		d.left = d.left && d.g.HostCount(s) == n
	}
	if d.left && n > 0 {
		d.p.Text = append(d.p.Text, "Each switch has "+d.hostText([]int32{0}, int(n))+".")
	}
}

// fillInside lists the cables between switches of one box, and labels boxes with such cables to
// look at.
func (d *drawing) fillInside() {
	inside := make([]bundle, len(d.p.Boxes))
	for i := range d.cable {
		a, b := d.boxOf[d.g.From[2*i]], d.boxOf[d.g.To[2*i]]
		if a != b {
			continue
		}
		if name := d.cable[i].name; name != "" {
			d.p.Boxes[a].Inside = append(d.p.Boxes[a].Inside, name)
		}
		if one := (bundle{links: []int32{int32(i)}}); d.apart(&one) {
			inside[a].links = append(inside[a].links, int32(i))
		}
	}
	for i := range inside {
		text, hottest := d.troubles(&inside[i]), 0.0
		for _, link := range inside[i].links {
			if load := d.cable[link].load; d.isHot(load) && d.hot <= mostHot {
				hottest = max(hottest, load)
			}
		}
		if hottest > 0 {
			text += ", hottest " + number(hottest)
		}
		if b := &d.p.Boxes[i]; text != "" {
			b.Title += "; inside: " + text[2:]
			d.addAbove(Label{Point: Point{b.X + b.W/2, b.Y + b.H + 7}, Text: "inside: " + text[2:], Size: 10, Anchor: Middle, Mark: Failed})
		}
	}
}

// drawLacking draws the missing cables of each box whose other ends are unknown.
func (d *drawing) drawLacking() {
	lacks := make([]int, len(d.p.Boxes))
	for s, n := range d.lacks {
		lacks[d.boxOf[s]] += n
	}
	for i, n := range lacks {
		if n == 0 {
			continue
		}
		b := &d.p.Boxes[i]
		at := Point{b.X + min(6, b.W/4), b.Y}
		end := Point{at.X, at.Y - 22}
		name, _, _ := strings.Cut(b.Title, ":")
		d.p.Lines = append(d.p.Lines, Line{
			Path: []Point{at, end}, Class: classMissing, Width: lineWidth(n), Cables: n,
			Title: name + ": " + several(n, "cable", "cables") + " missing, to where is unknown",
		})
		d.addAbove(Label{Point: Point{end.X + 4, end.Y - 2}, Text: fmt.Sprint(n, " missing"), Size: 10, Anchor: Start, Turn: -90, Mark: Missing})
	}
}

// labelBundles labels lines of several cables with their numbers. A sentence says it where many
// have the same number.
func (d *drawing) labelBundles() {
	lines := map[int]int{} // by number of cables
	for i := range d.p.Lines {
		lines[d.p.Lines[i].Cables]++
	}
	for _, cables := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[cables]; n > mostTimes && cables > 1 {
			d.p.Text = append(d.p.Text, several(n, "line stands", "lines stand")+" for "+several(cables, "cable", "cables")+" each.")
		}
	}
	for i := range d.p.Lines {
		if l := &d.p.Lines[i]; l.Cables > 1 && lines[l.Cables] <= mostTimes {
			at := l.middle()
			switch a, b := l.Path[0], l.Path[len(l.Path)-1]; { // beside a short line
			case a.Y == b.Y && b.X-a.X < shortLine:
				at.Y -= 10
			case a.X == b.X && b.Y-a.Y < shortLine:
				at.X += 16
			}
			d.p.Labels = append(d.p.Labels, Label{Point: at, Text: "×" + number(float64(l.Cables)), Size: 10, Anchor: Middle})
		}
	}
}

// shortLine is a length that a label would hide.
const shortLine = 40

// addAbove adds a label, and removes the numbers of cables that it would cover.
func (d *drawing) addAbove(l Label) {
	here := l.area()
	d.p.Labels = slices.DeleteFunc(d.p.Labels, func(other Label) bool {
		return strings.HasPrefix(other.Text, "×") && here.overlaps(other.area())
	})
	d.p.Labels = append(d.p.Labels, l)
}

// rankLines puts the lines to look at last, so that they are above the rest, and labels the hottest
// ones.
func (d *drawing) rankLines() {
	rank := func(l *Line) int {
		if i := slices.Index(marks, Mark(l.Class)); i >= 0 {
			return 2 + len(marks) - i
		}
		return 0
	}
	for i := range d.p.Lines {
		l := &d.p.Lines[i]
		if d.hot > mostHot || rank(l) > 0 || !d.isHot(l.Load) {
			continue
		}
		l.Class, l.Width = classHottest, max(3, l.Width)
		d.addAbove(Label{Point: l.middle(), Text: number(l.Load), Size: labelSize, Anchor: Middle})
	}
	slices.SortStableFunc(d.p.Lines, func(a, b Line) int { return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Load, b.Load)) })
}

// middle returns a place on a line, near its middle.
func (l *Line) middle() Point {
	p, n := l.Path, len(l.Path)
	switch {
	case n == 4:
		return Point{(p[0].X + 3*p[1].X + 3*p[2].X + p[3].X) / 8, (p[0].Y + 3*p[1].Y + 3*p[2].Y + p[3].Y) / 8}
	case n > 4:
		return Point{(p[0].X + p[1].X) / 2, (p[0].Y + p[1].Y) / 2}
	}
	return Point{(p[0].X + p[n-1].X) / 2, (p[0].Y + p[n-1].Y) / 2}
}
