package choose

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/fabric/bill"
	"weft/fabric/gen"
)

// TestLargeShapes: formulas of large machines build and hold the hosts too.
func TestLargeShapes(t *testing.T) {
	draws, rng := 10, rand.New(rand.NewPCG(2, 15))
	if testing.Short() {
		draws = 2
	}
	for range draws {
		w := draw(rng, 1, 30_000)
		w.Now = 0
		p, err := Propose(t.Context(), w, Study{Measure: "never"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append(p.Proposals, p.Beaten...) {
			checkProposal(t, &p.Want, c)
		}
	}
}

// TestSmallestGrids holds HyperX and torus of two dimensions to a search without thought.
func TestSmallestGrids(t *testing.T) {
	for _, radix := range []int{12, 24, 36} {
		for _, hosts := range []int{50, 120, 333} {
			least := func(fits func(a, b, perSwitch int) bool) int {
				best := 0
				for a := 2; a <= hosts; a++ {
					for b := a; a*b <= hosts; b++ {
						if fits(a, b, (hosts+a*b-1)/(a*b)) && (best == 0 || a*b < best) {
							best = a * b
						}
					}
				}
				return best
			}
			want := least(func(a, b, t int) bool {
				for k := 1; k < radix; k++ {
					if (a-1+b-1)*k+t <= radix && t <= a*k {
						return true
					}
				}
				return false
			})
			if got := allToAll("hyperx", 2, 2, 2, plain(hosts, radix, 1)); got.switches != want {
				t.Errorf("%d hosts on %d ports: %s has %d switches, want %d", hosts, radix, got.formula, got.switches, want)
			}
		}
	}
}

// TestKnownShapes: the balanced networks of the literature come out where they fit exactly.
func TestKnownShapes(t *testing.T) {
	for _, c := range []struct {
		shape func(need) smallest
		hosts int
		radix int
		want  string
	}{
		{dragonfly, 72, 7, "dragonfly(4,2,2,groups=9,hosts=72)"},
		{dragonfly, 1056, 15, "dragonfly(8,4,4,groups=33,hosts=1056)"},
		{hyperX, 64, 10, "hyperx(4x4,hosts=4)"},
		{fullMesh, 64, 15, "fullmesh(8,hosts=8)"},
		{slimFly, 200, 11, "slimfly(5,hosts=4)"},
		{tree, 648, 36, "tree(36,648)"},
		{tree, 5000, 24, ""},
	} {
		if got := c.shape(plain(c.hosts, c.radix, 1)); got.formula != c.want {
			t.Errorf("%d hosts on %d ports: %q, want %q", c.hosts, c.radix, got.formula, c.want)
		}
	}
	servers := func(hosts int) need { return need{hosts: hosts, radix: 64, rails: 8, limit: limit{1, 1}} }
	if got := rails(servers(256)); got.formula != "rail(8,32,8,spines=32,width=1)" {
		t.Errorf("rails: %q", got.formula)
	}
	// Switches of DGX SuperPODs of 127, 512, 1,024 and 2,048 servers, as published: leaves, spines
	// and cores (RA-11333-001 V11, table 3).
	for hosts, want := range map[int]int{127: 32 + 16, 512: 128 + 128 + 64, 1024: 256 + 256 + 128, 2048: 512 + 512 + 256} {
		if got := rails(servers(hosts)); got.switches != want {
			t.Errorf("%d servers of eight ports: %s has %d switches, want %d", hosts, got.formula, got.switches, want)
		}
	}
	if got := rails(servers(1000)); got.formula != "rail(8,32,32,spines=32,width=1,cores=4,up=7,hosts=1000)" {
		t.Errorf("rails that cores join: %q", got.formula)
	}
}

// TestRailPlanes: planes that cores join build, hold the hosts, keep the radix, and load no cable
// beyond the oversubscription under uniform traffic; as many switches are bought as the search
// said.
func TestRailPlanes(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		hosts, radix, k, ratio := 50+rng.IntN(400), 16+rng.IntN(32), 2+rng.IntN(5), float64(1+rng.IntN(2))
		n := need{hosts: hosts, radix: radix, rails: k, limit: limit{ratio, ratio}}
		var s smallest
		for groups := 1; groups*k <= radix; groups++ {
			railPlanes(n, groups, 0, &s)
		}
		if s.formula == "" {
			continue
		}
		found++
		f, err := gen.Parse(s.formula)
		if err != nil {
			t.Errorf("%s: %v", s.formula, err)
			continue
		}
		b, err := bill.Of(f, radix)
		if err != nil || b.Hosts < hosts || b.Switches != s.switches || b.Between != s.cables || s.load > ratio+1e-9 {
			t.Errorf("%d hosts on %d ports, %d rails, %g:1: %s has %s, load %g (%v)", hosts, radix, k, ratio, s.formula, b, s.load, err)
		}
	}
	if found < 20 {
		t.Errorf("%d networks", found)
	}
}

// TestPriced: with prices the cost counts in place of the switches.
func TestPriced(t *testing.T) {
	prices, err := bill.ReadPrices("prices", []byte("currency EUR\nswitch 36 1000\ncable between 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := Want{Hosts: 100, Radix: 36, Rails: 1, Ratio: 1}
	p, err := Propose(t.Context(), w, Study{Runs: 20, Seed: 1, Workers: 1, Measure: "auto", Prices: prices})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Proposals {
		if want := float64(1000*c.Bill.Switches + c.Bill.Between); c.Cost != want {
			t.Errorf("%s costs %g, want %g", c.Formula, c.Cost, want)
		}
	}
	prices.Switches = map[int]float64{24: 1}
	if _, err := Propose(t.Context(), w, Study{Measure: "never", Prices: prices}); err == nil || !strings.Contains(err.Error(), "no switch of 36 ports") {
		t.Errorf("a list without the switch: %v", err)
	}
}

// TestStopped: what was measured when the work is stopped is kept.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := Study{Runs: 20, Seed: 1, Workers: 1, Measure: "always"}
	s.Step = func(done, _ int, what string) {
		if done == 3 && strings.HasPrefix(what, "measuring") {
			cancel()
		}
	}
	p, err := Propose(ctx, Want{Hosts: 60, Radix: 24, Rails: 1, Ratio: 1}, s)
	if !errors.Is(err, context.Canceled) || len(p.Proposals)+len(p.Beaten) != 3 || p.Best == nil || !p.Stopped {
		t.Errorf("%v, %d proposals", err, len(p.Proposals)+len(p.Beaten))
	}
}

// TestRecommend: nothing of more oversubscription than is accepted, nor a claim of trees that
// nobody asked for, nor commands that route what one subnet cannot hold.
func TestRecommend(t *testing.T) {
	of := func(kind string, ratio float64, switches, lids int, ebb, shift float64) *Proposal {
		p := &Proposal{
			Shape: Shape{Kind: kind, Formula: kind, Whole: kind, Planes: 1, Ratio: ratio, Pods: ratio}, Bill: &bill.Bill{Switches: switches},
			LIDs: lids, EBB: ebb, Shift: shift,
		}
		if p.Uniform = 1; p.Subnets == nil {
			p.miss(&Want{Ratio: 1, Pods: 1})
		}
		return p
	}
	thin := of("tree", 2, 3, 45, .94, 1.1)
	thin.Formula, thin.Whole = "thin", "thin"
	cut := of("dragonfly", 1, 6000, 49_000, .8, 2)
	cut.Subnets = &Subnets{Number: 2, Routers: 3, Ratio: 1}
	for _, c := range []struct {
		name           string
		kinds          []string
		of             []*Proposal
		best, why, but string
		commands       int
	}{
		{"a thin tree", nil, []*Proposal{of("tree", 1, 5, 45, .95, 1), thin}, "tree", "its 5 switches", "misses what was asked: oversubscribed 2:1, and 1:1 is accepted", 3},
		{"a mesh", nil, []*Proposal{of("tree", 1, 5, 45, .95, 1), of("full-mesh", 1, 2, 45, .94, 1.1)}, "full-mesh", "in place of 5 switches", "", 3},
		{"one switch", nil, []*Proposal{of("tree", 1, 1, 3, 1, 1)}, "tree", "one switch holds", "", 3},
		{"no trees", []string{"torus"}, []*Proposal{of("torus", 1, 9, 45, .8, 2)}, "torus", "kinds that were asked for", "", 3},
		{"trees too small", nil, []*Proposal{of("tree", 2, 9, 45, .9, 2), of("torus", 1, 9, 45, .8, 2)}, "torus", "no tree of three levels and 1:1", "", 3},
		{"several subnets", nil, []*Proposal{cut}, "dragonfly", "no tree", "", 2},
	} {
		p := &Proposals{Want: Want{Ratio: 1, Rails: 1, Kinds: c.kinds}, Measured: true, Proposals: c.of}
		p.rank()
		if b := p.Best; b.Formula != c.best || !strings.Contains(b.Why, c.why) || !strings.Contains(b.But, c.but) || (b.But == "") != (c.but == "") || len(p.Commands) != c.commands {
			t.Errorf("%s: %+v, %q", c.name, b, p.Commands)
		}
	}
}

// TestLoadAt: groups that stand share the cables to each other, not those to groups to come.
func TestLoadAt(t *testing.T) {
	s := &smallest{load: 1, between: 1, groups: 5}
	for now, want := range map[int]float64{400: 1, 480: 1, 720: 5. / 3, 800: 2, 960: 2.5, 1600: 1.5, 2400: 1} {
		if got := s.loadAt(now, 2400); got != want {
			t.Errorf("%d of 2400 hosts: %g, want %g", now, got, want)
		}
	}
}
