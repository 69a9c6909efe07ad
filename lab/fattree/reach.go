package fattree

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/judge/check"
	"weft/lab"
	"weft/route"
)

// reachable counts the ordered pairs of switches that the tables connect.
func reachable(t *lab.Trial) (joined, pairs int) {
	n := int32(t.Graph.NumSwitches)
	for a := range n {
		for b := range n {
			if a == b {
				continue
			}
			pairs++
			if _, ok := t.Plan.Tables.Hops(t.Graph, a, t.Plan.Ends.Base[t.Graph.PortZero(b)]); ok {
				joined++
			}
		}
	}
	return joined, pairs
}

// switchEngines are ftree's ways to treat switches as targets, and a rival.
var switchEngines = []lab.Candidate{
	{Name: "none", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=none"}},
	{Name: "sFtree", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=sftree"}},
	{Name: "ours", How: lab.Routing{Engine: "ftree,switches=all"}},
	{Name: "minhop", How: lab.Routing{Engine: "minhop"}},
}

// cutLinks fails a twentieth of the links up.
const cutLinks = "|fail(share=0.05,links=up,seed=1)"

// fabricsOfPaper3 returns the fabrics on which switches must reach each other.
func fabricsOfPaper3(s *lab.Setup) []string {
	return lab.Pick(s,
		[]string{"fat648", "racks648", "racks648" + cutLinks},
		[]string{
			"fat648", "racks648", "fat3456", "juropa", "ranger", "dual4608",
			"fat648" + cutLinks, "racks648" + cutLinks, "fat3456" + cutLinks, "juropa" + cutLinks,
		})
}

// countedClaim is a claim about fabrics. It holds if it holds on each of them.
type countedClaim struct {
	lab.Claim
	fabrics, holding int
}

func (c *countedClaim) count(holds bool) {
	c.fabrics++
	if holds {
		c.holding++
	}
	c.Judge(c.holding == c.fabrics, "%d of %d fabrics", c.holding, c.fabrics)
}

// switchClaims are the claims about switches that reach each other.
type switchClaims struct{ none, full, rival, same countedClaim }

// switchToSwitch counts the switches that reach each other, and judges deadlock.
func switchToSwitch(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "switches", Title: "Pairs of switches that reach each other, and deadlock with the traffic of switches",
		Columns: []string{"fabric", "engine", "pairs of switches", "joined", "lanes", "deadlock", "refused because"},
	}
	claims := switchClaims{
		none:  countedClaim{Claim: lab.NewClaim("fat-tree routing alone leaves pairs of switches apart", "not fully connected (section 1)")},
		full:  countedClaim{Claim: lab.NewClaim("sFtree joins all switches of a regular tree, free of deadlock, on one lane", "Theorem 5.2")},
		rival: countedClaim{Claim: lab.NewClaim("minhop may deadlock on fat-trees of three stages", "almost any (section 7.1.3)")},
		same:  countedClaim{Claim: lab.NewClaim("sFtree leaves the paths to nodes as they are", "retains all the performance characteristics (section 1)")},
	}
	for _, formula := range fabricsOfPaper3(s) {
		var plain *lab.Trial
		s.Each(ctx, formula, func() *fabric.Graph { return fabricIII(s, formula) }, switchEngines, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(formula, e.Name, "-", "-", "-", "-", trial.Refused)
				if e.Name == "sFtree" && isWhole(formula) {
					claims.full.count(false)
				}
				return
			}
			joined, pairs := reachable(trial)
			t.Add(formula, e.Name, fmt.Sprint(pairs), fmt.Sprint(joined), fmt.Sprint(trial.Plan.VLs), trial.Deadlock(), "")
			if isWhole(formula) {
				claims.add(formula, e.Name, trial, plain, joined, pairs)
			}
			if e.Name == "none" {
				plain = trial
			}
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{claims.none.Claim, claims.full.Claim, claims.rival.Claim, claims.same.Claim}, Notes: []string{
		"Deadlock is the judge's word: none; hosts none (only with the traffic of switches); possible. On degraded trees lemma 5.9 of the paper fails: its subtree may then close a cycle. Ours, ftree with its defaults, is beyond the paper.",
	}}
}

// isWhole reports whether a fabric is one of the paper's, unchanged.
func isWhole(formula string) bool { return !strings.Contains(formula, "|") }

// add judges the claims on a fabric that an engine routed; plain is the first engine's Trial.
func (c *switchClaims) add(formula, engine string, trial, plain *lab.Trial, joined, pairs int) {
	switch engine {
	case "none":
		c.none.count(joined < pairs)
	case "sFtree":
		c.full.count(joined == pairs && trial.Report.DeadlockFree == check.Yes && trial.Plan.VLs <= 1)
		if plain != nil {
			c.same.count(samePathsToHosts(plain, trial))
		}
	case "minhop":
		if formula != "fat648" {
			c.rival.count(trial.Report.DeadlockFree == check.No)
		}
	}
}

// samePathsToHosts reports whether two Plans of a fabric use the same paths to all hosts.
func samePathsToHosts(a, b *lab.Trial) bool {
	for sw := range int32(a.Graph.NumSwitches) {
		for h := range a.Graph.NumHosts {
			if a.Plan.Tables.Port(sw, a.Plan.Ends.Base[h]) != b.Plan.Tables.Port(sw, b.Plan.Ends.Base[h]) {
				return false
			}
		}
	}
	return true
}

// lashLanes counts the lanes of LASH on three fabrics.
func lashLanes(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{Name: "lanes", Title: "Lanes that LASH needs", Columns: []string{"fabric", "paper", "lanes", "refused because"}}
	engine := "lash,lean=true"
	if s.Reads(spreadWays) {
		engine = "lash"
	}
	var claims []lab.Claim
	for _, printed := range lab.ReadPrinted(publishedLanes) {
		base, want := formulas[printed["topology"]], printed.Number("lash_vls")
		lanes, ok := 0, false
		if (s.Mode == lab.Full || base == "fat648") && s.Want(base) {
			trial := lab.Must(s.Route(ctx, fabricIII(s, base), lab.Routing{Engine: engine, MaxVLs: route.NumSLs - 1}))
			if ok = trial.Refused == ""; ok {
				lanes = trial.Plan.VLs
			}
			t.Add(base, printed["lash_vls"], fmt.Sprint(lanes), trial.Refused)
		}
		c := lab.RangeClaim{Claim: lab.NewClaim(base+": lanes of LASH", printed["lash_vls"]), Low: want, High: want, Format: "%.0f"}
		claims = append(claims, c.JudgedBy(float64(lanes), ok))
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"The thesis says that LASH did not finish on JuRoPA in reasonable time (section 7.3), and that it needs 8 lanes there (section 7.2.3): the 8 is not from such a run.",
	}}
}
