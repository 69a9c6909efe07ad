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
	before [][]*route.Block // by switch of the new Graph; nil for one that is new
	steps  []*route.Tables  // in the order in which they are written; the last ones are those of the new Plan
}

// oldRows finds the tables of the switches that were there.
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

// mixer joins the entries of two Plans, LID by LID.
type mixer struct {
	*mixing
	w     *worker
	was   *worker    // of o
	ways  [][2]int32 // by switch: the channels of its old and its new entry, -1 for none
	waits []int32    // by switch: entries that lead to it and have not been followed
	sent  []uint64   // by switch: the mask of what its end ports send to the LID
	sls   []uint64   // by switch: the mask of what passes it
	list  []int32

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

// address finds what is sent to a LID. What is not in the old Plan has the SLs of the new one.
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

// wasSent is by switch the mask of what is sent to a LID by the old Plan, nil where nobody had it.
func (m *mixer) wasSent(lid fabric.LID) []uint64 {
	if int(lid) >= len(m.o.LIDs.Owner) || m.o.LIDs.Owner[lid] < 0 {
		return nil
	}
	m.was.address(lid, m.o.LIDs.Owner[lid])
	return m.was.senders.bySwitch()
}

// changed returns the LIDs of a block, by bit, of which some switch gets another entry in some step. A switch that is new had none.
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

// read looks up the entries of a LID before and after a step. It reports whether some switch gets another than
// it had.
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

// order lists the switches from which entries lead on, each before those to which they
// lead. It reports whether that is not possible for some.
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

// each visits the entries of all switches, equal ones once.
func (m *mixer) each(visit func(s, kind, c int32)) {
	for s, ways := range m.ways {
		for kind, c := range ways {
			if c >= 0 && (kind == 0 || c != ways[0]) {
				visit(int32(s), int32(kind), c)
			}
		}
	}
}

// ring names the switches of a ring of old and new entries. There is one: of the switches
// that order left out each has an entry that leads to it from another of them.
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

// collect notes the dependencies of old and new entries: all combinations, or of each
// alone where they loop.
func (m *mixer) collect(looped bool) {
	g := m.j.Graph
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

// add notes a dependency. Where VLs depend on the input port it is noted for all that the
// SLs can have on the first channel.
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
