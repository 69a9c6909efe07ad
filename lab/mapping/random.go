package mapping

import (
	"context"
	"fmt"

	"weft/lab"
	model "weft/mapping"
	"weft/mapping/algorithm"
)

// random maps trees and the NOW networks by the randomised algorithms, and compares the two random
// phases of section 6: depth-first branches and Vazirani's long probes.
func random(ctx context.Context, s *lab.Setup) *lab.Result {
	r, all := grow(ctx, s, "random", "by algorithms that draw lots", []string{"berkeley", "random", "vazirani"}, 4)
	t := lab.Table{Name: "random-now", Title: "Probes on the NOW networks, by algorithms that draw lots", Columns: []string{"system", "berkeley", "myricom", "random", "vazirani"}}
	for i := range systems {
		sys := &systems[i]
		if s.Want(sys.name) {
			sent := mapped(ctx, s, network(sys.formula), mapper(s), s.SeedOf(sys.name), t.Columns[1:])
			t.Add(append([]string{sys.name}, counts(sent)...)...)
			all = append(all, probed{sys.name, []int{sent[0], sent[2], sent[3]}})
		}
	}
	branches := lab.NewClaim("depth-first branches by lot send fewer probes than breadth first alone (on every network: 0 to 1 times as many)", "conjectured")
	var shares []lab.Range
	for _, p := range all {
		shares = append(shares, lab.Range{Of: p.network, Value: float64(p.sent[1]) / float64(p.sent[0]), High: 1, Format: "%.2f times"})
	}
	branches.JudgeEach(shares)
	phases, claims := randomPhases(ctx, s)
	r.Tables, r.Claims = append(r.Tables, t, phases), append([]lab.Claim{branches}, claims...)
	r.Notes = []string{
		"The paper claims the saving of a phase of long probes over one of depth-first branches, so the phases are judged, by the wires that answers prove. Whole algorithms follow them in the other tables; the paper gives no number for these.",
		"Branches probe each step by a pair of probes, walk along known wires without one, and do not probe a silent port again. Both phases draw their turns alike.",
	}
	return r
}

// phaseProbes is the number of probes after which the random phases are compared.
const phaseProbes = 300

// phaseOn is a network for the random phases.
type phaseOn struct{ name, formula, mapper string }

// expanders are random regular networks, which expand well. The trees do not.
var (
	expanders = []phaseOn{{"expander of 32", "regular(switches=32,degree=5,hosts=3,seed=1)", ""}, {"expander of 48", "regular(switches=48,degree=4,hosts=4,seed=1)", ""}}
	trees     = []phaseOn{{"tree of 8", "karytree(4,2)", ""}, {"tree of 48", "karytree(4,3)", ""}}
)

// randomPhases compares the random phases on the NOW networks, expanders and trees.
func randomPhases(ctx context.Context, s *lab.Setup) (lab.Table, []lab.Claim) {
	t := lab.Table{
		Name: "random-phases", Title: fmt.Sprintf("Wires found by %d probes of a random phase", phaseProbes),
		Columns: []string{"network", "wires", "depth-first branches", "long probes"},
	}
	var now []phaseOn
	for i := range systems {
		now = append(now, phaseOn{systems[i].name, systems[i].formula, mapper(s)})
	}
	// judged compares the phases on networks of a kind, and returns the shares of their wires that
	// long probes find.
	judged := func(kind string, all []phaseOn) (c lab.Claim, shares []lab.Range) {
		c = lab.NewClaim(fmt.Sprintf("%s: %d long probes find more wires than %[2]d probes of depth-first branches (1 to 100 times as many)", kind, phaseProbes), "a considerable saving")
		var parts []lab.Range
		for _, p := range all {
			if !s.Want(p.name) {
				continue
			}
			n := network(p.formula)
			branches, long := p.found(ctx, s, n, true), p.found(ctx, s, n, false)
			t.Add(p.name, count(n.NumWires()), fmt.Sprintf("%.1f", branches), fmt.Sprintf("%.1f", long))
			parts = append(parts, lab.Range{Of: p.name, Value: long / branches, Low: 1, High: 100, Format: "%.2f times"})
			shares = append(shares, lab.Range{Of: p.name, Value: 100 * long / float64(n.NumWires()), Low: 50, High: 100, Format: "%.0f %%"})
		}
		c.JudgeEach(parts)
		return c, shares
	}
	onNOW, _ := judged("NOW networks", now)
	onExpanders, shares := judged("expanders", expanders)
	onTrees, _ := judged("fat-trees", trees)
	quickly := lab.NewClaim(fmt.Sprintf("expanders: %d long probes find most of the wires (50 to 100 %%)", phaseProbes), "most, quickly")
	quickly.JudgeEach(shares)
	return t, []lab.Claim{onNOW, onExpanders, onTrees, quickly}
}

// found returns the mean number of wires that answers to the probes of a random phase prove.
func (p *phaseOn) found(ctx context.Context, s *lab.Setup, n *model.Network, depthFirst bool) float64 {
	const runs = 8
	from, sum := p.mapper, 0
	if from == "" {
		from = n.Hosts[0].Name
	}
	for run := range uint64(runs) {
		w := newWitness(n, from)
		a := lab.Must(algorithm.Find("vazirani"))
		prober, opt := trial{from: from, seed: s.SeedOf(p.name) + run<<32, anyTurn: s.Reads(anyTurn), watch: w.watch}.prober(n, a)
		opt.Limit = phaseProbes
		algorithm.RandomPhase(ctx, prober, opt, depthFirst)
		sum += len(w.wires)
	}
	return float64(sum) / runs
}
