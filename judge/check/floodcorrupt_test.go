package check_test

import (
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/route"
)

// sample is a Plan with trees, and groups cut from them. Corruptions change it.
type sample struct {
	g      *fabric.Graph
	p      *route.Plan
	groups []route.Group
	trees  []route.GroupTree
	rng    *rand.Rand
}

// clone copies all that corruptions change.
func (x *sample) clone(rng *rand.Rand) *sample {
	g, p := *x.g, *x.p
	g.PortVLs, g.Drained, g.SwitchFDBCap = slices.Clone(g.PortVLs), slices.Clone(g.Drained), slices.Clone(g.SwitchFDBCap)
	p.Tables = p.Tables.Clone()
	sl := *p.SL
	sl.Cells, sl.Src, sl.Dst = slices.Clone(sl.Cells), slices.Clone(sl.Src), slices.Clone(sl.Dst)
	p.Ends = route.Ends{Base: slices.Clone(p.Ends.Base), LMC: slices.Clone(p.Ends.LMC)}
	m := route.SL2VL{Pool: slices.Clone(p.SL2VL.Pool), Host: slices.Clone(p.SL2VL.Host), Switch: slices.Clone(p.SL2VL.Switch)}
	for s := range m.Switch {
		m.Switch[s].Index = slices.Clone(m.Switch[s].Index)
	}
	a := route.VLArbitration{Pool: slices.Clone(p.Arbitration.Pool), Host: slices.Clone(p.Arbitration.Host), Switch: slices.Clone(p.Arbitration.Switch)}
	q := *p.Ports
	q.Pool, q.Host, q.Switch = slices.Clone(q.Pool), slices.Clone(q.Host), slices.Clone(q.Switch)
	pool := route.Multicast{SL: p.Multicast.SL, Trees: slices.Clone(p.Multicast.Trees)}
	for i := range pool.Trees {
		pool.Trees[i].Up = slices.Clone(pool.Trees[i].Up)
	}
	p.SL, p.SL2VL, p.Arbitration, p.Ports, p.Multicast = &sl, &m, &a, &q, &pool
	return &sample{g: &g, p: &p, groups: x.groups, trees: x.trees, rng: rng}
}

func (x *sample) pick(n int) int { return x.rng.IntN(n) }

func (x *sample) someSwitch() int32 { return int32(x.pick(x.g.NumSwitches)) }

func (x *sample) someLID() fabric.LID {
	e := x.pick(x.g.NumEnds)
	return min(x.p.Ends.Base[e]+fabric.LID(x.pick(1<<x.p.Ends.LMC[e])), x.p.Tables.Top())
}

// somePort returns a port of a switch with a cable, and its place by switch and port.
func (x *sample) somePort() (s int32, p uint8, slot int32) {
	for {
		s = x.someSwitch()
		p = uint8(1 + x.pick(int(x.g.SwitchPorts[s])))
		if slot = x.g.PortStart[s] + int32(p); x.g.Attached[slot] != fabric.Nothing {
			return s, p, slot
		}
	}
}

// someVL returns a VL: one of few more often, and VL 15.
func (x *sample) someVL() uint8 {
	if x.pick(3) > 0 {
		return uint8(x.pick(4))
	}
	return uint8(x.pick(16))
}

// someTable returns the place of a lane table that has another VL for the SL of the trees, or for
// some other SL.
func (x *sample) someTable(like uint16) uint16 {
	t := x.p.SL2VL.Pool[like]
	sl := x.p.Multicast.SL
	if x.pick(4) == 0 {
		sl = uint8(x.pick(route.NumSLs))
	}
	t[sl] = x.someVL()
	return x.p.SL2VL.Intern(t)
}

// spread writes the lane tables of a switch by output port, or by input and output port.
func (x *sample) spread(s int32, by route.SL2VLBy) []uint16 {
	at, ports := &x.p.SL2VL.Switch[s], uint8(x.g.SwitchPorts[s])
	if at.By >= by {
		return at.Index
	}
	var index []uint16
	for in := range ports + 1 {
		for out := range ports + 1 {
			index = append(index, x.p.SL2VL.Index(x.g, s, in, out))
		}
		if by == route.ByOut {
			break
		}
	}
	*at = route.SwitchSL2VL{By: by, Index: index}
	return index
}

// someTurns returns the place of an arbitration table like another, changed.
func (x *sample) someTurns(like uint16) uint16 {
	t := x.p.Arbitration.Pool[like]
	t.High, t.Low = slices.Clone(t.High), slices.Clone(t.Low)
	switch x.pick(6) {
	case 0: // no turn for a VL
		vl := x.someVL()
		t.Low = slices.DeleteFunc(t.Low, func(e route.ArbEntry) bool { return e.VL == vl })
	case 1: // a turn without weight
		if len(t.Low) > 0 {
			t.Low[x.pick(len(t.Low))].Weight = 0
		}
	case 2: // one VL before all others
		t.High, t.Limit = append(t.High, route.ArbEntry{VL: x.someVL() % route.DropVL, Weight: uint8(x.pick(2))}), 255
	case 3: // a limit
		t.Limit = []uint8{0, 1, 254, 255}[x.pick(4)]
	case 4: // all of high priority
		t.High, t.Low, t.Limit = t.Low, t.High, 255
	case 5: // the trees before all others
		vl := x.p.SL2VL.Pool[0][x.p.Multicast.SL] % route.DropVL
		t.High, t.Limit = []route.ArbEntry{{VL: vl, Weight: 1}}, 255
	}
	x.p.Arbitration.Pool = append(x.p.Arbitration.Pool, t)
	return uint16(len(x.p.Arbitration.Pool) - 1)
}

// someTree returns a tree of a pool, if there is one.
func (x *sample) someTree() *route.SpanningTree {
	trees := x.p.Multicast.Trees
	return &trees[x.pick(len(trees))]
}

// otherTree draws a spanning tree from some root, over cables in any order.
func (x *sample) otherTree() route.SpanningTree {
	g := x.g
	t := route.SpanningTree{Root: x.someSwitch(), Up: slices.Repeat([]int32{route.Outside}, g.NumSwitches)}
	t.Up[t.Root] = fabric.Nothing
	for list := []int32{t.Root}; len(list) > 0; {
		i := x.pick(len(list))
		s := list[i]
		list = slices.Delete(list, i, i+1)
		out := slices.Clone(g.OutOf(s))
		x.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		for _, c := range out {
			if v := g.To[c]; t.Up[v] == route.Outside {
				t.Up[v] = c ^ 1
				list = append(list, v)
			}
		}
	}
	return t
}

// corruptions are the kinds of changes, most of them faults. Some change nothing that matters.
var corruptions = []struct {
	name string
	do   func(x *sample)
}{
	{"lane table of all who share it", func(x *sample) {
		t := &x.p.SL2VL.Pool[x.pick(len(x.p.SL2VL.Pool))]
		t[x.pick(route.NumSLs)] = x.someVL()
	}},
	{"lane table of a host", func(x *sample) {
		h := x.pick(x.g.NumHosts)
		x.p.SL2VL.Host[h] = x.someTable(x.p.SL2VL.Host[h])
	}},
	{"lane table of a switch", func(x *sample) {
		index := x.p.SL2VL.Switch[x.someSwitch()].Index
		i := x.pick(len(index))
		index[i] = x.someTable(index[i])
	}},
	{"lane table of an output", func(x *sample) {
		s, p, _ := x.somePort()
		index := x.spread(s, route.ByOut)
		for i := int(p); i < len(index); i += int(x.g.SwitchPorts[s]) + 1 {
			index[i] = x.someTable(index[i])
		}
	}},
	{"lane table of a turn", func(x *sample) {
		s, p, _ := x.somePort()
		index := x.spread(s, route.ByInOut)
		ports := int(x.g.SwitchPorts[s]) + 1
		i := x.pick(ports)*ports + int(p)
		index[i] = x.someTable(index[i])
	}},
	{"turns of all who share them", func(x *sample) {
		a := x.p.Arbitration
		i := x.pick(len(a.Pool))
		a.Pool[i] = a.Pool[x.someTurns(uint16(i))]
	}},
	{"turns of a host", func(x *sample) {
		h := x.pick(x.g.NumHosts)
		x.p.Arbitration.Host[h] = x.someTurns(x.p.Arbitration.Host[h])
	}},
	{"turns of a switch port", func(x *sample) {
		_, _, slot := x.somePort()
		x.p.Arbitration.Switch[slot] = x.someTurns(x.p.Arbitration.Switch[slot])
	}},
	{"operational VLs of all ports of a kind", func(x *sample) {
		x.p.Ports.Pool[x.pick(len(x.p.Ports.Pool))].VLs = uint8(x.pick(5))
	}},
	{"operational VLs of a host", func(x *sample) { x.p.Ports.Host[x.pick(x.g.NumHosts)] = x.fewVLs() }},
	{"operational VLs of a switch port", func(x *sample) {
		_, _, slot := x.somePort()
		x.p.Ports.Switch[slot] = x.fewVLs()
	}},
	{"VLs of a link", func(x *sample) {
		s, p, slot := x.somePort()
		x.g.PortVLs[slot] = uint8(1 + x.pick(4))
		if c, _ := x.g.At(s, p); c >= 0 {
			x.g.PortVLs[x.g.PortStart[x.g.To[c]]+int32(x.g.ToPort[c])] = x.g.PortVLs[slot]
		}
	}},
	{"SL of the trees", func(x *sample) { x.p.Multicast.SL = uint8(x.pick(route.NumSLs)) }},
	{"parent of a switch", func(x *sample) {
		s := x.someSwitch()
		if out := x.g.OutOf(s); len(out) > 0 {
			x.someTree().Up[s] = out[x.pick(len(out))]
		}
	}},
	{"switch outside a tree", func(x *sample) { x.someTree().Up[x.someSwitch()] = route.Outside }},
	{"switch without a parent", func(x *sample) { x.someTree().Up[x.someSwitch()] = fabric.Nothing }},
	{"another root", func(x *sample) { x.someTree().Root = x.someSwitch() }},
	{"another tree", func(x *sample) { *x.someTree() = x.otherTree() }},
	{"one more tree", func(x *sample) { x.p.Multicast.Trees = append(x.p.Multicast.Trees, x.otherTree()) }},
	{"drained switch", func(x *sample) { x.g.Drained[x.someSwitch()] = true }},
	{"table entry", func(x *sample) {
		s := x.someSwitch()
		x.p.Tables.Set(s, x.someLID(), uint8(x.pick(int(x.g.SwitchPorts[s])+2)))
	}},
	{"detour", func(x *sample) { // of packets to a LID, by a neighbour
		s := x.someSwitch()
		if out := x.g.OutOf(s); len(out) > 0 {
			x.p.Tables.Set(s, x.someLID(), x.g.FromPort[out[x.pick(len(out))]])
		}
	}},
	{"size of a table", func(x *sample) { x.g.SwitchFDBCap[x.someSwitch()] = int32(1 + x.pick(int(x.p.Ends.Top()))) }},
	{"SL of a path", func(x *sample) {
		x.p.SL.Set(int32(x.pick(x.p.SL.NumSrc)), int32(x.pick(x.p.SL.NumDst)), uint8(x.pick(4)))
	}},
	{"SL of the trees for a path", func(x *sample) {
		x.p.SL.Set(int32(x.pick(x.p.SL.NumSrc)), int32(x.pick(x.p.SL.NumDst)), x.p.Multicast.SL)
	}},
	{"replies on the SL of requests", func(x *sample) { x.p.Service.ReplySameSL = !x.p.Service.ReplySameSL }},
	{"a level of service", func(x *sample) {
		var l route.Level
		for sl := range l.SL {
			l.SL[sl] = uint8(x.pick(route.NumSLs))
		}
		x.p.Levels = []route.Level{l}
	}},
	{"LID of an end port", func(x *sample) {
		e := x.pick(x.g.NumEnds)
		x.p.Ends.Base[e] = []fabric.LID{0, x.p.Ends.Base[x.pick(x.g.NumEnds)], x.p.Ends.Base[e] + 1, 0xBFFF, 0xC000}[x.pick(5)]
	}},
	{"LIDs of two end ports", func(x *sample) {
		b, i, k := x.p.Ends.Base, x.pick(x.g.NumEnds), x.pick(x.g.NumEnds)
		b[i], b[k] = b[k], b[i]
	}},
	{"LMC of an end port", func(x *sample) { x.p.Ends.LMC[x.pick(x.g.NumEnds)] = uint8(x.pick(3)) }},
	{"class of a source", func(x *sample) { x.p.SL.Src[x.pick(x.g.NumEnds)] = int32(x.pick(x.p.SL.NumSrc+2) - 1) }},
	{"class of a LID", func(x *sample) { x.p.SL.Dst[x.pick(len(x.p.SL.Dst))] = int32(x.pick(x.p.SL.NumDst+2) - 1) }},
	{"base LIDs alone", func(x *sample) { x.p.Choice = route.Choice{By: route.BaseLID} }},
	{"LIDs by hash", func(x *sample) { x.p.Choice = route.Choice{By: route.HashedLID} }},
	{"lanes of all switches", func(x *sample) { // one for all, or two at random
		for s := range x.p.SL2VL.Switch {
			index := x.p.SL2VL.Switch[s].Index
			for i := range index {
				index[i] = uint16(x.pick(min(2, len(x.p.SL2VL.Pool))))
			}
		}
	}},
	{"unknown turns", func(x *sample) { x.p.Arbitration = nil }},
	{"unknown ports", func(x *sample) { x.p.Ports = nil }},
}

// fewVLs returns the place of port parameters with some operational VLs.
func (x *sample) fewVLs() uint16 {
	x.p.Ports.Pool = append(x.p.Ports.Pool, route.PortParams{VLs: uint8(1 + x.pick(4))})
	return uint16(len(x.p.Ports.Pool) - 1)
}

// ofGroups are the kinds of changes of a group's tree or members.
var ofGroups = []struct {
	name string
	do   func(x *sample, g *route.Group, t *route.GroupTree)
}{
	{"port", func(x *sample, _ *route.Group, t *route.GroupTree) {
		if i := x.pick(len(t.Switches) + 1); i < len(t.Switches) {
			p := x.pick(int(x.g.SwitchPorts[t.Switches[i]]) + 1)
			t.Ports[i][p/64] ^= 1 << (p % 64)
		}
	}},
	{"port beyond the switch", func(x *sample, _ *route.Group, t *route.GroupTree) {
		if len(t.Ports) > 0 {
			t.Ports[x.pick(len(t.Ports))].Add(uint8(100 + x.pick(156)))
		}
	}},
	{"cable", func(x *sample, _ *route.Group, t *route.GroupTree) { // both ends
		c := int32(x.pick(max(1, x.g.NumChannels)))
		for i, s := range t.Switches {
			for _, d := range []int32{c, c ^ 1} {
				if x.g.NumChannels > 0 && x.g.From[d] == s {
					t.Ports[i][x.g.FromPort[d]/64] ^= 1 << (x.g.FromPort[d] % 64)
				}
			}
		}
	}},
	{"receiver", func(x *sample, g *route.Group, _ *route.GroupTree) {
		g.Receivers = append(g.Receivers, int32(x.pick(x.g.NumEnds)))
		if x.pick(4) > 0 {
			slices.Sort(g.Receivers)
		}
	}},
	{"sender", func(x *sample, g *route.Group, _ *route.GroupTree) {
		g.Senders = append(g.Senders, int32(x.pick(x.g.NumEnds)))
		slices.Sort(g.Senders)
	}},
	{"member that left", func(x *sample, g *route.Group, _ *route.GroupTree) {
		if n := len(g.Receivers); n > 0 {
			i := x.pick(n)
			g.Receivers = slices.Delete(g.Receivers, i, i+1)
		}
	}},
	{"member that is no end port", func(x *sample, g *route.Group, _ *route.GroupTree) {
		g.Senders = append(g.Senders, int32(x.g.NumEnds+x.pick(9)))
	}},
	{"other tree", func(x *sample, _ *route.Group, t *route.GroupTree) { t.Tree = x.pick(len(x.p.Multicast.Trees)+2) - 1 }},
	{"switch less", func(x *sample, _ *route.Group, t *route.GroupTree) {
		if n := len(t.Switches); n > 0 {
			i := x.pick(n)
			t.Switches, t.Ports = slices.Delete(t.Switches, i, i+1), slices.Delete(t.Ports, i, i+1)
		}
	}},
	{"switch more", func(x *sample, _ *route.Group, t *route.GroupTree) {
		s := x.someSwitch()
		if i, is := slices.BinarySearch(t.Switches, s); !is {
			t.Switches, t.Ports = slices.Insert(t.Switches, i, s), slices.Insert(t.Ports, i, route.PortSet{})
		}
	}},
	{"switch outside the tree", func(x *sample, g *route.Group, t *route.GroupTree) { // of the only one with members
		s := x.someSwitch()
		*g = route.Group{MLID: g.MLID}
		*t = route.GroupTree{Tree: x.pick(len(x.p.Multicast.Trees)), Switches: []int32{s}, Ports: make([]route.PortSet, 1)}
		for _, h := range x.g.AttachedTo(s) {
			g.Receivers = append(g.Receivers, h)
			t.Ports[0].Add(x.g.EndPort[h])
		}
		x.p.Multicast.Trees[t.Tree].Up[s] = route.Outside
	}},
	{"MLID of another group", func(x *sample, g *route.Group, _ *route.GroupTree) { g.MLID = x.groups[x.pick(len(x.groups))].MLID }},
}

// ownGroups copies the groups before the first is changed.
func (x *sample) ownGroups() {
	x.groups, x.trees = slices.Clone(x.groups), slices.Clone(x.trees)
	for i := range x.groups {
		g, t := &x.groups[i], &x.trees[i]
		g.Receivers, g.Senders = slices.Clone(g.Receivers), slices.Clone(g.Senders)
		t.Switches, t.Ports = slices.Clone(t.Switches), slices.Clone(t.Ports)
	}
}
