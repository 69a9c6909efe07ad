package simulators

import (
	"bufio"
	"fmt"
	"io"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// WriteNS3 writes the topology file of HPCC's programs on ns-3 (Li et al., SIGCOMM 2019), which
// others have taken over: the numbers of nodes, switches and links; the switches; then a line for
// each link with both nodes, rate, delay and error rate. Nodes are numbered from 0, hosts before
// switches, each by GUID.
//
// The programs number the ports of a node by the order of its lines. They read no further than the
// last link, so the names and GUIDs of all nodes follow there as comments.
func WriteNS3(w io.Writer, f *fabric.Fabric) ([]lines.Warning, error) {
	l, err := newListing(f)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d %d %d\n", len(l.hosts)+len(l.switches), len(l.switches), len(l.links))
	number := make([]int, len(f.Nodes))
	for i, id := range l.hosts {
		number[id] = i
	}
	for i, id := range l.switches {
		number[id] = len(l.hosts) + i
		if i > 0 {
			fmt.Fprint(out, " ")
		}
		fmt.Fprint(out, number[id])
	}
	fmt.Fprintln(out)
	for _, id := range l.links {
		k := &f.Links[id]
		fmt.Fprintf(out, "%d %d %s 1000ns 0\n", number[k.A.Node], number[k.B.Node], rateText(l.mbps(id)))
	}
	for _, nodes := range [][]fabric.NodeID{l.hosts, l.switches} {
		for _, id := range nodes {
			n := &f.Nodes[id]
			fmt.Fprintf(out, "# %d %s %s\n", number[id], n.GUID, lines.Printable(n.Desc))
		}
	}
	return l.warnings, out.Flush()
}
