package fabric

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestDiffOrder: a fabric in another order is the same fabric.
func TestDiffOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		if d := Diff(f, shuffled(t, f)); len(d) > 0 {
			t.Fatal(d)
		}
	})
}

// TestDiffFinds: every single edit is found exactly, in both directions.
func TestDiffFinds(t *testing.T) {
	edits := []struct {
		kind string
		edit func(f *Fabric, n *Node, l *Link)
	}{
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Desc += "x" }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Type = n.Type%3 + 1 }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.SystemGUID++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.VendorID++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.DeviceID++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Revision++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Chassis += "x" }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.EnhancedPort0 = !n.EnhancedPort0 }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.LinearFDBCap++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Role++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Down = !n.Down }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Drained = !n.Drained }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Ports[1].LID++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Ports[1].LMC++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Ports[1].GUID++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Ports[1].VLCap++ }},
		{"node changed", func(_ *Fabric, n *Node, _ *Link) { n.Ports[0].Label += "x" }},
		{"link changed", func(_ *Fabric, _ *Node, l *Link) { l.Width++ }},
		{"link changed", func(_ *Fabric, _ *Node, l *Link) { l.Speed++ }},
		{"link changed", func(_ *Fabric, _ *Node, l *Link) { l.Down = !l.Down }},
		{"link changed", func(_ *Fabric, _ *Node, l *Link) { l.Drained = !l.Drained }},
		{"node added", func(f *Fabric, _ *Node, _ *Link) { _, _ = f.AddNode(CA, 1<<50, 1, "new") }},
	}
	rapid.Check(t, func(t *rapid.T) {
		a := drawFabric(t)
		if len(a.Links) == 0 {
			return
		}
		e := rapid.SampledFrom(edits).Draw(t, "edit")
		b := a.Clone()
		e.edit(b, &b.Nodes[rapid.IntRange(0, len(b.Nodes)-1).Draw(t, "node")], &b.Links[rapid.IntRange(0, len(b.Links)-1).Draw(t, "link")])
		b = shuffled(t, b)
		there, back := Diff(a, b), Diff(b, a)
		if len(there) != 1 || there[0].Kind != e.kind {
			t.Fatalf("%v, want one %q", there, e.kind)
		}
		if len(back) != 1 || back[0].Kind != strings.Replace(e.kind, "added", "removed", 1) ||
			back[0].From != there[0].To || back[0].To != there[0].From {
			t.Fatalf("%v, and back %v", there, back)
		}
	})
}

// TestDiffRemoval: dropping nodes and links is found as that, no more.
func TestDiffRemoval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawFabric(t)
		drop := rapid.SliceOfN(rapid.IntRange(0, 3), len(a.Links), len(a.Links)).Draw(t, "links")
		gone := NodeID(rapid.IntRange(0, len(a.Nodes)-1).Draw(t, "node"))
		b := a.Without(func(id NodeID) bool { return id == gone }, func(id LinkID) bool { return drop[id] == 0 })
		kinds := map[string]int{}
		for _, c := range Diff(a, b) {
			kinds[c.Kind]++
		}
		want := map[string]int{"node removed": 1}
		if n := len(a.Links) - len(b.Links); n > 0 {
			want["link removed"] = n
		}
		if d := gocmp.Diff(want, kinds); d != "" {
			t.Fatal(d)
		}
	})
}

// TestDiffWords pins order and wording.
func TestDiffWords(t *testing.T) {
	build := func() (*Fabric, NodeID, NodeID) {
		f := New("x")
		s := mustAdd(t, f, Switch, 1, 3, "s")
		u := mustAdd(t, f, Switch, 2, 3, "u")
		mustConnect(t, f, End{s, 1}, End{u, 1})
		return f, s, u
	}
	a, _, _ := build()
	b, s, u := build()
	mustAdd(t, b, CA, 0, 1, "h")
	b.Nodes[s].Ports[0].LID = 5
	b.Links[0].Speed = HDR
	mustConnect(t, b, End{u, 3}, End{s, 2})
	got := fmt.Sprint(Diff(a, b))
	want := `[node added: CA "h"` +
		` node changed: switch "s" (0x0000000000000001): port 0: GUID 0x0000000000000001 LID 0 LMC 0 -> port 0: GUID 0x0000000000000001 LID 5 LMC 0` +
		` link changed: switch "s" (0x0000000000000001)[1] - switch "u" (0x0000000000000002)[1]: 4xEDR -> 4xHDR` +
		` link added: switch "u" (0x0000000000000002)[3] - switch "s" (0x0000000000000001)[2]]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
