package hostlist

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCompress: names become ranges.
func TestCompress(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"node1 node2 node3 node4 node7", "node[1-4,7]"},
		{"node10 node9 node8 a node9", "a,node[8-10]"},
		{"n08 n09 n10 n100 n8", "n[8,08-10,100]"},
		{"n1", "n1"},
		{"n n1 n2", "n,n[1-2]"},
		{"a1-2 a1-3 x", "a1-[2-3],x"},
		{"h99999999999999999999 h99999999999999999998", "h99999999999999999998,h99999999999999999999"},
		{"", ""},
	} {
		if got := Compress(strings.Fields(c.names)); got != c.want {
			t.Errorf("%s: %s, want %s", c.names, got, c.want)
		}
	}
}

// TestCompressExpands: what Compress writes is what Expand reads.
func TestCompressExpands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[ab]?-?0{0,2}[0-9]{0,3}[c]?[0-9]{0,2}`)).Draw(t, "names")
		names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
		list := Compress(names)
		if len(names) == 0 {
			return
		}
		got, err := Expand(list)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		slices.Sort(got)
		if want := slices.Compact(names); !slices.Equal(want, got) {
			t.Fatalf("%s expands to %q, want %q", list, got, want)
		}
	})
}

// TestExpand: node lists as Slurm writes them.
func TestExpand(t *testing.T) {
	for text, want := range map[string]string{
		"n1":                 "n1",
		"n[001-003,010]":     "n001 n002 n003 n010",
		"a[9-11],b2":         "a9 a10 a11 b2",
		"r[1-2]n[08-09]":     "r1n08 r1n09 r2n08 r2n09",
		"r[1-2]c[3]s4,login": "r1c3s4 r2c3s4 login",
		"":                   "",
		"n[1-2":              "",
		"n1-2]":              "",
		"n[[1]]":             "",
		"n[2-1]":             "",
		"n[a-b]":             "",
		"n[]":                "",
		"a,,b":               "",
		"n[0-9999999]":       "",
		"n[1-2000]x[1-2000]": "",
		"n[1-99999999999]":   "",

		strings.Repeat("a,", MostNodes+1) + "n[0-4294967295]": "",
	} {
		got, err := Expand(text)
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// FuzzExpand: no list takes all memory or ends the program, and each name comes without brackets.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"n[001-004,010]", "r[1-2]n[1-4],x", "n[", "a,[1]", "n[1-9000]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := Expand(text)
		if err == nil && (len(nodes) == 0 || len(nodes) > MostNodes) {
			t.Errorf("%q: %d nodes", text, len(nodes))
		}
	})
}
