package dfsssp

import (
	"context"
	"fmt"
	"strings"

	"weft/lab"
	"weft/lab/chart"
	"weft/lab/plain"
)

// fig4 is the simulated bandwidth of the six real systems.
func fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{
		name: "fig4", title: "Effective bisection bandwidth, six real systems",
		networks: lab.Pick(s, smallSystems, systems), engines: engines, runs: lab.Pick(s, 100, 1000),
	}
	t, b := w.run(ctx, s)
	x := w.assumptions()
	plainTable, p := x.run(ctx, s)
	result := &lab.Result{Tables: []lab.Table{t, plainTable}, Charts: lab.Drawn(w.draw(b, chart.Bars)), Notes: []string{enginesNote, openSMMinHopNote}}
	for _, said := range []struct {
		system, within, paper string
		low, high             float64
	}{
		{"Odin", "5 points", "-4.75 %", -0.0975, 0.0025},
		{"JUROPA", "5 points", "+1.4 %", -0.036, 0.064},
		{"Ranger", "15 points", "+63.27 %", 0.483, 0.783},
		{"CHiC", "the printed range", "+1.4 to +63.27 %", 0.014, 0.6327},
		{"Tsubame", "the printed range", "+1.4 to +63.27 %", 0.014, 0.6327},
		{"Deimos", "the printed range", "+1.4 to +63.27 %", 0.014, 0.6327},
	} {
		text := fmt.Sprintf("%s: DFSSSP against the best of the others (within %s)", said.system, said.within)
		result.Claims = append(result.Claims, b.gain(text, said.system, said.paper, said.low, said.high, rivals, p))
	}
	return result
}

const openSMMinHopNote = "MinHop by table entries stands for the best of the others in the experiments: section VI calls MinHop second best. OpenSM 3.3.23's own, over ibsim, takes LIDs leaf by leaf and reaches the same as by leaf here:" +
	" 0.139 of a link on Ranger, 0.345 on CHiC, 0.375 on Deimos. With 12 hosts a leaf and 12 ports up, host i of every leaf then gets port i everywhere. A few LIDs out of order end that: between none and all of them lies the gain that the paper prints for Ranger."

// gain is a claim about DFSSSP against the best of some rivals. Where it differs,
// the experiment changes one assumption: MinHop chooses as OpenSM's does, or SSSP is
// that of the letter, with destinations in each order.
func (b bandwidths) gain(text, network, paper string, low, high float64, rivals []string, others bandwidths) lab.Claim {
	c := lab.NewClaim(text, paper)
	ours, ok := b.mean(network, plainDFSSSP)
	best, name := b.best(network, rivals)
	if !ok || best == 0 {
		return c
	}
	c.Judge(ours/best-1 >= low && ours/best-1 <= high, "%s (%s)", lab.Percent(ours/best-1), name)
	moved := false
	var tried []string
	try := func(what string, gain float64) {
		moved = moved || gain >= low && gain <= high
		tried = append(tried, fmt.Sprintf("%s %s", what, lab.Percent(gain)))
	}
	for _, o := range orders {
		minhop, ok1 := others.mean(network, plain.MinHop(o).Name)
		sssp, ok2 := others.mean(network, plainSSSP(o).Name)
		if ok1 && ok2 {
			try("MinHop by table entries, "+string(o), ours/minhop-1)
			try("SSSP of all nodes, "+string(o), sssp/best-1)
			try("both, "+string(o), sssp/minhop-1)
		}
	}
	c.Explain(moved, "Experiment, other ways to balance and other orders of destinations: %s.", strings.Join(tried, "; "))
	return c
}
