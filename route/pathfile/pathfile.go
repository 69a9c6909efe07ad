// Package pathfile reads and writes explicit paths as text: the P table of Lopez, Flich and Duato,
// "Deadlock-free Routing in InfiniBand through Destination Renaming" (paper 002, Fig. 2), and its H
// table. The R tables are the forwarding tables of fabric/netfile.
//
// A line of a P table is a path with fields separated by tabs: the source port, the target port,
// and the output ports of all switches between them but the last. A port is NODE[PORT], where NODE
// is a description or a GUID. The only end port of a node may omit [PORT]. A pair may have several
// paths, or none. The paths to a target keep the order of their lines, since assignments of LIDs
// such as greedy depend on it. A table has no lanes. Empty lines and lines that begin with # are
// ignored.
//
//	host 0[1]	host 5[1]	leaf 0[3]	spine 1[2]
//
// A line of an H table is a source, a target, and a LID of the target that the source uses; a pair
// may have several.
package pathfile

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// namer names the ports of a Graph.
type namer struct {
	g        *fabric.Graph
	many     map[string]int // nodes by description
	hosts    []string       // by end port: description or GUID
	switches []string
}

// newNamer names nodes by their description if it is unique in the network and fits a field, else
// by GUID.
func newNamer(g *fabric.Graph) *namer {
	n := &namer{g: g, many: map[string]int{}}
	counted := map[fabric.GUID]bool{}
	for e := range g.NumHosts {
		if !counted[g.EndNodeGUID[e]] {
			counted[g.EndNodeGUID[e]] = true
			n.many[g.EndDesc[e]]++
		}
	}
	for _, d := range g.SwitchDesc {
		n.many[d]++
	}
	name := func(desc string, guid fabric.GUID) string {
		if n.many[desc] == 1 && desc == strings.TrimSpace(desc) && desc != "" && !strings.ContainsAny(desc, "\t\r\n\"") && desc[0] != '#' {
			return desc
		}
		return guid.String()
	}
	for e := range g.NumHosts {
		n.hosts = append(n.hosts, name(g.EndDesc[e], g.EndNodeGUID[e]))
	}
	for s, d := range g.SwitchDesc {
		n.switches = append(n.switches, name(d, g.SwitchGUID[s]))
	}
	return n
}

// end names an end port of a host.
func (n *namer) end(e int32) string { return fmt.Sprintf("%s[%d]", n.hosts[e], n.g.EndNum[e]) }

// egress names the output port of a channel.
func (n *namer) egress(c int32) string {
	return fmt.Sprintf("%s[%d]", n.switches[n.g.From[c]], n.g.FromPort[c])
}
