package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/wire/mad"
)

// claim is the statement of a port about its manager.
type claim struct {
	*finder
	slot  int32
	other *ledger.OtherManager
	key   uint64 // its SM_Key
}

// doubt returns why a manager that answered SMInfo does not count, "" if it does. What it says of
// itself proves nothing: any program may say that it is the master. A manager that starts
// believes it all the same, except one that has long had its chance (Given.Idle). A manager of this
// subnet shows its SM_Key to the master (14.2.5.13); all others are strangers.
func (f *claim) doubt() string {
	slot, o := f.slot, f.other
	established, idle := f.given.isEstablished(), f.given.Idle[f.GUID[slot]]
	first := f.given.Elect && !o.Precedes(f.given.Priority, f.GUID[f.OwnPort()])
	switch {
	case f.given.TakeOver:
		return ""
	case established && f.GUID[slot] != 0 && o.GUID != f.GUID[slot]:
		return "it names the GUID of another port"
	case established && f.key != f.given.SMKey && o.GUID != f.given.HandedBy:
		return "its SM_Key is not ours (--sm-key)"
	case idle != "" && o.State != mad.SMStateStandby && !f.hasWritten():
		return idle
	case established && !first && o.State == mad.SMStateMaster && o.GUID != f.given.HandedBy && f.isLockedOut():
		return "it says that it is the master, but our M_Keys lock it out and it has written nothing"
	}
	return ""
}

// isEstablished reports whether the subnet is ours: our tables are in force, or the manager whose
// tables are in force leaves it to us. Any other manager must then show that it may have it.
func (g *Given) isEstablished() bool { return g.Before != nil || g.Inherit.IsLeft }

// hasWritten reports whether some port has the LID of another manager's port as MasterSMLID. What
// the node of that manager says of itself is no evidence.
func (f *claim) hasWritten() bool {
	lid := mad.PortInfoLID.Get(f.Info[f.slot][:])
	for other := range f.addressed {
		if f.Owner[other] != f.Owner[f.slot] && mad.PortInfoMasterSMLID.Get(f.Info[other][:]) == lid && lid != 0 && lid != mad.PortInfoLID.Get(f.Info[f.OwnPort()][:]) {
			return true
		}
	}
	return false
}

// isLockedOut reports whether the manager can write to no port of the subnet, beside its own,
// without our M_Keys: all ports have their planned keys and hide them, and name us as the master,
// or the manager that leaves the subnet to us.
func (f *claim) isLockedOut() bool {
	if !f.given.isEstablished() || f.Keys.ToHave(f.GUID[f.OwnPort()]) == 0 || f.Keys.Protect == 0 {
		return false
	}
	for other := range f.addressed {
		info := f.Info[other][:]
		known := mad.PortInfoMKey.Get(info) == f.Keys.ToHave(f.GUID[other]) && mad.PortInfoMKeyProtectBits.Get(info) != 0
		lid := mad.PortInfoMasterSMLID.Get(info)
		if f.Owner[other] != f.Owner[f.slot] && f.wasOurs(other) && lid != 0 && (!known || !f.isOurs(lid)) {
			return false
		}
	}
	return true
}

// isOurs reports whether a MasterSMLID is ours, or that of the manager that leaves the subnet to
// us.
func (f *claim) isOurs(lid uint64) bool {
	if b := f.given.Before; b != nil {
		return lid == uint64(b.Prog.SMLID)
	}
	for slot := range f.addressed {
		if (slot == f.OwnPort() || f.GUID[slot] == f.given.HandedBy) && mad.PortInfoLID.Get(f.Info[slot][:]) == lid {
			return true
		}
	}
	return false
}

// addressed yields the slots of the known ports that can have a LID, before there is a Fabric.
func (f *finder) addressed(yield func(slot int32) bool) {
	for slot := range int32(len(f.Owner)) {
		if f.TakesLID(slot) && f.Flags[slot]&ledger.PortKnown != 0 && !yield(slot) {
			return
		}
	}
}

// wasOurs reports whether a port named us as its master in the round before. It still does, unless
// somebody else has written to it or its node has restarted. Without such a round all are taken to
// have done so.
func (f *finder) wasOurs(slot int32) bool {
	b := f.given.Before
	if b == nil {
		return true
	}
	was, ok := b.SlotOf(f.Nodes[f.Owner[slot]].GUID, f.PortNumber(slot))
	return ok && mad.PortInfoMasterSMLID.Get(b.Info[was][:]) == uint64(b.Prog.SMLID)
}

// findOverwritten returns the MasterSMLID that another manager has written to a port of ours since
// the round before, 0 if there is none. A restarted port has 0.
func (f *finder) findOverwritten() fabric.LID {
	if f.given.Before == nil {
		return 0
	}
	for slot := range f.addressed {
		lid := fabric.LID(mad.PortInfoMasterSMLID.Get(f.Info[slot][:]))
		if lid != 0 && lid != f.given.Before.Prog.SMLID && f.wasOurs(slot) {
			return lid
		}
	}
	return 0
}

// ownSMInfo returns the SMInfo that a master sends with a question to other managers: an old OpenSM
// shows its SM_Key only to a master. It lacks our own SM_Key, since anybody may say IsSM. It is nil
// while this manager is neither the master nor gets the subnet from it.
func (f *finder) ownSMInfo() []byte {
	if !f.given.isEstablished() {
		return nil
	}
	data := make([]byte, 64)
	mad.SMInfoGUID.Put(data, uint64(f.GUID[f.OwnPort()]))
	mad.SMInfoPriority.Put(data, uint64(f.given.Priority))
	mad.SMInfoSMState.Put(data, mad.SMStateMaster)
	return data
}
