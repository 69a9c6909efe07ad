package names

import (
	"fmt"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// LMC is the LMC of a port with k LIDs in use: ceil(lg k), 0 without any.
func LMC(k int) uint8 {
	if k < 2 {
		return 0
	}
	return uint8(bits.Len(uint(k - 1)))
}

// MaxPerPort is the most LIDs of a port.
const MaxPerPort = 1 << fabric.MaxLMC

// PortExhausted is the refusal of paths to one port that need more LIDs than a port
// can have.
type PortExhausted struct {
	Port string
	Need int
}

func (e *PortExhausted) Error() string {
	return fmt.Sprintf("names: the paths to %s need %d LIDs, but a port has %d at most: choose paths that split less",
		e.Port, e.Need, MaxPerPort)
}

// Exhausted is the refusal of paths that need more LIDs than a subnet has.
type Exhausted struct {
	Ports, Need int
	Most        string // the port that needs most
	MostNeed    int
	Kept        bool // there would be enough, but those kept leave no aligned gaps
}

func (e *Exhausted) Error() string {
	if e.Kept {
		return fmt.Sprintf("names: %d ports need %d LIDs, which do not fit between the LIDs that are kept: assign fresh LIDs", e.Ports, e.Need)
	}
	return fmt.Sprintf("names: %d ports need %d LIDs (%s most: %d), but a subnet has %d: choose paths that split less, or split the subnet",
		e.Ports, e.Need, e.Most, e.MostNeed, fabric.MaxUnicastLID)
}

// Name gives every end port of g a base LID, with 2^lmc LIDs from it. keep, which may
// be empty, has the names that ports should keep where they can: first those that need
// no more LIDs than they had, then those that find free ones behind theirs. Of the
// others blocks of many LIDs are placed first, so that fresh LIDs leave no gap that
// could be used.
func Name(g *fabric.Graph, lmc []uint8, keep route.Ends) (route.Ends, error) {
	e := route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: lmc}
	need, most, kept := 0, 0, false
	for end, l := range lmc {
		need += 1 << l
		if l > lmc[most] {
			most = end
		}
	}
	refusal := &Exhausted{Ports: g.NumEnds, Need: need}
	if need > int(fabric.MaxUnicastLID) {
		refusal.Most, refusal.MostNeed = route.EndName(g, int32(most)), 1<<lmc[most]
		return route.Ends{}, refusal
	}
	used := make([]bool, int(fabric.MaxUnicastLID)+1)
	used[0] = true
	for _, grown := range []bool{false, true} {
		for end, l := range keep.Base {
			if l != 0 && (lmc[end] > keep.LMC[end]) == grown && route.Claim(used, int(l), 1<<lmc[end]) {
				e.Base[end], kept = l, true
			}
		}
	}
	for size := fabric.MaxLMC; ; size-- {
		at, step := 0, 1<<size
		for end := range g.NumEnds {
			if lmc[end] != uint8(size) || e.Base[end] != 0 {
				continue
			}
			for !route.Claim(used, at, step) {
				if at += step; at >= len(used) {
					refusal.Kept = kept
					refusal.Most, refusal.MostNeed = route.EndName(g, int32(most)), 1<<lmc[most]
					return route.Ends{}, refusal
				}
			}
			e.Base[end] = fabric.LID(at)
		}
		if size == 0 {
			return e, nil
		}
	}
}
