package sm

import (
	"fmt"

	"weft/mad"
)

// A port is asked for its M_Key before anything else of its node: by PortInfo, with the keys that it may have, one after the other. One that
// has another key than it is to have is given that at once, if the subnet may be written to; nothing else is under way to it then
// that needs a key. So no SMP is ever sent with a key that is not known to be right, but for
// those tries.

// afterSetKey is added to the argument of a getKey that follows a setKey.
const afterSetKey = 0x100

// keyFor returns the M_Key that an SMP carries.
func (c *Core) keyFor(k kind, index int32, arg uint32) uint64 {
	switch k {
	case getNode:
		if arg&triesMoved != 0 {
			return c.movedKeys[arg&^triesMoved]
		}
		return c.keys.ofStrangers(c.expected(index))[arg]
	case getNodeAgain:
		if c.behind[index] == noSlot {
			return c.keys.One
		}
		return c.keys.key(c.guid[c.agent(getPort, c.behind[index])])
	case getKey:
		return c.keys.tries(c.guid[index], arg&afterSetKey != 0)[arg&^afterSetKey]
	default:
		return c.keyOf(k, index)
	}
}

// usesKeys reports whether ports are asked for their keys.
func (c *Core) usesKeys() bool { return c.keys.Given() && !c.given.ReadOnly }

// askFor asks a port of a new node for its PortInfo, and a switch for its SwitchInfo, once their M_Key is known.
func (c *Core) askFor(agent int32) {
	switch {
	case c.usesKeys():
		c.enqueue(makeTag(getKey, agent, 0))
	case c.isSwitch(agent):
		c.enqueue(makeTag(getSwitch, c.owner[agent], 0))
	default:
		c.enqueue(makeTag(getPort, agent, 0))
	}
}

// onKey takes the PortInfo of a port that was asked with one of the keys that it may have.
func (c *Core) onKey(agent int32, arg uint32, ev *Event) {
	guid := c.guid[agent]
	tried, again := int(arg&^afterSetKey), arg&afterSetKey != 0
	info := ev.Data[:]
	shown, hidden := mad.PortInfoMKey.Get(info), isHidden(info)
	if ev.Outcome == Silent || ev.Outcome == Answered && hidden {
		if tried+1 < len(c.keys.tries(guid, again)) {
			c.enqueue(makeTag(getKey, agent, arg+1))
			return
		}
	}
	if ev.Outcome != Answered {
		c.keyKnown(agent, ev)
		return
	}
	c.info[agent] = ev.Data
	c.programmed = c.programmed || shown != 0 || hidden
	if shown != 0 || !hidden {
		c.keys.learn(guid, shown)
	}
	known := shown == 0 && !hidden || shown == c.keys.toHave(guid)
	switch {
	case known:
		c.keyKnown(agent, ev)
	case again:
		c.noteLocked(agent, info)
		c.keyKnown(agent, ev)
	case c.mayClearChange():
		c.enqueue(makeTag(setKey, agent, 0))
	default: // after the managers have been asked
		c.uncleared = true
		if shown == 0 {
			c.lock(agent)
		}
		c.keyKnown(agent, ev)
	}
}

// onSetKey takes how a port was given its key. A port that does not answer may have taken it all the same.
func (c *Core) onSetKey(agent int32, ev *Event) {
	if ev.Outcome == Answered && mad.PortInfoMKey.Get(ev.Data[:]) == c.keys.toHave(c.guid[agent]) {
		c.info[agent] = ev.Data
		c.keys.learn(c.guid[agent], c.keys.toHave(c.guid[agent]))
		c.keyKnown(agent, ev)
		return
	}
	if ev.Outcome != Cancelled {
		c.enqueue(makeTag(getKey, agent, afterSetKey))
	}
}

// keyKnown asks a node for what else there is to know, with the key of its port.
func (c *Core) keyKnown(agent int32, ev *Event) {
	id := c.owner[agent]
	if c.isSwitch(agent) {
		c.enqueue(makeTag(getSwitch, id, 0))
	} else {
		c.onPortInfo(agent, ev)
	}
	if agent == c.agent(getDescription, id) {
		c.enqueue(makeTag(getDescription, id, 0))
	}
}

// perhapsLocked says what else may be the reason where a node answers nothing.
func (c *Core) perhapsLocked() string {
	if !c.usesKeys() {
		return ""
	}
	return ": it is dead, or has an M_Key that is none of those known, with protection 2 or 3. Then name the key in --mkey-file, wait until its lease has ended, or restart the device"
}

// lock leaves a node out of this sweep: nothing is written to it, and so no traffic is led through it.
func (c *Core) lock(agent int32) {
	if c.locked == nil {
		c.locked = map[int32]bool{}
	}
	c.locked[c.owner[agent]] = true
}

// noteLocked notes that a port did not take its key, and leaves its node out.
func (c *Core) noteLocked(agent int32, info []byte) {
	c.lock(agent)
	if mad.PortInfoMKey.Get(info) != 0 {
		c.noteLoss(NotTaken, c.portPlace(agent), "%s does not take the M_Key that it is to have, and is left out", c.portName(agent))
		return
	}
	wait := "its lease has no end"
	if lease := mad.PortInfoMKeyLeasePeriod.Get(info); lease > 0 {
		wait = fmt.Sprintf("its lease of %d s has begun, and ends it unless its manager lives", lease)
	}
	c.noteLoss(Locked, c.portPlace(agent), "%s has an M_Key that is not known, and is left out: %s. Name the key in --mkey-file, the secret of before by --mkey-old-secret, or restart the device",
		c.portName(agent), wait)
}
