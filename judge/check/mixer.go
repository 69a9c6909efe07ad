package check

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// mixing holds the input of Mix, which all its workers read.
type mixing struct {
	j      *judge
	o      *judge // of the old Plan on the new Graph; nil where its lanes are the same
	part   Writing
	before [][]*route.Block // by switch of the new Graph; nil for a new switch
	steps  []*route.Tables  // in order of writing; the last are the new Plan's
}

// oldRows finds the old tables of the switches of the new Graph.
func oldRows(old *fabric.Graph, before *route.Plan, g *fabric.Graph) [][]*route.Block {
	switches, _ := fabric.Match(old, g)
	rows := make([][]*route.Block, g.NumSwitches)
	for s, o := range switches {
		if o < 0 {
			continue
		}
		for i := range before.Tables.NumBlocks() {
			rows[s] = append(rows[s], before.Tables.Block(o, i))
		}
	}
	return rows
}

// rowsOf lists the blocks of tables.
func rowsOf(t *route.Tables) [][]*route.Block {
	rows := make([][]*route.Block, t.NumSwitches())
	for s := range rows {
		for i := range t.NumBlocks() {
			rows[s] = append(rows[s], t.Block(int32(s), i))
		}
	}
	return rows
}

// mixer joins the entries of two Plans, one LID after another.
type mixer struct {
	*mixing
	w     *worker
	was   *worker    // of o
	ways  [][2]int32 // by switch: the channels of its old and its new entry, -1 for none
	waits []int32    // by switch: entries that lead to it and are not followed yet
	sent  []uint64   // by switch: the mask of what its end ports send to the LID
	sls   []uint64   // by switch: the mask of packets that pass it
	list  []int32
	on    []uint64 // by switch, entry and VL: the mask of packets on its channel; only of collectByVL

	tables []*vlIndices // memory of add
}

func newMixer(x *mixing, worker int) *mixer {
	n := x.j.Graph.NumSwitches
	m := &mixer{mixing: x, w: x.j.worker(worker), ways: make([][2]int32, n), waits: make([]int32, n), sls: make([]uint64, n)}
	if x.o != nil {
		m.was = x.o.worker(worker)
	}
	return m
}

// block joins the entries of the 64 LIDs of a block.
func (m *mixer) block(block int, out *Mixture) {
	changed, first := m.changed(block), block*route.BlockSize
	if changed == 0 && m.o == nil {
		return
	}
	for k, owner := range m.j.LIDs.Owner[first : first+route.BlockSize] {
		if owner >= 0 && (m.o != nil || changed&(1<<k) != 0) {
			m.lid(fabric.LID(first+k), owner, out)
		}
	}
}

// lid joins the entries of a LID.
func (m *mixer) lid(lid fabric.LID, owner int32, out *Mixture) {
	addressed, changed, circles := false, false, false
	for step := range m.steps {
		differ := m.read(lid, step)
		if !differ && (m.o == nil || step > 0) {
			continue
		}
		if !addressed {
			m.address(lid, owner)
			addressed = true
		}
		if differ && !changed {
			out.LIDs++
			changed = true
		}
		looped := m.order()
		if looped && differ && !circles {
			circles = true
			out.LoopLIDs++
			if len(out.Loops) < examplesShown {
				out.Loops = append(out.Loops, LIDLoop{lid, m.ring()})
			}
		}
		m.spread(looped)
		m.collect(looped)
	}
}

// address finds the SLs of packets to a LID. LIDs and sources that the old Plan does not have use
// the new SLs.
func (m *mixer) address(lid fabric.LID, owner int32) {
	m.w.address(lid, owner)
	m.sent = append(m.sent[:0], m.w.senders.bySwitch()...)
	if m.o == nil || !m.part.Choices.old() {
		return
	}
	was := m.wasSent(lid)
	if was == nil {
		return
	}
	if !m.part.Choices.new() {
		clear(m.sent)
	}
	for s, mask := range was {
		m.sent[s] |= mask
	}
}

// wasSent returns by switch the mask of packets to a LID under the old Plan, nil if the LID had no
// owner.
func (m *mixer) wasSent(lid fabric.LID) []uint64 {
	if int(lid) >= len(m.o.LIDs.Owner) || m.o.LIDs.Owner[lid] < 0 {
		return nil
	}
	m.was.address(lid, m.o.LIDs.Owner[lid])
	return m.was.senders.bySwitch()
}

// changed returns the LIDs of a block, by bit, whose entry changes on some switch in some step. A
// new switch changes none at first.
func (m *mixer) changed(block int) (lids uint64) {
	for step, t := range m.steps {
		for s, row := range m.before {
			now, was := t.BlockOrEmpty(int32(s), block), t.BlockOrEmpty(-1, block)
			switch {
			case step > 0:
				was = m.steps[step-1].BlockOrEmpty(int32(s), block)
			case row == nil:
				continue
			case block < len(row):
				was = row[block]
			}
			if was == now || *was == *now {
				continue
			}
			for k := range now {
				if was[k] != now[k] {
					lids |= 1 << k
				}
			}
		}
	}
	return lids
}

// read looks up the entries of a LID before and after a step, and reports whether some switch
// changes its entry.
func (m *mixer) read(lid fabric.LID, step int) (differ bool) {
	g := m.j.Graph
	for s := range m.ways {
		now := m.steps[step].Port(int32(s), lid)
		was := route.NoPort
		if i := int(lid) / route.BlockSize; step > 0 {
			was = m.steps[step-1].Port(int32(s), lid)
		} else if i < len(m.before[s]) {
			was = m.before[s][i][lid%route.BlockSize]
		}
		differ = differ || was != now && (m.before[s] != nil || step > 0)
		m.ways[s] = [2]int32{m.channel(g, int32(s), was), m.channel(g, int32(s), now)}
	}
	return differ
}

func (m *mixer) channel(g *fabric.Graph, s int32, port uint8) int32 {
	if port == route.NoPort {
		return -1
	}
	c, _ := g.At(s, port)
	return c
}

// order lists the switches, each before the next switches of its entries, and reports whether a
// loop leaves some of them out.
func (m *mixer) order() (looped bool) {
	g := m.j.Graph
	clear(m.waits)
	m.each(func(_, _ int32, c int32) { m.waits[g.To[c]]++ })
	m.list = m.list[:0]
	for s, n := range m.waits {
		if n == 0 {
			m.list = append(m.list, int32(s))
		}
	}
	for i := 0; i < len(m.list); i++ {
		for k, c := range m.ways[m.list[i]] {
			if c < 0 || k == 1 && c == m.ways[m.list[i]][0] {
				continue
			}
			if t := g.To[c]; m.waits[t] > 0 {
				if m.waits[t]--; m.waits[t] == 0 {
					m.list = append(m.list, t)
				}
			}
		}
	}
	return len(m.list) < g.NumSwitches
}

// each visits the entries of all switches, an old entry equal to the new one only once.
func (m *mixer) each(visit func(s, kind, c int32)) {
	for s, ways := range m.ways {
		for kind, c := range ways {
			if c >= 0 && (kind == 0 || c != ways[0]) {
				visit(int32(s), int32(kind), c)
			}
		}
	}
}

// ring names the switches of a ring of old and new entries. There is one, since each switch that
// order left out has an entry that leads to it from another of them.
func (m *mixer) ring() (names []fabric.PortName) {
	g := m.j.Graph
	from := make([]int32, g.NumSwitches)
	left := make([]bool, g.NumSwitches)
	for s, n := range m.waits {
		left[s] = n > 0
	}
	start := int32(-1)
	m.each(func(s, _, c int32) {
		if t := g.To[c]; left[s] && left[t] {
			from[t], start = s, t
		}
	})
	seen := make([]bool, g.NumSwitches)
	for ; !seen[start]; start = from[start] {
		seen[start] = true
	}
	for at := start; ; {
		names = append(names, g.SwitchPort(at, 0))
		if at = from[at]; at == start {
			slices.Reverse(names)
			return names
		}
	}
}

// spread carries the SLs of all sources along old and new entries.
func (m *mixer) spread(looped bool) {
	g := m.j.Graph
	kinds := m.j.trafficTo(m.w.paths.Owner)
	for s, mask := range m.sent {
		m.sls[s] = mask & kinds
	}
	step := func(s int32) (grown bool) {
		for _, c := range m.ways[s] {
			if c >= 0 && m.sls[s]&^m.sls[g.To[c]] != 0 {
				m.sls[g.To[c]] |= m.sls[s]
				grown = true
			}
		}
		return grown
	}
	for _, s := range m.list {
		step(s)
	}
	for grown := looped; grown; {
		grown = false
		for s := range m.ways {
			grown = step(int32(s)) || grown
		}
	}
}

// collect records the dependencies of old and new entries: of all combinations, or where they loop
// of each alone.
func (m *mixer) collect(looped bool) {
	g := m.j.Graph
	if m.j.lanes.byInput && !looped {
		m.collectByVL()
		return
	}
	m.each(func(s, kind, c int32) {
		t := g.To[c]
		for then, e := range m.ways[t] {
			if e < 0 {
				continue
			}
			if looped && int(kind) != then && m.ways[s][0] != m.ways[s][1] {
				continue
			}
			m.add(c, e, m.sls[s])
		}
	})
}

// collectByVL records the dependencies where VLs depend on the input port and no entries loop: it
// follows packets from channel to channel with their VLs.
func (m *mixer) collectByVL() {
	d, j, g := m.w.collector.deps, m.j, m.j.Graph
	kinds, n := j.trafficTo(m.w.paths.Owner), len(j.lanes.vls)
	if m.on == nil {
		m.on = make([]uint64, 2*g.NumSwitches*n)
	}
	clear(m.on)
	on := func(s int32, kind int) []uint64 { return m.on[(2*int(s)+kind)*n:][:n] }
	enter := func(s int32, kind int, in uint8, mask uint64) {
		m.tables = j.tablesAt(m.tables[:0], s, in, g.FromPort[m.ways[s][kind]])
		for _, table := range m.tables {
			for i := range j.lanes.sls {
				if table[i] != dropped {
					on(s, kind)[table[i]] |= mask & j.lanes.inAll[i]
				}
			}
		}
	}
	m.each(func(s, kind, _ int32) {
		enter(s, int(kind), 0, m.sent[s]&kinds)
		for _, h := range g.AttachedTo(s) {
			enter(s, int(kind), g.EndPort[h], m.sent[s]&kinds)
		}
	})
	for _, s := range m.list { // each before the next switches of its entries
		for kind, c := range m.ways[s] {
			if c < 0 {
				continue
			}
			for then, e := range m.ways[g.To[c]] {
				if e < 0 {
					continue
				}
				for v, mask := range on(s, kind) {
					d.add(d.pair(c, e, v), mask)
					enter(g.To[c], then, g.ToPort[c], mask)
				}
			}
		}
	}
}

// add records a dependency. Where VLs depend on the input port it records all VLs that the SLs may
// have on the first channel.
func (m *mixer) add(c, e int32, mask uint64) {
	d, j, g := m.w.collector.deps, m.j, m.j.Graph
	if !j.lanes.byInput {
		d.add(d.pair(c, e, 0), mask)
		return
	}
	for in := range int(g.SwitchPorts[g.From[c]]) + 1 {
		m.tables = j.tablesAt(m.tables[:0], g.From[c], uint8(in), g.FromPort[c])
		for _, table := range m.tables {
			for i := range j.lanes.sls {
				if these := mask & j.lanes.inAll[i]; these != 0 && table[i] != dropped {
					d.add(d.pair(c, e, int(table[i])), these)
				}
			}
		}
	}
}
