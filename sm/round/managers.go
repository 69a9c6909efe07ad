package round

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// mastership records whether the round may write: not while another subnet manager is the master.
type mastership struct {
	claimed     bool                 // IsSM is set at our port
	granted     bool                 // the managers were asked, and we may write
	otherMaster bool                 // another manager is, or may be, the master
	askedAgain  bool                 // the managers were asked a second time
	master      *ledger.OtherManager // that manager; nil: none, or it is silent
	programmed  bool                 // some node holds values that a manager has written
	uncleared   bool                 // a PortStateChange was set at the start and not cleared
	overwritten fabric.LID           // MasterSMLID that another manager has written to a port of ours; 0: none has
}

// mayClearChange reports whether PortStateChange of a switch may be cleared. A master finds changes
// by it. So it stays until the other managers were asked, unless nothing shows that a manager has
// ever been here.
func (m *mastership) mayClearChange() bool { return m.granted || !m.programmed }

// queryManagers begins to ask other subnet managers; a read-only round skips this.
func (f *finder) queryManagers() {
	if f.given.ReadOnly {
		f.startSettling()
		return
	}
	f.Others, f.master, f.otherMaster = f.Others[:0], nil, false
	f.enterPhase(queryingManagers)
}

// queueManagers queues SMInfo requests to every port of a node that says IsSM. Our own port is
// asked until we have set IsSM there.
func (f *finder) queueManagers(id int32) {
	for slot := range f.PortsOf(id) {
		if f.TakesLID(slot) && f.Flags[slot]&ledger.PortKnown != 0 && (slot != f.OwnPort() || !f.claimed) &&
			mad.PortInfoCapabilityMask.Get(f.Info[slot][:])&mad.CapIsSM != 0 {
			f.enqueue(ledger.MakeTag(ledger.GetManager, slot, 0))
		}
	}
}

// onManager handles the SMInfo of another subnet manager. At our own port silence means nothing:
// setting IsSM will show whether it is possible.
func (f *finder) onManager(slot int32, ev *terms.Event) {
	lid := mad.PortInfoLID.Get(f.Info[slot][:])
	if ev.Outcome == terms.Cancelled || ev.Outcome != terms.Answered && slot == f.OwnPort() {
		return
	}
	if ev.Outcome != terms.Answered {
		f.onSilentManager(slot, lid)
		return
	}
	info := ev.Data[:]
	o := ledger.OtherManager{
		GUID: fabric.GUID(mad.SMInfoGUID.Get(info)), Priority: mad.SMInfoPriority.Get(info), State: mad.SMInfoSMState.Get(info),
		Path: slices.Clone(f.PathTo(slot, &f.paths)), Name: f.PortName(slot),
	}
	if why := (&claim{f, slot, &o, mad.SMInfoSMKey.Get(info)}).doubt(); why != "" {
		f.note(terms.Disbelieved, f.PortPlace(slot), "%s says that a subnet manager runs there (LID %d), which is not believed: %s", f.PortName(slot), lid, why)
		return
	}
	if guid := f.GUID[slot]; guid != 0 { // whatever it says, it is the manager at this port
		o.GUID = guid
	}
	f.Others = append(f.Others, o)
	who := fmt.Sprintf("LID %d, GUID %s, priority %d", lid, o.GUID, o.Priority)
	first := f.given.Elect && !o.Precedes(f.given.Priority, f.GUID[f.OwnPort()]) // we precede it
	before := f.otherMaster
	switch {
	case o.State == mad.SMStateMaster && o.GUID == f.given.HandedBy:
		f.noteManager(slot, false, "has the subnet manager that hands the subnet over (%s)", who)
	case o.State == mad.SMStateMaster && f.given.isEstablished() && first:
		f.noteManager(slot, false, "has a subnet manager that is the master too, and is to give way (%s)", who)
	case o.State == mad.SMStateMaster:
		f.noteManager(slot, true, "has the subnet manager that is the master (%s)", who)
	case o.State == mad.SMStateDiscovering && f.given.isEstablished() && f.given.Elect:
		f.noteManager(slot, false, "has a subnet manager that looks for the master, which we are (%s)", who)
	case o.State == mad.SMStateDiscovering:
		f.noteManager(slot, true, "has a subnet manager that is about to become the master (%s)", who)
	default:
		f.noteManager(slot, false, "has a subnet manager that is not the master (%s)", who)
	}
	if f.otherMaster && !before {
		f.master = &o
	}
}

// onSilentManager handles a port that says IsSM and does not answer SMInfo. A manager that starts
// leaves the subnet alone: the silent one may be the master. Silence does not end the work of a
// master, whose LIDs, tables and keys are in force.
func (f *finder) onSilentManager(slot int32, lid uint64) {
	f.Mute = append(f.Mute, f.GUID[slot])
	o := f.standsByForUs(slot)
	switch {
	case o != nil:
		o.Silent, o.Path = true, slices.Clone(f.PathTo(slot, &f.paths))
		f.Others = append(f.Others, *o)
		f.noteManager(slot, false, "has the subnet manager that stands by for us (LID %d), which does not answer SMInfo now", lid)
	case f.given.isEstablished():
		f.noteManager(slot, false, "says that a subnet manager runs there (LID %d), which does not answer SMInfo: this manager stays the master", lid)
	case f.given.Idle[f.GUID[slot]] != "":
		f.noteManager(slot, false, "says that a subnet manager runs there (LID %d), which does not answer SMInfo, and %s: it is not waited for any longer", lid, f.given.Idle[f.GUID[slot]])
	default:
		f.noteManager(slot, true, "says that a subnet manager runs there (LID %d), which does not answer SMInfo and may be the master", lid)
	}
}

// asksOnce reports whether a manager gets one request only, without retries: the answer of one that
// has been silent, or that is our standby, or that a master does not know, can wait for the next
// round.
func (f *finder) asksOnce(slot int32) bool {
	o, b := f.standsByForUs(slot), f.given.Before
	switch {
	case b == nil:
		return false
	case slices.Contains(b.Mute, f.GUID[slot]), slices.Contains(f.Mute, f.GUID[slot]):
		return true
	case o != nil:
		return !o.Precedes(f.given.Priority, f.GUID[f.OwnPort()])
	}
	return false
}

// standsByForUs returns the manager at a port from the previous ledger if it was our standby and
// still is, otherwise nil. That holds if its port and ours both still have our LID as MasterSMLID:
// a new master writes its own LID to all ports.
func (f *finder) standsByForUs(slot int32) *ledger.OtherManager {
	b := f.given.Before
	if b == nil || !f.given.Elect || f.GUID[slot] == 0 {
		return nil
	}
	for _, s := range [...]int32{slot, f.OwnPort()} {
		if mad.PortInfoMasterSMLID.Get(f.Info[s][:]) != uint64(b.Prog.SMLID) {
			return nil
		}
	}
	for _, o := range b.Others {
		if o.GUID == f.GUID[slot] && (o.State == mad.SMStateStandby || o.State == mad.SMStateNotActive) {
			return &o
		}
	}
	return nil
}

// noteManager notes another subnet manager, and whether it forbids writing.
func (f *finder) noteManager(slot int32, forbids bool, format string, args ...any) {
	text := f.PortName(slot) + " " + fmt.Sprintf(format, args...)
	switch {
	case !forbids:
	case f.given.TakeOver:
		text += ": the subnet is taken over, as told"
	default:
		text += ": nothing is written"
		f.otherMaster = true
	}
	f.note(terms.OtherManager, f.PortPlace(slot), "%s", text)
}

// missesMaster reports whether an unseen master may exist: our MasterSMLID is the LID of no port
// found, and something did not answer. On a bad link all repetitions of an SMP can be lost.
func (f *finder) missesMaster() bool {
	lid := mad.PortInfoMasterSMLID.Get(f.Info[f.OwnPort()][:])
	if f.granted || !f.Missed || lid == 0 || f.given.TakeOver {
		return false
	}
	for slot := range f.Owner {
		if f.TakesLID(int32(slot)) && f.Flags[slot]&ledger.PortKnown != 0 && mad.PortInfoLID.Get(f.Info[slot][:]) == lid {
			return false
		}
	}
	return true
}

// lacksMaster reports whether at least two other managers stand by, and none is the master. The
// master may have handed the subnet over between their answers: asked again, the new master says
// so.
func (f *finder) lacksMaster() bool {
	standbys := 0
	for i := range f.Others {
		if f.Others[i].State == mad.SMStateStandby {
			standbys++
		}
	}
	return standbys > 1 && !f.given.isEstablished() && !f.given.TakeOver
}

// managersQueried ends the round if another manager is the master. It sweeps again if a master may
// be unseen, and asks the managers again if none is the master though some stand by. Otherwise it
// claims our port.
func (f *finder) managersQueried() {
	f.overwritten = f.findOverwritten()
	switch {
	case f.otherMaster:
		f.finish(terms.OtherMaster)
		return
	case f.missesMaster() && f.sweep < f.given.Limits.Sweeps:
		f.beginSweep()
		return
	case f.lacksMaster() && !f.askedAgain:
		f.askedAgain = true
		f.queryManagers()
		return
	case !f.claimed:
		f.granted = true
		f.enterPhase(claiming)
		f.out = append(f.out, terms.Action{Kind: terms.Claim})
	default:
		f.granted = true
		f.startSettling()
	}
}

// startSettling begins to read PortStateChange again. If one was set and not cleared, changes could
// not show; then it sweeps again.
func (f *finder) startSettling() {
	if f.uncleared && f.sweep < f.given.Limits.Sweeps {
		f.beginSweep()
		return
	}
	f.enterPhase(settling)
}
