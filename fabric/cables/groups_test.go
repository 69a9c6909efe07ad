package cables

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
)

// wholeGroups are Dragonflies, with groups to spare and without, Dragonfly+ and HyperX networks, by
// pattern.
var wholeGroups = []struct {
	formula, pattern string
	nameless         bool // found without the names of switches too
}{
	{"dragonfly(4,2,2)", "dragonfly", false},
	{"dragonfly(8,4,4)", "dragonfly", true},
	{"dragonfly(6,3,3,groups=7)", "dragonfly", true},
	{"dragonfly(8,2,3,groups=10)", "dragonfly", true},
	{"dragonfly(5,2,2,groups=6)", "dragonfly", true},
	{"dragonfly(8,4,3,groups=5)", "dragonfly", true},
	{"dragonflyplus(4,4,4,2)", "dragonflyplus", true},
	{"dragonflyplus(6,5,4,3)", "dragonflyplus", true},
	{"dragonflyplus(8,8,4,4,groups=9)", "dragonflyplus", true},
	{"dragonflyplus(6,6,2,2,groups=6)", "dragonflyplus", true},
	{"hyperx(4x4,hosts=4)", "hyperx", false},
	{"hyperx(5x6,width=2,hosts=2)", "hyperx", false},
	{"hyperx(3x4x5,hosts=2)", "hyperx", false},
	{"hypercube(6,hosts=1)", "hyperx", false},
	{"fullmesh(24,hosts=2)", "hyperx", true},
	{"fullmesh(12,width=3,hosts=2)", "hyperx", true},
}

// withoutNames describes all switches alike.
func withoutNames(f *fabric.Fabric) *fabric.Fabric {
	f = f.Clone()
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			f.Nodes[i].Desc = "MF0;switch:MQM8700/U1"
		}
	}
	return f
}

// eachWhole calls do for all of wholeGroups, and without the names of switches.
func eachWhole(t *testing.T, do func(formula, pattern string, f *fabric.Fabric)) {
	for _, c := range wholeGroups {
		f := generated(t, c.formula)
		do(c.formula, c.pattern, f)
		if c.nameless {
			do(c.formula+" without names", c.pattern, withoutNames(f))
		}
	}
}

// named lists what a report names, for messages.
func named(r *Report) (all []string) {
	for i := range r.Cables {
		o := &r.Cables[i]
		all = append(all, fmt.Sprint(o.Kind, " ", o.Ports, " ", o.Text))
	}
	return append(all, r.Notes...)
}

// TestWholeGroups: nothing is odd about networks of groups and HyperX networks that are whole.
func TestWholeGroups(t *testing.T) {
	eachWhole(t, func(formula, pattern string, f *fabric.Fabric) {
		if r := Of(f, f.Compile(), nil); !strings.HasPrefix(r.Pattern, pattern) && formula != "hypercube(6,hosts=1)" || len(r.Cables) > 0 || len(r.Notes) > 0 {
			t.Errorf("%s: pattern %s, %q", formula, r.Pattern, named(r))
		}
	})
}

// TestGroupsThatLostCables: of networks that lost up to a twentieth of their cables exactly these
// are missing, and any ports named are right.
func TestGroupsThatLostCables(t *testing.T) {
	ports, known := 0, 0
	eachWhole(t, func(formula, _ string, whole *fabric.Fabric) {
		for seed := range uint64(12) {
			f := whole.Clone()
			gone, want := removed(f, rand.New(rand.NewPCG(seed, 5)))
			lost := map[fabric.PortName]bool{}
			for id := range gone {
				for _, p := range f.LinkPorts(id) {
					lost[p] = true
				}
			}
			if seed%2 == 0 {
				f = f.Without(nil, func(id fabric.LinkID) bool { return gone[id] })
			}
			r := Of(f, f.Compile(), nil)
			if got := pairsOf(r); !slices.Equal(got, want) || len(r.Cables) != len(want) || r.Counts[Missing] != len(want) || len(r.Notes) > 0 {
				t.Errorf("seed %d, %s: pattern %s, %d removed; %q", seed, formula, r.Pattern, len(want), named(r)[:min(3, len(named(r)))])
			}
			for _, o := range r.Cables {
				for _, p := range o.Ports {
					ports++
					if p.Port > 0 {
						known++
					}
					if p.Port > 0 && !lost[p] {
						t.Errorf("seed %d, %s: %s has no port of a cable removed", seed, formula, p)
					}
				}
			}
		}
	})
	t.Logf("%d of %d ports told", known, ports)
	if 10*known < 9*ports {
		t.Errorf("%d of %d ports of cables removed are told", known, ports)
	}
}

// TestGroupsWithCrossedCables: two cables that are plugged in where the other should be are named,
// and nothing else.
func TestGroupsWithCrossedCables(t *testing.T) {
	tried := 0
	eachWhole(t, func(formula, _ string, f *fabric.Fabric) {
		g := f.Compile()
		for seed := range uint64(12) {
			rng := rand.New(rand.NewPCG(seed, 6))
			a, b := int32(rng.IntN(g.NumChannels/2)*2), int32(rng.IntN(g.NumChannels/2)*2)
			ends := []int32{g.From[a], g.To[a], g.From[b], g.To[b]}
			slices.Sort(ends)
			if len(slices.Compact(ends)) < 4 || joinedIn(g, g.From[a], g.To[b]) && joinedIn(g, g.From[b], g.To[a]) && strings.Contains(formula, "fullmesh") {
				continue
			}
			tried++
			crossed := cross(t, f, g, a, b)
			r := Of(crossed, crossed.Compile(), nil)
			if len(r.Cables) != 1 || r.Counts[Crossed] != 1 || len(r.Notes) > 0 {
				t.Errorf("seed %d, %s, %v and %v: pattern %s, %q", seed, formula, g.ChannelPorts(a), g.ChannelPorts(b), r.Pattern, named(r))
				continue
			}
			want := slices.Concat(g.ChannelPorts(a), g.ChannelPorts(b))
			for _, p := range r.Cables[0].Ports {
				if !slices.Contains(want, p) {
					t.Errorf("seed %d, %s: %s is not crossed", seed, formula, p)
				}
			}
		}
	})
	if tried < 200 {
		t.Errorf("only %d pairs of cables", tried)
	}
}

// joinedIn reports whether two switches have a cable.
func joinedIn(g *fabric.Graph, a, b int32) bool {
	return slices.ContainsFunc(g.OutOf(a), func(c int32) bool { return g.To[c] == b })
}

// TestGroupsWithExtraCable: a cable beside the pattern is named, and nothing else.
func TestGroupsWithExtraCable(t *testing.T) {
	eachWhole(t, func(formula, _ string, f *fabric.Fabric) {
		hostless := f.Without(nil, func(id fabric.LinkID) bool { return !f.IsSwitchLink(id) && id%2 == 0 })
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 7))
			f := hostless.Clone()
			var free []fabric.End
			for i := range f.Nodes {
				for p := 1; p <= f.Nodes[i].NumPorts() && f.Nodes[i].Type == fabric.Switch; p++ {
					if f.Nodes[i].Ports[p].Link == fabric.NoLink {
						free = append(free, fabric.End{Node: fabric.NodeID(i), Port: uint8(p)})
					}
				}
			}
			a, b := free[rng.IntN(len(free))], free[rng.IntN(len(free))]
			if a.Node == b.Node {
				continue
			}
			id, err := f.Connect(a, b, 4, fabric.EDR)
			if err != nil {
				t.Fatal(err)
			}
			want := f.LinkPorts(id)
			r := Of(f, f.Compile(), nil)
			if len(r.Cables) != 1 || r.Counts[Extra] != 1 || pairsOf(r)[0] != pairName(want[0].GUID, want[1].GUID) || len(r.Notes) > 0 ||
				!strings.Contains(formula, "mesh") && !slices.Equal(r.Cables[0].Ports, want) { // a mesh has no other place to compare with
				t.Errorf("seed %d, %s, %v: pattern %s, %q", seed, formula, f.LinkPorts(id), r.Pattern, named(r))
			}
		}
	})
}
