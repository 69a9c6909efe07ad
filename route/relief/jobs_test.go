package relief

import (
	"context"
	"reflect"
	"testing"

	"weft/fabric"
	"weft/fabric/source"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
)

// TestJobCounts: what is counted after paths have moved is what a fresh count of the new Plan
// gives.
func TestJobCounts(t *testing.T) {
	for formula, name := range networks {
		g, plan := routed(t, formula, name)
		r, err := newByJob(context.Background(), g, plan, threeJobs)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if r.writeTables() == 0 {
			t.Errorf("%s: nothing moved", formula)
		}
		fresh, err := newByJob(context.Background(), g, r.plan, threeJobs)
		if err != nil {
			t.Fatal(err)
		}
		for j := range r.jobs {
			if !reflect.DeepEqual(r.jobs[j].pairs, fresh.jobs[j].pairs) {
				t.Errorf("%s: pairs of job %d: %v, want %v", formula, j, r.jobs[j].pairs, fresh.jobs[j].pairs)
			}
		}
		if !reflect.DeepEqual(r.load, fresh.load) || !reflect.DeepEqual(r.users, fresh.users) || r.unused != fresh.unused || !reflect.DeepEqual(r.leaving, fresh.leaving) {
			t.Errorf("%s: loads %v, want %v; %d unused, want %d", formula, r.load, fresh.load, r.unused, fresh.unused)
		}
	}
}

// TestPricesOfPaths: prices and unused channels by the tree of a destination are those of a walk
// along all paths to it, also after a move.
func TestPricesOfPaths(t *testing.T) {
	for formula, name := range networks {
		g, plan := routed(t, formula, name)
		r, err := newByJob(context.Background(), g, plan, threeJobs)
		if err != nil {
			t.Fatal(err)
		}
		walk := func(d *target) (price int64, unused int) {
			met := map[int32]bool{}
			r.eachGroup(d, func(_ *members, p *group, _ int32) {
				r.eachHop(p.x, d.home, d.ports, func(c int32, _ bool) { met[c] = true })
			})
			for c := range met {
				unused += r.free(c)
			}
			return r.cost(d, d.ports), unused
		}
		tried := 0
		for i := range r.targets {
			d := &r.targets[i]
			r.open(d)
			price, unused := walk(d)
			if r.priceOf(d) != price || r.unusedBy() != unused {
				t.Errorf("%s, to LID %d: price %d, %d unused; want %d and %d", formula, d.lid, r.priceOf(d), r.unusedBy(), price, unused)
			}
			for _, x := range r.Order {
				for _, c := range g.OutOf(x) {
					if old := r.Next[x]; r.inJobs[x] > 0 && c != old && r.LeadsNearer(x, c) {
						more, dearer := r.newlyUsed(x, c), r.priceOver(d, x, c)-r.priceOver(d, x, old)
						d.ports[x] = g.FromPort[c]
						if p, u := walk(d); p-price != dearer || u-unused != more {
							t.Errorf("%s, to LID %d, switch %d by channel %d: price %+d, unused %+d; want %+d and %+d", formula, d.lid, x, c, dearer, more, p-price, u-unused)
						}
						d.ports[x] = g.FromPort[old]
						tried++
					}
				}
			}
			for _, x := range r.Order {
				for _, c := range g.OutOf(x) {
					if old := r.Next[x]; r.inJobs[x] > 0 && c != old && r.LeadsNearer(x, c) {
						r.change(d, x, c)
						r.shift(x, old)
						break
					}
				}
			}
			if p, u := walk(d); r.priceOf(d) != p || r.unusedBy() != u {
				t.Errorf("%s, to LID %d after moves: price %d, %d unused; want %d and %d", formula, d.lid, r.priceOf(d), r.unusedBy(), p, u)
			}
			r.close(d, false)
		}
		if tried == 0 {
			t.Errorf("%s: no other path to try", formula)
		}
	}
}

// TestSwapUnused: no exchange leaves more channels unused.
func TestSwapUnused(t *testing.T) {
	for formula, name := range networks {
		g, plan := routed(t, formula, name)
		r, err := newByJob(context.Background(), g, plan, threeJobs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.targets {
			before := r.unused
			if r.swapWithOthers(&r.targets[i]); r.unused > before {
				t.Errorf("%s, LID %d: %d channels unused, %d before", formula, r.targets[i].lid, r.unused, before)
			}
		}
	}
}

// networks holds the engine of each network for tests of counts.
var networks = map[string]string{
	"rlft(6,2)": "ftree", "rlft(8,2)|without(roots=2)": "ftree", "torus(4x3,hosts=2)|fail(links=2,seed=1)": "dfsssp", "kautz(2,3,hosts=19)": "nue",
}

var threeJobs = &Jobs{Hosts: [][]int32{{0, 3, 5, 6, 9, 12}, {1, 2, 4, 8}, {7, 10, 11, 13, 14, 0}}}

func routed(t *testing.T, formula, name string) (*fabric.Graph, *route.Plan) {
	t.Helper()
	src, err := source.Generate(formula)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	g := src.Fabric.Compile()
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, plan
}

// TestJobsOnOneSwitch: jobs whose hosts share a switch take no counters, however many there are.
func TestJobsOnOneSwitch(t *testing.T) {
	g, plan := routed(t, "rlft(36,2)", "ftree")
	jobs := &Jobs{Hosts: [][]int32{{0, 18, 36, 54}}}
	for 4*len(jobs.Hosts)*g.NumChannels <= mostJobMemory {
		jobs.Hosts = append(jobs.Hosts, []int32{0, 1})
	}
	r, err := newByJob(context.Background(), g, plan, jobs)
	if err != nil || len(r.jobs) != len(jobs.Hosts) || len(r.targets) != 5 {
		t.Errorf("%d jobs: %v", len(jobs.Hosts), err)
	}
}
