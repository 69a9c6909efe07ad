// Package lids assigns LIDs to the end ports of a subnet: fresh ones, or the LIDs in use, kept
// wherever they are valid. This is stage NAMES for engines that compute trees (one LID a port, or
// 2^LMC of them). Package route/names finds how many LIDs a set of paths needs.
package lids

import (
	"fmt"
	"slices"
	"sort"

	"weft/fabric"
	"weft/route"
)

// Options control the assignment of LIDs to end ports.
type Options struct {
	LMC   uint8       // every CA and router port gets 2^LMC LIDs; switches get one
	Fresh bool        // ignore the LIDs in use; otherwise keep them where valid
	Held  *route.Held // the LIDs in use; nil: as discovered
	Fewer bool        // give ports fewer LIDs than LMC says rather than refuse; see AssignFewer
	Kept  bool        // give ports in use no more LIDs than they have: more may not fit at their base LID
}

// InUse returns the LIDs to be kept: none if fresh ones are wanted.
func (o *Options) InUse(g *fabric.Graph) *route.Held {
	switch {
	case o.Fresh:
		return &route.Held{}
	case o.Held != nil:
		return o.Held
	}
	return route.Seen(g)
}

// Exhausted is the refusal of a fabric that needs more LIDs than there are.
type Exhausted struct {
	Ports    int    // ports that need LIDs
	Need     int    // LIDs in all
	Most     string // the port that needs most; MostNeed is how many
	MostNeed int
	// Kept says that the number would be enough, but the kept LIDs leave no aligned gaps.
	Kept bool
}

func (e *Exhausted) Error() string {
	need := fmt.Sprintf("route: %d end ports need %d LIDs (%s needs most: %d)", e.Ports, e.Need, e.Most, e.MostNeed)
	if e.Kept {
		return need + ", which do not fit between the kept LIDs: assign fresh LIDs"
	}
	return need + fmt.Sprintf(", but a subnet has %d: lower the LMC, choose paths that split less, or split the subnet",
		fabric.MaxUnicastLID)
}

// Assign gives every end port its LIDs: 2^LMC to each CA and router port, one to each switch. It
// keeps LIDs in use as AssignEach does.
func Assign(g *fabric.Graph, opt Options) (route.Ends, error) {
	if opt.LMC > fabric.MaxLMC {
		return route.Ends{}, fmt.Errorf("route: LMC %d is too large (at most %d)", opt.LMC, fabric.MaxLMC)
	}
	lmc := make([]uint8, g.NumEnds)
	for end := range g.NumHosts {
		lmc[end] = opt.LMC
	}
	if held := opt.InUse(g); opt.Kept {
		for end := range min(g.NumHosts, len(held.Ends.Base)) {
			if held.Ends.Base[end] != 0 {
				lmc[end] = min(opt.LMC, held.Ends.LMC[end])
			}
		}
	}
	if opt.Fewer {
		return AssignFewer(g, lmc, opt.InUse(g), true)
	}
	return AssignEach(g, lmc, opt.InUse(g))
}

// AssignFewer gives every end port its LIDs as AssignEach does, and fewer where the forwarding
// tables have no room for all: first to ports that have no LIDs yet, then, with all, to every port.
// If that does not help either, the result is that of AssignEach.
func AssignFewer(g *fabric.Graph, lmc []uint8, held *route.Held, all bool) (route.Ends, error) {
	asked, err := AssignEach(g, lmc, held)
	if err == nil && asked.BeyondTable(g) < 0 {
		return asked, nil
	}
	has := func(end int) bool { return end < len(held.Ends.Base) && held.Ends.Base[end] != 0 }
	for _, every := range []bool{false, true} {
		for less := uint8(1); less <= fabric.MaxLMC && (all || !every); less++ {
			some := slices.Clone(lmc)
			for end := range some {
				if every || !has(end) {
					some[end] -= min(some[end], less)
				}
			}
			if ends, err := AssignEach(g, some, held); err == nil && ends.BeyondTable(g) < 0 {
				return ends, nil
			}
		}
	}
	return asked, err
}

// AssignEach gives every end port of g a base LID, with 2^lmc LIDs from it.
//
// A port keeps its base LID if the LIDs from it are valid for its LMC, within the forwarding
// tables, and no other port has one of them. If ports want the same LIDs, because some need more
// than before, those with few LIDs go first. Aligned blocks of LIDs are nested or disjoint, so that
// as many ports as possible keep theirs. The others get the lowest free LIDs, ports with many
// first, which leaves no usable gap. They get LIDs of absent ports only if there are no others
// within the forwarding tables, and first the LIDs of the ports lost longest ago. The cost is
// O(LIDs), times the logarithm of the number of absent ports.
func AssignEach(g *fabric.Graph, lmc []uint8, held *route.Held) (route.Ends, error) {
	n := assigner{lmc: lmc, base: make([]fabric.LID, g.NumEnds), used: make([]bool, int(fabric.MaxUnicastLID)+1)}
	need, most := 0, 0
	for end, l := range lmc {
		need += 1 << l
		if l > lmc[most] {
			most = end
		}
	}
	refusal := func(kept bool) error {
		return &Exhausted{Ports: g.NumEnds, Need: need, Most: route.EndName(g, int32(most)), MostNeed: 1 << lmc[most], Kept: kept}
	}
	if need > int(fabric.MaxUnicastLID) {
		return route.Ends{}, refusal(false)
	}
	n.used[0] = true
	limit := len(n.used)
	for _, size := range g.SwitchFDBCap {
		if size > 0 {
			limit = min(limit, int(size))
		}
	}
	n.keep(held.Ends.Base, limit)
	absent := len(held.Absent)
	gone := sort.Search(absent, func(gone int) bool { return n.place(held.Absent[:absent-gone], limit) })
	if !n.place(held.Absent[:absent-gone], limit) && !n.place(nil, len(n.used)) {
		return route.Ends{}, refusal(true)
	}
	return route.Ends{Base: n.base, LMC: lmc}, nil
}

// assigner assigns LIDs.
type assigner struct {
	lmc  []uint8
	base []fabric.LID
	used []bool // by LID: kept
	todo []int  // ports that kept none, those with many LIDs first
}

// keep lets ports keep their LIDs below a limit, those with few first, and lists the others.
func (n *assigner) keep(base []fabric.LID, limit int) {
	for size := range uint8(fabric.MaxLMC + 1) {
		for end, l := range base {
			if l != 0 && n.lmc[end] == size && claim(n.used[:limit], int(l), 1<<size) {
				n.base[end] = l
			}
		}
	}
	for end, l := range n.base {
		if l == 0 {
			n.todo = append(n.todo, end)
		}
	}
	slices.SortStableFunc(n.todo, func(a, b int) int { return int(n.lmc[b]) - int(n.lmc[a]) })
}

// place gives the other ports LIDs below a limit, none of an absent port. It reports whether there
// are enough.
func (n *assigner) place(absent []route.Absent, limit int) bool {
	used := slices.Clone(n.used[:limit])
	for _, a := range absent {
		for l := int(a.Base); l < min(int(a.Base)+1<<a.LMC, len(used)); l++ {
			used[l] = true
		}
	}
	at := 0
	for i, end := range n.todo {
		size := 1 << n.lmc[end]
		if i == 0 || n.lmc[end] != n.lmc[n.todo[i-1]] {
			at = 0
		}
		for !claim(used, at, size) {
			if at += size; at >= len(used) {
				return false
			}
		}
		n.base[end] = fabric.LID(at)
	}
	return true
}

// claim takes n LIDs from base on, if they are aligned, in range and free.
func claim(used []bool, base, n int) bool {
	if base%n != 0 || base+n > len(used) {
		return false
	}
	for _, u := range used[base : base+n] {
		if u {
			return false
		}
	}
	for i := range n {
		used[base+i] = true
	}
	return true
}
