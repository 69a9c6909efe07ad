package check

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// slVLs is a set of (SL, VL).
type slVLs [4]uint64

func (s *slVLs) add(sl, vl uint8) { s[sl>>2] |= 1 << (uint(sl&3)<<4 | uint(vl)) }

func (s *slVLs) has(sl, vl uint8) bool { return s[sl>>2]>>(uint(sl&3)<<4|uint(vl))&1 != 0 }

func (s *slVLs) each(do func(sl, vl uint8)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			b := bits.TrailingZeros64(word)
			do(uint8(i<<2|b>>4), uint8(b&15))
		}
	}
}

// edges are the dependencies inside one subnet: a bit for each (switch, input, output, VL in, VL
// out).
type edges struct {
	start []int64 // by switch
	vls   int64
	bits  []uint64
}

func newEdges(g *fabric.Graph, vls int) *edges {
	e := &edges{start: make([]int64, g.NumSwitches+1), vls: int64(vls)}
	for s := range g.NumSwitches {
		ports := int64(g.SwitchPorts[s] + 1)
		e.start[s+1] = e.start[s] + ports*ports*e.vls*e.vls
	}
	e.bits = make([]uint64, e.start[g.NumSwitches]/64+1)
	return e
}

func (e *edges) clone() *edges { return &edges{e.start, e.vls, slices.Clone(e.bits)} }

func (e *edges) add(g *fabric.Graph, s int32, in, out, vlIn, vlOut uint8) {
	at := e.start[s] + ((int64(in)*int64(g.SwitchPorts[s]+1)+int64(out))*e.vls+int64(vlIn))*e.vls + int64(vlOut)
	e.bits[at>>6] |= 1 << (at & 63)
}

// collector collects the dependencies of the packets in one subnet, LID by LID.
type collector struct {
	*judge
	subnet int32
	d      *localPlan
	edges  *edges
	out    []slVLs // by switch: SLs and VLs on which it sends to the LID
	far    []int32 // switches by falling distance
}

func (j *judge) newCollector(subnet int32) *collector {
	d := j.locals[subnet]
	return &collector{judge: j, subnet: subnet, d: d, out: make([]slVLs, d.g.NumSwitches)}
}

// lids calls do for each end port that packets go to.
func (w *collector) lids(do func(end int32)) {
	for end := range int32(w.d.g.NumEnds) {
		if w.d.p.Ends.Base[end] != 0 && (w.judged(w.subnet, end) || w.isRouter(w.subnet, end)) {
			do(end)
		}
	}
}

// walkOwn collects the dependencies of packets from the end ports of a subnet. All subnets of one
// local Plan share them.
func (j *judge) walkOwn(subnet int32) *edges {
	w := j.newCollector(subnet)
	w.edges, w.far = newEdges(w.d.g, j.vls), make([]int32, w.d.g.NumSwitches)
	w.lids(w.own)
	return w.edges
}

// walkUsage adds the dependencies of packets from routers to own, the dependencies of packets from
// end ports. The two may be collected separately, because the dependencies of all packets are a
// union over packets.
func (j *judge) walkUsage(subnet int32, own *edges) *edges {
	w := j.newCollector(subnet)
	w.edges = own.clone()
	for _, e := range j.usage[subnet].entries {
		for _, end := range e.ends {
			w.fromRouters(end, e.by)
		}
	}
	return w.edges
}

// own collects the dependencies of packets to the LID of an end port from all switches.
func (w *collector) own(end int32) {
	d := w.d
	lid := d.p.Ends.Base[end]
	hops := d.to(lid)
	n := w.sort(hops)
	clear(w.out)
	isRouter := w.isRouter(w.subnet, end)
	for _, s := range w.far[:n] {
		port := d.p.Tables.Port(s, lid)
		w.begin(s, port, lid)
		if hops[s] == 0 {
			continue
		}
		c, _ := d.g.At(s, port)
		t, in := d.g.To[c], d.g.ToPort[c]
		next := d.p.Tables.Port(t, lid)
		last := hops[t] == 0 && !isRouter
		w.out[s].each(func(sl, vl uint8) {
			out := d.vl(t, in, next, sl)
			if out == route.DropVL {
				return
			}
			w.out[t].add(sl, out)
			if !last {
				w.edges.add(d.g, t, in, next, vl, out)
			}
		})
	}
}

// fromRouters collects the dependencies of packets to the LID of an end port from the routers that
// send there.
func (w *collector) fromRouters(end int32, by []arrival) {
	d := w.d
	lid := d.p.Ends.Base[end]
	clear(w.out)
	hops, isRouter := d.to(lid), w.isRouter(w.subnet, end)
	for _, a := range by {
		from := w.n.Ports[w.n.Subnets[w.subnet].Ports[a.place]].End
		s := d.g.EndSwitch[from]
		if hops[s] == lost {
			continue
		}
		port, local := d.p.Tables.Port(s, lid), d.p.SL.At(from, lid)
		for set := a.layers; set != 0; set &= set - 1 {
			sl := w.onLayer(local, uint8(bits.TrailingZeros16(set)))
			in, out := d.p.SL2VL.HostTable(from)[sl], d.vl(s, d.g.EndPort[from], port, sl)
			if in == route.DropVL || out == route.DropVL {
				continue
			}
			if hops[s] > 0 || isRouter { // it waits on the link from the router, too
				w.edges.add(d.g, s, d.g.EndPort[from], port, in, out)
			}
			w.follow(s, lid, sl, out, isRouter)
		}
	}
}

// follow collects the dependencies along the path of packets that a switch sends to a LID on an SL
// and VL. It stops at a switch that has sent such packets before.
func (w *collector) follow(s int32, lid fabric.LID, sl, vl uint8, isRouter bool) {
	d := w.d
	for hops := d.to(lid); !w.out[s].has(sl, vl); {
		w.out[s].add(sl, vl)
		if hops[s] == 0 {
			return
		}
		c, _ := d.g.At(s, d.p.Tables.Port(s, lid))
		t, in := d.g.To[c], d.g.ToPort[c]
		next := d.p.Tables.Port(t, lid)
		out := d.vl(t, in, next, sl)
		if out == route.DropVL {
			return
		}
		if hops[t] > 0 || isRouter {
			w.edges.add(d.g, t, in, next, vl, out)
		}
		s, vl = t, out
	}
}

// sort fills far with the switches that reach a LID, in falling order of distance, and returns
// their number.
func (w *collector) sort(hops []int16) int {
	var count [1 << 13]int32
	most := int16(0)
	for _, h := range hops {
		if h != lost {
			count[h&(1<<13-1)]++
			most = max(most, h)
		}
	}
	at := int32(0)
	for h := most; h >= 0; h-- {
		count[h], at = at, at+count[h]
	}
	for s, h := range hops {
		if h != lost {
			w.far[count[h]] = int32(s)
			count[h]++
		}
	}
	return int(at)
}

// begin adds the packets from the end ports of a switch.
func (w *collector) begin(s int32, port uint8, lid fabric.LID) {
	d := w.d
	send := func(in, sl uint8) {
		if vl := d.vl(s, in, port, sl); vl != route.DropVL {
			w.out[s].add(sl, vl)
		}
	}
	if !w.senders[w.subnet][s] {
		return
	}
	if d.oneSL && !d.byIn {
		send(0, d.p.SL.ByClass(0, 0))
		return
	}
	for _, e := range d.g.SwitchEnds[d.g.EndsStart[s]:d.g.EndsStart[s+1]] {
		if d.p.Ends.Base[e] != 0 && w.judged(w.subnet, e) {
			send(d.g.EndPort[e], d.p.SL.At(e, lid))
		}
	}
}
