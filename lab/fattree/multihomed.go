package fattree

import (
	"context"
	"fmt"
	"slices"

	"weft/judge/quality"
	"weft/lab"
)

// twoPorts is the suffix that merges hosts of neighbouring leaves.
const twoPorts = "|ports(2)"

// enginesVI returns the engines of Paper VI, and ours, under the active readings.
func enginesVI(s *lab.Setup) []lab.Candidate {
	balance, homes := "zahavi", "mftree"
	if s.Reads(firstWay) {
		balance = "eft"
	}
	if s.Reads(printedAlone) {
		homes = "mftree-printed"
	}
	return []lab.Candidate{
		{Name: "ftree", How: lab.Routing{Engine: "ftree,balance=" + balance}},
		{Name: "mFtree", How: lab.Routing{Engine: "ftree,multihomed=" + homes + ",balance=" + balance}},
		{Name: "ours", How: lab.Routing{Engine: "ftree,multihomed=mftree"}},
	}
}

// treesOfPaper6 are the five simulated topologies of the paper.
var treesOfPaper6 = []string{"fat648", "racks648", "racks432", "racks216", "over384"}

// topologies counts the figures in section V-C.
func topologies(_ context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{Name: "topologies", Title: "The topologies of section V-C", Columns: []string{"topology", "formula", "node ports", "leaves", "paper", "middle", "paper", "spines", "paper", "nodes with two ports"}}
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
		t.Add(r["topology"], base, fmt.Sprint(tree.graph.NumHosts), fmt.Sprint(leaves), r["leaves"], fmt.Sprint(middle), r["middle"], fmt.Sprint(spines), r["spines"], fmt.Sprint(nodes))
	}
	return &lab.Result{Tables: []lab.Table{t}, Notes: []string{
		"The ratio 1.33:1 printed for 384 ports needs 18 cables up from each leaf, and so leaves of 42 ports: these are taken. Racks432 and racks216 keep all 18 spines; the text gives no number.",
	}}
}

// redundancy fails every single switch in turn, without changing the tables.
func redundancy(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "redundancy", Title: "Pairs of a node port and a node with two ports, and those that one failed switch parts",
		Columns: []string{"topology", "engine", "direction", "pairs", "parted by one switch", "share", "switches that part some", "pairs parted by the worst", "one cable", "of a leaf and two ports", "share a switch", "deadlock"},
	}
	none := lab.NewClaim("mFtree: no spine is on all paths to a node with two ports, on any topology", "no downtime when a spine fails (abstract, section VI-A)")
	some := lab.NewClaim("classic fat-tree routing: some spine is, on some topology", "redundant spines are not guaranteed (abstract)")
	var clean, ftree [2]int
	formulas := append([]string{"mftree-fig2"}, suffixed(treesOfPaper6)...)
	if s.Mode == lab.Full {
		formulas = append(formulas, "fat3456"+twoPorts, "dual4608"+twoPorts)
	}
	for _, formula := range formulas {
		s.EachOf(ctx, formula, formula, enginesVI(s), func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" || trial.Report.MultiHomed == nil {
				t.Add(append([]string{formula, e.Name, trial.Refused}, slices.Repeat([]string{"-"}, len(t.Columns)-3)...)...)
				return
			}
			m := trial.Report.MultiHomed
			addFailures(&t, formula, e.Name, "to", &m.To, fmt.Sprint(m.Ports.Pairs), fmt.Sprint(m.Ports.Shared), trial.Deadlock())
			addFailures(&t, formula, e.Name, "from", &m.From, "-", "-", trial.Deadlock())
			if count := map[string]*[2]int{"ftree": &ftree, "mFtree": &clean}[e.Name]; count != nil {
				count[0]++
				if newTree(formula).spinesThatPart(&m.To) == 0 {
					count[1]++
				}
			}
		})
	}
	if clean[0] > 0 {
		none.Judge(clean[0] == clean[1], "none on %d of %d topologies", clean[1], clean[0])
	}
	if ftree[0] > 0 {
		some.Judge(ftree[1] < ftree[0], "some on %d of %d topologies", ftree[0]-ftree[1], ftree[0])
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{none, some}, Notes: []string{
		"Each switch fails in turn, the tables stay. \"To\" is a packet to either port of the node, \"from\" one from either of its ports; the switch of the other end does not count. \"One cable\" counts pairs whose paths all pass one cable. With one LID a port all paths to a port of the other end meet at its root, so that no engine can keep those \"from\" a node apart. The last counts are of a leaf and two ports of a node that share a switch beyond it.",
	}}
}

// spinesThatPart counts the top-level switches that are on all paths of some pair.
func (t *tree) spinesThatPart(f *quality.Failures) (n int) {
	for s, lost := range f.Lost {
		if lost > 0 && t.level[s] == t.top {
			n++
		}
	}
	return n
}

// addFailures adds a row about the failures of single switches; more are its last cells.
func addFailures(t *lab.Table, formula, engine, direction string, f *quality.Failures, more ...string) {
	parting, worst := 0, int64(0)
	for _, n := range f.Lost {
		if n > 0 {
			parting++
		}
		worst = max(worst, n)
	}
	cells := []string{formula, engine, direction, fmt.Sprint(f.Pairs), fmt.Sprint(f.Shared), percent(float64(f.Shared) / float64(max(f.Pairs, 1))), fmt.Sprint(parting), fmt.Sprint(worst), fmt.Sprint(f.Cables)}
	t.Add(append(cells, more...)...)
}

func suffixed(bases []string) []string {
	var out []string
	for _, b := range bases {
		out = append(out, b+twoPorts)
	}
	return out
}
