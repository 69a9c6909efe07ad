package ledger

import "errors"

// Outlet returns the switch port whose disabling silences a port, and an error if it must not be
// disabled.
func (l *Ledger) Outlet(slot int32) (out int32, err error) {
	if out = slot; !l.IsSwitch(slot) {
		out = l.Peer[slot]
	}
	switch {
	case out == NoSlot || !l.IsSwitch(out):
		return out, errors.New("it is at no switch")
	case l.PortNumber(out) == 0:
		return out, errors.New("it is the switch itself")
	default:
		t := l.Peer[out]
		if out == l.OwnPort() || t == l.OwnPort() {
			return out, errors.New("it is this manager's own link")
		}
		if !l.IsJoinedWithout([2]PortKey{l.PortKey(out), l.EndsOf(out)[1]}, false) || t != NoSlot && l.IsSwitch(t) && !l.IsJoinedWithout(l.EndsOf(out), true) {
			return out, errors.New("its link is the only way to a switch")
		}
	}
	return out, nil
}
