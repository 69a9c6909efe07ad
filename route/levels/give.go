package levels

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
)

// TooFew is the error of a subnet with fewer lanes or SLs than the levels need.
type TooFew struct {
	Levels, Fit    int // levels wanted, and levels that fit
	Lanes, VLs     int // VLs of the paths, and of the links
	SLs, Available int // SLs of the paths, and in all
}

func (e *TooFew) Error() string {
	text := fmt.Sprintf("the paths need %d VLs and %d SLs: %d levels need %d and %d, but only %d and %d exist", e.Lanes, e.SLs, e.Levels,
		e.Levels*e.Lanes, e.Levels*e.SLs, e.VLs, e.Available)
	switch e.Fit {
	case 0:
		return text
	case 1:
		return text + ": only one level fits"
	}
	return fmt.Sprintf("%s: %d levels fit", text, e.Fit)
}

// Has reports whether a Plan has these levels as Give would set them.
func (list Levels) Has(p *route.Plan) bool {
	if len(p.Levels) != len(list) {
		return false
	}
	sls := list.sls(p)
	for i := range list {
		is := route.Level{Name: list[i].Name, Share: list[i].Share, High: list[i].High, SL: sls[i]}
		if p.Levels[i] != is {
			return false
		}
	}
	return true
}

// slsOfPaths returns the set of SLs in use by Plan.SL, without other levels.
func slsOfPaths(p *route.Plan) uint16 {
	return (&route.Plan{SL: p.SL, Service: p.Service}).SLsInUse()
}

// sls chooses the SLs of all levels: the paths' SLs for the first. Any other level gets its sl=
// first, if it is free.
func (list Levels) sls(p *route.Plan) [][route.NumSLs]uint8 {
	used := slsOfPaths(p)
	free := ^used
	out := make([][route.NumSLs]uint8, len(list))
	for i := range list {
		for sl := range out[i] {
			out[i][sl] = uint8(sl)
		}
		if i > 0 && list[i].SL > 0 && free>>list[i].SL&1 != 0 {
			out[i][p.Service.Default] = list[i].SL
			free &^= 1 << list[i].SL
		}
	}
	for i := 1; i < len(list); i++ {
		for m := used; m != 0; m &= m - 1 {
			sl := uint8(bits.TrailingZeros16(m))
			if out[i][sl] != sl || free == 0 { // it has one; Give refuses if there are too few SLs
				continue
			}
			next := uint8(bits.TrailingZeros16(free))
			out[i][sl] = next
			free &^= 1 << next
		}
	}
	return out
}

// Give replaces the levels of a Plan; an empty list removes them. The VLs of links between switches
// limit their number, and so does most unless it is 0. On *TooFew the Plan stays unchanged.
func (list Levels) Give(g *fabric.Graph, p *route.Plan, most int) error {
	if p.SL == nil || p.SL2VL == nil {
		return fmt.Errorf("levels: the lanes of the paths are unknown")
	}
	used := slsOfPaths(p)
	b := builder{g: g, p: p, list: list, used: used, lanes: max(1, bits.Len16(between(g, p, used))), sls: list.sls(p)}
	vls := cmp.Or(g.LeastVLs(), most, route.UsualVLs)
	if most > 0 {
		vls = min(vls, most)
	}
	q, sls := max(1, len(list)), bits.OnesCount16(used)
	if q*b.lanes > vls || q*sls > route.NumSLs {
		return &TooFew{Levels: q, Fit: min(vls/b.lanes, route.NumSLs/sls), Lanes: b.lanes, VLs: vls, SLs: sls, Available: route.NumSLs}
	}
	p.Levels, p.VLs = nil, q*b.lanes
	for i := range list {
		p.Levels = append(p.Levels, route.Level{Name: list[i].Name, Share: list[i].Share, High: list[i].High, SL: b.sls[i]})
	}
	b.tables()
	p.Arbitration = p.LevelArbitration(g)
	p.Notes = append(p.Notes, b.notes()...)
	return nil
}

// between returns the VLs of some SLs between switches, as a set.
func between(g *fabric.Graph, p *route.Plan, sls uint16) uint16 {
	return p.SL2VL.VLs(p.SL2VL.BetweenSwitches(g), sls)
}

// builder makes the tables of levels.
type builder struct {
	g     *fabric.Graph
	p     *route.Plan
	list  Levels
	used  uint16 // SLs of the paths
	lanes int    // of the paths
	sls   [][route.NumSLs]uint8
}

// tables makes the SL2VL tables of all ports.
func (b *builder) tables() {
	g, was := b.g, b.p.SL2VL
	m := &route.SL2VL{Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	made := map[[2]uint16]uint16{}
	table := func(old uint16, vls uint8) uint16 {
		if vls == 0 || int(vls) > b.p.VLs {
			vls = uint8(b.p.VLs)
		}
		key := [2]uint16{old, uint16(vls)}
		at, ok := made[key]
		if !ok {
			at = m.Intern(b.table(&was.Pool[old], int(vls)))
			made[key] = at
		}
		return at
	}
	for h := range m.Host {
		m.Host[h] = table(was.Host[h], g.HostVLs(int32(h)))
	}
	for s := range int32(g.NumSwitches) {
		by, index, ports := was.Switch[s].By, slices.Clone(was.Switch[s].Index), int(g.SwitchPorts[s])+1
		narrow := slices.ContainsFunc(g.AttachedTo(s), func(h int32) bool {
			vls := g.HostVLs(h)
			return vls > 0 && int(vls) < b.p.VLs
		})
		if narrow && by == route.ByNothing {
			by, index = route.ByOut, slices.Repeat(index, ports)
		}
		for i := range index {
			vls := uint8(0)
			if by != route.ByNothing {
				vls = b.hostVLs(s, i%ports)
			}
			index[i] = table(index[i], vls)
		}
		m.Switch[s] = route.SwitchSL2VL{By: by, Index: index}
	}
	b.p.SL2VL = m
}

// hostVLs returns the VLs of a link to a host, 0 for another port.
func (b *builder) hostVLs(s int32, port int) uint8 {
	if _, host := b.g.At(s, uint8(port)); host < 0 {
		return 0
	}
	return b.g.PortVLs[int(b.g.PortStart[s])+port]
}

// table makes the table of a port with so many VLs. An SL of no level gets the VL of the default
// SL.
func (b *builder) table(was *route.VLTable, vls int) (t route.VLTable) {
	q := max(1, len(b.list))
	each := max(1, vls/q) // lanes a level
	if vls >= b.p.VLs {
		each = b.lanes
	}
	lane := func(level int, vl uint8) uint8 {
		if vl == route.DropVL {
			return vl
		}
		return uint8((level*each + int(vl)%each) % vls)
	}
	for sl := range t {
		t[sl] = lane(0, was[b.p.Service.Default])
	}
	for m := b.used; m != 0; m &= m - 1 {
		sl := bits.TrailingZeros16(m)
		if t[sl] = lane(0, was[sl]); len(b.list) == 0 {
			continue
		}
		for i := range b.sls {
			t[b.sls[i][sl]] = lane(i, was[sl])
		}
	}
	return t
}

// OneLane returns the settings for the levels if one lane and one SL are enough for the paths: the
// SL of each level, the VL of each SL, and the turns of the VLs.
func (list Levels) OneLane() (sls []uint8, vls route.VLTable, turns route.ArbTable) {
	p := &route.Plan{VLs: len(list)}
	b := builder{p: p, list: list, used: slsOfPaths(p), lanes: 1, sls: list.sls(p)}
	shares, high := make([]int, len(list)), uint16(0)
	for i := range list {
		sls = append(sls, b.sls[i][p.Service.Default])
		shares[i] = int(list[i].Share)
		if list[i].High {
			high |= 1 << i
		}
	}
	return sls, b.table(&route.VLTable{}, len(list)), route.ArbTableOf(shares, high)
}

// notes lists restrictions that people may not expect.
func (b *builder) notes() (list []string) {
	for i := range b.list {
		first := b.sls[i][b.p.Service.Default]
		if want := b.list[i].SL; want > 0 && want != first {
			list = append(list, fmt.Sprintf("level %s has SL %d, not %d, which the paths use themselves: hosts must ask for it", b.list[i].Name, first, want))
		}
	}
	if narrow := b.sharing(); narrow > 0 {
		list = append(list, fmt.Sprintf("%d links to hosts have fewer VLs than there are levels: some levels share one there", narrow))
	}
	if !b.p.SharesAreExact() {
		list = append(list, "the shares of levels need more VL arbitration entries than ports have: they are exact for small packets only")
	}
	return list
}

// sharing counts links to hosts on which levels share VLs.
func (b *builder) sharing() (n int) {
	for h := range int32(b.g.NumHosts) {
		if vls := b.g.HostVLs(h); vls > 0 && int(vls) < len(b.list) {
			n++
		}
	}
	return n
}

// Summary describes a level of a Plan.
type Summary struct {
	Name  string `json:"name"`
	Share uint8  `json:"share"`          // share of a busy link, as a weight relative to other levels
	High  bool   `json:"high,omitempty"` // it goes first
	SLs   []int  `json:"sls"`
	VLs   []int  `json:"vls"` // between switches
}

// Summarise describes each level of a Plan.
func Summarise(g *fabric.Graph, p *route.Plan) (list []Summary) {
	for i := range p.Levels {
		l := &p.Levels[i]
		var sls uint16
		for m := slsOfPaths(p); m != 0; m &= m - 1 {
			sls |= 1 << l.SL[bits.TrailingZeros16(m)]
		}
		list = append(list, Summary{l.Name, l.Share, l.High, numbers(sls), numbers(between(g, p, sls))})
	}
	return list
}

// String returns the level in words.
func (s *Summary) String() string {
	high := ""
	if s.High {
		high = ", goes first"
	}
	return fmt.Sprintf("share %d%s; SL %s, VL %s", s.Share, high, join(s.SLs), join(s.VLs))
}

// numbers lists the members of a set.
func numbers(set uint16) []int {
	list := []int{}
	for ; set != 0; set &= set - 1 {
		list = append(list, bits.TrailingZeros16(set))
	}
	return list
}

func join(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}
