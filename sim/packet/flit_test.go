package packet_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/packet"
)

// flits is an independent simulator, slow and plain: time advances in cycles, and in each a link
// carries at most one flit of 64 bytes. All links have one rate. Credits return flit by flit. It
// shares no code with the package.
type flits struct {
	g             *fabric.Graph
	plan          *route.Plan
	vls           int
	size          int // flits of a packet
	cable, latent int // cycles of a cable and of a switch
	oneQueue      bool
	links         []*flitLink
	flows         []flitFlow
	now, lastMove int
}

// flitFlow sends packets without end.
type flitFlow struct {
	src, dst int32
	arrived  int // packets
}

// flitLink is a link and the buffers behind it, by VL.
type flitLink struct {
	toSwitch int32 // -1: a host
	inPort   uint8
	from     int32       // the switch that it leaves, -1: a host
	host     int32       // that it leaves
	inputs   []*flitLink // into the switch that it leaves
	credits  []int
	buffers  [][]*flitPacket
	sending  *flitPacket
	flying   []flitOnLink
	back     []flitCredit
	lastVL   int
	lastIn   []int // by VL: input or flow that was served last
}

type flitPacket struct {
	flow      int
	in        *flitLink // whose buffer it is in; nil at its source
	vl        int       // that it came on
	out       *flitLink
	outVL     int
	got, sent int
	ready     int         // first cycle in which its first flit may leave
	behind    *flitPacket // the same packet in the next buffer
}

type flitOnLink struct {
	at int
	p  *flitPacket // behind the link
}

type flitCredit struct{ at, vl int }

func newFlits(g *fabric.Graph, p *route.Plan, vls, size, buffer, cable, latent int, flows [][2]int32) *flits {
	f := &flits{g: g, plan: p, vls: vls, size: size, cable: cable, latent: latent}
	f.links = make([]*flitLink, len(g.Attached)+g.NumHosts)
	add := func(i int) *flitLink {
		f.links[i] = &flitLink{toSwitch: -1, from: -1, credits: make([]int, vls), buffers: make([][]*flitPacket, vls), lastIn: make([]int, vls)}
		for vl := range vls {
			f.links[i].credits[vl] = buffer
		}
		return f.links[i]
	}
	for s := range int32(g.NumSwitches) {
		for port := int32(1); port <= g.SwitchPorts[s]; port++ {
			c, host := g.At(s, uint8(port))
			if c < 0 && host < 0 {
				continue
			}
			l := add(int(g.PortStart[s] + port))
			if l.from = s; c >= 0 {
				l.toSwitch, l.inPort = g.To[c], g.ToPort[c]
			}
		}
	}
	for h := range int32(g.NumHosts) {
		l := add(len(g.Attached) + int(h))
		l.host, l.toSwitch, l.inPort = h, g.EndSwitch[h], g.EndPort[h]
	}
	for _, l := range f.links {
		for _, in := range f.links {
			if l != nil && in != nil && l.from >= 0 && in.toSwitch == l.from {
				l.inputs = append(l.inputs, in)
			}
		}
	}
	for _, pair := range flows {
		f.flows = append(f.flows, flitFlow{src: pair[0], dst: pair[1]})
	}
	return f
}

// run simulates a number of cycles, or until nothing has moved for long.
func (f *flits) run(cycles int) (stuck bool) {
	for f.now = 0; f.now < cycles; f.now++ {
		for _, l := range f.links {
			if l != nil {
				f.arrivals(l)
			}
		}
		for _, l := range f.links {
			if l != nil && l.sending == nil {
				f.start(l)
			}
		}
		for _, l := range f.links {
			if l != nil && l.sending != nil {
				f.move(l)
			}
		}
		if f.now-f.lastMove > 1000 {
			return true
		}
	}
	return false
}

// arrivals takes the flits and credits that come now.
func (f *flits) arrivals(l *flitLink) {
	for len(l.back) > 0 && l.back[0].at <= f.now {
		l.credits[l.back[0].vl]++
		l.back = l.back[1:]
	}
	for len(l.flying) > 0 && l.flying[0].at <= f.now {
		p := l.flying[0].p
		l.flying = l.flying[1:]
		if p.got++; l.toSwitch < 0 {
			l.back = append(l.back, flitCredit{f.now + f.cable, p.vl})
			if p.got == f.size {
				f.flows[p.flow].arrived++
			}
			continue
		}
		if p.got == 1 {
			p.ready = f.now + f.latent
			f.route(l, p)
			l.buffers[p.vl] = append(l.buffers[p.vl], p)
		}
	}
}

// route finds where a packet goes from the switch behind a link.
func (f *flits) route(l *flitLink, p *flitPacket) {
	flow := f.flows[p.flow]
	lid := f.plan.Ends.Base[flow.dst]
	port := f.plan.Tables.Port(l.toSwitch, lid)
	p.out = f.links[f.g.PortStart[l.toSwitch]+int32(port)]
	if f.vls > 1 {
		p.outVL = int(f.plan.SL2VL.Table(f.g, l.toSwitch, l.inPort, port)[f.plan.SL.At(flow.src, lid)])
	}
}

// start starts a packet on a link, by turns of VLs and in each by turns of inputs.
func (f *flits) start(l *flitLink) {
	for k := range f.vls {
		vl := (l.lastVL + 1 + k) % f.vls
		if l.credits[vl] < f.size {
			continue
		}
		if p := f.next(l, vl); p != nil {
			l.sending, l.lastVL = p, vl
			p.behind = &flitPacket{flow: p.flow, vl: vl}
			l.credits[vl] -= f.size
			return
		}
	}
}

// next is the packet whose turn it is on a VL of a link.
func (f *flits) next(l *flitLink, vl int) *flitPacket {
	if l.from < 0 {
		for k := range f.flows {
			i := (l.lastIn[vl] + 1 + k) % len(f.flows)
			if flow := f.flows[i]; flow.src == l.host && f.sendVL(flow) == vl {
				l.lastIn[vl] = i
				return &flitPacket{flow: i, out: l, outVL: vl, got: f.size}
			}
		}
		return nil
	}
	for k := range len(l.inputs) * f.vls {
		i := (l.lastIn[vl] + 1 + k) % (len(l.inputs) * f.vls)
		if p := f.first(l.inputs[i/f.vls].buffers[i%f.vls], l, vl); p != nil {
			l.lastIn[vl] = i
			p.in = l.inputs[i/f.vls]
			return p
		}
	}
	return nil
}

// first is the packet of a buffer that may begin to leave by a link and VL, nil if there is none.
func (f *flits) first(buffer []*flitPacket, l *flitLink, vl int) *flitPacket {
	for _, p := range buffer {
		switch {
		case p.in != nil: // it leaves already
		case p.out == l:
			if p.outVL == vl && p.ready <= f.now {
				return p
			}
			return nil
		case f.oneQueue:
			return nil
		}
	}
	return nil
}

func (f *flits) sendVL(flow flitFlow) int {
	if f.vls == 1 {
		return 0
	}
	return int(f.plan.SL2VL.HostTable(flow.src)[f.plan.SL.At(flow.src, f.plan.Ends.Base[flow.dst])])
}

// move carries a flit.
func (f *flits) move(l *flitLink) {
	p := l.sending
	if p.sent >= p.got { // the next flit has not come yet
		return
	}
	f.lastMove = f.now
	l.flying = append(l.flying, flitOnLink{f.now + f.cable, p.behind})
	p.sent++
	if p.in != nil {
		p.in.back = append(p.in.back, flitCredit{f.now + f.cable, p.vl})
	}
	if p.sent == f.size {
		l.sending = nil
		if p.in != nil {
			p.in.buffers[p.vl] = slices.DeleteFunc(p.in.buffers[p.vl], func(q *flitPacket) bool { return q == p })
		}
	}
}

// alike runs flows in both simulators, and returns the shares of a link that each flow gets by
// flits and by packets, and whether either stands still.
func alike(t rapid.TB, g *fabric.Graph, p *route.Plan, buffer, cycles int, oneQueue bool, flows [][2]int32) (byFlits, byPackets []float64, stuck, deadlock bool) {
	t.Helper()
	const size, cable, latent = 16, 2, 12 // packets of 1 KB; a flit takes 16 ns
	f := newFlits(g, p, packet.Lanes(p), size, buffer*size, cable, latent, flows)
	f.oneQueue = oneQueue
	stuck = f.run(cycles)
	for _, flow := range f.flows {
		byFlits = append(byFlits, float64(flow.arrived*size)/float64(cycles))
	}
	c := packet.Default()
	c.MTU, c.Headers, c.Buffer = size*64, 0, buffer*size*64
	c.CableDelay, c.SwitchLatency, c.OneQueue = cable*16*packet.Nanosecond, latent*16*packet.Nanosecond, oneQueue
	w := &perStream{&packet.Streams{}, 0, make([]int64, len(flows))}
	for _, pair := range flows {
		st := stream(pair[0], pair[1])
		st.Bytes = size * 64
		w.List = append(w.List, st)
	}
	r := run(t, g, p, c, w, 0, packet.Time(cycles)*16*packet.Nanosecond)
	for _, bytes := range w.bytes {
		byPackets = append(byPackets, float64(bytes)/64/float64(cycles))
	}
	return byFlits, byPackets, stuck, r.Deadlock != nil
}

// TestFlits: flits and packets agree on head-of-line blocking, on the parking lot and on a
// deadlock, and on lanes that end the first and the last.
func TestFlits(t *testing.T) {
	chain, lot, ring := qdr(graph(t, "mesh(2,hosts=4)")), qdr(graph(t, "mesh(4,hosts=2)")), qdr(graph(t, "torus(5,hosts=2)"))
	a, b := chain.HostsOf(0), chain.HostsOf(1)
	victim := [][2]int32{{a[0], b[0]}, {b[1], b[0]}, {b[2], b[0]}, {a[1], b[3]}}
	lanes := make([]uint8, chain.NumHosts)
	lanes[a[1]] = 1
	var row [][2]int32
	for s := range int32(4) {
		row = append(row, [2]int32{lot.HostsOf(s)[0], lot.HostsOf(3)[1]})
	}
	var circle [][2]int32
	for _, st := range around(ring).List {
		circle = append(circle, [2]int32{st.Src, st.Dst})
	}
	two := clockwise(ring)
	dateline(ring, two)
	for _, c := range []struct {
		name   string
		g      *fabric.Graph
		p      *route.Plan
		flows  [][2]int32
		shares []float64 // of a link, where both stand for a round figure
		stuck  bool
	}{
		{"head-of-line blocking", chain, planned(t, chain, "minhop", 1, nil), victim, []float64{1. / 3, 1. / 3, 1. / 3, 1. / 3}, false},
		{"a lane for the victim", chain, laned(t, chain, lanes, low(route.ArbEntry{VL: 0, Weight: 64}, route.ArbEntry{VL: 1, Weight: 64})), victim, []float64{1. / 3, 1. / 3, 1. / 3, 2. / 3}, false},
		{"parking lot", lot, planned(t, lot, "minhop", 1, nil), row, []float64{.125, .125, .25, .5}, false},
		{"ring", ring, clockwise(ring), circle, nil, true},
		{"ring with two lanes", ring, two, circle, nil, false},
	} {
		for _, oneQueue := range []bool{false, true} {
			byFlits, byPackets, stuck, deadlock := alike(t, c.g, c.p, 8, 20_000, oneQueue, c.flows)
			t.Logf("%s, one queue %v: flits %.3f, packets %.3f; stuck %v %v", c.name, oneQueue, byFlits, byPackets, stuck, deadlock)
			if stuck != c.stuck || deadlock != c.stuck {
				t.Errorf("%s: flits stand still: %v, packets: %v", c.name, stuck, deadlock)
			}
			for i, want := range c.shares {
				if !within(byFlits[i], want, .02) || !within(byPackets[i], want, .02) {
					t.Errorf("%s: flow %d: %.3f by flits, %.3f by packets, want %.3f", c.name, i, byFlits[i], byPackets[i], want)
				}
			}
		}
	}
}

// TestFlitsOfAny: on random networks, by Plans that the judge proves, both simulators carry the
// same in all, and none stands still. (Where a deadlock is possible, whether it comes depends on
// the very order of packets, and flits give credits back sooner.)
func TestFlitsOfAny(t *testing.T) {
	runs, off, most := 0, 0., 0.
	checks(t, 10, 100, func(rt *rapid.T) {
		g := qdr(graph(rt, drawn(rt)))
		p := drawnPlan(rt, g, []string{"updn", "nue", "dfsssp", "minhop"})
		if p == nil || g.NumHosts < 3 {
			return
		}
		if r := judged(rt, g, p); r.Disconnected > 0 || !r.OK {
			return
		}
		var flows [][2]int32
		for src := range int32(g.NumHosts) {
			if dst := int32(rapid.IntRange(0, g.NumHosts-1).Draw(rt, "target")); dst != src {
				flows = append(flows, [2]int32{src, dst})
			}
		}
		if len(flows) == 0 {
			return
		}
		oneQueue := rapid.Bool().Draw(rt, "one queue")
		buffer := rapid.IntRange(4, 16).Draw(rt, "buffer")
		byFlits, byPackets, stuck, deadlock := alike(rt, g, p, buffer, 5000, oneQueue, flows)
		if stuck || deadlock {
			rt.Fatalf("flits stand still: %v, packets: %v", stuck, deadlock)
		}
		sums := [2]float64{}
		for i := range flows {
			sums[0], sums[1] = sums[0]+byFlits[i], sums[1]+byPackets[i]
		}
		d := math.Abs(sums[1]/sums[0] - 1)
		runs, off, most = runs+1, off+d, max(most, d)
		if d > .15 { // with few flows, who comes first at the start can decide who has its turns with whom
			rt.Fatalf("%.3f by flits, %.3f by packets", byFlits, byPackets)
		}
	}, func() string {
		if runs == 0 || off > .01*float64(runs) { // of few runs, one can be far off
			return "the sums differ by more than 1 % on average"
		}
		return ""
	})
	t.Logf("%d runs; the sums differ by %.2f %% on average, %.2f %% at most", runs, 100*off/float64(runs), 100*most)
}
