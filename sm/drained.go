package sm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// drain drains what a name names.
func (l *ledger) drain(f *fabric.Fabric, name string) (fabric.Part, error) {
	p, err := f.FindPart(name)
	if err != nil {
		return p, err
	}
	own, port := l.prog.fabricNode[0], l.portNumber(l.ownPort())
	if p.Link != fabric.NoLink && port > 0 && f.Nodes[own].Ports[port].Link == p.Link {
		return p, errors.New("it is the cable of our own port: run the manager at another one first")
	}
	was := f.IsDrained(p)
	f.SetDrained(p, true)
	if a, b, cut := f.CutOffByDrain(); cut {
		f.SetDrained(p, was)
		return p, fmt.Errorf("%s and %s would not reach each other without it", f.NodeName(a), f.NodeName(b))
	}
	return p, nil
}

// isDrained reports whether the cable in a port is drained.
func (l *ledger) isDrained(slot int32) bool {
	v := l.prog.fabricNode[l.owner[slot]]
	if v < 0 || len(l.by.drain) == 0 {
		return false
	}
	link := l.fabric.Nodes[v].Ports[l.portNumber(slot)].Link
	return link != fabric.NoLink && l.fabric.Links[link].Drained
}

// carries reports whether the Plan may use the cable in a port.
func (l *ledger) carries(slot int32) bool { return l.peer[slot] != noSlot && !l.isDrained(slot) }

// isDrainedHost reports whether the cable in a port is drained and leads from or to a CA, which then has no LID.
func (l *ledger) isDrainedHost(slot int32) bool {
	t := l.peer[slot]
	return t != noSlot && l.isDrained(slot) && !(l.isSwitch(slot) && l.isSwitch(t))
}

// drainedHosts lists the hosts whose cable is drained, which keep the LIDs that they have.
func (l *ledger) drainedHosts() (list []route.Absent) {
	for slot := range l.addressable {
		lid := fabric.LID(mad.PortInfoLID.Get(l.info[slot][:]))
		if lid != 0 && l.isDrainedHost(slot) {
			list = append(list, route.Absent{
				Node: l.nodes[l.owner[slot]].guid, Port: l.portNumber(slot), GUID: l.guid[slot], Base: lid, LMC: uint8(mad.PortInfoLMC.Get(l.info[slot][:])),
			})
		}
	}
	return list
}

// listedBy returns the GUID by which the node of a port that is gone is listed.
func listedBy(a route.Absent) fabric.GUID { return cmp.Or(a.Node, a.GUID) }

// withoutForgotten returns a Plan that does not keep the LIDs of the nodes that are forgotten.
func withoutForgotten(p *route.Plan, list map[fabric.GUID]bool) *route.Plan {
	forgotten := func(a route.Absent) bool { return list[listedBy(a)] }
	if !slices.ContainsFunc(p.Absent, forgotten) {
		return p
	}
	less := *p
	less.Absent = slices.DeleteFunc(slices.Clone(p.Absent), forgotten)
	return &less
}
