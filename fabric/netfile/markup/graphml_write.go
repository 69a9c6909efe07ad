package markup

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WriteGraphML writes the parts that are up as an undirected graph: nodes with type, label, guid
// and ports, edges with their ports, width and speed. ReadGraphML reads all of that back. The file
// has no LIDs, port GUIDs, vendors, systems, chassis, roles and drains. Bytes of descriptions that
// XML cannot hold are replaced.
func WriteGraphML(w io.Writer, f *fabric.Fabric) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, xml.Header, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")
	for _, k := range [...]struct{ id, of, kind string }{
		{"type", "node", "string"},
		{"label", "node", "string"},
		{"guid", "node", "string"},
		{"ports", "node", "int"},
		{"width", "edge", "int"},
		{"speed", "edge", "string"},
	} {
		fmt.Fprintf(out, "<key id=%q for=%q attr.name=%q attr.type=%q/>\n", k.id, k.of, k.id, k.kind)
	}
	fmt.Fprintf(out, "<graph id=\"%s\" edgedefault=\"undirected\">\n", escaped(f.Name))
	order := lines.ListingOrder(f)
	for _, id := range order {
		n := &f.Nodes[id]
		fmt.Fprintf(out, "<node id=%q><data key=\"type\">%s</data><data key=\"guid\">%s</data><data key=\"ports\">%d</data><data key=\"label\">%s</data>",
			lines.NodeID(n), n.Type, n.GUID, n.NumPorts(), escaped(n.Desc))
		for p := range f.Cabled(id, f.LinkUp) {
			fmt.Fprintf(out, "<port name=\"%d\"/>", p)
		}
		fmt.Fprint(out, "</node>\n")
	}
	done := make([]bool, len(f.Links))
	for _, id := range order {
		for _, l := range f.Cabled(id, f.LinkUp) {
			if !done[l] {
				done[l] = true
				writeEdge(out, f, &f.Links[l])
			}
		}
	}
	fmt.Fprint(out, "</graph>\n</graphml>\n")
	return out.Flush()
}

func writeEdge(out *bufio.Writer, f *fabric.Fabric, l *fabric.Link) {
	fmt.Fprintf(out, "<edge source=%q target=%q sourceport=\"%d\" targetport=\"%d\">",
		lines.NodeID(&f.Nodes[l.A.Node]), lines.NodeID(&f.Nodes[l.B.Node]), l.A.Port, l.B.Port)
	if l.Width > 0 {
		fmt.Fprintf(out, "<data key=\"width\">%d</data>", l.Width)
	}
	if l.Speed != fabric.SpeedUnknown {
		fmt.Fprintf(out, "<data key=\"speed\">%s</data>", l.Speed)
	}
	fmt.Fprint(out, "</edge>\n")
}

// escaped returns a text as XML holds it in content and attributes.
func escaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(lines.Printable(text))); err != nil {
		panic(err) // a strings.Builder takes everything
	}
	return b.String()
}
