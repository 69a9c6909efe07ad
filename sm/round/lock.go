package round

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// A port is asked for its M_Key before anything else of its node: by PortInfo, with each key that
// it may have in turn. If it has another key than planned, it is given the planned one at once, if
// the subnet may be written to. At that time nothing else is under way to it that needs a key. So
// except for these tries, every SMP carries a key known to be right.

// afterSetKey marks the argument of a GetKey that follows a SetKey.
const afterSetKey = 0x100

// keyFor returns the M_Key that an SMP carries.
func (f *finder) keyFor(k ledger.Kind, index int32, arg uint32) uint64 {
	switch k {
	case ledger.GetNode:
		if arg&triesMoved != 0 {
			return f.movedKeys[arg&^triesMoved]
		}
		return f.Keys.OfStrangers(f.expected(index))[arg]
	case ledger.GetNodeAgain, ledger.GetTwin:
		if f.Behind[index] == ledger.NoSlot {
			return f.Keys.One
		}
		return f.Keys.Key(f.GUID[f.Agent(ledger.GetPort, f.Behind[index])])
	case ledger.GetKey:
		return f.Keys.Tries(f.GUID[index], arg&afterSetKey != 0)[arg&^afterSetKey]
	default:
		return f.KeyOf(k, index)
	}
}

// usesKeys reports whether ports are asked for their M_Keys.
func (f *finder) usesKeys() bool { return f.Keys.Given() && !f.given.ReadOnly }

// looksForKeys reports whether a port is asked for its M_Key before all else. Without keys of our
// own too: an earlier manager may have left one. A switch of the previous round had none then.
func (f *finder) looksForKeys(agent int32) bool {
	switch {
	case f.given.ReadOnly:
		return false
	case f.usesKeys(), !f.IsSwitch(agent), f.given.Before == nil, f.given.ReadTables, len(f.Keys.Has) > 0:
		return true
	}
	before, known := f.given.Before.ByGUID[f.Nodes[f.Owner[agent]].GUID]
	return !known || f.given.Before.Locked[before]
}

// askFor reads the first attribute of a new node's agent port: GetKey, or else SwitchInfo of a
// switch or PortInfo of a CA port.
func (f *finder) askFor(agent int32) {
	switch {
	case f.looksForKeys(agent):
		f.enqueue(ledger.MakeTag(ledger.GetKey, agent, 0))
	case f.IsSwitch(agent):
		f.enqueue(ledger.MakeTag(ledger.GetSwitch, f.Owner[agent], 0))
	default:
		f.enqueue(ledger.MakeTag(ledger.GetPort, agent, 0))
	}
}

// onKey handles the PortInfo of a port that was asked with one of its possible keys.
func (f *finder) onKey(agent int32, arg uint32, ev *terms.Event) {
	guid := f.GUID[agent]
	tried, again := int(arg&^afterSetKey), arg&afterSetKey != 0
	info := ev.Data[:]
	shown, hidden := mad.PortInfoMKey.Get(info), ledger.IsHidden(info)
	if ev.Outcome == terms.Silent || ev.Outcome == terms.Answered && hidden {
		if tried+1 < len(f.Keys.Tries(guid, again)) {
			f.enqueue(ledger.MakeTag(ledger.GetKey, agent, arg+1))
			return
		}
	}
	if ev.Outcome != terms.Answered {
		f.keyKnown(agent, ev)
		return
	}
	f.Info[agent] = ev.Data
	f.programmed = f.programmed || shown != 0 || hidden
	if shown != 0 || !hidden {
		f.Keys.Learn(guid, shown)
	}
	known := !hidden && (shown == 0 || shown == f.Keys.ToHave(guid))
	switch {
	case known:
		f.keyKnown(agent, ev)
	case again:
		f.noteLocked(agent, info)
		f.keyKnown(agent, ev)
	case f.mayClearChange():
		f.enqueue(ledger.MakeTag(ledger.SetKey, agent, 0))
	default: // wait until the managers have been asked
		f.uncleared = true
		if shown == 0 {
			f.lock(agent)
		}
		f.keyKnown(agent, ev)
	}
}

// onSetKey handles the end of a SetKey. A port that does not answer may have taken the key all the
// same.
func (f *finder) onSetKey(agent int32, ev *terms.Event) {
	if ev.Outcome == terms.Answered && mad.PortInfoMKey.Get(ev.Data[:]) == f.Keys.ToHave(f.GUID[agent]) {
		f.Info[agent] = ev.Data
		f.Keys.Learn(f.GUID[agent], f.Keys.ToHave(f.GUID[agent]))
		f.keyKnown(agent, ev)
		return
	}
	if ev.Outcome != terms.Cancelled {
		f.enqueue(ledger.MakeTag(ledger.GetKey, agent, afterSetKey))
	}
}

// keyKnown continues with a node after the key of its port is known or given up.
func (f *finder) keyKnown(agent int32, ev *terms.Event) {
	id := f.Owner[agent]
	if f.IsSwitch(agent) {
		f.enqueue(ledger.MakeTag(ledger.GetSwitch, id, 0))
		if !f.usesKeys() && ev.Outcome == terms.Answered { // it need not be asked again
			f.onPortInfo(agent, ev)
		}
	} else {
		f.onPortInfo(agent, ev)
	}
	if f.usesKeys() && agent == f.Agent(ledger.GetDescription, id) {
		f.enqueue(ledger.MakeTag(ledger.GetDescription, id, 0))
	}
}

// perhapsLocked returns the hint that a silent node may have an unknown M_Key, "" without keys.
func (f *finder) perhapsLocked() string {
	if !f.usesKeys() {
		return ""
	}
	return ": it is dead, or has an M_Key that is none of those known, with protection 2 or 3. Then name the key in --mkey-file, wait until its lease has ended, or restart the device"
}

// lock leaves a node out of this sweep: the round does not write to it, and routes no traffic
// through it.
func (f *finder) lock(agent int32) {
	if f.Locked == nil {
		f.Locked = map[int32]bool{}
	}
	f.Locked[f.Owner[agent]] = true
}

// noteLocked notes that a port did not take its key, and leaves its node out.
func (f *finder) noteLocked(agent int32, info []byte) {
	f.lock(agent)
	if mad.PortInfoMKey.Get(info) != 0 {
		f.noteLoss(terms.NotTaken, f.PortPlace(agent), "%s does not take the M_Key that it is to have, and is left out", f.PortName(agent))
		return
	}
	wait := "its lease has no end"
	if lease := mad.PortInfoMKeyLeasePeriod.Get(info); lease > 0 {
		wait = fmt.Sprintf("its lease of %d s has begun, and ends it unless its manager lives", lease)
	}
	f.noteLoss(terms.Locked, f.PortPlace(agent), "%s has an M_Key that is not known, and is left out: %s. Name the key in --mkey-file, the secret of before by --mkey-old-secret, or restart the device",
		f.PortName(agent), wait)
}

// expected returns the GUID of the port previously found behind a slot, or of our own port for
// ledger.NoSlot. It returns 0 if that is unknown, or if asking needs no key.
func (f *finder) expected(slot int32) fabric.GUID {
	switch {
	case !f.Keys.Given() || !f.Keys.Hiding:
		return 0
	case slot == ledger.NoSlot:
		return f.Keys.Here
	}
	return f.Keys.Behind[f.PortKey(slot)]
}

// rememberNeighbours stores, for every port, the GUID of the port at the other end of its cable.
func (f *finder) rememberNeighbours() {
	if !f.usesKeys() {
		return
	}
	f.Keys.Here = f.GUID[f.OwnPort()]
	for slot, peer := range f.Peer {
		if peer != ledger.NoSlot {
			f.Keys.Behind[f.PortKey(int32(slot))] = f.GUID[f.Agent(ledger.GetPort, peer)]
		}
	}
}

// triesMoved marks the argument of a GetNode that carries the key of a port which may have moved.
const triesMoved = 0x10000

// tryMoved asks once more behind the silent ports, with the keys of known ports that this sweep has
// not found: a cable may have moved. It reports whether there is anything to ask.
func (f *finder) tryMoved() bool {
	silent := f.silent
	f.silent, f.movedKeys = nil, nil
	if len(silent) == 0 {
		return false
	}
	found := map[fabric.GUID]bool{}
	for _, guid := range f.GUID {
		found[guid] = true
	}
	var moved []fabric.GUID
	for _, guid := range f.Keys.Behind {
		if !found[guid] {
			moved = append(moved, guid)
		}
	}
	slices.Sort(moved)
	moved = slices.Compact(moved)
	for _, guid := range moved[:min(len(moved), ledger.MostTried)] {
		f.movedKeys = append(f.movedKeys, f.Keys.Key(guid))
	}
	asked := false
	for _, slot := range silent {
		was := f.expected(slot) // it was already asked with this key
		if !slices.ContainsFunc(moved, func(guid fabric.GUID) bool { return guid != was }) {
			f.noteNothingBehind(slot, &terms.Event{Outcome: terms.Silent})
			continue
		}
		asked = true
		f.enqueue(ledger.MakeTag(ledger.GetNode, slot, triesMoved))
	}
	return asked
}
