package sm

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// mastership records whether the subnet may be written to: not while another subnet
// manager is its master.
type mastership struct {
	claimed     bool          // IsSM is set at our port
	granted     bool          // the subnet is ours: the ports that say IsSM were asked, in this round or in an earlier one
	otherMaster bool          // another manager is, or may be, the master
	master      *otherManager // of the others, the one that is to be left alone; nil where it is silent, or none is
	programmed  bool          // a node holds what some manager has written
	uncleared   bool          // a PortStateChange that was set when the sweep began was not cleared
}

// mayClearChange reports whether PortStateChange of a switch may be cleared. A master
// finds changes by it, so it stays until the ports that say IsSM were asked, unless
// nothing that was found so far shows that a manager has ever been here.
func (m *mastership) mayClearChange() bool { return m.granted || !m.programmed }

// queryManagers begins to ask other subnet managers, where anything is to be written.
func (f *finder) queryManagers() {
	if f.given.ReadOnly {
		f.startSettling()
		return
	}
	f.others, f.master = f.others[:0], nil
	f.enterPhase(queryingManagers)
}

// queueManagers queues a query to every port of a node that says that a subnet manager
// runs there. Our own port is asked as long as IsSM is not ours.
func (f *finder) queueManagers(id int32) {
	for slot := range f.portsOf(id) {
		if f.takesLID(slot) && f.flags[slot]&portKnown != 0 && (slot != f.ownPort() || !f.claimed) &&
			mad.PortInfoCapabilityMask.Get(f.info[slot][:])&mad.CapIsSM != 0 {
			f.enqueue(makeTag(getManager, slot, 0))
		}
	}
}

// onManager takes what another subnet manager says of itself. One that does not answer
// may be the master, except one that stands by for us, and except at our own port: whether IsSM can be set there, setting it
// will show.
func (f *finder) onManager(slot int32, ev *Event) {
	lid := mad.PortInfoLID.Get(f.info[slot][:])
	if ev.Outcome == Cancelled || ev.Outcome != Answered && slot == f.ownPort() {
		return
	}
	if o := f.standsByForUs(slot); o != nil && ev.Outcome != Answered {
		o.silent, o.path = true, slices.Clone(f.pathTo(slot, &f.paths))
		f.others = append(f.others, *o)
		f.noteManager(slot, false, "has the subnet manager that stands by for us (LID %d), which does not answer SMInfo now", lid)
		return
	}
	if ev.Outcome != Answered {
		f.noteManager(slot, true, "says that a subnet manager runs there (LID %d), which does not answer SMInfo and may be the master", lid)
		return
	}
	info := ev.Data[:]
	o := otherManager{
		guid: fabric.GUID(mad.SMInfoGUID.Get(info)), priority: mad.SMInfoPriority.Get(info), state: mad.SMInfoSMState.Get(info),
		path: slices.Clone(f.pathTo(slot, &f.paths)), name: f.portName(slot),
	}
	f.others = append(f.others, o)
	who := fmt.Sprintf("LID %d, GUID %s, priority %d", lid, o.guid, o.priority)
	first := f.given.Elect && !o.precedes(f.given.Priority, f.guid[f.ownPort()]) // we go before it
	before := f.otherMaster
	switch {
	case o.state == mad.SMStateMaster && o.guid == f.given.HandedBy:
		f.noteManager(slot, false, "has the subnet manager that hands the subnet over (%s)", who)
	case o.state == mad.SMStateMaster && f.given.Before != nil && first:
		f.noteManager(slot, false, "has a subnet manager that is the master too, and is to give way (%s)", who)
	case o.state == mad.SMStateMaster:
		f.noteManager(slot, true, "has the subnet manager that is the master (%s)", who)
	case o.state == mad.SMStateDiscovering && f.given.Before != nil && f.given.Elect:
		f.noteManager(slot, false, "has a subnet manager that looks for the master, which we are (%s)", who)
	case o.state == mad.SMStateDiscovering:
		f.noteManager(slot, true, "has a subnet manager that is about to become the master (%s)", who)
	default:
		f.noteManager(slot, false, "has a subnet manager that is not the master (%s)", who)
	}
	if f.otherMaster && !before {
		f.master = &o
	}
}

// isKnownStandby reports whether the manager at a port stands by for us and does not go before us: a round does not wait for it for as long as for one that
// may be the master.
func (f *finder) isKnownStandby(slot int32) bool {
	o := f.standsByForUs(slot)
	return o != nil && !o.precedes(f.given.Priority, f.guid[f.ownPort()])
}

// standsByForUs returns the manager at a port as the round in force knew it, if it stood by then, we have reigned since, and both its port and ours still have our
// LID as that of their master: a manager that has become the master tells all ports, its own too. Otherwise it returns nil.
func (f *finder) standsByForUs(slot int32) *otherManager {
	b := f.given.Before
	if b == nil || !f.given.Elect || f.guid[slot] == 0 {
		return nil
	}
	for _, s := range [...]int32{slot, f.ownPort()} {
		if mad.PortInfoMasterSMLID.Get(f.info[s][:]) != uint64(b.prog.smLID) {
			return nil
		}
	}
	for _, o := range b.others {
		if o.guid == f.guid[slot] && (o.state == mad.SMStateStandby || o.state == mad.SMStateNotActive) {
			return &o
		}
	}
	return nil
}

// noteManager notes another subnet manager, and whether it forbids writing.
func (f *finder) noteManager(slot int32, forbids bool, format string, args ...any) {
	text := f.portName(slot) + " " + fmt.Sprintf(format, args...)
	switch {
	case !forbids:
	case f.given.TakeOver:
		text += ": the subnet is taken over, as told"
	default:
		text += ": nothing is written"
		f.otherMaster = true
	}
	f.note(OtherManager, f.portPlace(slot), "%s", text)
}

// missesMaster reports whether the master that our own port was told of may be there, unseen: no port that was found has its LID, and
// something has not answered. On a bad wire all repetitions of an SMP can be lost.
func (f *finder) missesMaster() bool {
	lid := mad.PortInfoMasterSMLID.Get(f.info[f.ownPort()][:])
	if f.granted || !f.missed || lid == 0 || f.given.TakeOver {
		return false
	}
	for slot := range f.owner {
		if f.takesLID(int32(slot)) && f.flags[slot]&portKnown != 0 && mad.PortInfoLID.Get(f.info[slot][:]) == lid {
			return false
		}
	}
	return true
}

// managersQueried ends the run beside another master, looks again for one that may be there, and otherwise makes our port that
// of a manager.
func (f *finder) managersQueried() {
	switch {
	case f.otherMaster:
		f.finish(OtherMaster)
		return
	case f.missesMaster() && f.sweep < f.given.Limits.Sweeps:
		f.beginSweep()
		return
	case !f.claimed:
		f.granted = true
		f.enterPhase(claiming)
		f.out = append(f.out, Action{Kind: Claim})
	default:
		f.granted = true
		f.startSettling()
	}
}

// startSettling looks for changes since the sweep began, or sweeps again where they
// could not show because PortStateChange was set and not cleared.
func (f *finder) startSettling() {
	if f.uncleared && f.sweep < f.given.Limits.Sweeps {
		f.beginSweep()
		return
	}
	f.enterPhase(settling)
}
