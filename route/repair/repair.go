package repair

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// Request is a running subnet's Plan, to be adapted to a changed Graph.
type Request struct {
	// Old is the Graph of the Plan. Its switches and end ports are enough; with its links
	// (planfile.LoadAlone) a repair takes less time.
	Old     *fabric.Graph
	Plan    *route.Plan
	Held    *route.Held // result of route.Hold
	Workers int         // goroutines that may be used
}

// Figures count the work of a repair, at switches of both Graphs and for LIDs that name the same
// end port in both.
type Figures struct {
	Columns       int  `json:"columns"`        // LIDs with a crossed entry
	Crossed       int  `json:"crossed"`        // entries whose path met the loss
	Moved         int  `json:"moved"`          // crossed entries with another port now, or none
	Filled        int  `json:"filled"`         // new entries: of new LIDs or switches, or that led nowhere
	Dropped       int  `json:"dropped"`        // entries of LIDs without an owner
	CrossedBlocks int  `json:"crossed_blocks"` // blocks of 64 entries with crossed ones
	Dependencies  int  `json:"dependencies"`   // new dependencies between (channel, VL) pairs
	Unused        int  `json:"unused"`         // new links between switches that no entry uses
	Relaned       int  `json:"relaned"`        // classes of pairs with a new SL
	Unordered     bool `json:"unordered"`      // true if the old Plan has cycles of dependencies, or may have
}

// Impossible is the error of a repair that finds no next hop without a cycle of dependencies, or no
// lane for a new end port or switch.
type Impossible struct{ Reason string }

func (e *Impossible) Error() string { return "repair: " + e.Reason }

// Run repairs a Plan. The old Plan stays unchanged but shares blocks with the new one, so nobody
// may write to it any more.
func Run(ctx context.Context, g *fabric.Graph, req *Request) (*route.Plan, *Figures, error) {
	ends, err := assignLIDs(g, req.Held)
	if err != nil {
		return nil, nil, err
	}
	workers := max(1, req.Workers)
	b := bind(g, req, ends)
	plan, err := b.newPlan(req.Held)
	if err != nil {
		return nil, nil, err
	}
	lost, err := b.losses(ctx, workers)
	if err != nil {
		return nil, nil, err
	}
	figures := &Figures{}
	b.count(lost, figures)
	if err := b.solve(ctx, plan, lost, workers, figures); err != nil {
		return nil, nil, err
	}
	b.drop(plan.Tables, figures)
	b.countMoved(plan.Tables, lost, figures)
	b.countUnused(plan.Tables, figures)
	plan.Recipe.Repaired = plan.Recipe.Repaired || figures.Moved+figures.Filled+figures.Unused > 0 || b.endsDrain()
	return plan, figures, nil
}

// solve gives next hops to all switches that need one, and lanes to their packets.
func (b *binding) solve(ctx context.Context, plan *route.Plan, lost []column, workers int, f *Figures) error {
	l := newLanes(b.g, plan, b.owner)
	deps := newDependencies(b, l, lost)
	if !deps.lazy() && len(lost) > 0 {
		if err := deps.arrangeAll(ctx, workers); err != nil {
			return err
		}
	}
	s := newSolver(b, l, deps, plan.Tables, workers)
	for _, c := range lost {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch stuck, err := s.column(ctx, c); {
		case err != nil:
			return err
		case stuck >= 0:
			return &Impossible{fmt.Sprintf("every next hop from %s to LID %d closes a cycle of dependencies",
				fabric.SwitchName(b.g, stuck), c.lid)}
		}
	}
	relaned, err := s.relane(ctx)
	f.Relaned, f.Dependencies, f.Unordered = relaned, deps.added, deps.cyclic
	return err
}

// assignLIDs keeps the LIDs in use and assigns LIDs to new end ports: hosts get the common LMC of
// all others, less if the forwarding tables have no room, or 0 if these differ.
func assignLIDs(g *fabric.Graph, held *route.Held) (route.Ends, error) {
	lmc := make([]uint8, g.NumEnds)
	common := held.HostLMC(g)
	for end := range lmc {
		switch {
		case held.Ends.Base[end] != 0:
			lmc[end] = held.Ends.LMC[end]
		case end < g.NumHosts:
			lmc[end] = common
		}
	}
	ends, err := lids.AssignFewer(g, lmc, held, false)
	if err != nil {
		return ends, err
	}
	if s := ends.BeyondTable(g); s >= 0 {
		return ends, &Impossible{fmt.Sprintf("LID %d is beyond the forwarding table of %s", ends.Top(), fabric.SwitchName(g, s))}
	}
	return ends, nil
}

// newPlan makes the Plan of the new Graph with the old entries, and with SLs and SL2VL tables for
// new end ports and switches.
func (b *binding) newPlan(held *route.Held) (*route.Plan, error) {
	old := b.plan
	blocks := int(b.ends.Top())/route.BlockSize + 1
	rows := make([][]*route.Block, len(b.rows))
	for s := range rows {
		rows[s] = slices.Clone(b.rows[s])
	}
	p := &route.Plan{
		Recipe: old.Recipe, Ends: b.ends, Tables: route.TablesOf(blocks, rows), Choice: route.Choice{By: old.Choice.By},
		VLs: old.VLs, Levels: old.Levels, JobLanes: old.JobLanes, Service: old.Service, Absent: held.StillAbsent(&b.ends),
	}
	if old.Choice.By == route.ListedLIDs {
		p.Choice = *held.Choice
	}
	if old.SL == nil || old.SL2VL == nil {
		return p, nil
	}
	var err error
	if p.SL, err = b.serviceLevels(); err != nil {
		return nil, err
	}
	if p.SL2VL, err = b.virtualLanes(); err != nil {
		return nil, err
	}
	p.SL2VL.FitHosts(b.g, max(1, p.VLs))
	p.Arbitration, p.Ports = p.LevelArbitration(b.g), route.UsualPorts(b.g)
	return p, nil
}

// serviceLevels returns the old SLs. An end port that is new, or at another switch, gets the
// classes of an end port at its switch (see classesFrom).
func (b *binding) serviceLevels() (*route.SLs, error) {
	g, was := b.g, b.plan.SL
	if was.NumSrc == 1 && was.NumDst == 1 {
		m := route.UniformSL(&b.ends, was.ByClass(0, 0))
		m.OneWay = was.OneWay
		return m, nil
	}
	m := *was
	m.Src, m.Dst = make([]int32, g.NumEnds), slices.Repeat([]int32{-1}, int(b.ends.Top())+1)
	for end := range int32(g.NumEnds) {
		like := b.classesFrom(end)
		if like < 0 && b.ends.Count(end) == 0 {
			continue // it has no LID, and sends nothing
		}
		if like < 0 {
			return nil, &Impossible{"unknown service levels of " + route.EndName(g, end)}
		}
		m.Src[end] = was.Src[like]
		for k := range b.ends.Count(end) {
			lid := int(b.ends.Base[end]) + k
			if m.Dst[lid] = was.Dst[b.plan.Ends.Base[like]]; b.same[lid] {
				m.Dst[lid] = was.Dst[lid]
			}
		}
	}
	return &m, nil
}

// classesFrom returns the old end port whose classes an end port of the new Graph gets. This is
// itself if it had a LID and has not moved. Otherwise it is another one at its switch that had a
// LID: for a host another host if possible, else port 0. The last resort is itself, though moved.
// It returns -1 for none.
func (b *binding) classesFrom(end int32) int32 {
	named := func(e int32) bool { return b.endWas[e] >= 0 && b.plan.Ends.Base[b.endWas[e]] != 0 }
	s := b.g.EndSwitch[end]
	if named(end) && (!b.links || b.at(b.endWas[end]) == b.switchWas[s]) {
		return b.endWas[end]
	}
	if b.g.IsHost(end) && b.links {
		for _, h := range b.g.HostsOf(s) {
			if named(h) && b.at(b.endWas[h]) == b.switchWas[s] {
				return b.endWas[h]
			}
		}
	}
	if zero := b.g.PortZero(s); named(zero) {
		return b.endWas[zero]
	}
	if named(end) {
		return b.endWas[end]
	}
	return -1
}

// classesStay reports whether no end port has moved to another switch, and all have classes that
// were at their switch before. Then no packets start where no packets of their SL did. It needs the
// links of the old Graph.
func (b *binding) classesStay() bool {
	for end, s := range b.g.EndSwitch {
		if was := b.endWas[end]; was >= 0 && b.at(was) != b.switchWas[s] {
			return false
		}
		if like := b.classesFrom(int32(end)); like < 0 || b.at(like) != b.switchWas[s] {
			return false
		}
	}
	return true
}

// at returns the old switch of an old end port. It needs the links of the old Graph.
func (b *binding) at(end int32) int32 { return b.old.EndSwitch[end] }

// virtualLanes returns the old SL2VL tables. A new switch gets the common table of all others, if
// there is one.
func (b *binding) virtualLanes() (*route.SL2VL, error) {
	g, was := b.g, b.plan.SL2VL
	m := &route.SL2VL{Pool: slices.Clone(was.Pool), Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	for h := range m.Host {
		if o := b.endWas[h]; o >= 0 {
			m.Host[h] = was.Host[o]
		} else if like := b.classesFrom(int32(h)); like >= 0 && like < int32(b.old.NumHosts) {
			m.Host[h] = was.Host[like]
		}
	}
	for s, o := range b.switchWas {
		switch {
		case o >= 0 && g.SwitchPorts[s] == b.old.SwitchPorts[o]:
			m.Switch[s] = was.Switch[o]
		case len(was.Pool) == 1, b.ends.Count(g.PortZero(int32(s))) == 0: // nothing passes a new switch without a LID
			m.Switch[s].Index = []uint16{0}
		default:
			return nil, &Impossible{"unknown SL2VL tables of " + fabric.SwitchName(g, int32(s))}
		}
	}
	return m, nil
}

// drop removes the entries of LIDs without an owner.
func (b *binding) drop(t *route.Tables, f *Figures) {
	for lid := range int(t.Top()) + 1 {
		if lid < len(b.owner) && b.owner[lid] >= 0 {
			continue
		}
		for s := range b.rows {
			if b.port(int32(s), lid) != route.NoPort {
				t.Set(int32(s), fabric.LID(lid), route.NoPort)
				f.Dropped++
			}
		}
	}
}

// count counts crossed entries, and their columns and blocks.
func (b *binding) count(lost []column, f *Figures) {
	last := make([]int, len(b.rows)) // by switch: last counted block, from 1
	for _, c := range lost {
		if !b.same[c.lid] {
			continue
		}
		crossed := 0
		for _, s := range c.switches {
			if b.port(s, c.lid) == route.NoPort {
				continue
			}
			crossed++
			if at := c.lid/route.BlockSize + 1; last[s] != at {
				last[s] = at
				f.CrossedBlocks++
			}
		}
		if f.Crossed += crossed; crossed > 0 {
			f.Columns++
		}
	}
}

// countMoved compares the entries of the changed columns.
func (b *binding) countMoved(t *route.Tables, lost []column, f *Figures) {
	for _, c := range lost {
		for _, s := range c.switches {
			was, now := b.port(s, c.lid), t.Port(s, fabric.LID(c.lid))
			switch {
			case was == now:
			case b.same[c.lid] && was != route.NoPort:
				f.Moved++
			default:
				f.Filled++
			}
		}
	}
}

// countUnused counts the new links between switches without an entry, if the links of the old Graph
// are known.
func (b *binding) countUnused(t *route.Tables, f *Figures) {
	if !b.links || !b.gained {
		return
	}
	g := b.g
	for c := int32(0); c < int32(g.NumChannels); c += 2 {
		if b.changed[g.PortStart[g.From[c]]+int32(g.FromPort[c])] && !uses(g, t, c) && !uses(g, t, c+1) {
			f.Unused++
		}
	}
}

// endsDrain reports whether packets may pass some switch again that was drained.
func (b *binding) endsDrain() bool {
	for s, o := range b.switchWas {
		if o >= 0 && int(o) < len(b.old.Drained) && b.old.Drained[o] && !b.g.Drained[s] {
			return true
		}
	}
	return false
}

// uses reports whether some entry uses a channel.
func uses(g *fabric.Graph, t *route.Tables, c int32) bool {
	for i := range t.NumBlocks() {
		if bytes.IndexByte(t.Block(g.From[c], i)[:], g.FromPort[c]) >= 0 {
			return true
		}
	}
	return false
}
