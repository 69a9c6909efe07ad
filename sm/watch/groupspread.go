package watch

import (
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
	"weft/route/multicast"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
)

// spreading cuts the trees of groups from the pool of the Plan in force. Under the same Plan it
// cuts again only for groups whose members changed.
type spreading struct {
	of     *ledger.Ledger // whose Plan it is
	partly bool           // some groups have no tree of this Plan yet
	from   fabric.LID     // the first group of the next piece, so that each has its turn
	told   []sa.Members   // members that the trees were cut for
	ends   map[fabric.GUID]int32
	pool   *route.Multicast
	cutter *multicast.Cutter

	without []bool // by switch of the Graph: it holds no multicast table; nil: none
}

// begin starts over with the Plan of another round.
func (sp *spreading) begin(l *ledger.Ledger) {
	*sp = spreading{of: l, partly: true, ends: make(map[fabric.GUID]int32, l.Graph.NumEnds), pool: l.Plan.Multicast}
	if sp.pool == nil {
		sp.pool = &route.Multicast{}
	}
	for e, guid := range l.Graph.EndGUID {
		sp.ends[guid] = int32(e)
	}
	sp.cutter, sp.without = multicast.NewCutter(l.Graph, sp.pool), l.WithoutGroups()
}

// isWithout reports whether a switch of the Graph holds no multicast table.
func (sp *spreading) isWithout(s int32) bool { return sp.without != nil && sp.without[s] }

// endsOf returns the end ports with these GUIDs, except those at switches without a multicast
// table.
func (sp *spreading) endsOf(guids []fabric.GUID) (list []int32) {
	for _, guid := range guids {
		if e, ok := sp.ends[guid]; ok && guid != 0 && !sp.isWithout(sp.of.Graph.EndSwitch[e]) {
			list = append(list, e)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// spreadGroups cuts and proves the trees of groups whose members changed; other trees stay. If
// there are many it does some, and returns that more are left.
func (m *Manager) spreadGroups() (more bool) {
	gs, c := &m.groups, m.inForce
	was := gs.spread
	if gs.of != c {
		gs.spreading.begin(c)
		was, gs.all = sa.Spread{}, true
	}
	if gs.touched == nil {
		gs.touched = map[treeBlock]bool{}
	}
	now := sa.Spread{Groups: make([]route.Group, 0, len(gs.members)), Trees: make([]route.GroupTree, 0, len(gs.members))}
	toldNow := make([]sa.Members, 0, len(gs.members))
	var cut []int
	var apart apartMembers
	next := fabric.LID(0) // the first group left for later, counted from the first of this piece
	at := 0               // index of gs.told
	for i := range gs.members {
		told := &gs.members[i]
		for ; at < len(gs.told) && gs.told[at].MLID < told.MLID; at++ {
			gs.touch(was.Groups[at].MLID, &was.Trees[at])
		}
		known := at < len(gs.told) && gs.told[at].MLID == told.MLID
		if known {
			at++
		}
		same := known && slices.Equal(gs.told[at-1].Receivers, told.Receivers) && slices.Equal(gs.told[at-1].Senders, told.Senders)
		later := !same && (told.MLID < gs.from || len(cut) == mostCut)
		if later && (next == 0 || next < gs.from && gs.from <= told.MLID) {
			next = told.MLID
		}
		switch {
		case known && (same || later):
			now.Groups, now.Trees, toldNow = append(now.Groups, was.Groups[at-1]), append(now.Trees, was.Trees[at-1]), append(toldNow, gs.told[at-1])
			continue
		case later:
			continue
		case known:
			gs.touch(told.MLID, &was.Trees[at-1])
		}
		toldNow = append(toldNow, *told)
		g := route.Group{MLID: told.MLID, Receivers: gs.endsOf(told.Receivers), Senders: gs.endsOf(told.Senders)}
		cut = append(cut, len(now.Groups))
		tree := apart.cut(gs.cutter, &g)
		now.Groups, now.Trees = append(now.Groups, g), append(now.Trees, tree)
	}
	for ; at < len(gs.told); at++ {
		gs.touch(was.Groups[at].MLID, &was.Trees[at])
	}
	apart.tell(m)
	m.proveGroups(&now, cut)
	for _, i := range cut {
		gs.touch(now.Groups[i].MLID, &now.Trees[i])
	}
	gs.told, gs.spread, gs.from = toldNow, now, next
	if gs.partly = gs.partly && next > 0; !gs.partly {
		gs.version++
	}
	gs.countBlocks()
	return next > 0
}

// countBlocks raises the number of used blocks to the highest MLID.
func (gs *groups) countBlocks() {
	n := len(gs.members)
	if n == 0 {
		return
	}
	if used := int(gs.members[n-1].MLID-fabric.FirstMLID)/sa.BlockMLIDs + 1; used > gs.used {
		gs.used, gs.all = used, true // the new blocks are unknown
	}
}

// apartMembers counts groups some of whose members no tree joins to the others.
type apartMembers struct {
	groups int
	mlid   fabric.LID // of the first group
	end    int32      // its first such member
}

// cut cuts the tree of a group. Members that no tree joins to most of the others leave the group,
// so that these have a tree.
func (a *apartMembers) cut(cutter *multicast.Cutter, g *route.Group) route.GroupTree {
	tree := cutter.Cut(g)
	if tree.Tree != route.NoTree {
		return tree
	}
	joined := cutter.Within(g)
	if len(joined.Receivers)+len(joined.Senders) == 0 {
		return tree
	}
	if a.groups++; a.groups == 1 {
		all := slices.Concat(g.Receivers, g.Senders)
		a.mlid, a.end = g.MLID, all[slices.IndexFunc(all, func(end int32) bool {
			return !slices.Contains(joined.Receivers, end) && !slices.Contains(joined.Senders, end)
		})]
	}
	*g = joined
	return cutter.Cut(g)
}

// tell logs these groups, if there are any.
func (a *apartMembers) tell(m *Manager) {
	if a.groups > 0 {
		m.tell(terms.NotSpread, "%d multicast groups leave out members that no tree joins to most of the others, the first %s of the group with MLID 0x%X",
			a.groups, route.EndName(m.inForce.Graph, a.end), uint16(a.mlid))
	}
}

// touch notes the blocks of a group at the switches of its tree.
func (gs *groups) touch(mlid fabric.LID, t *route.GroupTree) {
	if gs.all {
		return
	}
	for _, s := range t.Switches {
		gs.touched[treeBlock{s, uint16((mlid - fabric.FirstMLID) / sa.BlockMLIDs)}] = true
	}
}

// proveGroups removes the trees that the judge rejects, among those at these places.
func (m *Manager) proveGroups(now *sa.Spread, at []int) {
	groups, trees := make([]route.Group, len(at)), make([]route.GroupTree, len(at))
	for i, a := range at {
		groups[i], trees[i] = now.Groups[a], now.Trees[a]
	}
	faults := check.Groups(m.inForce.Graph, m.groups.pool, groups, trees)
	for _, f := range faults {
		now.Trees[at[f.Group]] = route.GroupTree{Tree: route.NoTree}
	}
	if len(faults) > 0 {
		f := faults[0]
		m.tell(terms.NotSpread, "%d multicast groups have no tree, the first with MLID 0x%X: %s", len(faults), uint16(groups[f.Group].MLID), f.Text)
	}
}
