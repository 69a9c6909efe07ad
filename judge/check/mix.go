package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Mixture says what can happen while switches receive the entries of a new Plan one by one, in any
// order, and still hold old ones. With intermediate tables it covers each pair of successive
// tables.
type Mixture struct {
	// OK says that no packet can loop and none can wait in a ring.
	OK   bool `json:"ok"`
	LIDs int  `json:"lids"` // LIDs with differing entries
	// LoopLIDs counts the LIDs whose old and new entries together can form a loop. Loops has the
	// first of them, each with its switches.
	LoopLIDs int       `json:"loop_lids"`
	Loops    []LIDLoop `json:"loops"`
	// Deadlock is the verdict on the dependencies of old, new and intermediate entries together, in
	// each combination for one LID. LIDs with loops add only the dependencies of the old entries
	// and of the new ones.
	Deadlock Verdict `json:"deadlock"`
	VLs      []int   `json:"vls"` // VLs on cycles of dependencies

	// Lanes says that the Plans differ in service levels, lane tables or destination LIDs.
	// StalePairs counts pairs of a switch and a LID whose old SL differs from the new one, and
	// leads onto a cycle in the new tables: hosts must ask again. Stale has the first of them.
	Lanes      bool    `json:"lanes"`
	StalePairs int     `json:"stale_pairs"`
	Stale      []Stale `json:"stale"`
}

// Stale are packets from the end ports of a switch to a LID, on the SL of an old Plan.
type Stale struct {
	Switch fabric.PortName `json:"switch"`
	LID    fabric.LID      `json:"lid"`
	SL     uint8           `json:"sl"`
}

// LIDLoop holds the switches of a possible loop of packets to a LID.
type LIDLoop struct {
	LID      fabric.LID        `json:"lid"`
	Switches []fabric.PortName `json:"switches"`
}

// Of selects one of two Plans, or both.
type Of uint8

// Both Plans, or one of them.
const (
	OfBoth Of = iota
	OfOld
	OfNew
)

func (o Of) old() bool { return o != OfNew }
func (o Of) new() bool { return o != OfOld }

// Writing is a part of a change from one Plan to another. The zero value is the whole change, in
// any order.
type Writing struct {
	From    *route.Tables   // first tables of the switches, as Between; nil for the old Plan's
	Between []*route.Tables // for the new Graph, with as many blocks as the new Plan's; all switches get one before the next
	Lanes   Of              // whose SL2VL tables ports may have meanwhile
	Choices Of              // whose SLs and LIDs of a target sources may use
}

// Mix judges a change from one Plan to another's tables. Of the old Graph it needs only the
// switches and end ports (planfile.LoadAlone). Where one Plan has no lanes its packets may be on
// any VL. Mix fails as Judge does.
func Mix(ctx context.Context, old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan, opt Options, part Writing) (*Mixture, error) {
	if err := shape(g, after); err != nil {
		return nil, err
	}
	j, o := prepareMix(old, before, g, after, max(1, opt.Workers))
	x := &mixing{j: j, o: o, part: part, before: oldRows(old, before, g), steps: append(slices.Clone(part.Between), after.Tables)}
	if part.From != nil {
		x.before = rowsOf(part.From)
	}
	if o == nil {
		if err := j.walk(ctx, nil); err != nil {
			return nil, err
		}
	} else { // the mixers visit all LIDs
		j.beside = &beside{lanes: o.lanes, of: part.Lanes}
	}
	blocks := make([]Mixture, len(j.LIDs.Owner)/route.BlockSize)
	mixers := make([]*mixer, len(j.workers))
	err := par.For(ctx, len(j.workers), len(blocks), func(i, block int) error {
		if mixers[i] == nil {
			mixers[i] = newMixer(x, i)
		}
		mixers[i].block(block, &blocks[block])
		return nil
	})
	if err != nil {
		return nil, err
	}
	m := &Mixture{Loops: []LIDLoop{}, VLs: []int{}, Lanes: o != nil, Stale: []Stale{}}
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
		part, _ := j.dependencies(assigned).Components()
		m.VLs = j.cyclicVLs(part)
		x.findStale(part, m)
	}
	m.OK = m.LoopLIDs == 0 && m.Deadlock.DeadlockFree == Yes
	return m, nil
}

// cyclicVLs lists the VLs of nodes in parts that hold a cycle.
func (j *judge) cyclicVLs(part []int32) (vls []int) {
	on := uint16(0)
	for node, p := range part {
		if p >= 0 {
			on |= 1 << (node % len(j.lanes.vls))
		}
	}
	for ; on != 0; on &= on - 1 {
		vls = append(vls, int(j.lanes.vls[bits.TrailingZeros16(on)]))
	}
	return vls
}
