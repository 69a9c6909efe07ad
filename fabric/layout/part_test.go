package layout

import (
	"strings"
	"testing"

	"weft/fabric/gen"
)

// A pod alone has each of its switches and cables, and says how many cables leave it. A switch that
// stands alone gives the whole picture.
func TestAround(t *testing.T) {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		t.Fatal(err)
	}
	at, err := f.FindPlace("leaf 20")
	if err != nil {
		t.Fatal(err)
	}
	whole := Of(f, Options{})
	p := Of(f, Options{Around: f.Nodes[at.Node].GUID})
	switches, cables := 0, 0
	for i := range p.Boxes {
		switches += p.Boxes[i].Switches
		cables += len(p.Boxes[i].Inside)
	}
	for i := range p.Lines {
		cables += len(p.Lines[i].Links)
	}
	if switches != 36 || cables != 18*18 || len(p.Boxes) != 36 || !strings.Contains(p.Title, "pod 2") {
		t.Errorf("%q: %d boxes of %d switches, %d cables", p.Title, len(p.Boxes), switches, cables)
	}
	if text := strings.Join(p.Text, " "); !strings.Contains(text, "324 cables lead to the rest") {
		t.Errorf("%q", text)
	}
	if q := Of(f, Options{Around: 1}); len(q.Boxes) != len(whole.Boxes) {
		t.Errorf("around nothing: %d boxes, want %d", len(q.Boxes), len(whole.Boxes))
	}
}

// Every line has the class of the kinds of its cables, which the legend names.
func TestColoursOfKinds(t *testing.T) {
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	names := []string{"slow", "fast"}
	lanes := make([]uint16, g.NumChannels)
	kinds := map[string]string{}
	for c := range lanes {
		lanes[c] = 1 << (c / 2 % 2)
		kinds[cableName(g.SwitchGUID[g.From[c]], g.FromPort[c])] = names[c/2%2]
	}
	p := Of(f, Options{Lanes: lanes, Names: names, Unit: "pace"})
	says := map[Class]string{}
	for _, e := range p.Legend {
		says[e.Class] = e.Text
	}
	if says[""] != "pace:" {
		t.Errorf("legend: %v", p.Legend)
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		if want := kinds[l.Links[0]]; says[l.Class] != want || !strings.Contains(l.Title, want) {
			t.Errorf("%q: %q, want %q", l.Title, says[l.Class], want)
		}
	}
}
