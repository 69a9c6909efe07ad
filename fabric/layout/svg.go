package layout

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
)

// style defines all classes, on light and on dark pages.
const style = `<style>
svg{font-family:Helvetica,Arial,sans-serif}
text{fill:#1b1f24}.bg{fill:#fff}.frame{fill:#f0f3f7}.soft{fill:#59636e}.times{stroke:#fff;stroke-width:3;paint-order:stroke}
.leaf{fill:#dcebfa;stroke:#2b6cb0}.middle{fill:#e0f0e3;stroke:#2f7d45}.root{fill:#fbe8d3;stroke:#b35a10}.switch{fill:#e9e6f6;stroke:#5f4bb6}
.c-leaf{fill:#5b9bd5}.c-middle{fill:#5cab72}.c-root{fill:#e08e45}.c-switch{fill:#8d7ccf}.dot{fill:#6b7683}.w path{fill:none}
.wire0{stroke:#2b6cb0}.wire1{stroke:#2f8a4b}.wire2{stroke:#b35a10}.wire3{stroke:#7a4fb5}.many{stroke-opacity:.6}.crowd{stroke-opacity:.3}
.load1{stroke:#505fa7}.load2{stroke:#33b6a5}.load3{stroke:#d2b600}.load4{stroke:#d47949}.load5{stroke:#98002c}.dark{stroke:#9aa4af;stroke-dasharray:2 3}
.lane1{stroke:#7f8ae8}.lane2{stroke:#2d4885}.lane3{stroke:#f5a02a}.lane4{stroke:#b8480a}.lane5{stroke:#b07ab0}.lane6{stroke:#18b868}
.failed{stroke:#e00024;stroke-dasharray:6 4}.missing{stroke:#e00024;stroke-dasharray:1 5;stroke-linecap:round}.drained{stroke:#8a6d00;stroke-dasharray:2 4}.odd{stroke:#d100b8}.t-failed,.t-missing{fill:#e00024}.hottest{stroke:#000}.halo{stroke:#fff}.hottest-halo{stroke:#ffd400}
rect.failed,rect.drained,rect.odd{stroke-width:2.5}.x-failed{fill:#e00024}.x-drained{fill:#c9a400}.x-odd{fill:#d100b8}
@media(prefers-color-scheme:dark){text{fill:#e6eaef}.bg{fill:#14181d}.frame{fill:#1e242c}.soft{fill:#9aa7b4}.times,.halo{stroke:#14181d}.t-failed,.t-missing{fill:#ff6b81}.hottest{stroke:#fff}.hottest-halo{stroke:#b00020}.box text{fill:#1b1f24}.dot{fill:#9aa7b4}}
</style>
`

// serverStyle defines the classes of servers with several ports: their boxes, and their ports and
// switches by rail.
const serverStyle = `<style>
.server{fill:#f1f1ee;stroke:#6b7683}.plane{fill:#f8f9fb;stroke:#b9c3cd;stroke-dasharray:5 4}.c-server{fill:#6b7683}path.server{fill:none}
.rail1{stroke:#1c6fb8}.c-rail1{fill:#1c6fb8}.rail2{stroke:#d9730d}.c-rail2{fill:#d9730d}.rail3{stroke:#2a9d4a}.c-rail3{fill:#2a9d4a}.rail4{stroke:#7a4fb5}.c-rail4{fill:#7a4fb5}
.rail5{stroke:#0f9aa8}.c-rail5{fill:#0f9aa8}.rail6{stroke:#9a7b12}.c-rail6{fill:#9a7b12}.rail7{stroke:#c2588a}.c-rail7{fill:#c2588a}.rail8{stroke:#8b4513}.c-rail8{fill:#8b4513}
.rail9{stroke:#283593}.c-rail9{fill:#283593}.rail10{stroke:#4d6b1f}.c-rail10{fill:#4d6b1f}
rect[class*=rail]{stroke-width:2.5}
@media(prefers-color-scheme:dark){.plane{fill:#181d24;stroke:#4a5561}}
</style>
`

// With more lines, or more cells, none has a title of its own.
const (
	titledLines = 1600
	titledCells = 2600
)

// svg writes a picture. The writer keeps the first error.
type svg struct {
	*bufio.Writer
	p     *Picture
	cells int
}

// WriteSVG writes the picture as SVG without scripts, at most some hundred kB.
func (p *Picture) WriteSVG(to io.Writer) error {
	w := &svg{Writer: bufio.NewWriter(to), p: p}
	for i := range p.Boxes {
		w.cells += len(p.Boxes[i].Cells) + len(p.Boxes[i].Ports)
	}
	width, height := px(p.Width), px(p.Height)
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s">`+"\n%s", width, height, width, height, style)
	if slices.ContainsFunc(p.Boxes, func(b Box) bool { return b.Servers > 0 }) {
		w.printf("%s", serverStyle)
	}
	w.printf(`<rect class="bg" width="%s" height="%s"/>`+"\n", width, height)
	w.printf(`<text x="%s" y="30" font-size="17" font-weight="bold">%s</text>`+"\n", px(margin), escaped(shorten(p.Title, p.Width-2*margin, 17)))
	for i, text := range p.Text {
		w.printf(`<text class="soft" x="%s" y="%s" font-size="12">%s</text>`+"\n", px(margin), px(48+subtitleRow*float64(i)), escaped(shorten(text, p.Width-2*margin, 12)))
	}
	w.legend()
	for _, f := range p.Frames {
		class := "frame"
		if f.Plane {
			class = "plane"
		}
		w.printf(`<rect class="%s" %s rx="6"/>`+"\n", class, f.attributes())
	}
	w.printf("<g class=\"w\">\n")
	w.lines()
	w.printf("</g>\n")
	for i := range p.Boxes {
		w.box(&p.Boxes[i])
	}
	for _, f := range p.Frames {
		if f.Text != "" {
			w.label(&Label{Point: Point{f.X + 2, f.Y - 8}, Text: f.Text, Size: labelSize, Anchor: Start})
		}
	}
	for i := range p.Labels {
		w.label(&p.Labels[i])
	}
	w.printf("</svg>\n")
	return w.Flush()
}

func (w *svg) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// px formats a number of pixels.
func px(x float64) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	text = strings.TrimSuffix(text, ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

// escaped makes a text safe in an element or an attribute. Characters that XML does not allow
// become question marks.
func escaped(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff || r >= 0xd800 && r <= 0xdfff {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
}

func (a *Area) attributes() string {
	return fmt.Sprintf(`x="%s" y="%s" width="%s" height="%s"`, px(a.X), px(a.Y), px(a.W), px(a.H))
}

// legend writes the classes under the header.
func (w *svg) legend() {
	for _, e := range w.p.Legend {
		x := e.X
		if e.Class != "" {
			w.printf(`<path class="%s" d="M%s %sh26" stroke-width="4"/>`, e.Class, px(x), px(e.Y-4))
			x += sampleSize
		}
		w.printf(`<text class="soft" x="%s" y="%s" font-size="%s">%s</text>`+"\n", px(x), px(e.Y), px(labelSize), escaped(e.Text))
	}
}

// lines writes all lines: each with its title or, if there are too many, all lines of one style
// together.
func (w *svg) lines() {
	crowd := ""
	switch n := len(w.p.Lines); {
	case n > 2000:
		crowd = " crowd"
	case n > 200:
		crowd = " many"
	}
	if len(w.p.Lines) <= titledLines {
		for i := range w.p.Lines {
			l := &w.p.Lines[i]
			if l.stands() {
				w.printf(`<path class="halo %s-halo" d="%s" stroke-width="%s"/>`+"\n", l.Class, pathData(l.Path), px(l.Width+4))
			}
			w.printf(`<path class="%s" d="%s" stroke-width="%s"><title>%s</title></path>`+"\n", look(l, crowd), pathData(l.Path), px(l.Width), escaped(l.Title))
		}
		return
	}
	type alike struct{ look, width string }
	of := map[alike]int{}
	var paths []*strings.Builder
	var order []alike
	for i := range w.p.Lines {
		l := &w.p.Lines[i]
		key := alike{look(l, crowd), px(l.Width)}
		k, ok := of[key]
		if !ok {
			k = len(order)
			of[key] = k
			order, paths = append(order, key), append(paths, &strings.Builder{})
		}
		paths[k].WriteString(pathData(l.Path))
	}
	for i, key := range order {
		w.printf(`<path class="%s" d="%s" stroke-width="%s"/>`+"\n", key.look, paths[i].String(), key.width)
	}
}

// look returns the class of a line. If there are many lines, normal ones are pale, except lanes,
// which only the colour shows.
func look(l *Line, crowd string) string {
	if l.stands() || l.Class == loadClasses[len(loadClasses)-1] || slices.Contains(laneClasses, l.Class) {
		return string(l.Class)
	}
	return string(l.Class) + crowd
}

// pathData returns the d attribute for the path of a line.
func pathData(path []Point) string {
	at := func(p Point) string { return px(p.X) + " " + px(p.Y) }
	if len(path) == 4 {
		return "M" + at(path[0]) + "C" + at(path[1]) + " " + at(path[2]) + " " + at(path[3])
	}
	var text strings.Builder
	for i, p := range path {
		text.WriteString([]string{"L", "M"}[max(0, 1-i)] + at(p))
	}
	return text.String()
}

// box writes a box with its text, cells and hosts.
func (w *svg) box(b *Box) {
	class, top := b.Role, b.Y+boxPadding
	if b.Class != "" {
		class += " " + string(b.Class)
	}
	if b.Mark != Fine {
		class += " " + string(b.Mark)
	}
	if len(b.Ports) > 0 {
		top = b.Y + portRow + 2
	}
	if len(b.Text)+len(b.Cells)+len(b.Dots) == 0 {
		w.printf(`<rect class="%s" %s><title>%s</title></rect>`+"\n", class, b.attributes(), escaped(b.Title))
		return
	}
	w.printf(`<g class="box"><rect class="%s" %s rx="4"/><title>%s</title>`, class, b.attributes(), escaped(b.Title))
	for i, text := range b.Text {
		if b.Upright {
			x := b.X + b.W/2 + b.Size*0.36 + (float64(i)-float64(len(b.Text)-1)/2)*(b.Size+2)
			low := b.Y + b.H - boxPadding
			if len(b.Cells) > 0 {
				low = b.Y + uprightRoom - boxPadding
			}
			w.printf(`<text transform="translate(%s %s) rotate(-90)" font-size="%s">%s</text>`, px(x), px(low), px(b.Size), escaped(text))
			continue
		}
		w.printf(`<text x="%s" y="%s" font-size="%s" text-anchor="middle">%s</text>`,
			px(b.X+b.W/2), px(top+textRow*float64(i)+b.Size*0.9), px(b.Size), escaped(text))
	}
	w.squares(b, b.Cells)
	w.squares(b, b.Ports)
	for _, dot := range b.Dots {
		w.printf(`<circle class="dot" cx="%s" cy="%s" r="%s"/>`, px(dot.X), px(dot.Y), px(dotSize))
	}
	w.printf("</g>\n")
}

// squares writes cells of a box: each with its title or, if there are too many, all cells of
// one style together.
func (w *svg) squares(b *Box, cells []Cell) {
	class := func(c *Cell) string {
		if c.Mark != Fine {
			return "x-" + string(c.Mark)
		}
		if c.Class != "" {
			return "c-" + string(c.Class)
		}
		return "c-" + b.Role
	}
	square := func(c *Cell) string {
		size := px(c.Size)
		return "M" + px(c.X) + " " + px(c.Y) + "h" + size + "v" + size + "h-" + size + "z"
	}
	if w.cells <= titledCells {
		for i := range cells {
			c := &cells[i]
			w.printf(`<path class="%s" d="%s"><title>%s</title></path>`, class(c), square(c), escaped(c.Title))
		}
		return
	}
	var order []string
	paths := map[string]*strings.Builder{}
	for i := range cells {
		key := class(&cells[i])
		if paths[key] == nil {
			order, paths[key] = append(order, key), &strings.Builder{}
		}
		paths[key].WriteString(square(&cells[i]))
	}
	for _, key := range order {
		w.printf(`<path class="%s" d="%s"/>`, key, paths[key].String())
	}
}

// label writes a text by itself.
func (w *svg) label(l *Label) {
	place := fmt.Sprintf(`x="%s" y="%s"`, px(l.X), px(l.Y+l.Size*0.35))
	if l.Turn != 0 {
		place = fmt.Sprintf(`transform="translate(%s %s) rotate(%s)"`, px(l.X), px(l.Y), px(l.Turn))
	}
	class := "times"
	if l.Mark != Fine {
		class += " t-" + string(l.Mark)
	}
	w.printf(`<text class="%s" %s font-size="%s" text-anchor="%s">%s</text>`+"\n", class, place, px(l.Size), l.Anchor, escaped(l.Text))
}
