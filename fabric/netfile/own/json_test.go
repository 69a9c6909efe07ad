package own

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteJSON(b, f) })
		got, warnings, err := ReadJSON("f", []byte(text))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v %v\n%s", err, warnings, text)
		}
		netfiletest.NoDiff(t, f, got, text)
		if again := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteJSON(b, got) }); again != text || got.Name != f.Name {
			t.Fatalf("written again, it differs:\n%s\n%s", text, again)
		}
	})
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
		{nodes("7"), `f:5: "" has the wrong JSON type, number`},
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
		if _, _, err := ReadJSON("f", []byte(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s\ngives %v\nwant %s", c.in, err, c.want)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	net, _, err := discovery.ReadIBNetDiscover("small.net", netfiletest.Sample(f, "small.net"))
	if err != nil {
		f.Fatal(err)
	}
	net.Nodes[0].Desc = "\xff"
	f.Add([]byte(netfiletest.Written(f, func(b *bytes.Buffer) error { return WriteJSON(b, net) })))
	f.Add([]byte(`{"format":"weft-fabric","version":1,"nodes":[{"guid":"1","type":"CA","ports":1,"port":[{"number":1,"guid":"0"}]}],"links":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := ReadJSON("f", data)
		if err != nil {
			if _, ok := errors.AsType[*lines.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteJSON(b, got) })
		again, _, err := ReadJSON("f", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		netfiletest.NoDiff(t, got, again, text)
	})
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
