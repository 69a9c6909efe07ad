package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func svg(t *testing.T, c *Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
}

func TestBars(t *testing.T) {
	c := &Chart{
		Name: "b", Title: "A title", Kind: Bars, Y: Axis{Label: "lanes"}, Categories: []string{"left", "right"},
		Series: []Series{
			{Name: "first", Points: []Point{{X: 0, Y: 2, Low: 1, High: 3}, {X: 1, Y: 4}}},
			{Name: "second", Points: []Point{{X: 1, Y: 1}}},
			{Name: "absent"},
		},
	}
	text := svg(t, c)
	for _, want := range []string{"A title", "lanes", "left", "right", "first", "second"} {
		if !strings.Contains(text, ">"+want+"<") {
			t.Errorf("the picture lacks the text %q", want)
		}
	}
	if strings.Contains(text, "absent") {
		t.Error("a series without points is in the legend")
	}
	if again := svg(t, c); again != text {
		t.Error("drawn twice, the bytes differ")
	}
}

func TestLines(t *testing.T) {
	c := &Chart{
		Name: "l", Kind: Lines, X: Axis{Label: "endpoints", Log: true}, Y: Axis{Label: "CPU time (s)", Log: true},
		Series: []Series{{Name: "minhop", Points: []Point{{X: 64, Y: 0.001}, {X: 4096, Y: 2}}}},
	}
	text := svg(t, c)
	for _, want := range []string{"64", "4096", "0.001", "0.01", "10", "endpoints", "CPU time (s)", "minhop"} {
		if !strings.Contains(text, ">"+want+"<") {
			t.Errorf("the picture lacks the text %q", want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]*Chart{
		"nothing to draw":   {Kind: Lines, Series: []Series{{Name: "x"}}},
		"logarithmic":       {Kind: Lines, Y: Axis{Log: true}, Series: []Series{{Points: []Point{{X: 1, Y: 0}}}}},
		"no category":       {Kind: Bars, Categories: []string{"a"}, Series: []Series{{Points: []Point{{X: 1, Y: 1}}}}},
		"there is no categ": {Kind: Bars, Series: []Series{{Points: []Point{{X: -1, Y: 1}}}}},
	} {
		err := c.WriteSVG(io.Discard)
		if err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(name, "no category")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNamesOfPlaces: no two names of places run into each other, and the first has its own.
func TestNamesOfPlaces(t *testing.T) {
	c := &Chart{X: Axis{Log: true}, Series: []Series{{Points: []Point{{X: 130}, {X: 140}, {X: 150}, {X: 800}}}, {Points: []Point{{X: 150}}}}}
	names := ""
	for _, tick := range ticks(c.places(400)) {
		names += tick.Label + "|"
	}
	if names != "130||150|800|" {
		t.Errorf("names of places: %s", names)
	}
	one := &Chart{X: Axis{Log: true}, Series: []Series{{Points: []Point{{X: 64}}}}}
	if p := one.places(400); len(p) != 1 || p[0].at != 200 {
		t.Errorf("a place alone: %v", p)
	}
}

// TestRangesAside: the ranges of lines have places of their own, in order, and none comes
// as far as the next place.
func TestRangesAside(t *testing.T) {
	shown := make([]Series, 3)
	for _, next := range []float64{40, 4} {
		places := []place{{1, 0, "1"}, {2, 100, "2"}, {3, 100 + vg.Length(next), "3"}}
		a, b, c := aside(shown, 0, places), aside(shown, 1, places), aside(shown, 2, places)
		if a >= b || b != 0 || b >= c || c-a >= vg.Length(next) {
			t.Errorf("%g to the next place: %g %g %g", next, a, b, c)
		}
	}
}

// TestEven: places of an even axis are as far from each other, whatever their numbers, and keep
// them as labels.
func TestEven(t *testing.T) {
	c := &Chart{Kind: Lines, X: Axis{Even: true}, Series: []Series{{Name: "s", Points: []Point{{X: 0, Y: 1}, {X: 1, Y: 1}, {X: 250, Y: 1}}}}}
	c.Mark(PrintedValue{Series: "s", X: 1, Low: 2, High: 2})
	text := svg(t, c)
	var at []float64
	for _, label := range []string{">0<", ">1<", ">250<"} {
		before, _, found := strings.Cut(text, label)
		if !found {
			t.Fatalf("no label %s", label)
		}
		tag := before[strings.LastIndex(before, "<text"):]
		x := regexp.MustCompile(`x="([\d.]+)"`).FindStringSubmatch(tag)
		v, err := strconv.ParseFloat(x[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, v)
	}
	if a, b := at[1]-at[0], at[2]-at[1]; math.Abs(a-b) > 8 || a < 50 { // labels are centred
		t.Errorf("labels at %v", at)
	}
	places := []place{{x: 0}, {x: 1}, {x: 250}}
	for x, want := range map[float64]float64{-1: 0, 0: 0, .5: .5, 1: 1, 125.5: 1.5, 250: 2, 300: 2} {
		if got := between(places, x); got != want {
			t.Errorf("%g is at %g, want %g", x, got, want)
		}
	}
	if c.Series[0].Points[2].X != 250 {
		t.Error("drawing moved the points")
	}
}

// TestBelowZero: bars begin at zero, not at the edge of the picture.
func TestBelowZero(t *testing.T) {
	text := svg(t, &Chart{Kind: Bars, Categories: []string{"a", "b"}, Series: []Series{{Name: "s", Points: []Point{{X: 0, Y: -10}, {X: 1, Y: 10}}}}})
	bars := regexp.MustCompile(`d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)[^"]*" style="fill:#0072B2"`).FindAllStringSubmatch(text, 2)
	if len(bars) != 2 || bars[0][2] != bars[1][1] || bars[0][2] == bars[0][1] || bars[1][2] == bars[1][1] { // one ends where the other begins
		t.Errorf("bars from, to: %q", bars)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 0.05: "0.05", 4096: "4096", 10000: "10,000", 1e6: "1,000,000", -25000: "-25,000",
		-250000: "-250,000", 12345.5: "12345.5", 1e13: "1e+13",
	} {
		if got := number(v); got != want {
			t.Errorf("%g: got %s, want %s", v, got, want)
		}
	}
}

// TestFill: a series for each name, points where there is a value; bars stand at the index of
// their place, lines where the value is.
func TestFill(t *testing.T) {
	value := func(name string, i int) (Point, bool) {
		return Point{X: float64(10 * i), Y: float64(i)}, name == "all" || i == 1
	}
	for kind, x := range map[Kind]float64{Bars: 1, Lines: 10} {
		c, names := Chart{Kind: kind}, []string{"p", "q", "r"}
		c.Fill([]string{"all", "one"}, names, value)
		if kind == Bars {
			if c.Categories[0] = "another name"; names[0] != "p" {
				t.Error("the chart shares the names of its places with the caller")
			}
		}
		if len(c.Series) != 2 || len(c.Series[0].Points) != 3 || len(c.Series[1].Points) != 1 {
			t.Fatalf("%s: %+v", kind, c.Series)
		}
		if p := c.Series[1].Points[0]; p.X != x || p.Y != 1 {
			t.Errorf("%s: point %+v, want X %g", kind, p, x)
		}
		if (len(c.Categories) == 3) != (kind == Bars) {
			t.Errorf("%s: categories %v", kind, c.Categories)
		}
	}
}

// TestWriteAll: charts stand one below the other on one page, and one alone is what WriteSVG draws.
func TestWriteAll(t *testing.T) {
	c := Chart{Name: "c", Title: "first", Kind: Lines, Series: []Series{{Name: "s", Points: []Point{{X: 1, Y: 1}, {X: 2, Y: 2}}}}}
	d := c
	d.Title = "second"
	var one, alone, both bytes.Buffer
	for _, err := range []error{WriteAll(&one, c), c.WriteSVG(&alone), WriteAll(&both, c, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if one.String() != alone.String() {
		t.Error("one chart alone differs")
	}
	if s := both.String(); !strings.Contains(s, ">first<") || !strings.Contains(s, ">second<") || !strings.Contains(s, `height="660pt"`) {
		t.Errorf("not both charts: %.300s", s)
	}
	if err := WriteAll(&both, c, Chart{Name: "empty"}); err == nil {
		t.Error("a chart with nothing to draw was drawn")
	}
}

// TestMarks: a series of marks has no bars or line of its own; it stands over the bars of the
// series that it names, in its colour, and in the legend.
func TestMarks(t *testing.T) {
	c := Chart{Name: "c", Kind: Bars, Categories: []string{"x"}, Series: []Series{
		{Name: "printed", Marks: "second", Points: []Point{{Y: 3}}}, {Name: "first", Points: []Point{{Y: 1}}}, {Name: "second", Points: []Point{{Y: 2}}},
	}}
	all, at := withoutMarks(c.Series, "second")
	if len(all) != 2 || at != 1 {
		t.Errorf("%d series drawn, the second is number %d", len(all), at)
	}
	m := c.newMarks(c.Series, 0)
	if want := groupShare / 2 * 0.65; math.Abs(m.aside-want) > 1e-9 || m.color != palette[1] {
		t.Errorf("marks at %g in %v, want %g in %v", m.aside, m.color, want, palette[1])
	}
	for _, kind := range []Kind{Bars, Lines} {
		c.Kind = kind
		var svg bytes.Buffer
		if err := c.WriteSVG(&svg); err != nil || !strings.Contains(svg.String(), ">printed<") {
			t.Errorf("%s: %v, or no entry in the legend", kind, err)
		}
	}
}

// TestSameLook: a series is drawn alike whether those before it have points or not.
func TestSameLook(t *testing.T) {
	for _, kind := range []Kind{Bars, Lines} {
		c := Chart{Name: "c", Kind: kind, Categories: []string{"x"}, Series: []Series{{Name: "none"}, {Name: "some", Points: []Point{{X: 0, Y: 1}}}, {Name: "printed", Marks: "some", Points: []Point{{X: 0, Y: 2}}}}}
		if text := svg(t, &c); !strings.Contains(text, "#E69F00") || strings.Contains(text, "#0072B2") {
			t.Errorf("%s: the second series has not the second colour", kind)
		}
	}
}

// TestUprights: a place printed without a value is a vertical line, and in the legend.
func TestUprights(t *testing.T) {
	c := Chart{Name: "c", Kind: Lines, Series: []Series{{Name: "s", Points: []Point{{X: 1, Y: 1}, {X: 3, Y: 1}}}}}
	before := strings.Count(svg(t, &c), "stroke-dasharray")
	c.Uprights = []Upright{{"lines cross", 2}}
	if text := svg(t, &c); strings.Count(text, "stroke-dasharray") != before+2 || !strings.Contains(text, ">lines cross<") {
		t.Error("no line, or no entry in the legend")
	}
}

// TestGrey: no two series of bars look the same in grey: they differ in their hatch, or clearly in
// lightness.
func TestGrey(t *testing.T) {
	if len(hatches) != len(palette) {
		t.Fatalf("%d hatches for %d colours", len(hatches), len(palette))
	}
	for i := range palette {
		for j := range i {
			if d := math.Abs(lightness(palette[i]) - lightness(palette[j])); hatches[i] == hatches[j] && d < 0.2 {
				t.Errorf("series %d and %d: hatch %d, lightness %.2f apart", j, i, hatches[i], d)
			}
		}
	}
}

// TestHatch: every line lies inside its bar and runs from edge to edge, and a narrow bar has some.
func TestHatch(t *testing.T) {
	for _, size := range []vg.Point{{X: 5, Y: 120}, {X: 60, Y: 8}, {X: 12, Y: 12}} {
		r := vg.Rectangle{Min: vg.Point{X: 100, Y: 50}, Max: vg.Point{X: 100 + size.X, Y: 50 + size.Y}}
		for h := level; h <= falling; h <<= 1 {
			lines := h.lines(r)
			if len(lines) == 0 {
				t.Errorf("%v: hatch %d has no line", size, h)
			}
			for _, l := range lines {
				for _, p := range l {
					onEdge := p.X == r.Min.X || p.X == r.Max.X || p.Y == r.Min.Y || p.Y == r.Max.Y
					if p.X < r.Min.X || p.X > r.Max.X || p.Y < r.Min.Y || p.Y > r.Max.Y || !onEdge {
						t.Errorf("%v, hatch %d: a line ends at %v", size, h, p)
					}
				}
			}
		}
	}
}

// TestDivideBy: values become multiples of one series, which goes; series that nowhere differ
// become one.
func TestDivideBy(t *testing.T) {
	c := &Chart{Kind: Bars, Categories: []string{"a", "b"}, Series: []Series{
		{Name: "one", Points: []Point{{X: 0, Y: 2}, {X: 1, Y: 4}}},
		{Name: "two", Points: []Point{{X: 0, Y: 6, Low: 4, High: 8}, {X: 1, Y: 4}}},
		{Name: "three", Points: []Point{{X: 0, Y: 6.001}, {X: 1, Y: 4}}},
	}}
	for range 2 {
		c.DivideBy("one")
		if p := c.Series[0].Points; len(c.Series) != 2 || p[0] != (Point{X: 0, Y: 3, Low: 2, High: 4}) || p[1].Y != 1 {
			t.Errorf("%+v", c.Series)
		}
	}
	for range 2 {
		c.Merge(.001)
		if len(c.Series) != 1 || c.Series[0].Name != "two and three" || len(c.Series[0].Points) != 2 {
			t.Errorf("%+v", c.Series)
		}
	}
	c.Series = append(c.Series, Series{Name: "four", Points: []Point{{X: 0, Y: 6}, {X: 1, Y: 4.1}}})
	if c.Merge(.001); len(c.Series) != 2 {
		t.Errorf("%+v", c.Series)
	}
}

// TestSpots: the spots of bars and of lines are where the picture has their marks, in the order of
// the series; series without points, and marks, have none.
func TestSpots(t *testing.T) {
	for _, kind := range []Kind{Bars, Lines} {
		c := Chart{Name: "c", Kind: kind, Categories: []string{"x", "y"}, Series: []Series{
			{Name: "none"}, {Name: "first", Points: []Point{{X: 0, Y: 1}, {X: 1, Y: 2}}}, {Name: "printed", Marks: "first", Points: []Point{{Y: 3}}}, {Name: "second", Points: []Point{{X: 1, Y: 2}}},
		}}
		var b bytes.Buffer
		spots, err := c.WriteSpots(&b)
		if err != nil || len(spots) != 4 || len(spots[0].Points)+len(spots[2].Points) != 0 || len(spots[1].Points) != 2 || spots[3].Name != "second" || len(spots[3].Points) != 1 {
			t.Fatalf("%s: %v %+v", kind, err, spots)
		}
		if plain := svg(t, &c); plain != b.String() {
			t.Errorf("%s: another picture with spots", kind)
		}
		from, to := spots[1].Points[0], spots[1].Points[1] // the picture has its axis Y upwards
		want := fmt.Sprintf(`d="M%.5g,%.5gL%.5g,%.5g"`, from.X, Height-from.Y, to.X, Height-to.Y)
		if kind == Bars {
			want = ""
			for _, bar := range regexp.MustCompile(`d="M([\d.]+),[\d.]+L[\d.]+,([\d.]+)L([\d.]+),[^"]*" style="fill:#E69F00`).FindAllStringSubmatch(b.String(), -1) {
				left, _ := strconv.ParseFloat(bar[1], 64)
				top, _ := strconv.ParseFloat(bar[2], 64)
				right, _ := strconv.ParseFloat(bar[3], 64)
				for _, s := range spots[1].Points {
					if math.Abs((left+right)/2-s.X) < 0.1 && math.Abs(top-Height+s.Y) < 0.1 {
						want += bar[0]
					}
				}
			}
			if strings.Count(want, "fill:") != 2 {
				t.Errorf("%d bars at the spots %+v: %s", strings.Count(want, "fill:"), spots, b.String())
			}
		} else if !strings.Contains(b.String(), want) {
			t.Errorf("no line %s: %s", want, b.String())
		}
	}
}

// TestSlant: long names of categories are drawn aslant where that is asked for, short ones are not.
func TestSlant(t *testing.T) {
	c := Chart{Name: "c", Kind: Bars, X: Axis{Slant: true}, Categories: []string{"a", "b"}, Series: []Series{{Name: "s", Points: []Point{{X: 0, Y: 1}, {X: 1, Y: 1}}}}}
	turned := func() int { return strings.Count(svg(t, &c), "rotate(") }
	short := turned()
	c.Categories[1] = strings.Repeat("a long name ", 6)
	if long := turned(); long != short+2 {
		t.Errorf("%d texts are turned, want %d", long, short+2)
	}
}
