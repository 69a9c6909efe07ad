package check

import (
	"weft/fabric"
	"weft/route"
)

// lost is the distance of a LID that is not delivered.
const lost int16 = -1

// localPlan is one local Plan on its Graph.
type localPlan struct {
	g     *fabric.Graph
	p     *route.Plan
	hops  []int16 // by LID and switch: links between switches to where it is delivered, or lost
	part  []int32 // by switch: its connected part
	lids  int
	byIn  bool   // some VL depends on the input port
	oneSL bool   // all packets have one SL
	alone []bool // by end port: judge.notReached
}

func newLocalPlan(g *fabric.Graph, p *route.Plan) *localPlan {
	d := &localPlan{g: g, p: p, lids: int(p.Ends.Top()) + 1, oneSL: p.SL.NumSrc == 1 && p.SL.NumDst == 1}
	for i := range p.SL2VL.Switch {
		d.byIn = d.byIn || p.SL2VL.Switch[i].By == route.ByInOut
	}
	d.hops = make([]int16, d.lids*g.NumSwitches)
	for i := range d.hops {
		d.hops[i] = lost
	}
	stack := make([]int32, 0, g.NumSwitches)
	seen := make([]int32, g.NumSwitches) // LID for which a switch was visited
	for end := range int32(g.NumEnds) {
		if base := p.Ends.Base[end]; base != 0 {
			d.measure(end, base, seen, stack)
		}
	}
	d.findParts()
	return d
}

// to returns the distances to a LID, by switch.
func (d *localPlan) to(lid fabric.LID) []int16 {
	return d.hops[int(lid)*d.g.NumSwitches:][:d.g.NumSwitches]
}

// measure follows the tables from every switch to the LID of an end port.
func (d *localPlan) measure(end int32, lid fabric.LID, seen, stack []int32) {
	hops := d.to(lid)
	for start := range int32(d.g.NumSwitches) {
		stack = stack[:0]
		s, at := start, lost
		for seen[s] != int32(lid) {
			seen[s] = int32(lid)
			stack = append(stack, s)
			port := d.p.Tables.Port(s, lid)
			if port == 0 {
				if d.g.PortZero(s) == end {
					at = 0
				}
				break
			}
			c, host := d.g.At(s, port)
			if c < 0 {
				if host >= 0 && host == end {
					at = 0
				}
				break
			}
			s = d.g.To[c]
		}
		if len(stack) == 0 {
			continue
		}
		if last := stack[len(stack)-1]; s != last || at != 0 { // came to a switch known before, or to a dead end
			if s == last {
				continue // all stay lost
			}
			if at = hops[s]; at == lost {
				continue
			}
			at++
		}
		for i := len(stack) - 1; i >= 0; i-- {
			hops[stack[i]] = at
			at++
		}
	}
}

// findParts numbers the connected parts of the switches.
func (d *localPlan) findParts() {
	d.part = make([]int32, d.g.NumSwitches)
	for s := range d.part {
		d.part[s] = -1
	}
	next := int32(0)
	for s := range int32(d.g.NumSwitches) {
		if d.part[s] >= 0 {
			continue
		}
		d.part[s] = next
		for stack := []int32{s}; len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, c := range d.g.OutOf(at) {
				if to := d.g.To[c]; d.part[to] < 0 {
					d.part[to] = next
					stack = append(stack, to)
				}
			}
		}
		next++
	}
}

// vl returns the VL of packets on an SL that enter a switch through port in and leave through port
// out.
func (d *localPlan) vl(s int32, in, out, sl uint8) uint8 { return d.p.SL2VL.Table(d.g, s, in, out)[sl] }
