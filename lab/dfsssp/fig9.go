package dfsssp

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/lab/plain"
)

const (
	dfssspPlain = "plain dfsssp"            // what the paper measured: plainDFSSSP
	dfssspAll   = "plain dfsssp, all nodes" // an experiment: plainDFSSSP, and the traffic of switches
	lashPlain   = "plain lash"              // an experiment: countLASH
	dfssspFew   = "dfsssp"                  // weft's: fewLanes
	plainNote   = "Plain DFSSSP is algorithm 2 to the letter, each path between hosts for itself. Weft's dfsssp chooses paths that take fewer lanes, and" +
		" makes the traffic of switches safe too; here each direction has its own lane, as in the paper. LASH gives both directions of a pair of switches one lane, as OpenSM's does."
	openSMNote = "As OpenSM has them: plain LASH takes the first of the shortest paths by port, and the pairs of switches in order; plain DFSSSP of all nodes layers the traffic of switches too. OpenSM 3.3.23 itself, over ibsim with 8 lanes," +
		" on the network of seed 1: with 150, 180, 200, 220, 250, 300 and 400 links its LASH takes 7, more than 8, 8, 8, 8, 8 and 6 lanes, its DFSSSP 5, 7, 8, 8, more than 8, more than 8 and 8: the lines meet at 200 links."
)

// contender is an engine of Fig. 9.
type contender struct {
	name    string
	samples int
	count   func(ctx context.Context, s *lab.Setup, g *fabric.Graph) (n int, exact bool)
}

// contenders are the paper's two with its number of samples, the experiment, and
// weft's dfsssp beside them.
func contenders(s *lab.Setup) []contender {
	by := func(engine string) func(context.Context, *lab.Setup, *fabric.Graph) (int, bool) {
		return func(ctx context.Context, s *lab.Setup, g *fabric.Graph) (int, bool) {
			return lanesNeeded(ctx, s, g, lab.Routing{Engine: engine})
		}
	}
	return []contender{
		{"lash", lab.Pick(s, 4, 100), by("lash")},
		{dfssspPlain, lab.Pick(s, 4, 100), by(plainDFSSSP)},
		{lashPlain, lab.Pick(s, 4, 50), plainlyLASH},
		{dfssspAll, lab.Pick(s, 4, 50), by("dfsssp,paths=sssp,replies=own")},
		{dfssspFew, lab.Pick(s, 2, 20), by(fewLanes)},
	}
}

// plainlyLASH layers the first of the shortest paths.
func plainlyLASH(ctx context.Context, s *lab.Setup, g *fabric.Graph) (int, bool) {
	return countLASH(ctx, lab.Must(s.Route(ctx, g, lab.Routing{Spec: plain.FirstPort()}))), true
}

// fig9 counts the lanes of LASH and DFSSSP on random networks of 128 switches.
func fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	links := lab.Pick(s, []int{140, 200, 400}, []int{130, 140, 150, 165, 180, 200, 220, 250, 300, 400, 600, 800})
	t := lab.Table{
		Name: "fig9", Title: "Lanes on random networks of 128 switches with 16 endpoints each",
		Columns: []string{"links", "engine", "networks", "least", "mean", "most"},
	}
	c := chart.Chart{
		Name: "fig9", Title: "Lanes needed on random networks of 128 switches: mean, least and most", Kind: chart.Lines,
		X: chart.Axis{Label: "links between switches", Log: true}, Y: chart.Axis{Label: "lanes"},
	}
	means := map[string]map[int]float64{}
	for _, e := range contenders(s) {
		means[e.name] = map[int]float64{}
		series := chart.Series{Name: e.name}
		for _, n := range links {
			if !s.Want(fmt.Sprintf("%d %s", n, e.name)) {
				continue
			}
			lanes := make([]tally, e.samples)
			s.Parallel(ctx, e.samples, func(k int) {
				g := lab.Must(lab.Graph(fmt.Sprintf("random(switches=128,hosts=16,links=%d,seed=%d)", n, s.Seed+uint64(k))))
				lanes[k].add(e.count(ctx, s, g))
			})
			all := join(lanes)
			sum := all.summary()
			means[e.name][n] = sum.Mean
			series.Add(float64(n), sum.Mean, sum.Min, sum.Max)
			t.Add(count(n), e.name, count(e.samples), lab.Num(sum.Min), fmt.Sprintf("%.2f ± %.2f", sum.Mean, sum.CI95), all.most())
		}
		c.Series = append(c.Series, series)
	}
	claims := crossover(links, means["lash"], means[dfssspPlain])
	one := crossover(links, means[lashPlain], means[dfssspPlain])
	other := crossover(links, means["lash"], means[dfssspAll])
	for i, both := range crossover(links, means[lashPlain], means[dfssspAll]) {
		claims[i].Explain(both.Verdict == lab.Holds, "Experiment, LASH and DFSSSP as OpenSM has them: %s. LASH alone so: %s; DFSSSP alone so: %s.", both.Ours, one[i].Ours, other[i].Ours)
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: claims, Notes: []string{plainNote, openSMNote},
	}
}

// crossover are the claims about who needs fewer lanes.
func crossover(links []int, lash, dfsssp map[int]float64) []lab.Claim {
	cross := lab.NewClaim("the averages cross at about 200 links", "about 200")
	sparse := lab.NewClaim("DFSSSP needs fewer lanes on sparser networks (below 180 links)", "fewer")
	dense := lab.NewClaim("LASH needs fewer lanes on denser networks (above 220 links)", "fewer")
	var points []int
	for _, e := range links {
		if lash[e] > 0 && dfsssp[e] > 0 {
			points = append(points, e)
		}
	}
	if len(points) < 2 {
		return []lab.Claim{cross, sparse, dense}
	}
	// Where the difference changes its sign, by straight lines between points.
	at := 0.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		before, after := dfsssp[a]-lash[a], dfsssp[b]-lash[b]
		if before < 0 && after >= 0 {
			at = float64(a) + float64(b-a)*before/(before-after)
		}
	}
	cross.Ours = "no crossing"
	if at > 0 {
		cross.Ours = lab.Num(at)
	}
	cross.Verdict = lab.Judged(at >= 170 && at <= 230)
	wins := func(c *lab.Claim, keep func(int) bool, first, second map[int]float64) {
		won, of := 0, 0
		for _, e := range points {
			if keep(e) {
				of++
				if first[e] < second[e] {
					won++
				}
			}
		}
		if of > 0 {
			c.Judge(won*4 >= of*3, "%d of %d points", won, of)
		}
	}
	wins(&sparse, func(e int) bool { return e < 180 }, dfsssp, lash)
	wins(&dense, func(e int) bool { return e > 220 }, lash, dfsssp)
	return []lab.Claim{cross, sparse, dense}
}
