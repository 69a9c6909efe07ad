package watch

import (
	"errors"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/moving"
)

// better tracks a better Plan than the one in force. A round on a network that is not small
// (planner.IsSmall) does not route from scratch while it can repair the Plan in force, and does not
// try several engines. That is done beside the loop, between and during rounds. When the Plan is
// ready, a round repairs it for the subnet of that moment, has it proven, and programs it.
type better struct {
	wanted bool // one is to be planned
	asked  bool // a person or new settings want it, whatever it delivers
	under  bool // one is being planned
	stale  bool // the subnet has changed since
	since  time.Duration
	graph  *fabric.Graph // for which it is planned
	ready  *terms.Better // planned, and not in force yet
}

// expected reports whether a better Plan is to come into force.
func (b *better) expected() bool { return b.wanted || b.under || b.ready != nil }

// whyBetter is the reason of a round that programs a better Plan.
const whyBetter = "a better Plan is ready"

// betterDue returns when the better Plan comes into force: not while rounds fail. A subnet that is
// up in part may stay so for ever.
func betterDue(m *Manager) time.Duration {
	switch b := &m.better; {
	case b.ready == nil, !m.result.Report.State.IsUp():
		return terms.Never
	case b.asked:
		return m.now
	}
	return m.contest.delay(moving.Allowed(&m.watch, m.now, m.now))
}

// planBetter begins to plan a better Plan, if one is wanted. It keeps LIDs.
func planBetter(m *Manager) {
	b := &m.better
	if !b.wanted || b.under || m.inForce == nil || m.contest.isOn() && !b.asked {
		return
	}
	stopTurn(m) // the better Plan is for its jobs too
	*b = better{under: true, asked: b.asked, since: m.now, graph: m.inForce.Graph}
	m.tell(terms.BetterPlan, "a better Plan is being planned; the one in force, by %s, is repaired meanwhile", m.inForce.Plan.Recipe.Engine())
	l := m.inForce
	m.out = append(m.out, terms.Action{Kind: terms.Improve, Request: &terms.RouteRequest{
		Graph: l.Graph, Stored: m.next.Stored, NoGroups: l.WithoutGroups(), Absent: l.DrainedHosts(), Multicast: true, Levels: l.By.Levels, Jobs: m.jobs.List(),
		Kept: planner.Keep(ledger.WithoutForgotten(l.Plan, m.missing.forgotten()), l.Graph), Afresh: true, Beside: true,
	}})
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
		noBetter(m, ev.Err, b.stale)
	case r.Repaired != nil:
		noBetter(m, errors.Join(r.Refused...), b.stale)
	case !r.Report.OK && !m.cfg.Unproven:
		noBetter(m, errors.New("it is not proven"), b.stale)
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

// noBetter gives up a better Plan. Another one is planned only if the subnet has changed since: the
// same job would end alike. It is planned at once if the first one was asked for, and else after
// Watch.Rebalance.
func noBetter(m *Manager, why error, unbalanced bool) {
	again := m.better.asked && m.better.stale
	m.unbalanced = unbalanced
	m.better = better{wanted: again, asked: again}
	m.tell(terms.BetterPlan, "no better Plan comes into force: %v", why)
	scheduleAfresh(m)
}

// stopBetter ends the planning of a better Plan. It stays expected.
func stopBetter(m *Manager) {
	if b := &m.better; b.under {
		m.out = append(m.out, terms.Action{Kind: terms.Improve})
		b.under, b.wanted = false, true
	}
}

// dropBetter ends the planning of a better Plan, and forgets it.
func dropBetter(m *Manager) {
	stopBetter(m)
	m.better = better{}
}

// afterBetter handles the end of a round that brought the subnet up. asked says that a person or
// new settings wanted it to route from scratch, changed that the subnet has changed. It reports
// whether the Plan of the round is from scratch, for the subnet as it is.
func afterBetter(m *Manager, asked, changed bool) (fresh bool) {
	b, used := &m.better, m.given.Better != nil && !m.given.Better.ForJobs
	b.stale = b.stale || changed
	switch {
	case used && m.result.Unfit != nil:
		noBetter(m, m.result.Unfit, true)
	case used:
		fresh = !b.stale
		*b = better{}
	default:
		fresh = m.given.Afresh && !m.result.More
	}
	if m.result.More {
		if asked && b.stale {
			stopBetter(m) // it lacks all that is new
		}
		b.asked = b.asked || asked
		b.wanted = !b.under // one that is being planned is repaired for this subnet
	}
	return fresh
}
