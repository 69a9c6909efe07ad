package opensm

import (
	"bytes"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"

	"weft/fabric"
	"weft/sm/partition"
)

// Partitions writes partitions in OpenSM's syntax: MTU and rate as codes, and patterns of
// descriptions replaced by the matching ports of the subnet. both reports whether a port is a full
// and a limited member at once, which OpenSM must be told to allow.
func Partitions(ps partition.Partitions, subnet *fabric.Fabric) (text []byte, both bool, notes []Note) {
	var b bytes.Buffer
	var apart []string // lines to follow with further flags of a partition
	for i := range ps {
		p := &ps[i]
		fmt.Fprintf(&b, "%s=0x%04x", p.Name, p.Key)
		if p.IndexZero {
			b.WriteString(",indx0")
		}
		sl := p.SL // to write on a line of its own, unless the ipoib group has the same
		for g := range p.Groups {
			if p.Groups[g].Broadcast {
				b.WriteString(",ipoib" + flags(&p.Groups[g]))
				if sl == p.Groups[g].SL {
					sl = 0
				}
			}
		}
		if sl > 0 {
			apart = append(apart, fmt.Sprintf("%s=0x%04x,sl=%d : ;\n", p.Name, p.Key, sl))
		}
		b.WriteString(" :\n")
		for g := range p.Groups {
			if !p.Groups[g].Broadcast {
				fmt.Fprintf(&b, "    mgid=%s%s\n", netip.AddrFrom16(p.Groups[g].MGID), flags(&p.Groups[g]))
			}
		}
		var list []string
		for _, m := range p.Members {
			if m.Who != partition.Described {
				list = append(list, "    "+m.String())
				continue
			}
			ports := described(subnet, m.Pattern)
			notes = append(notes, Note{Option: "partitions", Fate: Left, Text: fmt.Sprintf("%s, %q: OpenSM has no patterns; the %d matching ports are written", p.Name, m.Pattern, len(ports))})
			for _, guid := range ports {
				one := partition.Member{Who: partition.OnePort, GUID: guid, As: m.As}
				list = append(list, "    "+one.String())
			}
		}
		both = both || slices.ContainsFunc(list, func(line string) bool { return strings.HasSuffix(line, "=both") })
		b.WriteString(strings.Join(list, ",\n"))
		b.WriteString(" ;\n")
	}
	b.WriteString(strings.Join(apart, ""))
	return b.Bytes(), both, notes
}

// flags writes the flags of a multicast group.
func flags(g *partition.Group) string {
	var b bytes.Buffer
	for _, f := range [...]struct {
		name  string
		value uint32
	}{{"mtu", uint32(g.MTU)}, {"rate", uint32(g.Rate)}, {"sl", uint32(g.SL)}, {"scope", uint32(g.Scope)}, {"TClass", uint32(g.TClass)}, {"FlowLabel", g.FlowLabel}} {
		if f.value > 0 {
			fmt.Fprintf(&b, ",%s=%d", f.name, f.value)
		}
	}
	if g.QKey > 0 {
		fmt.Fprintf(&b, ",Q_Key=0x%x", g.QKey)
	}
	return b.String()
}

// described lists the end ports of nodes whose description matches a pattern.
func described(f *fabric.Fabric, pattern string) (ports []fabric.GUID) {
	if f == nil {
		return nil
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if ok, err := path.Match(pattern, n.Desc); !ok || err != nil {
			continue
		}
		for number := range n.Ports {
			if guid := n.Ports[number].GUID; (number == 0) == (n.Type == fabric.Switch) && guid != 0 && !slices.Contains(ports, guid) {
				ports = append(ports, guid)
			}
		}
	}
	return ports
}
