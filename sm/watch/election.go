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

// election settles with other subnet managers who is the master (14.4.1). A manager that finds a master stands by: it
// polls it, and looks at the subnet again when it is silent or is no master any more. A master that finds one that goes before it
// hands the subnet over.
//
// Two never write at once. A manager says IsSM at its port before it looks at the subnet, so that of two that start
// one at least sees the other; and one that sees another that is looking leaves the subnet alone for now. The one that goes
// first looks again soon, when the other one stands by.
type election struct {
	master  *ledger.OtherManager // it is stood by for; nil while we are the master, or find out
	due     time.Duration        // when it is polled next
	polling bool                 // it was asked, and has not answered
	off     bool                 // NOT-ACTIVE, as another manager has told us
	handing *ledger.OtherManager // the subnet was handed over to it, which has not answered that
	handed  fabric.GUID          // port of the manager that hands the subnet over to us, until a round has taken it
}

// askedOwnPort is the argument of an electionTag that asks our own port.
const askedOwnPort = 0x100

// state returns the SMState that others are told.
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

// putSMInfo writes what other managers may know of this one.
func (m *Manager) putSMInfo(data []byte) {
	clear(data)
	mad.SMInfoGUID.Put(data, uint64(m.guid))
	mad.SMInfoSMKey.Put(data, m.cfg.SMKey)
	mad.SMInfoActCount.Put(data, m.acts&0xFFFFFFFF)
	mad.SMInfoPriority.Put(data, uint64(m.cfg.Priority))
	mad.SMInfoSMState.Put(data, m.state())
}

// standBy leaves the subnet to another manager, and polls it from now on.
func (m *Manager) standBy(now time.Duration, o *ledger.OtherManager) {
	m.giveUp()
	m.next.Held = true
	m.change, m.again, m.afresh, m.wanted = nothingChanged, terms.Never, terms.Never, wantedRound{} // what has changed is the other one's business
	m.dropSweep()
	m.unsteady = unsteady{}
	m.election = election{master: o, due: now + m.watch.Interval}
	m.tell(terms.Standby, "%s is the master: we stand by", o.Name)
}

// giveUp leaves the subnet: no Plan of ours is in force, and nothing is to be looked at by it. What we went by holds as what was learned, until another master tells.
func (m *Manager) giveUp() {
	if m.inForce != nil {
		rules := m.rules()
		m.learned.rules = &rules
	}
	m.inForce, m.settled = nil, nil
	m.dropLooks()
	m.dropGroups()
	m.groups.known = false // others change them
}

// pollDue returns when the master that is stood by for is to be polled, or never.
func (e *election) pollDue() time.Duration {
	if e.master == nil || e.polling {
		return terms.Never
	}
	return e.due
}

// poll asks the master that is stood by for whether it still is. Where we go before it, our own port is asked too, to tell it so.
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

// remind tells the master by trap 144 that a manager runs at our port: it may have missed that. info is our PortInfo.
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

// sendToManager sends an SMInfo to another manager.
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

// onManagerAnswer takes how an SMP to another manager has ended.
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
		m.tell(terms.Handover, "%s does not take the subnet over: we stay the master", e.handing.Name)
		e.handing = nil
	case modifier == mad.SMSetHandover: // it writes from now on, whether its acknowledgement comes through or not
		m.standBy(now, e.handing)
	case modifier == 0 && e.master != nil && e.polling:
		e.polling, e.due = false, now+m.watch.Interval
		switch {
		case ev.Outcome != terms.Answered:
			m.lookAgain(e.master.Name + " was the master, and does not answer any more")
		case mad.SMInfoSMState.Get(ev.Data[:]) != mad.SMStateMaster:
			m.lookAgain(e.master.Name + " is not the master any more")
		}
	}
}

// lookAgain ends a standby by a round.
func (m *Manager) lookAgain(why string) {
	m.election = election{}
	m.beginRound(why, askAll)
}

// onSMInfo takes what another manager asks of this one.
func (m *Manager) onSMInfo(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	if m.guid == 0 { // asked again later
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
	case m.inRound && d.MAD.Modifier() == mad.SMSetHandover && from != 0 && from == m.election.handed: // again: our answer was lost
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

// transition returns what another manager wants to become of this one, and whether it may.
func (m *Manager) transition(now time.Duration, to uint32, from fabric.GUID) (then func(), ok bool) {
	e, state := &m.election, m.state()
	switch to {
	case mad.SMSetHandover:
		return func() { m.takeOver(now, from) }, (state == mad.SMStateStandby || state == mad.SMStateMaster) && !m.found().IsLockedOut()
	case mad.SMSetAcknowledge:
		if h := e.handing; h != nil && h.GUID == from { // before its answer to the handover, or in place of that
			return func() { m.standBy(now, h) }, true
		}
		return func() {}, e.master != nil && e.master.GUID == from
	case mad.SMSetDisable:
		return func() { e.master, e.off = nil, true }, state == mad.SMStateStandby
	case mad.SMSetStandby:
		return func() { m.lookAgain("another manager wants us to stand by") }, state == mad.SMStateNotActive
	case mad.SMSetDiscover:
		return func() { m.lookAgain("another manager wants us to look at the subnet") }, state == mad.SMStateStandby
	}
	return nil, false
}

// takeOver acknowledges that the subnet is handed over, and takes it. One that is not known is looked for first, as after any
// change: it says so again.
func (m *Manager) takeOver(now time.Duration, from fabric.GUID) {
	others := m.found().Others
	i := slices.IndexFunc(others, func(o ledger.OtherManager) bool { return o.GUID == from })
	if i < 0 {
		m.noteChange(now, "a manager that is not known hands the subnet over")
		return
	}
	o := &others[i]
	m.tell(terms.Handover, "%s hands the subnet over to us", o.Name)
	m.sendToManager(o, mad.Set, mad.SMSetAcknowledge)
	m.election = election{handed: from}
	m.beginRound("the subnet was handed over", askAll)
}

// handOver hands the subnet over to a manager that stands by and goes before us, and knows what we go by.
func (m *Manager) handOver() {
	if m.untold || m.wanted.why != "" {
		return
	}
	others := m.found().Others
	for i := range others {
		o := &others[i]
		if !o.Silent && o.State == mad.SMStateStandby && o.Precedes(m.cfg.Priority, m.guid) && (!m.cfg.Replicates || slices.Contains(m.settled, o.GUID)) {
			m.election.handing = o
			m.tell(terms.Handover, "%s goes before us, by priority and GUID: the subnet is handed over to it", o.Name)
			m.sendToManager(o, mad.Set, mad.SMSetHandover)
			return
		}
	}
}
