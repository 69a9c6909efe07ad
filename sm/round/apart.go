package round

import (
	"weft/fabric"
	"weft/sm/ledger"
)

// Apart lists the ports in quarantine, and the switches whose PortStateChange the round ignores.
type Apart struct {
	// Held holds the quarantined ports. The round does not probe behind them unless no other link
	// leads there. The value is the other end of the cable if that is a switch port, otherwise
	// zero.
	Held  map[ledger.PortKey]ledger.PortKey
	Nodes map[fabric.GUID]bool // ignore PortStateChange of these switches, by node GUID
}

// isHeld reports whether a port is in quarantine.
func (f *finder) isHeld(slot int32) bool {
	if len(f.given.Apart.Held) == 0 {
		return false
	}
	_, held := f.given.Apart.Held[f.PortKey(slot)]
	return held
}

// takeOnlyWays probes behind quarantined ports that are the only link to a switch, one port for
// each switch. It reports whether there are any.
func (f *finder) takeOnlyWays() bool {
	if len(f.given.Apart.Held) == 0 {
		return false
	}
	behind := map[fabric.GUID]bool{}
	for slot := range int32(len(f.Owner)) {
		if f.Flags[slot]&(ledger.PortKnown|ledger.PortProbed) != ledger.PortKnown || !f.HasLink(slot) || !f.isHeld(slot) {
			continue
		}
		here := f.PortKey(slot)
		there := f.given.Apart.Held[here]
		if _, found := f.ByGUID[there.Node]; found || there.Node == 0 || behind[there.Node] {
			continue
		}
		behind[there.Node] = true
		delete(f.given.Apart.Held, here)
		delete(f.given.Apart.Held, there)
		f.Flags[slot] |= ledger.PortProbed
		f.enqueue(ledger.MakeTag(ledger.GetNode, slot, 0))
	}
	return len(behind) > 0
}
