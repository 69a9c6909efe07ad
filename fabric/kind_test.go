package fabric

import (
	"path"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKindsOf: the first rule that names a host counts, whatever its form; the kinds are in
// order of their size, and every host has one.
func TestKindsOf(t *testing.T) {
	f := New("test")
	s, err := f.AddNode(Switch, 1, 9, "switch")
	if err != nil {
		t.Fatal(err)
	}
	for i, desc := range []string{"n1", "n2", "oss1 HCA-1", "oss2 HCA-1", "mds[1]", "n3", "odd", AggregationCaption} {
		id, err := f.AddNode(CA, GUID(16*(i+1)), 1, desc)
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].Ports[1].GUID = GUID(16*(i+1) + 1)
		if _, err := f.Connect(End{s, uint8(i + 1)}, End{id, 1}, 4, HDR); err != nil {
			t.Fatal(err)
		}
	}
	g := f.Compile()
	k, err := KindsOf(g, []KindRule{
		{"io", "oss*"}, {"compute", "n?"}, {"none", "x*"}, {"io", DescPattern("mds[1]")}, {"compute", "0x71"}, {"compute", "0x30"},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Node 0x30 is oss1, of the first rule; port 0x71 is odd; the aggregation node does not count.
	if want := []string{"io", "compute"}; !slices.Equal(k.Names, want) || !slices.Equal(k.None, []string{"none"}) {
		t.Errorf("kinds %q, without hosts %q", k.Names, k.None)
	}
	if want := []uint8{2, 2, 1, 1, 1, 2, 2, 1}; !slices.Equal(k.Of, want) {
		t.Errorf("%v, want %v", k.Of, want)
	}
	if k, err := KindsOf(g, nil); err != nil || len(k.Names) != 1 {
		t.Errorf("without rules: %v, %v", k, err)
	}
	many := make([]KindRule, MaxKinds)
	for i := range many {
		many[i] = KindRule{string(rune('A' + i)), "x"}
	}
	if _, err := KindsOf(g, many); err == nil {
		t.Error("too many kinds are taken")
	}
}

func TestParseKindRule(t *testing.T) {
	if r, err := ParseKindRule("io=a=b*"); err != nil || r != (KindRule{"io", "a=b*"}) || r.String() != "io=a=b*" {
		t.Errorf("%v, %v", r, err)
	}
	for _, text := range []string{"", "io", "=x", "io=", "io=[a"} {
		if _, err := ParseKindRule(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestDescPattern: the pattern of a description fits that one and nothing else.
func TestDescPattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune(`ab*?[]\-^`)), 0, 5, -1)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if ok, err := path.Match(DescPattern(a), b); err != nil || ok != (a == b) {
			t.Fatalf("%q by %q: %v, %v", b, DescPattern(a), ok, err)
		}
	})
}
