package drawing

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/netfiletest"
	"weft/fabric/netfile/tables"
	"weft/internal/draws"
	"weft/internal/peer"
)

// orcsSample has what the scripts around ORCS write and what Graphviz makes of it.
const orcsSample = `/* LID: 1 is assigned
   to GUID: 0x1 */
# 1 "preprocessed"
strict digraph network { // a name may be missing
	graph [rankdir=LR]; node [label="\N"]; edge [comment=""];
	overlap=false
	"S-00000000000000a1" -> "00000000000000a2" [ key="00000000000000a1:port-03 to 00000000000000a2", comment="H0000000000000002" ];
	"00000000000000a2" -> "S-00000000000000a1" [ key="00000000000000a2:port-09 to 00000000000000a1", comment="H0000000000\
000001, H03" ];
	"S-00000000000000a1" -> spine -> "S-00000000000000a1" [comment="*"];
	spine -> "00000000000000a2"; "00000000000000a2" -> spine
	H0000000000000001 -> "S-00000000000000a1" [comment="*"]
	"S-00000000000000a1" -> H0000000000000001 [comment="H0000000000000001", weight=2; color = red]
	H03 -> "S-00000000000000a1" [comment="*"]
	"S-00000000000000a1" -> H03 [comment="H03"][taillabel="7"]
	"H0000000000000002" -> "00000000000000a2" [comment="*"]
	"00000000000000a2" -> "H0000000000000002" [comment="H0000000000000002"]
	"H0000000000000002" [label="host \"two\" \\ \l"]
}
`

func TestReadORCS(t *testing.T) {
	f, warnings, err := ReadORCSNetwork("sample", []byte(orcsSample))
	if err != nil {
		t.Fatal(err)
	}
	netfiletest.CheckFabric(t, f)
	if len(f.Nodes) != 6 || len(f.Links) != 6 || len(warnings) > 0 {
		t.Errorf("%d nodes, %d links, warnings %v; want 6, 6 and none", len(f.Nodes), len(f.Links), warnings)
	}
	g := f.Compile()
	if got := g.SwitchGUID; !slices.Equal(got, []fabric.GUID{0xa1, 0xa2, 0x200000}) {
		t.Errorf("switches %v", got)
	}
	if got := g.EndDesc[:3]; !slices.Equal(got, []string{"H0000000000000001", `host "two" \ \l`, "H03"}) {
		t.Errorf("hosts %q", got)
	}
	if got := g.EndLID; !slices.Equal(got, []fabric.LID{1, 2, 3, 0, 0, 0}) {
		t.Errorf("LIDs %v", got)
	}
	l, odd, err := ReadORCSTables("sample", []byte(orcsSample))
	if err != nil {
		t.Fatal(err)
	}
	if len(odd) != 2 || odd[0].Line != 13 || odd[1].Line != 15 {
		t.Errorf("odd, after an edge with *: %v", odd)
	}
	// Ports of a1: 3 to a2 and 7 to H03 are given, 1 goes to spine, 2 to H1. The edges to and from
	// spine have *: the one from a1 takes what no earlier edge takes.
	want := map[fabric.GUID][]uint8{0xa1: {255, 1, 3, 1}, 0xa2: {255, 9, 2, 9}, 0x200000: {255, 1, 1, 1}}
	for _, s := range l.Switches {
		if !slices.Equal(s.Ports, want[s.GUID]) {
			t.Errorf("switch %s: %v, want %v", s.GUID, s.Ports, want[s.GUID])
		}
		delete(want, s.GUID)
	}
	if len(want) > 0 {
		t.Errorf("no tables of %v", want)
	}
}

func TestORCSOddities(t *testing.T) {
	const graph = `digraph {
		H1 -> a [comment="H2"]
		a -> H1 [comment="H1,H9"]
		H2 -> a
		a -> H2 [comment="H2 H1"]
	}`
	_, odd, err := ReadORCSTables("odd", []byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range odd {
		got = append(got, w.String())
	}
	want := []string{
		`odd:2: the edge out of host "H1" does not take all traffic: taken for *`,
		`odd:3: traffic for "H9", which is no host of this graph, is left out`,
		`odd:5: host "H1" is on two edges out of "a": the first is taken`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

var badORCS = []struct{ data, want string }{
	{"digraph {\n" + strings.Repeat("A -> B;\n", 255) + "}", "bad:256: more than 254 edges out of \"A\": a port is one"},
	{"digraph", "bad:1: want {, not the end of the file"},
	{"digraph {", "bad:1: want a node or an edge, not the end of the file"},
	{"digraph {\n}\n}", "bad:3: } after the end of the graph"},
	{"strict graph {}", "bad:1: want digraph, not \"graph\""},
	{"digraph {}", "bad: no nodes in this file"},
	{"digraph {\na -- b\n}", "bad:2: -- in a directed graph: want ->"},
	{"digraph {\na:1 -> b\n}", "bad:2: ports of nodes are not read"},
	{"digraph {\na -> b:1\n}", "bad:2: ports of nodes are not read"},
	{"digraph {\nsubgraph x { a }\n}", "bad:2: subgraphs are not read"},
	{"digraph {\n{ a }\n}", "bad:2: subgraphs are not read"},
	{"digraph {\na -> { b c }\n}", "bad:2: want a node after ->, not {"},
	{"digraph {\na [label=<b>x</b>]\n}", "bad:2: HTML strings are not supported"},
	{"digraph {\na [label]\n}", "bad:2: want =, not ]"},
	{"digraph {\na [label=]\n}", "bad:2: want a value, not ]"},
	{"digraph {\na [=x]\n}", "bad:2: want an attribute, not ="},
	{"digraph {\na -> b [comment=\"H1\n}\n", "bad:2: this string has no end"},
	{"digraph {\n/* a\n}\n", "bad:2: this comment has no end"},
	{"digraph {\na @ b\n}\n", "bad:2: '@' is not valid in Graphviz's language"},
	{"digraph {\na -> b\nb -> a\na -> b\n}", "bad:4: this edge from \"a\" to \"b\" has no edge back: a cable is two edges"},
	{"digraph {\na -> b [taillabel=1]\nb -> a\na -> c [taillabel=1]\nc -> a\n}", "bad:4: port 1 of \"a\" is on line 2 too"},
	{"digraph {\na -> b [taillabel=255]\nb -> a\n}", "bad:2: \"a\" has no port 255 (ports 1 to 254)"},
	{"digraph {\nH1 -> a -> H1\nH1 -> a -> H1\n}", "bad:3: host \"H1\" has a second cable: a host is one port"},
	{"digraph {\nH1 -> a -> H1\nH01 -> a -> H01\n}", "bad:3: \"H01\" (0x0000000000000001): this node GUID is used on line 2 too (by \"H1\")"},
}

func TestBadORCS(t *testing.T) {
	for _, c := range badORCS {
		_, _, _, _, err := readORCS("bad", []byte(c.data))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.data, err, c.want)
		}
	}
	if _, _, err := ReadORCSTables("bad", []byte("digraph { a -> b -> a }")); err == nil ||
		err.Error() != "bad: no routes in this graph: the edges out of its switches have no comments" {
		t.Errorf("got %v", err)
	}
}

// drawRouted draws a network with tables that mean nothing.
func drawRouted(t *rapid.T) (g *fabric.Graph, lids []fabric.LID, port func(s int32, lid fabric.LID) uint8) {
	g = netfiletest.AnyFabric(t).Compile()
	lids = make([]fabric.LID, g.NumEnds)
	for h := range g.NumHosts {
		if rapid.IntRange(0, 9).Draw(t, "nameless") > 0 {
			lids[h] = fabric.LID(h + 1)
		}
	}
	entries := rapid.SliceOfN(rapid.Uint8Range(0, 8), g.NumSwitches*(g.NumHosts+1), g.NumSwitches*(g.NumHosts+1)).Draw(t, "entries")
	return g, lids, func(s int32, lid fabric.LID) uint8 { return entries[int(s)*(g.NumHosts+1)+int(lid)] }
}

// sameRouted compares a written file with its source: channels, hosts with a LID, and the entries
// that send to them over an existing port.
func sameRouted(t rapid.TB, g *fabric.Graph, lids []fabric.LID, port func(s int32, lid fabric.LID) uint8, data []byte) {
	t.Helper()
	f, l, warnings, odd, err := readORCS("written", data)
	if g.NumSwitches == 0 {
		if err == nil {
			t.Fatal("nothing was read as something")
		}
		return
	}
	if err != nil || len(warnings)+len(odd) > 0 {
		t.Fatalf("%v, %v, %v", err, warnings, odd)
	}
	h := f.Compile()
	if !slices.Equal(g.SwitchGUID, h.SwitchGUID) || !slices.Equal(g.From, h.From) || !slices.Equal(g.To, h.To) ||
		!slices.Equal(g.FromPort, h.FromPort) || !slices.Equal(g.ToPort, h.ToPort) {
		t.Fatal("switches or channels differ")
	}
	at := map[fabric.GUID]int32{}
	for e := range int32(h.NumHosts) {
		at[h.EndGUID[e]] = e
	}
	named := 0
	for e := range int32(g.NumHosts) {
		if lids[e] == 0 {
			continue
		}
		named++
		r, ok := at[g.EndGUID[e]]
		if !ok || g.EndSwitch[e] != h.EndSwitch[r] || g.EndPort[e] != h.EndPort[r] {
			t.Fatalf("host %s is elsewhere", g.EndGUID[e])
		}
		for s := range int32(g.NumSwitches) {
			want, got := port(s, lids[e]), tables.NoPort
			if c, host := g.At(s, want); want == 0 || c < 0 && (host < 0 || lids[host] == 0) {
				want = tables.NoPort
			}
			if l != nil {
				for i := range l.Switches {
					if l.Switches[i].GUID == g.SwitchGUID[s] {
						got = l.Switches[i].Port(h.EndLID[r])
					}
				}
			}
			if got != want {
				t.Fatalf("switch %s sends to %s by port %d, want %d", g.SwitchGUID[s], g.EndGUID[e], got, want)
			}
		}
	}
	if named != h.NumHosts {
		t.Fatalf("%d hosts, want %d", h.NumHosts, named)
	}
}

func TestORCSRoundTrip(t *testing.T) {
	routed := 0
	draws.Check(t, func(t *rapid.T) {
		g, lids, port := drawRouted(t)
		var out bytes.Buffer
		if err := WriteORCS(&out, g, lids, port); err != nil {
			if strings.Contains(err.Error(), "cannot name a host") {
				return // AnyFabric gives ports of different nodes one GUID at times
			}
			t.Fatal(err)
		}
		sameRouted(t, g, lids, port, out.Bytes())
		if g.NumChannels > 0 && g.NumHosts > 0 {
			routed++
		}
	}, func() string {
		if routed == 0 {
			return "no network had routes"
		}
		return ""
	})
	t.Logf("%d networks with switch links and hosts", routed)
}

// TestORCSThroughGraphviz: what Graphviz makes of our file says the same.
func TestORCSThroughGraphviz(t *testing.T) {
	dot := peer.Program(t, "dot")
	f, _, err := discovery.ReadIBNetDiscover("net", examples.PSMNX5)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	lids := make([]fabric.LID, g.NumEnds)
	for h := range g.NumHosts {
		lids[h] = fabric.LID(h + 1)
	}
	port := func(s int32, lid fabric.LID) uint8 { return uint8(int(lid)+int(s))%36 + 1 }
	var out bytes.Buffer
	if err := WriteORCS(&out, g, lids, port); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), dot, "-Tcanon")
	cmd.Stdin = bytes.NewReader(out.Bytes())
	canon, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sameRouted(t, g, lids, port, out.Bytes())
	sameRouted(t, g, lids, port, canon)
}

func FuzzReadORCS(f *testing.F) {
	f.Add([]byte(orcsSample))
	for _, c := range badORCS {
		f.Add([]byte(c.data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, lfts, _, _, err := readORCS("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
		if err != nil || lfts == nil {
			return
		}
		g := fab.Compile()
		for i := range lfts.Switches {
			for lid, p := range lfts.Switches[i].Ports {
				if p == tables.NoPort {
					continue
				}
				s, ok := slices.BinarySearch(g.SwitchGUID, lfts.Switches[i].GUID)
				if !ok || int(p) >= int(g.SwitchPorts[s])+1 || p == 0 || lid == 0 || lid > len(lfts.Targets) {
					t.Fatalf("switch %s: LID %d goes out by port %d", lfts.Switches[i].GUID, lid, p)
				}
			}
		}
	})
}
