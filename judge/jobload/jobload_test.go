package jobload

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

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
			if got.Channels == 0 != (got.Pair == nil) || got.Channels > 0 && users[got.Fullest][j] != got.Largest {
				t.Errorf("%s: job %d: no channel with %d pairs: %d, %v", c[0], j, got.Largest, got.Fullest, got.Pair)
			} else if got.Pair != nil {
				if channels, ok := walk(g, p, got.Pair[0], got.Pair[1]); !ok || !slices.Contains(channels, got.Fullest) {
					t.Errorf("%s: job %d: the path of pair %v has not channel %d", c[0], j, got.Pair, got.Fullest)
				}
			}
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

// TestVLs: VLs, and the channels that others pass on the same one, are what walks of all pairs
// give, with random SLs and with random tables that depend on both ports.
func TestVLs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	differ := false
	for _, formula := range []string{"rlft(4,3)", "irregular(switches=10,hosts=30)"} {
		g, p := routed(t, formula, "updn")
		p.SL = route.NewSLs(p.SL.Src, slices.Clone(p.SL.Dst), 7, 7)
		for i := range p.SL.Cells {
			p.SL.Cells[i] = uint8(rng.IntN(256))
		}
		p.SL.Src = make([]int32, g.NumEnds)
		for end := range p.SL.Src {
			p.SL.Src[end] = int32(rng.IntN(7))
		}
		for lid := range p.SL.Dst {
			p.SL.Dst[lid] = int32(rng.IntN(7))
		}
		m := &route.SL2VL{Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
		for range 5 {
			var v route.VLTable
			for sl := range v {
				v[sl] = uint8([]int{0, 1, 2, 3, 15}[rng.IntN(5)])
			}
			m.Pool = append(m.Pool, v)
		}
		for s := range m.Switch {
			by := route.SL2VLBy(rng.IntN(3))
			n, _ := by.Tables(g.SwitchPorts[s])
			m.Switch[s] = route.SwitchSL2VL{By: by, Index: make([]uint16, n)}
			for i := range n {
				m.Switch[s].Index[i] = uint16(rng.IntN(5))
			}
		}
		p.SL2VL = m
		jobs := [][]int32{{0, 3, 7, 11}, {1, 3, 9, 12, 13}, {2, 5, 10}}
		vls, sls := make([]map[int32]uint16, len(jobs)), make([]uint16, len(jobs)) // by job (and channel)
		for j, job := range jobs {
			vls[j] = map[int32]uint16{}
			for _, src := range job {
				for _, dst := range job {
					in, sl := g.EndPort[src], p.SL.At(src, p.Ends.Base[dst])
					channels, _ := walk(g, p, src, dst)
					if len(channels) > 0 {
						sls[j] |= 1 << sl
					}
					for _, c := range channels {
						vls[j][c] |= 1 << m.Table(g, g.From[c], in, g.FromPort[c])[sl] &^ (1 << route.DropVL)
						in = g.ToPort[c]
					}
				}
			}
		}
		r := counted(t, g, p, jobs)
		for j := range jobs {
			all, meet := uint16(0), 0
			for c, own := range vls[j] {
				all |= own
				for k := range jobs {
					if k != j && vls[k][c]&own != 0 {
						meet++
						break
					}
				}
			}
			var onVLs, onSLs []int
			for i := range 16 {
				if all>>i&1 != 0 {
					onVLs = append(onVLs, i)
				}
				if sls[j]>>i&1 != 0 {
					onSLs = append(onSLs, i)
				}
			}
			got := &r.Jobs[j]
			if !slices.Equal(got.SLs, onSLs) {
				t.Errorf("%s: job %d has SLs %v, want %v", formula, j, got.SLs, onSLs)
			}
			if !slices.Equal(got.VLs, onVLs) || *got.SharedOnVL != meet {
				t.Errorf("%s: job %d has VLs %v and meets others on %d channels, want %v and %d", formula, j, got.VLs, *got.SharedOnVL, onVLs, meet)
			}
			differ = differ || meet > 0 && meet < got.Shared
		}
		p.SL2VL = nil
		if j := &counted(t, g, p, jobs).Jobs[0]; j.VLs != nil || j.SharedOnVL != nil {
			t.Errorf("%s: VLs %v of unknown lanes", formula, j.VLs)
		}
	}
	if !differ {
		t.Error("no job shares some channels on its VLs, and others not")
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

// TestManyJobs: thousands of jobs on the same channels are counted within a moment, or refused.
func TestManyJobs(t *testing.T) {
	g, plan := routed(t, "rlft(8,2)", "ftree")
	const n = 2000
	jobs := make([][]int32, n)
	for i := range jobs {
		jobs[i] = []int32{0, int32(4 + i%28)}
	}
	begun := time.Now()
	r := counted(t, g, plan, jobs)
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("%d jobs take %v", n, took)
	}
	passes, beside := 0, 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		passes, beside = passes+j.Channels, beside+len(j.Beside)
		if j.Shared != j.Channels || len(j.Beside) < n/28 {
			t.Fatalf("job %d: %+v", i, j)
		}
	}
	for most, want := range map[limits]string{{passes, beside}: "", {passes - 1, beside}: "pass", {passes, beside - 1}: "shares"} {
		if _, err := countWithin(context.Background(), g, plan, jobs, most); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v of %d and %d: %v", most, passes, beside, err)
		}
	}
}
