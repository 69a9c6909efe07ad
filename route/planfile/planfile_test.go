package planfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/routetest"
)

// save is the file of a Plan.
func save(t testing.TB, p *route.Plan, g *fabric.Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Save(&b, g, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries lists all entries of tables, for comparison.
func entries(t *route.Tables) [][]uint8 {
	all := make([][]uint8, t.NumSwitches())
	for s := range all {
		for i := range t.NumBlocks() {
			all[s] = append(all[s], t.Block(int32(s), i)[:]...)
		}
	}
	return all
}

// same compares Plans in all they hold; nil and empty slices are the same.
func same(t testing.TB, got, want *route.Plan) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Transformer("entries", entries), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the loaded plan differs (-saved +loaded):\n%s", diff)
	}
}

func TestSaveLoad(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt, t)
		p := drawPlan(rt, g)
		file := save(t, p, g)
		if !bytes.Equal(file, save(t, p, g)) {
			rt.Fatal("saved twice, the bytes differ")
		}
		got, err := Load(iotestOneByte{bytes.NewReader(file)}, g)
		if err != nil {
			rt.Fatal(err)
		}
		same(t, got, p)
		if !bytes.Equal(file, save(t, got, g)) {
			rt.Fatal("saved again, the bytes differ")
		}
		got, own, err := LoadAlone(bytes.NewReader(file))
		if err != nil {
			rt.Fatal(err)
		}
		same(t, got, p)
		if !bytes.Equal(file, save(t, got, own)) {
			rt.Fatal("saved for its own graph, the bytes differ")
		}
	})
}

// iotestOneByte reads byte by byte.
type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(1, len(b))]) }

// full is a Plan with every part, and its graph.
func full(t testing.TB) (*route.Plan, *fabric.Graph) {
	g := routetest.Line(t, 3, 2).Compile()
	ends := routetest.Must(lids.Assign(g, lids.Options{LMC: 1}))(t)
	p := &route.Plan{Recipe: route.Recipe{Paths: "line", Options: map[string]string{"a": "1"}, Names: "lmc=1", Lanes: "own"}, Ends: ends, Service: route.Service{Default: 3, ReplySameSL: true}}
	p.Tables = route.NewTables(g.NumSwitches, ends.Top())
	p.Tables.Set(1, 5, 7)
	p.SingleLane(g)
	p.SL2VL.Switch[1] = route.SwitchSL2VL{By: route.ByOut, Index: make([]uint16, g.SwitchPorts[1]+1)}
	p.Choice = route.NewChoice(g.NumEnds, []route.ChoiceRow{{Source: 0, Target: 1, Offset: 1}, {Source: 0, Target: 1, Offset: 0}, {Source: 2, Target: 0, Offset: 1}})
	p.Arbitration, p.Ports = route.EqualArbitration(g, 1), route.UsualPorts(g)
	p.Absent = []route.Absent{{Node: 0x99, Port: 1, Base: 40, LMC: 1}}
	return p, g
}

// Every shorter prefix, and anything behind the file, is an error, never a panic.
func TestLoadPrefixes(t *testing.T) {
	p, g := full(t)
	file := save(t, p, g)
	same(t, routetest.Must(Load(bytes.NewReader(file), g))(t), p)
	for n := range file {
		if _, err := Load(bytes.NewReader(file[:n]), g); err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("%d of %d bytes: error %v", n, len(file), err)
		}
	}
	if _, err := Load(bytes.NewReader(append(file, 0)), g); err == nil || !strings.Contains(err.Error(), "unknown data after the plan") {
		t.Errorf("one byte more: error %v", err)
	}
}

// A flipped bit is an error, or changes nothing (the free fields of a gzip header).
func TestLoadFlippedBits(t *testing.T) {
	p, g := full(t)
	file := save(t, p, g)
	harmless := 0
	for i := range file {
		for bit := range 8 {
			bad := bytes.Clone(file)
			bad[i] ^= 1 << bit
			if got, err := Load(bytes.NewReader(bad), g); err == nil {
				same(t, got, p)
				harmless++
			}
		}
	}
	if harmless > 8*10 {
		t.Errorf("%d flipped bits went unseen", harmless)
	}
}

// forge makes a file of a header, in which any LID may be used, and a body.
func forge(header string, body []byte) []byte {
	return forgeAsIs(strings.Replace(header, "{", `{"choice":"any LID",`, 1), body)
}

func forgeAsIs(header string, body []byte) []byte {
	var b bytes.Buffer
	b.WriteString(planMagic)
	b.Write(binary.LittleEndian.AppendUint32(nil, planVersion))
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	b.WriteString(header)
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b.Bytes())))
	zip := gzip.NewWriter(&b)
	_, err := zip.Write(body)
	if err := errors.Join(err, zip.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestLoadHostile(t *testing.T) {
	p, g := full(t)
	file := save(t, p, g)
	version := bytes.Clone(file)
	version[len(planMagic)] = 9
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "header: unexpected EOF"},
		{"text", []byte("something else entirely"), "header: not a plan file"},
		{"version", version, "header: version 9 is unknown"},
		{"long header", append([]byte(planMagic), planVersion, 0, 0, 0, 255, 255, 255, 255), "header: 4294967295 bytes are too many"},
		{"no JSON", forge("{", nil), "header: unexpected EOF"},
		{"no choice", forgeAsIs(`{"blocks":1}`, nil), `header: sources choose LIDs by an unknown rule, ""`},
		{"another choice", forgeAsIs(`{"blocks":1,"choice":"the third"}`, nil), `header: sources choose LIDs by an unknown rule, "the third"`},
		{"negative arbitration", forge(`{"blocks":1,"vl_arbitration_tables":-1}`, nil), "header: lengths out of range"},
		{"many parameters", forge(`{"blocks":1,"port_parameters":70000}`, nil), "header: lengths out of range"},
		{"unknown field", forge(`{"blocks":1,"color":3}`, nil), "unknown field"},
		{"no blocks", forge(`{"blocks":0}`, nil), "header: lengths out of range"},
		{"many blocks", forge(`{"blocks":1025}`, nil), "header: lengths out of range"},
		{"many classes", forge(`{"blocks":1,"sl":{"source_classes":9999999}}`, nil), "header: lengths out of range"},
		{"negative pool", forge(`{"blocks":1,"sl2vl_tables":-1}`, nil), "header: lengths out of range"},
		{"no switches", forge(`{"switches":1000000000,"blocks":1}`, nil), "switches: unexpected EOF"},
	} {
		_, err := Load(bytes.NewReader(c.file), g)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "route: plan file: ") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	one := []byte{1, 0, 0, 0, 0, 0, 0, 0, 4, 7, 0, 0} // GUID 1, 4 ports or port 4, LID 7
	for _, c := range []struct {
		header string
		body   []byte
		want   string
	}{
		{`{"switches":2,"blocks":1}`, bytes.Repeat(one, 2), "switches: 0x0000000000000001 is there twice"},
		{`{"hosts":2,"blocks":1}`, bytes.Repeat(one, 2), "end ports: 0x0000000000000001[4] is there twice"},
		{`{"switches":1000000000,"blocks":1}`, one, "switches: unexpected EOF"},
		{`{"switches":1,"blocks":1024}`, one, "tables: unexpected EOF"},
		{`{"blocks":1,"absent":2}`, one, "absent: unexpected EOF"},
		{`{"blocks":1,"absent":70000}`, one, "header: lengths out of range"},
	} {
		_, _, err := LoadAlone(bytes.NewReader(forge(c.header, c.body)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.header, err, c.want)
		}
	}
	if p, g, err := LoadAlone(bytes.NewReader(forge(`{"hosts":1,"blocks":1,"absent":1}`, append(one, 2, 0, 0, 0, 0, 0, 0, 0, 9, 8, 0, 3)))); err != nil ||
		g.NumEnds != 1 || p.Ends.Base[0] != 7 || p.Absent[0] != (route.Absent{Node: 2, Port: 9, Base: 8, LMC: 3}) {
		t.Errorf("a plan of one end port: %v %+v", err, p)
	}
	for header, want := range map[string]route.Absent{ // port GUIDs stood in place of node GUIDs before they had a place of their own
		`{"blocks":1,"absent":1}`:                     {Node: 2, GUID: 2, Base: 8, LMC: 3},
		`{"blocks":1,"absent":1,"absent_guids":true}`: {Node: 2, GUID: 5, Base: 8, LMC: 3},
	} {
		body := []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 3}
		if want.GUID == 5 {
			body = append([]byte{5, 0, 0, 0, 0, 0, 0, 0}, body...)
		}
		if p, _, err := LoadAlone(bytes.NewReader(forge(header, body))); err != nil || p.Absent[0] != want {
			t.Errorf("%s: %v %+v", header, err, p)
		}
	}
	if _, _, err := LoadAlone(bytes.NewReader(forge(`{"blocks":1,"absent":1}`, append(one[:9:9], 0, 0, 0)))); err == nil || !strings.Contains(err.Error(), "absent: end port 0x0000000000000001[4] has LID 0") {
		t.Errorf("an absent port without a LID: %v", err)
	}
	empty := fabric.New("").Compile()
	classes := `{"blocks":1,"sl":{"source_classes":65536,"destination_classes":65536,"lids":1}}`
	if _, err := Load(bytes.NewReader(forge(classes, make([]byte, 4))), empty); err == nil || !strings.Contains(err.Error(), "SL: unexpected EOF") {
		t.Errorf("2 GB of SLs: error %v", err)
	}
}

func TestBind(t *testing.T) {
	p, g := full(t)
	file := save(t, p, g)
	for _, c := range []struct {
		name   string
		change func(f *fabric.Fabric)
		want   string // empty: it binds
	}{
		{"same", func(*fabric.Fabric) {}, ""},
		{"link lost", func(f *fabric.Fabric) { f.SetLinkDown(2, true) }, ""},
		{"switch lost", func(f *fabric.Fabric) { f.SetNodeDown(1, true) }, "switch 0x0000000000000101 of the plan is not in the fabric"},
		{"last switch lost", func(f *fabric.Fabric) { f.SetNodeDown(2, true) }, "switch 0x0000000000000102 of the plan is not in the fabric"},
		{"switch new", func(f *fabric.Fabric) { routetest.Must(f.AddNode(fabric.Switch, 0x50, 4, "new"))(t) }, `switch "new" (0x0000000000000050) is not in the plan`},
		{"last switch new", func(f *fabric.Fabric) { routetest.Must(f.AddNode(fabric.Switch, 0x500, 4, "new"))(t) }, `switch "new" (0x0000000000000500) is not in the plan`},
		{"switch grown", func(f *fabric.Fabric) {
			f.Nodes[1].Ports = append(f.Nodes[1].Ports, fabric.Port{Link: fabric.NoLink})
		}, "has 7 ports, but 6 in the plan"},
		{"host lost", func(f *fabric.Fabric) { f.SetNodeDown(3, true) }, "end port 0x0000000000001000[1] of the plan is not in the fabric"},
		{"last host lost", func(f *fabric.Fabric) { f.SetNodeDown(8, true) }, "end port 0x0000000000001005[1] of the plan is not in the fabric"},
		{"host new", func(f *fabric.Fabric) {
			ca := routetest.Must(f.AddNode(fabric.CA, 0x999, 1, "new"))(t)
			routetest.Must(f.Connect(fabric.End{Node: ca, Port: 1}, fabric.End{Node: 0, Port: 3}, 4, fabric.HDR))(t)
		}, `CA "new" (0x0000000000000999)[1] is not in the plan`},
	} {
		f := routetest.Line(t, 3, 2)
		c.change(f)
		got, err := Load(bytes.NewReader(file), f.Compile())
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else {
				same(t, got, p)
			}
			continue
		}
		var bind *BindError
		if !errors.As(err, &bind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// A Plan that does not fit its graph is not saved, and the error names the part.
func TestSaveRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *route.Plan)
	}{
		{"VLs", func(p *route.Plan) { p.VLs = 16 }},
		{"default SL", func(p *route.Plan) { p.Service.Default = 16 }},
		{"end ports", func(p *route.Plan) { p.Ends.Base = p.Ends.Base[1:] }},
		{"end ports", func(p *route.Plan) { p.Ends.Base[0] = 0xFFFF }},
		{"end ports", func(p *route.Plan) { p.Ends.LMC[0] = 8 }},
		{"tables", func(p *route.Plan) { p.Tables = nil }},
		{"tables", func(p *route.Plan) { p.Tables = route.NewTables(2, 9) }},
		{"choice", func(p *route.Plan) { p.Choice.Start = p.Choice.Start[1:] }},
		{"choice", func(p *route.Plan) { p.Choice.Start[1] = 3 }},
		{"choice", func(p *route.Plan) { p.Choice.Start[2] = -1 }},
		{"choice", func(p *route.Plan) { p.Choice.Target[0] = 99 }},
		{"choice", func(p *route.Plan) { p.Choice.Offset[0] = 128 }},
		{"choice", func(p *route.Plan) { p.Choice.Offset[0], p.Choice.Offset[1] = 1, 0 }},
		{"SL", func(p *route.Plan) { p.SL.Src[2] = 1 }},
		{"SL", func(p *route.Plan) { p.SL.Src = p.SL.Src[1:] }},
		{"SL", func(p *route.Plan) { p.SL.Dst[3] = -1 }},
		{"SL", func(p *route.Plan) { p.SL.Dst[0] = -2 }},
		{"SL", func(p *route.Plan) { p.SL.Dst[0] = 1 }},
		{"SL", func(p *route.Plan) { p.SL.Cells = nil }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Host = nil }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Host[1] = 1 }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Pool[0][4] = 16 }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Switch[0].By = 3 }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Switch[0].By = route.ByInOut }},
		{"SL2VL", func(p *route.Plan) { p.SL2VL.Switch[1].Index[2] = 1 }},
		{"choice", func(p *route.Plan) { p.Choice.By = 4 }},
		{"choice", func(p *route.Plan) { p.Choice.By = route.BaseLID }},
		{"VL arbitration", func(p *route.Plan) { p.Arbitration.Host = nil }},
		{"VL arbitration", func(p *route.Plan) { p.Arbitration.Switch = p.Arbitration.Switch[1:] }},
		{"VL arbitration", func(p *route.Plan) { p.Arbitration.Switch[0] = 1 }},
		{"VL arbitration", func(p *route.Plan) { p.Arbitration.Pool[0].Low[0].VL = 15 }},
		{"VL arbitration", func(p *route.Plan) { p.Arbitration.Pool[0].High = make([]route.ArbEntry, 65) }},
		{"ports", func(p *route.Plan) { p.Ports.Host[0] = 2 }},
		{"ports", func(p *route.Plan) { p.Ports.PacketLife = 32 }},
		{"ports", func(p *route.Plan) { p.Ports.Pool[1].HOQLife = 32 }},
		{"ports", func(p *route.Plan) { p.Ports.Pool[1].StallCount = 8 }},
		{"ports", func(p *route.Plan) { p.Ports.Pool[0].MTU = 6 }},
		{"ports", func(p *route.Plan) { p.Ports.Pool[0].VLs = 16 }},
	} {
		p, g := full(t)
		c.change(p)
		var b bytes.Buffer
		err := Save(&b, g, p)
		if err == nil || !strings.HasPrefix(err.Error(), "route: plan: ") || !strings.Contains(err.Error(), c.name) || b.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", c.name, err, b.Len())
		}
	}
}

func TestSaveTellsWriteErrors(t *testing.T) {
	p, g := full(t)
	size := len(save(t, p, g))
	for n := range size {
		if err := Save(&fullDisk{n}, g, p); !errors.Is(err, errFullDisk) {
			t.Fatalf("room for %d of %d bytes: error %v", n, size, err)
		}
	}
}

var errFullDisk = errors.New("disk full")

// fullDisk takes so many bytes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if n := d.room; len(b) > n {
		d.room = 0
		return n, errFullDisk
	}
	d.room -= len(b)
	return len(b), nil
}

// What loads fits the graph, and saves to a file that loads to the same.
func FuzzLoad(f *testing.F) {
	p, g := full(f)
	file := save(f, p, g)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add(forge(`{"blocks":1}`, nil))
	plain := routetest.Line(f, 3, 2).Compile()
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, own, err := LoadAlone(bytes.NewReader(data)); err == nil {
			_ = save(t, p, own)
		}
		got, err := Load(bytes.NewReader(data), plain)
		if err != nil {
			return
		}
		same(t, routetest.Must(Load(bytes.NewReader(save(t, got, plain)), plain))(t), got)
	})
}

// TestBare: a Plan without its tables is what it was but for these, and no file; whatever is cut
// off of it is an error.
func TestBare(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt, t)
		p := drawPlan(rt, g)
		data := bare(t, p, g)
		got, own, err := LoadBare(data)
		if err != nil {
			rt.Fatal(err)
		}
		want := *p
		want.Tables = route.NewTables(g.NumSwitches, 0)
		same(t, got, &want)
		if !bytes.Equal(data, bare(t, got, own)) {
			rt.Fatal("saved again, the bytes differ")
		}
		if _, _, err := LoadBare(data[:rapid.IntRange(0, len(data)-1).Draw(rt, "length")]); err == nil {
			rt.Fatal("a part of it is read")
		}
		if _, _, err := LoadBare(append(bytes.Clone(data), 0)); err == nil {
			rt.Fatal("more than it is read")
		}
		if _, _, err := LoadBare(save(t, p, g)); err == nil {
			rt.Fatal("a file is taken for it")
		}
		if _, _, err := LoadAlone(bytes.NewReader(data)); err == nil {
			rt.Fatal("it is taken for a file")
		}
	})
}

func bare(t testing.TB, p *route.Plan, g *fabric.Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SaveBare(&b, g, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzLoadBare(f *testing.F) {
	p, g := full(f)
	data := bare(f, p, g)
	n := binary.LittleEndian.Uint32(data[12:])
	f.Add(data[16:16+n], data[16+n+4:])
	f.Fuzz(func(t *testing.T, header, body []byte) {
		var b bytes.Buffer
		b.WriteString(planMagic)
		b.Write(binary.LittleEndian.AppendUint32(nil, planVersion))
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
		b.Write(header)
		b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b.Bytes())))
		b.Write(body)
		if p, own, err := LoadBare(b.Bytes()); err == nil {
			again, _, err := LoadBare(bare(t, p, own))
			if err != nil {
				t.Fatal(err)
			}
			same(t, again, p)
		}
	})
}

// FuzzLoadBody fuzzes behind the checksums.
func FuzzLoadBody(f *testing.F) {
	p, g := full(f)
	file := save(f, p, g)
	n := binary.LittleEndian.Uint32(file[12:])
	zip := routetest.Must(gzip.NewReader(bytes.NewReader(file[16+n+4:])))(f)
	f.Add(file[16:16+n], routetest.Must(io.ReadAll(zip))(f))
	f.Fuzz(func(t *testing.T, header, body []byte) {
		var h planHeader
		if json.Unmarshal(header, &h) != nil || h.check() != nil {
			return
		}
		d := coder{r: bufio.NewReader(bytes.NewReader(body))}
		if p, own, err := d.plan(&h, nil); err == nil && p.Fits(own) == nil {
			_ = save(t, p, own)
		}
		d = coder{r: bufio.NewReader(bytes.NewReader(body))}
		got, _, err := d.plan(&h, g)
		if err != nil || got.Fits(g) != nil {
			return
		}
		again := save(t, got, g)
		if !bytes.Equal(again, save(t, routetest.Must(Load(bytes.NewReader(again), g))(t), g)) {
			t.Error("saved again, the bytes differ")
		}
	})
}

func BenchmarkSaveLoad(b *testing.B) {
	g := routetest.Line(b, 254, 100).Compile()
	ends := routetest.Must(lids.Assign(g, lids.Options{}))(b)
	p := &route.Plan{Ends: ends, Tables: route.NewTables(g.NumSwitches, ends.Top())}
	for s := range int32(g.NumSwitches) {
		for l := range ends.Top() {
			p.Tables.Set(s, l, uint8(int(l)*7/(int(s)+3)))
		}
	}
	p.SingleLane(g)
	file := save(b, p, g)
	b.Run("save", func(b *testing.B) {
		b.SetBytes(int64(g.NumSwitches) * int64(ends.Top()))
		for b.Loop() {
			if err := Save(io.Discard, g, p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(int64(g.NumSwitches) * int64(ends.Top()))
		for b.Loop() {
			routetest.Must(Load(bytes.NewReader(file), g))(b)
		}
	})
}

// TestOneWay: SLs that each direction of a pair has for itself are so after loading, or the SA
// would call paths reversible whose answers are not safe.
func TestOneWay(t *testing.T) {
	for _, oneWay := range []bool{false, true} {
		p, g := full(t)
		p.SL.OneWay, p.Service.ReplySameSL = oneWay, !oneWay
		var bare bytes.Buffer
		if err := SaveBare(&bare, g, p); err != nil {
			t.Fatal(err)
		}
		alone, _, err := LoadAlone(bytes.NewReader(save(t, p, g)))
		if err != nil {
			t.Fatal(err)
		}
		without, _, err := LoadBare(bare.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if alone.SL.OneWay != oneWay || without.SL.OneWay != oneWay {
			t.Errorf("one way %v is %v in a plan file, %v without tables", oneWay, alone.SL.OneWay, without.SL.OneWay)
		}
	}
}
