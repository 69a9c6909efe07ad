package round

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// One device with less room than the subnet needs does not stop the others. What does not fit is
// left out by name before the round asks for a Plan: it gets no LID, and its links stay down.
//
// A LID must fit the forwarding table of every switch that stays. So either a switch with a small
// table is left out, or ports beyond its size are. fitTables loses as few ports in service as
// possible, then as few ports at all; of equal choices the switch is left out. A port that it keeps
// has room for one LID at least; package lids gives it fewer than 2^LMC if there is no room for
// all.

// choice is a set of switches that could stay, with the size of their smallest table.
type choice struct {
	size     int    // LIDs below it fit
	stays    []bool // by node: switches
	ports    []int32
	switches int
	inUse    int // ports that keep a LID in service
	served   int // ports that can have a LID
}

// room returns the number of ports besides switches that can have a LID.
func (c *choice) room() int { return max(0, c.size-1-c.switches) }

// fitTables leaves out switches or ports for which the forwarding tables have no room.
func (f *finder) fitTables() {
	sizes := []int{}
	for id := range f.Nodes {
		if f.Nodes[id].Typ == fabric.Switch && f.IsManageable(int32(id)) {
			sizes = append(sizes, f.tableSize(int32(id)))
		}
	}
	slices.Sort(sizes)
	if sizes = slices.Compact(sizes); len(sizes) == 0 || sizes[0] > int(fabric.MaxUnicastLID) {
		return
	}
	f.sharing = map[fabric.LID]int{}
	for slot := range int32(len(f.Owner)) {
		if f.TakesLID(slot) && (f.IsSwitch(slot) || f.Peer[slot] != ledger.NoSlot) {
			f.sharing[fabric.LID(mad.PortInfoLID.Get(f.Info[slot][:]))]++
		}
	}
	need, top, reached := 0, fabric.LID(0), f.ReachableNodes()
	for slot := range int32(len(f.Owner)) {
		if !reached[f.Owner[slot]] || !f.TakesLID(slot) || !f.IsSwitch(slot) && f.Peer[slot] == ledger.NoSlot {
			continue
		}
		need++
		if _, last, inUse := f.lidsInUse(slot); inUse {
			top = max(top, last)
		}
	}
	if max(need, int(top)) < sizes[0] {
		return
	}
	best := f.choose(sizes[0], true)
	for _, size := range sizes[1:] {
		if c := f.choose(size, true); cmp.Or(cmp.Compare(c.inUse, best.inUse), cmp.Compare(c.served, best.served)) >= 0 {
			best = c
		}
	}
	for _, size := range sizes {
		if c := f.choose(size, false); cmp.Or(cmp.Compare(c.inUse, best.inUse), cmp.Compare(c.served, best.served)) > 0 {
			best = c
		}
	}
	f.leaveOut(best, reached)
}

// tableSize returns how many LIDs, from 0 on, a switch's forwarding table has room for.
func (f *finder) tableSize(id int32) int {
	return min(int(mad.SwitchInfoLinearFDBCap.Get(f.Nodes[id].Sw[:])), int(fabric.MaxUnicastLID)+1)
}

// lidsInUse returns the LIDs of a port that carries traffic now: from the Plan in force, or before
// our first Plan from an Active port. Of ports with the same LID, one at most is in service: the
// one with that LID as stored.
func (f *finder) lidsInUse(slot int32) (base, last fabric.LID, inUse bool) {
	if b := f.given.Before; b != nil {
		old, ok := b.SlotOf(f.Nodes[f.Owner[slot]].GUID, f.PortNumber(slot))
		if !ok || b.Prog.End[old] < 0 {
			return 0, 0, false
		}
		e := b.Prog.End[old]
		base = b.Plan.Ends.Base[e]
		return base, base + fabric.LID(b.Plan.Ends.Count(e)) - 1, base > 0
	}
	lids := ledger.LIDsIn(f.Info[slot][:])
	base = lids.Base
	valid := base > 0 && (f.sharing[base] < 2 || f.inherit.Stored[f.GUID[slot]].Base == base)
	return base, lids.Last(), valid && (f.IsSwitch(slot) || f.State(slot) == mad.PortActive)
}

// choose follows the cables from our own port over switches with tables of at least a size. There
// are never more switches than LIDs. Without newcomers only switches in service stay: one that
// comes back takes the LID of no port in service.
func (f *finder) choose(size int, newcomers bool) *choice {
	c := &choice{size: size, stays: make([]bool, len(f.Nodes))}
	seen := make([]bool, len(f.Nodes))
	seen[0] = true
	for todo := []int32{0}; len(todo) > 0; todo = todo[1:] {
		id := todo[0]
		if f.Nodes[id].Typ == fabric.Switch {
			if f.tableSize(id) < size || c.switches >= size-2 {
				continue
			}
			if _, _, inUse := f.lidsInUse(f.Nodes[id].First); !inUse && !newcomers {
				continue
			}
			c.stays[id] = true
			c.switches++
			c.count(f, f.Nodes[id].First)
		}
		for slot := range f.PortsOf(id) {
			t := f.Peer[slot]
			switch {
			case t == ledger.NoSlot || f.Nodes[id].Typ != fabric.Switch && slot != f.OwnPort():
			case !f.IsSwitch(t):
				c.ports = append(c.ports, t)
			case !seen[f.Owner[t]] && f.IsManageable(f.Owner[t]):
				seen[f.Owner[t]] = true
				todo = append(todo, f.Owner[t])
			}
		}
	}
	slices.SortFunc(c.ports, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.rank(a, size), f.rank(b, size)), cmp.Compare(f.GUID[a], f.GUID[b]), cmp.Compare(a, b))
	})
	for _, slot := range c.ports[:min(len(c.ports), c.room())] {
		c.count(f, slot)
	}
	return c
}

// count counts a port that gets a LID.
func (c *choice) count(f *finder, slot int32) {
	c.served++
	if _, last, inUse := f.lidsInUse(slot); inUse && int(last) < c.size {
		c.inUse++
	}
}

// rank orders ports if not all fit: ours, the ones in service, the ones with a stored LID.
func (f *finder) rank(slot int32, size int) int {
	_, last, inUse := f.lidsInUse(slot)
	held, stored := f.inherit.Stored[f.GUID[slot]]
	switch {
	case slot == f.OwnPort():
		return 0
	case inUse && int(last) < size:
		return 1
	case inUse:
		return 2
	case stored && int(held.Last()) < size:
		return 3
	}
	return 4
}

// leaveOut takes the cables of the parts that do not fit out of the inventory.
func (f *finder) leaveOut(c *choice, reached []bool) {
	small := ""
	for id := range f.Nodes {
		switch size := f.tableSize(int32(id)); {
		case f.Nodes[id].Typ != fabric.Switch || !reached[id]:
		case c.stays[id] && size == c.size && small == "":
			small = fmt.Sprintf("the forwarding table of %s has %d entries", f.NodeName(int32(id)), size)
		case !c.stays[id] && size < c.size:
			f.unfit[int32(id)] = true
			f.noteLoss(terms.NoRoom, f.NodePlace(int32(id)), "%s is left out, and what only it joins to us: its forwarding table has %d entries, too few for the LIDs of the others", f.NodeName(int32(id)), size)
		case !c.stays[id]:
			f.unfit[int32(id)] = true
			f.noteLoss(terms.NoRoom, f.NodePlace(int32(id)), "%s is left out, or what joins it to us: there is no room for its LID", f.NodeName(int32(id)))
		}
	}
	for i, slot := range c.ports {
		base, last, inUse := f.lidsInUse(slot)
		switch {
		case i >= c.room():
			f.noteLoss(terms.NoRoom, f.PortPlace(slot), "%s is left out: %s, and other ports have the LIDs that fit", f.PortName(slot), small)
			f.unfit[f.Owner[slot]] = true
			f.unpair(slot)
		case inUse && int(last) >= c.size:
			f.note(terms.NoRoom, f.PortPlace(slot), "%s gets another LID than %d: %s", f.PortName(slot), base, small)
		}
	}
	for id := range f.unfit {
		if f.Nodes[id].Typ == fabric.Switch {
			f.dropNode(id)
		}
	}
}

// unpair takes the cable at a port out of the inventory.
func (f *finder) unpair(slot int32) {
	if t := f.Peer[slot]; t != ledger.NoSlot {
		f.Peer[t], f.Peer[slot] = ledger.NoSlot, ledger.NoSlot
	}
}
