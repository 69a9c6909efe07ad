package fattree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/lab/opensm"
)

// enginesOfTable3 returns the five engines of Table III under the active readings.
func enginesOfTable3(s *lab.Setup) []lab.Candidate {
	minhop := opensm.MinHop(orderOf(s))
	return []lab.Candidate{
		{Name: "sFtree", Column: "sftree", How: lab.Routing{Engine: sFtree}},
		{Name: "minhop", Column: "minhop", How: lab.Routing{Engine: minhop.Name, Spec: minhop, Seed: s.Seed}},
		{Name: "Up*/Down*", Column: "updn", How: lab.Routing{Engine: "updn"}},
		{Name: "DFSSSP", Column: "dfsssp", How: lab.Routing{Engine: letterDFSSSP, MaxVLs: 15}},
		{Name: "LASH", Column: "lash", How: firstPort()},
	}
}

// letterDFSSSP is DFSSSP as in its paper; weft's prefers paths that fit the first lanes.
const letterDFSSSP = "dfsssp,paths=sssp"

// firstPort returns LASH as section 7.2.3 describes it.
func firstPort() lab.Routing {
	spec := opensm.FirstPort()
	return lab.Routing{Engine: spec.Name, Spec: spec}
}

// nodesGet holds the shares that nodes get, in percent, by fabric and engine.
type nodesGet map[string]map[string]float64

// fiveEngines makes Table III: nodes and switches at full load.
func fiveEngines(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table3", Title: "Uniform traffic of nodes and of switches at full load, as shares of the link of a node",
		Columns: []string{"fabric", "engine", "a node", "paper", "a switch", "roots with paths down", "lanes", "deadlock"},
	}
	load := 1.
	if s.Reads(silentSwitches) {
		load = 0
	}
	got, lashRoots := nodesGet{}, map[string]int{}
	for _, printed := range lab.ReadPrinted(publishedEngines) {
		base := formulas[printed["topology"]]
		got[base] = map[string]float64{}
		levels := newTree(base)
		build := func() *fabric.Graph { return fabricIII(s, base) }
		s.Each(ctx, base, build, enginesOfTable3(s), func(e *lab.Candidate, trial *lab.Trial) {
			mustBeRouted(e, trial)
			g := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR)
			v := together(ctx, g, trial.Plan, hardwareIII(s), load, s.SeedOf(base))
			_, roots, _ := (&tree{trial.Graph, levels.level, levels.top}).rootsUsed(allPairs(ctx, s, trial))
			if e.Name == "LASH" {
				lashRoots[base] = roots
			}
			got[base][e.Name] = 100 * v.nodes
			t.Add(base, e.Name, percent(v.nodes), printed[e.Column]+" %", percent(v.switches), fmt.Sprint(roots), fmt.Sprint(trial.Plan.VLs), trial.Deadlock())
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: got.claims(lashRoots)}
}

// claims lists the claims of Table III and section 7.2.3.
func (got nodesGet) claims(lashRoots map[string]int) (claims []lab.Claim) {
	for _, printed := range lab.ReadPrinted(publishedEngines) {
		base := formulas[printed["topology"]]
		best, ahead, all := 0., 0., true
		for _, e := range []struct{ name, column string }{{"sFtree", "sftree"}, {"minhop", "minhop"}, {"Up*/Down*", "updn"}, {"DFSSSP", "dfsssp"}, {"LASH", "lash"}} {
			v, ok := got[base][e.name]
			p := printed.Number(e.column)
			within := lab.Exact
			if e.name == "LASH" { // the text says "little"
				within = p / 10
			}
			claims = append(claims, lab.Level(base+": "+e.name, printed[e.column]+" %", p, within).JudgedBy(v, ok))
			if all = all && ok; e.name != "sFtree" {
				best = max(best, v)
			}
		}
		ahead = got[base]["sFtree"] - best
		roots, ok := lashRoots[base]
		one := lab.RangeClaim{Claim: lab.NewClaim(base+": roots that LASH uses", "one of 18"), Low: 1, High: 1, Format: "%.0f"}
		claims = append(claims,
			lab.Signed(lab.InRange(base+": sFtree gives more than the best of the others", "only sFtree is able to achieve high performance", lab.Noise, lab.Most)).JudgedBy(ahead, all),
			one.JudgedBy(float64(roots), ok))
	}
	for _, name := range []string{"sFtree", "minhop", "Up*/Down*", "DFSSSP", "LASH"} {
		a, ok1 := got["fat648"][name]
		b, ok2 := got["racks648"][name]
		loses := lab.InRange(name+" loses on the more complex tree", "all apart from sFtree deteriorate", lab.Noise, lab.Most)
		if name == "sFtree" {
			loses = lab.InRange("sFtree does not lose on the more complex tree, its loss", "all apart from sFtree deteriorate: -1.0 %", -lab.Most, lab.Noise)
		}
		claims = append(claims, lab.Signed(loses).JudgedBy(a-b, ok1 && ok2))
	}
	return claims
}
