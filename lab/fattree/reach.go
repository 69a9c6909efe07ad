package fattree

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/lab/plain"
	"weft/route"
	"weft/route/check"
	"weft/sim/flow"
)

// reachable counts the ordered pairs of switches that the tables join.
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

// joins are the ways of ftree to treat switches as targets, and a rival.
var joins = []lab.Candidate{
	{Name: "none", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=none"}},
	{Name: "sFtree", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=sftree"}},
	{Name: "ours", How: lab.Routing{Engine: "ftree,switches=all"}},
	{Name: "minhop", How: lab.Routing{Engine: "minhop"}},
}

// rangerOneLeaf is the Ranger-like tree of the experiment.
const rangerOneLeaf = "ranger, one leaf a core"

// cutLinks fails a twentieth of the links up.
const cutLinks = "|fail(share=0.05,links=up,seed=1)"

// fabricsOfPaper3 are the fabrics on which switches must reach each other.
func fabricsOfPaper3(s *lab.Setup) []string {
	return lab.Pick(s,
		[]string{"fat648", "racks648", "racks648" + cutLinks},
		[]string{
			"fat648", "racks648", "fat3456", "juropa", "ranger", "dual4608", rangerOneLeaf,
			"fat648" + cutLinks, "racks648" + cutLinks, "fat3456" + cutLinks, "juropa" + cutLinks,
		})
}

// countedClaim is a claim about fabrics, which holds if it does on each of them.
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
type switchClaims struct {
	none, full, rival, degraded countedClaim
	// The experiment with one leaf a core: what it gave, and whether sFtree held.
	oneLeaf      string
	oneLeafHolds bool
}

// switchToSwitch counts which switches reach each other, and judges deadlock.
func switchToSwitch(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "switches", Title: "Pairs of switches that reach each other, and deadlock with the traffic of switches",
		Columns: []string{"fabric", "engine", "pairs of switches", "joined", "lanes", "deadlock", "refused because"},
	}
	claims := switchClaims{
		none:     countedClaim{Claim: lab.NewClaim("fat-tree routing alone leaves pairs of switches apart", "yes")},
		full:     countedClaim{Claim: lab.NewClaim("sFtree joins all switches of a regular tree, free of deadlock, on one lane", "Theorem 5.2")},
		rival:    countedClaim{Claim: lab.NewClaim("minhop may deadlock on fat-trees of three stages", "almost any")},
		degraded: countedClaim{Claim: lab.NewClaim("ours, beyond the paper: all switches joined on degraded trees too, free of deadlock, on one lane", "-")},
		oneLeaf:  "refused",
	}
	for _, formula := range fabricsOfPaper3(s) {
		build := func() *fabric.Graph { return treeOfPaper3(formula) }
		s.Each(ctx, formula, build, joins, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(formula, e.Name, "-", "-", "-", "-", trial.Refused)
				claims.addRefusal(formula, e.Name)
				return
			}
			joined, pairs := reachable(trial)
			t.Add(formula, e.Name, fmt.Sprint(pairs), fmt.Sprint(joined), fmt.Sprint(trial.Plan.VLs), trial.Deadlock(), "")
			claims.add(formula, e.Name, trial, joined, pairs)
		})
	}
	claims.full.Explain(claims.oneLeafHolds, "Of the cables of a rack switch of Ranger to a core, three lead to one leaf and three to another, so that paths reach the root of the subtree through two of its parents, which lemma 5.9 does not allow for. Experiment, all six to one leaf: %s.", claims.oneLeaf)
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{claims.none.Claim, claims.full.Claim, claims.rival.Claim, claims.degraded.Claim}, Notes: []string{
		"Deadlock is the judge's word: none; hosts none (only with the traffic of switches); possible. On degraded trees lemma 5.9 of the paper fails: its subtree may then close a cycle.",
	}}
}

// isWhole reports whether a fabric is one of the paper's, as it is.
func isWhole(formula string) bool {
	return !strings.Contains(formula, "|") && formula != rangerOneLeaf
}

// add judges the claims by a fabric that an engine routed.
func (c *switchClaims) add(formula, engine string, trial *lab.Trial, joined, pairs int) {
	proven := joined == pairs && trial.Report.DeadlockFree == check.Yes && trial.Plan.VLs <= 1
	switch whole := isWhole(formula); {
	case engine == "none" && whole:
		c.none.count(joined < pairs)
	case engine == "sFtree" && formula == rangerOneLeaf:
		c.oneLeaf = fmt.Sprintf("%d of %d pairs joined, deadlock-free %v", joined, pairs, trial.Report.DeadlockFree)
		c.oneLeafHolds = proven
	case engine == "sFtree" && whole:
		c.full.count(proven)
	case engine == "minhop" && whole && formula != "fat648":
		c.rival.count(trial.Report.DeadlockFree == check.No)
	case engine == "ours":
		c.degraded.count(proven)
	}
}

// addRefusal judges the claims by a fabric that an engine refused.
func (c *switchClaims) addRefusal(formula, engine string) {
	switch {
	case engine == "sFtree" && isWhole(formula):
		c.full.count(false)
	case engine == "ours":
		c.degraded.count(false)
	}
}

// treeOfPaper3 builds a fabric, or that of the experiment.
func treeOfPaper3(formula string) *fabric.Graph {
	if formula == rangerOneLeaf {
		return replugged("ranger", oneLeafACore)
	}
	return lab.Must(lab.Graph(formula))
}

// nodesAndSwitches is the load of Table III: nodes at 4x DDR, switches at 1x SDR.
var nodesAndSwitches = flow.Uniform{Hosts: true, Switches: 0.125}

// letterDFSSSP is DFSSSP to the letter; weft's chooses paths that the first lanes can have.
const letterDFSSSP = "DFSSSP with the paths of SSSP"

// rivalsOfPaper3 are the five of Table III, then the experiments.
func rivalsOfPaper3(seed uint64) []lab.Candidate {
	all := []lab.Candidate{
		{Name: "sFtree", Column: "sftree", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=sftree"}},
		{Name: "minhop", Column: "minhop", How: lab.Routing{Engine: "minhop"}},
		{Name: "Up*/Down*", Column: "updn", How: lab.Routing{Engine: "updn"}},
		{Name: "DFSSSP", Column: "dfsssp", How: lab.Routing{Engine: "dfsssp", MaxVLs: 15}},
		{Name: "LASH", Column: "lash", How: firstPort()},
		{Name: "LASH of weft", How: lab.Routing{Engine: "lash,lean=true", MaxVLs: 15}},
		{Name: "ours", How: lab.Routing{Engine: "ftree"}},
	}
	all = append(all, openSMMinHops(seed)...)
	return append(all, lab.Candidate{Name: letterDFSSSP, How: lab.Routing{Engine: "dfsssp,paths=sssp", MaxVLs: 15}})
}

// openSMMinHops lists OpenSM's MinHop with each order of LIDs.
func openSMMinHops(seed uint64) []lab.Candidate {
	var all []lab.Candidate
	for _, o := range plain.Orders {
		spec := plain.MinHop(o)
		all = append(all, lab.Candidate{Name: spec.Name, How: lab.Routing{Engine: spec.Name, Spec: spec, Seed: seed}})
	}
	return all
}

// firstPort is LASH as section 7.2.3 tells it.
func firstPort() lab.Routing {
	spec := plain.FirstPort()
	return lab.Routing{Engine: spec.Name, Spec: spec}
}

// Names of experiments on Table III.
const (
	lashOneByOne = "LASH, cables one by one"
	withSwitches = ", switches sending too"
)

// fiveEngines is Table III.
func fiveEngines(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table3", Title: "Uniform traffic of nodes at full load, share of a link that a node gets; also with switches sending at an eighth",
		Columns: []string{"fabric", "engine", "in order", "independent", "paper", "in order, switches sending too", "switches get", "lanes", "deadlock"},
	}
	var claims []lab.Claim
	for _, printed := range lab.ReadPrinted(publishedEngines) {
		base := formulas[printed["topology"]]
		got := map[string]*throughput{}
		s.EachOf(ctx, base, base, rivalsOfPaper3(s.SeedOf(base)), func(e *lab.Candidate, trial *lab.Trial) {
			paper := "-"
			if e.Column != "" {
				paper = printed[e.Column] + " %"
			}
			if trial.Refused != "" {
				t.Add(base, e.Name, "-", "-", paper, "-", "-", "-", trial.Refused)
				return
			}
			v, busy := estimate(ctx, trial), lab.Must(flow.InOrder(ctx, trial.Graph, trial.Plan, nodesAndSwitches))
			got[e.Name] = v
			got[e.Name+withSwitches] = &throughput{inOrder: busy, independent: v.independent}
			t.Add(base, e.Name, percent(v.inOrder.Hosts), percent(v.independent.Hosts), paper, percent(busy.Hosts), percent(busy.Switches), fmt.Sprint(trial.Plan.VLs), trial.Deadlock())
		})
		if base == "racks648" {
			build := func() *fabric.Graph { return replugged(base, oneByOne) }
			s.Each(ctx, base, build, []lab.Candidate{{Name: lashOneByOne, How: firstPort()}}, func(e *lab.Candidate, trial *lab.Trial) {
				got[e.Name] = estimate(ctx, trial)
			})
		}
		claims = append(claims, engineClaims(base, printed, got)...)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"Claims are about nodes sending alone: the paper finds that the traffic of switches costs them 1 % (section 7.2.1). Max-min fair rates, the last columns, take a switch for a sender like a node, which costs nodes more near the root of the subtree than round-robin by input port does.",
		"LASH is by the first shortest path, as section 7.2.3 says; weft's with lean=true lets equal ways meet too, but deals the LIDs of a switch out over parallel links. Minhop by entries is OpenSM's: it counts table entries whether or not paths use them.",
		"Cables one by one: the twelve cables of a rack switch lead to twelve switches, in place of three each to four; the paper does not say which.",
	}}
}

// engineClaims returns the claims of Table III about one fabric. The paper's simulator loses up to
// a tenth in queues, so that a share of ours within a tenth above the paper's is the same.
func engineClaims(base string, printed lab.Printed, got map[string]*throughput) []lab.Claim {
	claim := func(name, column string, experiments ...string) lab.Claim {
		paper := printed.Number(column) / 100
		c := lab.NewClaim(fmt.Sprintf("%s: %s (between the estimates, or up to a tenth below)", base, name), printed[column]+" %")
		v := got[name]
		if v == nil {
			return c
		}
		near := func(v *throughput) bool {
			return paper >= 0.9*v.inOrder.Hosts && paper <= v.independent.Hosts
		}
		c.Judge(near(v), "%s", v.bounds())
		moved, tried := false, ""
		for _, x := range experiments {
			if w := got[x]; w != nil {
				moved = moved || near(w)
				tried += fmt.Sprintf(" %s %s;", x, w.bounds())
			}
		}
		if tried != "" {
			c.Explain(moved, "Experiment:%s", tried[:len(tried)-1]+".")
		}
		return c
	}
	byEntries := []string{plain.MinHop(plain.ByLeaf).Name, plain.MinHop(plain.InTurn).Name, plain.MinHop(plain.AtRandom).Name}
	claims := []lab.Claim{
		claim("sFtree", "sftree"),
		claim("minhop", "minhop", byEntries...),
		claim("Up*/Down*", "updn", byEntries...),
		claim("DFSSSP", "dfsssp", letterDFSSSP, "DFSSSP"+withSwitches),
		claim("LASH", "lash", lashOneByOne),
	}
	best := lab.NewClaim(base+": sFtree is the best of the five, LASH by far the worst", "yes")
	if s, l := got["sFtree"], got["LASH"]; s != nil && l != nil {
		ok := true
		for _, name := range []string{"minhop", "Up*/Down*", "DFSSSP"} {
			if v := got[name]; v != nil {
				ok = ok && s.inOrder.Hosts >= v.inOrder.Hosts-rounding && l.inOrder.Hosts < v.inOrder.Hosts/4
			}
		}
		best.Judge(ok, "sFtree %s, LASH %s", percent(s.inOrder.Hosts), percent(l.inOrder.Hosts))
	}
	return append(claims, best)
}

// lashLanes counts the lanes of LASH on three fabrics, in other orders of switches too:
// the thesis does not say in which order its GUIDs are.
func lashLanes(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "lanes", Title: "Lanes that LASH needs",
		Columns: []string{"fabric", "order of GUIDs", "paper", "lash,lean", "lash"},
	}
	var claims []lab.Claim
	for _, printed := range lab.ReadPrinted(publishedLanes) {
		base := formulas[printed["topology"]]
		c := lab.NewClaim(base+": lanes of LASH", printed["lash_vls"])
		if s.Mode != lab.Full && base != "fat648" {
			claims = append(claims, c)
			continue
		}
		found, spread := map[guidOrder]int{}, map[guidOrder]int{}
		for _, o := range guidOrders {
			if !s.Want(base + " " + string(o)) {
				continue
			}
			f := lab.Must(gen.Parse(base))
			f = renumbered(f, o, s.SeedOf(base))
			g := f.Compile()
			cells := []string{base, string(o), printed["lash_vls"]}
			for _, engine := range []string{"lash,lean=true", "lash"} {
				trial := lab.Must(s.Route(ctx, g, lab.Routing{Engine: engine, MaxVLs: route.NumSLs - 1}))
				if trial.Refused != "" {
					cells = append(cells, trial.Refused)
					continue
				}
				cells = append(cells, fmt.Sprint(trial.Plan.VLs))
				if engine == "lash" {
					spread[o] = trial.Plan.VLs
				} else {
					found[o] = trial.Plan.VLs
				}
			}
			t.Add(cells...)
		}
		if n := found[leavesFirst]; n > 0 {
			want := printed.Int("lash_vls")
			c.Judge(n == want, "%v", n)
			moved, text := false, ""
			for _, o := range guidOrders {
				moved = moved || found[o] == want || spread[o] == want
				text += fmt.Sprintf(" %s %d (%d with equal ways spread);", o, found[o], spread[o])
			}
			c.Explain(moved, "Experiment, the same fabric with GUIDs in another order, and equal ways spread (lean=false):%s.", text[:len(text)-1])
		}
		claims = append(claims, c)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"The thesis says that LASH did not finish on JuRoPA in reasonable time (section 7.3), and that it needs 8 lanes there (section 7.2.3): the 8 is not from such a run.",
	}}
}
