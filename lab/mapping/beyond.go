package mapping

import (
	"context"
	"fmt"
	"slices"

	"weft/lab"
	"weft/lab/chart"
	model "weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/job"
	"weft/mapping/routes"
	"weft/mapping/theory"
	"weft/route/check"
)

// routing computes the routes of section 5.5 on each map, tries them, has them judged
// and tells the hosts.
func routing(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	t := lab.Table{
		Name: "routes", Title: "Up*/down* routes on the maps",
		Columns: []string{"system", "root", "relabelled", "pairs", "delivered", "deadlock-free", "longest", "mean wires", "tables", "bytes", "time (modelled, ms)"},
	}
	r := &lab.Result{Notes: []string{
		"Routes are computed on the map and tried in the network. The judge sees them as a Plan in which each destination has as many LIDs as its routes need. Tables are sent by the master one after the other, each by the master's own route and answered by the host's.",
	}}
	for i := range systems {
		sys := &systems[i]
		claim := lab.Claim{Text: sys.name + ": all pairs routed, mutually free of deadlock, distributed to all interfaces", Paper: "yes", Ours: "-", Verdict: lab.NotRun}
		root := lab.Claim{Text: sys.name + ": wires from the root to the nearest host, the utility host apart", Paper: "as far as possible", Ours: "-", Verdict: lab.NotRun}
		if s.Want(sys.name) {
			if err := sys.route(ctx, s, &t, &claim, &root); err != nil {
				return nil, err
			}
		}
		r.Claims = append(r.Claims, claim, root)
	}
	r.Tables = []lab.Table{t}
	return r, nil
}

func (sys *system) route(ctx context.Context, s *lab.Setup, t *lab.Table, claim, root *lab.Claim) error {
	n, err := network(sys.formula)
	if err != nil {
		return err
	}
	m, err := mapOf(ctx, sys)
	if err != nil {
		return err
	}
	master, err := m.HostByName(utility)
	if err != nil {
		return err
	}
	table := routes.Compute(m, &routes.Options{Utility: master, Seed: s.SeedOf(sys.name)})
	net := model.NewModel(n, model.Circuit, model.Myrinet)
	tried := table.Try(m, net)
	told := table.Distribute(m, master, net, model.MyrinetClock)
	report, err := job.JudgeRoutes(ctx, m, table, s.Workers)
	if err != nil {
		return err
	}
	longest, sum := 0, 0
	for a := range table.Turns {
		for _, turns := range table.Turns[a] {
			if turns != nil {
				longest, sum = max(longest, len(turns)+1), sum+len(turns)+1
			}
		}
	}
	free := report.HostOnly.DeadlockFree
	t.Add(sys.name, m.NodeName(table.Root), count(len(table.Relabelled)), count(tried.Pairs), count(tried.Delivered), free.String(),
		count(longest), fmt.Sprintf("%.2f", float64(sum)/float64(tried.Pairs)), count(told.Messages), count(told.Bytes), lab.Num(told.Elapsed.Seconds()*1000))
	claim.Ours = fmt.Sprintf("%d of %d, %s, %d of %d", tried.Delivered, tried.Pairs, free, told.Messages-told.Unheard, told.Messages)
	claim.Verdict = lab.Judged(tried.OK() && free == check.Yes && report.DifferingPaths == 0 && told.Unheard == 0)
	var others []int32
	for h := range int32(m.NumHosts()) {
		if h != master {
			others = append(others, h)
		}
	}
	wires := m.Distances(others...)
	nearest, most := wires[table.Root], slices.Max(wires[m.NumHosts():])
	root.Ours, root.Verdict = fmt.Sprintf("%d, no switch has more than %d", nearest, most), lab.Judged(nearest == most)
	return nil
}

// growth maps k-ary n-trees of 8-port switches by all algorithms whose probes do not
// grow with the square of the network.
func growth(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	t := lab.Table{
		Name: "growth", Title: "Probes on 4-ary n-trees, circuit routing",
		Columns: []string{"network", "switches", "hosts", "berkeley", "coupon", "self-identifying", "coupon / berkeley", "isomorphic"},
	}
	c := chart.Chart{
		Name: "growth", Title: t.Title, Kind: chart.Lines, X: chart.Axis{Label: "switches", Log: true}, Y: chart.Axis{Label: "probes", Log: true},
		Series: []chart.Series{{Name: "berkeley"}, {Name: "coupon"}, {Name: "self-identifying"}},
	}
	claim := lab.Claim{Text: "an algorithm that deduces from hosts sends fewer probes, and fewer still the larger the network", Paper: "conjectured, of a randomised one", Ours: "-", Verdict: lab.NotRun}
	var shares []float64
	all := true
	for n := 2; n <= lab.Pick(s, 4, 5); n++ {
		formula := fmt.Sprintf("karytree(4,%d)", n)
		if !s.Want(formula) {
			continue
		}
		net, err := network(formula)
		if err != nil {
			return nil, err
		}
		depth := theory.Of(net, 0).Depth()
		same := true
		var sent []int
		for i, name := range []string{"berkeley", "coupon", "self-identifying"} {
			a, err := algorithm.Find(name)
			if err != nil {
				return nil, err
			}
			m := model.NewMapper(model.NewModel(net, model.Circuit, model.Myrinet), 0, model.Conditions{SelfIdentifying: a.SelfIdentifying})
			res, err := a.Run(ctx, m, &algorithm.Options{Self: net.Hosts[0], Radix: net.Radix(), Depth: depth})
			if err != nil {
				return nil, err
			}
			same = same && theory.Same(res.Map, net) == nil
			sent = append(sent, res.Probes.Total().Sent)
			c.Series[i].Add(float64(net.NumSwitches()), float64(sent[i]), 0, 0)
		}
		share := float64(sent[1]) / float64(sent[0])
		shares = append(shares, share)
		t.Add(formula, count(net.NumSwitches()), count(net.NumHosts()), count(sent[0]), count(sent[1]), count(sent[2]), fmt.Sprintf("%.2f", share), fmt.Sprint(same))
		all = all && same
	}
	if len(shares) > 1 {
		falls := true
		claim.Ours = ""
		for i, share := range shares {
			falls = falls && share < 1 && (i == 0 || share < shares[i-1])
			if i > 0 {
				claim.Ours += ", "
			}
			claim.Ours += fmt.Sprintf("%.2f", share)
		}
		claim.Ours += " of berkeley's"
		claim.Verdict = lab.Judged(falls && all)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{claim}, Charts: []chart.Chart{c}}, nil
}
