package nue

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/internal/par"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/internal/cdg"
	"weft/route/lids"
	"weft/route/recipe"
)

// anyNetwork makes a random network of 1 to 200 switches, most of them small: a tree
// and more cables, some of them parallel, some switches without hosts, CAs on one or
// two switches, some cables down and some switches drained.
func anyNetwork(rng *rand.Rand) *fabric.Fabric {
	b := &conformance.Builder{F: fabric.New("any")}
	n := 1 + rng.IntN(14)
	if rng.IntN(60) == 0 {
		n = 15 + rng.IntN(186)
	}
	var switches []fabric.NodeID
	for i := range n {
		s := b.Switch()
		if i > 0 && rng.IntN(40) > 0 {
			b.Link(s, switches[max(0, i-1-rng.IntN(4))])
		}
		switches = append(switches, s)
	}
	pick := func() fabric.NodeID { return switches[rng.IntN(n)] }
	for range rng.IntN(3*n + 1) {
		x, y := pick(), pick()
		b.Links(x, y, 1+rng.IntN(2))
	}
	for range rng.IntN(2*n + 3) {
		ca := b.Node(fabric.CA, 2)
		for range 1 + rng.IntN(2) {
			b.Link(ca, pick())
		}
	}
	for id := range b.F.Links {
		if rng.IntN(30) == 0 {
			b.F.SetLinkDown(fabric.LinkID(id), true)
		}
	}
	for range rng.IntN(3) {
		b.F.Nodes[pick()].Drained = true
	}
	return b.F
}

// parallel tells whether two channels join the same switches.
func parallel(g *fabric.Graph) bool {
	seen := map[[2]int32]bool{}
	for c := range g.NumChannels {
		ends := [2]int32{g.From[c], g.To[c]}
		if seen[ends] {
			return true
		}
		seen[ends] = true
	}
	return false
}

var networks = flag.Int("networks", 200, "random networks that TestAnyNetwork routes")

// allLanes is the engine with as many lanes as are allowed, whatever they deliver.
type allLanes struct{}

func (allLanes) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	r, err := routeWith(ctx, in, cdg.NewIndex(in.Graph), newParts(in.Graph), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	return r.plan(in), nil
}

// TestAnyNetwork: the judge proves every network on 1, 2, 4 and 8 lanes, switch traffic
// included; with one lane also packets on the default SL.
func TestAnyNetwork(t *testing.T) {
	networks := *networks
	if testing.Short() {
		networks = min(networks, 200)
	}
	if racing.Small() {
		networks = min(networks, 20)
	}
	const isParallel, isCyclic, isLarge = 1, 2, 4
	kind := make([]int, networks)
	err := par.For(t.Context(), 2, networks, func(_, i int) error {
		rng := rand.New(rand.NewPCG(uint64(i), 4))
		g := anyNetwork(rng).Compile()
		lmc := uint8(max(0, rng.IntN(6)-3))
		for _, lanes := range []int{1, 2, 4, 8} {
			r, p, err := routed(t.Context(), g, Spec(), lanes, lmc)
			if err != nil {
				return fmt.Errorf("network %d, %d lanes: %w", i, lanes, err)
			}
			if r.Unreachable > 0 || r.Loops > 0 || r.Discarded > 0 || len(r.Faults) > 0 ||
				r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes {
				return fmt.Errorf("network %d, %d lanes: %+v", i, lanes, r)
			}
			if f := r.Find(check.DrainedUsed); f != nil {
				return fmt.Errorf("network %d, %d lanes: %+v", i, lanes, f)
			}
			if p.VLs > lanes {
				return fmt.Errorf("network %d: %d lanes, %d are allowed", i, p.VLs, lanes)
			}
			if one := p.VLs == 1; one != p.Service.ReplySameSL || one && r.NoPathRecord.DeadlockFree != check.Yes {
				return fmt.Errorf("network %d, %d lanes: answers on the SL of the request: %v, without a path record: %+v",
					i, lanes, p.Service.ReplySameSL, r.NoPathRecord)
			}
		}
		r, _, err := routed(t.Context(), g, minhop.Spec(), 1, lmc)
		if err != nil {
			return err
		}
		if parallel(g) {
			kind[i] |= isParallel
		}
		if r.DeadlockFree == check.No {
			kind[i] |= isCyclic
		}
		if g.NumSwitches > 14 {
			kind[i] |= isLarge
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, k := range kind {
		for _, mask := range []int{isParallel, isCyclic, isParallel | isCyclic, isLarge} {
			if k&mask == mask {
				count[mask]++
			}
		}
	}
	t.Logf("%d networks: %d with parallel links, %d with a cyclic minhop, %d with both, %d of more than 14 switches",
		networks, count[isParallel], count[isCyclic], count[isParallel|isCyclic], count[isLarge])
	if count[isParallel|isCyclic] < networks/3 {
		t.Error("too few networks are hard")
	}
}

// routed routes with so many lanes and judges.
func routed(ctx context.Context, g *fabric.Graph, spec *route.Spec, lanes int, lmc uint8) (*quality.Report, *route.Plan, error) {
	req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc}, MaxVLs: lanes, Workers: 1}
	if spec.Name == Name {
		req.Engine = &route.Spec{Name: Name, Lanes: spec.Lanes, New: func(route.Options) (route.Engine, error) { return allLanes{}, nil }}
	}
	p, err := recipe.Run(ctx, g, req, func(string) {})
	if err != nil {
		return nil, nil, err
	}
	r, err := quality.Judge(ctx, g, p, check.Options{Workers: 1})
	return r, p, err
}
