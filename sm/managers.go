package sm

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/mad"
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
func (c *Core) queryManagers() {
	if c.given.ReadOnly {
		c.startSettling()
		return
	}
	c.others, c.master = c.others[:0], nil
	c.enterPhase(queryingManagers)
}

// queueManagers queues a query to every port of a node that says that a subnet manager
// runs there. Our own port is asked as long as IsSM is not ours.
func (c *Core) queueManagers(id int32) {
	for slot := range c.portsOf(id) {
		if c.takesLID(slot) && c.flags[slot]&portKnown != 0 && (slot != c.ownPort() || !c.claimed) &&
			mad.PortInfoCapabilityMask.Get(c.info[slot][:])&mad.CapIsSM != 0 {
			c.enqueue(makeTag(getManager, slot, 0))
		}
	}
}

// onManager takes what another subnet manager says of itself. One that does not answer
// may be the master, except one that stands by for us, and except at our own port: whether IsSM can be set there, setting it
// will show.
func (c *Core) onManager(slot int32, ev *Event) {
	lid := mad.PortInfoLID.Get(c.info[slot][:])
	if ev.Outcome == Cancelled || ev.Outcome != Answered && slot == c.ownPort() {
		return
	}
	if o := c.standsByForUs(slot); o != nil && ev.Outcome != Answered {
		o.silent, o.path = true, slices.Clone(c.pathTo(slot, &c.paths))
		c.others = append(c.others, *o)
		c.noteManager(slot, false, "has the subnet manager that stands by for us (LID %d), which does not answer SMInfo now", lid)
		return
	}
	if ev.Outcome != Answered {
		c.noteManager(slot, true, "says that a subnet manager runs there (LID %d), which does not answer SMInfo and may be the master", lid)
		return
	}
	info := ev.Data[:]
	o := otherManager{
		guid: fabric.GUID(mad.SMInfoGUID.Get(info)), priority: mad.SMInfoPriority.Get(info), state: mad.SMInfoSMState.Get(info),
		path: slices.Clone(c.pathTo(slot, &c.paths)), name: c.portName(slot),
	}
	c.others = append(c.others, o)
	who := fmt.Sprintf("LID %d, GUID %s, priority %d", lid, o.guid, o.priority)
	first := c.given.Elect && !o.precedes(c.given.Priority, c.guid[c.ownPort()]) // we go before it
	before := c.otherMaster
	switch {
	case o.state == mad.SMStateMaster && o.guid == c.given.HandedBy:
		c.noteManager(slot, false, "has the subnet manager that hands the subnet over (%s)", who)
	case o.state == mad.SMStateMaster && c.given.Before != nil && first:
		c.noteManager(slot, false, "has a subnet manager that is the master too, and is to give way (%s)", who)
	case o.state == mad.SMStateMaster:
		c.noteManager(slot, true, "has the subnet manager that is the master (%s)", who)
	case o.state == mad.SMStateDiscovering && c.given.Before != nil && c.given.Elect:
		c.noteManager(slot, false, "has a subnet manager that looks for the master, which we are (%s)", who)
	case o.state == mad.SMStateDiscovering:
		c.noteManager(slot, true, "has a subnet manager that is about to become the master (%s)", who)
	default:
		c.noteManager(slot, false, "has a subnet manager that is not the master (%s)", who)
	}
	if c.otherMaster && !before {
		c.master = &o
	}
}

// isKnownStandby reports whether the manager at a port stands by for us and does not go before us: a round does not wait for it for as long as for one that
// may be the master.
func (c *Core) isKnownStandby(slot int32) bool {
	o := c.standsByForUs(slot)
	return o != nil && !o.precedes(c.given.Priority, c.guid[c.ownPort()])
}

// standsByForUs returns the manager at a port as the round in force knew it, if it stood by then, we have reigned since, and both its port and ours still have our
// LID as that of their master: a manager that has become the master tells all ports, its own too. Otherwise it returns nil.
func (c *Core) standsByForUs(slot int32) *otherManager {
	b := c.given.Before
	if b == nil || !c.given.Elect || c.guid[slot] == 0 {
		return nil
	}
	for _, s := range [...]int32{slot, c.ownPort()} {
		if mad.PortInfoMasterSMLID.Get(c.info[s][:]) != uint64(b.prog.smLID) {
			return nil
		}
	}
	for _, o := range b.others {
		if o.guid == c.guid[slot] && (o.state == mad.SMStateStandby || o.state == mad.SMStateNotActive) {
			return &o
		}
	}
	return nil
}

// noteManager notes another subnet manager, and whether it forbids writing.
func (c *Core) noteManager(slot int32, forbids bool, format string, args ...any) {
	text := c.portName(slot) + " " + fmt.Sprintf(format, args...)
	switch {
	case !forbids:
	case c.given.TakeOver:
		text += ": the subnet is taken over, as told"
	default:
		text += ": nothing is written"
		c.otherMaster = true
	}
	c.note(OtherManager, c.portPlace(slot), "%s", text)
}

// missesMaster reports whether the master that our own port was told of may be there, unseen: no port that was found has its LID, and
// something has not answered. On a bad wire all repetitions of an SMP can be lost.
func (c *Core) missesMaster() bool {
	lid := mad.PortInfoMasterSMLID.Get(c.info[c.ownPort()][:])
	if c.granted || !c.missed || lid == 0 || c.given.TakeOver {
		return false
	}
	for slot := range c.owner {
		if c.takesLID(int32(slot)) && c.flags[slot]&portKnown != 0 && mad.PortInfoLID.Get(c.info[slot][:]) == lid {
			return false
		}
	}
	return true
}

// managersQueried ends the run beside another master, looks again for one that may be there, and otherwise makes our port that
// of a manager.
func (c *Core) managersQueried() {
	switch {
	case c.otherMaster:
		c.finish(OtherMaster)
		return
	case c.missesMaster() && c.sweep < c.given.Limits.Sweeps:
		c.beginSweep()
		return
	case !c.claimed:
		c.granted = true
		c.enterPhase(claiming)
		c.out = append(c.out, Action{Kind: Claim})
	default:
		c.granted = true
		c.startSettling()
	}
}

// startSettling looks for changes since the sweep began, or sweeps again where they
// could not show because PortStateChange was set and not cleared.
func (c *Core) startSettling() {
	if c.uncleared && c.sweep < c.given.Limits.Sweeps {
		c.beginSweep()
		return
	}
	c.enterPhase(settling)
}
