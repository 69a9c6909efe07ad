package jobload

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
)

func routed(t *testing.T, formula, name string) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, plan
}

func counted(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32) *Report {
	t.Helper()
	r, err := Count(context.Background(), g, p, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// walk lists the channels of a pair; ok is false if it has no path.
func walk(g *fabric.Graph, p *route.Plan, src, dst int32) (channels []int32, ok bool) {
	for x := g.EndSwitch[src]; x != g.EndSwitch[dst]; {
		c, _ := g.At(x, p.Tables.Port(x, p.Ends.Base[dst]))
		if c < 0 || len(channels) > g.NumSwitches {
			return nil, false
		}
		channels = append(channels, c)
		x = g.To[c]
	}
	return channels, true
}

// TestCount: every figure is what walks of all pairs give, also with holes, circles, and jobs that
// share hosts.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for _, c := range [][2]string{{"rlft(4,3)", "ftree"}, {"torus(4x4,hosts=2)", "dfsssp"}, {"irregular(switches=10,hosts=30)", "updn"}} {
		g, p := routed(t, c[0], c[1])
		for range 20 {
			x, lid := int32(rng.IntN(g.NumSwitches)), p.Ends.Base[rng.IntN(g.NumHosts)]
			p.Tables.Set(x, lid, uint8(rng.IntN(6)))
		}
		var jobs [][]int32
		for range 4 {
			var job []int32
			for range 2 + rng.IntN(8) {
				if h := int32(rng.IntN(g.NumHosts)); !slices.Contains(job, h) {
					job = append(job, h)
				}
			}
			jobs = append(jobs, job)
		}
		r := counted(t, g, p, jobs)
		users := map[int32]map[int]int64{}
		for j, job := range jobs {
			gone := 0
			for _, src := range job {
				for _, dst := range job {
					channels, ok := walk(g, p, src, dst)
					if !ok {
						gone++
					}
					for _, c := range channels {
						if users[c] == nil {
							users[c] = map[int]int64{}
						}
						users[c][j]++
					}
				}
			}
			if lost += gone; r.Jobs[j].Lost != gone {
				t.Errorf("%s: %d pairs of job %d are lost, want %d", c[0], r.Jobs[j].Lost, j, gone)
			}
		}
		if r.Unused != g.NumChannels-len(users) || r.Channels != g.NumChannels {
			t.Errorf("%s: %d of %d channels unused, want %d", c[0], r.Unused, r.Channels, g.NumChannels-len(users))
		}
		for j := range jobs {
			want := Job{Hosts: len(jobs[j]), Lost: r.Jobs[j].Lost}
			beside := map[int]bool{}
			for _, by := range users {
				n := by[j]
				if n == 0 {
					continue
				}
				want.Channels++
				want.Mean += float64(n)
				want.Largest = max(want.Largest, n)
				if len(by) > 1 {
					want.Shared++
				}
				for k := range by {
					beside[k] = beside[k] || k != j
				}
			}
			delete(beside, j)
			want.Beside = slices.Sorted(maps.Keys(beside))
			want.Mean /= float64(max(1, want.Channels))
			got := r.Jobs[j]
			if !slices.Equal(got.Beside, want.Beside) {
				t.Errorf("%s: job %d shares with %v, want %v", c[0], j, got.Beside, want.Beside)
			}
			got.Beside, want.Beside = nil, nil
			if got.Hosts != want.Hosts || got.Channels != want.Channels || got.Shared != want.Shared || got.Largest != want.Largest || got.Mean != want.Mean {
				t.Errorf("%s: job %d: %+v, want %+v", c[0], j, got, want)
			}
		}
	}
	if lost == 0 {
		t.Error("no pair was lost")
	}
}

// TestBound: on a small tree, the least number of unused channels over all choices of up ports is
// the bound; a whole machine leaves none unused, and a job on one leaf all.
func TestBound(t *testing.T) {
	g, p := routed(t, "rlft(4,2)", "ftree")
	rng := rand.New(rand.NewPCG(3, 4))
	for range 15 {
		hosts := fabric.Numbers(g.NumHosts)
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		jobs := [][]int32{hosts[:2+rng.IntN(2)], hosts[4 : 6+rng.IntN(2)]}
		type entry struct {
			x   int32
			lid fabric.LID
		}
		var entries []entry
		for _, job := range jobs {
			for _, src := range job {
				for _, dst := range job {
					if x := g.EndSwitch[src]; x != g.EndSwitch[dst] {
						entries = append(entries, entry{x, p.Ends.Base[dst]})
					}
				}
			}
		}
		least, bound := g.NumChannels, counted(t, g, p, jobs).LeastUnused
		for choice := range 1 << len(entries) {
			for i, e := range entries {
				p.Tables.Set(e.x, e.lid, g.FromPort[g.OutOf(e.x)[choice>>i&1]])
			}
			least = min(least, counted(t, g, p, jobs).Unused)
		}
		if least != bound {
			t.Fatalf("jobs %v: at least %d unused, the best choice leaves %d", jobs, bound, least)
		}
	}
	all := counted(t, g, p, [][]int32{fabric.Numbers(g.NumHosts)})
	leaf := counted(t, g, p, [][]int32{{0, 1}})
	if all.LeastUnused != 0 || leaf.LeastUnused != g.NumChannels || leaf.Unused != g.NumChannels {
		t.Errorf("a job on all hosts: %+v; on one leaf: %+v", all, leaf)
	}
}
