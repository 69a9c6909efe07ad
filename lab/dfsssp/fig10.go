package dfsssp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
)

// otherDeimos are readings of Deimos beside the main one: an experiment.
var otherDeimos = []network{{"chain 15", "deimos-chain15"}, {"chain 30", "deimos-chain30"}, {"packed", packedReading.formula}}

// fig10 counts the lanes of LASH and DFSSSP on the six real systems.
func fig10(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	six := lab.Pick(s, smallSystems, systems)
	engines := []string{"lash", dfssspPlain, dfssspFew}
	t := lab.Table{Name: "fig10", Title: "Lanes on the six real systems, and on other readings of Deimos", Columns: []string{"system", "engine", "lanes", "deadlock", "refused because"}}
	c := chart.Chart{Name: "fig10", Title: "Lanes needed on real systems (the last three: other readings of Deimos)", Kind: chart.Bars, Y: chart.Axis{Label: "lanes"}}
	for _, e := range engines {
		c.Series = append(c.Series, chart.Series{Name: e})
	}
	claims := map[string]lab.Claim{}
	for i, n := range slices.Concat(six, otherDeimos) {
		c.Categories = append(c.Categories, n.name)
		g, err := n.graph()
		if err != nil {
			return nil, err
		}
		lanes := map[string]int{}
		for k, e := range engines {
			if !s.Want(n.name + " " + e) {
				continue
			}
			l, err := layered(ctx, s, g, e)
			if err != nil {
				return nil, err
			}
			text := count(l.lanes)
			if !l.exact {
				text = "at least " + text
			}
			lanes[e] = l.lanes
			t.Add(n.name, e, text, l.deadlock, l.refused)
			c.Series[k].Add(float64(i), float64(l.lanes), 0, 0)
		}
		claims[n.name] = fewer(n.name, lanes)
	}
	result := &lab.Result{Tables: []lab.Table{t}, Charts: charts(c), Notes: []string{plainNote, packedNote}}
	for _, n := range six {
		claim := claims[n.name]
		if packed := claims["packed"]; n.name == "Deimos" && packed.Verdict != lab.NotRun {
			claim.Explain(packed.Verdict == lab.Holds, "Experiment, links between directors packed on few leaves: %s.", packed.Ours)
		}
		result.Claims = append(result.Claims, claim)
	}
	return result, nil
}

// laneCount is what an engine's lanes came to.
type laneCount struct {
	lanes             int
	exact             bool
	deadlock, refused string
}

// layered counts the lanes of an engine of Fig. 10.
func layered(ctx context.Context, s *lab.Setup, g *fabric.Graph, name string) (laneCount, error) {
	engines := map[string]string{dfssspPlain: plainDFSSSP, dfssspFew: fewLanes}
	trial, err := s.Route(ctx, g, lab.Routing{Engine: cmp.Or(engines[name], name), MaxVLs: allVLs, Seed: s.Seed})
	if err != nil {
		return laneCount{}, err
	}
	l := laneCount{deadlock: trial.Deadlock(), refused: trial.Refused}
	l.lanes, l.exact = lanesOf(trial)
	return l, nil
}

// fewer is the claim that DFSSSP performs better than LASH on a system.
func fewer(system string, lanes map[string]int) lab.Claim {
	c := lab.Claim{Text: system + ": DFSSSP needs no more lanes than LASH", Paper: "DFSSSP better", Ours: "-", Verdict: lab.NotRun}
	l, d := lanes["lash"], lanes[dfssspPlain]
	if l == 0 || d == 0 {
		return c
	}
	c.Ours = fmt.Sprintf("DFSSSP %d, LASH %d", d, l)
	c.Verdict = lab.Judged(d <= l)
	return c
}
