package layout

import (
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
)

// TestPods: every leaf is in the frame of its pod, or its box is the pod; the header counts them.
func TestPods(t *testing.T) {
	for _, c := range []struct {
		formula, text string
		pods, frames  int
	}{
		{"rlft(36,3)", "36 pods, each of 36 switches, 324 hosts.", 36, 36},
		{"rlft(8,3)", "8 pods, each of 8 switches, 16 hosts.", 8, 8},
		{"rail(8,32,32,spines=32,cores=4,up=7)", "32 pods, each of 8 switches, 256 host ports.", 32, 0},
		{"rlft(36,2)", "", 0, 0},
	} {
		p := Of(parse(t, c.formula), Options{})
		groups := map[string]bool{}
		for i := range p.Boxes {
			if b := &p.Boxes[i]; b.Role == "leaf" && b.Group != "" {
				groups[b.Group] = true
			}
		}
		if len(groups) != c.pods || len(p.Frames) != c.frames || !strings.Contains(strings.Join(p.Text, "|"), c.text) {
			t.Errorf("%s: %d pods, %d frames: %q", c.formula, len(groups), len(p.Frames), p.Text)
		}
		for _, f := range p.Frames {
			if !groups[f.Group] || f.Text == "" || !strings.HasPrefix(f.Title, f.Group+": ") {
				t.Errorf("%s: the frame %q says %q, of group %q", c.formula, f.Title, f.Text, f.Group)
			}
		}
	}
}

// TestBundlesAreCounted: lines of several cables have a label, or one label or sentence for all.
func TestBundlesAreCounted(t *testing.T) {
	for formula, want := range map[string]string{
		"rlft(36,3)": "each line: 324 cables", "rlft(8,2)": "", "pgft(2;3,4;1,2;1,2)": "×2", "hyperx(27x27,hosts=12)": "54 lines stand for 351 cables each.",
		"torus(6x6x6)": "×36",
	} {
		p := Of(parse(t, formula), Options{})
		found := want == ""
		for _, l := range p.Labels {
			found = found || l.Text == want
		}
		for _, text := range p.Text {
			found = found || text == want
		}
		if !found {
			t.Errorf("%s: nothing says %q: %q", formula, want, p.Text)
		}
	}
}

// TestNoNonsense: boxes of a grid say the number of hosts in full, or not at all.
func TestNoNonsense(t *testing.T) {
	for formula, want := range map[string]string{"hyperx(27x27,hosts=12)": "Each switch has 12 hosts.", "hyperx(9x9x9,hosts=4)": "Each switch has 4 hosts.", "torus(4x4)": ""} {
		p := Of(parse(t, formula), Options{})
		for i := range p.Boxes {
			if text := strings.Join(p.Boxes[i].Text, "|"); strings.Contains(text, "…") {
				t.Fatalf("%s: a box says %q", formula, text)
			}
		}
		if !strings.Contains(strings.Join(p.Text, "|"), want) {
			t.Errorf("%s: the header is %q", formula, p.Text)
		}
	}
}

// TestDragonflyIsFolded: one line stands for the cables between many groups; failed cables have
// lines of their own.
func TestDragonflyIsFolded(t *testing.T) {
	p := Of(parse(t, "dragonfly(12,6,6)"), Options{})
	if len(p.Lines) != 1 || p.Lines[0].Cables != 73*72/2 || len(p.Boxes) != 73 {
		t.Errorf("%d lines, %d boxes", len(p.Lines), len(p.Boxes))
	}
	p = Of(parse(t, "dragonfly(12,6,6)|fail(links=40,seed=1)"), Options{})
	failed, inside := 0, 0
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Class == classFailed {
			if failed += l.Cables; len(l.Path) > 4 {
				t.Errorf("%q is drawn on the circle", l.Title)
			}
		}
	}
	for _, l := range p.Labels {
		var n int
		if _, err := fmt.Sscanf(l.Text, "inside: %d failed", &n); err == nil {
			inside += n
		}
	}
	if failed == 0 || inside == 0 || failed+inside != 40 || failed != len(p.Lines)-1 {
		t.Errorf("%d failed cables and %d inside boxes, %d lines", failed, inside, len(p.Lines))
	}
}

// TestRandomIsNotMerged: switches share a box only if too many have none of their own; then a box
// holds those at one distance.
func TestRandomIsNotMerged(t *testing.T) {
	p := Of(parse(t, "random(switches=400,hosts=2,links=900,seed=1)"), Options{})
	if len(p.Boxes) != 400 {
		t.Errorf("%d boxes", len(p.Boxes))
	}
	p = Of(parse(t, "random(switches=900,hosts=1,links=2700,seed=1)"), Options{})
	for _, l := range p.Lines {
		if l.Path[0].X != l.Path[1].X {
			t.Errorf("%q skips a distance", l.Title)
		}
	}
	if len(p.Lines) != len(p.Boxes)-1 {
		t.Errorf("%d lines between %d distances", len(p.Lines), len(p.Boxes))
	}
}

// TestHottest: the few hottest cables are the last lines, with their loads, even where one line
// stands for many; none stands out if all loads are equal.
func TestHottest(t *testing.T) {
	for _, formula := range []string{"rlft(12,2)", "hyperx(9x9)", "fullmesh(150)", "torus(8x8)"} {
		f := parse(t, formula)
		g := f.Compile()
		loads := make([]float64, g.NumChannels)
		for c := range loads {
			loads[c] = 10
		}
		equal := Of(f, Options{Loads: loads})
		for i := range equal.Lines {
			if l := &equal.Lines[i]; l.Class == classHottest {
				t.Errorf("%s: %q stands out", formula, l.Title)
			}
		}
		busiest := g.NumChannels / 2
		loads[busiest] = 1234
		p := Of(f, Options{Loads: loads})
		last := &p.Lines[len(p.Lines)-1]
		labels := 0
		for _, l := range p.Labels {
			if l.Text == "1,234" {
				labels++
			}
		}
		if last.Class != classHottest || len(last.Path) > 4 || labels != 1 {
			t.Errorf("%s: the last line is %q of class %s, with %d labels", formula, last.Title, last.Class, labels)
		}
	}
}

// TestLacking: missing cables to unknown ends are drawn at their switch and counted.
func TestLacking(t *testing.T) {
	f := parse(t, "rlft(12,2)")
	p := Of(f, Options{Lacking: map[fabric.GUID]int{f.Nodes[0].GUID: 3}})
	last := &p.Lines[len(p.Lines)-1]
	label := &p.Labels[len(p.Labels)-1]
	if last.Class != classMissing || last.Cables != 3 || label.Text != "3 missing" || label.Mark != Missing || !strings.Contains(p.Text[0], "3 cables missing") {
		t.Errorf("the last line is %q, the label %q: %s", last.Title, label.Text, p.Text[0])
	}
}
