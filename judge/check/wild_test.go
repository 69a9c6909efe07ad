package check

import (
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/route"
)

// wild draws a Plan that need not fit the graph, from a good one or from nothing.
func wild(t *testing.T, seed uint64, graphs []*fabric.Graph) (*fabric.Graph, *route.Plan) {
	r := rand.New(rand.NewPCG(seed, 1))
	x := halves(t)
	if r.IntN(2) == 0 {
		x = lineAndRing(t)
	}
	g, p := x.g, x.p
	if r.IntN(20) == 0 {
		g = graphs[r.IntN(len(graphs))]
	}
	for range r.IntN(4) {
		wildPart(r, g, p)
	}
	return g, p
}

func wildPart(r *rand.Rand, g *fabric.Graph, p *route.Plan) {
	odd := func() int32 { return []int32{-1, 0, 1, 2, 9, 100, 1 << 30, -1 << 31}[r.IntN(8)] }
	change32 := func(list []int32) []int32 {
		if len(list) > 0 && r.IntN(3) > 0 {
			list[r.IntN(len(list))] = odd()
			return list
		}
		return list[:r.IntN(len(list)+1)]
	}
	switch r.IntN(12) {
	case 0:
		p.Ends.Base = p.Ends.Base[:r.IntN(len(p.Ends.Base)+1)]
	case 1:
		if n := len(p.Ends.Base); n > 0 {
			p.Ends.Base[r.IntN(n)] = fabric.LID(r.Uint32())
			p.Ends.LMC[r.IntN(n)] = uint8(r.Uint32())
		}
	case 2:
		p.Tables = nil
	case 3:
		p.Tables = route.NewTables(r.IntN(7), fabric.LID(r.IntN(300)))
	case 4:
		for range 10 {
			if p.Tables != nil && p.Tables.NumSwitches() > 0 {
				p.Tables.Set(int32(r.IntN(p.Tables.NumSwitches())), fabric.LID(r.IntN(60)), uint8(r.Uint32()))
			}
		}
	case 5:
		p.Choice = route.Choice{By: route.ChoiceBy(r.IntN(5)), Start: make([]int32, g.NumEnds+1), Target: make([]int32, r.IntN(3)), Offset: make([]uint8, r.IntN(3))}
		p.Choice.Start = change32(p.Choice.Start)
		p.Choice.Target = change32(p.Choice.Target)
	case 6:
		p.SL = &route.SLs{Src: make([]int32, g.NumEnds), Dst: make([]int32, r.IntN(100)), NumSrc: int(odd()), NumDst: int(odd()), Cells: make([]uint8, r.IntN(100))}
	case 7:
		if p.SL != nil {
			p.SL.Src = change32(append([]int32(nil), p.SL.Src...))
			p.SL.Dst = change32(p.SL.Dst)
		}
	case 8:
		p.SL2VL.Pool = p.SL2VL.Pool[:r.IntN(len(p.SL2VL.Pool)+1)]
	case 9:
		for range 3 {
			s := r.IntN(len(p.SL2VL.Switch) + 1)
			if s < len(p.SL2VL.Switch) {
				p.SL2VL.Switch[s] = route.SwitchSL2VL{By: route.SL2VLBy(r.IntN(4)), Index: make([]uint16, []int{0, 1, 4, 16}[r.IntN(4)])}
			}
		}
	case 10:
		p.SL2VL.Host = p.SL2VL.Host[:r.IntN(len(p.SL2VL.Host)+1)]
		p.SL2VL.Switch = p.SL2VL.Switch[:r.IntN(len(p.SL2VL.Switch)+1)]
	case 11:
		p.Service.Default = uint8(r.Uint32())
		if len(p.SL2VL.Pool) > 0 {
			p.SL2VL.Pool[0][r.IntN(16)] = uint8(r.Uint32())
		}
	}
}
