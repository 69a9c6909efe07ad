package check

import "weft/route"

// collector carries the SLs of all packets, as masks, along the paths to one LID after another, and
// records the dependencies between channels.
type collector struct {
	j        *judge
	deps     *deps
	channels []onChannel
	assigned uint64 // fieldMask(assigned)
	senders  senders
	drained  drainedTransit
	byVL     []uint64 // by switch and VL: SLs on the channel it leaves by; only if byInput
	vls      []uint16 // by switch: VLs of assigned traffic on that channel, 15 when discarded; only then
}

// onChannel sums up the traffic over a channel.
type onChannel struct {
	pairs int64  // of hosts, delivered by the tables
	sls   uint16 // SLs of assigned traffic before discarding; VLs if byInput
}

// drainedTransit collects the drained switches that forward traffic.
type drainedTransit struct {
	any  bool   // some switch is drained
	seen []bool // by switch, for the LID followed
}

func newCollector(j *judge, s senders) collector {
	n := j.Graph.NumSwitches
	c := collector{
		j: j, deps: j.deps.own(), channels: make([]onChannel, j.Graph.NumChannels), assigned: j.lanes.fieldMask(assigned),
		senders: s, drained: drainedTransit{len(j.drained) > 0, make([]bool, n)},
	}
	if j.lanes.byInput {
		c.byVL = make([]uint64, n*len(j.lanes.vls))
		c.vls = make([]uint16, n)
	}
	return c
}

// collect carries all packets to the LID of p. After two rounds packets in a loop have been at
// every switch of it.
func (c *collector) collect(p *Paths) {
	byInput, kinds := c.j.lanes.byInput, c.j.trafficTo(p.Owner)
	forward := func(list []int32) {
		if byInput {
			c.forwardByInput(p, list)
		} else {
			c.forward(p, list)
		}
	}
	c.startPairs(p)
	if byInput {
		c.startByInput(p, kinds)
	} else {
		c.start(p, kinds)
	}
	forward(p.Order)
	for i := range p.loops.end {
		forward(p.loops.of(i))
		forward(p.loops.of(i))
	}
	switch {
	case !p.Delivers(p.Target):
	case byInput:
		c.j.found.arriving[p.LID] = uint64(c.vls[p.Target])
	default:
		c.j.found.arriving[p.LID] = c.j.lanes.field(p.at[p.Target].sls, assigned)
	}
}

// startPairs counts at each switch its hosts whose packets reach the owner, if that is a host.
// Nothing leaves the target, the owner's switch.
func (c *collector) startPairs(p *Paths) {
	if !c.j.Graph.IsHost(p.Owner) {
		return // nothing has pairs after follow
	}
	for s, n := range p.Hosts {
		if p.Depth[s] > 0 {
			p.at[s].pairs = n
		}
	}
}

// start gives each switch the SLs of its own ends, limited to some kinds of traffic.
func (c *collector) start(p *Paths, kinds uint64) {
	for s, m := range c.senders.bySwitch() {
		p.at[s].sls = m & kinds
	}
	p.at[p.Target].sls = c.withoutOwner(p) & kinds
}

// withoutOwner returns the mask of all ends of the target's switch but the owner of the LID.
func (c *collector) withoutOwner(p *Paths) uint64 {
	g, m, all := c.j.Graph, uint64(0), c.senders.bySwitch()[p.Target]
	for _, h := range g.AttachedTo(p.Target) {
		if m == all {
			return m
		}
		if h != p.Owner {
			m |= c.senders.of(h)
		}
	}
	if z := g.PortZero(p.Target); z != p.Owner {
		m |= c.senders.of(z)
	}
	return m
}

// forward moves the SLs and pairs of each switch over its output channel to the next switch,
// farthest switches first. The VL depends on SL and output port alone.
func (c *collector) forward(p *Paths, list []int32) {
	at, channels, words, drop := p.at, c.channels, c.deps.words, c.j.lanes.drop
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		h := &at[s]
		if h.out < 0 {
			continue
		}
		to, on, m := &at[h.next], &channels[h.out], h.sls
		on.sls |= uint16(m & c.assigned)
		on.pairs += int64(h.pairs)
		to.pairs += h.pairs
		if drop != nil {
			m &^= drop[c.j.Graph.PortStart[s]+int32(c.j.Graph.FromPort[h.out])]
		}
		to.sls |= m
		if to.out < 0 {
			c.deliver(p, h.out, h.next, m)
			continue
		}
		place := h.row + int64(to.rank)
		words[place>>6] |= m << (place & 63)
		if c.drained.any {
			c.pass(h.next, m)
		}
	}
}

// pass notes a drained switch that forwards assigned traffic.
func (c *collector) pass(s int32, m uint64) {
	if c.j.Graph.Drained[s] && m&c.assigned != 0 {
		c.drained.seen[s] = true
	}
}

// deliver notes assigned traffic that arrives at a host over a channel.
func (c *collector) deliver(p *Paths, channel, s int32, m uint64) {
	if p.Delivers(s) && p.Owner < int32(c.j.Graph.NumHosts) && m&c.assigned != 0 {
		c.deps.arrive(channel, p.Owner)
	}
}

// takeDrained adds an example for each drained switch that let traffic to the LID through,
// and returns their number.
func (c *collector) takeDrained(p *Paths, e *examples) (n int64) {
	for _, s := range c.j.drained {
		if !c.drained.seen[s] {
			continue
		}
		c.drained.seen[s] = false
		n++
		e.transit.add(func() route.Remark {
			return lidRemark(c.j.Graph, p.LID, p.Owner, "is drained, but forwards packets", c.j.Graph.SwitchPort(s, 0))
		})
	}
	return n
}

// startByInput is start for VLs that depend on the input port too. The SLs on a switch's output
// channel are then kept by VL.
func (c *collector) startByInput(p *Paths, kinds uint64) {
	clear(c.byVL)
	clear(c.vls)
	g := c.j.Graph
	for s := range int32(g.NumSwitches) {
		for _, h := range g.AttachedTo(s) {
			if h != p.Owner {
				c.enter(p, s, g.EndPort[h], c.senders.of(h)&kinds)
			}
		}
		if z := g.PortZero(s); z != p.Owner {
			c.enter(p, s, 0, c.senders.of(z)&kinds)
		}
	}
}

// exitPort returns the output port of packets on data VLs: to another switch or to their
// destination host.
func (p *Paths) exitPort(s int32) (port uint8, ok bool) {
	if c := p.at[s].out; c >= 0 {
		return p.g.FromPort[c], true
	}
	if p.Delivers(s) && p.Owner < int32(p.g.NumHosts) {
		return p.g.EndPort[p.Owner], true
	}
	return 0, false
}

// enter moves packets from an input port through a switch to its output channel.
func (c *collector) enter(p *Paths, s int32, in uint8, m uint64) {
	l := c.j.lanes
	out, ok := p.exitPort(s)
	if !ok || m == 0 {
		return
	}
	table := l.sl2vl.Table(c.j.Graph, s, in, out)
	at := int(s) * len(l.vls)
	for i, sl := range l.sls {
		these := m & l.inAll[i]
		if these == 0 {
			continue
		}
		vl := table[sl]
		if these&c.assigned != 0 {
			c.vls[s] |= 1 << vl
		}
		if vl != route.DropVL {
			c.byVL[at+int(l.vlIndex[vl])] |= these
		}
	}
}

// forwardByInput is forward for VLs that depend on the input port too.
func (c *collector) forwardByInput(p *Paths, list []int32) {
	vls := len(c.j.lanes.vls)
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		h := &p.at[s]
		if h.out < 0 {
			continue
		}
		to, on := &p.at[h.next], &c.channels[h.out]
		on.sls |= c.vls[s]
		on.pairs += int64(h.pairs)
		to.pairs += h.pairs
		all := uint64(0)
		for v, m := range c.byVL[int(s)*vls:][:vls] {
			all |= m
			if m != 0 && to.out >= 0 {
				c.deps.add(c.deps.pair(h.out, to.out, v), m)
			}
		}
		if to.out >= 0 {
			c.pass(h.next, all)
		} else {
			c.deliver(p, h.out, h.next, all)
		}
		c.enter(p, h.next, c.j.Graph.ToPort[h.out], all)
	}
}
