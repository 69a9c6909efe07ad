package relief

import (
	"math/bits"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
	"weft/route/internal/intree"
)

// lanes knows the VLs of packets, which keep them between switches, and which channel may follow
// which on each VL.
type lanes struct {
	g       *fabric.Graph
	plan    *route.Plan
	used    uint16              // set of VLs
	several bool                // more than one
	vl      [route.NumSLs]uint8 // by SL
	index   *cdg.Index
	found   [route.NumSLs][]uint64   // by VL: edges of the index, until arrange
	orders  [route.NumSLs]*cdg.Order // by VL; nil if no path uses it
	sent    []uint16                 // by switch: set of VLs of its end ports' packets to sentTo
	sentTo  fabric.LID               // of the last setSent
	passed  []uint16                 // by switch: scratch
	fresh   []cdg.Edge
}

// read reads the lanes of a Plan. It fails if they change on a packet's way.
func (l *lanes) read(g *fabric.Graph, plan *route.Plan) error {
	l.g, l.plan, l.index = g, plan, cdg.NewIndex(g)
	l.sent, l.passed = make([]uint16, g.NumSwitches), make([]uint16, g.NumSwitches)
	used, known := plan.SL.InUse(), uint16(0)
	for _, i := range plan.SL2VL.BetweenSwitches(g) {
		for sl, vl := range plan.SL2VL.Pool[i] {
			if used>>sl&1 == 0 {
				continue
			}
			if known>>sl&1 == 1 && l.vl[sl] != vl {
				return &Impossible{"packets change lanes on their way"}
			}
			l.vl[sl] = vl
			known |= 1 << sl
		}
	}
	for sl := range l.vl {
		l.used |= known >> sl & 1 << l.vl[sl]
		l.several = l.several || known>>sl&1 == 1 && l.vl[sl] != l.vl[bits.TrailingZeros16(known)]
	}
	return nil
}

// setSent sets sent for a LID of an end port: the VLs of requests, and of replies if they keep the
// SL of the request.
func (l *lanes) setSent(end int32, lid fabric.LID) {
	if l.sentTo == lid {
		return
	}
	l.sentTo = lid
	if !l.several {
		for x := range l.sent {
			l.sent[x] = 1 << l.vl[l.plan.SL.At(end, lid)]
		}
		return
	}
	clear(l.sent)
	for other, x := range l.g.EndSwitch {
		base := l.plan.Ends.Base[other]
		if base == 0 {
			continue
		}
		l.sent[x] |= 1 << l.vl[l.plan.SL.At(int32(other), lid)]
		if l.plan.Service.ReplySameSL {
			for k := range l.plan.Ends.Count(int32(other)) {
				l.sent[x] |= 1 << l.vl[l.plan.SL.At(end, base+fabric.LID(k))]
			}
		}
	}
}

// noteDependencies adds the dependencies of the paths to a LID of an end port to found.
func (l *lanes) noteDependencies(end int32, lid fabric.LID, paths *intree.Tree) {
	l.setSent(end, lid)
	copy(l.passed, l.sent)
	for _, x := range paths.Order {
		c := paths.Next[x]
		y := l.g.To[c]
		l.passed[y] |= l.passed[x]
		if d := paths.Next[y]; d >= 0 {
			for vls := l.passed[x]; vls != 0; vls &= vls - 1 {
				l.note(bits.TrailingZeros16(vls), c, d)
			}
		}
	}
}

// note adds a dependency to found.
func (l *lanes) note(vl int, c, d int32) {
	set := &l.found[vl]
	if *set == nil {
		*set = make([]uint64, (l.index.Size+63)/64)
	}
	k := l.index.Number(c, d)
	(*set)[k/64] |= 1 << (k % 64)
}

// noteTrees adds the dependencies of packets of multicast trees to found, where they share a VL
// with paths.
func (l *lanes) noteTrees() {
	vl, ok := cdg.TreeVL(l.g, l.plan)
	if !ok || l.used>>vl&1 == 0 {
		return
	}
	for i := range l.plan.Multicast.Trees {
		cdg.EachTurn(l.g, &l.plan.Multicast.Trees[i], func(c, d int32) { l.note(int(vl), c, d) })
	}
}

// arrange orders the channels of each VL by the dependencies found.
func (l *lanes) arrange() error {
	l.noteTrees()
	for vl := range l.orders {
		if l.used>>vl&1 == 0 {
			continue
		}
		if l.found[vl] == nil { // no path has two channels
			l.found[vl] = make([]uint64, (l.index.Size+63)/64)
		}
		l.orders[vl] = cdg.NewOrderOf(l.index, l.found[vl], cdg.MoveFewer)
		if l.orders[vl] == nil {
			return &Impossible{"its paths close a cycle of dependencies"}
		}
	}
	l.found = [route.NumSLs][]uint64{}
	return nil
}

// admit adds the dependencies of the packets through a switch, listed by Gather, with another next
// channel. If they would close a cycle on a VL, it adds none of that VL and returns false.
func (l *lanes) admit(paths *intree.Tree, x, c int32) bool {
	for _, y := range paths.Above {
		l.passed[y] = l.sent[y]
	}
	for i := len(paths.Above) - 1; i > 0; i-- {
		y := paths.Above[i]
		l.passed[l.g.To[paths.Next[y]]] |= l.passed[y]
	}
	for vls := l.passed[x]; vls != 0; vls &= vls - 1 {
		vl := bits.TrailingZeros16(vls)
		order := l.orders[vl]
		l.fresh = l.fresh[:0]
		add := func(c, d int32) {
			if !order.Has(c, l.index.Rank[d]) {
				l.fresh = append(l.fresh, cdg.Edge{C: c, D: d})
			}
		}
		for y := paths.Child[x]; y >= 0; y = paths.Sibling[y] {
			if l.passed[y]>>vl&1 == 1 {
				add(paths.Next[y], c)
			}
		}
		for from := c; ; {
			to := paths.Next[l.g.To[from]]
			if to < 0 {
				break
			}
			add(from, to)
			from = to
		}
		if len(l.fresh) > 0 && !order.Add(l.fresh) {
			return false
		}
	}
	return true
}
