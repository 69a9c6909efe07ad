package drawing

import (
	"bufio"
	"fmt"
	"io"

	"weft/fabric"
)

// WriteORCS writes a network and its forwarding tables for ORCS, Read and ReadLFTs. lids are base
// LIDs by end port, port the egress port of a switch for a LID. Hosts without a LID and aggregation
// nodes are left out, since ORCS would send to them. The format cannot hold lanes, LIDs other than
// the base LID, rates, and which ports belong to one node.
func WriteORCS(w io.Writer, g *fabric.Graph, lids []fabric.LID, port func(s int32, lid fabric.LID) uint8) error {
	names := make([]string, g.NumHosts)
	known := make(map[fabric.GUID]bool, g.NumHosts)
	for h := range int32(g.NumHosts) {
		guid := g.EndGUID[h]
		if known[guid] || guid == 0 {
			return fmt.Errorf("netfile: port GUID %s of %q cannot name a host of ORCS: it is 0, or another port has it too", guid, g.EndDesc[h])
		}
		known[guid] = true
		names[h] = fmt.Sprintf("H%016x", uint64(guid))
	}
	listed := func(h int32) bool { return lids[h] != 0 && g.IsHost(h) }
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph network {")
	for h, name := range names {
		if listed(int32(h)) {
			fmt.Fprintf(out, "\t%q [label=%s];\n", name, dotQuote(g.EndDesc[h]))
		}
	}
	for s, guid := range g.SwitchGUID {
		fmt.Fprintf(out, "\t\"%016x\" [label=%s];\n", uint64(guid), dotQuote(g.SwitchDesc[s]))
	}
	over := make([][]int32, fabric.MaxPorts+2) // by port: hosts
	for s := range int32(g.NumSwitches) {
		for p := range over {
			over[p] = over[p][:0]
		}
		for h := range int32(g.NumHosts) {
			if listed(h) {
				p := port(s, lids[h])
				over[p] = append(over[p], h)
			}
		}
		for p := int32(1); p <= g.SwitchPorts[s]; p++ {
			c, h := g.At(s, uint8(p))
			switch {
			case c >= 0:
				fmt.Fprintf(out, "\t\"%016x\" -> \"%016x\" [taillabel=\"%d\", headlabel=\"%d\"", uint64(g.SwitchGUID[s]), uint64(g.SwitchGUID[g.To[c]]), p, g.ToPort[c])
				writeTargets(out, names, over[p])
			case h >= 0 && listed(h):
				fmt.Fprintf(out, "\t%q -> \"%016x\" [comment=\"*\"];\n", names[h], uint64(g.SwitchGUID[s]))
				fmt.Fprintf(out, "\t\"%016x\" -> %q [taillabel=\"%d\"", uint64(g.SwitchGUID[s]), names[h], p)
				writeTargets(out, names, over[p])
			}
		}
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// writeTargets writes the comment that ends an edge. There may be 10^8 names in a file.
func writeTargets(out *bufio.Writer, names []string, hosts []int32) {
	out.WriteString(", comment=\"")
	for i, h := range hosts {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(names[h])
	}
	out.WriteString("\"];\n")
}
