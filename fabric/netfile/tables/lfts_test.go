package tables

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

func mustReadLFTs(t testing.TB, name string, data []byte) (*LFTs, []lines.Warning) {
	t.Helper()
	l, warnings, err := ReadLFTs(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return l, warnings
}

// bare is the tables alone: ports by switch GUID up to the last entry.
func bare(l *LFTs) map[fabric.GUID][]uint8 {
	m := map[fabric.GUID][]uint8{}
	for i := range l.Switches {
		s := &l.Switches[i]
		m[s.GUID] = slices.Clone(growTo(slices.Clone(s.Ports), 1)[:s.top()+1])
	}
	return m
}

func TestReadLFTsSamples(t *testing.T) {
	leafOne := fabric.GUID(0x10000001)
	for _, c := range []struct {
		file              string
		switches, entries int
		targets, warnings int
		lid               fabric.LID
		desc              string
		ports             []uint8
	}{
		{"opensm-lfts.dump", 4, 32, 8, 0, 2, "leaf one", []uint8{255, 1, 0, 5, 7, 7, 2, 6, 5}},
		{"dfsssp.osmdump", 4, 32, 8, 0, 2, "", []uint8{255, 1, 0, 5, 7, 7, 2, 6, 5}},
		{"lmc1.dump_fts", 4, 48, 12, 1, 1, "leaf one", []uint8{255, 0, 5, 255, 1, 1, 7, 7, 2, 2, 5, 6, 5, 6}},
		{"lmc1.fdbs", 4, 48, 0, 0, 1, "", []uint8{255, 0, 5, 255, 1, 1, 7, 7, 2, 2, 5, 6, 5, 6}},
		{"detour.fdbs", 4, 32, 0, 0, 1, "", []uint8{255, 0, 5, 1, 5, 7, 2, 6, 5}},
		{"detour.dump_fts-a", 4, 32, 8, 0, 1, "leaf one", []uint8{255, 0, 5, 1, 5, 7, 2, 6, 5}},
	} {
		t.Run(c.file, func(t *testing.T) {
			l, warnings := mustReadLFTs(t, c.file, netfiletest.Sample(t, c.file))
			entries := 0
			for i := range l.Switches {
				entries += l.Switches[i].Entries()
			}
			if len(l.Switches) != c.switches || entries != c.entries || len(l.Targets) != c.targets || len(warnings) != c.warnings {
				t.Errorf("%d switches, %d entries, %d targets, warnings %v; want %d, %d, %d and %d warnings",
					len(l.Switches), entries, len(l.Targets), warnings, c.switches, c.entries, c.targets, c.warnings)
			}
			i := slices.IndexFunc(l.Switches, func(s SwitchLFT) bool { return s.GUID == leafOne })
			s := &l.Switches[i]
			if s.LID != c.lid || s.Desc != c.desc || !slices.Equal(s.Ports, c.ports) {
				t.Errorf("leaf one: LID %d %q %v; want %d %q %v", s.LID, s.Desc, s.Ports, c.lid, c.desc, c.ports)
			}
		})
	}
}

func TestReadLFTsTargets(t *testing.T) {
	l, _ := mustReadLFTs(t, "x", netfiletest.Sample(t, "lmc1.dump_fts"))
	want := Target{LID: 9, GUID: 0x20000012, Type: fabric.CA, Desc: "node2 HCA-1"}
	if got := l.target(9); got == nil || *got != want {
		t.Errorf("LID 9 (second LID of a port) is %+v, want %+v", got, want)
	}
	if got := l.target(3); got != nil {
		t.Errorf("LID 3 is %+v, want nothing", got)
	}
}

func TestReadLFTsDetour(t *testing.T) {
	l, _ := mustReadLFTs(t, "x", netfiletest.Sample(t, "detour.fdbs"))
	k := l.Switches[0].Claims
	if k.Hops[4] != 2 || k.Best[4] != 1 || k.BestVia[4] != 7 || k.Hops[5] != 2 || k.Best[5] != 2 || k.BestVia[5] != NoPort {
		t.Errorf("LIDs 4 and 5: hops %v best %v via %v", k.Hops[4:6], k.Best[4:6], k.BestVia[4:6])
	}
}

// Both writers of real tools and ours must say the same of the same tables.
func TestWriteLFTsLikeTheTools(t *testing.T) {
	for _, c := range []struct {
		file  string
		write func(*LFTs) string
	}{
		{"opensm-lfts.dump", func(l *LFTs) string {
			return netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteOpenSMLFTs(b, l) })
		}},
		{"lmc1.fdbs", func(l *LFTs) string {
			return netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteFDBs(b, l) })
		}},
		{"detour.fdbs", func(l *LFTs) string {
			return netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteFDBs(b, l) })
		}},
		{"lmc1.dump_fts", func(l *LFTs) string {
			return netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteDumpLFTs(b, l) })
		}},
	} {
		data := netfiletest.Sample(t, c.file)
		l, _ := mustReadLFTs(t, c.file, data)
		want := string(data)
		if c.file == "lmc1.dump_fts" { // the header names a LID instead of a path
			_, want, _ = strings.Cut(want, "\n")
			want = strings.NewReplacer("DR path slid 0; dlid 0; 0,7,3", "Lid 7", "DR path slid 0; dlid 0; 0,7", "Lid 6",
				"DR path slid 0; dlid 0; 0,5", "Lid 2", "DR path slid 0; dlid 0; 0", "Lid 1").Replace(want)
		}
		if d := cmp.Diff(want, c.write(l)); d != "" {
			t.Errorf("%s: the tool's file (-) and ours (+):\n%s", c.file, d)
		}
	}
}

func TestReadLFTsSwlab(t *testing.T) {
	l, warnings := mustReadLFTs(t, "swlab.fdbs", examples.SwlabTables)
	hops, entries := map[uint8]int{}, 0
	for i := range l.Switches {
		s := &l.Switches[i]
		entries += s.Entries()
		for lid, port := range s.Ports {
			if port != NoPort {
				hops[s.Claims.Hops[lid]]++
			}
		}
	}
	want := map[uint8]int{0: 62, 1: 341, 2: 839, 3: 1572, 4: 1100, 5: 96, 6: 20}
	if len(l.Switches) != 62 || entries != 4030 || len(warnings) != 0 || !cmp.Equal(hops, want) {
		t.Errorf("%d switches, %d entries, hops %v, warnings %v", len(l.Switches), entries, hops, warnings)
	}
	if l.Switches[0].LID != 2 {
		t.Errorf("switch 0 has LID %d, want 2", l.Switches[0].LID)
	}
	if got := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteFDBs(b, l) }); got != strings.ReplaceAll(string(examples.SwlabTables), "\n\n", "\n") {
		t.Error("written again, the file differs")
	}
}

func TestReadLFTsBadInput(t *testing.T) {
	const sw = "Unicast lids [0x0-0x3] of switch Lid 2 guid 0x0000000000000007 (a):\n"
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "f: no forwarding table in this file"},
		{"not a table", "hello\n", `f:1: not a line of a forwarding table: "hello"`},
		{"entry first", "0x0001 001\n", "f:1: an entry before the first switch"},
		{"no guid", "Unicast lids [0x0-0x3] of switch Lid 2\n", "f:1: no switch GUID in the header of a table"},
		{"bad guid", "Unicast lids [0x0-0x3] of switch Lid 2 guid 0xg (a):\n", "f:1: the switch GUID in the header of a table is not hexadecimal"},
		{"bad lid", "Unicast lids [0x0-0x3] of switch Lid 50000 guid 0x7 (a):\n", `f:1: "50000" is not a unicast LID`},
		{"switch twice", sw + "0x0001 001\n1 valid lids dumped\n" + sw, "f:4: switch 0x0000000000000007 is listed twice (first on line 1)"},
		{"lid too big", sw + "0xc000 001\n", `f:2: "0xc000" is not a unicast LID`},
		{"lid twice", sw + "0x0001 001\n0x0001 002\n", "f:3: LID 0x0001 does not follow LID 0x0001: a table lists each LID once, in order"},
		{"port too big", sw + "0x0001 256\n", `f:2: "256" is not a port (0 to 255)`},
		{"port missing", sw + "0x0001\n", `f:2: "" is not a port (0 to 255)`},
		{"count", sw + "0x0001 001\n2 valid lids dumped\n", `f:3: "2 valid lids dumped", but 1 entries are listed since line 1`},
		{"opensm count", strings.Replace(sw, "0x0-0x3", "0-3", 1) + "0x0003 001\n2 lids dumped\n", `f:3: "2 lids dumped", but LID 0x0003 is listed since line 1`},
		{"footer first", "2 lids dumped\n", "f:1: the end of a table before its beginning"},
		{"multicast", "Multicast mlids [0xc000-0xc003] of switch Lid 2 guid 0x7 (a):\n", "f:1: a multicast table: only unicast tables are read"},
		{"failed query", sw + "SubnGet(LFT) failed on switch 'a'\n", "f:2: this dump is incomplete: SubnGet(LFT) failed on switch 'a'"},
		{"fdbs guid", "dump_ucast_routes: Switch x\n", `f:1: "x" is not a switch GUID`},
		{"fdbs fields", "dump_ucast_routes: Switch 0x7\n0x0001 : 005\n", `f:2: an entry is "LID : port : hops : optimal" or "LID : UNREACHABLE"`},
		{"fdbs hops", "dump_ucast_routes: Switch 0x7\n0x0001 : 005 : 255 : yes\n", `f:2: "255" is not a number of hops (0 to 254)`},
		{"fdbs optimal", "dump_ucast_routes: Switch 0x7\n0x0001 : 005 : 02 : maybe\n", `f:2: optimal is "maybe" (want yes or No)`},
		{"fdbs better", "dump_ucast_routes: Switch 0x7\n0x0001 : 005 : 02 : No way\n", `f:2: optimal is "No way" (want "No N hop path possible via port P!")`},
		{"compact odd", "S 0x0001 0x7 ff0\n", "f:1: 3 digits of a table: want two a LID, for LIDs up to 0xbfff"},
		{"compact digit", "S 0x0001 0x7 ff0g\n", `f:1: "0g" is not a port in hexadecimal`},
		{"compact lid", "S 0x0000 0x7 ff\n", `f:1: want S, unicast LID and GUID, not "0x0000" "0x7"`},
	} {
		_, _, err := ReadLFTs("f", []byte(c.in))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestReadLFTsWarnings(t *testing.T) {
	_, w := mustReadLFTs(t, "f", []byte("ibwarn: [1] hello\nUnicast lids [0x0-0x3] of switch Lid 2 guid 0x7 (a):\r\n0x0001 001 \r\n"))
	want := []string{
		`f:1: not part of a forwarding table: "ibwarn: [1] hello"`,
		`f:2: the table of switch 0x0000000000000007 has no line "lids dumped" at its end: the file may be cut off`,
	}
	var got []string
	for _, x := range w {
		got = append(got, x.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

// anyLFTs are random tables. Descriptions may hold what the formats use as marks.
func anyLFTs(t *rapid.T) *LFTs {
	var l LFTs
	desc := rapid.OneOf(rapid.StringMatching(`([a-z0-9'"():#&;/ ]{0,20}[a-z)('"])?`), rapid.Just("Küche \xff"))
	for i, lid := range rapid.SliceOfNDistinct(rapid.Uint16Range(1, 60), 1, 12, rapid.ID).Draw(t, "lids") {
		l.Targets = append(l.Targets, Target{
			LID: fabric.LID(lid), GUID: fabric.GUID(0x100 + i),
			Type: rapid.SampledFrom([]fabric.NodeType{fabric.CA, fabric.Switch, fabric.Router}).Draw(t, "type"),
			Desc: desc.Draw(t, "desc"),
		})
	}
	slices.SortFunc(l.Targets, func(a, b Target) int { return int(a.LID) - int(b.LID) })
	for i := range rapid.IntRange(1, 5).Draw(t, "switches") {
		s := SwitchLFT{GUID: fabric.GUID(i + 1), LID: fabric.LID(i + 100), Desc: desc.Draw(t, "switch")}
		for _, x := range l.Targets {
			s.Set(x.LID, rapid.Uint8Range(1, 254).Draw(t, "port"))
		}
		l.Switches = append(l.Switches, s)
	}
	return &l
}

func TestLFTsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLFTs(t)
		for name, write := range map[string]func(*bytes.Buffer) error{
			"dump_fts": func(b *bytes.Buffer) error { return WriteDumpLFTs(b, l) },
			"opensm":   func(b *bytes.Buffer) error { return WriteOpenSMLFTs(b, l) },
		} {
			text := netfiletest.Written(t, write)
			got, warnings, err := ReadLFTs("f", []byte(text))
			if err != nil || len(warnings) > 0 {
				t.Fatalf("%s: %v %v\n%s", name, err, warnings, text)
			}
			if d := cmp.Diff(l, got); d != "" {
				t.Fatalf("%s: %s\n%s", name, d, text)
			}
		}
	})
}

func TestFDBsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l LFTs
		for i := range rapid.IntRange(1, 4).Draw(t, "switches") {
			s := SwitchLFT{GUID: fabric.GUID(i + 1), Claims: &Claims{}}
			for lid := range fabric.LID(rapid.IntRange(1, 20).Draw(t, "lids")) {
				e := fdbsClaim{port: NoPort, hops: UnknownHops, best: UnknownHops, via: NoPort}
				if lid > 0 && rapid.Bool().Draw(t, "entry") {
					e.port = rapid.Uint8Range(1, 254).Draw(t, "port")
					e.hops = rapid.Uint8Range(0, 254).Draw(t, "hops")
					e.best = rapid.Uint8Range(0, e.hops).Draw(t, "best")
					if e.best < e.hops {
						e.via = rapid.Uint8Range(1, 254).Draw(t, "via")
					}
				}
				s.Set(lid, e.port)
				s.Claims.set(lid, e)
			}
			l.Switches = append(l.Switches, s)
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteFDBs(b, &l) })
		got, _, err := ReadLFTs("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Switches {
			if len(l.Switches[i].Ports) > 1 { // a table of LID 0 alone has no line
				if d := cmp.Diff(l.Switches[i], got.Switches[i]); d != "" {
					t.Fatal(d)
				}
			}
		}
	})
}

// TestLIDOfASwitch: a switch without a LID in its header has the LID with egress port 0; LID 0 is
// none.
func TestLIDOfASwitch(t *testing.T) {
	got, _ := mustReadLFTs(t, "f", []byte("Unicast lids [0x0-0x3] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000000007 (a):\n"+
		"0x0000 000 : ()\n0x0002 005 : ()\n0x0003 000 : ()\n3 valid lids dumped\n"))
	if got.Switches[0].LID != 3 {
		t.Errorf("LID %d, want 3", got.Switches[0].LID)
	}
}

func FuzzReadLFTs(f *testing.F) {
	for _, name := range []string{"opensm-lfts.dump", "dfsssp.osmdump", "lmc1.dump_fts", "lmc1.fdbs", "detour.fdbs", "detour.dump_fts-a"} {
		f.Add(netfiletest.Sample(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, _, err := ReadLFTs("f", data)
		if err != nil {
			if _, ok := errors.AsType[*lines.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, text := range []string{
			netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteDumpLFTs(b, l) }),
			netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteOpenSMLFTs(b, l) }),
		} {
			again, _, err := ReadLFTs("f", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if d := cmp.Diff(bare(l), bare(again)); d != "" {
				t.Fatalf("%s\n%s", d, text)
			}
		}
	})
}

func BenchmarkReadLFTs(b *testing.B) {
	var l LFTs
	for lid := range fabric.LID(12000) {
		l.Targets = append(l.Targets, Target{LID: lid + 1, GUID: fabric.GUID(lid) + 1, Type: fabric.CA, Desc: "node0001 HCA-1"})
	}
	for i := range 20 {
		s := SwitchLFT{GUID: fabric.GUID(i + 1), LID: fabric.LID(i + 1)}
		for lid := range fabric.LID(12000) {
			s.Set(lid+1, uint8(lid%36+1))
		}
		l.Switches = append(l.Switches, s)
	}
	text := []byte(netfiletest.Written(b, func(b *bytes.Buffer) error { return WriteOpenSMLFTs(b, &l) }))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := ReadLFTs("f", text); err != nil {
			b.Fatal(err)
		}
	}
}
