package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/route"
)

func TestChain(t *testing.T) {
	for list, want := range map[string]string{
		"updn": "updn", "dor, updn": "dor updn", "all": allNames(), "auto": "auto", "dor, auto": "dor auto",
	} {
		chain, err := Parse(list, nil)
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		var names []string
		for _, s := range chain {
			names = append(names, s.Engine.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
	for _, list := range []string{"", "nosuch", "updn,", "updn,nosuch", "updn,none", "auto,roots=x"} {
		if _, err := Parse(list, nil); err == nil {
			t.Errorf("chain %q is accepted", list)
		}
	}
}

// allNames are the names of all engines.
func allNames() string {
	var names []string
	for _, s := range All() {
		if !s.PaperOnly {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}

// Options behind an engine are its own; those beside the chain go to whoever has them.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		list    string
		options []string
		want    string // engines with their options, or a part of the error
	}{
		{"ftree,switches=none,updn", nil, "ftree,switches=none updn"},
		{"ftree, switches=none , updn , roots=a;b", nil, "ftree,switches=none updn,roots=a;b"},
		{"ftree,updn", []string{"switches=none", "updn.roots=a;b"}, "ftree,switches=none updn,roots=a;b"},
		{"ftree,switches=none", []string{"switches=all"}, "ftree,switches=all"},
		{"sssp,dfsssp", []string{"passes=2"}, "sssp,passes=2 dfsssp,passes=2"},
		{"sssp,dfsssp", []string{"dfsssp.passes=2"}, "sssp dfsssp,passes=2"},
		{"switches=none,ftree", nil, "option switches=none has no engine before it"},
		{"ftree,color=red", nil, `engine ftree has no option "color"`},
		{"nue+color-l", []string{"nue.vls=2", "color-l.degree=shrinking"}, "nue+color-l,degree=shrinking,vls=2"},
		{"srd+color-l", []string{"goal=k"}, "none of the named engines has it; it goes with --names exact, --names ilp (weft"},
		{"auto+color-l", nil, "; and the engines minhop, updn, "},
		{"ftree", []string{"color=red"}, "option color=red: none of the named engines has it"},
		{"ftree,sssp", []string{"ftree.passes=2"}, "option ftree.passes=2: none of the named engines has it"},
		{"ftree", []string{"switches"}, `option "switches" is not NAME=VALUE`},
		{"sssp,passes=many", nil, `"many" is not a whole number`},
	} {
		chain, err := Parse(c.list, c.options)
		var words []string
		for _, step := range chain {
			words = append(words, asWritten(step))
		}
		if got := strings.Join(words, " "); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %s, %v; want %s", c.list, c.options, got, err, c.want)
		}
	}
}

// asWritten writes an engine with its options as Parse reads it.
func asWritten(s route.Step) string {
	parts := []string{s.Engine.Name}
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		parts = append(parts, name+"="+s.Options[name])
	}
	return strings.Join(parts, ",")
}
