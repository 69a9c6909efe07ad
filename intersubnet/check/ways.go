package check

// ways follows the packets of all subnets to all targets in others.
func (j *judge) ways() {
	w := &walker{
		judge: j, fate: make([]fate, len(j.n.Routers)), state: make([]uint8, len(j.n.Routers)),
		arrived: make([]uint16, len(j.n.Ports)), sent: map[int32]*sending{}, sum: 0,
	}
	for target := range int32(len(j.n.Subnets)) {
		for end := range int32(j.grounds[target].g.NumEnds) {
			if j.judged(target, end) {
				w.to(target, end)
			}
		}
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

// sending sums up the ways from the end ports of a subnet to one of its router ports.
type sending struct {
	reach int64 // end ports whose packets arrive
	hops  int64 // of these, in sum
	max   int
	sls   uint16
}

// What state holds of a router while one target is followed.
const (
	unseen uint8 = iota
	underWay
	done
)

// walker follows packets to one target after the other.
type walker struct {
	*judge
	fate    []fate  // by router
	state   []uint8 // by router
	arrived []uint16
	touched []int32            // router ports with something in arrived
	routers []int32            // with state
	sent    map[int32]*sending // by router port
	target  int32
	end     int32
	looped  bool
	sum     float64
}

// to follows the packets of all other subnets to an end port.
func (w *walker) to(target, end int32) {
	w.target, w.end, w.looped = target, end, false
	for _, r := range w.routers {
		w.state[r] = unseen
	}
	for _, p := range w.touched {
		w.arrived[p] = 0
	}
	w.routers, w.touched = w.routers[:0], w.touched[:0]
	for s := range int32(len(w.n.Subnets)) {
		if s != target {
			w.from(s)
		}
	}
	if w.looped {
		w.r.Loops++
	}
}

// from follows the packets of one subnet.
func (w *walker) from(s int32) {
	all := w.count[s]
	w.r.Pairs += all
	joined := int64(0) // end ports that could reach the target
	here := w.partOf(w.target, w.end)
	for part, size := range w.parts.sizes[s] {
		if w.parts.find(w.parts.of[s][part]) == here {
			joined += size
		}
	}
	w.r.Disconnected += all - joined
	port := w.gateway(s)
	if port < 0 {
		w.lose(s, joined, "there is no gateway")
		return
	}
	at := w.sending(port)
	w.seeArrive(port, at.sls)
	f := w.follow(w.n.Ports[port].Router)
	if !f.ok {
		w.lose(s, joined, "packets are lost behind "+w.n.PortName(port))
		return
	}
	if at.reach < joined {
		w.lose(s, joined-at.reach, "the way to "+w.n.PortName(port)+" is lost")
	}
	w.sum += float64(at.hops) + float64(at.reach)*(1+f.mean)
	if at.reach > 0 {
		w.r.Hops.Max = max(w.r.Hops.Max, at.max+1+f.max)
		w.r.Hops.Routers = max(w.r.Hops.Routers, f.routers)
	}
}

// lose counts pairs that are not delivered.
func (w *walker) lose(s int32, pairs int64, why string) {
	if pairs > 0 {
		w.r.Unreachable += pairs
		w.r.fault("%d end ports of subnet %q do not reach %s: %s", pairs, w.n.Subnets[s].Name, w.n.EndName(w.target, w.end), why)
	}
}

// gateway is the router port to which a subnet sends packets for the target, -1 for none that it has.
func (w *walker) gateway(s int32) int32 {
	row := w.p.Gateway[s][w.target]
	if int(w.end) >= len(row) {
		return -1
	}
	port := row[w.end]
	if port < 0 || int(port) >= len(w.n.Ports) || w.n.Ports[port].Subnet != s || w.p.Down[port] {
		return -1
	}
	return port
}

// sending sums up the end ports of a subnet that send to a router port of it.
func (w *walker) sending(port int32) *sending {
	if at := w.sent[port]; at != nil {
		return at
	}
	at := &sending{}
	w.sent[port] = at
	s := w.n.Ports[port].Subnet
	d := w.grounds[s]
	lid := d.p.Ends.Base[w.n.Ports[port].End]
	if lid == 0 {
		return at
	}
	hops := d.to(lid)
	for e := range int32(d.g.NumEnds) {
		if h := hops[d.g.EndSwitch[e]]; h != lost && w.judged(s, e) && d.p.Ends.Base[e] != 0 {
			at.reach++
			at.hops += int64(h)
			at.max = max(at.max, int(h))
			at.sls |= 1 << d.p.SL.At(e, lid)
		}
	}
	return at
}

// follow finds out what becomes of packets from a router on, and notes the ports and SLs by which they leave.
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

// leaving lists the ports by which a router could send packets for the target.
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

// behind follows packets that leave a router by a port.
func (w *walker) behind(q int32) fate {
	at := &w.n.Ports[q]
	d := w.grounds[at.Subnet]
	from := d.g.EndSwitch[at.End]
	if w.p.Down[q] {
		return fate{}
	}
	if at.Subnet == w.target {
		lid := d.p.Ends.Base[w.end]
		if lid == 0 || d.to(lid)[from] == lost {
			return fate{}
		}
		h := int(d.to(lid)[from])
		return fate{ok: true, max: h, mean: float64(h)}
	}
	port := w.gateway(at.Subnet)
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

// seeArrive notes that packets for the target come to a router by a port on some SLs, and what follows: on which the router sends them on, and so on.
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

// seeLeave notes that a router sends packets for the target, which came by one port on some SLs, by another.
func (w *walker) seeLeave(port, q int32, sls uint16) {
	at := &w.n.Ports[q]
	d, to := w.grounds[at.Subnet], w.end
	next := int32(-1)
	if at.Subnet != w.target {
		if next = w.gateway(at.Subnet); next < 0 {
			return
		}
		to = w.n.Ports[next].End
	}
	lid := d.p.Ends.Base[to]
	if lid == 0 || w.p.Down[q] {
		return
	}
	local, out := d.p.SL.At(at.End, lid), uint16(0)
	for sl := range uint8(16) {
		if sls>>sl&1 == 0 {
			continue
		}
		kept := w.p.LayerMap[w.n.Ports[port].Subnet][at.Subnet][sl/uint8(w.p.SLs)]*uint8(w.p.SLs) + local
		out |= 1 << (kept & 15)
		w.joints[at.Router].see(w.judge, port, q, sl, kept&15)
	}
	u := w.usage[at.Subnet]
	if u.enter[lid] == nil {
		u.enter[lid] = make([]uint16, len(w.n.Subnets[at.Subnet].Ports))
	}
	u.enter[lid][w.place(q)] |= out
	if next >= 0 {
		w.seeArrive(next, out)
	}
}
