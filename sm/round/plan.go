package round

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/wire/mad"
)

// notTold lists the facts that hosts learn from path records alone: the LID to use for a target,
// and the SL of a path that differs from the default SL.
func notTold(p *route.Plan, r *quality.Report) (lines []string) {
	if p.Ends.MaxLMC() > 0 && p.Choice.By != route.AnyLID && p.Choice.By != route.BaseLID {
		lines = append(lines, fmt.Sprintf("the LID to use for each target (%s): without path records hosts use base LIDs", p.Choice.By))
	}
	if len(p.Levels) > 1 {
		lines = append(lines, "levels of service: without path records, or an SL set by hand, all paths use level "+p.Levels[0].Name)
	}
	if p.SL != nil && slDiffers(p.SL, p.Service.Default) {
		free := "not known"
		if r != nil {
			free = r.NoPathRecord.DeadlockFree.String()
		}
		lines = append(lines, fmt.Sprintf("the SL of each path: without path records hosts use SL %d; deadlock-free then: %s", p.Service.Default, free))
	}
	if p.SL != nil && p.SL.OneWay {
		lines = append(lines, "the SL of the reply path, where it differs: such paths are not reversible, so hosts that ask for reversible paths, as RDMA CM does, get none")
	}
	return lines
}

// slDiffers reports whether some pair of classes has another SL than sl.
func slDiffers(m *route.SLs, sl uint8) bool {
	for dst := range int32(m.NumDst) {
		for src := range int32(m.NumSrc) {
			if m.ByClass(src, dst) != sl {
				return true
			}
		}
	}
	return false
}

// noteRepair reports the result of the repair of the old Plan.
func (c *Round) noteRepair(r *planner.Result) {
	if f := r.Repaired; f != nil {
		c.moved, c.repaired, c.improvable = f.Moved, true, f.Moved+f.Filled+f.Unused > 0
		c.report.Routing.Kept = fmt.Sprintf("repaired: %s moved, %d had used parts that are lost, drained or in quarantine", fold.Count(f.Moved, "entry", "entries"), f.Crossed)
		switch {
		case c.given.Better != nil && c.notUsed == nil && c.given.Better.ForJobs:
			c.report.Routing.Kept = "entries moved for jobs that have started"
		case c.given.Better != nil && c.notUsed == nil:
			c.report.Routing.Kept = fmt.Sprintf("a better Plan takes its place, with %s moved since it was made", fold.Count(f.Moved, "entry", "entries"))
		case c.more && c.given.Afresh:
			c.report.Routing.Kept += ", until a better Plan is ready"
		}
		if c.given.Limits.Moves > 0 {
			c.spread, c.report.Routing.Kept = r.Spread, spreadText(r)
		}
		if len(r.Refused) > 0 {
			c.note(terms.PlanKept, terms.Place{}, "every engine refused: the repaired old Plan is distributed")
		}
	}
	if r.NotRepaired != nil {
		c.report.Routing.Kept = "routed from scratch: " + r.NotRepaired.Error()
		c.note(terms.NotRepaired, terms.Place{}, "%v", r.NotRepaired)
	}
}

// spreadText says how many entries a round has moved to less loaded links.
func spreadText(r *planner.Result) string {
	switch {
	case r.NotSpread != nil:
		return fmt.Sprintf("no entries can move: %v", r.NotSpread)
	case r.Spread == nil:
		return "no entry gains by a move"
	case r.Spread.Left:
		return fmt.Sprintf("%s moved to less loaded links, more can follow", fold.Count(r.Spread.Moved, "entry", "entries"))
	}
	return fold.Count(r.Spread.Moved, "entry", "entries") + " moved to less loaded links"
}

// noteWay notes possible faults while switches hold entries of the old Plan, of the new one and of
// the steps between them.
func (c *Round) noteWay() {
	if c.Way == nil {
		return
	}
	m := c.Way.Mixture
	switch {
	case c.Way.Strangers > 0:
		c.note(terms.EntriesDropped, terms.Place{}, "%d switches hold tables that are not of the Plan in force: entries of theirs that change are dropped first, and written %v later, when the packets under way have left",
			c.Way.Strangers, c.given.Limits.Pause)
	case c.Way.Pauses():
		c.note(terms.EntriesDropped, terms.Place{}, "old and new entries for %d LIDs together could let packets wait for each other in a ring: those that change are dropped first, and written %v later, when the packets under way have left",
			m.LIDs, c.given.Limits.Pause)
	}
	if !m.OK {
		c.note(terms.MixedTables, terms.Place{}, "while old tables stand beside new ones, %s", mayHappen(m))
	}
	if m = c.Way.Asked; m != nil && !m.OK {
		c.note(terms.OldLevels, terms.Place{}, "until hosts ask again which service levels to use, %s: %s", mayHappen(m), staleText(m))
	}
}

// mayHappen describes possible loops and deadlocks of packets.
func mayHappen(m *check.Mixture) string {
	var list []string
	if m.LoopLIDs > 0 {
		list = append(list, fmt.Sprintf("packets to %d of the %d LIDs that change can go in circles", m.LoopLIDs, m.LIDs))
	}
	if m.Deadlock.DeadlockFree != check.Yes {
		list = append(list, "packets can wait for each other in a ring")
	}
	return strings.Join(list, ", and ")
}

// staleText names the first packets that cause it.
func staleText(m *check.Mixture) string {
	var list []string
	for _, s := range m.Stale {
		list = append(list, fmt.Sprintf("from %s to LID %d on SL %d", s.Switch, s.LID, s.SL))
	}
	if more := m.StalePairs - len(m.Stale); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// noteWithoutGroups notes the switches that hold no multicast table.
func (c *Round) noteWithoutGroups(without []bool) {
	for s, is := range without {
		if is {
			id := c.ByGUID[c.Graph.SwitchGUID[s]]
			c.note(terms.NoRoom, c.NodePlace(id), "%s carries no multicast groups, and hosts at it receive none: its multicast table has %d entries",
				c.NodeName(id), mad.SwitchInfoMulticastFDBCap.Get(c.Nodes[id].Sw[:]))
		}
	}
}

// noteTrees notes that a Plan has no trees for multicast groups.
func (c *Round) noteTrees(err error) {
	if err != nil {
		c.note(terms.NotSpread, terms.Place{}, "multicast groups get no trees: %v", err)
	}
}

// tuned returns a Plan with a site's times at its ports.
func tuned(plan *route.Plan, g *fabric.Graph, by *tuning.Settings) *route.Plan {
	if ports := by.Ports(g, plan.Ports); ports != plan.Ports {
		own := *plan
		own.Ports, plan = ports, &own
	}
	return plan
}
