package watch

import (
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// alarms holds back rounds for nodes that cry wolf: they report changes again and again, and the
// rounds find none, such as a host whose name changes each second, or a switch that never takes
// its settings. Each such round makes the next one for that node wait longer. Other nodes do not
// wait, and a cable that fails is told by the switch at its other end too.
type alarms struct {
	of   map[fabric.GUID]*alarm // by node; 0: all nodes that no round has found
	due  time.Duration          // when an alarm that waits begins a round; never
	node fabric.GUID            // its node
	what string
}

// alarm puts off the rounds that a node's alarms begin.
type alarm struct {
	next time.Duration // it begins no round before
	wait time.Duration // from one round to the next, doubled each time
}

// isCalm reports whether a node has sent no alarm for long.
func (n *alarm) isCalm(now time.Duration) bool { return now > n.next+max(mostWait, 2*n.wait) }

const (
	freeAlarms = 3               // rounds that a node's alarms begin without a wait
	firstWait  = 2 * time.Second // then; doubled each time
	mostWait   = time.Minute
)

func newAlarms() alarms { return alarms{of: map[fabric.GUID]*alarm{}, due: terms.Never} }

// nodeOf returns the GUID of a node of a ledger, 0 for none.
func nodeOf(c *ledger.Ledger, id int32) fabric.GUID {
	if id < 0 {
		return 0
	}
	return c.Nodes[id].GUID
}

// note notes a change that a node reports of itself. A round begins as after any change, or
// later if alarms of this node have begun many.
func (a *alarms) note(m *Manager, now time.Duration, node fabric.GUID, what string) {
	if at := a.ring(now, node); at > now {
		if at < a.due {
			a.due, a.node, a.what = at, node, what
		}
		return
	}
	m.noteChange(now, what)
}

// found reports a change that a sweep or a look found at a node.
func (a *alarms) found(m *Manager, now time.Duration, node fabric.GUID, what string) {
	m.dropSweep()
	m.sweep.due = now + m.watch.Interval // if no round begins
	m.sweep.calm = m.sweep.due
	m.tell(terms.SweepFound, "%s", what)
	a.note(m, now, node, what)
}

// ring returns when an alarm of a node may begin a round.
func (a *alarms) ring(now time.Duration, node fabric.GUID) time.Duration {
	n := a.of[node]
	if n == nil || n.isCalm(now) {
		a.forget(now)
		n = &alarm{}
		a.of[node] = n
	}
	if now < n.next {
		return n.next
	}
	if n.wait = repeat.Longer(n.wait, firstWait>>(freeAlarms-1), mostWait); n.wait >= firstWait {
		n.next = now + n.wait
	} else {
		n.next = now
	}
	return now
}

// forget drops the nodes that are calm.
func (a *alarms) forget(now time.Duration) {
	for node, n := range a.of {
		if n.isCalm(now) {
			delete(a.of, node)
		}
	}
}

// begin begins a round for the alarms that have waited.
func (a *alarms) begin(m *Manager, now time.Duration) {
	a.due = terms.Never
	a.ring(now, a.node)
	m.noteChange(now, a.what)
}
