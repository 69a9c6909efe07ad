package check_test

import (
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
)

// The files flood_test.go, floodlanes_test.go and floodgroups_test.go are a second judge. It only
// follows packets: hop by hop through the forwarding tables and lane tables of a Plan, those of
// groups copy by copy. It imports only the Plan and the Graph, and is written for simplicity, not
// for speed. It does not take lists of LIDs that sources use.

// floodPlan returns the faults of a Plan, none if it is sound: lost packets, lanes that a port does
// not have or never serves, trees that miss a member, and rings of packets that wait.
func floodPlan(g *fabric.Graph, p *route.Plan) []string {
	w := newWorld(g, p)
	if w.names(); len(w.faults) > 0 {
		return w.faults
	}
	w.unicast()
	for pair := range w.reached {
		if !w.reached[[2]int32{pair[1], pair[0]}] {
			w.wrong("no way back to %v", g.EndName(pair[0]))
		}
	}
	if m := p.Multicast; m != nil {
		for i := range m.Trees {
			if !w.wellFormed(&m.Trees[i]) {
				w.wrong("tree %d is no tree by its form", i)
				continue
			}
			w.floodAll(i)
		}
	}
	w.lanes()
	if w.ring() {
		w.wrong("packets wait for each other in a ring")
	}
	return w.faults
}

// sender is a port that sends: a port of a switch, or the host at it.
type sender struct {
	s    int32
	p    uint8
	host bool
}

// hold is a channel, with the VL of the packet in its buffer.
type hold struct {
	c  int32
	vl uint8
}

// nothing is held by a packet that no channel has carried yet.
var nothing = hold{c: -1}

// world collects what all packets did.
type world struct {
	g      *fabric.Graph
	p      *route.Plan
	sent   map[sender]map[uint8]bool
	waits  map[[2]hold]bool
	faults []string

	reached map[[2]int32]bool // end ports: packets of the first have arrived at the second
}

func newWorld(g *fabric.Graph, p *route.Plan) *world {
	return &world{g: g, p: p, sent: map[sender]map[uint8]bool{}, waits: map[[2]hold]bool{}, reached: map[[2]int32]bool{}}
}

func (w *world) wrong(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// pathLanes reports whether the lanes of unicast packets are known.
func (w *world) pathLanes() bool { return w.p.SL != nil && w.p.SL2VL != nil }

// send notes that a port sends on a VL.
func (w *world) send(from sender, vl uint8) {
	if w.sent[from] == nil {
		w.sent[from] = map[uint8]bool{}
	}
	w.sent[from][vl] = true
}

// enter sends a packet from an end port to its switch, and reports whether it arrives.
func (w *world) enter(e int32, sl uint8) bool {
	if int(e) >= w.g.NumHosts || w.p.SL2VL == nil {
		return true
	}
	vl := w.p.SL2VL.Pool[w.p.SL2VL.Host[e]][sl]
	w.send(sender{w.g.EndSwitch[e], w.g.EndPort[e], true}, vl)
	return vl != route.DropVL
}

// vl returns the VL that a switch gives a packet.
func (w *world) vl(s int32, in, out, sl uint8) uint8 {
	m := w.p.SL2VL
	if m == nil {
		return 0
	}
	i := 0
	switch m.Switch[s].By {
	case route.ByNothing:
	case route.ByOut:
		i = int(out)
	case route.ByInOut:
		i = int(in)*int(w.g.SwitchPorts[s]+1) + int(out)
	}
	return m.Pool[m.Switch[s].Index[i]][sl]
}

// unicast sends a packet from every end port to every LID, on each SL that it may have.
func (w *world) unicast() {
	g := w.g
	for dst := range int32(g.NumEnds) {
		for k := range 1 << w.p.Ends.LMC[dst] {
			lid := w.p.Ends.Base[dst] + fabric.LID(k)
			for src := range int32(g.NumEnds) {
				switch {
				case src == dst, !slices.Contains(w.uses(src, dst), lid):
					w.follow(src, dst, lid, noSL)
				default:
					for sl := range w.sls(src, dst, lid) {
						w.follow(src, dst, lid, sl)
					}
				}
			}
		}
	}
}

// noSL stands for a packet that nobody sends: only the tables are followed.
const noSL = 255

// names makes sure that each LID has one owner, each end port a LID, and all of them classes.
func (w *world) names() {
	owner := map[int]bool{}
	for e, base := range w.p.Ends.Base {
		n := 1 << min(w.p.Ends.LMC[e], 8)
		if base == 0 || n > 128 || int(base)%n != 0 || int(base)+n > 0xC000 {
			w.wrong("%v has LID %d and LMC %d", w.g.EndName(int32(e)), base, w.p.Ends.LMC[e])
			return
		}
		for l := int(base); l < int(base)+n; l++ {
			if owner[l] {
				w.wrong("LID %d twice", l)
			}
			owner[l] = true
			if m := w.p.SL; w.pathLanes() && (l >= len(m.Dst) || m.Dst[l] < 0 || int(m.Dst[l]) >= m.NumDst) {
				w.wrong("LID %d has no class", l)
			}
		}
		if m := w.p.SL; w.pathLanes() && (m.Src[e] < 0 || int(m.Src[e]) >= m.NumSrc) {
			w.wrong("%v has no class", w.g.EndName(int32(e)))
		}
	}
}

// uses lists the LIDs of a target that a source sends to.
func (w *world) uses(src, dst int32) (lids []fabric.LID) {
	for k := range 1 << w.p.Ends.LMC[dst] {
		lids = append(lids, w.p.Ends.Base[dst]+fabric.LID(k))
	}
	switch w.p.Choice.By {
	case route.BaseLID:
		return lids[:1]
	case route.HashedLID:
		i := int(w.p.Ends.Base[src]>>w.p.Ends.LMC[src]) % len(lids)
		return lids[i : i+1]
	case route.AnyLID, route.ListedLIDs:
	}
	return lids
}

// sls are the SLs of packets from an end port to a LID of another.
func (w *world) sls(src, dst int32, lid fabric.LID) map[uint8]bool {
	set := map[uint8]bool{}
	if !w.pathLanes() {
		set[0] = true
		return set
	}
	set[w.p.SL.At(src, lid)] = true
	if w.p.Service.ReplySameSL {
		for _, l := range w.uses(dst, src) {
			set[w.p.SL.At(dst, l)] = true
		}
	}
	for sl := range maps.Clone(set) {
		for _, level := range w.p.Levels {
			set[level.SL[sl]] = true
		}
	}
	return set
}

// follow follows one unicast packet.
func (w *world) follow(src, dst int32, lid fabric.LID, sl uint8) {
	g := w.g
	lost := func(why string) { w.wrong("%v to LID %d: %s", g.EndName(src), lid, why) }
	known := w.pathLanes() && sl != noSL
	if known && !w.enter(src, sl) {
		return // lanes tells
	}
	s, in, held := g.EndSwitch[src], g.EndPort[src], nothing
	for range 3 * g.NumSwitches {
		out := w.p.Tables.Port(s, lid)
		if most := g.SwitchFDBCap[s]; out == route.NoPort || most > 0 && int32(lid) >= most {
			if w.joined(s, g.EndSwitch[dst]) {
				lost("no entry")
			}
			return
		}
		if out == 0 {
			if dst != g.PortZero(s) {
				lost("it ends at a switch")
			}
			w.arrive(src, dst, sl)
			return
		}
		c, h := g.At(s, out)
		if c < 0 && h != dst {
			lost("it leaves by a wrong port")
			return
		}
		vl := uint8(0)
		if known {
			vl = w.vl(s, in, out, sl)
			w.send(sender{s, out, false}, vl)
		}
		if c < 0 || vl == route.DropVL {
			w.arrive(src, dst, sl)
			return
		}
		if held != nothing && sl != noSL {
			w.waits[[2]hold{held, {c, vl}}] = true
		}
		s, in, held = g.To[c], g.ToPort[c], hold{c, vl}
	}
	lost("it goes in circles")
}

// arrive notes that a packet has arrived.
func (w *world) arrive(src, dst int32, sl uint8) {
	if src != dst && sl != noSL {
		w.reached[[2]int32{src, dst}] = true
	}
}

// joined reports whether a way leads from one switch to another, through none that is drained.
func (w *world) joined(from, to int32) bool {
	g := w.g
	seen := map[int32]bool{from: true}
	for list := []int32{from}; len(list) > 0; list = list[1:] {
		s := list[0]
		if s == to {
			return true
		}
		for c := range g.NumChannels {
			if g.From[c] == s && !seen[g.To[c]] && (s == from || !g.Drained[s]) {
				seen[g.To[c]] = true
				list = append(list, g.To[c])
			}
		}
	}
	return false
}
