package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/wire/mad"
)

// Clients holds what a round has found out of clients of subnet administration.
type Clients struct {
	WasActive bool       // a port of a CA was Active when the round began to write
	Others    bool       // such a port had another LID as that of its master than ours
	Told      fabric.LID // that of its master, of our own port
}

// noteClients notes, before a port is written, who was its master.
func (w *writer) noteClients(slot int32) {
	info := w.Info[slot][:]
	if w.IsSwitch(slot) || w.Flags[slot]&ledger.PortKnown == 0 || mad.PortInfoPortState.Get(info) != mad.PortActive {
		return
	}
	w.clients.WasActive = true
	lid := fabric.LID(mad.PortInfoMasterSMLID.Get(info))
	if slot == w.OwnPort() {
		w.clients.Told = lid
	}
	if lid != 0 && lid != w.Prog.SMLID {
		w.clients.Others = true
	}
}

// mustReregister reports whether the clients at a port are to register again: all are, or the port was away.
func (w *writer) mustReregister(slot int32) bool {
	if w.Prog.End[slot] < 0 || w.IsSwitch(slot) || mad.PortInfoCapabilityMask.Get(w.Info[slot][:])&mad.CapIsClientReregistration == 0 {
		return false
	}
	if w.given.Reregister || w.given.Before == nil {
		return w.given.Reregister
	}
	_, known := w.given.Before.SlotOf(w.Nodes[w.Owner[slot]].GUID, w.PortNumber(slot))
	return !known
}
