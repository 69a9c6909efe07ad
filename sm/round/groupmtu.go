package round

import (
	"cmp"

	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
)

// noteGroupMTU notes the devices whose MTU is below that of a permanent multicast group: a cable
// of the trees lowers it for all groups, and a host cannot join.
func (w *writer) noteGroupMTU() {
	want := uint64(sa.UsualGroupMTU)
	if p := w.By.Partitions; p != nil {
		want = 0
		for i := range p.Partitions {
			for _, g := range p.Partitions[i].Groups {
				want = max(want, uint64(cmp.Or(g.MTU, sa.UsualGroupMTU)))
			}
		}
	}
	least, narrow, hosts, host := want, ledger.NoSlot, 0, ledger.NoSlot
	for slot := range w.treeCables {
		if mtu := w.LinkMTU(slot); mtu < least {
			least, narrow = mtu, slot
		}
	}
	for slot, t := range w.Peer {
		if t == ledger.NoSlot || w.Prog.FabricNode[w.Owner[slot]] < 0 {
			continue
		}
		if w.Prog.End[slot] >= 0 && w.LinkMTU(int32(slot)) < want {
			if hosts++; hosts == 1 {
				host = int32(slot)
			}
		}
	}
	if narrow != ledger.NoSlot {
		w.note(terms.NotEnough, w.PortPlace(narrow), "multicast groups have an MTU of %d bytes instead of %d: the cable %s - %s carries no more", 128<<least, 128<<want, w.PortName(narrow), w.PortName(w.Peer[narrow]))
	} else if hosts > 0 {
		w.note(terms.NotEnough, w.PortPlace(host), "%d ports cannot join a multicast group with an MTU of %d bytes, the first is %s, with %d", hosts, 128<<want, w.PortName(host), 128<<w.LinkMTU(host))
	}
}

// treeCables yields the switch ports of the cables that the trees for groups use, at the lower end.
func (w *writer) treeCables(yield func(slot int32) bool) {
	if w.Plan.Multicast == nil {
		return
	}
	g := w.Graph
	for i := range w.Plan.Multicast.Trees {
		for sw, c := range w.Plan.Multicast.Trees[i].Up {
			if c >= 0 && !yield(w.Nodes[w.ByGUID[g.SwitchGUID[sw]]].First+int32(g.FromPort[c])) {
				return
			}
		}
	}
}
