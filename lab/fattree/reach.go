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
)

// reachable counts the ordered pairs of switches that the tables join.
func reachable(t *lab.Trial) (joined, pairs int) {
	w := &walker{g: t.Graph, p: t.Plan}
	n := int32(t.Graph.NumSwitches)
	for a := range n {
		for b := range n {
			if a == b {
				continue
			}
			pairs++
			if w.arrives(a, t.Graph.PortZero(b)) {
				joined++
			}
		}
	}
	return joined, pairs
}

// joins are the ways of ftree to treat switches as targets, and a rival.
var joins = []struct{ name, engine string }{
	{"none", "ftree,balance=zahavi,switches=none"},
	{"sFtree", "ftree,balance=zahavi,switches=sftree"},
	{"ours", "ftree,switches=all"},
	{"minhop", "minhop"},
}

// rangerOneLeaf is the Ranger-like tree of the experiment.
const rangerOneLeaf = "ranger, one leaf a core"

// switchToSwitch counts which switches reach each other, and judges deadlock.
func switchToSwitch(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	t := lab.Table{
		Name: "switches", Title: "Pairs of switches that reach each other, and deadlock with the traffic of switches",
		Columns: []string{"fabric", "engine", "pairs of switches", "joined", "lanes", "deadlock", "refused because"},
	}
	none := lab.Claim{Text: "fat-tree routing alone leaves pairs of switches apart", Paper: "yes", Ours: "-", Verdict: lab.NotRun}
	full := lab.Claim{Text: "sFtree joins all switches of a regular tree, free of deadlock, on one lane", Paper: "Theorem 5.2", Ours: "-", Verdict: lab.NotRun}
	rival := lab.Claim{Text: "minhop may deadlock on fat-trees of three stages", Paper: "almost any", Ours: "-", Verdict: lab.NotRun}
	degraded := lab.Claim{Text: "ours, beyond the paper: all switches joined on degraded trees too, free of deadlock, on one lane", Paper: "-", Ours: "-", Verdict: lab.NotRun}
	count := map[*lab.Claim][2]int{}
	tell := func(c *lab.Claim, ok bool) {
		v := count[c]
		if v[0]++; ok {
			v[1]++
		}
		count[c] = v
		c.Ours, c.Verdict = fmt.Sprintf("%d of %d fabrics", v[1], v[0]), lab.Judged(v[0] == v[1])
	}
	oneLeaf, oneLeafHolds := "refused", false
	const cut = "|fail(share=0.05,links=up,seed=1)"
	fabrics := lab.Pick(s, []string{"fat648", "racks648", "racks648" + cut}, []string{"fat648", "racks648", "fat3456", "juropa", "ranger", "dual4608", rangerOneLeaf, "fat648" + cut, "racks648" + cut, "fat3456" + cut, "juropa" + cut})
	for _, formula := range fabrics {
		g, err := treeOfPaper3(formula)
		if err != nil {
			return nil, err
		}
		whole := !strings.Contains(formula, "|") && formula != rangerOneLeaf
		for _, e := range joins {
			if !s.Want(formula + " " + e.name) {
				continue
			}
			trial, err := s.Route(ctx, g, lab.Routing{Engine: e.engine})
			if err != nil {
				return nil, err
			}
			if trial.Refused != "" {
				t.Add(formula, e.name, "-", "-", "-", "-", trial.Refused)
				switch {
				case e.name == "sFtree" && whole:
					tell(&full, false)
				case e.name == "ours":
					tell(&degraded, false)
				}
				continue
			}
			joined, pairs := reachable(trial)
			t.Add(formula, e.name, fmt.Sprint(pairs), fmt.Sprint(joined), fmt.Sprint(trial.Plan.VLs), trial.Deadlock(), "")
			proven := joined == pairs && trial.Report.DeadlockFree == check.Yes && trial.Plan.VLs <= 1
			switch {
			case e.name == "none" && whole:
				tell(&none, joined < pairs)
			case e.name == "sFtree" && formula == rangerOneLeaf:
				oneLeaf = fmt.Sprintf("%d of %d pairs joined, deadlock-free %v", joined, pairs, trial.Report.DeadlockFree)
				oneLeafHolds = proven
			case e.name == "sFtree" && whole:
				tell(&full, proven)
			case e.name == "minhop" && whole && formula != "fat648":
				tell(&rival, trial.Report.DeadlockFree == check.No)
			case e.name == "ours":
				tell(&degraded, proven)
			}
		}
	}
	full.Explain(oneLeafHolds, "Of the cables of a rack switch of Ranger to a core, three lead to one leaf and three to another, so that paths reach the root of the subtree through two of its parents, which lemma 5.9 does not allow for. Experiment, all six to one leaf: %s.", oneLeaf)
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{none, full, rival, degraded}, Notes: []string{
		"Deadlock is the judge's word: none; hosts none (only with the traffic of switches); possible. On degraded trees lemma 5.9 of the paper fails: its subtree may then close a cycle.",
	}}, nil
}

// treeOfPaper3 builds a fabric, or that of the experiment.
func treeOfPaper3(formula string) (*fabric.Graph, error) {
	if formula == rangerOneLeaf {
		return replugged("ranger", oneLeafACore)
	}
	return lab.Graph(formula)
}

// nodesAndSwitches is the load of Table III: nodes at 4x DDR, switches at 1x SDR.
var nodesAndSwitches = load{hosts: true, switches: 0.125}

// rivalOf is an engine of Table III with its column, or one of an experiment.
type rivalOf struct {
	name, column string
	how          lab.Routing
}

// letterDFSSSP is DFSSSP to the letter; weft's chooses paths that the first lanes can have.
const letterDFSSSP = "DFSSSP with the paths of SSSP"

// rivalsOfPaper3 are the five of Table III, then the experiments.
func rivalsOfPaper3(seed uint64) []rivalOf {
	all := []rivalOf{
		{"sFtree", "sftree", lab.Routing{Engine: "ftree,balance=zahavi,switches=sftree"}},
		{"minhop", "minhop", lab.Routing{Engine: "minhop"}},
		{"Up*/Down*", "updn", lab.Routing{Engine: "updn"}},
		{"DFSSSP", "dfsssp", lab.Routing{Engine: "dfsssp", MaxVLs: 15}},
		{"LASH", "lash", lab.Routing{Engine: plain.FirstPort().Name, Spec: plain.FirstPort()}},
		{"LASH of weft", "", lab.Routing{Engine: "lash,lean=true", MaxVLs: 15}},
		{"ours", "", lab.Routing{Engine: "ftree"}},
	}
	for _, o := range plain.Orders {
		spec := plain.MinHop(o)
		all = append(all, rivalOf{spec.Name, "", lab.Routing{Engine: spec.Name, Spec: spec, Seed: seed}})
	}
	return append(all, rivalOf{letterDFSSSP, "", lab.Routing{Engine: "dfsssp,paths=sssp", MaxVLs: 15}})
}

// What experiments on Table III are called.
const (
	lashOneByOne = "LASH, cables one by one"
	withSwitches = ", switches sending too"
)

// fiveEngines is Table III.
func fiveEngines(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	t := lab.Table{
		Name: "table3", Title: "Uniform traffic of nodes at full load, share of a link that a node gets; also with switches sending at an eighth",
		Columns: []string{"fabric", "engine", "in order", "independent", "paper", "in order, switches sending too", "switches get", "lanes", "deadlock"},
	}
	var claims []lab.Claim
	for _, printed := range lab.ReadPrinted(publishedEngines) {
		base := formulas[printed["topology"]]
		g, err := lab.Graph(base)
		if err != nil {
			return nil, err
		}
		got := map[string]*throughput{}
		for _, e := range rivalsOfPaper3(s.SeedOf(base)) {
			if !s.Want(base + " " + e.name) {
				continue
			}
			v, err := try(ctx, s, g, e.how, allHosts)
			if err != nil {
				return nil, err
			}
			paper := "-"
			if e.column != "" {
				paper = printed[e.column] + " %"
			}
			if v.trial.Refused != "" {
				t.Add(base, e.name, "-", "-", paper, "-", "-", "-", v.trial.Refused)
				continue
			}
			busy, err := inOrder(ctx, v.trial, nodesAndSwitches)
			if err != nil {
				return nil, err
			}
			got[e.name] = v
			got[e.name+withSwitches] = &throughput{inOrder: busy, independent: v.independent}
			t.Add(base, e.name, percent(v.inOrder.hosts), percent(v.independent.hosts), paper, percent(busy.hosts), percent(busy.switches), fmt.Sprint(v.trial.Plan.VLs), v.trial.Deadlock())
		}
		if base == "racks648" && s.Want(base+" "+lashOneByOne) {
			if g, err = replugged(base, oneByOne); err != nil {
				return nil, err
			}
			spec := plain.FirstPort()
			if got[lashOneByOne], err = try(ctx, s, g, lab.Routing{Engine: spec.Name, Spec: spec}, allHosts); err != nil {
				return nil, err
			}
		}
		claims = append(claims, engineClaims(base, printed, got)...)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"Claims are about nodes sending alone: the paper finds that the traffic of switches costs them 1 % (section 7.2.1). Max-min fair rates, the last columns, take a switch for a sender like a node, which costs nodes more near the root of the subtree than round-robin by input port does.",
		"LASH is by the first shortest path, as section 7.2.3 says; weft's with lean=true lets equal ways meet too, but deals the LIDs of a switch out over parallel links. Minhop by entries is OpenSM's: it counts table entries whether or not paths use them.",
		"Cables one by one: the twelve cables of a rack switch lead to twelve switches, in place of three each to four; the paper does not say which.",
	}}, nil
}

// engineClaims are those of Table III about one fabric. The paper's simulator loses up to
// a tenth in queues, so that a share of ours within a tenth above the paper's is the same.
func engineClaims(base string, printed lab.Printed, got map[string]*throughput) []lab.Claim {
	claim := func(name, column string, experiments ...string) lab.Claim {
		paper := printed.Number(column) / 100
		c := lab.Claim{Text: fmt.Sprintf("%s: %s (between the estimates, or up to a tenth below)", base, name), Paper: printed[column] + " %", Ours: "-", Verdict: lab.NotRun}
		v := got[name]
		if v == nil {
			return c
		}
		near := func(v *throughput) bool {
			return paper >= 0.9*v.inOrder.hosts && paper <= v.independent.hosts
		}
		c.Ours, c.Verdict = v.bounds(), lab.Judged(near(v))
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
	best := lab.Claim{Text: base + ": sFtree is the best of the five, LASH by far the worst", Paper: "yes", Ours: "-", Verdict: lab.NotRun}
	if s, l := got["sFtree"], got["LASH"]; s != nil && l != nil {
		ok := true
		for _, name := range []string{"minhop", "Up*/Down*", "DFSSSP"} {
			if v := got[name]; v != nil {
				ok = ok && s.inOrder.hosts >= v.inOrder.hosts-rounding && l.inOrder.hosts < v.inOrder.hosts/4
			}
		}
		best.Ours, best.Verdict = fmt.Sprintf("sFtree %s, LASH %s", percent(s.inOrder.hosts), percent(l.inOrder.hosts)), lab.Judged(ok)
	}
	return append(claims, best)
}

// lashLanes counts the lanes of LASH on three fabrics, in other orders of switches too:
// the thesis does not say in which order its GUIDs are.
func lashLanes(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	t := lab.Table{
		Name: "lanes", Title: "Lanes that LASH needs",
		Columns: []string{"fabric", "order of GUIDs", "paper", "lash,lean", "lash"},
	}
	var claims []lab.Claim
	for _, printed := range lab.ReadPrinted(publishedLanes) {
		base := formulas[printed["topology"]]
		if s.Mode != lab.Full && base != "fat648" {
			claims = append(claims, lab.Claim{Text: base + ": lanes of LASH", Paper: printed["lash_vls"], Ours: "-", Verdict: lab.NotRun})
			continue
		}
		c := lab.Claim{Text: base + ": lanes of LASH", Paper: printed["lash_vls"], Ours: "-", Verdict: lab.NotRun}
		found, spread := map[guidOrder]int{}, map[guidOrder]int{}
		for _, o := range guidOrders {
			if !s.Want(base + " " + string(o)) {
				continue
			}
			f, err := gen.Parse(base)
			if err != nil {
				return nil, err
			}
			if f, err = renumbered(f, o, s.SeedOf(base)); err != nil {
				return nil, err
			}
			g := f.Compile()
			cells := []string{base, string(o), printed["lash_vls"]}
			for _, engine := range []string{"lash,lean=true", "lash"} {
				trial, err := s.Route(ctx, g, lab.Routing{Engine: engine, MaxVLs: route.NumSLs - 1})
				if err != nil {
					return nil, err
				}
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
			c.Ours, c.Verdict = fmt.Sprint(n), lab.Judged(n == want)
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
	}}, nil
}
