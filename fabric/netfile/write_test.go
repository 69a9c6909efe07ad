package netfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/dumps"
)

// anyFabric is a random network: switches, CAs with several ports, routers,
// parallel cables, cables from a switch to itself, nodes without cables, things
// that are down or drained, odd descriptions.
func anyFabric(t *rapid.T) *fabric.Fabric {
	f := fabric.New("random")
	desc := rapid.OneOf(
		rapid.StringMatching(`[!-~]([ -~]{0,30}[!-~])?`),
		rapid.Just(""), rapid.Just(" a "), rapid.Just(`quote " quote`), rapid.Just(`"`), rapid.Just("Küche \xff"), rapid.Just(`a # b lid 7 lmc 1`), rapid.Just("x\"[1] y"))
	lid := fabric.LID(0)
	for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
		typ := rapid.SampledFrom([]fabric.NodeType{fabric.Switch, fabric.Switch, fabric.CA, fabric.CA, fabric.Router}).Draw(t, "type")
		guid := fabric.GUID(rapid.Uint64Range(1, 1<<40).Draw(t, "guid")<<8 | uint64(i)<<4)
		id, err := f.AddNode(typ, guid, rapid.IntRange(1, 6).Draw(t, "ports"), desc.Draw(t, "desc"))
		if err != nil {
			t.Fatal(err)
		}
		n := &f.Nodes[id]
		n.SystemGUID = fabric.GUID(rapid.Uint64().Draw(t, "system"))
		n.VendorID, n.DeviceID = rapid.Uint32().Draw(t, "vendor"), rapid.Uint32().Draw(t, "device")
		n.Revision = rapid.Uint32Range(0, 2).Draw(t, "revision")
		n.Chassis = rapid.SampledFrom([]string{"", "", "Chassis 1", "Chassis 2 (guid 0x7)"}).Draw(t, "chassis")
		n.Down = rapid.IntRange(0, 9).Draw(t, "down") == 0
		if typ == fabric.Switch {
			n.EnhancedPort0 = rapid.Bool().Draw(t, "enhanced")
			n.Role = fabric.Role(rapid.Uint8Range(0, 3).Draw(t, "role"))
			n.LinearFDBCap = rapid.Uint16Range(0, 2).Draw(t, "cap")
			n.Drained = rapid.IntRange(0, 9).Draw(t, "drained") == 0
		}
		for p := range n.Ports {
			port := &n.Ports[p]
			if (p == 0) == (typ == fabric.Switch) && rapid.Bool().Draw(t, "lid") {
				port.LMC = rapid.Uint8Range(0, 2).Draw(t, "lmc")
				lid += 4
				port.LID = lid
			}
			if typ != fabric.Switch && p > 0 {
				port.GUID = guid + fabric.GUID(p)
			}
			if p > 0 {
				port.Label = rapid.SampledFrom([]string{"", "1/2/3", "7"}).Draw(t, "label")
				port.VLCap = rapid.Uint8Range(0, 15).Draw(t, "vlcap")
			}
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		a, b := anyEnd(t, f), anyEnd(t, f)
		w := rapid.SampledFrom([]fabric.Width{0, 1, 2, 4, 8, 12}).Draw(t, "width")
		if l, err := f.Connect(a, b, w, fabric.Speed(rapid.IntRange(0, int(fabric.XDR)).Draw(t, "speed"))); err == nil {
			f.Links[l].Down = rapid.IntRange(0, 9).Draw(t, "cut") == 0
			f.Links[l].Drained = rapid.IntRange(0, 9).Draw(t, "link drained") == 0
		}
	}
	return f
}

func anyEnd(t *rapid.T, f *fabric.Fabric) fabric.End {
	n := rapid.IntRange(0, len(f.Nodes)-1).Draw(t, "node")
	return fabric.End{Node: fabric.NodeID(n), Port: uint8(rapid.IntRange(1, f.Nodes[n].NumPorts()).Draw(t, "port"))}
}

// carried is what an ibnetdiscover file can hold of a fabric.
func carried(f *fabric.Fabric) *fabric.Fabric {
	c := f.Without(
		func(n fabric.NodeID) bool { return f.Nodes[n].Down },
		func(l fabric.LinkID) bool { return f.Links[l].Down })
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Revision, n.LinearFDBCap, n.Role, n.Drained = 0, 0, fabric.NoRole, false
		for p := range n.Ports {
			port := &n.Ports[p]
			port.VLCap = 0
			if p > 0 && port.Link == fabric.NoLink {
				guid := port.GUID
				*port = fabric.Port{Link: fabric.NoLink}
				if n.Type == fabric.Switch {
					port.GUID = guid
				}
			}
		}
	}
	for i := range c.Links {
		c.Links[i].Drained = false
	}
	return c
}

func noDiff(t interface{ Fatalf(string, ...any) }, want, got *fabric.Fabric, text string) {
	if d := fabric.Diff(want, got); len(d) > 0 {
		t.Fatalf("%v\n%s", d, text)
	}
}

func TestIBNetDiscoverRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFabric(t)
		want := carried(f)
		if len(want.Nodes) == 0 {
			t.Skip("all nodes are down")
		}
		text := written(t, func(b *bytes.Buffer) error { return WriteIBNetDiscover(b, f) })
		got, _, err := Read("f", []byte(text), Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		noDiff(t, want, got, text)
	})
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFabric(t)
		text := written(t, func(b *bytes.Buffer) error { return WriteJSON(b, f) })
		got, warnings, err := readJSON("f", []byte(text))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v %v\n%s", err, warnings, text)
		}
		noDiff(t, f, got, text)
		if again := written(t, func(b *bytes.Buffer) error { return WriteJSON(b, got) }); again != text || got.Name != f.Name {
			t.Fatalf("written again, it differs:\n%s\n%s", text, again)
		}
	})
}

// Every dump must survive both formats: those that the project has,
func TestRoundTripRealFiles(t *testing.T) {
	files := []string{exampleFiles + "psmn-x5.ibnetdiscover", exampleFiles + "sx6036.ibnetdiscover", exampleFiles + "trinityx.ibnetdiscover"}
	samples, err := fs.Glob(os.DirFS("testdata"), "*.ibnetdiscover")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no dumps in testdata: %v", err)
	}
	for _, file := range append(files, samples...) {
		t.Run(path.Base(file), func(t *testing.T) { roundTrip(t, testFile(t, file)) })
	}
}

// and all that are in the folder of dumps.
func TestRoundTripRealDumps(t *testing.T) {
	files, err := fs.Glob(os.DirFS(dumps.Dir(t)), "*/*ibnetdiscover*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dumps of ibnetdiscover: %v", err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) { roundTrip(t, dumps.Read(t, file)) })
	}
}

func roundTrip(t *testing.T, dump []byte) {
	f, _, err := Read("dump", dump, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"ibnetdiscover": func(b *bytes.Buffer) error { return WriteIBNetDiscover(b, f) },
		"JSON":          func(b *bytes.Buffer) error { return WriteJSON(b, f) },
	} {
		got, _, err := Read("f", []byte(written(t, write)), Options{})
		if err != nil {
			t.Errorf("as %s: %v", name, err)
			continue
		}
		if d := fabric.Diff(f, got); len(d) > 0 {
			t.Errorf("as %s: %d differences, first %s", name, len(d), d[0])
		}
	}
}

func TestWriteIBNetDiscoverRefuses(t *testing.T) {
	build := func(guid fabric.GUID, desc, label string) *fabric.Fabric {
		f := fabric.New("f")
		id, err := f.AddNode(fabric.Switch, guid, 2, desc)
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].Ports[1].Label = label
		return f
	}
	for _, c := range []struct {
		f    *fabric.Fabric
		want string
	}{
		{build(0, "a", ""), `netfile: the switch "a" has node GUID 0: an ibnetdiscover file cannot hold it`},
		{build(7, "a\nb", ""), `netfile: the description of "a\nb" (0x0000000000000007) has control characters: an ibnetdiscover file cannot hold it`},
		{build(7, "a", "1)"), `netfile: the label "1)" of "a" (0x0000000000000007)[1] has brackets or control characters: an ibnetdiscover file cannot hold it`},
	} {
		var b bytes.Buffer
		if err := WriteIBNetDiscover(&b, c.f); err == nil || err.Error() != c.want || b.Len() > 0 {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

func TestReadJSONBadInput(t *testing.T) {
	const head = "{\n\"format\": \"weft-fabric\",\n\"version\": 1,\n\"nodes\": [\n"
	const a, b = "{\"guid\":\"0x1\",\"type\":\"switch\",\"ports\":2}", "{\"guid\":\"0x2\",\"type\":\"CA\",\"ports\":1}"
	nodes := func(list ...string) string { return head + strings.Join(list, ",\n") + "\n]}" }
	links := func(list ...string) string {
		return head + a + ",\n" + b + "\n],\n\"links\": [\n" + strings.Join(list, ",\n") + "\n]}"
	}
	for _, c := range []struct{ in, want string }{
		{"", "f:1: not JSON: the file ends too early"},
		{"[]", `f:1: the file must begin with '{'`},
		{"{}", `f: format "" version 0 (want "weft-fabric" version 1)`},
		{"{\"format\":\"weft-fabric\",\"version\":2,\"nodes\":[]}", `f: format "weft-fabric" version 2 (want "weft-fabric" version 1)`},
		{"{\"format\":\"weft-fabric\",\"version\":1}", `f: no "nodes"`},
		{"{\n\"colour\": 1}", `f:2: unknown key "colour"`},
		{"{\n\"version\": 1,\n\"version\": 1}", `f:3: "version" is given twice`},
		{nodes(a) + "x", "f:6: text after the end of the JSON object"},
		{head + a + ",\n", "f:6: not JSON: the file ends too early"},
		{head + "}", "f:5: not JSON: invalid character '}' looking for beginning of value"},
		{nodes("7"), `f:5: "" is a JSON number, which does not fit`},
		{nodes(a, `{"guid":"0xg"}`), `f:6: "0xg" is not a GUID (want up to 16 hexadecimal digits)`},
		{nodes(a, `{"guid":"0x2","kind":1}`), `f:6: unknown field "kind"`},
		{nodes(a, `{"type":"switch","ports":1}`), `f:6: a switch without a guid`},
		{nodes(a, `{"guid":"0x2","type":"host","ports":1}`), `f:6: type "host" (want switch, CA or router)`},
		{nodes(a, a), `f:6: node GUID 0x0000000000000001 is used twice (switch "" and switch "")`},
		{nodes(`{"guid":"0x2","type":"CA","ports":0}`), `f:5: CA 0x0000000000000002 has 0 ports (want 1 to 254)`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"drained":true}`), `f:5: a CA cannot be drained`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"port":[{"number":2}]}`), `f:5: port 2 of a node with 1 ports`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"port":[{"number":1,"lid":5},{"number":1,"lid":6}]}`), `f:5: port 1 is given twice`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"port":[{"number":1,"lid":49152}]}`), `f:5: port 1: LID 49152 is not a unicast LID`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"port":[{"number":1,"lmc":8}]}`), `f:5: port 1: LMC 8 (want 0 to 7)`},
		{nodes(`{"guid":"0x2","type":"CA","ports":1,"port":[{"number":1,"vl_cap":16}]}`), `f:5: port 1: vl_cap 16 (want 0 to 15)`},
		{links(`{"a":"0x1","a_port":1,"b":"0x3","b_port":1}`), `f:9: no node has GUID 0x0000000000000003`},
		{links(`{"a":"0x1","a_port":1,"b":"0x2","b_port":1,"speed":"fast"}`), `f:9: speed "fast" (want SDR to XDR)`},
		{links(`{"a":"0x1","a_port":1,"b":"0x2","b_port":1,"width":3}`), `f:9: width 3 (want 1, 2, 4, 8 or 12)`},
		{links(`{"a":"0x1","a_port":3,"b":"0x2","b_port":1}`), `f:9: "" (0x0000000000000001) has no port 3 to cable (ports 1 to 2)`},
		{
			links(`{"a":"0x1","a_port":1,"b":"0x2","b_port":1}`, `{"a":"0x1","a_port":2,"b":"0x2","b_port":1}`),
			`f:10: port "" (0x0000000000000002)[1] is cabled already (to "" (0x0000000000000001)[1])`,
		},
	} {
		if _, _, err := readJSON("f", []byte(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s\ngives %v\nwant %s", c.in, err, c.want)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	net, _, err := Read("small.net", readSample(f, "small.net"), Options{})
	if err != nil {
		f.Fatal(err)
	}
	net.Nodes[0].Desc = "\xff"
	f.Add([]byte(written(f, func(b *bytes.Buffer) error { return WriteJSON(b, net) })))
	f.Add([]byte(`{"format":"weft-fabric","version":1,"nodes":[{"guid":"1","type":"CA","ports":1,"port":[{"number":1,"guid":"0"}]}],"links":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := readJSON("f", data)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		text := written(t, func(b *bytes.Buffer) error { return WriteJSON(b, got) })
		again, _, err := readJSON("f", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		noDiff(t, got, again, text)
	})
}

func TestWriteDot(t *testing.T) {
	f, _, err := Read("small.net", readSample(t, "small.net"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Nodes[0].Desc = `say "\N" & co`
	text := written(t, func(b *bytes.Buffer) error { return WriteDot(b, f) })
	for _, want := range []string{
		"graph \"small.net\" {\n",
		`"S-0000000010000001" [label="say \"\\N\" &amp; co", shape=box, style=solid];`,
		`"H-0000000020000001" [label="node1 HCA-1", shape=ellipse, style=solid];`,
		`"S-0000000010000001" -- "S-0000000010000002" [taillabel="6", headlabel="6"];`, // parallel
		`"S-0000000010000001" -- "H-0000000020000011" [taillabel="2", headlabel="1"];`, // two ports
		"\"S-0000000010000001\" -- \"H-0000000020000001\";",
		"\"S-0000000010000003\" -- \"S-0000000010000001\";", // the spine is above
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, " -- "); n != len(f.Links) {
		t.Errorf("%d edges for %d links", n, len(f.Links))
	}
}

func BenchmarkWriteJSON(b *testing.B) {
	f := fabric.New("b")
	for i := range 2000 {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(i+1), 36, fmt.Sprint("switch ", i)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := WriteJSON(&bytes.Buffer{}, f); err != nil {
			b.Fatal(err)
		}
	}
}
