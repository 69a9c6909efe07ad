package mapping

import (
	"context"
	"fmt"

	"weft/internal/chart"
	"weft/judge/check"
	"weft/lab"
	model "weft/mapping"
	"weft/mapping/job"
	"weft/mapping/routes"
	"weft/mapping/theory"
)

// routing computes the routes of section 5.5 on each map, tries them, has them judged, and
// distributes them to the hosts.
func routing(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "routes", Title: "Up*/down* routes on the maps",
		Columns: []string{"system", "root", "relabelled", "pairs", "delivered", "deadlock-free", "longest", "mean wires", "tables", "bytes", "time (modelled, ms)"},
	}
	for i := range systems {
		if s.Want(systems[i].name) {
			systems[i].route(ctx, s, &t)
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Notes: []string{
		"Routes are computed on the map and tried in the network. The judge sees them as a Plan in which each destination has as many LIDs as its routes need. Tables are sent by the master one after the other, each by the master's own route and answered by the host's.",
		"Up*/down* routes are free of deadlock and the root is as far from the hosts as a switch can be by construction: the run ends with an error if the judge or a try finds otherwise, and no claim is made of it.",
	}}
}

func (sys *system) route(ctx context.Context, s *lab.Setup, t *lab.Table) {
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
	if !tried.OK() || free != check.Yes || report.DifferingPaths != 0 || told.Unheard != 0 {
		lab.Check(fmt.Errorf("lab: %s: %d of %d pairs delivered, free of deadlock: %s, %d paths differ, %d tables unheard",
			sys.name, tried.Delivered, tried.Pairs, free, report.DifferingPaths, told.Unheard))
	}
}

// growth maps k-ary n-trees of 8-port switches by all deterministic algorithms, except those whose
// number of probes grows with the square of the network.
func growth(ctx context.Context, s *lab.Setup) *lab.Result {
	r, _ := grow(ctx, s, "growth", "by algorithms that draw no lots", []string{"berkeley", "coupon", "self-identifying"}, lab.Pick(s, 4, 5))
	r.Notes = []string{"The paper has no such figure, and coupon is an algorithm of our own: no claim is made of it."}
	return r
}

// probed holds the number of probes of some algorithms on a network, in their order.
type probed struct {
	network string
	sent    []int
}

// mapped maps a network by some algorithms, and returns the probes of each. The maps must be right.
func mapped(ctx context.Context, s *lab.Setup, n *model.Network, from string, seed uint64, algorithms []string) (sent []int) {
	for _, a := range algorithms {
		res := trial{algorithm: a, from: from, seed: seed, anyTurn: s.Reads(anyTurn)}.run(ctx, n)
		lab.Check(theory.Same(res.Map, n))
		sent = append(sent, res.Probes.Total().Sent)
	}
	return sent
}

func counts(all []int) (cells []string) {
	for _, v := range all {
		cells = append(cells, count(v))
	}
	return cells
}

// grow maps trees of two and more levels by berkeley and other algorithms.
func grow(ctx context.Context, s *lab.Setup, name, by string, algorithms []string, most int) (r *lab.Result, all []probed) {
	t := lab.Table{
		Name: name, Title: "Probes on 4-ary n-trees, " + by,
		Columns: append([]string{"network", "switches", "hosts"}, algorithms...),
	}
	c := chart.Chart{Name: name, Title: t.Title, Kind: chart.Lines, X: chart.Axis{Label: "switches", Log: true}, Y: chart.Axis{Label: "probes", Log: true}}
	for _, a := range algorithms {
		c.Series = append(c.Series, chart.Series{Name: a})
	}
	for n := 2; n <= most; n++ {
		formula := fmt.Sprintf("karytree(4,%d)", n)
		if !s.Want(formula) {
			continue
		}
		net := network(formula)
		sent := mapped(ctx, s, net, net.Hosts[0].Name, s.SeedOf(name), algorithms)
		for i, v := range sent {
			c.Series[i].Add(float64(net.NumSwitches()), float64(v), 0, 0)
		}
		t.Add(append([]string{formula, count(net.NumSwitches()), count(net.NumHosts())}, counts(sent)...)...)
		all = append(all, probed{formula, sent})
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: []chart.Chart{c}}, all
}
