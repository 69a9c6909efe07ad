package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/internal/par"
	"weft/route"
)

// routerEdges holds the dependencies in one router: a bit for each (port in, port out, VL in, VL
// out).
type routerEdges struct {
	ports, vls int
	bits       []uint64
}

func newRouterEdges(ports, vls int) routerEdges {
	return routerEdges{ports, vls, make([]uint64, ports*ports*vls*vls/64+1)}
}

// add notes packets that enter through one port on an SL and leave through another on an SL.
func (x *routerEdges) add(j *judge, port, q int32, in, out uint8) {
	r := &j.n.Routers[j.n.Ports[port].Router]
	from, to := &j.n.Ports[port], &j.n.Ports[q]
	d := j.locals[from.Subnet]
	s, p := d.g.EndSwitch[from.End], d.g.EndPort[from.End]
	vlOut := j.locals[to.Subnet].p.SL2VL.HostTable(to.End)[out]
	if vlOut == route.DropVL {
		j.r.fault("%s discards SL %d", j.n.PortName(q), out)
		return
	}
	add := func(vlIn uint8) {
		if vlIn != route.DropVL {
			at := ((int(port-r.First)*x.ports+int(q-r.First))*x.vls+int(vlIn))*x.vls + int(vlOut)
			x.bits[at>>6] |= 1 << (at & 63)
		}
	}
	if !d.byIn {
		add(d.vl(s, 0, p, in))
		return
	}
	for i := range d.g.SwitchPorts[s] + 1 {
		add(d.vl(s, uint8(i), p, in))
	}
}

// depGraph is the dependency graph over all subnets. The node of a link and VL is first[subnet] +
// link*vls + VL. Links are named by their senders: the ports of switches, then the router ports.
// Successors inside a subnet are stored once for all subnets with the same dependencies.
type depGraph struct {
	*judge
	first  []int64
	inside []*inside // by subnet
	start  []int64   // by router port and VL of the link to it: where to begins
	to     []hold    // successors in routers
}

// inside holds the dependencies inside a subnet. Its nodes count from the subnet's first.
type inside struct {
	start   []int64
	to      []int32
	toPort  []int32 // by link: place of the router port at its end, -1 for other links
	subnets []int32 // with these dependencies
}

// hold is a router port and the VL on which it sends.
type hold struct {
	port int32
	vl   uint8
}

// dependencies builds the dependency graph over all subnets and routers, and searches it for a
// cycle.
func (j *judge) dependencies(ctx context.Context, workers int) error {
	w := &depGraph{judge: j, first: make([]int64, len(j.n.Subnets)+1), inside: make([]*inside, len(j.n.Subnets))}
	for s, d := range j.locals {
		w.first[s+1] = w.first[s] + int64(len(d.g.Attached)+len(j.n.Subnets[s].Ports))*int64(j.vls)
	}
	own, err := j.walkLocals(ctx, workers)
	if err != nil {
		return err
	}
	alike := j.alike()
	err = par.For(ctx, workers, len(alike), func(_, i int) error {
		s := alike[i][0]
		in := w.list(s, j.walkUsage(s, own[j.locals[s]]))
		in.subnets = alike[i]
		for _, s := range alike[i] {
			w.inside[s] = in
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.joinRouters()
	w.checkVLs(alike)
	cycle := w.cycle()
	j.r.DeadlockFree = cycle == nil
	for _, node := range cycle {
		from, to := w.name(node)
		j.r.Cycle = append(j.r.Cycle, Hold{from, to, uint8(w.vl(node))})
	}
	return nil
}

// alike lists the subnets that have the same dependencies inside: subnets of one local Plan, where
// routers send alike.
func (j *judge) alike() (lists [][]int32) {
	same := func(a, b int32) bool {
		return j.locals[a] == j.locals[b] && slices.EqualFunc(j.usage[a].entries, j.usage[b].entries, func(x, y entry) bool {
			return slices.Equal(x.by, y.by) && slices.Equal(x.ends, y.ends)
		})
	}
	for s := range int32(len(j.n.Subnets)) {
		i := slices.IndexFunc(lists, func(list []int32) bool { return same(list[0], s) })
		if i < 0 {
			i = len(lists)
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], s)
	}
	return lists
}

// walkLocals collects the dependencies of packets from end ports for each local Plan, in its first
// subnet.
func (j *judge) walkLocals(ctx context.Context, workers int) (map[*localPlan]*edges, error) {
	var subnets []int32
	own := map[*localPlan]*edges{}
	for s, d := range j.locals {
		if _, known := own[d]; !known {
			own[d] = nil
			subnets = append(subnets, int32(s))
		}
	}
	walked := make([]*edges, len(subnets))
	err := par.For(ctx, workers, len(subnets), func(_, i int) error {
		walked[i] = j.walkOwn(subnets[i])
		return nil
	})
	for i, s := range subnets {
		own[j.locals[s]] = walked[i]
	}
	return own, err
}

// checkVLs counts dependencies and the VLs in use, and reports VLs that a link does not have, once
// for subnets that are alike.
func (w *depGraph) checkVLs(alike [][]int32) {
	used := uint16(0)
	told := map[int64]bool{}
	for _, list := range alike {
		in, first := w.inside[list[0]], w.first[list[0]]
		for node := range len(in.start) - 1 {
			for _, to := range in.to[in.start[node]:in.start[node+1]] {
				used |= 1<<(node%w.vls) | 1<<(int(to)%w.vls)
				w.checkVL(first+int64(node), told)
				w.checkVL(first+int64(to), told)
			}
		}
		w.r.Edges += int64(len(in.to)) * int64(len(list))
	}
	for port := range w.n.Ports {
		for vl := range w.vls {
			for _, to := range w.onward(int32(port), vl) {
				used |= 1<<vl | 1<<to.vl
				w.checkVL(w.sendsTo(int32(port), uint8(vl)), told)
				w.checkVL(w.sendsIn(to.port, to.vl), told)
			}
		}
	}
	w.r.Edges += int64(len(w.to))
	w.r.VLs = max(1, bits.OnesCount16(used))
}

// checkVL reports a VL that a link does not have, once.
func (w *depGraph) checkVL(node int64, told map[int64]bool) {
	s := w.subnetOf(node)
	g := w.locals[s].g
	slot := int32((node - w.first[s]) / int64(w.vls))
	if i := int(slot) - len(g.Attached); i >= 0 { // what a router sends
		end := w.n.Ports[w.n.Subnets[s].Ports[i]].End
		slot = g.PortStart[g.EndSwitch[end]] + int32(g.EndPort[end])
	}
	if vls := g.PortVLs[slot]; vls > 0 && w.vl(node) >= int(vls) && !told[node] {
		told[node] = true
		from, _ := w.name(node)
		w.r.fault("%s sends on VL %d, but the link has %d VLs", from, w.vl(node), vls)
	}
}

func (w *depGraph) vl(node int64) int {
	return int((node - w.first[w.subnetOf(node)]) % int64(w.vls))
}

// subnetOf returns the subnet of a node.
func (w *depGraph) subnetOf(node int64) int32 {
	s, found := slices.BinarySearch(w.first, node)
	if !found {
		s--
	}
	for s+1 < len(w.first) && w.first[s+1] == w.first[s] {
		s++
	}
	return int32(s)
}

// sends returns the node of a switch's output port and VL, among the nodes of its subnet.
func (w *depGraph) sends(subnet, s int32, port, vl uint8) int32 {
	return (w.locals[subnet].g.PortStart[s]+int32(port))*int32(w.vls) + int32(vl)
}

// sendsTo returns the node of the link to a router port, on a VL.
func (w *depGraph) sendsTo(port int32, vl uint8) int64 {
	at := &w.n.Ports[port]
	g := w.locals[at.Subnet].g
	return w.first[at.Subnet] + int64(w.sends(at.Subnet, g.EndSwitch[at.End], g.EndPort[at.End], vl))
}

// sendsIn returns the node of the link from a router port into its subnet, on a VL.
func (w *depGraph) sendsIn(port int32, vl uint8) int64 {
	s := w.n.Ports[port].Subnet
	return w.first[s] + int64(len(w.locals[s].g.Attached)+w.place(port))*int64(w.vls) + int64(vl)
}

// list lists the dependencies in the bits of a subnet.
func (w *depGraph) list(subnet int32, e *edges) *inside {
	g, v := w.locals[subnet].g, int64(w.vls)
	x := &inside{start: make([]int64, w.first[subnet+1]-w.first[subnet]+1), toPort: make([]int32, len(g.Attached))}
	w.eachEdge(subnet, e, func(from, _ int32) { x.start[from+1]++ })
	for i := range len(x.start) - 1 {
		x.start[i+1] += x.start[i]
	}
	x.to = make([]int32, x.start[len(x.start)-1])
	at := slices.Clone(x.start)
	w.eachEdge(subnet, e, func(from, to int32) {
		x.to[at[from]] = to
		at[from]++
	})
	for i := range x.toPort {
		x.toPort[i] = -1
	}
	for place, port := range w.n.Subnets[subnet].Ports {
		end := w.n.Ports[port].End
		x.toPort[int64(w.sends(subnet, g.EndSwitch[end], g.EndPort[end], 0))/v] = int32(place)
	}
	return x
}

// eachEdge calls do for each dependency in the bits of a subnet.
func (w *depGraph) eachEdge(subnet int32, e *edges, do func(from, to int32)) {
	g, v := w.locals[subnet].g, int64(w.vls)
	s := int32(0)
	for i, word := range e.bits {
		for ; word != 0; word &= word - 1 {
			at := int64(i)<<6 | int64(bits.TrailingZeros64(word))
			for at >= e.start[s+1] {
				s++
			}
			rest := at - e.start[s]
			out := uint8(rest / v / v % int64(g.SwitchPorts[s]+1))
			in := uint8(rest / v / v / int64(g.SwitchPorts[s]+1))
			do(w.comesIn(subnet, s, in, uint8(rest/v%v)), w.sends(subnet, s, out, uint8(rest%v)))
		}
	}
}

// comesIn returns the node of the link into a port of a switch, among the nodes of its subnet.
func (w *depGraph) comesIn(subnet, s int32, in, vl uint8) int32 {
	g := w.locals[subnet].g
	if c, _ := g.At(s, in); c >= 0 {
		return w.sends(subnet, g.To[c], g.ToPort[c], vl)
	}
	_, host := g.At(s, in)
	return int32(w.sendsIn(w.n.Subnets[subnet].PortOf[host], vl) - w.first[subnet])
}

// joinRouters lists the successors in routers, by router port and VL.
func (w *depGraph) joinRouters() {
	w.start = make([]int64, len(w.n.Ports)*w.vls+1)
	w.eachRouterEdge(func(from int, _ hold) { w.start[from+1]++ })
	for i := range len(w.start) - 1 {
		w.start[i+1] += w.start[i]
	}
	w.to = make([]hold, w.start[len(w.start)-1])
	at := slices.Clone(w.start)
	w.eachRouterEdge(func(from int, to hold) {
		w.to[at[from]] = to
		at[from]++
	})
}

// eachRouterEdge calls do for each dependency in routers: from a router port and the VL of the link
// to it, to a router port and the VL of the link from it.
func (w *depGraph) eachRouterEdge(do func(from int, to hold)) {
	for r := range w.inRouter {
		x, first := &w.inRouter[r], int(w.n.Routers[r].First)
		for i, word := range x.bits {
			for ; word != 0; word &= word - 1 {
				at := i<<6 | bits.TrailingZeros64(word)
				ports, in, out := at/x.vls/x.vls, at/x.vls%x.vls, at%x.vls
				do((first+ports/x.ports)*w.vls+in, hold{int32(first + ports%x.ports), uint8(out)})
			}
		}
	}
}

// onward lists the successors in a router of packets that come to one of its ports on a VL.
func (w *depGraph) onward(port int32, vl int) []hold {
	at := int(port)*w.vls + vl
	return w.to[w.start[at]:w.start[at+1]]
}

// name names the ends of the link of a node.
func (w *depGraph) name(node int64) (from, to string) {
	s := w.subnetOf(node)
	g := w.locals[s].g
	link := (node - w.first[s]) / int64(w.vls)
	if i := int(link) - len(g.Attached); i >= 0 {
		port := w.n.Subnets[s].Ports[i]
		end := w.n.Ports[port].End
		return w.n.EndName(s, end), w.n.SwitchName(s, g.EndSwitch[end], g.EndPort[end])
	}
	sw, _ := slices.BinarySearch(g.PortStart, int32(link)+1)
	sw--
	port := uint8(int32(link) - g.PortStart[sw])
	from = w.n.SwitchName(s, int32(sw), port)
	c, host := g.At(int32(sw), port)
	switch {
	case c >= 0:
		return from, w.n.SwitchName(s, g.To[c], g.ToPort[c])
	case host >= 0:
		return from, w.n.EndName(s, host)
	}
	return from, "nothing"
}
