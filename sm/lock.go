package sm

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// A port is asked for its M_Key before anything else of its node: by PortInfo, with the keys that it may have, one after the other. One that
// has another key than it is to have is given that at once, if the subnet may be written to; nothing else is under way to it then
// that needs a key. So no SMP is ever sent with a key that is not known to be right, but for
// those tries.

// afterSetKey is added to the argument of a getKey that follows a setKey.
const afterSetKey = 0x100

// keyFor returns the M_Key that an SMP carries.
func (f *finder) keyFor(k kind, index int32, arg uint32) uint64 {
	switch k {
	case getNode:
		if arg&triesMoved != 0 {
			return f.movedKeys[arg&^triesMoved]
		}
		return f.keys.ofStrangers(f.expected(index))[arg]
	case getNodeAgain:
		if f.behind[index] == noSlot {
			return f.keys.One
		}
		return f.keys.key(f.guid[f.agent(getPort, f.behind[index])])
	case getKey:
		return f.keys.tries(f.guid[index], arg&afterSetKey != 0)[arg&^afterSetKey]
	default:
		return f.keyOf(k, index)
	}
}

// usesKeys reports whether ports are asked for their keys.
func (f *finder) usesKeys() bool { return f.keys.Given() && !f.given.ReadOnly }

// askFor asks a port of a new node for its PortInfo, and a switch for its SwitchInfo, once their M_Key is known.
func (f *finder) askFor(agent int32) {
	switch {
	case f.usesKeys():
		f.enqueue(makeTag(getKey, agent, 0))
	case f.isSwitch(agent):
		f.enqueue(makeTag(getSwitch, f.owner[agent], 0))
	default:
		f.enqueue(makeTag(getPort, agent, 0))
	}
}

// onKey takes the PortInfo of a port that was asked with one of the keys that it may have.
func (f *finder) onKey(agent int32, arg uint32, ev *Event) {
	guid := f.guid[agent]
	tried, again := int(arg&^afterSetKey), arg&afterSetKey != 0
	info := ev.Data[:]
	shown, hidden := mad.PortInfoMKey.Get(info), isHidden(info)
	if ev.Outcome == Silent || ev.Outcome == Answered && hidden {
		if tried+1 < len(f.keys.tries(guid, again)) {
			f.enqueue(makeTag(getKey, agent, arg+1))
			return
		}
	}
	if ev.Outcome != Answered {
		f.keyKnown(agent, ev)
		return
	}
	f.info[agent] = ev.Data
	f.programmed = f.programmed || shown != 0 || hidden
	if shown != 0 || !hidden {
		f.keys.learn(guid, shown)
	}
	known := shown == 0 && !hidden || shown == f.keys.toHave(guid)
	switch {
	case known:
		f.keyKnown(agent, ev)
	case again:
		f.noteLocked(agent, info)
		f.keyKnown(agent, ev)
	case f.mayClearChange():
		f.enqueue(makeTag(setKey, agent, 0))
	default: // after the managers have been asked
		f.uncleared = true
		if shown == 0 {
			f.lock(agent)
		}
		f.keyKnown(agent, ev)
	}
}

// onSetKey takes how a port was given its key. A port that does not answer may have taken it all the same.
func (f *finder) onSetKey(agent int32, ev *Event) {
	if ev.Outcome == Answered && mad.PortInfoMKey.Get(ev.Data[:]) == f.keys.toHave(f.guid[agent]) {
		f.info[agent] = ev.Data
		f.keys.learn(f.guid[agent], f.keys.toHave(f.guid[agent]))
		f.keyKnown(agent, ev)
		return
	}
	if ev.Outcome != Cancelled {
		f.enqueue(makeTag(getKey, agent, afterSetKey))
	}
}

// keyKnown asks a node for what else there is to know, with the key of its port.
func (f *finder) keyKnown(agent int32, ev *Event) {
	id := f.owner[agent]
	if f.isSwitch(agent) {
		f.enqueue(makeTag(getSwitch, id, 0))
	} else {
		f.onPortInfo(agent, ev)
	}
	if agent == f.agent(getDescription, id) {
		f.enqueue(makeTag(getDescription, id, 0))
	}
}

// perhapsLocked says what else may be the reason where a node answers nothing.
func (f *finder) perhapsLocked() string {
	if !f.usesKeys() {
		return ""
	}
	return ": it is dead, or has an M_Key that is none of those known, with protection 2 or 3. Then name the key in --mkey-file, wait until its lease has ended, or restart the device"
}

// lock leaves a node out of this sweep: nothing is written to it, and so no traffic is led through it.
func (f *finder) lock(agent int32) {
	if f.locked == nil {
		f.locked = map[int32]bool{}
	}
	f.locked[f.owner[agent]] = true
}

// noteLocked notes that a port did not take its key, and leaves its node out.
func (f *finder) noteLocked(agent int32, info []byte) {
	f.lock(agent)
	if mad.PortInfoMKey.Get(info) != 0 {
		f.noteLoss(NotTaken, f.portPlace(agent), "%s does not take the M_Key that it is to have, and is left out", f.portName(agent))
		return
	}
	wait := "its lease has no end"
	if lease := mad.PortInfoMKeyLeasePeriod.Get(info); lease > 0 {
		wait = fmt.Sprintf("its lease of %d s has begun, and ends it unless its manager lives", lease)
	}
	f.noteLoss(Locked, f.portPlace(agent), "%s has an M_Key that is not known, and is left out: %s. Name the key in --mkey-file, the secret of before by --mkey-old-secret, or restart the device",
		f.portName(agent), wait)
}

// expected returns the port that was behind one, noSlot standing for our own; 0 where that is not known, or no key is needed to ask.
func (f *finder) expected(slot int32) fabric.GUID {
	switch {
	case !f.keys.Given() || !f.keys.hiding:
		return 0
	case slot == noSlot:
		return f.keys.here
	}
	return f.keys.behind[f.portKey(slot)]
}

// rememberNeighbours remembers what was found behind all ports.
func (f *finder) rememberNeighbours() {
	if !f.usesKeys() {
		return
	}
	f.keys.here = f.guid[f.ownPort()]
	for slot, peer := range f.peer {
		if peer != noSlot {
			f.keys.behind[f.portKey(int32(slot))] = f.guid[f.agent(getPort, peer)]
		}
	}
}

// triesMoved is added to the argument of a getNode that has the key of a port that may have moved.
const triesMoved = 0x10000

// tryMoved asks once more through ports behind which nobody has answered: with the keys of other ports that were not found this time. It reports whether there is anything to ask.
func (f *finder) tryMoved() bool {
	silent := f.silent
	f.silent, f.movedKeys = nil, nil
	if len(silent) == 0 {
		return false
	}
	found := map[fabric.GUID]bool{}
	for _, guid := range f.guid {
		found[guid] = true
	}
	var moved []fabric.GUID
	for _, guid := range f.keys.behind {
		if !found[guid] {
			moved = append(moved, guid)
		}
	}
	slices.Sort(moved)
	moved = slices.Compact(moved)
	for _, guid := range moved[:min(len(moved), mostTried)] {
		f.movedKeys = append(f.movedKeys, f.keys.key(guid))
	}
	asked := false
	for _, slot := range silent {
		was := f.expected(slot) // with its key it was asked
		if !slices.ContainsFunc(moved, func(guid fabric.GUID) bool { return guid != was }) {
			f.noteNothingBehind(slot, &Event{Outcome: Silent})
			continue
		}
		asked = true
		f.enqueue(makeTag(getNode, slot, triesMoved))
	}
	return asked
}
