package watch

import (
	"time"

	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// shownKey is a port that was sent its key.
type shownKey struct {
	ledger *ledger.Ledger // where the port is known
	slot   int32
	key    uint64
	again  bool // somebody tried another key since
}

// showKey reads PortInfo of a port with its M_Key, since a wrong key has started its lease period.
func (m *Manager) showKey(slot int32) {
	if slot == ledger.NoSlot || m.stopped || !m.keys.Given() {
		return
	}
	c := m.inForce
	guid := c.GUID[slot]
	tag := terms.KeyTag<<56 | uint64(guid)&(1<<56-1)
	if asked, ok := m.asking[tag]; ok {
		asked.again = true
		m.asking[tag] = asked
		return
	}
	m.asking[tag] = shownKey{ledger: c, slot: slot, key: m.keys.Key(guid)}
	m.out = append(m.out, terms.Action{
		Kind: terms.Send, Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: c.Modifier(ledger.GetPort, slot, 0), Path: c.PathTo(slot, &m.paths), Key: m.keys.Key(guid), Tag: tag,
	})
}

// onKeyShown checks the PortInfo of a port that was sent its key. A round follows if the key, its
// protection or its lease are not as written. The key is sent again if the lease period may have
// started since: our key has changed, or somebody tried another one.
func (m *Manager) onKeyShown(now time.Duration, ev *terms.Event) {
	asked, ok := m.asking[ev.Tag]
	delete(m.asking, ev.Tag)
	c := m.inForce
	if !ok || c == nil || m.stopped || ev.Outcome == terms.Cancelled {
		return
	}
	node := asked.ledger.Nodes[asked.ledger.Owner[asked.slot]].GUID
	if asked.again || asked.ledger != c || asked.key != m.keys.Key(asked.ledger.GUID[asked.slot]) {
		if slot, ok := c.SlotOf(node, asked.ledger.PortNumber(asked.slot)); ok {
			m.showKey(slot)
		}
		return
	}
	if ev.Outcome != terms.Answered {
		m.doubted[node] = true
		return
	}
	for _, f := range [...]mad.Field{mad.PortInfoMKey, mad.PortInfoMKeyProtectBits, mad.PortInfoMKeyLeasePeriod} {
		if f.Get(ev.Data[:]) != f.Get(c.Info[asked.slot][:]) {
			m.doubted[node] = true
			m.noteChange(now, c.PortName(asked.slot)+" has another M_Key than it was given, or another protection or lease")
			return
		}
	}
}
