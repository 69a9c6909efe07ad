package watch

import (
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// onSMInfo handles an SMInfo request of another manager: a Get, or a Set that asks us to change our
// state.
func (m *Manager) onSMInfo(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	if m.guid == 0 { // it will ask again
		return
	}
	info := slices.Clone(d.MAD.Data())
	trusted := m.mayKnowKey(d.MAD)
	status, then := mad.StatusOK, func() {}
	if d.MAD.Method() == mad.Set {
		status, then = m.asked(now, ev, info)
	}
	if !d.MAD.Answer(status) {
		return
	}
	m.putSMInfo(d.MAD.Data())
	if !trusted {
		mad.SMInfoSMKey.Put(d.MAD.Data(), 0)
	}
	m.reply(ev)
	then()
}

// mayKnowKey reports whether the answer to a request shows the SM_Key. As with OpenSM, the M_Key of
// our port decides: without one, or with protection 0, all may know the SM_Key.
func (m *Manager) mayKnowKey(d mad.Datagram) bool {
	key := mad.SMPMKey.Get(d)
	if d.Class() == mad.ClassDirectedSMP {
		key = mad.DirectedSMPMKey.Get(d)
	}
	return !m.keys.Given() || m.keys.Protect == 0 || key == m.keys.Key(m.guid) || mad.SMInfoSMKey.Get(d.Data()) == m.cfg.SMKey
}

// asked returns the answer to a Set of SMInfo, and what to do after it. A request that is not what
// it seems to be costs no round.
func (m *Manager) asked(now time.Duration, ev *terms.Event, info []byte) (status mad.Status, then func()) {
	to, from := ev.Datagram.MAD.Modifier(), fabric.GUID(mad.SMInfoGUID.Get(info))
	nothing := func() {}
	switch {
	case m.inRound && to == mad.SMSetHandover && from != 0 && from == m.election.handed: // repeated: our answer was lost
		return mad.StatusOK, nothing
	case m.inRound:
		return mad.StatusBusy, nothing
	}
	if why := m.distrusts(ev, info); why != "" {
		what := fmt.Sprintf("%s from %s is refused: %s", smSetNames[min(to, uint32(len(smSetNames)-1))], from, why)
		if !m.traps.seen[what] && len(m.traps.seen) < mostTraps {
			m.traps.seen[what] = true
			m.tell(terms.Disbelieved, "%s", what)
		}
		return mad.StatusBadField, nothing
	}
	then, status = m.transition(now, to, from)
	if then == nil {
		then = nothing
	}
	return status, then
}

// smSetNames names the Sets of SMInfo by their modifiers.
var smSetNames = [...]string{"Set(SMInfo)", "HANDOVER", "ACKNOWLEDGE", "DISABLE", "STANDBY", "DISCOVER", "Set(SMInfo)"}

// distrusts returns why a request to change our state does not count, "" if it does. A master
// demands the SM_Key; to others OpenSM does not show it. The sender is the port at the other end of
// the request's route.
func (m *Manager) distrusts(ev *terms.Event, info []byte) string {
	d := ev.Datagram
	to, from, key := d.MAD.Modifier(), fabric.GUID(mad.SMInfoGUID.Get(info)), mad.SMInfoSMKey.Get(info)
	if key != m.cfg.SMKey && (key != 0 || m.inForce != nil) {
		return "its SM_Key is not ours"
	}
	if to != mad.SMSetAcknowledge && mad.SMInfoSMState.Get(info) != mad.SMStateMaster {
		return "its sender is not the master"
	}
	if sender := m.senderOf(ev); sender != 0 && sender != from {
		return "it comes from another port, " + managerName(m.found(), sender)
	}
	o := ledger.OtherManager{GUID: from, Priority: mad.SMInfoPriority.Get(info)}
	if to == mad.SMSetHandover && o.Precedes(m.cfg.Priority, m.guid) {
		return "it precedes this manager"
	}
	return ""
}

// senderOf returns the GUID of the port that has sent a datagram, as far as the last round shows
// its cables; 0 if they do not.
func (m *Manager) senderOf(ev *terms.Event) fabric.GUID {
	d, l := ev.Datagram, m.found()
	if len(l.Nodes) == 0 {
		return 0
	}
	if d.MAD.Class() != mad.ClassDirectedSMP {
		for slot := range l.Owner {
			base := mad.PortInfoLID.Get(l.Info[slot][:])
			if n := uint64(1) << mad.PortInfoLMC.Get(l.Info[slot][:]); l.TakesLID(int32(slot)) && base != 0 && uint64(d.Addr.SLID)-base < n {
				return l.GUID[slot]
			}
		}
		return 0
	}
	if mad.DirectedSMPDrSLID.Get(d.MAD) != wire.Permissive {
		return 0
	}
	slot, ok := traceBack(l, l.OwnPort(), int(mad.DirectedSMPHopCount.Get(d.MAD)), mad.DirectedSMPReturnPath.Get(d.MAD))
	if !ok {
		return 0
	}
	return l.GUID[l.Agent(ledger.GetPort, slot)]
}

// traceBack follows a directed route back from a port to its sender, over the cables of a ledger.
// path holds, by hop, the port at which the datagram came in.
func traceBack(l *ledger.Ledger, slot int32, hops int, path []byte) (sender int32, ok bool) {
	for i := min(hops, len(path)-1); i > 0; i-- {
		port, ok := l.SlotOf(l.Nodes[l.Owner[slot]].GUID, path[i])
		if !ok || l.Peer[port] == ledger.NoSlot {
			return slot, false
		}
		slot = l.Peer[port]
	}
	return slot, true
}

// transition returns the action for a change of state that another manager asks for, and the status
// of the answer.
func (m *Manager) transition(now time.Duration, to uint32, from fabric.GUID) (then func(), status mad.Status) {
	e, state := &m.election, m.state()
	known := slices.ContainsFunc(m.found().Others, func(o ledger.OtherManager) bool { return o.GUID == from })
	isMaster := e.master != nil && e.master.GUID == from
	nothing := func() {}
	switch {
	case to == mad.SMSetHandover && (state == mad.SMStateStandby || state == mad.SMStateMaster) && !m.found().IsLockedOut():
		return m.handedOver(now, from, known, isMaster)
	case to == mad.SMSetAcknowledge && e.handing != nil && e.handing.GUID == from: // before its answer to the handover, or instead of it
		return func() { m.leaveTo(now, e.handing) }, mad.StatusOK
	case to == mad.SMSetAcknowledge && isMaster:
		return nothing, mad.StatusOK
	case to == mad.SMSetDisable && state == mad.SMStateStandby && isMaster:
		return func() {
			m.tell(terms.Standby, "%s has disabled this manager: it does not take over until that manager asks it to stand by, or until it is restarted", e.master.Name)
			e.master, e.off = nil, true
		}, mad.StatusOK
	case to == mad.SMSetStandby && state == mad.SMStateNotActive && known:
		return func() { m.lookAgain("another manager asks this one to be a standby") }, mad.StatusOK
	case to == mad.SMSetDiscover && state == mad.SMStateStandby && isMaster:
		if !m.others.admits(now, from) {
			return nothing, mad.StatusBusy
		}
		return func() { m.lookAgain("another manager asks this one to discover the subnet") }, mad.StatusOK
	}
	return nothing, mad.StatusBadField
}

// handedOver answers a HANDOVER. An unknown sender is looked for first, as after any change; it
// repeats its offer. Neither that nor the offers of a manager that is not our master may keep this
// one busy.
func (m *Manager) handedOver(now time.Duration, from fabric.GUID, known, isMaster bool) (then func(), status mad.Status) {
	if known && isMaster {
		return func() { m.takeOver(from) }, mad.StatusOK
	}
	const strangers = fabric.GUID(0) // which share one limit
	who := from
	if !known {
		who = strangers
	}
	switch {
	case !m.others.admits(now, who):
		return nil, mad.StatusBusy
	case known:
		return func() { m.takeOver(from) }, mad.StatusOK
	}
	return func() { m.noteChange(now, "an unknown manager hands the subnet over") }, mad.StatusBusy
}
