package layout

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestLanes: a line has the class of the VLs on its cables, either way, and the legend says which
// those are.
func TestLanes(t *testing.T) {
	f := parse(t, "torus(5x4)|fail(links=1,seed=1)")
	for _, c := range []struct {
		of     func(link int) (one, other uint16)
		legend []string
		class  func(vls uint16) Class
	}{
		{ // few sets
			func(link int) (one, other uint16) {
				return []uint16{1, 2, 0, 4}[link%4], []uint16{1, 1, 0, 4}[link%4]
			},
			[]string{"lane1 VL 0", "lane2 VL 2", "lane3 VLs 0 and 1", "dark none", "failed failed"},
			func(vls uint16) Class { return map[uint16]Class{0: "dark", 1: "lane1", 4: "lane2", 3: "lane3"}[vls] },
		},
		{ // many
			func(link int) (one, other uint16) { return 1<<(link%7+1) - 1, 1 << (link % 3) },
			[]string{"lane1 1 VL", "lane2 2 VLs", "lane3 3 VLs", "lane4 4 VLs", "lane5 5 VLs", "lane6 6 or more VLs", "failed failed"},
			func(vls uint16) Class {
				n := 0
				for ; vls != 0; vls &= vls - 1 {
					n++
				}
				return Class(fmt.Sprintf("lane%d", min(n, 6)))
			},
		},
	} {
		lanes := make([]uint16, f.Compile().NumChannels)
		for link := range len(lanes) / 2 {
			lanes[2*link], lanes[2*link+1] = c.of(link)
		}
		p := Of(f, Options{Lanes: lanes})
		var legend []string
		for _, e := range p.Legend[1:] {
			legend = append(legend, fmt.Sprint(e.Class, " ", e.Text))
		}
		if strings.Join(legend, "; ") != strings.Join(c.legend, "; ") {
			t.Errorf("the legend is %q, want %q", legend, c.legend)
		}
		seen := map[Class]bool{}
		for _, l := range p.Lines {
			seen[l.Class] = true
			if l.Class != classFailed && l.Class != c.class(l.VLs) || !strings.Contains(l.Title, laneText(l.VLs)) {
				t.Errorf("%q is %s", l.Title, l.Class)
			}
		}
		if len(seen) != len(c.legend) {
			t.Errorf("classes %v", seen)
		}
	}
}

// TestLanesOfBundles: a line of several cables has the VLs of all of them.
func TestLanesOfBundles(t *testing.T) {
	f := parse(t, "pgft(2;3,4;1,2;1,2)")
	lanes := make([]uint16, f.Compile().NumChannels)
	for c := range lanes {
		lanes[c] = 1 << (c / 2 % 2)
	}
	p := Of(f, Options{Lanes: lanes})
	for _, l := range p.Lines {
		if l.Cables != 2 || l.VLs != 3 {
			t.Errorf("%q", l.Title)
		}
	}
	if len(p.Lines) != 8 {
		t.Errorf("%d lines", len(p.Lines))
	}
}

func TestLaneText(t *testing.T) {
	for vls, want := range map[uint16]string{
		0: "no VL", 1: "VL 0", 0x4000: "VL 14", 3: "VLs 0 and 1", 5: "VLs 0 and 2", 7: "VLs 0 to 2", 0x0f1: "VLs 0 and 4 to 7", 0x33: "VLs 0, 1, 4 and 5",
	} {
		if got := laneText(vls); got != want {
			t.Errorf("%#x is %q, want %q", vls, got, want)
		}
	}
}

// TestColours: any two colours of loads, or of lanes, differ for everybody, the colour-blind too,
// and from the page.
func TestColours(t *testing.T) {
	colourOf := func(class string) (rgb [3]float64) {
		_, rest, ok := strings.Cut(style, "."+class+"{stroke:#")
		if !ok {
			t.Fatalf("%s has no colour", class)
		}
		for i := range rgb {
			v, err := strconv.ParseUint(rest[2*i:2*i+2], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			if rgb[i] = float64(v) / 255 / 12.92; v > 10 {
				rgb[i] = math.Pow((float64(v)/255+0.055)/1.055, 2.4)
			}
		}
		return rgb
	}
	for _, classes := range [][]Class{loadClasses, laneClasses} {
		for i, a := range classes {
			one := colourOf(string(a))
			for _, page := range [][3]float64{{1, 1, 1}, {.007, .009, .009}} { // light and dark
				high, low := luminance(one), luminance(page)
				if contrast := (max(high, low) + .05) / (min(high, low) + .05); contrast < 1.9 {
					t.Errorf("%s has a contrast of %.2f to a page", a, contrast)
				}
			}
			for _, b := range classes[:i] {
				for sight, seen := range sights {
					if d := distance(seen.of(one), seen.of(colourOf(string(b)))); d < 24 {
						t.Errorf("%s and %s differ by %.0f for %s", a, b, d, sight)
					}
				}
			}
		}
	}
}

// matrix changes linear RGB.
type matrix [3][3]float64

func (m matrix) of(c [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

// sights say how people see colours (Machado, Oliveira, Fernandes 2009, severity 1).
var sights = map[string]matrix{
	"most":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopes":   {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
	"deuteranopes": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
	"tritanopes":   {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
}

func luminance(c [3]float64) float64 { return .2126*c[0] + .7152*c[1] + .0722*c[2] }

// distance is that of CIE L*a*b*: 2 can just be seen side by side, 100 is black to white.
func distance(a, b [3]float64) float64 {
	lab := func(c [3]float64) (l, u, v float64) {
		xyz := matrix{{.4124 / .9505, .3576 / .9505, .1805 / .9505}, {.2126, .7152, .0722}, {.0193 / 1.089, .1192 / 1.089, .9505 / 1.089}}.of(c)
		for i, x := range xyz {
			if xyz[i] = 7.787*x + 16./116; x > .008856 {
				xyz[i] = math.Cbrt(x)
			}
		}
		return 116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])
	}
	l, u, v := lab(a)
	m, x, y := lab(b)
	return math.Hypot(l-m, math.Hypot(u-x, v-y))
}

// TestPaleLines: among many lines, lanes keep their colour.
func TestPaleLines(t *testing.T) {
	for class, want := range map[Class]string{"lane2": "lane2", "load1": "load1 many", "load5": "load5", "wire0": "wire0 many"} {
		if got := look(&Line{Class: class}, " many"); got != want {
			t.Errorf("%s looks %q", class, got)
		}
	}
}
