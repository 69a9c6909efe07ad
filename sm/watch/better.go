package watch

import (
	"errors"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch/moving"
)

// better tracks a better Plan than the one in force. Where engine auto would have to try several, a
// round takes a repair or the first proven Plan (round.Plan). The rest is planned beside the loop,
// between and during rounds. When the Plan is ready a round repairs it for the subnet as it is
// then, has it proven, and programs it.
type better struct {
	wanted bool // one is to be planned
	asked  bool // a person or new settings want it, whatever it delivers
	under  bool // one is being planned
	since  time.Duration
	graph  *fabric.Graph // for which it is planned
	ready  *terms.Better // planned, and not in force yet
}

// whyBetter is the reason of a round that programs a better Plan.
const whyBetter = "a better Plan is ready"

// betterDue returns when the better Plan comes into force.
func betterDue(m *Manager) time.Duration {
	switch b := &m.better; {
	case b.ready == nil:
		return terms.Never
	case b.asked:
		return m.now
	}
	return m.contest.delay(moving.Allowed(&m.watch, m.now, m.now))
}

// planBetter begins to plan a better Plan, if one is wanted.
func planBetter(m *Manager) {
	b := &m.better
	if !b.wanted || b.under || m.inForce == nil || m.contest.isOn() && !b.asked {
		return
	}
	*b = better{under: true, asked: b.asked, since: m.now, graph: m.inForce.Graph}
	m.tell(terms.BetterPlan, "a better Plan is being planned; the one in force, by %s, is repaired meanwhile", m.inForce.Plan.Recipe.Engine())
	m.out = append(m.out, terms.Action{Kind: terms.Improve, Request: round.RequestBetter(m.inForce, &m.next, m.missing.forgotten())})
}

// takeBetter takes a better Plan.
func takeBetter(m *Manager, ev *terms.Event) {
	b := &m.better
	if !b.under {
		return
	}
	b.under = false
	switch r := ev.Result; {
	case ev.Err != nil:
		noBetter(m, ev.Err)
	case r.Repaired != nil:
		noBetter(m, errors.Join(r.Refused...))
	case !r.Report.OK:
		noBetter(m, errors.New("it is not proven"))
	default:
		b.ready = &terms.Better{Kept: planner.Keep(r.Plan, b.graph), Choice: r.Choice, Asked: b.asked}
		text := r.Engine.Name
		if r.Choice != nil {
			text = r.Choice.String()
		}
		m.tell(terms.BetterPlan, "%s: %s", whyBetter, text)
	}
	b.graph = nil
}

// noBetter gives up a better Plan. If routing from scratch is due anyway some time, it is then
// planned again.
func noBetter(m *Manager, why error) {
	m.better = better{}
	m.tell(terms.BetterPlan, "no better Plan comes into force: %v", why)
	if m.watch.Rebalance > 0 {
		m.afresh = m.now + m.watch.Rebalance
	}
}

// dropBetter ends the planning of a better Plan, and forgets it.
func dropBetter(m *Manager) {
	if m.better.under {
		m.out = append(m.out, terms.Action{Kind: terms.Improve})
	}
	m.better, m.next.Better = better{}, nil
}

// afterBetter handles the end of a round that brought the subnet up. asked says that a person or
// new settings wanted it to route from scratch.
func afterBetter(m *Manager, asked bool) {
	if m.given.Inherit.Better != nil {
		if m.result.Unfit != nil {
			noBetter(m, m.result.Unfit)
		}
		m.better.asked = false
	}
	if m.result.More {
		m.better.asked = m.better.asked || asked
		m.better.wanted = !m.better.under // one that is being planned is repaired for this subnet
	}
}
