package check_test

import (
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/multicast"
	"weft/route/recipe"
)

var (
	plans = flag.Int("plans", 600, "how many corrupted Plans the two judges compare")
	seed  = flag.Uint64("drawseed", 1, "what the corruptions are drawn from")
)

// networks are small. Some have one lane for paths and trees, others several and one of the trees
// alone.
var networks = []struct {
	formula, engine string
	vls, trees      int
	lmc             uint8
	narrow          bool // links to hosts have fewer VLs
}{
	{"karytree(2,2)", "updn", 1, 3, 1, false},
	{"rlft(4,2)|fail(links=1,seed=1)", "updn", 1, 2, 0, false},
	{"torus(3x3,hosts=1)", "dfsssp", 3, 4, 0, false},
	{"torus(5,hosts=2)", "dor", 2, 2, 0, true},
	{"kautz(2,2,hosts=9)", "lash", 4, 3, 1, false},
	{"mesh(2,hosts=2)|ports(2)", "minhop", 1, 2, 2, false},
	{"fullmesh(1,hosts=4)", "minhop", 1, 1, 0, false},
}

// good makes the Plans to corrupt, with groups.
func good(t *testing.T) (list []*sample) {
	for i, n := range networks {
		f, err := gen.Parse(n.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		g.PortVLs = slices.Repeat([]uint8{8}, len(g.Attached))
		for h := range int32(g.NumHosts) {
			if n.narrow && h%3 == 0 {
				g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = 2
			}
		}
		spec, err := engine.Find(n.engine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, Names: lids.Options{LMC: n.lmc, Fresh: true}, MaxVLs: n.vls, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(n.formula, err)
		}
		if err := multicast.Complete(g, p, multicast.Options{Trees: n.trees, MaxVLs: n.vls + 1}); err != nil {
			t.Fatal(n.formula, err)
		}
		x := &sample{g: g, p: p, rng: rand.New(rand.NewPCG(uint64(i), 2))}
		x.cutGroups()
		list = append(list, x)
	}
	return list
}

// cutGroups draws groups, the last without members, and cuts their trees.
func (x *sample) cutGroups() {
	cutter := multicast.NewCutter(x.g, x.p.Multicast)
	for k := range fabric.LID(4) {
		group := route.Group{MLID: fabric.FirstMLID + k}
		for e := range int32(x.g.NumEnds) {
			switch of := x.pick(4); {
			case k == 3:
			case of < 2:
				group.Receivers = append(group.Receivers, e)
			case of == 2:
				group.Senders = append(group.Senders, e)
			}
		}
		x.groups, x.trees = append(x.groups, group), append(x.trees, cutter.Cut(&group))
	}
}

// proven returns the judge's answers: on the Plan, and by group.
func (x *sample) proven(t *testing.T) (*check.Report, []string) {
	t.Helper()
	r, err := check.Judge(context.Background(), x.g, x.p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(x.groups))
	for _, f := range check.Groups(x.g, x.p.Multicast, x.groups, x.trees) {
		list[f.Group] = f.Text
	}
	return r, list
}

// TestCorruptedPlans: in Plans with trees, corrupted in one to three places, the judge proves what
// packets that are followed bear out, and refuses nothing else.
func TestCorruptedPlans(t *testing.T) {
	samples := good(t)
	for i, x := range samples {
		if r, bad := x.proven(t); !r.OK || slices.ContainsFunc(bad, func(s string) bool { return s != "" }) {
			t.Fatalf("%s: the plan to corrupt is not good: %+v %v", networks[i].formula, r.Faults, bad)
		}
	}
	c := newCount()
	for n := range *plans {
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		x := samples[n%len(samples)].clone(rng)
		names := x.corrupt(1 + rng.IntN(3))
		name := fmt.Sprintf("plan %d (%s): %v", n, networks[n%len(samples)].formula, names)
		r, _ := x.proven(t)
		wrong := floodPlan(x.g, x.p)
		c.compare(t, name, r.OK, fmt.Sprintf("%+v, trees %+v", r.Faults, r.Multicast), wrong, names)
	}
	c.met(t, "corruptions", len(corruptions))
}

// corrupt changes a Plan in so many places, and returns the kinds of changes.
func (x *sample) corrupt(n int) (names []string) {
	for range n {
		if k := corruptions[x.pick(len(corruptions))]; x.p.SL != nil && x.p.Arbitration != nil && x.p.Ports != nil {
			names = append(names, k.name)
			k.do(x)
		}
	}
	if x.pick(6) == 0 {
		names, x.p.SL = append(names, "unknown SLs"), nil
	}
	return names
}

// TestCorruptedNetworks: the same on random networks, with cables from a switch to itself, drained
// switches and parts without a way to others.
func TestCorruptedNetworks(t *testing.T) {
	engines := []string{"minhop", "updn", "dfsssp", "lash", "nue"}
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		spec, err := engine.Find(rapid.SampledFrom(engines).Draw(t, "engine"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, MaxVLs: 3, Workers: 1}, func(string) {})
		if err != nil || g.NumHosts == 0 || multicast.Complete(g, p, multicast.Options{Trees: 2, MaxVLs: 4}) != nil {
			return // refused
		}
		x := (&sample{g: g, p: p}).clone(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		names := x.corrupt(rapid.IntRange(0, 3).Draw(t, "changes"))
		r, err := check.Judge(context.Background(), x.g, x.p, check.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := floodPlan(x.g, x.p); r.OK != (len(wrong) == 0) {
			t.Fatalf("%v: proven %v, faults %+v, trees %+v; the second judge: %v", names, r.OK, r.Faults, r.Multicast, wrong)
		}
	})
}

// TestCorruptedGroups: the same for trees cut down to groups, with a sound pool.
func TestCorruptedGroups(t *testing.T) {
	samples := good(t)
	c := newCount()
	for n := range *plans {
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		x := samples[n%len(samples)].clone(rng)
		x.ownGroups()
		at := rng.IntN(len(x.groups))
		var names []string
		for range 1 + rng.IntN(2) {
			k := ofGroups[rng.IntN(len(ofGroups))]
			names = append(names, k.name)
			k.do(x, &x.groups[at], &x.trees[at])
		}
		_, faults := x.proven(t)
		for i, wrong := range floodGroups(x.g, x.p, x.groups, x.trees) {
			var list []string
			if wrong != "" {
				list = []string{wrong}
			}
			name := fmt.Sprintf("plan %d (%s), group %d: %v", n, networks[n%len(samples)].formula, i, names)
			c.compare(t, name, faults[i] == "", faults[i], list, names)
		}
	}
	c.met(t, "changes of groups", len(ofGroups))
}

// TestFloodStandsAlone: the second judge shares no code with the first.
func TestFloodStandsAlone(t *testing.T) {
	for _, file := range []string{"flood_test.go", "floodlanes_test.go", "floodgroups_test.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); strings.HasPrefix(path, "weft/") && path != "weft/fabric" && path != "weft/route" {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

// count counts the answers of both judges.
type count struct {
	proven, refused, wrongProof, wrongRefusal int
	harmful                                   map[string]bool // kinds of changes in what was refused
}

func newCount() *count { return &count{harmful: map[string]bool{}} }

// compare compares the answers on one Plan or group.
func (c *count) compare(t *testing.T, name string, ok bool, faults string, wrong, changes []string) {
	switch {
	case ok && len(wrong) > 0:
		c.wrongProof++
		t.Errorf("%s: PROVEN, but %d faults: %s", name, len(wrong), wrong[0])
	case !ok && len(wrong) == 0:
		c.wrongRefusal++
		t.Errorf("%s: refused, but sound: %s", name, faults)
	case ok:
		c.proven++
	default:
		c.refused++
		for _, k := range changes {
			c.harmful[k] = true
		}
	}
}

// met makes sure that both answers and all kinds of changes were drawn.
func (c *count) met(t *testing.T, what string, kinds int) {
	t.Logf("%s: %d proven, %d refused, %d wrongly proven, %d wrongly refused", what, c.proven, c.refused, c.wrongProof, c.wrongRefusal)
	if c.proven < c.refused/10 || c.refused < c.proven/10 {
		t.Errorf("%d proven and %d refused: one kind is rare", c.proven, c.refused)
	}
	if len(c.harmful) < kinds*4/5 {
		t.Errorf("%d of %d kinds were harmful: %v", len(c.harmful), kinds, slices.Sorted(maps.Keys(c.harmful)))
	}
}
