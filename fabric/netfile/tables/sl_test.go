package tables

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

func TestReadPathSLs(t *testing.T) {
	p, warnings, err := ReadPathSLs("f", netfiletest.Sample(t, "dfsssp.osmdump"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	sl := func(from, to fabric.LID) uint8 {
		for _, row := range p.Rows {
			if row.LID == from && int(to) < len(row.SL) {
				return row.SL[to]
			}
		}
		return NoSL
	}
	if p.Engine != "dfsssp" || len(p.Rows) != 4 || sl(6, 1) != 2 || sl(6, 8) != 6 || sl(8, 2) != 7 {
		t.Errorf("%+v", p)
	}
	if sl(1, 0) != NoSL || sl(2, 1) != NoSL || sl(1, 9) != NoSL {
		t.Error("an SL where the file has none")
	}
	p, warnings, err = ReadPathSLs("f", []byte("# engine minhop toplid 1\nS 0x0001 0x1 ff00\n"))
	if err != nil || len(p.Rows) != 0 || len(warnings) != 1 {
		t.Error("tables without SLs:", p, warnings, err)
	}
}

func TestPathSLsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := PathSLs{Engine: "any"}
		width := rapid.IntRange(1, 20).Draw(t, "width")
		lids := rapid.SliceOfNDistinct(rapid.Uint16Range(1, uint16(fabric.MaxUnicastLID)), 1, 6, rapid.ID).Draw(t, "lids")
		slices.Sort(lids)
		sl := rapid.OneOf(rapid.Uint8Range(0, 15), rapid.Just(NoSL))
		for _, lid := range lids {
			p.Rows = append(p.Rows, SLRow{fabric.LID(lid), rapid.SliceOfN(sl, width, width).Draw(t, "sl")})
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WritePathSLs(b, &p) })
		got, _, err := ReadPathSLs("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&p, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestReadSaquery(t *testing.T) {
	record := func(slid, dlid, sl string) string {
		return "PathRecord dump:\n\t\tdlid...................." + dlid + "\n\t\tslid...................." + slid +
			"\n\t\tpkey....................0xFFFF\n\t\tsl......................" + sl + "\n\t\tmtu.....................0x85\n"
	}
	p, warnings, err := ReadPathSLs("f", []byte(record("2", "2", "0x4")+record("1", "2", "0x0")+record("2", "1", "0xF")+record("2", "1", "0x1")))
	want := &PathSLs{Rows: []SLRow{{1, []uint8{NoSL, NoSL, 0}}, {2, []uint8{NoSL, 15, 4}}}}
	if err != nil || cmp.Diff(want, p) != "" {
		t.Error(p, err)
	}
	if len(warnings) != 1 || warnings[0].String() != "f:19: another path record from LID 2 to LID 1: SL 1, not 15; the first counts" {
		t.Error(warnings)
	}
	for in, want := range map[string]string{
		record("0", "2", "0x4"):                 `f:3: "0" is not a unicast LID`,
		record("1", "x", "0x4"):                 `f:2: "x" is not a unicast LID`,
		record("1", "2", "0x10"):                `f:5: "0x10" is not an SL (want 0x0 to 0xf)`,
		"\nPathRecord dump:\nslid........1\n":   "f:2: a path record without slid, dlid or sl: the output of saquery is incomplete",
		record("1", "2", "0x4") + "P 0x0001 .0": `f:7: not a line of path SLs (want P, source LID, SL digits; or the output of saquery -p): "P 0x0001 .0"`,
		"P 0x0001 .0\nPathRecord dump:\n":       `f:2: not a line of path SLs (want P, source LID, SL digits; or the output of saquery -p): "PathRecord dump:"`,
	} {
		if _, _, err := ReadPathSLs("f", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", in, err, want)
		}
	}
}

func TestReadPathSLsBadInput(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "f: no path SLs in this file",
		"x\n":                      `f:1: not a line of path SLs (want P, source LID, SL digits; or the output of saquery -p): "x"`,
		"P 0x0000 .0\n":            `f:1: "0x0000" is not a unicast LID`,
		"P 0xc000 .0\n":            `f:1: "0xc000" is not a unicast LID`,
		"P 0x0001 .g\n":            `f:1: 'g' is not an SL in hexadecimal, nor '.'`,
		"P 0x0001\n":               "f:1: want one digit an LID after the source LID, for LIDs 0 to at most 0xbfff",
		"P 0x0001 .0 1\n":          "f:1: want one digit an LID after the source LID, for LIDs 0 to at most 0xbfff",
		"P 0x0001 .0\nP 0x1 .00\n": `f:2: source LID 0x1 is listed twice (first on line 1)`,
	} {
		if _, _, err := ReadPathSLs("f", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", in, err, want)
		}
	}
	if err := WritePathSLs(&bytes.Buffer{}, &PathSLs{Rows: []SLRow{{1, []uint8{16}}}}); err == nil {
		t.Error("SL 16 was written")
	}
}

func TestReadSL2VLs(t *testing.T) {
	data := netfiletest.Sample(t, "opensm-sl2vl.dump")
	v, warnings, err := ReadSL2VLs("f", data)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := SL2VL{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}
	if len(v.Nodes) != 8 || len(v.Pool) != 1 || v.Pool[0] != want {
		t.Fatalf("%d nodes, tables %v", len(v.Nodes), v.Pool)
	}
	n := v.Nodes[0]
	if n.Type != fabric.Switch || n.GUID != 0x10000001 || n.LID != 2 || n.Desc != "leaf one" || len(n.Rows) != 9*5 {
		t.Errorf("node 0 is %s %s LID %d %q with %d rows", n.Type, n.GUID, n.LID, n.Desc, len(n.Rows))
	}
	if got, ok := v.Table(0, 8, 7); !ok || *got != want {
		t.Errorf("port 8 to port 7: %v %t", got, ok)
	}
	if _, ok := v.Table(0, 1, 3); ok {
		t.Error("a table towards port 3, which is not cabled")
	}
	if got := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteSL2VLs(b, v) }); got != string(data) {
		t.Errorf("written again, the file differs:\n%s", cmp.Diff(string(data), got))
	}
}

func TestReadSL2VLsOfSMPQuery(t *testing.T) {
	v, warnings, err := ReadSL2VLs("f", netfiletest.Sample(t, "smpquery.sl2vl"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if len(v.Nodes) != 3 || v.Nodes[0].LID != 1 || len(v.Nodes[0].Rows) != 9 || len(v.Nodes[1].Rows) != 1 {
		t.Fatalf("%+v", v)
	}
	if got, ok := v.Table(0, 3, 5); !ok || got[8] != 0 || got[15] != 7 {
		t.Errorf("port 3 to port 5: %v %t", got, ok)
	}
}

func TestReadSL2VLsBadInput(t *testing.T) {
	const sw = "Switch 0x0000000000000007, base LID 2, \"a\"\n"
	for in, want := range map[string]string{
		"":                                    "f: no SL2VL table in this file",
		"x\n":                                 `f:1: not a line of an SL2VL table: "x"`,
		"Switch 0xg, base LID 2, \"a\"\n":     "f:1: want node type, GUID, base LID and description",
		"Switch 0x7, base LID 49152, \"a\"\n": "f:1: want node type, GUID, base LID and description",
		"1 2 : 0\n":                           "f:1: a table before the first node",
		sw + "1 2 : 0 1\n":                    "f:2: 2 VLs (want 16, one an SL)",
		sw + "1 2 0\n":                        "f:2: want in port, out port, ':' and 16 VLs",
		sw + "1 255 : 0\n":                    `f:2: ports "1" and "255": want two numbers of 0 to 254`,
		sw + "1 2 : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 16\n": `f:2: VL "16" of SL 15 (want 0 to 15)`,
		sw + sw:                                "f:2: port 0x0000000000000007 is listed twice (first on line 1)",
		sw + "Switch 0x8, base LID 2, \"b\"\n": "f:2: LID 2 is listed twice (first on line 1)",
		"# SL2VL table: DR path slid 0; dlid 0; 0,1\n": `f:1: this table was queried by the path "DR path slid 0; dlid 0; 0,1", which does not identify the node: query it by LID`,
		"# SL2VL table: Lid 0\n":                       `f:1: "0" is not a unicast LID`,
		sw + "1 2 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n1 2 : 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n": "f:1: the node of this line has two different tables from port 1 to port 2",
	} {
		if _, _, err := ReadSL2VLs("f", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", in, err, want)
		}
	}
}

func TestSL2VLsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v SL2VLs
		pool := map[SL2VL]uint16{}
		for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
			n := NodeSL2VLs{
				Type: rapid.SampledFrom([]fabric.NodeType{0, fabric.CA, fabric.Switch, fabric.Router}).Draw(t, "type"),
				GUID: fabric.GUID(i + 1), LID: fabric.LID(i + 1),
				Desc: rapid.StringMatching(`[a-z", 0]{0,9}`).Draw(t, "desc"),
			}
			for _, io := range rapid.SliceOfNDistinct(rapid.Uint16Range(0, 99), 1, 6, rapid.ID).Draw(t, "ports") {
				var table SL2VL
				copy(table[:], rapid.SliceOfN(rapid.Uint8Range(0, 15), 16, 16).Draw(t, "vls"))
				n.Rows = append(n.Rows, SL2VLRow{In: uint8(io % 10), Out: uint8(io / 10)})
				slices.SortFunc(n.Rows, compareSL2VLRows)
				for k := range n.Rows {
					if n.Rows[k].In == uint8(io%10) && n.Rows[k].Out == uint8(io/10) {
						if _, met := pool[table]; !met {
							pool[table] = uint16(len(v.Pool))
							v.Pool = append(v.Pool, table)
						}
						n.Rows[k].Table = pool[table]
					}
				}
			}
			v.Nodes = append(v.Nodes, n)
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteSL2VLs(b, &v) })
		got, _, err := ReadSL2VLs("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range v.Nodes { // pools may be in another order
			if a, b := n, got.Nodes[i]; a.Type != b.Type || a.GUID != b.GUID || a.LID != b.LID || a.Desc != b.Desc || len(a.Rows) != len(b.Rows) {
				t.Fatalf("%+v became %+v", a, b)
			}
			for _, r := range n.Rows {
				if table, ok := got.Table(i, r.In, r.Out); !ok || *table != v.Pool[r.Table] {
					t.Fatalf("%d to %d: %v became %v", r.In, r.Out, v.Pool[r.Table], table)
				}
			}
		}
	})
}

func FuzzReadPathSLs(f *testing.F) {
	f.Add(netfiletest.Sample(f, "dfsssp.osmdump"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := ReadPathSLs("f", data)
		if err != nil {
			if _, ok := errors.AsType[*lines.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(p.Rows) > 0 {
			if _, _, err := ReadPathSLs("f", []byte(netfiletest.Written(t, func(b *bytes.Buffer) error { return WritePathSLs(b, p) }))); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzReadSL2VLs(f *testing.F) {
	f.Add(netfiletest.Sample(f, "opensm-sl2vl.dump"))
	f.Add(netfiletest.Sample(f, "smpquery.sl2vl"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := ReadSL2VLs("f", data)
		if err != nil {
			if _, ok := errors.AsType[*lines.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if _, _, err := ReadSL2VLs("f", []byte(netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteSL2VLs(b, v) }))); err != nil {
			t.Fatal(err)
		}
	})
}
