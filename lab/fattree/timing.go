package fattree

import (
	"cmp"
	"context"
	"slices"

	"weft/lab"
	"weft/lab/plain"
)

// shortest is the time, in seconds, below which ratios say nothing.
const shortest = 0.002

// times are CPU seconds by printed topology and engine.
type times map[string]map[string]float64

// timeRouting routes the fabrics of a printed table: routing alone, on one core, the least of
// up to three times.
func timeRouting(ctx context.Context, s *lab.Setup, name, printed, suffix string, engines []lab.Candidate) (lab.Table, times) {
	t := lab.Table{Name: name, Title: "CPU seconds of routing on one core, least of up to 3", Columns: []string{"topology", "formula", "engine", "seconds", "paper", "MB allocated", "refused because"}}
	out := times{}
	for i := range engines {
		how := &engines[i].How
		how.MaxVLs, how.Workers, how.Times = 15, 1, lab.Pick(s, 1, 3)
	}
	for _, r := range lab.ReadPrinted(printed) {
		topology := r["topology"]
		formula := formulas[topology] + suffix
		if s.Mode != lab.Full && slices.Contains([]string{"juropa", "ranger", "dual4608", "fat3456"}, formulas[topology]) {
			continue // too large
		}
		out[topology] = map[string]float64{}
		s.EachOf(ctx, topology, formula, engines, func(e *lab.Candidate, trial *lab.Trial) {
			paper := cmp.Or(r[e.Column], "-")
			if trial.Refused != "" {
				t.Add(topology, formula, e.Name, "-", paper, "-", trial.Refused)
				return
			}
			out[topology][e.Name] = trial.Cost.Seconds
			t.Add(topology, formula, e.Name, lab.Num(trial.Cost.Seconds), paper, lab.Num(trial.Cost.Allocated/1e6), "")
		})
	}
	return t, out
}

// ratio is the claim how much longer one engine takes than another on a topology.
func (t times) ratio(text, topology, slow, fast, paper string, low, high float64) lab.Claim {
	c := lab.NewClaim(topology+": "+text, paper)
	a, b := t[topology][slow], t[topology][fast]
	if a < shortest || b == 0 {
		return c
	}
	c.Judge(a/b >= low && a/b <= high, "%s (%s s, %s s)", lab.Num(a/b), lab.Num(a), lab.Num(b))
	return c
}

// unbounded is no upper bound.
const unbounded = 1e9

func timesOfPaper1(ctx context.Context, s *lab.Setup) *lab.Result {
	t, r := timeRouting(ctx, s, "table3", publishedTimes1, "", []lab.Candidate{
		{Name: "BEFT", Column: "beft_s", How: lab.Routing{Engine: "ftree,balance=beft"}}, {Name: "EFT", Column: "eft_s", How: lab.Routing{Engine: "ftree,balance=zahavi"}}, {Name: "ours", How: lab.Routing{Engine: "ftree,balance=closed"}},
	})
	claims := []lab.Claim{
		r.ratio("BEFT takes about as long as EFT, or less (at most 1.5 times)", "3456-port fat-tree switch", "BEFT", "EFT", "0.40", 0, 1.5),
		r.ratio("BEFT takes longer than EFT", "648-port fat-tree with rack switches", "BEFT", "EFT", "7.7", 1, unbounded),
		r.ratio("BEFT takes longer than EFT", "JuRoPA-like supercomputer", "BEFT", "EFT", "4.8", 1, unbounded),
		r.ratio("BEFT takes longer than EFT", "Ranger-like supercomputer", "BEFT", "EFT", "4.0", 1, unbounded),
		r.ratio("ours, beyond the paper: EFT takes longer", "Ranger-like supercomputer", "EFT", "ours", "-", 1, unbounded),
	}
	for i := range claims {
		claims[i].Explain(false, "Here both are one search with another comparison at its end; the paper's second pass over all leaf switches of a rack switch (its option -Z) is not there, so that there is nothing to take longer.")
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{machines}}
}

const machines = "The paper's seconds are OpenSM's on a machine of its time: only ratios are compared."

func timesOfPaper3(ctx context.Context, s *lab.Setup) *lab.Result {
	t, r := timeRouting(ctx, s, "table4", publishedTimes3, "", []lab.Candidate{
		{Name: "without switches", Column: "no_sw2sw_s", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=none"}},
		{Name: "sFtree", Column: "sw2sw_s", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=sftree"}},
		{Name: "ours", How: lab.Routing{Engine: "ftree,balance=closed"}},
		{Name: "LASH", Column: "lash_s", How: lab.Routing{Engine: "lash,lean=true"}},
	})
	var claims []lab.Claim
	for _, topology := range []string{"3456-port fat-tree switch", "JuRoPA-like supercomputer", "Ranger-like supercomputer"} {
		paper := "-"
		for _, p := range lab.ReadPrinted(publishedTimes3) {
			if p["topology"] == topology {
				paper = lab.Num(p.Number("sw2sw_s") / p.Number("no_sw2sw_s"))
			}
		}
		claims = append(claims, r.ratio("switch-to-switch routing adds little (at most 40 %)", topology, "sFtree", "without switches", paper, 0, 1.4))
	}
	claims = append(claims,
		r.ratio("LASH takes much longer (over 10 times)", "3456-port fat-tree switch", "LASH", "sFtree", "143", 10, unbounded),
		r.ratio("LASH takes longer", "648-port fat-tree with rack switches", "LASH", "sFtree", "2.4", 1, unbounded),
	)
	for i := len(claims) - 2; i < len(claims); i++ {
		claims[i].Explain(false, "Weft's LASH looks for cycles along an order that it keeps, not by a search for each pair: that takes the factor away. OpenSM 3.3.23 has it still: on the 3456-port tree its ftree takes 2 s of CPU, and its LASH had not finished after 250 s.")
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{machines}}
}

func timesOfPaper6(ctx context.Context, s *lab.Setup) *lab.Result {
	byEntries := plain.MinHop(plain.ByLeaf)
	t, r := timeRouting(ctx, s, "table1", publishedTimes6, "|ports(2)", []lab.Candidate{
		{Name: "minhop", Column: "minhop", How: lab.Routing{Engine: "minhop"}},
		{Name: "dfsssp", Column: "dfsssp", How: lab.Routing{Engine: "dfsssp"}},
		{Name: "ftree", Column: "ftree", How: lab.Routing{Engine: "ftree,balance=zahavi,switches=none"}},
		{Name: "mFtree", Column: "mftree", How: lab.Routing{Engine: "ftree,balance=zahavi,multihomed=mftree,switches=none"}},
		{Name: "ours", How: lab.Routing{Engine: "ftree,balance=closed,multihomed=mftree,switches=none"}},
		{Name: byEntries.Name, How: lab.Routing{Engine: byEntries.Name, Spec: byEntries}},
	})
	claims := []lab.Claim{
		r.ratio("mFtree takes about as long as ftree (0.5 to 1.3 times)", "3-stage 3456-port", "mFtree", "ftree", "0.91", 0.5, 1.3),
		r.ratio("mFtree takes about as long as ftree (0.5 to 1.5 times)", "4-stage 4608-port", "mFtree", "ftree", "1.35", 0.5, 1.5),
		r.ratio("DFSSSP takes longer than minhop", "4-stage 4608-port", "dfsssp", "minhop", "4.2", 1, unbounded),
		r.ratio("DFSSSP takes longer than ftree (over 5 times)", "4-stage 4608-port", "dfsssp", "ftree", "28", 5, unbounded),
		r.ratio("minhop takes longer than ftree (over 3 times)", "4-stage 4608-port", "minhop", "ftree", "6.7", 3, unbounded),
		r.ratio("ours, beyond the paper: ftree takes longer", "4-stage 4608-port", "ftree", "ours", "-", 1, unbounded),
	}
	const largest = "4-stage 4608-port"
	other := r.ratio("", largest, "dfsssp", "ours", "", 5, unbounded)
	claims[3].Explain(other.Verdict == lab.Holds, "Experiment, mFtree in closed form in place of ftree: %s.", other.Ours)
	other = r.ratio("", largest, byEntries.Name, "ours", "", 3, unbounded)
	claims[4].Explain(other.Verdict == lab.Holds, "The factor is that of the OpenSM of its time: 3.3.23 takes 1.5 s of CPU for minhop and 1.6 s for ftree on the 3456-port tree with two ports a node. Experiment, minhop that looks at all ports of a switch for each LID, as OpenSM's does, against mFtree in closed form: %s.", other.Ours)
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		machines,
		"Ftree, mFtree and ours (in closed form) are without the joining of all switches, which is not the paper's either.",
		"Weft's mFtree keeps the switches of the last node's paths by number of the round: there is no flag to clear on every switch.",
	}}
}
