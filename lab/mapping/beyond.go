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
func routing(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "routes", Title: "Up*/down* routes on the maps",
		Columns: []string{"system", "root", "relabelled", "pairs", "delivered", "deadlock-free", "longest", "mean wires", "tables", "bytes", "time (modelled, ms)"},
	}
	r := &lab.Result{Notes: []string{
		"Routes are computed on the map and tried in the network. The judge sees them as a Plan in which each destination has as many LIDs as its routes need. Tables are sent by the master one after the other, each by the master's own route and answered by the host's.",
	}}
	for i := range systems {
		sys := &systems[i]
		claim := lab.NewClaim(sys.name+": all pairs routed, mutually free of deadlock, distributed to all interfaces", "yes")
		root := lab.NewClaim(sys.name+": wires from the root to the nearest host, the utility host apart", "as far as possible")
		if s.Want(sys.name) {
			sys.route(ctx, s, &t, &claim, &root)
		}
		r.Claims = append(r.Claims, claim, root)
	}
	r.Tables = []lab.Table{t}
	return r
}

func (sys *system) route(ctx context.Context, s *lab.Setup, t *lab.Table, claim, root *lab.Claim) {
	n := network(sys.formula)
	m := mapOf(ctx, sys)
	master := lab.Must(m.FindHost(utility))
	table := routes.Compute(m, &routes.Options{Utility: master, Seed: s.SeedOf(sys.name)})
	net := model.NewModel(n, model.Circuit, model.Myrinet)
	tried := table.Try(m, net)
	told := table.Distribute(m, master, net, model.MyrinetClock)
	report := lab.Must(job.JudgeRoutes(ctx, m, table, s.Workers))
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
}

// growth maps k-ary n-trees of 8-port switches by all algorithms whose probes do not
// grow with the square of the network.
func growth(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "growth", Title: "Probes on 4-ary n-trees, circuit routing",
		Columns: []string{"network", "switches", "hosts", "berkeley", "coupon", "self-identifying", "coupon / berkeley", "isomorphic"},
	}
	c := chart.Chart{
		Name: "growth", Title: t.Title, Kind: chart.Lines, X: chart.Axis{Label: "switches", Log: true}, Y: chart.Axis{Label: "probes", Log: true},
		Series: []chart.Series{{Name: "berkeley"}, {Name: "coupon"}, {Name: "self-identifying"}},
	}
	claim := lab.NewClaim("an algorithm that deduces from hosts sends fewer probes, and fewer still the larger the network", "conjectured, of a randomised one")
	var shares []float64
	all := true
	for n := 2; n <= lab.Pick(s, 4, 5); n++ {
		formula := fmt.Sprintf("karytree(4,%d)", n)
		if !s.Want(formula) {
			continue
		}
		net := network(formula)
		depth := theory.Of(net, 0).Depth()
		same := true
		var sent []int
		for i, name := range []string{"berkeley", "coupon", "self-identifying"} {
			a := lab.Must(algorithm.Find(name))
			m := model.NewMapper(model.NewModel(net, model.Circuit, model.Myrinet), 0, model.Conditions{SelfIdentifying: a.SelfIdentifying})
			res := lab.Must(a.Run(ctx, m, &algorithm.Options{Self: net.Hosts[0], Radix: net.Radix(), Depth: depth}))
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
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{claim}, Charts: []chart.Chart{c}}
}
