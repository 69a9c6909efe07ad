package cdg

import (
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// EachTurn visits the dependencies of packets of a multicast tree: channel d follows channel c. A
// packet is copied at each switch, and waits for all copies.
func EachTurn(g *fabric.Graph, t *route.SpanningTree, visit func(c, d int32)) {
	leave := make([][]int32, g.NumSwitches)
	for _, c := range t.Up {
		if c >= 0 {
			leave[g.From[c]] = append(leave[g.From[c]], c)
			leave[g.To[c]] = append(leave[g.To[c]], c^1)
		}
	}
	for _, list := range leave {
		for _, back := range list {
			for _, out := range list {
				if out != back {
					visit(back^1, out)
				}
			}
		}
	}
}

// TreeVL returns the VL of packets of a Plan's multicast trees between switches. It is false
// without trees, and where their packets change VLs.
func TreeVL(g *fabric.Graph, p *route.Plan) (vl uint8, ok bool) {
	switch m := p.Multicast; {
	case m == nil:
		return 0, false
	case p.SL2VL == nil:
		return 0, true
	default:
		vls := p.SL2VL.VLs(p.SL2VL.BetweenSwitches(g), 1<<m.SL)
		return uint8(bits.TrailingZeros16(vls)), bits.OnesCount16(vls) == 1
	}
}
