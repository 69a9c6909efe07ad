package drawing

import (
	"bytes"
	"strings"
	"testing"

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
