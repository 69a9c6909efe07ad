package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestThemed: a themed picture is XML with the style before its shapes, and has the same shapes.
func TestThemed(t *testing.T) {
	plain := svg(t, &Chart{Name: "l", Title: "T", Kind: Lines, Series: []Series{{Name: "s", Points: []Point{{X: 1, Y: 1}, {X: 2, Y: 2}}}}})
	themed := string(Themed([]byte(plain)))
	for dec := xml.NewDecoder(strings.NewReader(themed)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	style := strings.Index(themed, "<style>")
	if style < 0 || style > strings.Index(themed, "<g ") || strings.Count(themed, "<path") != strings.Count(plain, "<path") {
		t.Errorf("style at %d:\n%.600s", style, themed)
	}
	if strings.Contains(themed, "font-family:Liberation Sans;") || !bytes.HasPrefix(Inline([]byte(plain)), []byte("<svg")) {
		t.Error("no font to fall back on, or a head inside of a page")
	}
}

// TestDark: on a dark page every colour of a series has a contrast of 3 at least (WCAG 2.2,
// 1.4.11), letters 7 (1.4.6), and no two series have the same colour.
func TestDark(t *testing.T) {
	dark := map[string]string{}
	for _, m := range regexp.MustCompile(`\[style\*="(fill|stroke):(#\w+)"\] \{ (fill|stroke): (#\w+) !important`).FindAllStringSubmatch(DarkStyle, -1) {
		if m[1] != m[3] {
			t.Errorf("%s changes the %s", m[0], m[3])
		}
		if old, is := dark[m[2]]; is && old != m[4] {
			t.Errorf("%s is %s and %s", m[2], old, m[4])
		}
		dark[m[2]] = m[4]
	}
	paper, seen := dark["#FFFFFF"], map[string]bool{}
	for _, c := range palette {
		name := fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
		shown, is := dark[name]
		if !is {
			shown = name
		}
		if k := contrast(t, shown, paper); k < 3 || seen[shown] {
			t.Errorf("%s is shown as %s, contrast %.1f", name, shown, k)
		}
		seen[shown] = true
	}
	letters := regexp.MustCompile(`svg text \{ fill: (#\w+) \}`).FindStringSubmatch(DarkStyle)
	if k := contrast(t, letters[1], paper); k < 7 {
		t.Errorf("letters: contrast %.1f", k)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(text string) float64 {
		var c color.RGBA
		if _, err := fmt.Sscanf(strings.ToLower(text), "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
			t.Fatal(err)
		}
		part := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= .03928 {
				return x / 12.92
			}
			return math.Pow((x+.055)/1.055, 2.4)
		}
		return .2126*part(c.R) + .7152*part(c.G) + .0722*part(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// TestClose: an axis close to the values does not begin at 0, and others do.
func TestClose(t *testing.T) {
	c := Chart{Kind: Lines, Series: []Series{{Name: "s", Points: []Point{{X: 1, Y: 100.5}, {X: 2, Y: 101.5}}}}}
	if text := svg(t, &c); !strings.Contains(text, ">0<") || strings.Contains(text, ">101<") {
		t.Error("an axis does not begin at 0")
	}
	c.Y.Close = true
	if text := svg(t, &c); strings.Contains(text, ">0<") || !strings.Contains(text, ">101<") {
		t.Error("a close axis begins at 0")
	}
}
