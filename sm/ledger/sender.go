package ledger

import (
	"weft/fabric"
	"weft/wire/mad"
)

// PortWithLID returns the GUID of the port whose PortInfo has a LID; 0: none. A standby has no Plan
// that PortOfLID could ask.
func (l *Ledger) PortWithLID(lid uint16) fabric.GUID {
	for slot := range l.Owner {
		base := mad.PortInfoLID.Get(l.Info[slot][:])
		if n := uint64(1) << mad.PortInfoLMC.Get(l.Info[slot][:]); l.TakesLID(int32(slot)) && base != 0 && uint64(lid)-base < n {
			return l.GUID[slot]
		}
	}
	return 0
}

// TraceBack follows a directed route back from a port to its sender, over the cables of the Ledger.
// path holds, by hop, the port at which the datagram came in.
func (l *Ledger) TraceBack(slot int32, hops int, path []byte) (sender int32, ok bool) {
	for i := min(hops, len(path)-1); i > 0; i-- {
		port, ok := l.SlotOf(l.Nodes[l.Owner[slot]].GUID, path[i])
		if !ok || l.Peer[port] == NoSlot {
			return slot, false
		}
		slot = l.Peer[port]
	}
	return slot, true
}
