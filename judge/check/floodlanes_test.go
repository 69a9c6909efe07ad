package check_test

import "weft/route"

// lanes looks at the VLs that each port has sent on: it must have them, and serve them in the end.
func (w *world) lanes() {
	for from, vls := range w.sent {
		links, turns := w.linkVLs(from), w.turns(from)
		for vl := range vls {
			switch {
			case vl == route.DropVL:
				w.wrong("%+v discards packets", from)
			case links > 0 && vl >= links:
				w.wrong("%+v sends on VL %d of %d", from, vl, links)
			case turns != nil && !listed(turns.High, vl) && !listed(turns.Low, vl):
				w.wrong("%+v never serves VL %d", from, vl)
			case turns != nil && turns.Limit == 255 && !listed(turns.High, vl) && w.busy(turns.High, vls):
				w.wrong("%+v may never come to serve VL %d", from, vl)
			}
		}
	}
}

// listed reports whether a list gives a VL a turn.
func listed(list []route.ArbEntry, vl uint8) bool {
	for _, e := range list {
		if e.VL == vl && e.Weight > 0 {
			return true
		}
	}
	return false
}

// busy reports whether a list gives a turn to some VL with packets.
func (w *world) busy(list []route.ArbEntry, vls map[uint8]bool) bool {
	for _, e := range list {
		if e.Weight > 0 && (vls[e.VL] || !w.pathLanes()) {
			return true
		}
	}
	return false
}

// turns returns the arbitration table of a port, nil if it is unknown.
func (w *world) turns(from sender) *route.ArbTable {
	a := w.p.Arbitration
	switch _, h := w.g.At(from.s, from.p); {
	case a == nil:
		return nil
	case from.host:
		return &a.Pool[a.Host[h]]
	default:
		return &a.Pool[a.Switch[w.slot(from.s, from.p)]]
	}
}

func (w *world) slot(s int32, p uint8) int32 { return w.g.PortStart[s] + int32(p) }

// linkVLs returns the VLs of a link: those it has, or fewer that the Plan sets at one of its ends.
func (w *world) linkVLs(from sender) uint8 {
	g, ports := w.g, w.p.Ports
	limits := []uint8{g.PortVLs[w.slot(from.s, from.p)]}
	if ports != nil {
		limits = append(limits, ports.Pool[ports.Switch[w.slot(from.s, from.p)]].VLs)
		c, h := g.At(from.s, from.p)
		if c >= 0 {
			limits = append(limits, ports.Pool[ports.Switch[w.slot(g.To[c], g.ToPort[c])]].VLs)
		}
		if h >= 0 {
			limits = append(limits, ports.Pool[ports.Host[h]].VLs)
		}
	}
	least := uint8(0)
	for _, n := range limits {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// ring reports whether packets can wait for each other in a ring: packets that wait for nothing
// leave, until none is left or none can.
func (w *world) ring() bool {
	left := map[[2]hold]bool{}
	for e := range w.waits {
		left[e] = true
	}
	for {
		stuck := map[hold]bool{}
		for e := range left {
			stuck[e[0]] = true
		}
		n := len(left)
		for e := range left {
			if !stuck[e[1]] {
				delete(left, e)
			}
		}
		if len(left) == n {
			return n > 0
		}
	}
}
