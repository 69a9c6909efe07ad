package recording

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/sm/terms"
)

// gone is an incident of a host of a leaf.
func gone(leaf, host string) terms.Incident {
	sides := []terms.Side{{Device: host, Part: host}, {Device: leaf, Part: host}}
	return terms.Incident{Kind: terms.NodeMissing, Text: host + " is gone", Shared: &terms.Shared{What: "{n} nodes at {at} are gone", Sides: sides}}
}

// at returns an incident of a step at a time.
func at(now time.Duration, i terms.Incident) terms.Incident {
	i.Step = now
	return i
}

// texts lists the texts of lines.
func texts(lines []terms.Incident) (list []string) {
	for _, i := range lines {
		list = append(list, i.Text)
	}
	return list
}

// TestCondenser: an incident that stands alone is a line at once. Those of a step wait for its end
// and keep their order; three that share a device are one line, at the place of the first. The
// device that most share has its line first, so that each incident is in one line.
func TestCondenser(t *testing.T) {
	const now = 1000 * time.Second
	var c Condenser
	alone := terms.Incident{Kind: terms.RoundBegun, Text: "alone"}
	if lines := c.Add(at(now, alone)); !slices.Equal(texts(lines), []string{"alone"}) {
		t.Errorf("%q", texts(lines))
	}
	for _, i := range []terms.Incident{gone("leaf 1", "a"), gone("leaf 2", "x"), alone, gone("leaf 1", "b"), gone("leaf 2", "y"), gone("leaf 1", "c")} {
		if lines := c.Add(at(now, i)); lines != nil {
			t.Errorf("too early: %q", texts(lines))
		}
	}
	want := []string{"3 nodes at leaf 1 are gone: a, b, c", "x is gone", "alone", "y is gone"}
	if lines := c.Flush(now); !slices.Equal(texts(lines), want) || c.Flush(now) != nil {
		t.Errorf("%q", texts(lines))
	}
	both := terms.Incident{Kind: terms.FabricChanged, Text: "cable"}
	both.Shared = &terms.Shared{What: "{n} links removed at {at}, to", Sides: []terms.Side{{Device: "spine", Part: "leaf"}, {Device: "leaf", Part: "spine"}}}
	for range 9 {
		c.Add(at(now, both))
	}
	if lines := c.Flush(now); len(lines) != 1 || lines[0].Text != "9 links removed at spine, to: "+strings.Repeat("leaf, ", 7)+"leaf and 1 more" {
		t.Errorf("%q", texts(lines))
	}
}

// TestCondenserRest: incidents that one stands for are joined like the others; of those that share
// nothing only so many are lines.
func TestCondenserRest(t *testing.T) {
	var c Condenser
	var rest []terms.Incident
	for n := range 40 {
		rest = append(rest, gone(fmt.Sprint("leaf ", n%2), fmt.Sprint("host ", n)))
	}
	for n := range 30 {
		rest = append(rest, gone(fmt.Sprint("other ", n), fmt.Sprint("host ", 100+n)))
	}
	for _, i := range rest[:20] {
		c.Add(at(0, i))
	}
	c.Add(at(0, terms.Incident{Kind: terms.FabricChanged, Text: "and 50 more changes", Shared: &terms.Shared{Rest: rest[20:]}}))
	lines := texts(c.Flush(0))
	if len(lines) != mostLines+1 || !strings.HasPrefix(lines[0], "20 nodes at leaf 0") || !strings.HasPrefix(lines[1], "20 nodes at leaf 1") || lines[mostLines] != "and 12 more changes" {
		t.Errorf("%d: %q", len(lines), lines)
	}
}

// TestCondenserHolds: incidents of which more may come wait for the end of the round, and no longer
// than longestHeld. None is lost at the end of the manager. The addition of a node that has
// returned is no line of its own.
func TestCondenserHolds(t *testing.T) {
	const now = 1000 * time.Second
	trap := func(from string) terms.Incident {
		return terms.Incident{Kind: terms.TrapCame, Text: "trap from " + from, Shared: &terms.Shared{What: "trap from {n} nodes", Sides: []terms.Side{{Part: from}}, Comes: true}}
	}
	for _, kind := range []terms.IncidentKind{terms.RoundEnds, terms.Ended} {
		var c Condenser
		for _, from := range []string{"a", "b", "c"} {
			if c.Add(at(now, trap(from))) != nil || c.Flush(now+longestHeld/2) != nil {
				t.Error("too early")
			}
		}
		if lines := texts(c.Add(at(now, terms.Incident{Kind: kind, Text: "end"}))); !slices.Equal(lines, []string{"trap from 3 nodes: a, b, c", "end"}) {
			t.Errorf("%q", lines)
		}
		c.Add(at(now, trap("d")))
		if lines := texts(c.Flush(now + longestHeld)); !slices.Equal(lines, []string{"trap from d"}) {
			t.Errorf("%q", lines)
		}
		c.Add(at(now, trap("late")))
		if lines := texts(c.Add(at(now+longestHeld, terms.Incident{Text: "another"}))); !slices.Equal(lines, []string{"trap from late", "another"}) {
			t.Errorf("%q", lines)
		}
		c.Add(at(now, trap("e")))
		c.Add(at(now, trap("f")))
		if lines := texts(c.End()); !slices.Equal(lines, []string{"trap from e", "trap from f"}) || c.End() != nil {
			t.Errorf("%q", lines)
		}
	}
	var c Condenser
	c.Add(at(now, trap("held")))
	if lines := texts(c.Add(terms.Incident{Text: "told beside the Manager"})); !slices.Equal(lines, []string{"told beside the Manager"}) {
		t.Errorf("%q", lines)
	}
	if lines := texts(c.Add(at(time.Second, terms.Incident{Text: "another run"}))); !slices.Equal(lines, []string{"trap from held", "another run"}) {
		t.Errorf("%q", lines)
	}
	side := []terms.Side{{Device: "x", Part: "x"}}
	c.Add(at(now, terms.Incident{Kind: terms.NodeReturned, Text: "x is back", Shared: &terms.Shared{What: "{n} nodes at {at} are back", Sides: side}}))
	c.Add(at(now, terms.Incident{Kind: terms.FabricChanged, Text: "node added: x", Shared: &terms.Shared{What: terms.NodesAdded, Sides: side}}))
	if lines := texts(c.Flush(now)); !slices.Equal(lines, []string{"x is back"}) {
		t.Errorf("%q", lines)
	}
}
