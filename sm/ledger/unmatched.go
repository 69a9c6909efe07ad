package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/sm/partition"
)

// Unmatched is a member of a partition that selects no port.
type Unmatched struct {
	Part   int    // index of the partition
	Member string // as in the file
	Why    string // in words
	Away   bool   // its port was there before
}

// FindUnmatched lists the members of partitions that select no port. Those for which the Plan keeps
// LIDs are away.
func (l *Ledger) FindUnmatched() (list []Unmatched) {
	if l.By.Partitions == nil || !l.By.Partitions.Partitions.NamesPorts() {
		return nil
	}
	guids, descriptions := map[fabric.GUID]bool{}, map[string]bool{}
	for slot, guid := range l.GUID {
		if l.TakesLID(int32(slot)) {
			guids[guid] = true
		}
	}
	for alias, port := range l.By.Aliases {
		if guids[port] {
			guids[alias] = true
		}
	}
	for i := range l.Nodes {
		descriptions[l.Nodes[i].Desc] = true
	}
	ps := l.By.Partitions.Partitions
	named := map[Unmatched]bool{}
	for part, members := range ps.Unmatched(guids, descriptions) {
		for _, at := range members {
			m := &ps[part].Members[at]
			u := Unmatched{Part: part, Member: m.String(), Why: "no node has such a description"}
			if m.Who == partition.OnePort {
				u.Away = slices.ContainsFunc(l.Plan.Absent, func(a route.Absent) bool { return a.GUID == m.GUID })
				u.Why = l.whyUnmatched(m.GUID, u.Away)
			}
			if !named[u] {
				named[u] = true
				list = append(list, u)
			}
		}
	}
	return list
}

// whyUnmatched says why no port has a GUID.
func (l *Ledger) whyUnmatched(guid fabric.GUID, away bool) string {
	if away {
		return "the port is not in the subnet now"
	}
	for i := range l.Nodes {
		n, what := &l.Nodes[i], "node GUID"
		switch guid {
		case n.GUID:
		case n.System:
			what = "system image GUID"
		default:
			continue
		}
		var ports []string
		for slot := range l.PortsOf(int32(i)) {
			if l.TakesLID(slot) && l.GUID[slot] != 0 {
				ports = append(ports, l.GUID[slot].String())
			}
		}
		return fmt.Sprintf("no port has this GUID: it is the %s of %s, with port GUID %s", what, l.NodeName(int32(i)), cmp.Or(strings.Join(ports, ", "), "unknown"))
	}
	return "no port has this GUID"
}
