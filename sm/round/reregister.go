package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/wire/mad"
)

// Clients holds facts about clients of subnet administration, found before the round wrote to
// ports.
type Clients struct {
	WasActive bool       // a CA port was Active when the writing began
	Others    bool       // such a port had a nonzero MasterSMLID other than our LID
	Told      fabric.LID // MasterSMLID of our own port
}

// noteClients records the MasterSMLID of a port before the round writes it.
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

// mustReregister reports whether a port gets ClientReregister: all ports do, or the port was absent
// in the previous round.
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
