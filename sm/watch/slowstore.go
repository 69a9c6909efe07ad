package watch

import (
	"fmt"
	"slices"
	"time"

	"weft/sm/terms"
)

// A round of a master waits until its LIDs and Plan are stored, here and at the standbys. A standby
// may be cut off by the very fault that is repaired, or take itself for the master. So a repair
// waits no longer than mostStore before it is written, and the end of the round no longer than
// mostEnd, or than mostStore if the next round has to route around a switch.
const (
	mostStore = 2 * time.Second
	mostEnd   = 12 * time.Second
)

// errSlowStore ends that wait: ports whose LIDs are new get them in the next round.
var errSlowStore = fmt.Errorf("disk and standbys have not answered for %v", mostStore)

// limitStore limits the wait for a Store among the actions from one on.
func limitStore(m *Manager, from int) {
	if m.given.Before == nil || !slices.ContainsFunc(m.out[from:], func(a terms.Action) bool { return a.Kind == terms.Store }) {
		return
	}
	m.storeSince, m.storeLate = m.now, m.now+mostStore
	wakeForStore(m)
}

// wakeForStore asks to be woken when that wait ends, unless a pause ends first.
func wakeForStore(m *Manager) {
	if m.inRound && m.storeLate < terms.Never && m.pauseEnds == terms.Never {
		m.out = append(m.out, terms.Action{Kind: terms.Wake, At: m.storeLate})
	}
}

// endSlowStore ends the wait, and continues the round.
func endSlowStore(m *Manager, now time.Duration) {
	if !m.inRound || now < m.storeLate {
		return
	}
	m.storeLate = terms.Never
	phase := m.current.Phase()
	switch {
	case phase == "store" && m.current.Result().Moved == 0: // only new ports wait
	case phase == "verify" && now < m.storeSince+mostEnd && !slices.Contains(m.found().Prog.Closed, true):
		m.storeLate = now + mostStore
		wakeForStore(m)
	default:
		m.stepRound(&terms.Event{Kind: terms.Stored, Err: errSlowStore})
	}
}
