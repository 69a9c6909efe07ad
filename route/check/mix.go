package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Mixture says what can happen while the switches of a subnet get the entries of a new
// Plan one by one, in any order, and hold those of an old one until then. Where tables are written between,
// it says so for each two that follow each other.
type Mixture struct {
	// OK says that no packet can go in circles and none can wait in a ring.
	OK   bool `json:"ok"`
	LIDs int  `json:"lids"` // with entries that differ
	// LoopLIDs counts those whose old and new entries together can lead in circles, and
	// Loops has the first of them, each with its switches.
	LoopLIDs int     `json:"loop_lids"`
	Loops    []Rings `json:"loops"`
	// Deadlock is the verdict on the dependencies of old and new entries together, and of all between: of each
	// combination of entries of one LID, but for the LIDs with loops, which add those of the
	// old entries and those of the new ones.
	Deadlock Verdict `json:"deadlock"`
	VLs      []uint8 `json:"vls"` // that are on cycles of dependencies
}

// Rings are switches between which packets to a LID can go in circles.
type Rings struct {
	LID      fabric.LID        `json:"lid"`
	Switches []fabric.PortName `json:"switches"`
}

// Mix judges a change from one Plan to another. Of the old Graph the switches are enough
// (planfile.LoadAlone). Packets are taken to have the service levels of the new Plan. Between are tables of the new Graph, and as many
// blocks as those of the new Plan, that all switches get before the next ones are written.
// It fails as Judge does.
func Mix(ctx context.Context, old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan, opt Options, between ...*route.Tables) (*Mixture, error) {
	if err := shape(g, after); err != nil {
		return nil, err
	}
	j := prepare(g, after, max(1, opt.Workers))
	if err := j.walk(ctx, nil); err != nil {
		return nil, err
	}
	x := &mixing{j: j, before: oldRows(old, before, g), steps: append(slices.Clone(between), after.Tables)}
	blocks := make([]Mixture, len(j.LIDs.Owner)/route.BlockSize)
	mixers := make([]*mixer, len(j.workers))
	err := par.For(ctx, len(j.workers), len(blocks), func(i, block int) error {
		if mixers[i] == nil {
			mixers[i] = newMixer(x, j.worker(i))
		}
		mixers[i].block(block, &blocks[block])
		return nil
	})
	if err != nil {
		return nil, err
	}
	m := &Mixture{Loops: []Rings{}, VLs: []uint8{}}
	for i := range blocks {
		m.LIDs += blocks[i].LIDs
		m.LoopLIDs += blocks[i].LoopLIDs
		m.Loops = append(m.Loops, blocks[i].Loops[:min(len(blocks[i].Loops), examplesShown-len(m.Loops))]...)
	}
	for _, w := range j.workers {
		if w != nil {
			j.deps.join(w.collector.deps)
		}
	}
	var cycle []int32
	m.Deadlock, cycle = j.verdict(assigned, nil)
	if cycle != nil {
		m.Deadlock.Cycle = j.explain(cycle, assigned)
		m.VLs = j.cyclicVLs()
	}
	m.OK = m.LoopLIDs == 0 && m.Deadlock.DeadlockFree == Yes
	return m, nil
}

// cyclicVLs lists the VLs on cycles of dependencies.
func (j *judge) cyclicVLs() (vls []uint8) {
	part, _ := j.dependencies(assigned).components()
	on := uint16(0)
	for node, p := range part {
		if p >= 0 {
			on |= 1 << (node % len(j.lanes.vls))
		}
	}
	for ; on != 0; on &= on - 1 {
		vls = append(vls, j.lanes.vls[bits.TrailingZeros16(on)])
	}
	return vls
}

// mixing holds the input of Mix, which all its workers read.
type mixing struct {
	j      *judge
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

// mixer joins the entries of two Plans, LID by LID.
type mixer struct {
	*mixing
	w     *worker
	ways  [][2]int32 // by switch: the channels of its old and its new entry, -1 for none
	waits []int32    // by switch: entries that lead to it and have not been followed
	sls   []uint64   // by switch: the mask of what passes it
	list  []int32
}

func newMixer(x *mixing, w *worker) *mixer {
	n := x.j.Graph.NumSwitches
	return &mixer{mixing: x, w: w, ways: make([][2]int32, n), waits: make([]int32, n), sls: make([]uint64, n)}
}

// block joins the entries of the 64 LIDs of a block.
func (m *mixer) block(block int, out *Mixture) {
	lids := m.changed(block)
	if lids == 0 {
		return
	}
	for k, owner := range m.w.loadBlock(block) {
		lid := fabric.LID(block*route.BlockSize + k)
		if owner < 0 || lids&(1<<k) == 0 {
			continue
		}
		changed, circles := false, false
		for step := range m.steps {
			if !m.read(lid, step) {
				continue
			}
			if !changed {
				m.w.follow(lid, owner)
				out.LIDs++
				changed = true
			}
			looped := m.order()
			if looped && !circles {
				circles = true
				out.LoopLIDs++
				if len(out.Loops) < examplesShown {
					out.Loops = append(out.Loops, Rings{lid, m.ring()})
				}
			}
			m.spread(looped)
			m.collect(looped)
		}
	}
}

// changed returns the LIDs of a block, by bit, of which some switch gets another entry in some step. A switch that is new had none.
func (m *mixer) changed(block int) (lids uint64) {
	for step, t := range m.steps {
		for s, row := range m.before {
			now, was := t.BlockOr(int32(s), block), t.BlockOr(-1, block)
			switch {
			case step > 0:
				was = m.steps[step-1].BlockOr(int32(s), block)
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
	for s, mask := range m.w.senders.bySwitch() {
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
	d, l, g := m.w.collector.deps, m.j.lanes, m.j.Graph
	if !l.byInput {
		d.add(d.pair(c, e, 0), mask)
		return
	}
	for in := range int(g.SwitchPorts[g.From[c]]) + 1 {
		table := l.indices(g, g.From[c], uint8(in), g.FromPort[c])
		for i := range l.sls {
			if these := mask & l.inAll[i]; these != 0 && table[i] != dropped {
				d.add(d.pair(c, e, int(table[i])), these)
			}
		}
	}
}
