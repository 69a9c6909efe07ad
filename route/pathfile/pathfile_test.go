package pathfile_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/judge/conformance"
	"weft/route/pathfile"
	"weft/route/paths"
	"weft/route/routetest"
)

// text is a set as a P table.
func text(t interface{ Fatal(...any) }, set *paths.Set) string {
	var b bytes.Buffer
	if err := pathfile.Write(&b, set); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func graph(t interface{ Fatal(...any) }, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// TestRoundTrip: a set that was written is read as it was, whatever its network.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		a, err := paths.Find("updn-shortest")
		if err != nil {
			t.Fatal(err)
		}
		set, err := a.Compute(context.Background(), &paths.Input{Graph: g, Seed: rapid.Uint64().Draw(t, "seed"), Workers: 1, Root: -1})
		if err != nil {
			t.Fatal(err)
		}
		want := text(t, set)
		again, err := pathfile.Read("p", []byte(want), g)
		if set.NumPaths() == 0 {
			if err == nil {
				t.Fatal("a table without a path was read")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Validate(); err != nil || text(t, again) != want {
			t.Fatalf("%v: read as\n%s\nwant\n%s", err, text(t, again), want)
		}
	})
}

// TestSeveral: a pair may have several paths, the same one twice among them; lines may end as on
// other systems.
func TestSeveral(t *testing.T) {
	g := graph(t, "renaming-fig1")
	line := strings.Split(text(t, compute(t, g)), "\n")[1]
	set, err := pathfile.Read("p", []byte("# a note\n\n"+line+"\r\n"+line), g)
	if err != nil || set.NumPaths() != 2 || !slices.Equal(set.Ports(0), set.Ports(1)) {
		t.Fatal(set, err)
	}
}

func compute(t *testing.T, g *fabric.Graph) *paths.Set {
	t.Helper()
	a, err := paths.Find("updn-shortest")
	if err != nil {
		t.Fatal(err)
	}
	set, err := a.Compute(t.Context(), &paths.Input{Graph: g, Seed: 1, Workers: 1, Root: -1})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestBadTables: what is wrong is told with its line.
func TestBadTables(t *testing.T) {
	g := graph(t, "rlft(4,2,hosts=4)") // a host on port 1 of each leaf, leaf I at ports I+1 of both spines
	fill := strings.NewReplacer("|", "\t", "<A>", "leaf 0", "<B>", "leaf 1", "<C>", "spine 1")
	for _, c := range []struct{ table, want string }{
		{"", "p: the file has no path"},
		{"host 0", "p:1: want a source, a target and egress ports, separated by tabs"},
		{"# note\n\nhost 0|nobody", `p:3: target: no host is called "nobody"`},
		{"hosd 0|host 1", `p:1: source: no host is called "hosd 0": did you mean "host 0"?`},
		{"host 0|host 0", "p:1: host 0 is both source and target"},
		{"host 0[2]|host 1", `p:1: source: CA "host 0" (`},
		{"host 0|host 2", `p:1: the path ends at switch "<A>"`},
		{"host 0|host 2|<A>", `p:1: "<A>" is not a port: want SWITCH[PORT]`},
		{"host 0|host 2|<B>[1]", `p:1: the path is at switch "<A>"`},
		{"host 0|host 2|<A>[1]", `p:1: port 1 of switch "<A>"`},
		{"host 0|host 2|<A>[99999]", `p:1: port 99999 of switch "<A>"`},
		{"host 0|host 2|nowhere[3]", `p:1: no switch that is up is called "nowhere"`},
		{"host 0|host 1|<A>[4]|<C>[1]", `p:1: the path meets switch "<A>"`},
	} {
		_, err := pathfile.Read("p", []byte(fill.Replace(c.table)), g)
		if _, ok := errors.AsType[*netfile.Error](err); !ok || !strings.HasPrefix(err.Error(), fill.Replace(c.want)) {
			t.Errorf("%q: %v, want %s", c.table, err, fill.Replace(c.want))
		}
	}
}

func FuzzRead(f *testing.F) {
	g := graph(f, "rlft(4,2,hosts=4)")
	a, err := paths.Find("updn-shortest")
	if err != nil {
		f.Fatal(err)
	}
	set, err := a.Compute(context.Background(), &paths.Input{Graph: g, Workers: 1, Root: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text(f, set)))
	f.Add([]byte("host 0\thost 1[1]\t\"leaf 0\"[3]\n"))
	f.Add([]byte("[\t]\t[]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := pathfile.Read("p", data, g)
		if err != nil {
			if _, ok := errors.AsType[*netfile.Error](err); !ok {
				t.Fatal("no place:", err)
			}
			return
		}
		if err := set.Validate(); err != nil {
			t.Fatal(err)
		}
		again, err := pathfile.Read("p", []byte(text(t, set)), g)
		if err != nil || text(t, again) != text(t, set) {
			t.Fatal("written and read again it is another set", err)
		}
	})
}

// TestNoteLikeNames: a host whose description begins as a note does is written by its GUID, or its
// paths would not be read.
func TestNoteLikeNames(t *testing.T) {
	f := routetest.Line(t, 2, 1)
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			f.Nodes[i].Desc = "#" + f.Nodes[i].Desc
		}
	}
	g := f.Compile()
	b := paths.NewBuilder(g)
	b.Add(0, 1, g.OutOf(g.EndSwitch[0])[:1])
	file := text(t, routetest.Must(b.Build())(t))
	if set, err := pathfile.Read("paths", []byte(file), g); err != nil || set.NumPaths() != 1 {
		t.Errorf("%v, %v of\n%s", set, err, file)
	}
}
