package dfsssp

import (
	"context"
	"fmt"

	"weft/internal/chart"
	"weft/lab"
)

// fig10 counts the lanes of LASH and DFSSSP on the six real systems.
func (p *paper) fig10(ctx context.Context, s *lab.Setup) *lab.Result {
	six := lab.Pick(s, smallSystems, systems)
	t := lab.Table{Name: "fig10", Title: "Lanes on the six real systems", Columns: []string{"system", "engine", "lanes", "is"}}
	c := chart.Chart{Name: "fig10", Title: "Lanes needed on real systems", Kind: chart.Bars, Y: chart.Axis{Label: "lanes"}}
	columns := []string{lash, dfsssp, fewLanes}
	for _, e := range columns {
		c.Series = append(c.Series, chart.Series{Name: e})
	}
	result := &lab.Result{Notes: []string{fig10Note}}
	for i, n := range six {
		c.Categories = append(c.Categories, n.name)
		needed := map[string]int{}
		for k, e := range columns {
			if !s.Want(n.name + " " + e) {
				continue
			}
			way := routingOf(s, e)
			lanes := once(p, fmt.Sprintf("lanes of %s on %s", way.Engine, n.wired(s).formula), func() int {
				n, _ := lanesFor(ctx, s, p.graph(s, n), e)
				return n
			})
			needed[e] = lanes
			t.Add(n.name, e, count(lanes), way.Engine)
			c.Series[k].Add(float64(i), float64(lanes), 0, 0)
		}
		claim := lab.NewClaim(n.name+": DFSSSP needs fewer lanes than LASH", "DFSSSP better")
		if needed[lash] > 0 && needed[dfsssp] > 0 {
			claim.Judge(needed[dfsssp] < needed[lash], "DFSSSP %d, LASH %d", needed[dfsssp], needed[lash])
		}
		result.Claims = append(result.Claims, claim)
	}
	result.Tables, result.Charts = []lab.Table{t}, lab.NonEmpty(c)
	return result
}

const fig10Note = "Weft's dfsssp chooses paths that take fewer lanes. The bars of the figure were never printed as numbers. Odin is a pure fat-tree: no shortest paths on it close a cycle, so every routing takes one lane, and none takes fewer than another."
