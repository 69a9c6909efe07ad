package planning

import (
	"cmp"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/sm/terms"
)

// heldLIDs returns the LIDs that end ports keep: the stored or, without one, the present LID.
// Stored LIDs of absent ports stay reserved.
func heldLIDs(g *fabric.Graph, stored terms.LIDMap) *route.Held {
	h := route.Seen(g)
	taken := map[fabric.LID]bool{}
	for _, p := range stored {
		p.Mark(taken)
	}
	for end, l := range h.Ends.Base {
		if _, ok := stored[g.EndGUID[end]]; ok || taken[l] {
			h.Ends.Base[end] = 0
		}
	}
	addStored(h, g, stored)
	return h
}

// addStored adds stored LIDs to h: of end ports without a LID there, and of absent ports.
func addStored(h *route.Held, g *fabric.Graph, stored terms.LIDMap) {
	here, taken := map[fabric.GUID]bool{}, map[fabric.LID]bool{}
	for end, l := range h.Ends.Base {
		here[g.EndGUID[end]] = true
		if l != 0 {
			terms.PortLIDs{Base: l, LMC: h.Ends.LMC[end]}.Mark(taken)
		}
	}
	for end, guid := range g.EndGUID {
		if p, ok := stored[guid]; ok && h.Ends.Base[end] == 0 && !taken[p.Base] && !taken[p.Last()] {
			h.Ends.Base[end], h.Ends.LMC[end] = p.Base, p.LMC
		}
	}
	gone, guids := map[fabric.LID]fabric.GUID{}, slices.Sorted(maps.Keys(stored))
	for _, guid := range guids {
		if !here[guid] {
			gone[stored[guid].Base] = guid
		}
	}
	for i := range h.Absent {
		a := &h.Absent[i]
		taken[a.Base], a.GUID = true, cmp.Or(a.GUID, gone[a.Base]) // a Plan from a file may lack the GUID
	}
	for _, guid := range guids {
		if p := stored[guid]; !here[guid] && !taken[p.Base] {
			h.Absent = append(h.Absent, route.Absent{GUID: guid, Base: p.Base, LMC: p.LMC})
		}
	}
}
