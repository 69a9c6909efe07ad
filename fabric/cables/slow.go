package cables

import (
	"cmp"
	"fmt"

	"weft/fabric"
)

// rate is a width and a speed.
type rate struct {
	width fabric.Width
	speed fabric.Speed
}

func (r rate) mbps() int32    { return fabric.Rate(r.width, r.speed) }
func (r rate) String() string { return fmt.Sprintf("%dx%s", r.width, r.speed) }

// least returns the lesser width and the lesser speed of two rates.
func (r rate) least(o rate) rate { return rate{min(r.width, o.width), min(r.speed, o.speed)} }

// most returns the greater width and the greater speed of two rates.
func (r rate) most(o rate) rate { return rate{max(r.width, o.width), max(r.speed, o.speed)} }

// model is a model of device. A node with an unknown device is a model of its own.
type model struct {
	typ            fabric.NodeType
	vendor, device uint32
	node           fabric.NodeID // -1 if the device is known
}

func modelOf(f *fabric.Fabric, id fabric.NodeID) model {
	n := &f.Nodes[id]
	if n.DeviceID == 0 {
		return model{typ: n.Type, node: id}
	}
	return model{n.Type, n.VendorID, n.DeviceID, -1}
}

func (m model) compare(o model) int {
	return cmp.Or(cmp.Compare(m.typ, o.typ), cmp.Compare(m.vendor, o.vendor), cmp.Compare(m.device, o.device), cmp.Compare(m.node, o.node))
}

// cableKind names the two ends of cables: two models, two types of node if a device is unknown, or
// two nodes for parallel cables.
type cableKind struct{ a, b model }

// rateCounts counts similar cables by their rate.
type rateCounts map[rate]int

// commonest returns the most common rate, the greatest of equals, the number of cables with it, and
// the number of all cables.
func (l rateCounts) commonest() (best rate, n, all int) {
	for r, k := range l {
		all += k
		if k > n || k == n && (r.mbps() > best.mbps() || r.mbps() == best.mbps() && r.width > best.width) {
			best, n = r, k
		}
	}
	return best, n, all
}

// slowCables finds cables that are slower than they could be.
type slowCables struct {
	f      *fabric.Fabric
	can    map[model]rate           // the highest rate seen at ports of a model
	others map[cableKind]rateCounts // rates of cables by their ends
	beside map[cableKind]rate       // the best rate between the same two nodes
}

// slow lists the cables that are slower than the best rate that both ends reach elsewhere in the
// fabric. If most similar cables are no faster, this is taken as intended. Of parallel cables,
// every one slower than the best is listed.
func slow(f *fabric.Fabric) []Odd {
	s := &slowCables{f: f, can: map[model]rate{}, others: map[cableKind]rateCounts{}, beside: map[cableKind]rate{}}
	for i := range f.Links {
		s.note(fabric.LinkID(i))
	}
	var odd []Odd
	for i := range f.Links {
		if o, is := s.judge(fabric.LinkID(i)); is {
			odd = append(odd, o)
		}
	}
	return odd
}

func (s *slowCables) rate(id fabric.LinkID) (r rate, ok bool) {
	l := &s.f.Links[id]
	r = rate{l.Width, l.Speed}
	return r, s.f.LinkUp(id) && r.mbps() > 0
}

// kindOf returns the ends of a cable by model, or by type if a device is unknown, and by node.
func (s *slowCables) kindOf(id fabric.LinkID) (models, nodes cableKind) {
	l := &s.f.Links[id]
	a, b := modelOf(s.f, l.A.Node), modelOf(s.f, l.B.Node)
	nodes = ordered(model{node: l.A.Node}, model{node: l.B.Node})
	for _, m := range []*model{&a, &b} {
		if m.node >= 0 {
			*m = model{typ: m.typ, node: -1}
		}
	}
	return ordered(a, b), nodes
}

func ordered(a, b model) cableKind {
	if b.compare(a) < 0 {
		a, b = b, a
	}
	return cableKind{a, b}
}

func (s *slowCables) note(id fabric.LinkID) {
	r, ok := s.rate(id)
	if !ok {
		return
	}
	l := &s.f.Links[id]
	for _, e := range []fabric.End{l.A, l.B} {
		m := modelOf(s.f, e.Node)
		s.can[m] = s.can[m].most(r)
	}
	models, nodes := s.kindOf(id)
	if s.others[models] == nil {
		s.others[models] = rateCounts{}
	}
	s.others[models][r]++
	if s.beside[nodes].mbps() < r.mbps() {
		s.beside[nodes] = r
	}
}

// byDesign is the fewest similar cables whose common rate counts as intended.
const byDesign = 3

func (s *slowCables) judge(id fabric.LinkID) (Odd, bool) {
	r, ok := s.rate(id)
	if !ok {
		return Odd{}, false
	}
	l := &s.f.Links[id]
	models, nodes := s.kindOf(id)
	usual, n, all := s.others[models].commonest()
	a, b := modelOf(s.f, l.A.Node), modelOf(s.f, l.B.Node)
	can := s.can[a].least(s.can[b])
	if 4*n > 3*all && (a.node >= 0 || b.node >= 0) {
		can = can.most(usual) // nearly all similar cables show what an unknown device can do
	}
	want, why := can, "both ends do so elsewhere"
	switch beside := s.beside[nodes]; {
	case beside.mbps() > r.mbps():
		want, why = beside, "others between the two do so"
	case n >= byDesign && usual.mbps() > r.mbps() && usual.mbps() <= can.mbps():
		want, why = usual, fmt.Sprintf("%d others of the kind do so", n)
	case n >= byDesign && usual.mbps() <= r.mbps() || can.mbps() <= r.mbps():
		return Odd{}, false
	}
	text := fmt.Sprintf("%s of %s: %s", r, want, why)
	return Odd{Kind: Slow, Ports: s.f.LinkPorts(id), Text: text, weight: float64(want.mbps() - r.mbps())}, true
}
