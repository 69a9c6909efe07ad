package sm

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// violation says, from the details of a trap 256 of a port, who has sent what without its M_Key. A directed route leads back
// to its sender over the cables of the round in force.
func (m *Manager) violation(slot int32, notice []byte) string {
	c := m.inForce
	what := fmt.Sprintf(": %s(%s) with a wrong M_Key", mad.Method(mad.Trap256Method.Get(notice)), attrName(mad.AttrID(mad.Trap256AttributeID.Get(notice))))
	if !mad.Trap256DRNotice.Is(notice) {
		lid := fabric.LID(mad.Trap256LID.Get(notice))
		if from := m.portOfLID(lid); from != noSlot {
			return fmt.Sprintf("%s from LID %d, %s", what, lid, c.portName(from))
		}
		return fmt.Sprintf("%s from LID %d", what, lid)
	}
	if slot == noSlot || mad.Trap256PathTruncated.Is(notice) {
		return what + " by a directed route"
	}
	hops, path := int(mad.Trap256HopCount.Get(notice)), mad.Trap256ReturnPath.Get(notice)
	for i := min(hops, len(path)-1); i > 0; i-- {
		port, ok := c.slotOf(c.nodes[c.owner[slot]].guid, path[i])
		if !ok || c.peer[port] == noSlot {
			return what + " by a directed route"
		}
		slot = c.peer[port]
	}
	text := what + " by a directed route from " + c.portName(slot)
	if lid := mad.PortInfoLID.Get(c.info[slot][:]); lid != 0 && !c.isSwitch(slot) {
		text += fmt.Sprintf(", LID %d", lid)
	}
	return text
}

// shownKey is a port that was shown its key.
type shownKey struct {
	ledger *ledger // in which it is known
	slot   int32
	key    uint64
	again  bool // somebody has tried another key since
}

// showKey asks a port for its PortInfo with its M_Key, since somebody has had its lease begin.
func (m *Manager) showKey(slot int32) {
	if slot == noSlot || m.stopped || !m.keys.Given() {
		return
	}
	c := m.inForce
	guid := c.guid[slot]
	tag := keyTag<<56 | uint64(guid)&(1<<56-1)
	if asked, ok := m.asking[tag]; ok {
		asked.again = true
		m.asking[tag] = asked
		return
	}
	m.asking[tag] = shownKey{ledger: c, slot: slot, key: m.keys.key(guid)}
	m.out = append(m.out, Action{
		Kind: Send, Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: c.modifier(getPort, slot, 0), Path: c.pathTo(slot, &m.paths), Key: m.keys.key(guid), Tag: tag,
	})
}

// onKeyShown takes the PortInfo of a port that was shown its key. A round follows where the key, its protection or its lease are not what they were. It is
// shown again where its lease may have begun since: the key was another one by then, or somebody has tried one.
func (m *Manager) onKeyShown(now time.Duration, ev *Event) {
	asked, ok := m.asking[ev.Tag]
	delete(m.asking, ev.Tag)
	c := m.inForce
	if !ok || c == nil || m.stopped || ev.Outcome == Cancelled {
		return
	}
	node := asked.ledger.nodes[asked.ledger.owner[asked.slot]].guid
	if asked.again || asked.ledger != c || asked.key != m.keys.key(asked.ledger.guid[asked.slot]) {
		if slot, ok := c.slotOf(node, asked.ledger.portNumber(asked.slot)); ok {
			m.showKey(slot)
		}
		return
	}
	if ev.Outcome != Answered {
		m.doubted[node] = true
		return
	}
	for _, f := range [...]mad.Field{mad.PortInfoMKey, mad.PortInfoMKeyProtectBits, mad.PortInfoMKeyLeasePeriod} {
		if f.Get(ev.Data[:]) != f.Get(c.info[asked.slot][:]) {
			m.doubted[node] = true
			m.noteChange(now, c.portName(asked.slot)+" has another M_Key than it was given, or another protection")
			return
		}
	}
}
