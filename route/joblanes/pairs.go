package joblanes

import (
	"weft/fabric"
	"weft/route"
)

// Claim says that packets between some host ports take a copy of the lanes.
type Claim struct {
	Hosts []int32
	Copy  int // as Lane.Copy
}

// Pairs holds the copies of pairs of end ports. If several claims hold a pair, the first one
// counts. nil means that all pairs are on the lanes of the paths.
type Pairs struct {
	of     [][]int32 // by end port: the numbers of its claims, ascending
	copies []int     // by claim
}

// NewPairs returns the Pairs of some claims, in a Graph with so many end ports.
func NewPairs(ends int, claims []Claim) *Pairs {
	p := &Pairs{of: make([][]int32, ends)}
	for i := range claims {
		p.copies = append(p.copies, claims[i].Copy)
		for _, h := range claims[i].Hosts {
			if n := len(p.of[h]); n == 0 || p.of[h][n-1] != int32(i) {
				p.of[h] = append(p.of[h], int32(i))
			}
		}
	}
	return p
}

// On returns the Pairs of a Graph for another one. added returns the numbers of the claims,
// ascending, of an end port that is not in the first one.
func (p *Pairs) On(was, now *fabric.Graph, added func(end int32) []int32) *Pairs {
	at := make(map[fabric.GUID]int32, was.NumEnds)
	for e, guid := range was.EndGUID {
		at[guid] = int32(e)
	}
	next := &Pairs{of: make([][]int32, now.NumEnds), copies: p.copies}
	for e, guid := range now.EndGUID {
		if old, met := at[guid]; met {
			next.of[e] = p.of[old]
		} else {
			next.of[e] = added(int32(e))
		}
	}
	return next
}

// Copy returns the copy of a pair; 0 for the lanes of the paths.
func (p *Pairs) Copy(from, to int32) int {
	if p == nil {
		return 0
	}
	for a, b := p.of[from], p.of[to]; len(a) > 0 && len(b) > 0; {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return p.copies[a[0]]
		}
	}
	return 0
}

// SL returns the SL of packets between two end ports of a Plan whose path has an SL. A pair on a
// copy that the Plan does not have is on the lanes of the paths.
func (p *Pairs) SL(plan *route.Plan, from, to int32, sl uint8) uint8 {
	copied := p.Copy(from, to)
	if copied <= 0 || copied > len(plan.JobLanes) {
		return sl
	}
	return plan.JobLanes[copied-1][sl]
}
