package dfsssp

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/route/lanes/offline"
	"weft/sim/flow"
)

// needs finds the number of lanes in a refusal.
var needs = regexp.MustCompile(`needs (more than )?(\d+) lanes`)

// lanesOf is the number of lanes that a trial used, or that its engine says it would
// need; where it only says "more than n", n+1, and the second result is false.
func lanesOf(t *lab.Trial) (n int, exact bool) {
	if t.Plan != nil && t.Refused == "" {
		return t.Plan.VLs, true
	}
	m := needs.FindStringSubmatch(t.Refused)
	if m == nil {
		return 0, false
	}
	n, _ = strconv.Atoi(m[2])
	if m[1] != "" {
		return n + 1, false
	}
	return n, true
}

// tally collects lanes over networks.
type tally struct {
	lanes  []float64
	capped int // networks of which only a lower bound is known
}

func (t *tally) add(n int, exact bool) {
	t.lanes = append(t.lanes, float64(n))
	if !exact {
		t.capped++
	}
}

func join(parts []tally) *tally {
	all := &tally{}
	for i := range parts {
		all.lanes = append(all.lanes, parts[i].lanes...)
		all.capped += parts[i].capped
	}
	return all
}

func (t *tally) summary() flow.Summary { return flow.Summarise(t.lanes) }

// most prints the largest number, and whether it is only a bound.
func (t *tally) most() string {
	text := lab.Num(t.summary().Max)
	if t.capped > 0 {
		text = "at least " + text
	}
	return text
}

// heuristic is one of section IV, and the range of lanes that the paper found.
type heuristic struct {
	name, paper string
	low, high   float64
}

var heuristicsOfPaper = []heuristic{
	{"weakest", "3 to 5", 3, 5},
	{"first", "4 to 8", 4, 8},
	{"strongest", "4 to 16", 4, 16},
}

// plainDFSSSP is the paper's form of weft's engine: its paths, each direction for
// itself, without the traffic of switches.
const plainDFSSSP = "dfsssp,paths=sssp,replies=own,switches=false"

// fewLanes is weft's own form, each direction for itself like the paper's.
const fewLanes = "dfsssp,replies=own"

// laying names the paths that are layered: those of an engine, or of one of the
// experiment's own.
type laying struct {
	name, engine string
	own          func(offline.Heuristic) *route.Spec
	samples      int // networks in full mode
	paper        bool
}

var layerings = []laying{
	{"hosts, each direction for itself (the paper)", plainDFSSSP, nil, 100, true},
	{"the same, one tree for all hosts of a switch", "", oneTree, 100, false},
	{"hosts and switches, each direction for itself", "dfsssp,paths=sssp,replies=own", nil, 100, false},
	{"hosts, answers with their requests", "dfsssp,paths=sssp,replies=same,switches=false", nil, 10, false},
	{"hosts and switches, answers with their requests", "dfsssp,paths=sssp,replies=same", nil, 10, false},
}

func (v *laying) routing(heuristic string) lab.Routing {
	if v.own != nil {
		return lab.Routing{Engine: v.name, Spec: v.own(offline.Heuristic(heuristic))}
	}
	return lab.Routing{Engine: v.engine + ",heuristic=" + heuristic}
}

const heuristicsNote = "The paper does not say whether each host has a tree of its own, as in algorithm 1 with all nodes as V, or all hosts of a switch share one." +
	" One tree a switch puts all three heuristics into the printed ranges; a tree a host makes more dependencies, and takes one lane more." +
	" The authors' own code, as it is in OpenSM 3.3.23, has a tree a host and layers switches too: over ibsim it took 6, 6, 6, 6, 6, 6, 5 and 6 lanes (weakest) on the networks of seeds 1 to 8."

// heuristics counts the lanes of each heuristic on random networks.
func heuristics(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "heuristics", Title: "Lanes on random networks of 64 switches, 1,024 endpoints, 128 links",
		Columns: []string{"what is layered", "edge that is cut", "networks", "paper", "least", "mean", "most"},
	}
	result := &lab.Result{Notes: []string{heuristicsNote}}
	found := map[string]flow.Summary{}
	for _, h := range heuristicsOfPaper {
		result.Claims = append(result.Claims, lab.NewClaim(fmt.Sprintf("lanes of the %s edge lie in the printed range", h.name), h.paper))
	}
	for _, v := range layerings {
		for i, h := range heuristicsOfPaper {
			if !s.Want(v.name + " " + h.name) {
				continue
			}
			samples := lab.Pick(s, v.samples/10, v.samples)
			needed := make([]tally, samples)
			s.Parallel(ctx, samples, func(k int) {
				g := lab.Must(lab.Graph(fmt.Sprintf("random(switches=64,hosts=16,links=128,seed=%d)", s.Seed+uint64(k))))
				needed[k].add(lanesNeeded(ctx, s, g, v.routing(h.name)))
			})
			all := join(needed)
			sum := all.summary()
			found[v.name+" "+h.name] = sum
			t.Add(v.name, h.name, count(samples), h.paper, lab.Num(sum.Min), fmt.Sprintf("%.2f ± %.2f", sum.Mean, sum.CI95), all.most())
			if v.paper {
				result.Claims[i].Judge(sum.Min >= h.low && sum.Max <= h.high, "%s to %s", lab.Num(sum.Min), all.most())
			}
		}
	}
	result.Tables = []lab.Table{t}
	for i := range result.Claims {
		c, h := &result.Claims[i], heuristicsOfPaper[i]
		moved, tried := false, ""
		for _, v := range layerings {
			if sum, ok := found[v.name+" "+h.name]; ok && !v.paper {
				moved = moved || sum.Min >= h.low && sum.Max <= h.high
				tried += fmt.Sprintf("; %s: %s to %s", v.name, lab.Num(sum.Min), lab.Num(sum.Max))
			}
		}
		c.Explain(moved, "Experiment, other searches and what else is layered%s.", tried)
	}
	return result
}

// lanesNeeded is the number of lanes that an engine needs.
func lanesNeeded(ctx context.Context, s *lab.Setup, g *fabric.Graph, how lab.Routing) (n int, exact bool) {
	how.MaxVLs, how.Seed = allVLs, s.Seed
	t := lab.Must(s.Route(ctx, g, how))
	if n, exact = lanesOf(t); n == 0 {
		lab.Check(fmt.Errorf("%s refused: %s", how.Engine, t.Refused))
	}
	return n, exact
}
