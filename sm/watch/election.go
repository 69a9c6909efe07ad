package watch

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// election settles with other subnet managers who is the master (14.4.1). A manager that finds a
// master becomes its standby: it polls the master, and begins a round when the master is silent or
// no longer the master. A master hands the subnet over to a standby that precedes it.
//
// Two managers never write at once. A manager sets IsSM at its port before it looks for others, so
// of two that start at once at least one sees the other. A manager that sees another one still
// looking leaves the subnet alone for now. The preceding one looks again soon, when the other has
// become a standby.
type election struct {
	master  *ledger.OtherManager // our master; nil while we are the master or still look
	due     time.Duration        // when to poll it next
	polling bool                 // a poll is under way
	off     bool                 // NOT-ACTIVE: another manager disabled us
	handing *ledger.OtherManager // we offered it the subnet; it has not answered yet
	handed  fabric.GUID          // port GUID of the manager that hands over to us, until a round has taken the subnet
}

// askedOwnPort is the argument of an election tag for a read of our own port.
const askedOwnPort = 0x100

// state returns our SMState for other managers.
func (m *Manager) state() uint64 {
	switch {
	case m.election.off:
		return mad.SMStateNotActive
	case m.inForce != nil:
		return mad.SMStateMaster
	case !m.inRound && (m.election.master != nil || m.result.Report.State == terms.OtherMaster):
		return mad.SMStateStandby
	}
	return mad.SMStateDiscovering
}

// putSMInfo writes our SMInfo.
func (m *Manager) putSMInfo(data []byte) {
	clear(data)
	mad.SMInfoGUID.Put(data, uint64(m.guid))
	mad.SMInfoSMKey.Put(data, m.cfg.SMKey)
	mad.SMInfoActCount.Put(data, m.acts&0xFFFFFFFF)
	mad.SMInfoPriority.Put(data, uint64(m.cfg.Priority))
	mad.SMInfoSMState.Put(data, m.state())
}

// standBy leaves the subnet to another manager and polls it from now on.
func (m *Manager) standBy(now time.Duration, o *ledger.OtherManager) {
	m.giveUp()
	m.next.Held = true
	m.change, m.again, m.afresh, m.wanted = nothingChanged, terms.Never, terms.Never, wantedRound{} // changes are the master's business
	m.dropSweep()
	m.unsteady = unsteady{}
	m.election = election{master: o, due: now + m.watch.Interval}
	m.tell(terms.Standby, "%s is the master; this manager is a standby", o.Name)
}

// giveUp leaves the subnet: none of our Plans is in force, and no look reads its devices. Our rules
// stay as learned ones until another master sends its own.
func (m *Manager) giveUp() {
	if m.inForce != nil {
		rules := m.rules()
		m.learned.rules = &rules
	}
	m.inForce, m.settled = nil, nil
	m.dropLooks()
	m.dropGroups()
	m.groups.known = false // other managers write the tables
}

// pollDue returns the time of the next poll of our master, or never.
func (e *election) pollDue() time.Duration {
	if e.master == nil || e.polling {
		return terms.Never
	}
	return e.due
}

// poll asks our master whether it still is the master. If we precede it, poll also reads our own
// port: remind then tells the master about us.
func (m *Manager) poll() {
	m.election.polling = true
	m.sendToManager(m.election.master, mad.Get, 0)
	if c := m.found(); !m.election.master.Precedes(m.cfg.Priority, m.guid) {
		m.toManagers++
		m.out = append(m.out, terms.Action{
			Kind: terms.Send, Tag: terms.ElectionTag<<56 | askedOwnPort<<32, Method: mad.Get, Attr: mad.AttrPortInfo,
			Modifier: mad.PortModifier(c.PortNumber(c.OwnPort()), false), Key: c.KeyOf(ledger.GetPort, c.OwnPort()),
		})
	}
}

// remind tells the master by trap 144 that a manager runs at our port, which the master may have
// missed. info is our PortInfo.
func (m *Manager) remind(info []byte) {
	lid, master := mad.PortInfoLID.Get(info), mad.PortInfoMasterSMLID.Get(info)
	if lid == 0 || master == 0 {
		return
	}
	d, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: m.acts & 0xFFFFFFFF}.Routed(make([]byte, mad.Size))
	if err != nil {
		return // the room is enough
	}
	n := d.Data()
	mad.NoticeIsGeneric.Put(n, 1)
	mad.NoticeType.Put(n, mad.NoticeTypeInfo)
	mad.NoticeProducerType.Put(n, 1) // a channel adapter
	mad.NoticeTrapNumber.Put(n, mad.TrapLocalChanges)
	mad.NoticeIssuerLID.Put(n, lid)
	mad.Trap144LID.Put(n, lid)
	mad.Trap144CapabilityMask.Put(n, mad.PortInfoCapabilityMask.Get(info))
	to := wire.ToLID(uint16(master), 0)
	to.SLID, to.SL = uint16(lid), uint8(mad.PortInfoMasterSMSL.Get(info))
	m.out = append(m.out, terms.Action{Kind: terms.Reply, Datagram: &wire.Datagram{Addr: to, MAD: d}})
}

// sendToManager sends an SMInfo request to another manager.
func (m *Manager) sendToManager(o *ledger.OtherManager, method mad.Method, modifier uint32) {
	var data [64]byte
	if method == mad.Set {
		m.putSMInfo(data[:])
	}
	m.toManagers++
	m.out = append(m.out, terms.Action{
		Kind: terms.Send, Tag: terms.ElectionTag<<56 | uint64(modifier)<<32, Method: method, Attr: mad.AttrSMInfo, Modifier: modifier,
		Path: o.Path, Data: slices.Clone(data[:]),
	})
}

// onManagerAnswer handles the end of an SMP to another manager.
func (m *Manager) onManagerAnswer(now time.Duration, ev *terms.Event) {
	m.toManagers--
	e := &m.election
	_, _, modifier := ledger.SplitTag(ev.Tag)
	switch {
	case ev.Outcome == terms.Cancelled || m.stopped:
	case modifier == mad.SMSetHandover && e.handing == nil || m.inRound:
	case modifier == askedOwnPort:
		if ev.Outcome == terms.Answered && e.master != nil {
			m.remind(ev.Data[:])
		}
	case modifier == mad.SMSetHandover && ev.Outcome != terms.Answered:
		m.tell(terms.Handover, "%s does not accept the handover: this manager stays the master", e.handing.Name)
		e.handing = nil
	case modifier == mad.SMSetHandover: // it writes from now on, whether its acknowledgement comes through or not
		m.standBy(now, e.handing)
	case modifier == 0 && e.master != nil && e.polling:
		e.polling, e.due = false, now+m.watch.Interval
		switch {
		case ev.Outcome != terms.Answered:
			m.lookAgain(e.master.Name + " was the master and no longer answers")
		case mad.SMInfoSMState.Get(ev.Data[:]) != mad.SMStateMaster:
			m.lookAgain(e.master.Name + " is no longer the master")
		}
	}
}

// lookAgain ends the time as a standby with a round.
func (m *Manager) lookAgain(why string) {
	m.election = election{}
	m.beginRound(why, askAll)
}

// onSMInfo handles an SMInfo request of another manager: a Get, or a Set that asks us to change our
// state.
func (m *Manager) onSMInfo(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	if m.guid == 0 { // it will ask again
		return
	}
	if d.MAD.Method() == mad.Get {
		if d.MAD.Answer(mad.StatusOK) {
			m.putSMInfo(d.MAD.Data())
			m.reply(ev)
		}
		return
	}
	from := fabric.GUID(mad.SMInfoGUID.Get(d.MAD.Data()))
	then, ok := m.transition(now, d.MAD.Modifier(), from)
	status := mad.StatusOK
	switch {
	case m.inRound && d.MAD.Modifier() == mad.SMSetHandover && from != 0 && from == m.election.handed: // repeated: our answer was lost
		ok = false
	case m.inRound:
		status, ok = mad.StatusBusy, false
	case !ok:
		status = mad.StatusBadField
	}
	if !d.MAD.Answer(status) {
		return
	}
	m.putSMInfo(d.MAD.Data())
	m.reply(ev)
	if ok {
		then()
	}
}

// transition returns the action for a change of state that another manager asks for, and whether it
// is allowed.
func (m *Manager) transition(now time.Duration, to uint32, from fabric.GUID) (then func(), ok bool) {
	e, state := &m.election, m.state()
	switch to {
	case mad.SMSetHandover:
		return func() { m.takeOver(now, from) }, (state == mad.SMStateStandby || state == mad.SMStateMaster) && !m.found().IsLockedOut()
	case mad.SMSetAcknowledge:
		if h := e.handing; h != nil && h.GUID == from { // before its answer to the handover, or instead of it
			return func() { m.standBy(now, h) }, true
		}
		return func() {}, e.master != nil && e.master.GUID == from
	case mad.SMSetDisable:
		return func() { e.master, e.off = nil, true }, state == mad.SMStateStandby
	case mad.SMSetStandby:
		return func() { m.lookAgain("another manager asks this one to be a standby") }, state == mad.SMStateNotActive
	case mad.SMSetDiscover:
		return func() { m.lookAgain("another manager asks this one to discover the subnet") }, state == mad.SMStateStandby
	}
	return nil, false
}

// takeOver acknowledges a handover and begins a round. An unknown sender is looked for first, as
// after any change; it repeats its offer.
func (m *Manager) takeOver(now time.Duration, from fabric.GUID) {
	others := m.found().Others
	i := slices.IndexFunc(others, func(o ledger.OtherManager) bool { return o.GUID == from })
	if i < 0 {
		m.noteChange(now, "an unknown manager hands the subnet over")
		return
	}
	o := &others[i]
	m.tell(terms.Handover, "%s hands the subnet over to this manager", o.Name)
	m.sendToManager(o, mad.Set, mad.SMSetAcknowledge)
	m.election = election{handed: from}
	m.beginRound("the subnet was handed over", askAll)
}

// handOver offers the subnet to a standby that precedes us and knows our rules.
func (m *Manager) handOver() {
	if m.untold || m.wanted.why != "" {
		return
	}
	others := m.found().Others
	for i := range others {
		o := &others[i]
		if !o.Silent && o.State == mad.SMStateStandby && o.Precedes(m.cfg.Priority, m.guid) && (!m.cfg.Replicates || slices.Contains(m.settled, o.GUID)) {
			m.election.handing = o
			m.tell(terms.Handover, "%s precedes this manager, by priority and GUID: the subnet is handed over to it", o.Name)
			m.sendToManager(o, mad.Set, mad.SMSetHandover)
			return
		}
	}
}
