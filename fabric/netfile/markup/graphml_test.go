package markup

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// inGraphML is what a file of GraphML holds of a fabric: see WriteGraphML.
func inGraphML(f *fabric.Fabric) *fabric.Fabric {
	c := f.Without(
		func(n fabric.NodeID) bool { return f.Nodes[n].Down },
		func(l fabric.LinkID) bool { return f.Links[l].Down })
	for i := range c.Nodes {
		n := &c.Nodes[i]
		desc := strings.ToValidUTF8(lines.Printable(n.Desc), "\uFFFD")
		*n = fabric.Node{GUID: n.GUID, Type: n.Type, Desc: desc, Ports: n.Ports}
		for p := range n.Ports {
			port := &n.Ports[p]
			*port = fabric.Port{Link: port.Link}
			if n.Type == fabric.Switch || port.Link != fabric.NoLink {
				port.GUID = n.GUID
			}
			if n.Type != fabric.Switch && port.Link != fabric.NoLink {
				port.GUID += fabric.GUID(p)
			}
		}
	}
	for i := range c.Links {
		c.Links[i].Drained = false
	}
	return c
}

// TestGraphMLRoundTrip: a written fabric is read as it was, up to what the format cannot hold.
func TestGraphMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		want := inGraphML(f)
		if len(want.Nodes) == 0 {
			t.Skip("all nodes are down")
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteGraphML(b, f) })
		got, warnings, err := ReadGraphML("f", []byte(text))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v %v\n%s", err, warnings, text)
		}
		netfiletest.NoDiff(t, want, got, text)
	})
}

// graph wraps nodes and edges; the first line of body is line 4.
func graph(kind, body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE graphml>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" attr.name="Type"/><key id="d1" for="edge" attr.name="speed"/>
<graph edgedefault="` + kind + "\">\n" + body + "\n</graph></graphml>\n"
}

const square = `<node id="a"/><node id="b"/><node id="c"/><node id="h"/>
<edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="a"/>
<edge source="h" target="a"><data key="d1">EDR</data></edge>`

// drawn describes a fabric: the letter of each node's type, and its cables.
func drawn(f *fabric.Fabric) string {
	var b strings.Builder
	for i := range f.Nodes {
		fmt.Fprintf(&b, "%s:%c%d ", f.Nodes[i].Desc, f.Nodes[i].Type.String()[0], f.Nodes[i].NumPorts())
	}
	for _, l := range f.Links {
		fmt.Fprintf(&b, "%s%d-%s%d ", f.Nodes[l.A.Node].Desc, l.A.Port, f.Nodes[l.B.Node].Desc, l.B.Port)
	}
	return strings.TrimSpace(b.String())
}

func TestReadGraphML(t *testing.T) {
	typed := func(id, word string) string {
		return `<node id="` + id + `"><data key="d0">` + word + `</data></node>`
	}
	edge := func(a, b, more string) string {
		return `<edge source="` + a + `" target="` + b + `"` + more + "/>"
	}
	for _, c := range []struct{ name, text, want, warning string }{
		{
			"degree", graph("undirected", square), "a:s3 b:s2 c:s2 h:C1 a1-b1 b2-c1 c2-a2 h1-a3",
			"x:4: no attribute names a host: nodes with one cable are taken as hosts (1), others as switches (3)",
		},
		{
			"attribute", graph("undirected", typed("a", "Server")+typed("b", "leaf")+"\n"+typed("c", "x")+edge("b", "c", "")), "a:C1 b:s1 c:s1 b1-c1",
			"x:5: no attribute says of 1 nodes whether they are hosts or switches, the first here: taken as switches",
		},
		{"router", graph("undirected", typed("a", "router")+typed("b", "switch")+edge("a", "b", "")), "a:s1 b:s1 a1-b1", ""},
		{
			"parallel", graph("undirected", typed("a", "switch")+typed("b", "switch")+edge("a", "b", "")+edge("a", "b", "")+edge("b", "a", "")),
			"a:s3 b:s3 a1-b1 a2-b2 b3-a3", "",
		},
		{
			"directed", graph("directed", typed("a", "switch")+typed("b", "switch")+edge("a", "b", "")+edge("b", "a", "")+edge("b", "a", "")+edge("a", "b", ` directed="false"`)),
			"a:s3 b:s3 a1-b1 b2-a2 a3-b3", "",
		},
		{
			"ports", graph("undirected", typed("a", "switch")+typed("b", "switch")+edge("a", "b", "")+edge("a", "b", ` sourceport="1" targetport="eth0"`)+edge("a", "b", ` sourceport="0"`)),
			"a:s3 b:s3 a2-b1 a1-b2 a3-b3", "",
		},
		{
			"loops", graph("undirected", typed("a", "switch")+typed("b", "host")+edge("a", "a", "")+edge("a", "a", ` sourceport="1" targetport="2"`)+edge("a", "b", "")),
			"a:s3 b:C1 a1-a2 a3-b1", "x:4: 1 edges from a node to itself, the first here: left out",
		},
		{
			"defaults", `<graphml><key id="k" for="node" attr.name="kind"><default>host</default></key><graph>` +
				`<node id="s"><data key="k">switch</data><data key="z">?</data></node><node id="h"><!-- c --></node><edge source="s" target="h"/></graph></graphml>`,
			"s:s1 h:C1 s1-h1", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, warnings, err := ReadGraphML("x", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			netfiletest.CheckFabric(t, f)
			if got := drawn(f); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			got := ""
			for _, w := range warnings {
				got += w.String()
			}
			if got != c.warning {
				t.Errorf("warnings %q, want %q", got, c.warning)
			}
		})
	}
}

func TestGraphMLDetails(t *testing.T) {
	f, _, err := ReadGraphML("x", []byte(graph("undirected", square)))
	if err != nil {
		t.Fatal(err)
	}
	if l := f.Links[3]; l.Speed != fabric.EDR || f.Links[0].Speed != fabric.SpeedUnknown {
		t.Errorf("speeds %s and %s", l.Speed, f.Links[0].Speed)
	}
	if g := f.Nodes[1].GUID; g != 0x200001 {
		t.Errorf("the second switch has GUID %s", g)
	}
}

func TestBadGraphML(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "<graphml><graph/></graphml>", "x: no nodes in this graph"},
		{"early end", graph("undirected", square)[:300], "x:5: not valid XML: the file ends early"},
		{"tags", "<graphml>\n</graph>", "x:2: not valid XML: element <graphml> closed by </graph>"},
		{"charset", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><graphml/>", "x:1: not valid XML: opening charset \"UTF-16\": text in UTF-16 (convert it to UTF-8)"},
		{"entity", "<!DOCTYPE x [<!ENTITY a \"b\">]>\n<graphml><graph><node id='&a;'/></graph></graphml>", "x:2: not valid XML: invalid character entity &a;"},
		{"no id", graph("undirected", "<node/>"), "x:4: a node without an id"},
		{"twice", graph("undirected", "<node id='a'/>\n<node id='a'/>"), "x:5: node \"a\" is described twice: here and on line 4"},
		{"unknown end", graph("undirected", "<node id='a'/><edge source='a' target='b'/>"), "x:4: this edge ends at \"b\", but no node has this id"},
		{"nested", graph("undirected", "<node id='a'><graph/></node>"), "x:4: node \"a\" holds a graph of its own: graphs inside nodes are not read"},
		{"two graphs", "<graphml><graph/>\n<graph/></graphml>", "x:2: a second graph: keep one graph in the file"},
		{"hyperedge", graph("undirected", "<hyperedge/>"), "x:4: hyperedges are not read: a cable has two ends"},
		{
			"GUID", "<graphml><key id='g' attr.name='guid'/><graph><node id='a'><data key='g'>0x0</data></node></graph></graphml>",
			"x:1: guid \"0x0\" of node \"a\" is not a GUID (want 1 to 16 hexadecimal digits, not 0)",
		},
		{
			"ports", "<graphml><key id='g' attr.name='ports'/><graph><node id='a'><data key='g'>255</data></node></graph></graphml>",
			"x:1: ports \"255\" of node \"a\": want a number from 1 to 254",
		},
		{
			"cables", graph("undirected", "<node id='a'/><node id='b'/>"+strings.Repeat("<edge source='a' target='b'/>", 255)),
			"x:4: \"a\" has no port 255 (ports 1 to 254)",
		},
		{"keys", "<graphml>" + strings.Repeat("<key id='a'/>", 5) + manyKeys(1001), "x:1: more than 1000 keys"},
		{"deep", graph("undirected", "<node id='a'>"+strings.Repeat("<data>", 20)), "x:4: elements inside each other over 16 deep"},
		{"long", graph("undirected", "<node id='"+strings.Repeat("a", lines.MaxLine+1)+"'/>"), lines.TooLong("x", 4).Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := ReadGraphML("x", []byte(c.text))
			netfiletest.CheckError(t, err, c.want)
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<key id='k%d'/>", i)
	}
	return b.String()
}

// TestEntityBomb: entities are not expanded.
func TestEntityBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!DOCTYPE graphml [<!ENTITY e0 \"xxxxxxxxxx\">")
	for i := range 30 {
		fmt.Fprintf(&b, "<!ENTITY e%d \"%s\">", i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
	}
	b.WriteString("]><graphml><graph><node id=\"&e30;\"/></graph></graphml>")
	begun := time.Now()
	_, _, err := ReadGraphML("x", []byte(b.String()))
	netfiletest.CheckError(t, err, "x:1: not valid XML: invalid character entity &e30;")
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("%v", d)
	}
}

func FuzzReadGraphML(f *testing.F) {
	f.Add([]byte(graph("directed", square)))
	f.Add([]byte(graph("undirected", `<node id="a"><data key="d0">host</data><port name="1"/></node><edge source="a" target="a" sourceport="1" targetport="2"/>`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		fab, _, err := ReadGraphML("fuzz", data)
		netfiletest.CheckRead(t, fab, err)
	})
}
