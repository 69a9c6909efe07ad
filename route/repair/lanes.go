package repair

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// lanes gives the VLs of packets. VLs in use have an index from 0. (channel, VL) pairs are the
// channels of layers. If packets keep their VL on the whole path, there is a layer for each VL with
// the channels of g itself. Otherwise there is one layer, whose Graph has each link once for every
// VL.
type lanes struct {
	g     *fabric.Graph
	layer *fabric.Graph // the Graph of each layer's channels
	n     int           // VLs in use between switches
	plan  *route.Plan   // new: its SL, SL2VL and LIDs are set
	owner []int32       // by LID: its end port
	stay  bool          // packets keep their VL on the whole path

	// With several lanes only.
	sls     []uint8             // in use
	index   [route.NumSLs]uint8 // by VL: its index, or noLane
	byInput bool                // some switch chooses VLs by input port too
	staysOn [route.NumSLs]uint8 // by SL, with stay: the index of its VL
	sources [][]int32           // by switch: source classes of its end ports
	targets [][]int32           // by switch: destination classes of their LIDs
}

// noLane is the index of a VL that discards, or that no channel uses.
const noLane = 255

// newLanes reads the lanes of a Plan whose SL and SL2VL fit g.
func newLanes(g *fabric.Graph, plan *route.Plan, owner []int32) *lanes {
	l := &lanes{g: g, layer: g, n: 1, stay: true, plan: plan, owner: owner}
	if plan.SL == nil || plan.SL2VL == nil {
		return l
	}
	used, tables := plan.SL.InUse(), plan.SL2VL.BetweenSwitches(g)
	vls := plan.SL2VL.VLs(tables, used)
	l.byInput = slices.ContainsFunc(plan.SL2VL.Switch, func(s route.SwitchSL2VL) bool { return s.By == route.ByInOut })
	l.n = max(1, bits.OnesCount16(vls))
	if l.n == 1 {
		return l
	}
	for vl := range l.index {
		if l.index[vl] = noLane; vls>>vl&1 == 1 {
			l.index[vl] = uint8(bits.OnesCount16(vls & (1<<vl - 1)))
		}
	}
	for sl := range uint8(route.NumSLs) {
		if used>>sl&1 == 1 {
			l.sls = append(l.sls, sl)
		}
	}
	if l.stay = l.readStay(tables); !l.stay {
		l.layer = widen(g, l.n)
	}
	l.readClasses()
	return l
}

// readStay reports whether each SL has the same VL in all of some SL2VL tables, given by number in
// the pool, and stores that VL.
func (l *lanes) readStay(tables []uint16) bool {
	pool := l.plan.SL2VL.Pool
	for _, sl := range l.sls {
		l.staysOn[sl] = l.index[pool[tables[0]][sl]]
		for _, i := range tables {
			if l.index[pool[i][sl]] != l.staysOn[sl] {
				return false
			}
		}
	}
	return true
}

// vlsOn returns the VLs, as a set by index, of packets on some SLs that keep their VL.
func (l *lanes) vlsOn(sls uint16) (vls uint16) {
	for ; sls != 0; sls &= sls - 1 {
		if vl := l.staysOn[bits.TrailingZeros16(sls)]; vl != noLane {
			vls |= 1 << vl
		}
	}
	return vls
}

// widen makes the Graph with each link n times.
func widen(g *fabric.Graph, n int) *fabric.Graph {
	w := &fabric.Graph{NumSwitches: g.NumSwitches, NumChannels: g.NumChannels * n, OutStart: make([]int32, 1, g.NumSwitches+1)}
	w.From, w.To = make([]int32, w.NumChannels), make([]int32, w.NumChannels)
	for c := range int32(g.NumChannels) {
		for v := range int32(n) {
			w.From[wideChannel(c, v, n)], w.To[wideChannel(c, v, n)] = g.From[c], g.To[c]
		}
	}
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			for v := range int32(n) {
				w.Out = append(w.Out, wideChannel(c, v, n))
			}
		}
		w.OutStart = append(w.OutStart, int32(len(w.Out)))
	}
	return w
}

// wideChannel returns the channel of the wide Graph for a channel and the index of a VL. A channel
// and its reverse stay adjacent.
func wideChannel(c, vl int32, n int) int32 { return c>>1*int32(2*n) + 2*vl + c&1 }

// indexOf returns the index of a VL; noLane if no path uses it between switches.
func (l *lanes) indexOf(vl uint8) uint8 {
	switch p := l.plan; {
	case l.n > 1:
		return l.index[vl]
	case p.SL == nil || p.SL2VL == nil || p.SL2VL.VLs(p.SL2VL.BetweenSwitches(l.g), p.SL.InUse())>>vl&1 == 1:
		return 0
	}
	return noLane
}

// pair numbers a channel with the index of a VL, layer after layer.
func (l *lanes) pair(c, vl int32) int32 {
	if l.stay {
		return vl*int32(l.g.NumChannels) + c
	}
	return wideChannel(c, vl, l.n)
}

// channelOf returns the channel and the index of the VL of a pair.
func (l *lanes) channelOf(pair int32) (c int32, vl uint8) {
	if l.stay {
		layer, c := l.layerOf(pair)
		return c, uint8(layer)
	}
	n := int32(l.n)
	return pair/(2*n)*2 + pair&1, uint8(pair % (2 * n) / 2)
}

// layers returns the number of layers.
func (l *lanes) layers() int {
	if l.stay {
		return l.n
	}
	return 1
}

// layerOf returns the layer of a pair, and its channel there.
func (l *lanes) layerOf(pair int32) (layer, c int32) {
	if pair < int32(l.layer.NumChannels) {
		return 0, pair
	}
	return pair / int32(l.layer.NumChannels), pair % int32(l.layer.NumChannels)
}

// slsOn returns the SLs in use, as a set, that have a VL, by index, on a channel, if input ports do
// not matter. With one lane it returns all SLs.
func (l *lanes) slsOn(c int32, vl uint8) (sls uint16) {
	if l.n == 1 {
		return 1<<route.NumSLs - 1
	}
	for _, sl := range l.sls {
		if l.vl(l.g.From[c], 0, l.g.FromPort[c], sl) == vl {
			sls |= 1 << sl
		}
	}
	return sls
}

// readClasses lists the classes of the end ports of each switch.
func (l *lanes) readClasses() {
	l.sources, l.targets = make([][]int32, l.g.NumSwitches), make([][]int32, l.g.NumSwitches)
	add := func(list *[]int32, class int32) {
		if class >= 0 && !slices.Contains(*list, class) {
			*list = append(*list, class)
		}
	}
	for end, s := range l.g.EndSwitch {
		add(&l.sources[s], l.plan.SL.Src[end])
		for k := range l.plan.Ends.Count(int32(end)) {
			add(&l.targets[s], l.plan.SL.Dst[int(l.plan.Ends.Base[end])+k])
		}
	}
}

// slsTo returns the set of SLs of the end ports of a switch to a LID: of requests, and of replies
// if they keep the SL of the request.
func (l *lanes) slsTo(s int32, lid int) (sls uint16) {
	m := l.plan.SL
	for _, class := range l.sources[s] {
		sls |= 1 << m.ByClass(class, m.Dst[lid])
	}
	if l.plan.Service.ReplySameSL {
		for _, class := range l.targets[s] {
			sls |= 1 << m.ByClass(m.Src[l.owner[lid]], class)
		}
	}
	return sls
}

// vl returns the index of the VL of packets with an SL through a switch.
func (l *lanes) vl(s int32, in, out, sl uint8) uint8 {
	return l.index[l.plan.SL2VL.Table(l.g, s, in, out)[sl]]
}

// firstVLs returns the VLs, as a set by index, of packets with an SL from a switch's own end ports
// on the first channel.
func (l *lanes) firstVLs(c int32, sl uint8) (vls uint16) {
	s, out := l.g.From[c], l.g.FromPort[c]
	add := func(in uint8) {
		if vl := l.vl(s, in, out, sl); vl != noLane {
			vls |= 1 << vl
		}
	}
	add(0)
	if l.byInput {
		for _, h := range l.g.AttachedTo(s) {
			add(l.g.EndPort[h])
		}
	}
	return vls
}

// path appends the dependencies of packets on an SL from their first channel to the target. next
// returns the output channel at each later switch, -1 for none.
func (l *lanes) path(list []cdg.Edge, c int32, sl uint8, target int32, next func(s int32) int32) []cdg.Edge {
	g := l.g
	if l.stay {
		return l.pathOn(list, c, l.staysOn[sl], target, next)
	}
	for vls := l.firstVLs(c, sl); g.To[c] != target && vls != 0; {
		e := next(g.To[c])
		if e < 0 {
			return list
		}
		then := l.vl(g.To[c], g.ToPort[c], g.FromPort[e], sl)
		if then == noLane {
			return list
		}
		for ; vls != 0; vls &= vls - 1 {
			list = append(list, cdg.Edge{C: l.pair(c, int32(bits.TrailingZeros16(vls))), D: l.pair(e, int32(then))})
		}
		c, vls = e, 1<<then
	}
	return list
}

// pathOn is path for packets that keep their VL, by index.
func (l *lanes) pathOn(list []cdg.Edge, c int32, vl uint8, target int32, next func(s int32) int32) []cdg.Edge {
	for vl != noLane && l.g.To[c] != target {
		e := next(l.g.To[c])
		if e < 0 {
			break
		}
		list = append(list, cdg.Edge{C: l.pair(c, int32(vl)), D: l.pair(e, int32(vl))})
		c = e
	}
	return list
}
