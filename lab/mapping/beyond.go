package mapping

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/lab"
	"weft/lab/chart"
	model "weft/mapping"
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
	claim.Verdict = lab.VerdictOf(tried.OK() && free == check.Yes && report.DifferingPaths == 0 && told.Unheard == 0)
	var others []int32
	for h := range int32(m.NumHosts()) {
		if h != master {
			others = append(others, h)
		}
	}
	wires := m.Distances(others...)
	nearest, most := wires[table.Root], slices.Max(wires[m.NumHosts():])
	root.Ours, root.Verdict = fmt.Sprintf("%d, no switch has more than %d", nearest, most), lab.VerdictOf(nearest == most)
}

// growth maps k-ary n-trees of 8-port switches by all algorithms whose probes do not
// grow with the square of the network and that draw no lots.
func growth(ctx context.Context, s *lab.Setup) *lab.Result {
	claims := []lab.Claim{lab.NewClaim("coupon: an algorithm that goes where hosts were found before sends fewer probes, and fewer still the larger the network", "conjectured, of a randomised one")}
	return grow(ctx, s, "growth", []string{"berkeley", "coupon", "self-identifying"}, lab.Pick(s, 4, 5), claims)
}

// random maps the NOW networks and trees by the algorithms that draw lots.
func random(ctx context.Context, s *lab.Setup) *lab.Result {
	r := grow(ctx, s, "random", []string{"berkeley", "random", "vazirani"}, 4, []lab.Claim{
		lab.NewClaim("trees: depth-first branches by lot send fewer probes than breadth first alone, and fewer still the larger the network", "conjectured"),
		lab.NewClaim("trees: the same of long random probes first, answered by hosts on the way (vazirani)", "suggested"),
	})
	t := lab.Table{Name: "random-now", Title: "Probes on the NOW networks, by algorithms that draw lots", Columns: []string{"system", "berkeley", "myricom", "random", "vazirani", "isomorphic"}}
	for i := range systems {
		sys := &systems[i]
		claims := []lab.Claim{
			lab.NewClaim(sys.name+": depth-first branches by lot send fewer probes than breadth first alone", "conjectured"),
			lab.NewClaim(sys.name+": long random probes first send fewer than depth-first branches (vazirani)", "a considerable saving"),
		}
		if s.Want(sys.name) {
			n, sent, same := network(sys.formula), map[string]int{}, true
			for _, a := range t.Columns[1:5] {
				res := trial{algorithm: a, seed: s.SeedOf(sys.name)}.run(ctx, n)
				sent[a], same = res.Probes.Total().Sent, same && theory.Same(res.Map, n) == nil
			}
			t.Add(sys.name, count(sent["berkeley"]), count(sent["myricom"]), count(sent["random"]), count(sent["vazirani"]), fmt.Sprint(same))
			judge(claims,
				finding{fmt.Sprintf("%d of %d", sent["random"], sent["berkeley"]), same && sent["random"] < sent["berkeley"]},
				finding{fmt.Sprintf("%d, %d", sent["vazirani"], sent["random"]), same && sent["vazirani"] < sent["random"]},
			)
		}
		r.Claims = append(r.Claims, claims...)
	}
	r.Tables = append(r.Tables, t)
	return r
}

// grow maps trees of two levels and more by berkeley and other algorithms; the claims are
// about the others, in their order.
func grow(ctx context.Context, s *lab.Setup, name string, algorithms []string, most int, claims []lab.Claim) *lab.Result {
	t := lab.Table{
		Name: name, Title: "Probes on 4-ary n-trees",
		Columns: append([]string{"network", "switches", "hosts"}, algorithms...),
	}
	c := chart.Chart{Name: name, Title: t.Title, Kind: chart.Lines, X: chart.Axis{Label: "switches", Log: true}, Y: chart.Axis{Label: "probes", Log: true}}
	for _, a := range algorithms {
		c.Series = append(c.Series, chart.Series{Name: a})
	}
	shares := make([][]float64, len(claims))
	for k := range claims {
		t.Columns = append(t.Columns, algorithms[k+1]+" / berkeley")
	}
	t.Columns = append(t.Columns, "isomorphic")
	all := true
	for n := 2; n <= most; n++ {
		formula := fmt.Sprintf("karytree(4,%d)", n)
		if !s.Want(formula) {
			continue
		}
		net := network(formula)
		same := true
		cells := []string{formula, count(net.NumSwitches()), count(net.NumHosts())}
		var sent []int
		for i, a := range algorithms {
			res := trial{algorithm: a, from: net.Hosts[0].Name, seed: s.SeedOf(name)}.run(ctx, net)
			same = same && theory.Same(res.Map, net) == nil
			sent = append(sent, res.Probes.Total().Sent)
			cells = append(cells, count(sent[i]))
			c.Series[i].Add(float64(net.NumSwitches()), float64(sent[i]), 0, 0)
		}
		for k := range claims {
			shares[k] = append(shares[k], float64(sent[k+1])/float64(sent[0]))
			cells = append(cells, fmt.Sprintf("%.2f", shares[k][len(shares[k])-1]))
		}
		t.Add(append(cells, fmt.Sprint(same))...)
		all = all && same
	}
	for k := range claims {
		if len(shares[k]) > 1 {
			judgeShares(&claims[k], shares[k], all)
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Charts: []chart.Chart{c}}
}

// judgeShares judges whether shares are below 1 and fall.
func judgeShares(c *lab.Claim, shares []float64, right bool) {
	falls, ours := right, ""
	for i, share := range shares {
		falls = falls && share < 1 && (i == 0 || share < shares[i-1])
		ours += fmt.Sprintf("%.2f, ", share)
	}
	c.Judge(falls, "%s of berkeley's", strings.TrimSuffix(ours, ", "))
}
