package watch

import (
	"errors"
	"fmt"
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// A port babbles if it sends traps or other SMPs at a high rate, or if its link is in quarantine
// and still goes down and up. It is reported, and with BabbleRule.Disable the manager disables it:
// at the switch, so that the switch can enable it again. It never disables our own link, nor a link
// without which a switch has no way to us. A disabled port says so in its PortInfo, so that every
// manager knows it, also after a restart or a takeover. UndrainPart enables it.

// babble counts what ports send, and knows the Sets that disable or enable ports.
type babble struct {
	from   time.Duration                 // when the period began
	sent   map[ledger.PortKey]int        // datagrams since then
	told   repeat.Seldom[ledger.PortKey] // those that are not disabled
	cut    *ledger.Ledger                // the round in force when a port was last disabled
	under  map[uint64]portOrder          // Sets that have not ended, by tag
	orders uint64
	ports  []string // that are disabled, by name, as the last round found them
}

// portOrder is a Set that disables or enables a port.
type portOrder struct {
	at   ledger.PortKey
	name string
	off  bool
	why  string
}

// state names the state that the port gets.
func (o *portOrder) state() string {
	if o.off {
		return "disabled"
	}
	return "enabled"
}

// mostToggles is the number of changes in quarantine that make a link babble.
const mostToggles = 20

// newBabble returns an empty count.
func newBabble() babble {
	return babble{sent: map[ledger.PortKey]int{}, told: repeat.Seldom[ledger.PortKey]{Every: babbleAgain}, under: map[uint64]portOrder{}}
}

// hear counts a datagram that nobody asked for, from the port with the LID of its sender. A trap
// that names a port of its own switch counts for that port. Traps about the keys of others count
// for nobody: the port that reports them is not at fault, and its word on others is no proof.
func (b *babble) hear(m *Manager, now time.Duration, d mad.Datagram, slid fabric.LID) {
	c, rule := m.inForce, m.watch.Babble
	if rule.Rate <= 0 || c == nil || m.stopped || m.Role() != terms.Master {
		return
	}
	slot := c.PortOfLID(slid)
	if slot == ledger.NoSlot {
		return
	}
	if notice := d.Data(); d.Attr() == mad.AttrNotice && mad.NoticeIsGeneric.Is(notice) {
		switch number := mad.NoticeTrapNumber.Get(notice); {
		case number >= mad.TrapBadMKey && number <= mad.TrapBadPKeySwitchPort:
			return
		case number >= mad.TrapLinkIntegrity && number <= mad.TrapFlowControl && c.IsSwitch(slot) && fabric.LID(mad.TrapPortLID.Get(notice)) == slid:
			if at, ok := c.SlotOf(c.Nodes[c.Owner[slot]].GUID, uint8(mad.TrapPortPort.Get(notice))); ok {
				slot = at
			}
		}
	}
	if now-b.from >= time.Minute {
		b.from = now
		clear(b.sent)
	}
	at := c.PortKey(slot)
	if b.sent[at]++; b.sent[at] > rule.Rate {
		b.sent[at] = 0
		b.found(m, now, slot, fmt.Sprintf("sent more than %d traps and other SMPs within a minute", rule.Rate))
	}
}

// toggles counts a change of a link in quarantine.
func (b *babble) toggles(m *Manager, now time.Duration, l *unsteadyLink) {
	c := m.inForce
	if m.watch.Babble.Rate <= 0 || l.state != succession.LinkHeld || c == nil {
		return
	}
	if l.toggles++; l.toggles < mostToggles {
		return
	}
	l.toggles = 0
	if slot, ok := c.SlotOf(l.ends[0].Node, l.ends[0].Port); ok {
		b.found(m, now, slot, fmt.Sprintf("has a link that went down and up in quarantine (%d changes)", mostToggles))
	}
}

// found reports a babbling port, and disables it if that is the policy and does no harm.
func (b *babble) found(m *Manager, now time.Duration, slot int32, why string) {
	c := m.inForce
	out, err := c.Outlet(slot)
	switch {
	case !m.watch.Babble.Disable:
		err = errors.New("babbling-port is not disable")
	case err == nil && (b.cut == c || len(b.under) > 0):
		return // the next round shows what the last order cut off; until then it may babble on
	}
	if err == nil {
		b.cut = c
		who := "it"
		if out != slot {
			who = c.PortName(slot)
		}
		b.order(m, out, portOrder{at: c.PortKey(out), name: c.PortName(out), off: true, why: who + " " + why})
		return
	}
	if b.told.Admits(now, c.PortKey(slot)) {
		m.tell(terms.Babbling, "%s %s; it is not disabled: %v", c.PortName(slot), why, err)
	}
}

// babbleAgain is the time after which a babbling port that is not disabled is reported again.
const babbleAgain = time.Hour

// order sends the Set that disables or enables a switch port.
func (b *babble) order(m *Manager, slot int32, o portOrder) {
	c := m.inForce
	b.orders++
	tag := terms.PortTag<<56 | b.orders&(1<<56-1)
	b.under[tag] = o
	data := make([]byte, len(c.Info[slot]))
	c.SwitchOff(slot, o.off, data)
	m.out = append(m.out, terms.Action{
		Kind: terms.Send, Method: mad.Set, Attr: mad.AttrPortInfo, Modifier: c.Modifier(ledger.SetPort, slot, 0), Path: c.PathTo(slot, &m.paths),
		Data: data, Key: c.KeyOf(ledger.SetPort, slot), Tag: tag,
	})
}

// ended handles the end of a Set that disables or enables a port.
func (b *babble) ended(m *Manager, now time.Duration, ev *terms.Event) {
	o, ok := b.under[ev.Tag]
	delete(b.under, ev.Tag)
	switch {
	case !ok || m.stopped || ev.Outcome == terms.Cancelled:
		return
	case ev.Outcome != terms.Answered:
		m.tell(terms.Unanswered, "%s does not take that it is %s: %s", o.name, o.state(), outcomeText(ev))
		return
	case o.off:
		m.tell(terms.PortDisabled, "%s is disabled, since %s: weft sm undrain '%s[%d]' enables it", o.name, o.why, o.at.Node, o.at.Port)
	default:
		m.tell(terms.PortEnabled, "%s is enabled again, as requested", o.name)
	}
	m.doubted[o.at.Node] = true
	m.noteChange(now, o.name+" was "+o.state())
}

// outcomeText describes a failed request.
func outcomeText(ev *terms.Event) string {
	if ev.Outcome == terms.Refused {
		return "it refuses (" + ev.Status.String() + ")"
	}
	return "it does not answer"
}

// enable enables a disabled switch port by name. It reports whether it is one.
func (b *babble) enable(m *Manager, what string) bool {
	c := m.inForce
	at, err := c.Fabric.FindPlace(what)
	if err != nil || at.Whole {
		return false
	}
	slot, ok := c.SlotOf(c.Fabric.Nodes[at.Node].GUID, at.Port)
	if !ok || !c.IsDisabled(slot) {
		return false
	}
	b.order(m, slot, portOrder{at: c.PortKey(slot), name: c.PortName(slot)})
	return true
}

// findDisabled lists the disabled ports that a round found.
func (b *babble) findDisabled(c *ledger.Ledger) {
	b.ports = nil
	for slot := range int32(len(c.Owner)) {
		if c.IsDisabled(slot) {
			b.ports = append(b.ports, c.PortName(slot))
		}
	}
}
