package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
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
		places := []place{{1, 0}, {2, 100}, {3, 100 + vg.Length(next)}}
		a, b, c := aside(shown, 0, places), aside(shown, 1, places), aside(shown, 2, places)
		if a >= b || b != 0 || b >= c || c-a >= vg.Length(next) {
			t.Errorf("%g to the next place: %g %g %g", next, a, b, c)
		}
	}
}

// TestBelowZero: bars begin at zero, not at the edge of the picture.
func TestBelowZero(t *testing.T) {
	text := svg(t, &Chart{Kind: Bars, Categories: []string{"a", "b"}, Series: []Series{{Name: "s", Points: []Point{{X: 0, Y: -10}, {X: 1, Y: 10}}}}})
	bars := regexp.MustCompile(`d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)[^"]*" style="fill:#0072B2"`).FindAllStringSubmatch(text, 2)
	if len(bars) != 2 || bars[0][1] != bars[1][1] || bars[0][2] == bars[0][1] || bars[1][2] == bars[1][1] {
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
		c := Chart{Kind: kind}
		c.Fill([]string{"all", "one"}, []string{"p", "q", "r"}, value)
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
