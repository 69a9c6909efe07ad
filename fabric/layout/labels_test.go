package layout

import (
	"strings"
	"testing"

	"weft/fabric"
)

// TestLeafWithFewHosts: a switch with few hosts and few cables to switches without hosts is a leaf.
func TestLeafWithFewHosts(t *testing.T) {
	f := parse(t, "rlft(8,3)|radix(9)")
	leaf, err := f.AddNode(fabric.Switch, 0x77, 9, "small")
	if err != nil {
		t.Fatal(err)
	}
	host, err := f.AddNode(fabric.CA, 0x78, 1, "lone host")
	if err != nil {
		t.Fatal(err)
	}
	ends := []fabric.End{{Node: host, Port: 1}}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Desc == "middle 0" || n.Desc == "middle 5" {
			ends = append(ends, fabric.End{Node: fabric.NodeID(i), Port: 9})
		}
	}
	for i, e := range ends {
		if _, err := f.Connect(e, fabric.End{Node: leaf, Port: uint8(1 + i)}, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	p := Of(f, Options{})
	for i := range p.Boxes {
		if b := &p.Boxes[i]; strings.HasPrefix(b.Title, "small") && b.Role == "leaf" {
			return
		}
	}
	t.Error("the switch is not drawn among the leaves")
}

// TestGridLabels: a switch has the coordinates within its slice, and the slice the others.
func TestGridLabels(t *testing.T) {
	for formula, want := range map[string][2]string{"torus(8x8x8)": {"7,6", "z = 3"}, "hypercube(8)": {"1,0", "(·,·,1,1,0,1,0,0)"}} {
		p := Of(parse(t, formula), Options{})
		boxes, frames := 0, 0
		for i := range p.Boxes {
			if p.Boxes[i].Text[0] == want[0] {
				boxes++
			}
		}
		for _, f := range p.Frames {
			if f.Text == want[1] {
				frames++
			}
		}
		if boxes != len(p.Frames) || frames != 1 {
			t.Errorf("%s: %d boxes %s, %d of %d frames %s", formula, boxes, want[0], frames, len(p.Frames), want[1])
		}
	}
}

// TestNamesOutside: boxes on a circle that are too small for text have their names outside.
func TestNamesOutside(t *testing.T) {
	for formula, want := range map[string][2]string{
		"dragonfly(12,6,6,groups=60)": {"group 0", "group 59"}, "dragonfly(12,8,12,groups=144)": {"group 0 – 1", "group 142 – 143"},
		"fullmesh(250)": {"(0) – (5)", "(246) – (249)"}, "slimfly(29)": {"(0,0,·)", "(1,28,·)"},
	} {
		p := Of(parse(t, formula), Options{})
		labels := map[string]bool{}
		for _, l := range p.Labels {
			labels[l.Text] = true
		}
		if p.Kind != Ring || len(p.Labels) < len(p.Boxes) || !labels[want[0]] || !labels[want[1]] || p.Width > 1700 {
			t.Errorf("%s: %d labels of %d boxes, %.0f wide: %v", formula, len(p.Labels), len(p.Boxes), p.Width, labels)
		}
	}
}
