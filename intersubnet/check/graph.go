package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/internal/par"
	"weft/route"
)

// joint is the dependencies in one router: a bit for each (port in, port out, VL in, VL out).
type joint struct {
	ports int
	bits  []uint64
}

func newJoint(ports int) joint { return joint{ports, make([]uint64, ports*ports*256/64+1)} }

// see notes packets that come by one port on an SL and leave by another on an SL.
func (x *joint) see(j *judge, port, q int32, in, out uint8) {
	r := &j.n.Routers[j.n.Ports[port].Router]
	from, to := &j.n.Ports[port], &j.n.Ports[q]
	d := j.grounds[from.Subnet]
	s, p := d.g.EndSwitch[from.End], d.g.EndPort[from.End]
	vlOut := j.grounds[to.Subnet].p.SL2VL.HostTable(to.End)[out]
	if vlOut == route.DropVL {
		j.r.fault("%s discards SL %d", j.n.PortName(q), out)
		return
	}
	add := func(vlIn uint8) {
		if vlIn != route.DropVL {
			at := (int(port-r.First)*x.ports+int(q-r.First))<<8 | int(vlIn)<<4 | int(vlOut)
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

// whole is the dependency graph over all subnets. Node of a link and VL: first[subnet] + link*vls + VL; links are the ports of
// switches (what they send), then what each router port sends.
type whole struct {
	*judge
	first []int64
	start []int64
	to    []int32
}

// dependencies joins what packets do in all subnets and routers, and looks for a cycle.
func (j *judge) dependencies(ctx context.Context, workers int) error {
	w := &whole{judge: j, first: make([]int64, len(j.n.Subnets)+1)}
	for s, d := range j.grounds {
		w.first[s+1] = w.first[s] + int64(len(d.g.Attached)+len(j.n.Subnets[s].Ports))*int64(j.vls)
	}
	own, err := j.walkGrounds(ctx, workers)
	if err != nil {
		return err
	}
	lists := make([][]edge, len(j.n.Subnets)+1)
	err = par.For(ctx, workers, len(j.n.Subnets), func(_, s int) error {
		lists[s] = w.list(int32(s), j.walkSubnet(int32(s), own[j.grounds[s]]))
		return nil
	})
	if err != nil {
		return err
	}
	lists[len(j.n.Subnets)] = w.joints()
	used := uint16(0)
	beyond := map[int32]bool{}
	w.start = make([]int64, w.first[len(j.n.Subnets)]+1)
	for _, list := range lists {
		for _, e := range list {
			w.start[e.from+1]++
			used |= 1<<w.vl(e.from) | 1<<w.vl(e.to)
			w.checkVL(e.from, beyond)
			w.checkVL(e.to, beyond)
		}
		j.r.Edges += int64(len(list))
	}
	j.r.VLs = max(1, bits.OnesCount16(used))
	for i := range len(w.start) - 1 {
		w.start[i+1] += w.start[i]
	}
	w.to = make([]int32, j.r.Edges)
	at := slices.Clone(w.start)
	for _, list := range lists {
		for _, e := range list {
			w.to[at[e.from]] = e.to
			at[e.from]++
		}
	}
	cycle := w.cycle()
	j.r.DeadlockFree = cycle == nil
	for _, node := range cycle {
		from, to := w.name(node)
		j.r.Cycle = append(j.r.Cycle, Hold{from, to, uint8(w.vl(node))})
	}
	return nil
}

// walkGrounds collects what the end ports of each ground do, in the first subnet of it.
func (j *judge) walkGrounds(ctx context.Context, workers int) (map[*ground]*edges, error) {
	var subnets []int32
	own := map[*ground]*edges{}
	for s, d := range j.grounds {
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
		own[j.grounds[s]] = walked[i]
	}
	return own, err
}

// checkVL reports a VL that a link does not have, once.
func (w *whole) checkVL(node int32, told map[int32]bool) {
	s := int32(w.subnetOf(node))
	g := w.grounds[s].g
	slot := int32((int64(node) - w.first[s]) / int64(w.vls))
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

type edge struct{ from, to int32 }

func (w *whole) vl(node int32) int {
	s := w.subnetOf(node)
	return int((int64(node) - w.first[s]) % int64(w.vls))
}

// subnetOf is the subnet of a node.
func (w *whole) subnetOf(node int32) int {
	s, found := slices.BinarySearch(w.first, int64(node))
	if !found {
		s--
	}
	for s+1 < len(w.first) && w.first[s+1] == w.first[s] {
		s++
	}
	return s
}

// sends is the node of what a switch sends by a port on a VL.
func (w *whole) sends(subnet, s int32, port, vl uint8) int32 {
	return int32(w.first[subnet] + (int64(w.grounds[subnet].g.PortStart[s])+int64(port))*int64(w.vls) + int64(vl))
}

// sendsIn is the node of what a router port sends on a VL.
func (w *whole) sendsIn(port int32, vl uint8) int32 {
	s := w.n.Ports[port].Subnet
	return int32(w.first[s] + int64(len(w.grounds[s].g.Attached)+w.place(port))*int64(w.vls) + int64(vl))
}

// list turns the bits of a subnet into edges.
func (w *whole) list(subnet int32, e *edges) (list []edge) {
	g, v := w.grounds[subnet].g, int64(w.vls)
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
			from := w.comesIn(subnet, s, in, uint8(rest/v%v))
			list = append(list, edge{from, w.sends(subnet, s, out, uint8(rest%v))})
		}
	}
	return list
}

// comesIn is the node of the link that comes into a switch by a port.
func (w *whole) comesIn(subnet, s int32, in, vl uint8) int32 {
	g := w.grounds[subnet].g
	if c, _ := g.At(s, in); c >= 0 {
		return w.sends(subnet, g.To[c], g.ToPort[c], vl)
	}
	_, host := g.At(s, in)
	return w.sendsIn(w.n.Subnets[subnet].PortOf[host], vl)
}

// joints turns the bits of routers into edges.
func (w *whole) joints() (list []edge) {
	for r := range w.judge.joints {
		x, first := &w.judge.joints[r], w.n.Routers[r].First
		for i, word := range x.bits {
			for ; word != 0; word &= word - 1 {
				at := i<<6 | bits.TrailingZeros64(word)
				in, out := first+int32(at>>8/x.ports), first+int32(at>>8%x.ports)
				p := &w.n.Ports[in]
				g := w.grounds[p.Subnet].g
				list = append(list, edge{w.sends(p.Subnet, g.EndSwitch[p.End], g.EndPort[p.End], uint8(at>>4&15)), w.sendsIn(out, uint8(at&15))})
			}
		}
	}
	return list
}

// cycle returns the nodes of a cycle, nil where there is none: a shortest one through some node of the first that a search meets.
func (w *whole) cycle() []int32 {
	n := len(w.start) - 1
	colour, edge := make([]uint8, n), make([]int64, n)
	var path []int32
	for root := range int32(n) {
		if colour[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		colour[root], edge[root] = 1, w.start[root]
		for len(path) > 0 {
			at := path[len(path)-1]
			if edge[at] == w.start[at+1] {
				colour[at] = 2
				path = path[:len(path)-1]
				continue
			}
			to := w.to[edge[at]]
			edge[at]++
			switch colour[to] {
			case 0:
				colour[to], edge[to] = 1, w.start[to]
				path = append(path, to)
			case 1:
				return w.shortest(path[slices.Index(path, to):])
			}
		}
	}
	return nil
}

// searches bounds the nodes of a cycle from which a shorter one is looked for.
const searches = 32

// shortest returns the shortest cycle through one of some nodes of a cycle.
func (w *whole) shortest(nodes []int32) []int32 {
	best := slices.Clone(nodes)
	via := make([]int32, len(w.start)-1)
	for _, root := range nodes[:min(len(nodes), searches)] {
		for i := range via {
			via[i] = -1
		}
		depth, queue, found := map[int32]int{root: 0}, []int32{root}, int32(-1)
		for len(queue) > 0 && found < 0 {
			at := queue[0]
			queue = queue[1:]
			if depth[at]+1 >= len(best) {
				break
			}
			for _, to := range w.to[w.start[at]:w.start[at+1]] {
				if to == root {
					found = at
					break
				}
				if via[to] < 0 {
					via[to], depth[to] = at, depth[at]+1
					queue = append(queue, to)
				}
			}
		}
		if found >= 0 {
			best = best[:0]
			for at := found; at != root; at = via[at] {
				best = append(best, at)
			}
			best = append(best, root)
			slices.Reverse(best)
		}
	}
	return best
}

// name names the ends of the link of a node.
func (w *whole) name(node int32) (from, to string) {
	s := int32(w.subnetOf(node))
	g := w.grounds[s].g
	link := (int64(node) - w.first[s]) / int64(w.vls)
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
