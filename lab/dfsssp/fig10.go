package dfsssp

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/route/lanes/offline"
)

// otherDeimos are readings of Deimos beside the main one: an experiment.
var otherDeimos = []network{{"chain 15", "deimos-chain15"}, {"chain 30", "deimos-chain30"}, {"packed", packedReading.formula}}

// fig10 counts the lanes of LASH and DFSSSP on the six real systems.
func fig10(ctx context.Context, s *lab.Setup) *lab.Result {
	six := lab.Pick(s, smallSystems, systems)
	engines := []string{"lash", dfssspPlain, oneTreeName, dfssspFew}
	t := lab.Table{Name: "fig10", Title: "Lanes on the six real systems, and on other readings of Deimos", Columns: []string{"system", "engine", "lanes", "deadlock", "refused because"}}
	c := chart.Chart{Name: "fig10", Title: "Lanes needed on real systems (the last three: other readings of Deimos)", Kind: chart.Bars, Y: chart.Axis{Label: "lanes"}}
	for _, e := range engines {
		c.Series = append(c.Series, chart.Series{Name: e})
	}
	claims, shared := map[string]lab.Claim{}, map[string]lab.Claim{} // with a tree for each host, and one for all of a switch
	for i, n := range slices.Concat(six, otherDeimos) {
		c.Categories = append(c.Categories, n.name)
		g := n.graph()
		needed := map[string]int{}
		for k, e := range engines {
			if !s.Want(n.name + " " + e) {
				continue
			}
			l := layered(ctx, s, g, e)
			text := count(l.lanes)
			if !l.exact {
				text = "at least " + text
			}
			needed[e] = l.lanes
			t.Add(n.name, e, text, l.deadlock, l.refused)
			c.Series[k].Add(float64(i), float64(l.lanes), 0, 0)
		}
		claims[n.name], shared[n.name] = fewer(n.name, needed[dfssspPlain], needed["lash"]), fewer(n.name, needed[oneTreeName], needed["lash"])
	}
	result := &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Notes: []string{plainNote, oneTreeNote, spreadNote, packedNote}}
	for _, n := range six {
		claim := claims[n.name]
		if one := shared[n.name]; one.Verdict != lab.NotRun {
			claim.Explain(one.Verdict == lab.Holds, "Experiment, one tree for all hosts of a switch: %s.", one.Ours)
		}
		result.Claims = append(result.Claims, claim)
	}
	return result
}

// laneCount holds how many lanes an engine needs.
type laneCount struct {
	lanes             int
	exact             bool
	deadlock, refused string
}

// layered counts the lanes of an engine of Fig. 10.
func layered(ctx context.Context, s *lab.Setup, g *fabric.Graph, name string) laneCount {
	engines := map[string]string{dfssspPlain: plainDFSSSP, dfssspFew: fewLanes}
	how := lab.Routing{Engine: cmp.Or(engines[name], name), MaxVLs: allVLs, Seed: s.Seed}
	if name == oneTreeName {
		how.Spec = oneTree(offline.Weakest)
	}
	trial := lab.Must(s.Route(ctx, g, how))
	l := laneCount{deadlock: trial.Deadlock(), refused: trial.Refused}
	l.lanes, l.exact = lanesOf(trial)
	return l
}

// fewer is the claim that DFSSSP performs better than LASH on a system.
func fewer(system string, dfsssp, lash int) lab.Claim {
	c := lab.NewClaim(system+": DFSSSP needs no more lanes than LASH", "DFSSSP better")
	if lash == 0 || dfsssp == 0 {
		return c
	}
	c.Judge(dfsssp <= lash, "DFSSSP %d, LASH %d", dfsssp, lash)
	return c
}
