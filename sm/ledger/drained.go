package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Drain drains the switch or cable with this name in f. It refuses the cable of our own port, and a
// part without which some switches cannot reach each other.
func (l *Ledger) Drain(f *fabric.Fabric, name string) (fabric.Part, error) {
	p, err := f.FindPart(name)
	if err != nil {
		return p, err
	}
	return p, l.DrainPart(f, p)
}

// DrainPart is like Drain, for a part that was found.
func (l *Ledger) DrainPart(f *fabric.Fabric, p fabric.Part) error {
	own, port := l.Prog.FabricNode[0], l.PortNumber(l.OwnPort())
	if p.Link != fabric.NoLink && port > 0 && f.Nodes[own].Ports[port].Link == p.Link {
		return errors.New("it is the cable of our own port: run the manager at another one first")
	}
	was := f.IsDrained(p)
	f.SetDrained(p, true)
	if a, b, cut := f.CutOffByDrain(); cut {
		f.SetDrained(p, was)
		return fmt.Errorf("%s and %s would not reach each other without it", f.NodeName(a), f.NodeName(b))
	}
	return nil
}

// isDrained reports whether the cable at a port is drained.
func (l *Ledger) isDrained(slot int32) bool {
	v := l.Prog.FabricNode[l.Owner[slot]]
	if v < 0 || len(l.By.Drain)+len(l.By.Avoid) == 0 {
		return false
	}
	link := l.Fabric.Nodes[v].Ports[l.PortNumber(slot)].Link
	return link != fabric.NoLink && l.Fabric.Links[link].Drained
}

// Carries reports whether the Plan may use the cable at a port.
func (l *Ledger) Carries(slot int32) bool { return l.Peer[slot] != NoSlot && !l.isDrained(slot) }

// IsDrainedHost reports whether the cable at a port is drained and one of its ends is a CA, which
// then gets no LID.
func (l *Ledger) IsDrainedHost(slot int32) bool {
	t := l.Peer[slot]
	return t != NoSlot && l.isDrained(slot) && !(l.IsSwitch(slot) && l.IsSwitch(t))
}

// DrainedHosts returns the CA ports whose cable is drained. They keep their LIDs.
func (l *Ledger) DrainedHosts() (list []route.Absent) {
	for slot := range l.Addressable {
		if lids := LIDsIn(l.Info[slot][:]); lids.Base != 0 && l.IsDrainedHost(slot) {
			list = append(list, route.Absent{
				Node: l.Nodes[l.Owner[slot]].GUID, Port: l.PortNumber(slot), GUID: l.GUID[slot], Base: lids.Base, LMC: lids.LMC,
			})
		}
	}
	return list
}

// ListedBy returns the GUID that identifies an absent port: of its node, or of the port if the node
// is unknown.
func ListedBy(a route.Absent) fabric.GUID { return cmp.Or(a.Node, a.GUID) }

// WithoutForgotten returns the Plan without the reserved LIDs of forgotten nodes. The Plan itself
// is not changed. list holds GUIDs as ListedBy returns them.
func WithoutForgotten(p *route.Plan, list map[fabric.GUID]bool) *route.Plan {
	forgotten := func(a route.Absent) bool { return list[ListedBy(a)] }
	if !slices.ContainsFunc(p.Absent, forgotten) {
		return p
	}
	less := *p
	less.Absent = slices.DeleteFunc(slices.Clone(p.Absent), forgotten)
	return &less
}

// HostsAt warns about the hosts at a drained part; "" if there are none.
func HostsAt(f *fabric.Fabric, p fabric.Part) string {
	if p.Link != fabric.NoLink {
		for _, e := range []fabric.End{f.Links[p.Link].A, f.Links[p.Link].B} {
			if f.Nodes[e.Node].Type != fabric.Switch {
				return f.EndName(e) + " is cut off: the drained cable carries nothing"
			}
		}
		return ""
	}
	n := 0
	for i := range f.Nodes[p.Switch].Ports {
		if l := f.Nodes[p.Switch].Ports[i].Link; l != fabric.NoLink && !f.Links[l].Down {
			a, b := f.Links[l].A.Node, f.Links[l].B.Node
			if f.Nodes[a].Type != fabric.Switch || f.Nodes[b].Type != fabric.Switch {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of its cables lead to hosts: it keeps serving them, and its removal cuts them off", n)
}

// KeyOfPart names a switch by its GUID, and a cable by the GUID and the port of one of its ends.
func KeyOfPart(f *fabric.Fabric, p fabric.Part) string {
	if p.Link == fabric.NoLink {
		return f.Nodes[p.Switch].GUID.String()
	}
	e := f.Links[p.Link].A
	if f.Nodes[e.Node].Type != fabric.Switch {
		e = f.Links[p.Link].B
	}
	return fmt.Sprintf("%s[%d]", f.Nodes[e.Node].GUID, e.Port)
}

// PartNames returns the names for people of switches and cables. Missing ones keep the given name.
func PartNames(f *fabric.Fabric, parts []string) []string {
	list := slices.Clone(parts)
	for i, w := range parts {
		if f == nil {
			break
		}
		if p, err := f.FindPart(w); err == nil {
			list[i] = f.PartName(p)
		}
	}
	return list
}
