package check

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// LIDs maps each LID to its end port, and tells sources, the end ports with a LID.
type LIDs struct {
	Owner []int32 // by LID, whole blocks: its end port, -1 if none, the first if several claim it
	Used  int     // LIDs with an owner
	Count []int   // by end port: its LIDs, 0 when it is no source

	// By switch: the hosts that are sources; these and port 0 if it is a source.
	Hosts, Sources []int32
	sources        int64 // all of them
}

// readLIDs reads the LIDs of end ports, legal or not.
func readLIDs(g *fabric.Graph, ends *route.Ends) *LIDs {
	l := &LIDs{Count: make([]int, g.NumEnds), Hosts: make([]int32, g.NumSwitches), Sources: make([]int32, g.NumSwitches)}
	top := 0
	for e, base := range ends.Base {
		if base == 0 || base > fabric.MaxUnicastLID {
			continue
		}
		l.Count[e] = 1
		if ends.LMC[e] <= fabric.MaxLMC {
			l.Count[e] = min(1<<ends.LMC[e], int(fabric.MaxUnicastLID)-int(base)+1)
		}
		top = max(top, int(base)+l.Count[e]-1)
		s := g.EndSwitch[e]
		l.sources++
		l.Sources[s]++
		if g.IsHost(int32(e)) {
			l.Hosts[s]++
		}
	}
	l.Owner = slices.Repeat([]int32{-1}, (top/route.BlockSize+1)*route.BlockSize)
	for e, base := range ends.Base {
		for k := range l.Count[e] {
			if lid := int(base) + k; l.Owner[lid] < 0 {
				l.Owner[lid] = int32(e)
				l.Used++
			}
		}
	}
	return l
}

// IsSource reports whether an end port has a LID.
func (l *LIDs) IsSource(e int32) bool { return l.Count[e] > 0 }
