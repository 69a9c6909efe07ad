package app

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strconv"

	"weft/apps/timeline"
)

// Pictures show the activity of ranks and links over time.
type Pictures struct {
	Title, Text string
	EndNS       float64
	Panels      []Panel
}

// Panel is one kind of rows over time. All panels of a run have the same steps.
type Panel struct {
	Title  string
	Names  []string // by row
	StepNS float64
	Shares [][]float32 // by row, then step: 0 to 1
}

// picture makes the pictures of a recorded run. full says how much one step of a row can hold.
func (r *Run) picture(rec *timeline.Recorder, portRate func(rank int) float64, all *links) {
	rec.End()
	p := &Pictures{Title: r.Program, EndNS: max(r.EndNS, 1)}
	p.Text = fmt.Sprintf("%s, engine %s, ranks by %s, by %s", r.Fabric, cmp.Or(r.Engine, "tables of a file"), r.Placement, r.Network)
	rank := func(i int) string {
		if len(r.Jobs) > 0 {
			return fmt.Sprintf("job %d rank %d", r.Ranks[i].Job, r.Ranks[i].Rank)
		}
		return fmt.Sprintf("rank %d", r.Ranks[i].Rank)
	}
	add := func(title string, h *timeline.Heat, rows []int, name func(i int) string, rate func(i int) float64) {
		if len(rows) == 0 {
			return
		}
		panel := Panel{Title: title, StepNS: float64(h.Width) / unit}
		for _, i := range rows {
			shares := slices.Clone(h.Row(i))
			for s := range shares {
				shares[s] = min(1, shares[s]/float32(rate(i)*float64(h.Width)))
			}
			panel.Names, panel.Shares = append(panel.Names, name(i)), append(panel.Shares, shares)
		}
		p.Panels = append(p.Panels, panel)
	}
	ranks := make([]int, len(r.Ranks))
	for i := range ranks {
		ranks[i] = i
	}
	if slices.ContainsFunc(ranks, func(i int) bool { return slices.Max(rec.Computing.Row(i)) > 0 }) {
		add("ranks computing", rec.Computing, ranks, rank, func(int) float64 { return 1 })
	}
	add("ranks receiving, share of their ports' rate", rec.Receiving, ranks, rank, portRate)
	add("busiest links, share of their rate", rec.Links, busiestRows(rec.Links, shownLinks),
		func(l int) string { name := all.port(int32(l)); return name.Short() }, func(l int) float64 { return all.rate[l] })
	r.Pictures = p
}

// shownLinks is the number of links of a picture.
const shownLinks = 48

// busiestRows returns the rows with the largest sums, the largest first.
func busiestRows(h *timeline.Heat, most int) (rows []int) {
	sums := make([]float64, h.Rows())
	for i := range sums {
		for _, v := range h.Row(i) {
			sums[i] += float64(v)
		}
		if sums[i] > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	return rows[:min(len(rows), most)]
}

// WriteCSV writes a line for each step of each row.
func (p *Pictures) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	list := [][]string{{"what", "name", "from_ns", "to_ns", "share"}}
	for _, panel := range p.Panels {
		for i, shares := range panel.Shares {
			for s, v := range shares {
				list = append(list, []string{panel.Title, panel.Names[i], number(panel.StepNS * float64(s)), number(panel.StepNS * float64(s+1)), number(float64(v))})
			}
		}
	}
	return cmp.Or(c.WriteAll(list), c.Error())
}

// The places of a picture, in pixels.
const (
	pictureLeft  = 190
	pictureRight = 70
	pictureWide  = 768 // of the time
	rowLeast     = 3.0
	rowMost      = 14.0
	panelHigh    = 260.0 // at most, but a row has rowLeast
)

// mostRows is the number of rows of a panel; with more ranks some in a row share one.
const mostRows = 128

// WriteSVG draws the panels above each other, on one axis of time.
func (p *Pictures) WriteSVG(to io.Writer) error {
	w := bufio.NewWriter(to)
	var body bytes.Buffer
	y := 70.0
	for i := range p.Panels {
		high, err := p.Panels[i].draw(&body, y, p.EndNS)
		if err != nil {
			return err
		}
		y += high
	}
	wide := pictureLeft + pictureWide + pictureRight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f">`+"\n", wide, y, wide, y)
	fmt.Fprintf(w, "<style>svg{font-family:Helvetica,Arial,sans-serif}text{fill:#1b1f24}.soft{fill:#59636e}.bg{fill:#fff}.axis{stroke:#59636e;fill:none}"+
		"@media(prefers-color-scheme:dark){text{fill:#e6eaef}.soft{fill:#9aa7b4}.bg{fill:#14181d}.axis{stroke:#9aa7b4}}</style>\n")
	fmt.Fprintf(w, `<rect class="bg" width="%d" height="%.0f"/>`+"\n", wide, y)
	fmt.Fprintf(w, `<text x="16" y="28" font-size="16" font-weight="bold">%s</text>`+"\n", html.EscapeString(shortened(p.Title, 110)))
	fmt.Fprintf(w, `<text class="soft" x="16" y="46" font-size="12">%s; %s</text>`+"\n", html.EscapeString(shortened(p.Text, 140)), duration(p.EndNS))
	if _, err := body.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// shortened cuts a text to some characters.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// draw draws a panel below a height, and returns how high it is. Its time ends with the run.
func (p *Panel) draw(w *bytes.Buffer, top, endNS float64) (high float64, err error) {
	rows, names := p.grouped(mostRows)
	each := max(rowLeast, min(rowMost, panelHigh/float64(len(rows))))
	high = each * float64(len(rows))
	fmt.Fprintf(w, `<text x="%d" y="%.1f" font-size="13" font-weight="bold">%s</text>`+"\n", pictureLeft, top+12, html.EscapeString(p.Title))
	top += 20
	steps := len(rows[0])
	wide := pictureWide * p.StepNS * float64(steps) / endNS // the last step may end later
	img, err := heatImage(rows)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(w, `<svg x="%d" y="%.1f" width="%d" height="%.1f"><image width="%.2f" height="%.1f" preserveAspectRatio="none" style="image-rendering:optimizeSpeed;image-rendering:pixelated" href="data:image/png;base64,%s"/></svg>`+"\n",
		pictureLeft, top, pictureWide, high, wide, high, img)
	fmt.Fprintf(w, `<rect class="axis" x="%d" y="%.1f" width="%d" height="%.1f"/>`+"\n", pictureLeft, top, pictureWide, high)
	between := 1
	for float64(between)*each < 11 {
		between++
	}
	for i := 0; i < len(rows); i += between {
		fmt.Fprintf(w, `<text class="soft" x="%d" y="%.1f" font-size="9" text-anchor="end">%s</text>`+"\n", pictureLeft-6, top+each*float64(i)+min(each, 9), html.EscapeString(shortened(names[i], 34)))
	}
	drawTimes(w, top+high, endNS)
	drawScale(w, top)
	return high + 66, nil
}

// drawTimes draws the axis of time: five marks.
func drawTimes(w *bytes.Buffer, y, endNS float64) {
	for i := range 5 {
		x := pictureLeft + pictureWide*float64(i)/4
		fmt.Fprintf(w, `<path class="axis" d="M%.1f %.1fv4"/><text class="soft" x="%.1f" y="%.1f" font-size="10" text-anchor="middle">%s</text>`+"\n", x, y, x, y+15, shortTime(endNS*float64(i)/4))
	}
}

// shortTime prints a time with three digits.
func shortTime(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns {
			return strconv.FormatFloat(ns/u.ns, 'g', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 3, 64) + " ns"
}

// drawScale draws the colours beside a panel.
func drawScale(w *bytes.Buffer, top float64) {
	const steps = 8
	for i := range steps + 1 {
		c := heatColour(float32(steps-i) / steps)
		fmt.Fprintf(w, `<rect x="%d" y="%.1f" width="10" height="6" fill="#%02x%02x%02x"/>`+"\n", pictureLeft+pictureWide+10, top+6*float64(i), c.R, c.G, c.B)
	}
	fmt.Fprintf(w, `<text class="soft" x="%d" y="%.1f" font-size="9">100 %%</text><text class="soft" x="%d" y="%.1f" font-size="9">0</text>`+"\n",
		pictureLeft+pictureWide+24, top+7, pictureLeft+pictureWide+24, top+6*(steps+1))
}

// grouped returns at most some rows: if there are more, the means of rows that follow each other.
func (p *Panel) grouped(most int) (rows [][]float32, names []string) {
	each := (len(p.Shares) + most - 1) / most
	for first := 0; first < len(p.Shares); first += each {
		last := min(first+each, len(p.Shares))
		row := make([]float32, len(p.Shares[first]))
		for _, shares := range p.Shares[first:last] {
			for s, v := range shares {
				row[s] += v / float32(last-first)
			}
		}
		rows, names = append(rows, row), append(names, p.Names[first])
	}
	return rows, names
}

// heatImage returns a PNG image in base64: a pixel for each row and step.
func heatImage(rows [][]float32) (string, error) {
	img := image.NewNRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
	for y, row := range rows {
		for x, v := range row {
			img.SetNRGBA(x, y, heatColour(v))
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// heatColours go from nothing to all; they stay apart for colour-blind readers and in print.
var heatColours = []color.NRGBA{{0xf4, 0xf6, 0xf8, 0xff}, {0xb9, 0xd7, 0xea, 0xff}, {0x5f, 0xa8, 0xd3, 0xff}, {0x2b, 0x6c, 0xb0, 0xff}, {0x6a, 0x1b, 0x4d, 0xff}}

// heatColour returns the colour of a share.
func heatColour(v float32) color.NRGBA {
	at := max(0, min(v, 1)) * float32(len(heatColours)-1)
	i := min(int(at), len(heatColours)-2)
	part := at - float32(i)
	a, b := heatColours[i], heatColours[i+1]
	mix := func(a, b uint8) uint8 { return uint8(float32(a) + part*(float32(b)-float32(a)) + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
