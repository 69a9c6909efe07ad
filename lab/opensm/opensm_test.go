package opensm_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/lab"
	"weft/lab/labtest"
	"weft/lab/opensm"
	"weft/route"
)

// orders are the three that know of no repairs.
var orders = []opensm.Order{opensm.ByLeaf, opensm.InTurn, opensm.AtRandom}

// TestMinimal: the engines reach every end port on shortest paths, whatever the LMC.
func TestMinimal(t *testing.T) {
	specs := []*route.Spec{opensm.FirstPort(), opensm.MinHop(opensm.Moved)}
	for _, o := range orders {
		specs = append(specs, opensm.MinHop(o))
	}
	rapid.Check(t, func(r *rapid.T) {
		g, seed := labtest.DrawNetwork(r)
		s := &lab.Setup{Workers: 2}
		for _, spec := range specs {
			trial, err := s.Route(t.Context(), g, lab.Routing{Spec: spec, Seed: seed})
			if err != nil {
				r.Fatal(err)
			}
			if rep := trial.Report; rep.Unreachable > 0 || len(rep.Faults) > 0 || !rep.Minimal {
				r.Fatalf("%s: %d unreachable, faults %v, minimal %v", spec.Name, rep.Unreachable, rep.Faults, rep.Minimal)
			}
		}
	})
}

// TestEntries: MinHop deals the hosts of every other leaf out over the ports up, so that
// by leaf host i of each leaf of a two-level tree comes down from root i; first port
// sends all through one root.
func TestEntries(t *testing.T) {
	g, err := lab.Graph("rlft(8,2)") // 8 leaves of 4 hosts, 4 roots
	if err != nil {
		t.Fatal(err)
	}
	s := &lab.Setup{Workers: 1}
	for _, c := range []struct {
		spec *route.Spec
		root func(host int) int
	}{
		{opensm.MinHop(opensm.ByLeaf), func(host int) int { return host }},
		{opensm.FirstPort(), func(int) int { return 0 }},
	} {
		trial, err := s.Route(t.Context(), g, lab.Routing{Spec: c.spec})
		if err != nil {
			t.Fatal(err)
		}
		for from := range int32(g.NumSwitches) {
			for to := range int32(g.NumSwitches) {
				if from == to || len(g.HostsOf(from)) == 0 {
					continue
				}
				for i, h := range g.HostsOf(to) {
					out := g.OutOf(from)[c.root(i)]
					if got := trial.Plan.Tables.Port(from, trial.Plan.Ends.Base[h]); got != g.FromPort[out] {
						t.Fatalf("%s: switch %d has port %d for host %d of switch %d, want %d", c.spec.Name, from, got, i, to, g.FromPort[out])
					}
				}
			}
		}
	}
}

// TestOrders: every order names each end port once, hosts first.
func TestOrders(t *testing.T) {
	g, err := lab.Graph("racks216")
	if err != nil {
		t.Fatal(err)
	}
	in := &route.Input{Graph: g, Seed: 5}
	byLeaf := opensm.ByLeaf.Hosts(in)
	for _, o := range append([]opensm.Order{opensm.Moved}, orders...) {
		hosts, ends := o.Hosts(in), o.Ends(in)
		if len(hosts) != g.NumHosts || !slices.Equal(hosts, ends[:len(hosts)]) {
			t.Errorf("%s: hosts do not come first", o)
		}
		slices.Sort(ends)
		for i, end := range ends {
			if int(end) != i {
				t.Fatalf("%s: not every end port once", o)
			}
		}
		same := g.EndSwitch[hosts[0]] == g.EndSwitch[hosts[1]]
		if o == opensm.ByLeaf && !same || o == opensm.InTurn && same {
			t.Errorf("%s: the first two hosts share a leaf: %v", o, same)
		}
		if o == opensm.Moved {
			moved := 0
			for i := range hosts {
				if hosts[i] != byLeaf[i] {
					moved++
				}
			}
			if moved == 0 || moved > g.NumHosts/10 {
				t.Errorf("%d of %d hosts moved", moved, g.NumHosts)
			}
		}
	}
}
