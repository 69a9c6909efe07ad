package route

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// Ends holds the base LID and LMC of every end port of the Graph (CA and router ports, then port 0
// of every switch). A port with base LID 0 has no LID.
type Ends struct {
	Base []fabric.LID
	LMC  []uint8
}

// Count returns the number of LIDs of an end port, 0 if it has none.
func (e *Ends) Count(end int32) int {
	if e.Base[end] == 0 {
		return 0
	}
	return 1 << e.LMC[end]
}

// Top returns the highest LID in use.
func (e *Ends) Top() fabric.LID {
	top := fabric.LID(0)
	for i := range e.Base {
		if n := e.Count(int32(i)); n > 0 {
			top = max(top, e.Base[i]+fabric.LID(n-1))
		}
	}
	return top
}

// Total returns the number of LIDs in use.
func (e *Ends) Total() int {
	n := 0
	for i := range e.Base {
		n += e.Count(int32(i))
	}
	return n
}

// BeyondTable returns the first switch whose forwarding table is too short for the highest LID,
// fabric.Nothing if none is.
func (e *Ends) BeyondTable(g *fabric.Graph) int32 {
	top := int32(e.Top())
	return int32(slices.IndexFunc(g.SwitchFDBCap, func(size int32) bool { return size > 0 && top >= size }))
}

// MaxLMC returns the largest LMC in use.
func (e *Ends) MaxLMC() uint8 {
	m := uint8(0)
	for _, l := range e.LMC {
		m = max(m, l)
	}
	return m
}

// ByLID lists the end port of each LID from 0 to Top, -1 for none. If two ports claim one LID, the
// first in order gets it; Validate reports that.
func (e *Ends) ByLID() []int32 {
	by := slices.Repeat([]int32{-1}, int(e.Top())+1)
	for end := range e.Base {
		for k := range e.Count(int32(end)) {
			if l := int(e.Base[end]) + k; by[l] < 0 {
				by[l] = int32(end)
			}
		}
	}
	return by
}

// SwitchByLID lists the switch that delivers each LID from 0 to Top, -1 for a LID without an owner.
func (e *Ends) SwitchByLID(g *fabric.Graph) []int32 {
	by := e.ByLID()
	for lid, end := range by {
		if end >= 0 {
			by[lid] = g.EndSwitch[end]
		}
	}
	return by
}

// Validate reports the first violation of the specification, or nil: a LID out of the unicast
// range, an unaligned base LID, two ports with one LID.
func (e *Ends) Validate(g *fabric.Graph) *Remark {
	owner := make([]int32, int(fabric.MaxUnicastLID)+1)
	for end, base := range e.Base {
		if base == 0 {
			continue
		}
		lmc := e.LMC[end]
		wrong := func(format string, args ...any) *Remark {
			return &Remark{Ports: []fabric.PortName{g.EndName(int32(end))}, Text: fmt.Sprintf(format, args...)}
		}
		if lmc > fabric.MaxLMC {
			return wrong("has LMC %d (at most %d)", lmc, fabric.MaxLMC)
		}
		n := 1 << lmc
		if int(base)+n-1 > int(fabric.MaxUnicastLID) {
			return wrong("has LID %d with LMC %d, beyond the unicast LIDs (1 to %d)", base, lmc, fabric.MaxUnicastLID)
		}
		if int(base)%n != 0 {
			return wrong("has base LID %d, which LMC %d does not allow (not a multiple of %d)", base, lmc, n)
		}
		for l := int(base); l < int(base)+n; l++ {
			if o := owner[l]; o != 0 {
				return &Remark{LID: fabric.LID(l), Ports: []fabric.PortName{g.EndName(o - 1), g.EndName(int32(end))}, Text: "names both"}
			}
			owner[l] = int32(end) + 1
		}
	}
	return nil
}

// EndName names an end port for people: description, GUID and port number.
func EndName(g *fabric.Graph, end int32) string {
	return fmt.Sprintf("%s %q (%s)[%d]", g.EndType[end], g.EndDesc[end], g.EndNodeGUID[end], g.EndNum[end])
}
