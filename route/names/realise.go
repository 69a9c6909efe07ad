package names

import (
	"context"
	"slices"
	"sort"

	"weft/fabric"
	"weft/route"
	"weft/route/paths"
)

// LMC returns the LMC of every end port.
func (a *Assignment) LMC() []uint8 {
	lmc := make([]uint8, len(a.Need))
	for end, b := range a.Need {
		lmc[end] = LMC(int(b.Upper))
	}
	return lmc
}

// Realise makes the Plan of an assignment: forwarding tables, and each source's LIDs (the H table
// of paper 002). The ends must have at least the LMCs of the assignment; lids.AssignEach makes such
// ends.
//
// A subnet manager needs more than paths between hosts: paths from and to port 0 of every switch.
// And the judge requires every LID of a port to be reachable. So all LIDs get the missing entries.
// First they follow the paths' order of channels (completer), so that no cycle of dependencies
// arises if the paths have none; the rest come one by one (patcher). missing counts the (switch,
// LID) pairs left without an entry. There are none in a connected network whose paths keep an
// up*/down* rule.
func (a *Assignment) Realise(ctx context.Context, ends route.Ends) (plan *route.Plan, missing int, err error) {
	g := a.Set.Graph()
	plan = &route.Plan{Ends: ends, Tables: route.NewTables(g.NumSwitches, ends.Top())}
	plan.Service.ReplySameSL = true
	c := newCompleter(a)
	var partial []fabric.LID // LIDs without an entry on some switch
	for dst := range int32(g.NumEnds) {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if ends.Base[dst] == 0 {
			continue
		}
		a.writePaths(plan, dst)
		for l := range ends.Count(dst) {
			lid := ends.Base[dst] + fabric.LID(l)
			if c.complete(plan.Tables, lid, g.EndSwitch[dst]) > 0 {
				partial = append(partial, lid)
			}
		}
	}
	if len(partial) > 0 {
		if missing, err = patchAll(ctx, g, plan, partial); err != nil {
			return nil, 0, err
		}
	}
	plan.Choice = a.choice()
	plan.SingleLane(g)
	return plan, missing, nil
}

// writePaths writes the entries of the paths to an end port.
func (a *Assignment) writePaths(plan *route.Plan, dst int32) {
	g := a.Set.Graph()
	base := plan.Ends.Base[dst]
	for l := range plan.Ends.Count(dst) {
		plan.Tables.Set(g.EndSwitch[dst], base+fabric.LID(l), g.EndPort[dst])
	}
	first, last := a.Set.To(dst)
	for p := first; p < last; p++ {
		at := g.EndSwitch[a.Set.Source(p)]
		for _, port := range a.Set.Ports(p) {
			plan.Tables.Set(at, base+fabric.LID(a.Offset[p]), port)
			channel, _ := g.At(at, port)
			at = g.To[channel]
		}
	}
}

// choice lists the LIDs of each pair; a pair that uses only the base LID has no row.
func (a *Assignment) choice() route.Choice {
	g := a.Set.Graph()
	var rows []route.ChoiceRow
	other := make([]int32, g.NumEnds) // 1 + last destination for which the source uses other LIDs than the base LID
	for dst := range int32(g.NumEnds) {
		first, last := a.Set.To(dst)
		for p := first; p < last; p++ {
			if a.Offset[p] > 0 {
				other[a.Set.Source(p)] = dst + 1
			}
		}
		for p := first; p < last; p++ {
			if src := a.Set.Source(p); other[src] == dst+1 {
				rows = append(rows, route.ChoiceRow{Source: src, Target: dst, Offset: a.Offset[p]})
			}
		}
	}
	return route.NewChoice(g.NumEnds, rows)
}

// Intended gives the judge the computed path of each packet under an Assignment with given LIDs.
type Intended struct {
	a      *Assignment
	ends   route.Ends
	sorted []int32 // the paths of each destination, by source
}

// Intended prepares the comparison of realised paths with computed ones.
func (a *Assignment) Intended(ends route.Ends) *Intended {
	in := &Intended{a: a, ends: ends, sorted: fabric.Numbers(a.Set.NumPaths())}
	for dst := range int32(a.Set.Graph().NumEnds) {
		first, last := a.Set.To(dst)
		slices.SortFunc(in.sorted[first:last], func(p, q int32) int {
			return int(a.Set.Source(int(p)) - a.Set.Source(int(q)))
		})
	}
	return in
}

// Set returns the paths, in the order of computing or reading.
func (in *Intended) Set() *paths.Set { return in.a.Set }

// Path writes the channels of the path from one end port to another under a LID.
func (in *Intended) Path(src, dst int32, lid fabric.LID, buf []int32) ([]int32, bool) {
	set := in.a.Set
	first, last := set.To(dst)
	list := in.sorted[first:last]
	at := sort.Search(len(list), func(i int) bool { return set.Source(int(list[i])) >= src })
	for ; at < len(list) && set.Source(int(list[at])) == src; at++ {
		if p := int(list[at]); in.ends.Base[dst]+fabric.LID(in.a.Offset[p]) == lid {
			return set.AppendChannels(buf, p), true
		}
	}
	return buf, false
}
