// Package drawing reads and writes graphs in the language of Graphviz. WriteDot writes a network
// for drawing. WriteORCS and the reading functions handle the input of the simulator ORCS, a
// directed graph with the routes in its comments.
package drawing

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WriteDot writes the parts that are up as an undirected graph for Graphviz (dot, neato, sfdp):
// switches as boxes, CAs and routers as ellipses. Each cable is written from its upper end, so that
// dot puts hosts below switches, and switches higher the further they are from hosts. Port numbers
// label cables between nodes with several cables in common, and cables from a switch to a node with
// several ports. A server with several adapters is a box with its name around them (a cluster).
// Drained parts are dashed. Nodes are identified by their ids ("S-guid") and
// labelled by description.
func WriteDot(w io.Writer, f *fabric.Fabric) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "graph %s {\n", dotQuote(f.Name))
	fmt.Fprintln(out, "\tranksep=1.5;")
	fmt.Fprintln(out, "\tnode [fontname=\"Helvetica\", fontsize=10];")
	fmt.Fprintln(out, "\tedge [fontname=\"Helvetica\", fontsize=8];")
	order := lines.ListingOrder(f)
	writeDotNodes(out, f, order)
	level := dotLevels(f)
	for _, id := range dotLinks(f, order) {
		a, b := f.Links[id].A, f.Links[id].B
		if level[a.Node] < level[b.Node] || (level[a.Node] == level[b.Node] && f.Nodes[a.Node].GUID > f.Nodes[b.Node].GUID) {
			a, b = b, a
		}
		writeDotLink(out, f, a, b, f.Links[id].Drained)
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// dotQuote formats a double-quoted string of Graphviz, with backslashes and quotes escaped. Bytes
// that are not UTF-8 are replaced.
func dotQuote(s string) string {
	s = strings.ToValidUTF8(lines.Printable(s), "?")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// writeDotNodes writes the nodes, the adapters of a server together.
func writeDotNodes(out *bufio.Writer, f *fabric.Fabric, order []fabric.NodeID) {
	servers := f.Servers()
	adapters := make([][]fabric.NodeID, len(servers.List))
	for _, id := range order {
		if s := servers.Of[id]; s != fabric.NoServer {
			adapters[s] = append(adapters[s], id)
		}
	}
	for _, id := range order {
		n, s := &f.Nodes[id], servers.Of[id]
		switch {
		case s == fabric.NoServer || len(adapters[s]) == 1:
			writeDotNode(out, n, n.Desc)
		case id == adapters[s][0]:
			name := servers.List[s].Name
			fmt.Fprintf(out, "\tsubgraph \"cluster %s\" {\n\tlabel=%s;\n", servers.List[s].GUID, dotLabel(name))
			for _, a := range adapters[s] {
				n := &f.Nodes[a]
				if host, device := fabric.HostAndDevice(n.Desc); host == name && device != "" {
					writeDotNode(out, n, device)
				} else {
					writeDotNode(out, n, n.Desc)
				}
			}
			fmt.Fprintln(out, "\t}")
		}
	}
}

func writeDotNode(out *bufio.Writer, n *fabric.Node, label string) {
	shape, style := "ellipse", "solid"
	switch {
	case n.Type == fabric.Switch && n.Drained:
		shape, style = "box", "dashed"
	case n.Type == fabric.Switch:
		shape = "box"
	}
	if label == "" {
		label = lines.NodeID(n)
	}
	fmt.Fprintf(out, "\t%q [label=%s, shape=%s, style=%s];\n", lines.NodeID(n), dotLabel(label), shape, style)
}

// dotLabel formats a label: dot reads &...; in it as an HTML entity.
func dotLabel(text string) string { return dotQuote(strings.ReplaceAll(text, "&", "&amp;")) }

// dotLevels returns the level of every node: -1 for hosts, 0 for switches with hosts.
func dotLevels(f *fabric.Fabric) []int32 {
	var leaves []fabric.NodeID
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch && hasHosts(f, fabric.NodeID(i)) {
			leaves = append(leaves, fabric.NodeID(i))
		}
	}
	return f.SwitchHops(leaves, f.LinkUp)
}

func hasHosts(f *fabric.Fabric, id fabric.NodeID) bool {
	for _, l := range f.Cabled(id, f.LinkUp) {
		if !f.IsSwitchLink(l) {
			return true
		}
	}
	return false
}

// dotLinks lists the links that are up, in the listing order of nodes, and by port.
func dotLinks(f *fabric.Fabric, order []fabric.NodeID) []fabric.LinkID {
	var links []fabric.LinkID
	done := make([]bool, len(f.Links))
	for _, id := range order {
		for _, l := range f.Cabled(id, f.LinkUp) {
			if !done[l] {
				done[l] = true
				links = append(links, l)
			}
		}
	}
	return links
}

func writeDotLink(out *bufio.Writer, f *fabric.Fabric, a, b fabric.End, drained bool) {
	na, nb := &f.Nodes[a.Node], &f.Nodes[b.Node]
	var attrs []string
	if nb.Type != fabric.Switch && nb.NumPorts() > 1 || cablesBetween(f, a.Node, b.Node) > 1 {
		attrs = append(attrs, fmt.Sprintf("taillabel=\"%d\", headlabel=\"%d\"", a.Port, b.Port))
	}
	if drained {
		attrs = append(attrs, "style=dashed")
	}
	fmt.Fprintf(out, "\t%q -- %q", lines.NodeID(na), lines.NodeID(nb))
	if len(attrs) > 0 {
		fmt.Fprintf(out, " [%s]", strings.Join(attrs, ", "))
	}
	fmt.Fprintln(out, ";")
}

// cablesBetween counts the cables that are up between two nodes. It scans the node with fewer
// ports.
func cablesBetween(f *fabric.Fabric, a, b fabric.NodeID) int {
	if f.Nodes[b].NumPorts() < f.Nodes[a].NumPorts() {
		a, b = b, a
	}
	n := 0
	for p := range f.Cabled(a, f.LinkUp) {
		if f.Peer(fabric.End{Node: a, Port: p}).Node == b {
			n++
		}
	}
	return n
}
