package check

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// dumb is a judge that walks every packet hop by hop and keeps maps. It is written
// from the Plan's definition, without a thought of speed.
type dumb struct {
	g     *fabric.Graph
	p     *route.Plan
	owner map[fabric.LID]int32
	lids  map[int32][]fabric.LID
	dist  [][]int
}

// node of the dependency graph.
type dumbNode struct {
	c  int32
	vl uint8
}

type dumbDep struct{ from, to dumbNode }

// dumbReport has what both judges must agree on.
type dumbReport struct {
	Reachability
	VLs        int
	ChannelVLs []uint16
	Deliveries int64
	Edges      [4]int
	Free       [4]Answer
	CycleLen   [4]int
	Faults     map[Kind][2]int64
}

func newDumb(g *fabric.Graph, p *route.Plan) *dumb {
	d := &dumb{g: g, p: p, owner: map[fabric.LID]int32{}, lids: map[int32][]fabric.LID{}}
	for e := range int32(g.NumEnds) {
		n := 1
		if p.Ends.LMC[e] <= 7 {
			n = 1 << p.Ends.LMC[e]
		}
		for k := range n {
			l := int(p.Ends.Base[e]) + k
			if p.Ends.Base[e] == 0 || l > 0xBFFF {
				break
			}
			d.lids[e] = append(d.lids[e], fabric.LID(l))
			if _, taken := d.owner[fabric.LID(l)]; !taken {
				d.owner[fabric.LID(l)] = e
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		row := make([]int, g.NumSwitches)
		for i := range row {
			row[i] = -1
		}
		row[s] = 0
		for h, more := 0, true; more; h++ {
			more = false
			for c := range g.NumChannels {
				u, v := g.From[c], g.To[c]
				if row[u] == h && row[v] < 0 && (h == 0 || !g.Drained[u]) {
					row[v], more = h+1, true
				}
			}
		}
		d.dist = append(d.dist, row)
	}
	return d
}

// offsets lists the LIDs of a target that a source uses.
func (d *dumb) uses(src, dst int32) []fabric.LID {
	c := d.p.Choice
	switch n := len(d.lids[dst]); {
	case c.By == route.AnyLID || n == 0:
		return d.lids[dst]
	case c.By == route.BaseLID:
		return d.lids[dst][:1]
	case c.By == route.HashedLID:
		i := (int(d.p.Ends.Base[src]) >> d.p.Ends.LMC[src]) % n
		return d.lids[dst][i : i+1]
	}
	any, set := false, map[fabric.LID]bool{}
	for i := c.Start[src]; i < c.Start[src+1]; i++ {
		if c.Target[i] == dst {
			any = true
			if int(c.Offset[i]) < len(d.lids[dst]) {
				set[d.lids[dst][c.Offset[i]]] = true
			}
		}
	}
	if !any && len(d.lids[dst]) > 0 {
		set[d.lids[dst][0]] = true
	}
	var list []fabric.LID
	for l := range set {
		list = append(list, l)
	}
	return list
}

func (d *dumb) may(src, dst int32, lid fabric.LID) bool {
	return slices.Contains(d.uses(src, dst), lid)
}

func (d *dumb) known() bool { return d.p.SL != nil && d.p.SL2VL != nil }

func (d *dumb) sl(src int32, lid fabric.LID) (uint8, bool) {
	if !d.known() {
		return 0, true
	}
	m := d.p.SL
	if int(lid) >= len(m.Dst) || m.Dst[lid] < 0 || int(m.Dst[lid]) >= m.NumDst || m.Src[src] < 0 || int(m.Src[src]) >= m.NumSrc {
		return 0, false
	}
	return m.At(src, lid), true
}

// sls are the SLs of packets of one kind of traffic from a source to a LID.
func (d *dumb) sls(src int32, lid fabric.LID, traffic int) map[uint8]bool {
	set := map[uint8]bool{}
	dst := d.owner[lid]
	add := func(from int32, to fabric.LID) {
		if sl, ok := d.sl(from, to); ok {
			set[sl] = true
			for _, level := range d.p.Levels {
				if d.known() {
					set[level.SL[sl]] = true
				}
			}
		}
	}
	requests := d.uses(dst, src)
	if traffic == anyDLID {
		requests = d.lids[src]
	}
	if traffic == anyDLID || d.may(src, dst, lid) {
		add(src, lid)
		if d.p.Service.ReplySameSL {
			for _, l := range requests {
				add(dst, l)
			}
		}
	}
	if traffic == hostOnly && (int(src) >= d.g.NumHosts || int(dst) >= d.g.NumHosts) {
		return nil
	}
	if traffic == noRecord {
		if !d.known() {
			set[0] = true
		} else {
			set[d.p.Service.Default] = true
		}
	}
	return set
}

// step tells where an entry leads: a switch, or how the way ends.
func (d *dumb) step(s int32, lid fabric.LID) (c, next int32) {
	p := d.p.Tables.Port(s, lid)
	dst := d.owner[lid]
	switch {
	case p == 255:
		return -1, noEntry
	case d.g.SwitchFDBCap[s] > 0 && int32(lid) >= d.g.SwitchFDBCap[s]:
		return -1, beyondTable
	case p == 0:
		if d.g.PortZero(s) == dst {
			return -1, delivered
		}
		return -1, wrongEnd
	}
	c, h := d.g.At(s, p)
	switch {
	case c >= 0:
		return c, d.g.To[c]
	case h == dst:
		return -1, delivered
	case h >= 0:
		return -1, wrongEnd
	}
	return -1, deadPort
}

// tableWalk follows the tables from a switch.
func (d *dumb) tableWalk(s int32, lid fabric.LID) (end int32, path []int32) {
	for range d.g.NumSwitches + 1 {
		c, next := d.step(s, lid)
		if c < 0 {
			return next, path
		}
		path = append(path, c)
		s = next
	}
	return inLoop, path
}

func (d *dumb) vl(s int32, in, out, sl uint8) uint8 {
	if !d.known() {
		return 0
	}
	return d.p.SL2VL.Table(d.g, s, in, out)[sl]
}

type portVL struct {
	s   int32
	p   uint8
	out bool // sent by the switch, not by the host
	vl  uint8
}

// packet follows one packet with its lanes; it reports the dependencies it makes,
// the VLs it uses, whether it was discarded, the last channel before its host, and
// the switches whose tables send it on from one channel to another.
func (d *dumb) packet(src int32, lid fabric.LID, sl uint8) (deps []dumbDep, used []portVL, discarded bool, last int32, passed []int32) {
	g := d.g
	s, in := g.EndSwitch[src], g.EndPort[src]
	last = -1
	if int(src) < g.NumHosts && d.known() {
		vl := d.p.SL2VL.HostTable(src)[sl]
		used = append(used, portVL{s, in, false, vl})
		if vl == 15 {
			return deps, used, true, -1, passed
		}
	}
	var before *dumbNode
	for range 3*g.NumSwitches + 2 {
		c, next := d.step(s, lid)
		if c < 0 {
			if next == delivered && int(d.owner[lid]) < g.NumHosts {
				out := g.EndPort[d.owner[lid]]
				vl := d.vl(s, in, out, sl)
				used = append(used, portVL{s, out, true, vl})
				if before != nil {
					last = before.c
				}
				return deps, used, vl == 15, last, passed
			}
			return deps, used, false, -1, passed
		}
		if before != nil {
			passed = append(passed, s)
		}
		vl := d.vl(s, in, g.FromPort[c], sl)
		used = append(used, portVL{s, g.FromPort[c], true, vl})
		if vl == 15 {
			return deps, used, true, -1, passed
		}
		if before != nil {
			deps = append(deps, dumbDep{*before, dumbNode{c, vl}})
		}
		before = &dumbNode{c, vl}
		s, in = next, g.ToPort[c]
	}
	return deps, used, false, -1, passed
}

func (d *dumb) judge() (*dumbReport, [4]map[dumbDep]bool) {
	g := d.g
	r := &dumbReport{Faults: map[Kind][2]int64{}}
	kinds := map[int32]Kind{noEntry: NoEntry, deadPort: DeadPort, wrongEnd: WrongEnd, beyondTable: BeyondTable, inLoop: Loop}
	fault := func(k Kind, count, pairs int64) {
		f := r.Faults[k]
		r.Faults[k] = [2]int64{f[0] + count, f[1] + pairs}
	}
	var deps [4]map[dumbDep]bool
	for i := range deps {
		deps[i] = map[dumbDep]bool{}
	}
	used, transit := map[portVL]bool{}, map[[2]int32]bool{}
	lastHops := map[[2]int32]bool{}
	reach := map[[2]int32]bool{}
	stale := int64(0)
	for lid, dst := range d.owner {
		t := g.EndSwitch[dst]
		rings := map[string]bool{}
		for s := range int32(g.NumSwitches) {
			if c, end := d.step(s, lid); c < 0 && end != delivered && !(end == noEntry && d.dist[t][s] < 0) {
				fault(kinds[end], 1, 0)
			}
			if end, path := d.tableWalk(s, lid); end == inLoop {
				rings[ringOf(path)] = true
			}
		}
		r.Loops += int64(len(rings))
		if len(rings) > 0 {
			fault(Loop, int64(len(rings)), 0)
		}
		for src := range int32(g.NumEnds) {
			if src == dst || len(d.lids[src]) == 0 {
				continue
			}
			end, _ := d.tableWalk(g.EndSwitch[src], lid)
			if d.may(src, dst, lid) {
				r.Pairs++
				switch {
				case end == delivered:
					reach[[2]int32{src, dst}] = true
				case d.dist[t][g.EndSwitch[src]] < 0:
					r.Disconnected++
				default:
					r.Unreachable++
					fault(kinds[end], 0, 1)
				}
			}
			lost := false
			for traffic := range numTraffics {
				for sl := range d.sls(src, lid, traffic) {
					made, vls, gone, last, passed := d.packet(src, lid, sl)
					for _, dep := range made {
						deps[traffic][dep] = true
					}
					if traffic != assigned {
						continue
					}
					lost = lost || gone
					for _, u := range vls {
						used[u] = true
					}
					for _, s := range passed {
						if g.Drained[s] {
							transit[[2]int32{s, int32(lid)}] = true
						}
					}
					if last >= 0 {
						lastHops[[2]int32{last, dst}] = true
					}
				}
			}
			if lost && end == delivered {
				r.Discarded++
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		for lid := 0; lid <= int(d.p.Tables.Top()); lid++ {
			if _, ok := d.owner[fabric.LID(lid)]; !ok && d.p.Tables.Port(s, fabric.LID(lid)) != 255 {
				stale++
			}
		}
	}
	fault(StaleEntry, stale, 0)
	for a := range int32(g.NumEnds) {
		for b := range int32(g.NumEnds) {
			usable := func(from, to int32) bool {
				for _, l := range d.uses(from, to) {
					if d.owner[l] == to {
						return true
					}
				}
				return false
			}
			if a == b || len(d.lids[a]) == 0 || len(d.lids[b]) == 0 || reach[[2]int32{b, a}] || !usable(b, a) {
				continue
			}
			if reach[[2]int32{a, b}] {
				r.OneWay++
			}
		}
	}
	fault(OneWayPair, r.OneWay, 0)
	fault(DrainedUsed, int64(len(transit)), 0)
	r.Deliveries = int64(len(lastHops))
	d.lanes(r, used, fault)
	if f := r.Faults[DiscardVL]; f[0] > 0 {
		r.Faults[DiscardVL] = [2]int64{f[0], r.Discarded}
	}
	for i := range deps {
		r.Edges[i] = len(deps[i])
		r.CycleLen[i] = dumbCycle(deps[i])
		r.Free[i] = Yes
		if r.CycleLen[i] > 0 {
			r.Free[i] = No
			if !d.known() {
				r.Free[i] = Unknown
			}
		}
	}
	for k, f := range r.Faults {
		if f == [2]int64{} {
			delete(r.Faults, k)
		}
	}
	return r, deps
}
