package fattree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/route"
	"weft/route/quality"
	"weft/sim/flow"
)

// twoPorts is the suffix that merges hosts of neighbouring leaves.
const twoPorts = "|ports(2)"

// homes are the engines of Paper VI, and ours.
var homes = []lab.Candidate{
	{Name: "ftree", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
	{Name: "mFtree", How: lab.Routing{Engine: "ftree,balance=zahavi,multihomed=mftree"}},
	{Name: "ours", How: lab.Routing{Engine: "ftree,multihomed=mftree"}},
}

// treesOfPaper6 are the five topologies that the paper simulates.
var treesOfPaper6 = []string{"fat648", "racks648", "racks432", "racks216", "over384"}

// topologies counts what section V-C says.
func topologies(_ context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{Name: "topologies", Title: "The topologies of section V-C", Columns: []string{"topology", "formula", "node ports", "leaves", "paper", "middle", "paper", "spines", "paper", "nodes with two ports"}}
	c := lab.NewClaim("switches and node ports as the text says", "section V-C")
	right, n := true, 0
	for _, r := range lab.ReadPrinted(publishedTopologies) {
		base := formulas[r["topology"]]
		if !s.Want(base) {
			continue
		}
		tree := newTree(base)
		two := lab.Must(lab.Graph(base + twoPorts))
		levels := make([]int, 3)
		for _, l := range tree.level {
			levels[l]++
		}
		leaves, middle, spines := levels[0], levels[1], levels[2]
		if spines == 0 {
			middle, spines = 0, middle
		}
		nodes := 0
		for k := range int32(two.NumNodes) {
			if two.NodeStart[k+1]-two.NodeStart[k] == 2 {
				nodes++
			}
		}
		for _, v := range []struct {
			ours    int
			printed string
		}{{leaves, r["leaves"]}, {middle, r["middle"]}, {spines, r["spines"]}} {
			right = right && (v.printed == "-" || v.printed == fmt.Sprint(v.ours))
		}
		right = right && nodes == tree.graph.NumHosts/2
		n++
		t.Add(r["topology"], base, fmt.Sprint(tree.graph.NumHosts), fmt.Sprint(leaves), r["leaves"], fmt.Sprint(middle), r["middle"], fmt.Sprint(spines), r["spines"], fmt.Sprint(nodes))
	}
	if n > 0 {
		c.Judge(right, "%d topologies", n)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{c}, Notes: []string{
		"The ratio 1.33:1 printed for 384 ports needs 18 cables up from each leaf, and so leaves of 42 ports: these are taken. Racks432 and racks216 keep all 18 spines; the text gives no number.",
	}}
}

// redundancy fails every single switch in turn, with the tables as they are.
func redundancy(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "redundancy", Title: "Pairs of a node port and a node with two ports, and those that one failed switch parts",
		Columns: []string{"topology", "engine", "direction", "pairs", "parted by one switch", "share", "switches that part some", "pairs parted by the worst", "one cable", "deadlock"},
	}
	none := lab.NewClaim("mFtree leaves no single point of failure to a node with two ports", "none")
	some := lab.NewClaim("classic fat-tree routing leaves some, in every topology", "yes")
	hardware := lab.NewClaim("hardware cluster: ftree loses nodes with a root, mFtree none", "both flows; half of the throughput")
	own := lab.NewClaim("ours, beyond the paper: balance in closed form leaves no single point of failure either", "-")
	var clean, ftree, closed [2]int
	lost := map[string]int64{}
	formulas := append([]string{"mftree-fig2"}, suffixed(treesOfPaper6)...)
	if s.Mode == lab.Full {
		formulas = append(formulas, "fat3456"+twoPorts, "dual4608"+twoPorts)
	}
	for _, formula := range formulas {
		s.EachOf(ctx, formula, formula, homes, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" || trial.Report.MultiHomed == nil {
				t.Add(formula, e.Name, trial.Refused, "-", "-", "-", "-", "-", "-", "-")
				return
			}
			m := trial.Report.MultiHomed
			addFailures(&t, formula, e.Name, "to", &m.To, trial)
			addFailures(&t, formula, e.Name, "from", &m.From, trial)
			points := m.To.Shared
			lost[formula+" "+e.Name] = points
			count := map[string]*[2]int{"ftree": &ftree, "mFtree": &clean, "ours": &closed}[e.Name]
			count[0]++
			if points == 0 {
				count[1]++
			}
		})
	}
	if clean[0] > 0 {
		none.Judge(clean[0] == clean[1], "none to nodes on %d of %d topologies", clean[1], clean[0])
		none.Explain(closed[0] == clean[0] && closed[1] == closed[0], "Experiment, the same with balance in closed form: none to nodes on %d of %d topologies.", closed[1], closed[0])
		own.Judge(closed[0] == closed[1], "none to nodes on %d of %d topologies", closed[1], closed[0])
		some.Judge(ftree[1] == 0, "on %d of %d topologies", ftree[0]-ftree[1], ftree[0])
	}
	a, ok1 := lost["mftree-fig2 ftree"]
	b, ok2 := lost["mftree-fig2 mFtree"]
	if ok1 && ok2 {
		hardware.Judge(a > 0 && b == 0, "ftree %d pairs, mFtree %d", a, b)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{none, some, hardware, own}, Notes: []string{
		"Each switch fails in turn, the tables stay. \"To\" is a packet to either port of the node, \"from\" one from either of its ports; the switch of the other end does not count. \"One cable\" counts pairs whose paths all pass one cable. With one LID a port all paths to a port of the other end meet at its root, so that no engine can keep those \"from\" a node apart.",
	}}
}

func addFailures(t *lab.Table, formula, engine, direction string, f *quality.Failures, trial *lab.Trial) {
	parting, worst := 0, int64(0)
	for _, n := range f.Lost {
		if n > 0 {
			parting++
		}
		worst = max(worst, n)
	}
	t.Add(formula, engine, direction, fmt.Sprint(f.Pairs), fmt.Sprint(f.Shared), percent(float64(f.Shared)/float64(max(f.Pairs, 1))), fmt.Sprint(parting), fmt.Sprint(worst), fmt.Sprint(f.Cables), trial.Deadlock())
}

func suffixed(bases []string) []string {
	var out []string
	for _, b := range bases {
		out = append(out, b+twoPorts)
	}
	return out
}

// measureHomes runs a measurement of the topologies under the engines of Paper VI.
func measureHomes(ctx context.Context, s *lab.Setup, t *lab.Table, of func(base string, trial *lab.Trial) flow.Summary) map[string]map[string]float64 {
	got := map[string]map[string]float64{}
	for _, base := range treesOfPaper6 {
		got[base] = map[string]float64{}
		s.EachOf(ctx, base, base+twoPorts, homes, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(base, e.Name, "-", "-", trial.Refused)
				return
			}
			v := of(base, trial)
			got[base][e.Name] = v.Mean
			t.Add(base, e.Name, lab.Mean(v), gainOver(got[base], e.Name), "")
		})
	}
	return got
}

func gainOver(got map[string]float64, name string) string {
	if base := got["ftree"]; base > 0 && name != "ftree" {
		return lab.Percent(got[name]/base - 1)
	}
	return "-"
}

var homeColumns = []string{"topology", "engine", "share of a link", "against ftree", "refused because"}

// homeBars draws the shares.
func homeBars(name, title string, got map[string]map[string]float64) []chart.Chart {
	c := chart.Chart{Name: name, Title: title, Kind: chart.Bars, Y: chart.Axis{Label: "throughput per port (% of capacity)"}}
	c.Fill(lab.Names(homes), treesOfPaper6, func(engine string, i int) (chart.Point, bool) {
		v := got[treesOfPaper6[i]][engine]
		return chart.Point{Y: 100 * v}, v > 0
	})
	return lab.Drawn(c)
}

// gained is the claim what mFtree gains on a topology.
func gained(got map[string]map[string]float64, base, paper string, low, high float64) lab.Claim {
	c := lab.NewClaim(base+": mFtree against ftree", paper)
	a, b := got[base]["ftree"], got[base]["mFtree"]
	if a > 0 && b > 0 {
		c.Judge(b/a-1 >= low && b/a-1 <= high, "%s (ours %s)", lab.Percent(b/a-1), gainOver(got[base], "ours"))
	}
	return c
}

// uniformOfTwoPorts is Fig. 4, by both estimates.
func uniformOfTwoPorts(ctx context.Context, s *lab.Setup) *lab.Result {
	type estimator func(context.Context, *fabric.Graph, *route.Plan, flow.Uniform) (flow.Shares, error)
	by := func(name, title string, e estimator) (lab.Table, map[string]map[string]float64) {
		t := lab.Table{Name: name, Title: title, Columns: homeColumns}
		got := measureHomes(ctx, s, &t, func(_ string, trial *lab.Trial) flow.Summary {
			return flow.Summarise([]float64{lab.Must(e(ctx, trial.Graph, trial.Plan, allHosts)).Hosts})
		})
		return t, got
	}
	t, got := by("fig4", "Uniform traffic in order", flow.InOrder)
	x, free := by("fig4-independent", "Experiment, uniform traffic, messages that do not wait for each other", flow.Independent)
	var claims []lab.Claim
	for _, base := range treesOfPaper6 {
		c := gained(got, base, "equal", -0.02, 0.02)
		c.Text += " (within 2 %)"
		if other := gained(free, base, "equal", -0.02, 0.02); other.Verdict != lab.NotRun {
			c.Explain(other.Verdict == lab.Holds, "Experiment, messages that do not wait for each other: %s.", other.Ours)
		}
		claims = append(claims, c)
	}
	return &lab.Result{Tables: []lab.Table{t, x}, Claims: claims, Charts: homeBars("fig4", "Nodes with two ports, uniform traffic in order", got)}
}
