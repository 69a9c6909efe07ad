package route

import (
	"math/bits"
	"slices"

	"weft/fabric"
)

// Level is a quality of service: its packets have lanes of their own between switches, and a share
// of every busy link.
type Level struct {
	Name  string        `json:"name"`
	Share uint8         `json:"share"`          // of the turns, in proportion to the other shares; 1 or more
	High  bool          `json:"high,omitempty"` // goes before levels that are not high, within a limit
	SL    [NumSLs]uint8 `json:"sls"`            // by SL of Plan.SL: this level's SL in its place
}

// SLsFor returns the SL of Plan.SL and its substitutes at all levels and on all copies of the
// lanes, as a set: packets of the pair may have any of them.
func (p *Plan) SLsFor(sl uint8) uint16 {
	set := uint16(1) << sl
	for i := range p.Levels {
		set |= 1 << p.Levels[i].SL[sl]
	}
	if len(p.JobLanes) > 0 {
		path, _ := p.UncopySL(sl)
		set |= 1 << path
		for i := range p.JobLanes {
			set |= 1 << p.JobLanes[i][path]
		}
	}
	return set
}

// SLsInUse returns the set of SLs of all paths at all levels and on all copies of the lanes, with
// the default SL.
func (p *Plan) SLsInUse() uint16 {
	used := p.SLsFor(p.Service.Default)
	for i := range p.JobLanes {
		for path, sl := range p.JobLanes[i] {
			if int(sl) != path {
				used |= 1 << sl
			}
		}
	}
	if p.SL == nil {
		return used
	}
	base := p.SL.InUse()
	for ; base != 0; base &= base - 1 {
		used |= p.SLsFor(uint8(bits.TrailingZeros16(base)))
	}
	return used
}

// Units of the weights of levels, in blocks of 64 bytes.
const (
	// fullPacket is a packet of 4,096 bytes with its headers. An entry may overdraw its turn with
	// its last packet: shares hold exactly for large packets if weights are multiples of
	// fullPacket.
	fullPacket = 65
	// mostWeight is the largest such multiple for one entry.
	mostWeight = 255 / fullPacket * fullPacket
	// entriesOfPort is the least number of entries in each list of any port.
	entriesOfPort = 8
	// highLimit lets high levels send 64 KB while others wait, before one packet of the others.
	highLimit = 16
)

// LevelArbitration returns tables that give the VLs of every port turns by their levels' shares;
// without levels all turns are equal. VLs of the Plan that no level uses have the first level's
// share.
func (p *Plan) LevelArbitration(g *fabric.Graph) *VLArbitration {
	if len(p.Levels) == 0 || p.SL2VL == nil {
		return EqualArbitration(g, max(1, p.VLs))
	}
	t := arbTables{p: p, byLevel: make([]uint16, len(p.Levels)), places: map[string]uint16{}}
	t.out = &VLArbitration{Host: make([]uint16, g.NumHosts), Switch: make([]uint16, len(g.Attached))}
	paths := (&Plan{SL: p.SL, Service: p.Service}).SLsInUse()
	for i := range p.Levels {
		for m := paths; m != 0; m &= m - 1 {
			t.byLevel[i] |= 1 << p.Levels[i].SL[bits.TrailingZeros16(m)]
		}
	}
	for s := range int32(g.NumSwitches) {
		for port := range g.SwitchPorts[s] + 1 {
			slot := g.PortStart[s] + port
			t.out.Switch[slot] = t.place(p.SL2VL.TablesTo(g, s, uint8(port)), g.PortVLs[slot])
		}
	}
	for h := range int32(g.NumHosts) {
		t.out.Host[h] = t.place([]uint16{p.SL2VL.Host[h]}, g.HostVLs(h))
	}
	return t.out
}

// arbTables makes the tables of LevelArbitration.
type arbTables struct {
	p       *Plan
	byLevel []uint16 // its SLs, as a set
	places  map[string]uint16
	out     *VLArbitration
}

// place returns the pool number of the table for a port with these SL2VL tables and so many VLs.
func (t *arbTables) place(tables []uint16, vls uint8) uint16 {
	lanes := t.p.VLs
	if vls > 0 {
		lanes = min(lanes, int(vls))
	}
	key := []byte{uint8(lanes)}
	for _, i := range tables {
		key = append(key, byte(i), byte(i>>8))
	}
	if at, ok := t.places[string(key)]; ok {
		return at
	}
	shares, high := make([]int, lanes), uint16(0)
	for i, sls := range t.byLevel {
		for vls := t.p.SL2VL.VLs(tables, sls); vls != 0; vls &= vls - 1 {
			if vl := bits.TrailingZeros16(vls); vl < lanes {
				shares[vl] += int(t.p.Levels[i].Share)
				if t.p.Levels[i].High {
					high |= 1 << vl
				}
			}
		}
	}
	for vl := range shares {
		if shares[vl] == 0 {
			shares[vl] = int(t.p.Levels[0].Share)
		}
	}
	at := uint16(len(t.out.Pool))
	t.out.Pool = append(t.out.Pool, ArbTableOf(shares, high))
	t.places[string(key)] = at
	return at
}

// ArbTableOf returns a port's table with turns by the shares of its VLs. The VLs of the set high go
// before the others.
func ArbTableOf(shares []int, high uint16) ArbTable {
	return ArbTable{High: entries(shares, high), Low: entries(shares, ^high), Limit: highLimit}
}

// entries lists turns for the VLs of a set that have a share.
func entries(shares []int, set uint16) (list []ArbEntry) {
	weights, exact := weightsOf(shares, set)
	for most := mostWeight; ; {
		more := false
		for vl, w := range weights {
			if w == 0 {
				continue
			}
			if !exact {
				most = w
			}
			list = append(list, ArbEntry{uint8(vl), uint8(min(w, most))})
			weights[vl] -= min(w, most)
			more = more || weights[vl] > 0
		}
		if !more {
			return list
		}
	}
}

// weightsOf returns the weights of the VLs of a set. They are multiples of a packet if all their
// entries fit on a port (exact), or else in proportion to the largest weight of one entry.
func weightsOf(shares []int, set uint16) (weights []int, exact bool) {
	weights = make([]int, len(shares))
	divisor, most, n := 0, 1, 0
	for vl, share := range shares {
		if set>>vl&1 != 0 {
			divisor, most = gcd(divisor, share), max(most, share)
		}
	}
	for vl, share := range shares {
		if set>>vl&1 != 0 {
			weights[vl] = share / divisor * fullPacket
			n += (weights[vl] + mostWeight - 1) / mostWeight
		}
	}
	if n <= entriesOfPort {
		return weights, true
	}
	for vl := range weights {
		if weights[vl] > 0 {
			weights[vl] = max(1, shares[vl]*255/most)
		}
	}
	return weights, false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// SharesAreExact reports whether on all ports the shares hold for packets of all sizes.
func (p *Plan) SharesAreExact() bool {
	if p.Arbitration == nil {
		return true
	}
	for i := range p.Arbitration.Pool {
		for _, list := range [2][]ArbEntry{p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Low} {
			if slices.ContainsFunc(list, func(e ArbEntry) bool { return e.Weight%fullPacket != 0 }) {
				return false
			}
		}
	}
	return true
}
