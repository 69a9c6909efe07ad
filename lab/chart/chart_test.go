package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
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
