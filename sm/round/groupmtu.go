package round

import (
	"cmp"

	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
)

// noteGroupMTU notes the devices whose MTU is below that of a permanent multicast group: a cable
// between switches lowers it for all groups, and a host cannot join.
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
	for slot, t := range w.Peer {
		if t == ledger.NoSlot || w.Prog.FabricNode[w.Owner[slot]] < 0 {
			continue
		}
		switch mtu := w.LinkMTU(int32(slot)); {
		case mtu >= want:
		case w.IsSwitch(int32(slot)) && w.IsSwitch(t) && mtu < least:
			least, narrow = mtu, int32(slot)
		case w.Prog.End[slot] >= 0:
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
