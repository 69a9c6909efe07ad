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

// smRequest is an SMInfo request of another manager.
type smRequest struct {
	*Manager
	now      time.Duration
	d        *wire.Datagram
	to       uint32      // of a Set: what we are asked to become
	from     fabric.GUID // port GUID that the requester gives
	key      uint64      // its SM_Key
	state    uint64
	priority uint64
}

// onSMInfo handles an SMInfo request of another manager: a Get, or a Set that asks us to change our
// state.
func (m *Manager) onSMInfo(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	if m.guid == 0 { // the medium does not tell it, and no device has answered: it will ask again
		return
	}
	info := d.MAD.Data()
	q := smRequest{
		Manager: m, now: now, d: d, to: d.MAD.Modifier(), from: fabric.GUID(mad.SMInfoGUID.Get(info)), key: mad.SMInfoSMKey.Get(info),
		state: mad.SMInfoSMState.Get(info), priority: mad.SMInfoPriority.Get(info),
	}
	trusted, reader := q.mayKnowKey(), q.sender()
	status, then := mad.StatusOK, doNothing
	if d.MAD.Method() == mad.Set {
		status, then = q.judge()
	}
	if !d.MAD.Answer(status) {
		return
	}
	m.putSMInfo(d.MAD.Data(), reader)
	if !trusted {
		mad.SMInfoSMKey.Put(d.MAD.Data(), 0)
	}
	m.reply(ev)
	then()
}

func doNothing() {}

// mayKnowKey reports whether the answer shows the SM_Key. As with OpenSM, the M_Key of our port
// decides: without one, or with protection 0, all may know the SM_Key.
func (q *smRequest) mayKnowKey() bool {
	key := mad.SMPMKey.Get(q.d.MAD)
	if q.d.MAD.Class() == mad.ClassDirectedSMP {
		key = mad.DirectedSMPMKey.Get(q.d.MAD)
	}
	return !q.keys.Given() || q.keys.Protect == 0 || key == q.keys.Key(q.guid) || q.key == q.cfg.SMKey
}

// judge returns the answer to a Set of SMInfo, and what to do after it. A request that is not what
// it seems to be costs no round.
func (q *smRequest) judge() (status mad.Status, then func()) {
	switch {
	case q.inRound && q.to == mad.SMSetHandover && q.from != 0 && q.from == q.election.handed: // repeated: our answer was lost
		return mad.StatusOK, doNothing
	case q.inRound:
		return mad.StatusBusy, doNothing
	}
	if why := q.distrusted(); why != "" {
		what := fmt.Sprintf("%s from %s is refused: %s", smSetNames[min(q.to, uint32(len(smSetNames)-1))], q.from, why)
		if !q.traps.seen[what] && len(q.traps.seen) < mostTraps {
			q.traps.seen[what] = true
			q.tell(terms.Disbelieved, "%s", what)
		}
		return mad.StatusBadField, doNothing
	}
	return q.transition()
}

// smSetNames names the Sets of SMInfo by their modifiers.
var smSetNames = [...]string{"Set(SMInfo)", "HANDOVER", "ACKNOWLEDGE", "DISABLE", "STANDBY", "DISCOVER", "Set(SMInfo)"}

// distrusted returns why a request to change our state does not count, "" if it does. A master
// demands the SM_Key; to others OpenSM does not always show it. The sender is the port at the other
// end of the request's route.
func (q *smRequest) distrusted() string {
	o := ledger.OtherManager{GUID: q.from, Priority: q.priority}
	sender := q.sender()
	switch {
	case q.key != q.cfg.SMKey && (q.key != 0 || q.inForce != nil):
		return "its SM_Key is not ours"
	case q.to != mad.SMSetAcknowledge && q.state != mad.SMStateMaster:
		return "its sender is not the master"
	case sender != 0 && sender != q.from:
		return "it comes from another port, " + managerName(q.found(), sender)
	case q.to == mad.SMSetHandover && o.Precedes(q.cfg.Priority, q.guid):
		return "it precedes this manager"
	}
	return ""
}

// sender returns the GUID of the port that has sent the request, as far as the last round shows its
// cables; 0 if they do not.
func (q *smRequest) sender() fabric.GUID {
	l, m := q.found(), q.d.MAD
	switch {
	case len(l.Nodes) == 0:
		return 0
	case m.Class() != mad.ClassDirectedSMP:
		return l.PortWithLID(q.d.Addr.SLID)
	case mad.DirectedSMPDrSLID.Get(m) != wire.Permissive:
		return 0
	}
	slot, ok := l.TraceBack(l.OwnPort(), int(mad.DirectedSMPHopCount.Get(m)), mad.DirectedSMPReturnPath.Get(m))
	if !ok {
		return 0
	}
	return l.GUID[l.Agent(ledger.GetPort, slot)]
}

// transition returns the answer to a request that is not distrusted, and what to do after it.
func (q *smRequest) transition() (status mad.Status, then func()) {
	e, state := &q.election, q.Manager.state()
	isMaster := e.master != nil && e.master.GUID == q.from
	switch {
	case q.to == mad.SMSetHandover && (state == mad.SMStateStandby || state == mad.SMStateMaster) && !q.found().IsLockedOut():
		return q.handover(isMaster)
	case q.to == mad.SMSetAcknowledge && e.handing != nil && e.handing.GUID == q.from: // before its answer to the handover, or instead of it
		return mad.StatusOK, func() { e.leave(q.Manager, q.now) }
	case q.to == mad.SMSetAcknowledge && isMaster:
		return mad.StatusOK, doNothing
	case q.to == mad.SMSetDisable && state == mad.SMStateStandby && isMaster:
		return mad.StatusOK, func() {
			q.tell(terms.Standby, "%s has disabled this manager: it does not take over until a master asks it to stand by, or until it is restarted", e.master.Name)
			e.master, e.off = nil, true
		}
	case q.to == mad.SMSetStandby && state == mad.SMStateNotActive && q.isKnown():
		return mad.StatusOK, func() { q.lookAgain("another manager asks this one to be a standby") }
	case q.to == mad.SMSetDiscover && state == mad.SMStateStandby && isMaster:
		if !q.others.admits(q.now, q.from) {
			return mad.StatusBusy, doNothing
		}
		return mad.StatusOK, func() { q.lookAgain("another manager asks this one to discover the subnet") }
	}
	return mad.StatusBadField, doNothing
}

// isKnown reports whether the last round has met the requester.
func (q *smRequest) isKnown() bool {
	return slices.ContainsFunc(q.found().Others, func(o ledger.OtherManager) bool { return o.GUID == q.from })
}

// handover answers a HANDOVER. An unknown sender is looked for first, as after any change; it
// repeats its offer. Neither that nor the offers of a manager that is not our master may keep this
// one busy.
func (q *smRequest) handover(isMaster bool) (status mad.Status, then func()) {
	const strangers = fabric.GUID(0) // which share one limit
	switch known := q.isKnown(); {
	case known && (isMaster || q.others.admits(q.now, q.from)):
		return mad.StatusOK, q.takeOver
	case !known && q.others.admits(q.now, strangers):
		return mad.StatusBusy, func() { q.noteChange(q.now, "an unknown manager hands the subnet over") }
	}
	return mad.StatusBusy, doNothing
}
