package layout

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// addLine draws the cables of a bundle along a path.
func (d *drawing) addLine(f *folding, b *bundle, class Class, path ...Point) {
	l := Line{Path: path, Class: class}
	for _, link := range b.links {
		l.Load = max(l.Load, d.cable[link].load)
		l.VLs |= d.cable[link].vls
	}
	l.Title = d.describe(f, b, &l)
	switch {
	case d.colour == byLoad:
		l.Class = d.loadClass(l.Load)
	case d.colour == byLanes && l.VLs == 0:
		l.Class = classDark
	case d.colour == byLanes:
		l.Class = laneClasses[0] // until the sets of all lines are known
	}
	d.addMarked(&l, func(m Mark) (names []string, number int) {
		for _, link := range b.links {
			if c := &d.cable[link]; c.mark == m {
				if number++; c.name != "" {
					names = append(names, c.name)
				}
			}
		}
		return names, number
	})
}

// addMarked draws the cables along the path of a line, given by mark: those with a mark as a line
// of their own beside the rest. A mark is the name of its class too.
func (d *drawing) addMarked(all *Line, cables func(Mark) (names []string, number int)) {
	at := 0.0
	for _, m := range append([]Mark{Fine}, marks...) {
		names, n := cables(m)
		if n == 0 {
			continue
		}
		l := *all
		l.Links, l.Cables, l.Width = names, n, lineWidth(n)
		if m != Fine {
			l.Class, l.Width = Class(m), max(l.Width, markedWidth)
			l.Path = shifted(all.Path, at)
		}
		at += max(2, l.Width)
		d.p.Lines = append(d.p.Lines, l)
	}
}

// markedWidth is the least width of lines with a mark.
const markedWidth = 1.8

// shifted moves a path sideways.
func shifted(path []Point, by float64) []Point {
	if by == 0 {
		return path
	}
	a, b := path[0], path[len(path)-1]
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return path
	}
	out := make([]Point, len(path))
	for i, at := range path {
		out[i] = Point{at.X - (b.Y-a.Y)/length*by, at.Y + (b.X-a.X)/length*by}
	}
	return out
}

// lineWidth returns the width of a line for a number of cables.
func lineWidth(cables int) float64 {
	return min(7, 0.9+0.75*math.Log2(float64(max(1, cables))))
}

// loadBounds are the upper bounds of each class of loads except the last, in multiples of the mean.
var loadBounds = []float64{0.5, 1, 1.5, 2}

// loadClass returns the class of a load.
func (d *drawing) loadClass(load float64) Class {
	if load <= 0 {
		return classDark
	}
	for i, bound := range loadBounds {
		if load <= bound*d.mean*(1+1e-9) {
			return loadClasses[i]
		}
	}
	return loadClasses[len(loadClasses)-1]
}

// The measures of a legend.
const (
	legendRow  = 18.0
	sampleSize = 32.0 // of the line before a text
	entryGap   = 14.0
)

// placeLegend puts the entries in rows and returns their height.
func placeLegend(entries []Entry, width, top float64) float64 {
	x, y := margin, 0.0
	for i := range entries {
		e := &entries[i]
		wide := textWidth(e.Text, labelSize) + entryGap
		if e.Class != "" {
			wide += sampleSize
		}
		if x > margin && (x+wide > width-margin || i > 0 && entries[i-1].Class == "") {
			x, y = margin, y+legendRow
		}
		e.Point = Point{x, top + y}
		x += wide
	}
	if len(entries) == 0 {
		return 0
	}
	return y + legendRow
}

// legend explains the classes in use.
func (d *drawing) legend(unit string) {
	var lanes []string
	if d.colour == byLanes {
		lanes = d.colourLanes()
	}
	used := map[Class]bool{}
	for i := range d.p.Lines {
		used[d.p.Lines[i].Class] = true
	}
	add := func(c Class, text string) {
		if used[c] {
			d.p.Legend = append(d.p.Legend, Entry{Class: c, Text: text})
		}
	}
	switch d.colour {
	case byPlace:
		d.railLegend(used)
	case byLoad:
		unit = cmp.Or(unit, "load")
		fine := map[bool]float64{true: 1, false: 1000}[d.most == math.Trunc(d.most)] // whole loads have whole bounds
		d.p.Legend = append(d.p.Legend, Entry{Text: unit + " on the hottest cable of a line, its busier direction:"})
		for i, c := range loadClasses {
			if i == len(loadBounds) {
				add(c, "more than twice the mean, up to "+number(d.most))
				continue
			}
			text := "up to " + number(math.Floor(loadBounds[i]*d.mean*fine*(1+1e-9))/fine)
			if loadBounds[i] == 1 {
				text += " (the mean)"
			}
			add(c, text)
		}
		add(classHottest, "the hottest, with their loads")
		add(classDark, "none")
	case byLanes:
		if d.bits == nil {
			unit = "virtual lanes in use on the cables of a line, both directions"
		}
		d.p.Legend = append(d.p.Legend, Entry{Text: unit + ":"})
		for i, text := range lanes {
			add(laneClasses[i], text)
		}
		add(classDark, "none")
	}
	add(classFailed, "failed")
	add(classMissing, "missing")
	add(classDrained, "drained")
	add(classOdd, "odd")
}

// railLegend explains the colours of leaves and of cables to servers.
func (d *drawing) railLegend(used map[Class]bool) {
	for i, c := range railClasses[:min(d.rails, len(railClasses))] {
		numbers := []string{fmt.Sprint("rail ", i)}
		for k := i + len(railClasses); k < d.rails; k += len(railClasses) {
			numbers = append(numbers, fmt.Sprint(k))
		}
		d.p.Legend = append(d.p.Legend, Entry{Class: c, Text: strings.Join(numbers, ", ")})
	}
	if d.rails > 0 && used[classServer] {
		d.p.Legend = append(d.p.Legend, Entry{Class: classServer, Text: "no rail"})
	}
}

// number formats a load.
func number(x float64) string {
	if x == math.Trunc(x) && x < 1e15 {
		text := strconv.FormatFloat(x, 'f', 0, 64)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
