package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

const (
	bisections = 20   // random bisections of traffic that BaseLIDs compares
	chance     = 0.03 // share of bandwidth that a network of a few hosts may lose over all LIDs by chance
)

// BaseLIDs tests that an engine serves clients that send to base LIDs alone, as most do. On the
// table of fabrics, with LMC 1 and 2, the entries of base LIDs must equal the entries with LMC 0.
// Traffic over all LIDs of its targets must get as much bandwidth as traffic to base LIDs, within
// the share chance.
func BaseLIDs(t *testing.T, spec *route.Spec) {
	for _, c := range Fabrics() {
		t.Run(c.Name, func(t *testing.T) {
			f, err := c.Build()
			if err != nil {
				t.Fatal(err)
			}
			g := f.Compile()
			plain := routeWithLMC(t, spec, g, 0)
			if plain == nil {
				return
			}
			base := bisectionBandwidth(g, plain)
			for lmc := range uint8(2) {
				plan := routeWithLMC(t, spec, g, lmc+1)
				if plan == nil {
					continue
				}
				sameBaseColumns(t, g, plain, plan)
				if spread := bisectionBandwidth(g, plan); spread < base*(1-chance) {
					t.Errorf("LMC %d: bandwidth %.3f over all LIDs, %.3f to base LIDs", lmc+1, spread, base)
				}
			}
		})
	}
}

// routeWithLMC routes with an LMC; it returns nil if the engine refuses.
func routeWithLMC(t *testing.T, spec *route.Spec, g *fabric.Graph, lmc uint8) *route.Plan {
	req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc}, Workers: 2}
	plan, err := recipe.Run(t.Context(), g, req, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		t.Fatalf("LMC %d: %v", lmc, err)
	}
	return plan
}

// sameBaseColumns compares the entries of all base LIDs.
func sameBaseColumns(t *testing.T, g *fabric.Graph, plain, plan *route.Plan) {
	for end, base := range plan.Ends.Base {
		for s := range int32(g.NumSwitches) {
			if want, got := plain.Tables.Port(s, plain.Ends.Base[end]), plan.Tables.Port(s, base); base != 0 && got != want {
				t.Fatalf("LMC %d: switch %d sends base LID %d by port %d, with LMC 0 by port %d", plan.Ends.LMC[end], s, base, got, want)
			}
		}
	}
}

// bisectionBandwidth returns the mean bandwidth of a flow in random bisections, all flows in one
// direction. A flow is divided evenly over the LIDs of its target. The most loaded channel of the
// path decides its bandwidth on each LID.
func bisectionBandwidth(g *fabric.Graph, p *route.Plan) float64 {
	hosts := fabric.Numbers(g.NumHosts)
	sum, flows := 0.0, 0.0
	load := make([]float64, g.NumChannels)
	for seed := range uint64(bisections) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		var paths [][]int32
		var weights []float64
		clear(load)
		for i := range len(hosts) / 2 {
			from, to := hosts[2*i], hosts[2*i+1]
			n := p.Ends.Count(to)
			for k := range n {
				path, end, err := walk(g, p, g.EndSwitch[from], p.Ends.Base[to]+fabric.LID(k))
				if err != nil || end != to {
					continue
				}
				paths, weights = append(paths, path), append(weights, 1/float64(n))
				for _, c := range path {
					load[c] += 1 / float64(n)
				}
			}
		}
		for i, path := range paths {
			most := 1.0 // the link to the host
			for _, c := range path {
				most = max(most, load[c])
			}
			sum += weights[i] / most
			flows += weights[i]
		}
	}
	return sum / max(1, flows)
}
