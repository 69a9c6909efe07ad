package check

import (
	"fmt"
	"math/bits"

	"weft/route"
)

// ways follows the packets of all subnets to all targets in others, group by group.
func (j *judge) ways() {
	w := &walker{
		judge: j, fate: make([]fate, len(j.n.Routers)), state: make([]uint8, len(j.n.Routers)),
		arrived: make([]uint16, len(j.n.Ports)), entered: make([]uint16, len(j.n.Ports)), sent: map[[2]int32]*sending{},
	}
	for target := range int32(len(j.n.Subnets)) {
		for _, group := range j.groups(target) {
			w.toGroup(target, group)
		}
	}
	for s, u := range w.usage {
		u.enterTransit(j.n, int32(s))
	}
	if reached := j.r.Pairs - j.r.Unreachable - j.r.Disconnected; reached > 0 {
		j.r.Hops.Avg = w.sum / float64(reached)
	}
}

// fate says whether packets arrive from a router on, and over how many links.
type fate struct {
	ok      bool
	max     int
	mean    float64
	routers int
}

// sending sums up the paths from the end ports of a subnet to one of its router ports.
type sending struct {
	reach int64 // end ports whose packets arrive
	hops  int64 // of these, in sum
	max   int
	sls   uint16
}

// The states of a router while one target is followed.
const (
	unseen uint8 = iota
	underWay
	done
)

// walker follows packets to one group of targets after the other.
type walker struct {
	*judge
	fate    []fate  // by router
	state   []uint8 // by router
	arrived []uint16
	touched []int32               // router ports with something in arrived
	routers []int32               // with state
	sent    map[[2]int32]*sending // by router port and switch, -1 for all
	entered []uint16              // by router port: on which layers it sends to the group
	enterBy []int32               // router ports with something in entered
	target  int32
	group   []int32 // end ports of the target subnet
	end     int32   // the first of the group
	looped  bool
	sum     float64
}

// toGroup follows the packets of all other subnets to a group of end ports.
func (w *walker) toGroup(target int32, group []int32) {
	w.target, w.group, w.end, w.looped = target, group, group[0], false
	for _, r := range w.routers {
		w.state[r] = unseen
	}
	for _, p := range w.touched {
		w.arrived[p] = 0
	}
	w.routers, w.touched = w.routers[:0], w.touched[:0]
	for s := range int32(len(w.n.Subnets)) {
		if s != target {
			w.fromSubnet(s)
		}
	}
	w.enterAll()
	if w.looped {
		w.r.Loops += int64(len(group))
	}
}

// fromSubnet follows the packets of one subnet.
func (w *walker) fromSubnet(s int32) {
	all, targets := w.count[s], int64(len(w.group))
	w.r.Pairs += all * targets
	here := w.partOf(w.target, w.end)
	if w.ownRow(s) != nil {
		for sw := range w.senders[s] {
			if n := w.judgedAt(s, int32(sw)); w.parts.find(w.parts.of[s][w.locals[s].part[sw]]) != here {
				w.r.Disconnected += n * targets
			} else if n > 0 {
				w.fromSwitch(s, int32(sw), n)
			}
		}
		return
	}
	joined := int64(0) // end ports that could reach the target
	for part, size := range w.parts.sizes[s] {
		if w.parts.find(w.parts.of[s][part]) == here {
			joined += size
		}
	}
	w.r.Disconnected += (all - joined) * targets
	w.fromSwitch(s, -1, joined)
}

// judgedAt counts the end ports of a switch that are judged.
func (w *walker) judgedAt(s, sw int32) (n int64) {
	g := w.locals[s].g
	for _, e := range g.SwitchEnds[g.EndsStart[sw]:g.EndsStart[sw+1]] {
		if w.judged(s, e) {
			n++
		}
	}
	return n
}

// fromSwitch follows packets from the end ports of a switch, or with -1 of all switches of a
// subnet. joined of these end ports could reach the target.
func (w *walker) fromSwitch(s, sw int32, joined int64) {
	targets := int64(len(w.group))
	port := w.gateway(s, sw)
	if port < 0 {
		w.lose(s, joined, "there is no gateway")
		return
	}
	at := w.sending(port, sw)
	w.seeArrive(port, at.sls)
	f := w.follow(w.n.Ports[port].Router)
	if !f.ok {
		w.lose(s, joined, "packets are lost behind "+w.n.PortName(port))
		return
	}
	if at.reach < joined {
		w.lose(s, joined-at.reach, "the way to "+w.n.PortName(port)+" is lost")
	}
	w.sum += float64(targets) * (float64(at.hops) + float64(at.reach)*(1+f.mean))
	if at.reach > 0 {
		w.r.Hops.Max = max(w.r.Hops.Max, at.max+1+f.max)
		w.r.Hops.Routers = max(w.r.Hops.Routers, f.routers)
	}
}

// lose counts undelivered pairs: some end ports of a subnet, each with all of the group.
func (w *walker) lose(s int32, ends int64, why string) {
	if ends == 0 {
		return
	}
	w.r.Unreachable += ends * int64(len(w.group))
	if len(w.r.Faults) < faultsShown {
		more := ""
		if n := len(w.group) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more end ports there", n)
		}
		w.r.fault("%d end ports of subnet %q do not reach %s%s: %s", ends, w.n.Subnets[s].Name, w.n.EndName(w.target, w.end), more, why)
	}
}

// ownRow returns the row of gateways by switch of a subnet, nil if it has none.
func (w *walker) ownRow(s int32) []int32 {
	if w.p.BySwitch == nil {
		return nil
	}
	return w.p.BySwitch[s][w.target]
}

// gateway returns the router port that a switch of a subnet uses for the target; -1 if there is
// none, or it is down.
func (w *walker) gateway(s, sw int32) int32 {
	row, i := w.p.Gateway[s][w.target], int(w.end)
	if own := w.ownRow(s); own != nil {
		row, i = own, int(sw)*w.locals[w.target].g.NumEnds+i
	}
	if i >= len(row) {
		return -1
	}
	place, ports := row[i], w.n.Subnets[s].Ports
	if place < 0 || int(place) >= len(ports) || w.p.Down[ports[place]] {
		return -1
	}
	return ports[place]
}

// sending sums up the paths from the end ports of a switch, or with -1 of all switches, to a router
// port of their subnet.
func (w *walker) sending(port, sw int32) *sending {
	key := [2]int32{port, sw}
	if at := w.sent[key]; at != nil {
		return at
	}
	at := &sending{}
	w.sent[key] = at
	s := w.n.Ports[port].Subnet
	d := w.locals[s]
	lid := d.p.Ends.Base[w.n.Ports[port].End]
	if lid == 0 {
		return at
	}
	hops := d.to(lid)
	for e := range int32(d.g.NumEnds) {
		if h := hops[d.g.EndSwitch[e]]; h != lost && (sw < 0 || sw == d.g.EndSwitch[e]) && w.judged(s, e) && d.p.Ends.Base[e] != 0 {
			at.reach++
			at.hops += int64(h)
			at.max = max(at.max, int(h))
			at.sls |= 1 << d.p.SL.At(e, lid)
		}
	}
	return at
}

// follow finds the fate of packets from a router on.
func (w *walker) follow(router int32) fate {
	switch w.state[router] {
	case done:
		return w.fate[router]
	case underWay:
		w.looped = true
		return fate{}
	}
	w.state[router] = underWay
	w.routers = append(w.routers, router)
	f := fate{ok: true}
	ports := w.leaving(router)
	for _, q := range ports {
		x := w.behind(q)
		f.ok = f.ok && x.ok
		f.max, f.routers = max(f.max, x.max+1), max(f.routers, x.routers+1)
		f.mean += (x.mean + 1) / float64(len(ports))
	}
	f.ok = f.ok && len(ports) > 0
	w.state[router], w.fate[router] = done, f
	return f
}

// leaving lists the ports through which a router could send packets for the target.
func (w *walker) leaving(router int32) []int32 {
	e := &w.p.Egress[router][w.target]
	if e.Pick == nil {
		return e.Ports
	}
	if int(w.end) >= len(e.Pick) || int(e.Pick[w.end]) >= len(e.Ports) {
		return nil
	}
	return e.Ports[e.Pick[w.end]:][:1]
}

// behind follows packets that leave a router through a port.
func (w *walker) behind(q int32) fate {
	at := &w.n.Ports[q]
	d := w.locals[at.Subnet]
	if w.p.Down[q] {
		return fate{}
	}
	from := d.g.EndSwitch[at.End]
	if at.Subnet == w.target {
		return w.inside(d, from)
	}
	port := w.gateway(at.Subnet, from)
	if port < 0 {
		return fate{}
	}
	lid := d.p.Ends.Base[w.n.Ports[port].End]
	if lid == 0 || d.to(lid)[from] == lost {
		return fate{}
	}
	h := int(d.to(lid)[from]) + 1
	f := w.follow(w.n.Ports[port].Router)
	f.max, f.mean = f.max+h, f.mean+float64(h)
	return f
}

// inside follows packets from a switch of the target subnet to the group.
func (w *walker) inside(d *localPlan, from int32) fate {
	f, sum := fate{ok: true}, 0
	for _, end := range w.group {
		lid := d.p.Ends.Base[end]
		if lid == 0 || d.to(lid)[from] == lost { // such an end port is a group by itself
			return fate{}
		}
		h := int(d.to(lid)[from])
		f.max, sum = max(f.max, h), sum+h
	}
	f.mean = float64(sum) / float64(len(w.group))
	return f
}

// seeArrive notes that packets for the target come to a router port on some SLs, and the
// consequences: the ports and SLs on which routers send them on.
func (w *walker) seeArrive(port int32, sls uint16) {
	if more := sls &^ w.arrived[port]; more != 0 {
		if w.arrived[port] == 0 {
			w.touched = append(w.touched, port)
		}
		w.arrived[port] |= more
		router := w.n.Ports[port].Router
		for _, q := range w.leaving(router) {
			w.seeLeave(port, q, more)
		}
	}
}

// seeLeave notes that a router sends packets for the group through port q, where they came through
// another port on some SLs.
func (w *walker) seeLeave(port, q int32, sls uint16) {
	if w.p.Down[q] {
		return
	}
	at := &w.n.Ports[q]
	d, to := w.locals[at.Subnet], w.group
	next := int32(-1)
	if at.Subnet != w.target {
		if next = w.gateway(at.Subnet, d.g.EndSwitch[at.End]); next < 0 {
			return
		}
		to = []int32{w.n.Ports[next].End}
	}
	if d.p.Ends.Base[to[0]] == 0 { // an end port without a LID is a group by itself
		return
	}
	locals, layers, out := d.sls(at.End, to), uint16(0), uint16(0)
	for sl := range uint8(route.NumSLs) {
		if sls>>sl&1 == 0 {
			continue
		}
		layer := w.p.LayerMap[w.n.Ports[port].Subnet][at.Subnet][sl/uint8(w.p.SLs)]
		layers |= 1 << (layer & 15)
		for set := locals; set != 0; set &= set - 1 {
			kept := w.onLayer(uint8(bits.TrailingZeros16(set)), layer)
			out |= 1 << kept
			w.inRouter[at.Router].add(w.judge, port, q, sl, kept)
		}
	}
	if next < 0 {
		w.enters(q, layers)
		return
	}
	w.usage[at.Subnet].transit[[2]int32{int32(w.place(q)), int32(w.place(next))}] |= layers
	w.seeArrive(next, out)
}
