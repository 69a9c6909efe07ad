package watch

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// onUnasked takes a datagram that answers no request: a trap, or what another manager asks.
func (m *Manager) onUnasked(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	switch {
	case mad.Check(d.MAD) != nil:
		m.tally.Dropped.Malformed++
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

// reply sends a datagram that was turned into its answer back to where it came from.
func (o *outbox) reply(ev *terms.Event) {
	ev.Datagram.Addr = ev.Datagram.Addr.Reply()
	o.out = append(o.out, terms.Action{Kind: terms.Reply, Datagram: ev.Datagram})
}

// trapLog counts the traps since the last round began, so that each is told once.
type trapLog struct {
	seen   map[string]bool
	untold int // repeated, or too many
}

// mostTraps bounds the traps that are told apart between two rounds.
const mostTraps = 256

// onTrap represses a trap, and has the subnet looked at where it may have changed.
func (m *Manager) onTrap(now time.Duration, ev *terms.Event) {
	d := ev.Datagram
	notice := d.MAD.Data()
	number, issuer := mad.NoticeTrapNumber.Get(notice), fabric.LID(d.Addr.SLID)
	changed := mad.NoticeIsGeneric.Is(notice) &&
		(number == mad.TrapLinkState || number == mad.TrapLocalChanges || number == mad.TrapSystemImageGUID)
	if !d.MAD.Answer(mad.StatusOK) {
		return
	}
	slot := portOfLID(m.inForce, issuer)
	id, name := int32(-1), ""
	if slot != ledger.NoSlot {
		id = m.inForce.Owner[slot]
		name = ", " + m.inForce.NodeName(id)
		mad.SMPMKey.Put(d.MAD, m.keys.Key(m.inForce.GUID[slot]))
	}
	m.reply(ev)
	m.tally.trap(number)
	what := fmt.Sprintf("trap %d (%s) from LID %d%s", number, mad.NoticeTrapNumber.Decl().ValueName(number), issuer, name)
	kind := terms.TrapCame
	if number == mad.TrapBadMKey && mad.NoticeIsGeneric.Is(notice) {
		kind, what = terms.WrongKey, what+violationText(m.inForce, slot, notice)
		m.showKey(slot)
	}
	switch {
	case m.traps.seen[what] || len(m.traps.seen) == mostTraps:
		m.traps.untold++
	default:
		m.traps.seen[what] = true
		m.tell(kind, "%s", what)
	}
	if changed && (m.inRound || m.election.master == nil) { // of one that stands by it is the master's business
		if id >= 0 {
			m.doubted[m.inForce.Nodes[id].GUID] = true
		} else if number != mad.TrapLinkState { // which a switch would show by PortStateChange too
			m.somewhere = true
		}
		if number != mad.TrapLinkState || !m.waitsFor(now, id, issuer) {
			m.noteChange(now, what)
		}
	}
}

// portOfLID returns the port, in the round in force, that a LID leads to; noSlot where no round has given it.
func portOfLID(c *ledger.Ledger, lid fabric.LID) int32 {
	if c == nil {
		return ledger.NoSlot
	}
	for end, base := range c.Plan.Ends.Base {
		if n := fabric.LID(c.Plan.Ends.Count(int32(end))); lid >= base && lid < base+n {
			if slot, ok := c.SlotOf(c.Graph.EndNodeGUID[end], c.Graph.EndNum[end]); ok {
				return slot
			}
		}
	}
	return ledger.NoSlot
}
