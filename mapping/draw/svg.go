package draw

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"

	"weft/mapping"
)

// Options controls a drawing.
type Options struct {
	Title   string
	Utility int32 // a host to be drawn at the bottom, if it is alone on its switch; -1 for none
}

const (
	top          = 112.0 // of the row of hosts
	hostHeight   = 10.0
	firstGap     = 46.0 // from the hosts to the first level
	switchHeight = 26.0
	margin       = 12.0
)

// colours of the wires by the level that they come from; those below share the last.
var colours = []string{"#1f5fa8", "#2a8048", "#b3541e", "#7a3fa0"}

// SVG writes a map.
func SVG(w io.Writer, n *mapping.Network, opt Options) error {
	d := drawing{Layout: Place(n, opt.Utility), n: n, w: bufio.NewWriter(w)}
	d.gap = min(220, max(90, d.Width/7))
	height := d.bottom() + 2*margin
	d.Width = max(d.Width, 360)
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="sans-serif">`+"\n", d.Width, height, d.Width, height)
	d.printf(`<rect width="100%%" height="100%%" fill="white"/>` + "\n")
	d.printf(`<text x="%.0f" y="22" font-size="16">%s</text>`+"\n", margin, html.EscapeString(opt.Title))
	d.printf(`<text x="%.0f" y="40" font-size="11" fill="#555">%d hosts, %d switches, %d wires; a ring is an unused port</text>`+"\n", margin, n.NumHosts(), n.NumSwitches(), n.NumWires())
	d.wires()
	for h := range int32(n.NumHosts()) {
		d.host(h)
	}
	for _, row := range d.Levels {
		for _, s := range row {
			d.box(s)
		}
	}
	d.printf("</svg>\n")
	return d.w.Flush()
}

type drawing struct {
	*Layout
	n   *mapping.Network
	w   *bufio.Writer
	gap float64 // between levels
}

// printf writes; an error stays in the writer and comes out of its Flush.
func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

// y returns the top of a level.
func (d *drawing) y(level int) float64 {
	return top + hostHeight + firstGap + float64(level)*(switchHeight+d.gap)
}

// under returns the top of a host that is drawn below a level.
func (d *drawing) under(level int) float64 { return d.y(level) + switchHeight + firstGap }

// bottom returns the lowest end of a node or arc.
func (d *drawing) bottom() float64 {
	low := d.y(len(d.Levels)-1) + switchHeight
	if d.Below >= 0 {
		low = max(low, d.under(d.Level[d.Below])+hostHeight)
	}
	for _, w := range d.n.Wires() {
		if a, b := w[0].Node, w[1].Node; d.Level[a] == d.Level[b] && !d.n.IsHost(a) {
			low = max(low, d.y(d.Level[a])+switchHeight+d.sag(d.X[a], d.X[b]))
		}
	}
	return low
}

// sag returns the depth of the arc between two switches of a level.
func (d *drawing) sag(x, y float64) float64 { return min(d.gap*0.7, 16+max(x-y, y-x)/4) }

// attached is a wire-end on the upper or the lower edge of its node.
type attached struct {
	wire  int
	end   int
	other float64 // place of the other end
	lower bool
}

// wires draws all wires. On each edge of a switch they are attached in the order of
// where they go to, so that those of one switch do not cross.
func (d *drawing) wires() {
	wires := d.n.Wires()
	at := make([][2][2]float64, len(wires))
	by := make([][]attached, d.n.NumNodes())
	for i, w := range wires {
		for end, e := range w {
			other := w[1-end].Node
			by[e.Node] = append(by[e.Node], attached{i, end, d.X[other] + float64(end)/2, other == d.Below || d.Level[other] >= d.Level[e.Node]})
		}
	}
	for v, ends := range by {
		for _, lower := range []bool{false, true} {
			d.attach(int32(v), ends, lower, at)
		}
	}
	for i, w := range wires {
		d.wire(w, at[i])
	}
}

// attach spreads the wire-ends on one edge of a node.
func (d *drawing) attach(v int32, ends []attached, lower bool, at [][2][2]float64) {
	ends = slices.DeleteFunc(slices.Clone(ends), func(a attached) bool { return a.lower != lower })
	slices.SortStableFunc(ends, func(a, b attached) int { return cmp.Compare(a.other, b.other) })
	y, height := d.y(d.Level[v]), switchHeight
	if d.n.IsHost(v) {
		y, height, lower = top, hostHeight, true
		if v == d.Below {
			y, lower = d.under(d.Level[v]), false
		}
	}
	if lower {
		y += height
	}
	pitch := min(9, (switchWidth-8)/float64(max(1, len(ends))))
	for k, a := range ends {
		at[a.wire][a.end] = [2]float64{d.X[v] + (float64(k)-float64(len(ends)-1)/2)*pitch, y}
	}
}

// wire draws a wire: straight between levels, an arc within one.
func (d *drawing) wire(w mapping.Wire, at [2][2]float64) {
	a, b := w[0].Node, w[1].Node
	p, q := at[0], at[1]
	colour := "#777"
	if toHost := d.n.IsHost(a) || d.n.IsHost(b); !toHost {
		colour = colours[min(d.Level[a], d.Level[b], len(colours)-1)]
	}
	if p[1] == q[1] {
		sag := d.sag(p[0], q[0])
		d.printf(`<path d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s" stroke-width="1"/>`+"\n",
			p[0], p[1], p[0], p[1]+sag, q[0], q[1]+sag, q[0], q[1], colour)
		return
	}
	d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="1"/>`+"\n", p[0], p[1], q[0], q[1], colour)
}

// host draws a host with its name above it, or beside it at the bottom.
func (d *drawing) host(h int32) {
	x, y := d.X[h], top
	name := html.EscapeString(d.n.NodeName(h))
	if h == d.Below {
		y = d.under(d.Level[h])
	}
	d.printf(`<rect x="%.1f" y="%.1f" width="11" height="%.0f" fill="#444"/>`+"\n", x-5.5, y, hostHeight)
	if h == d.Below {
		d.printf(`<text x="%.1f" y="%.1f" font-size="10" stroke="white" stroke-width="3" paint-order="stroke">%s</text>`+"\n", x+9, y+9, name)
		return
	}
	d.printf(`<text transform="translate(%.1f %.1f) rotate(-90)" font-size="10">%s</text>`+"\n", x+3.5, y-4, name)
}

// box draws a switch: its name, and a ring for each unused port.
func (d *drawing) box(s int32) {
	x, y := d.X[s]-switchWidth/2, d.y(d.Level[s])
	free := 0
	for p := range d.n.Ports(s) {
		if _, ok := d.n.Peer(mapping.End{Node: s, Port: p}); !ok {
			free++
		}
	}
	d.printf(`<rect x="%.1f" y="%.1f" width="%.0f" height="%.0f" rx="4" fill="#eef2f7" stroke="#333"/>`+"\n", x, y, switchWidth, switchHeight)
	d.printf(`<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle">%s</text>`+"\n", d.X[s], y+11.5, html.EscapeString(d.n.NodeName(s)))
	pitch := min(7, (switchWidth-8)/float64(max(1, free)))
	for k := range free {
		d.printf(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="white" stroke="#333" stroke-width="0.8"/>`+"\n",
			d.X[s]+(float64(k)-float64(free-1)/2)*pitch, y+19, min(2.2, pitch/3))
	}
}
