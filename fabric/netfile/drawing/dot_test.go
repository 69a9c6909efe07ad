package drawing

import (
	"bytes"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/netfiletest"
)

func TestWriteDot(t *testing.T) {
	f, _, err := discovery.ReadIBNetDiscover("small.net", netfiletest.Sample(t, "small.net"))
	if err != nil {
		t.Fatal(err)
	}
	f.Nodes[0].Desc = `say "\N" & co`
	text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteDot(b, f) })
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

// TestDotServers: a server with several adapters is one cluster with its name once, around all of
// them and nothing else.
func TestDotServers(t *testing.T) {
	f := fabric.New("two adapters")
	for i, desc := range []string{"leaf", "n1 mlx5_0", "n2 mlx5_0", "n1 mlx5_1"} {
		kind, ports := fabric.CA, 1
		if i == 0 {
			kind, ports = fabric.Switch, 4
		}
		id, err := f.AddNode(kind, fabric.GUID(i+1), ports, desc)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := f.Connect(fabric.End{Node: 0, Port: uint8(i)}, fabric.End{Node: id, Port: 1}, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := netfiletest.Written(t, func(b *bytes.Buffer) error { return WriteDot(b, f) })
	want := `	subgraph "cluster 0x0000000000000002" {
	label="n1";
	"H-0000000000000002" [label="mlx5_0", shape=ellipse, style=solid];
	"H-0000000000000004" [label="mlx5_1", shape=ellipse, style=solid];
	}
	"H-0000000000000003" [label="n2 mlx5_0", shape=ellipse, style=solid];
`
	if !strings.Contains(text, want) || strings.Count(text, "subgraph") != 1 || strings.Count(text, "H-0000000000000004") != 2 {
		t.Errorf("got\n%s\nwant in it\n%s", text, want)
	}
}
