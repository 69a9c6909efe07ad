package ledger

import (
	"errors"

	"weft/fabric"
)

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

// OnlyWays marks, by slot, both ends of the links between switches without which a switch has no
// way to us: the bridges of the network, by one search in depth (Tarjan 1974). It says at once what
// IsJoinedWithout says of each.
func (l *Ledger) OnlyWays() []bool {
	type visit struct {
		id   int32
		next int32 // slot
		by   int32 // slot here of the link by which it was reached, or NoSlot
	}
	only := make([]bool, len(l.Owner))
	num, low := make([]int32, len(l.Nodes)), make([]int32, len(l.Nodes))
	number := int32(1)
	num[0], low[0] = 1, 1
	for stack := []visit{{0, l.Nodes[0].First, NoSlot}}; len(stack) > 0; {
		v := &stack[len(stack)-1]
		if v.next > l.Nodes[v.id].First+int32(l.Nodes[v.id].Ports) {
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				u := &stack[len(stack)-1]
				low[u.id] = min(low[u.id], low[v.id])
				if there := l.Peer[v.by]; low[v.id] > num[u.id] && l.IsSwitch(there) {
					only[v.by], only[there] = true, true
				}
			}
			continue
		}
		slot := v.next
		v.next++
		t := l.Peer[slot]
		if t == NoSlot || slot == v.by || l.Nodes[v.id].Typ != fabric.Switch && slot != l.OwnPort() || !l.IsSwitch(t) && l.Owner[t] != 0 || !l.IsManageable(l.Owner[t]) {
			continue
		}
		if to := l.Owner[t]; num[to] == 0 {
			number++
			num[to], low[to] = number, number
			stack = append(stack, visit{to, l.Nodes[to].First, t})
		} else {
			low[v.id] = min(low[v.id], num[to])
		}
	}
	return only
}
