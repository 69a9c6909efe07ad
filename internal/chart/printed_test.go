package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMark: levels, and values relative to series of ours, become marks next to their series;
// values for points that are not drawn are left out.
func TestMark(t *testing.T) {
	bars := Chart{Kind: Bars, Categories: []string{"a", "b"}, Series: []Series{{Name: "x", Points: []Point{{X: 0, Y: 10}, {X: 1, Y: 20}}}, {Name: "y", Points: []Point{{X: 1, Y: 30}}}}}
	bars.Mark(
		PrintedValue{Series: "x", Group: "b", Low: 18, High: 18},
		PrintedValue{Series: "y", Group: "b", Low: 1.5, High: 2, Of: "x"},
		PrintedValue{Series: "y", Group: "c", Low: 1, High: 1},
		PrintedValue{Series: "y", Group: "a", Low: 1, High: 1, Of: "y"},
		PrintedValue{Series: "z", Group: "a", Low: 1, High: 1},
		PrintedValue{Series: "x", Group: "a", Low: 5, High: 5, Of: "x", Points: true},
		PrintedValue{Series: "y", Group: "a", Low: 18, High: 18},
	)
	want := []Series{
		{Name: "paper: x", Marks: "x", Points: []Point{{X: 1, Y: 18}}},
		{Name: "paper: x, relative to ours", Marks: "x", Of: "x", Points: []Point{{X: 0, Y: 15}}},
		{Name: "paper: y, relative to our x", Marks: "y", Of: "x", Points: []Point{{X: 1, Y: 30, Low: 30, High: 40}}},
	}
	if diff := cmp.Diff(want, bars.Series[2:]); diff != "" {
		t.Error(diff)
	}
	lines := Chart{Kind: Lines, Series: []Series{{Name: "x", Points: []Point{{X: 0, Y: 10}, {X: 5, Y: 2}}}}}
	lines.Mark(PrintedValue{Series: "x", X: 5, Low: .5, High: .5, Of: "x"}, PrintedValue{Series: "x", X: 0, Low: 3, High: 3}, PrintedValue{Series: "x", X: 7, Low: 3, High: 3}, PrintedValue{Series: "x", X: 9, Low: 1, High: 1, Of: "x", OfX: 4})
	if diff := cmp.Diff([]Series{
		{Name: "paper: x", Marks: "x", Points: []Point{{X: 0, Y: 3}}},
		{Name: "paper: x, relative to ours", Marks: "x", Of: "x", Points: []Point{{X: 5, Y: 5}}},
	}, lines.Series[1:]); diff != "" {
		t.Error(diff)
	}
	lines.Series = lines.Series[:1]
	if lines.Mark(); len(lines.Series) != 1 {
		t.Error(lines.Series)
	}
}

// TestMarkBelowZero: a factor times a value below zero is a range from the lower end to the higher
// one.
func TestMarkBelowZero(t *testing.T) {
	c := Chart{Kind: Lines, Series: []Series{{Name: "x", Points: []Point{{X: 0, Y: -10}, {X: 5, Y: 2}}}}}
	c.Mark(PrintedValue{Series: "x", X: 0, Low: 1.5, High: 2, Of: "x"})
	if diff := cmp.Diff([]Point{{X: 0, Y: -20, Low: -20, High: -15}}, c.Series[1].Points); diff != "" {
		t.Error(diff)
	}
}
