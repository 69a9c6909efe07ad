package fattree

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/lab"
	"weft/sim/flow"
)

// sparse lists fabrics of Fig. 1: 24 nodes on 24-port switches, such that the lowest common
// ancestors of any two nodes are roots.
var sparse = []struct{ name, formula string }{
	{"two levels, a node a leaf", "rlft(24,2,hosts=24)"},
	{"three levels, a node a pod", "fat3456|without(hosts=" + allBut(3456, 144) + ")"},
}

// allBut lists ranges of hosts: every host except the first of every so many.
func allBut(hosts, every int) string {
	var ranges []string
	for first := 0; first < hosts; first += every {
		ranges = append(ranges, fmt.Sprintf("%d-%d", first+1, first+every-1))
	}
	return strings.Join(ranges, ",")
}

// fig1of1 makes Fig. 1 of Paper I: the roots with paths down to nodes.
func fig1of1(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig1", Title: "Roots from which the paths down to 24 nodes come",
		Columns: []string{"fabric", "balance", "roots", "roots that lead to nodes", "nodes of the busiest root", "pairs on the most loaded link"},
	}
	var eft, beft extent // nodes of the busiest root
	for _, c := range sparse {
		var tree *tree
		build := func() *fabric.Graph {
			tree = newTree(c.formula)
			return tree.graph
		}
		s.Each(ctx, c.name, build, balances(s), func(b *lab.Candidate, trial *lab.Trial) {
			pairs := allPairs(ctx, s, trial)
			roots, used, busiest := tree.rootsUsed(pairs)
			switch b.Name {
			case "EFT":
				eft.add(busiest)
			case "BEFT":
				beft.add(busiest)
			}
			t.Add(c.name, b.Name, fmt.Sprint(roots), fmt.Sprint(used), fmt.Sprint(busiest), fmt.Sprint(pairs.Index))
		})
	}
	one := lab.NewClaim("under EFT one root can be the origin of the paths down to all 24 nodes", "section II-A, Fig. 1: \"a legal outcome\", by the order in which ports are tried")
	spread := lab.NewClaim("BEFT has them come from different roots: two at most from one", "section II-B, Fig. 3")
	if eft.any {
		one.Judge(eft.most == 24, "%d of 24", eft.most)
	}
	if beft.any {
		spread.Judge(beft.most <= 2, "at most %d of 24 from one root", beft.most)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{one, spread}}
}

// rootsUsed counts the roots, the roots with a path down to a host, and the hosts below the busiest
// root.
func (t *tree) rootsUsed(pairs *flow.Pairs) (roots, used int, busiest int64) {
	down := make([]int64, t.graph.NumSwitches)
	for c, n := range pairs.Targets {
		if t.level[t.graph.To[c]] < t.level[t.graph.From[c]] {
			down[t.graph.From[c]] += n
		}
	}
	for s, n := range down {
		if t.level[s] < t.top {
			continue
		}
		roots++
		if n > 0 {
			used++
		}
		busiest = max(busiest, n)
	}
	return roots, used, busiest
}

// fig2of1 makes Fig. 2 of Paper I: the leaf switches through which rack switches send, in the
// distributions of Table I (c).
func fig2of1(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig2", Title: "Leaf switches that rack switches prefer",
		Columns: []string{"distribution", "balance", "share through the preferred leaf: mean of the rack switches", "most", "rack switches that send most through one leaf"},
	}
	mean := map[string][]float64{} // by balance
	for _, p := range printedDistributions("racks648") {
		var tree *tree
		build := func() *fabric.Graph {
			tree = newTree(p.formula())
			return tree.graph
		}
		s.Each(ctx, p.String(), build, balances(s), func(b *lab.Candidate, trial *lab.Trial) {
			got := tree.preferred(trial)
			mean[b.Name] = append(mean[b.Name], got.mean)
			t.Add(p.ratio(), b.Name, percent(got.mean), percent(got.most), fmt.Sprintf("%d of %d", got.oneSided, got.racks))
		})
	}
	favour := lab.InRange("under EFT rack switches favour certain leaf switches: share through the one that is preferred", "section II-A, Fig. 2; each is linked to 4, so that even is 25 %", 30, lab.Most)
	even := lab.InRange("under BEFT they send evenly through all", "section II-B", 25, 27)
	claims := []lab.Claim{
		favour.JudgedBy(100*average(mean["EFT"]), len(mean["EFT"]) > 0),
		even.JudgedBy(100*average(mean["BEFT"]), len(mean["BEFT"]) > 0),
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Claims: claims,
		Notes: []string{"Counted are the nodes on other racks, by the switch to which the table of a rack switch sends them; those that go by the partner of the rack have no leaf. OpenSM 3.3.23, run on these fabrics, sends evenly under its own fat-tree routing: 25.5 % with 24:24, 29.1 % with 22:1. So does EFT by the code of 3.3.5: 25.0 % and 25.2 %."},
	}
}

// preference measures how much rack switches prefer one leaf switch.
type preference struct {
	mean, most      float64 // share of the nodes that go through the most used leaf
	oneSided, racks int     // rack switches where that share is over half; all rack switches that send through leaves
}

// preferred measures the rack switches of a tree, which are its level 0.
func (t *tree) preferred(trial *lab.Trial) (p preference) {
	g, plan := t.graph, trial.Plan
	for rack := range int32(g.NumSwitches) {
		if t.level[rack] > 0 || g.HostCount(rack) == 0 {
			continue
		}
		through := map[int32]int{}
		all, most := 0, 0
		for end := range int32(g.NumHosts) {
			if g.EndSwitch[end] == rack {
				continue
			}
			c, _ := g.At(rack, plan.Tables.Port(rack, plan.Ends.Base[end]))
			if c < 0 || t.level[g.To[c]] == 0 {
				continue
			}
			all++
			through[g.To[c]]++
			most = max(most, through[g.To[c]])
		}
		if all == 0 {
			continue
		}
		share := float64(most) / float64(all)
		p.racks++
		p.mean += share
		p.most = max(p.most, share)
		if share > .5 {
			p.oneSided++
		}
	}
	p.mean /= float64(max(p.racks, 1))
	return p
}

// average returns the mean of some numbers, 0 for none.
func average(of []float64) float64 {
	sum := 0.0
	for _, v := range of {
		sum += v
	}
	return sum / float64(max(len(of), 1))
}
