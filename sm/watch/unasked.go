package watch

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/share"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// onUnasked handles an unsolicited datagram: a trap, or a request of another manager.
func (m *Manager) onUnasked(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	if mad.Check(d.MAD) != nil {
		m.tally.Dropped.Malformed++
		return
	}
	m.babble.hear(m, now, d.MAD, fabric.LID(d.Addr.SLID))
	switch {
	case !m.claimed || m.stopped || d.MAD.Class() != mad.ClassSMP && d.MAD.Class() != mad.ClassDirectedSMP:
		m.tally.Dropped.Unheeded++
	case d.MAD.Method() == mad.Trap && d.MAD.Attr() == mad.AttrNotice:
		m.onTrap(now, ev)
	case d.MAD.Attr() == mad.AttrSMInfo && (d.MAD.Method() == mad.Get || d.MAD.Method() == mad.Set):
		m.onSMInfo(now, ev)
	default:
		m.tally.Dropped.Unheeded++
	}
}

// reply sends a datagram, already turned into its answer, back to its sender.
func (o *outbox) reply(ev *terms.Event) {
	ev.Datagram.Addr = ev.Datagram.Addr.Reply()
	o.out = append(o.out, terms.Action{Kind: terms.Reply, Datagram: ev.Datagram})
}

// trapLog remembers the traps since the last round began, so that each is logged once. A port gets
// its share of the places.
type trapLog struct {
	seen   map[string]bool
	of     map[fabric.LID]int // number of them by LID
	untold int                // repeated, or too many
}

// mostTraps is the number of different traps logged between two rounds.
const mostTraps = 256

// isNew reports whether a trap from a LID is to be logged.
func (t *trapLog) isNew(from fabric.LID, what string) bool {
	if t.seen[what] || !(share.Rule{}).Allows(t.of[from], len(t.seen), mostTraps) {
		t.untold++
		return false
	}
	t.seen[what] = true
	t.of[from]++
	return true
}

// onTrap represses a trap. If the subnet may have changed, a round follows.
func (m *Manager) onTrap(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	notice := d.MAD.Data()
	number, issuer := mad.NoticeTrapNumber.Get(notice), fabric.LID(d.Addr.SLID)
	changed := mad.NoticeIsGeneric.Is(notice) &&
		(number == mad.TrapLinkState || number == mad.TrapLocalChanges || number == mad.TrapSystemImageGUID)
	if !d.MAD.Answer(mad.StatusOK) {
		return
	}
	slot := m.inForce.PortOfLID(issuer)
	id, name := int32(-1), ""
	if slot != ledger.NoSlot {
		id = m.inForce.Owner[slot]
		name = ", " + m.inForce.NodeName(id)
		mad.SMPMKey.Put(d.MAD, m.keys.Key(m.inForce.GUID[slot]))
	}
	m.reply(ev)
	m.tally.Trap(number)
	of := fmt.Sprintf("trap %d (%s)", number, mad.NoticeTrapNumber.Decl().ValueName(number))
	what := fmt.Sprintf("%s from LID %d%s", of, issuer, name)
	kind, tried := terms.TrapCame, ""
	if number == mad.TrapBadMKey && mad.NoticeIsGeneric.Is(notice) {
		violation := m.inForce.Violation(slot, notice)
		kind, tried, what = terms.WrongKey, violation+": reported", what+violation
		m.showKey(slot)
	}
	if m.traps.isNew(issuer, what) {
		m.tell(kind, "%s", what)
		if changed || kind == terms.WrongKey { // a restarted node changes a port of all its neighbours; a manager tries all devices
			part := cmp.Or(strings.TrimPrefix(name, ", "), fmt.Sprintf("LID %d", issuer))
			m.share(terms.Shared{What: of + tried + " from {n} nodes", Sides: []terms.Side{{Part: part}}, Comes: true})
		}
	}
	if changed && (m.inRound || m.election.master == nil) { // for a standby it is the master's business
		if id >= 0 {
			m.doubted[m.inForce.Nodes[id].GUID] = true
		} else if number != mad.TrapLinkState { // which PortStateChange of a switch shows too
			m.somewhere = true
		}
		switch {
		case number != mad.TrapLinkState:
			m.alarms.note(m, now, nodeOf(m.inForce, id), what)
		case !m.waitsFor(now, id, issuer):
			m.noteChange(now, what)
		}
	}
}
