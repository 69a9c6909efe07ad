package watch

import (
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/moving"
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
//
// Any program may say that it is a manager, and any manager may stop. So:
//
//   - A master, whose LIDs, tables and keys are in force, stays the master beside a silent port
//     (round/managers.go). So it does beside a manager of another SM_Key, and beside one that says
//     it is the master while our M_Keys lock it out and it has written nothing
//     (round/disbelief.go). A manager that starts is cautious: it leaves the subnet to all of
//     these.
//   - A manager that gets the subnet and writes nothing is idle (others.go): its claims do not
//     count until it writes to our ports. A master that has been silent for long is idle too. A
//     handover that came to nothing is offered again after a growing time.
//   - A request to change our state counts if it comes from the port that it names, and from our
//     master where only that one may ask (requests.go). Otherwise it costs no round.
//   - If another manager writes to our ports although it is not to, one round repairs that. If it
//     writes again the subnet is contested (contest.go).
//   - A manager of our SM_Key that precedes us is given way to, by handover or when it says that it
//     is the master.
type election struct {
	master  *ledger.OtherManager // our master; nil while we are the master or still look
	due     time.Duration        // when to poll it next, or the manager that we hand over to
	polling bool                 // a poll is under way
	off     bool                 // NOT-ACTIVE: another manager disabled us
	handing *ledger.OtherManager // we offered it the subnet
	agreed  bool                 // it accepted; it has not shown yet that it takes the subnet
	asked   int                  // how often it was asked since
	isLeft  bool                 // that manager was our master, or had the subnet and did nothing
	handed  fabric.GUID          // port GUID of the manager that hands over to us, until a round has taken the subnet
}

// Arguments of election tags besides modifiers of SMInfo: a read of our own port, and a question to
// the manager that has accepted the subnet.
const (
	askedOwnPort = 0x100
	askedTaker   = 0x101
)

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

// putSMInfo writes our SMInfo for the manager at a port; 0: it is not known which. The manager that
// has accepted the subnet sees a standby: OpenSM waits with its first round as long as there is
// another master. All others see the master, since the taker may never take the subnet.
func (m *Manager) putSMInfo(data []byte, reader fabric.GUID) {
	clear(data)
	mad.SMInfoGUID.Put(data, uint64(m.guid))
	mad.SMInfoSMKey.Put(data, m.cfg.SMKey)
	mad.SMInfoActCount.Put(data, m.acts&0xFFFFFFFF)
	mad.SMInfoPriority.Put(data, uint64(m.cfg.Priority))
	mad.SMInfoSMState.Put(data, m.state())
	if e := &m.election; e.agreed && reader == e.handing.GUID {
		mad.SMInfoSMState.Put(data, mad.SMStateStandby)
	}
}

// standBy leaves the subnet to another manager and polls it from now on.
func (m *Manager) standBy(now time.Duration, o *ledger.OtherManager) {
	m.giveUp()
	m.next.Held = true
	m.change.Drop() // changes are the master's business
	m.again, m.afresh, m.moves, m.wanted = terms.Never, terms.Never, moving.New(), wantedRound{}
	m.dropSweep()
	m.unsteady = unsteady{}
	m.alarms = newAlarms()
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
	m.inForce, m.settled, m.unbalanced = nil, nil, false
	dropBetter(m)
	stopTurn(m)
	m.forcing.Rest()
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

// poll asks our master whether it still is the master. poll also reads our own port if the master
// is still to write to it, or if we precede the master: remind then tells it about us.
func (m *Manager) poll() {
	m.election.polling = true
	m.sendToManager(m.election.master, mad.Get, 0)
	if c := m.found(); !m.election.master.Precedes(m.cfg.Priority, m.guid) || m.others.isIdleSince != terms.Never {
		m.toManagers++
		m.out = append(m.out, terms.Action{
			Kind: terms.Send, Tag: terms.ElectionTag<<56 | askedOwnPort<<32, Method: mad.Get, Attr: mad.AttrPortInfo,
			Modifier: mad.PortModifier(c.PortNumber(c.OwnPort()), false), Key: c.KeyOf(ledger.GetPort, c.OwnPort()),
		})
	}
}

// onPolled handles our master's answer to a poll, or its silence.
func (e *election) onPolled(m *Manager, now time.Duration, ev *terms.Event) {
	name := e.master.Name
	e.polling, e.due = false, now+m.watch.Interval
	idle := m.others.isIdleSince != terms.Never
	switch state := mad.SMInfoSMState.Get(ev.Data[:]); {
	case ev.Outcome != terms.Answered && idle:
		e.findIdle(m, now, "does not answer since it has the subnet")
	case ev.Outcome != terms.Answered:
		m.others.lose(now, e.master.GUID)
		m.lookAgain(name + " was the master and no longer answers")
	case fabric.GUID(mad.SMInfoGUID.Get(ev.Data[:])) != e.master.GUID:
		m.lookAgain("another manager answers in the place of " + name)
	case state == mad.SMStateMaster:
	case state == mad.SMStateDiscovering && idle: // it takes the subnet
		e.due = now + min(lookSoon, m.watch.Interval)
	case idle:
		e.findIdle(m, now, "had the subnet, and is not the master")
	default:
		m.lookAgain(name + " is no longer the master")
	}
}

// onOwnPort handles the PortInfo of our own port, as read beside a poll.
func (e *election) onOwnPort(m *Manager, now time.Duration, info []byte) {
	switch {
	case !namesItself(info):
		m.others.wrote(e.master)
		if !e.master.Precedes(m.cfg.Priority, m.guid) {
			m.remind(info)
		}
	case now-m.others.isIdleSince >= idleAfter:
		e.findIdle(m, now, fmt.Sprintf("has had the subnet for %v, and has not written to our port", idleAfter))
	}
}

// findIdle ends the time as the standby of a master that does nothing.
func (e *election) findIdle(m *Manager, now time.Duration, why string) {
	o := e.master
	m.others.find(now, o.GUID, why)
	m.tell(terms.Disbelieved, "%s %s: this manager takes the subnet back, and offers it no sooner than in %v", o.Name, why, m.others.of(o.GUID).offer.Last)
	m.election = election{handed: o.GUID, isLeft: true} // it leaves the subnet to us, as it was
	m.beginRound(o.Name+" "+why, askAll)
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

// sendToManager sends an SMInfo request to another manager. arg is the modifier of a Set. A Get
// carries nothing: the SM_Key is for Sets.
func (m *Manager) sendToManager(o *ledger.OtherManager, method mad.Method, arg uint32) {
	var data [64]byte
	modifier := uint32(0)
	if method == mad.Set {
		modifier = arg
		m.putSMInfo(data[:], o.GUID)
	}
	m.toManagers++
	m.out = append(m.out, terms.Action{
		Kind: terms.Send, Tag: terms.ElectionTag<<56 | uint64(arg)<<32, Method: method, Attr: mad.AttrSMInfo, Modifier: modifier,
		Path: o.Path, Data: slices.Clone(data[:]),
	})
}

// onAnswer handles the end of an SMP to another manager.
func (e *election) onAnswer(m *Manager, now time.Duration, ev *terms.Event) {
	m.toManagers--
	_, _, arg := ledger.SplitTag(ev.Tag)
	switch {
	case ev.Outcome == terms.Cancelled || m.stopped || m.inRound:
	case arg == askedOwnPort:
		if ev.Outcome == terms.Answered && e.master != nil {
			e.onOwnPort(m, now, ev.Data[:])
		}
	case arg == mad.SMSetHandover && e.handing != nil:
		e.onOffered(m, now, ev)
	case arg == askedTaker && e.handing != nil && e.agreed:
		e.onTaker(m, now, ev)
	case arg == 0 && e.master != nil && e.polling:
		e.onPolled(m, now, ev)
	}
}

// lookAgain ends the time as a standby with a round.
func (m *Manager) lookAgain(why string) {
	m.election = election{}
	m.beginRound(why, askAll)
}
