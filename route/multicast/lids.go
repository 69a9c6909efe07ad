package multicast

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// TreeByLID is a tree of a pool with switches named by LIDs, for other managers and later runs.
type TreeByLID struct {
	Root fabric.LID `json:"root"`
	SL   uint8      `json:"sl"` // of the pool, or UnknownSL
	Up   []Uplink   `json:"up"` // by LID
}

// UnknownSL is the SL of a pool whose SL is unknown.
const UnknownSL = 0xFF

// Uplink is the port from a switch to its parent.
type Uplink struct {
	LID  fabric.LID `json:"lid"`
	Port uint8      `json:"port"`
}

// ByLID returns the trees of a pool with switches named by LIDs.
func ByLID(g *fabric.Graph, ends *route.Ends, pool *route.Multicast) (list []TreeByLID) {
	if pool == nil {
		return nil
	}
	lid := func(s int32) fabric.LID { return ends.Base[g.PortZero(s)] }
	for i := range pool.Trees {
		t := TreeByLID{Root: lid(pool.Trees[i].Root), SL: pool.SL}
		for s, up := range pool.Trees[i].Up {
			if up >= 0 {
				t.Up = append(t.Up, Uplink{lid(int32(s)), g.FromPort[up]})
			}
		}
		slices.SortFunc(t.Up, func(a, b Uplink) int { return int(a.LID) - int(b.LID) })
		list = append(list, t)
	}
	return list
}

// FromLIDs returns the trees as far as their switches and cables still exist, and whether each
// covers all switches with hosts that may hold a table (Options.Without). The pool is to be kept
// with a Plan, and is not proven.
func FromLIDs(g *fabric.Graph, plan *route.Plan, trees []TreeByLID, opt *Options) (pool *route.Multicast, whole bool) {
	at := plan.Ends.ByLID()
	switchOf := func(lid fabric.LID) int32 {
		if int(lid) < len(at) && at[lid] >= 0 && g.PortZero(g.EndSwitch[at[lid]]) == at[lid] {
			return g.EndSwitch[at[lid]]
		}
		return fabric.Nothing
	}
	pool, whole = &route.Multicast{SL: UnknownSL}, true
	for i := range trees {
		pool.SL = min(pool.SL, trees[i].SL)
		root := switchOf(trees[i].Root)
		if root < 0 {
			whole = false
			continue
		}
		t := newTree(g, root)
		for _, u := range trees[i].Up {
			if s := switchOf(u.LID); s >= 0 && s != root {
				if c, _ := g.At(s, u.Port); c >= 0 {
					t.Up[s] = c
				}
			}
		}
		pool.Trees = append(pool.Trees, t)
		whole = whole && isWhole(g, &t, opt)
	}
	if pool.SL >= route.NumSLs {
		sl, ok := existingLane(plan, plan.SLsInUse(), pathVLs(plan, plan.SLsInUse()))
		if pool.SL = anySL(plan); ok {
			pool.SL = sl
		}
	}
	return pool, whole
}
