package joblanes_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/jobload"
	"weft/route"
	"weft/route/engine"
	"weft/route/joblanes"
	"weft/route/planfile"
	"weft/route/recipe"
	"weft/route/relief"
	"weft/study/app/mixtest"
)

var plans = flag.Int("plans", 30, "random Plans of TestGive")

func graph(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// routed routes a fabric by an engine with so many VLs; nil if it refuses.
func routed(t testing.TB, g *fabric.Graph, name string, vls int) *route.Plan {
	t.Helper()
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, MaxVLs: vls, Workers: 1}, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func give(t testing.TB, g *fabric.Graph, plan *route.Plan, req *joblanes.Request) (*route.Plan, *joblanes.Lanes) {
	t.Helper()
	out, lanes, err := joblanes.Give(context.Background(), g, plan, req)
	if err != nil {
		t.Fatal(err)
	}
	return out, lanes
}

// judge returns the judge's report of a Plan that fits its Graph.
func judge(t testing.TB, g *fabric.Graph, p *route.Plan) *check.Report {
	t.Helper()
	if err := p.Fits(g); err != nil {
		t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func saved(t testing.TB, g *fabric.Graph, p *route.Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := planfile.Save(&b, g, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// jobOf returns the first job with two end ports, -1 for none.
func jobOf(jobs [][]int32, a, b int32) int {
	return slices.IndexFunc(jobs, func(hosts []int32) bool { return slices.Contains(hosts, a) && slices.Contains(hosts, b) })
}

// between lists the VLs of a packet on the channels of its path.
func between(g *fabric.Graph, p *route.Plan, src, dst int32) (vls []int) {
	lid := p.Ends.Base[dst]
	sl, x, in := p.SL.At(src, lid), g.EndSwitch[src], g.EndPort[src]
	for x != g.EndSwitch[dst] && len(vls) < g.NumSwitches {
		c, _ := g.At(x, p.Tables.Port(x, lid))
		if c < 0 {
			return vls
		}
		vls = append(vls, int(p.SL2VL.Table(g, x, in, g.FromPort[c])[sl]))
		x, in = g.To[c], g.ToPort[c]
	}
	return vls
}

// narrow gives links between switches so many VLs, and those to some hosts fewer.
func narrow(g *fabric.Graph, vls int, rng *rand.Rand) {
	g.PortVLs = make([]uint8, len(g.Attached))
	for slot, what := range g.Attached {
		if what != fabric.Nothing {
			g.PortVLs[slot] = uint8(vls)
		}
	}
	for h := range int32(g.NumHosts) {
		g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = []uint8{1, 2, uint8(vls)}[rng.IntN(3)]
	}
}

// TestGive: whatever the network and the engine, a Plan with lanes for jobs is proven as the one
// before, for clients without path records too. Packets of a job are on its copy on each channel,
// both ways, and all others on the lanes that they had before. The given Plan stays, and the same
// input gives the same bytes. Whichever copies random pairs take, the proof holds.
func TestGive(t *testing.T) {
	formulas := []string{
		"rlft(8,2)", "rlft(4,3)", "rlft(8,2)|fail(links=6,seed=2)", "torus(4x4,hosts=3)", "torus(6x5,hosts=2)", "torus(7,hosts=3)", "torus(5x5,hosts=1)", "torus(3x3x3,hosts=1)|fail(links=4,seed=1)", "irregular(switches=16,hosts=48)",
		"dragonfly(4,2,2)", "kautz(2,3,hosts=24)",
	}
	engines := []string{"ftree", "updn", "dfsssp", "lash", "lash", "nue", "torus"}
	given, several := 0, 0
	for seed := range *plans {
		rng := rand.New(rand.NewPCG(uint64(seed), 15))
		g := graph(t, formulas[rng.IntN(len(formulas))])
		name, vls := engines[rng.IntN(len(engines))], []int{2, 4, 8, 15}[rng.IntN(4)]
		if rng.IntN(2) == 0 {
			narrow(g, vls, rng)
		}
		plan := routed(t, g, name, min(vls, 2+rng.IntN(3)))
		if plan == nil {
			continue
		}
		jobs := mixtest.Draw(g, rng, 4)
		if rng.IntN(2) == 0 { // jobs that share hosts
			jobs = append(jobs, slices.Clone(jobs[0][:1+len(jobs[0])/2]))
			jobs[len(jobs)-1] = append(jobs[len(jobs)-1], jobs[len(jobs)/2][0])
		}
		before, was := saved(t, g, plan), judge(t, g, plan)
		out, lanes, err := joblanes.Give(context.Background(), g, plan, &joblanes.Request{Hosts: jobs, MaxVLs: vls})
		if _, no := errors.AsType[*route.Refusal](err); no {
			if max(plan.VLs, 1)*2 <= vls && g.LeastVLs() == 0 && plan.SL.InUse() == 1 {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		given++
		if plan.VLs > 1 {
			several++
		}
		now := judge(t, g, out)
		if !was.OK || !now.OK || was.NoPathRecord.DeadlockFree == check.Yes && now.NoPathRecord.DeadlockFree != check.Yes {
			t.Errorf("seed %d, %s: proven %v, without path records deadlock-free %v; before %v, %v: %v", seed, name, now.OK, now.NoPathRecord.DeadlockFree, was.OK, was.NoPathRecord.DeadlockFree, now.Faults)
		}
		shift := 0 // between VLs of copies
		for src := range int32(g.NumHosts) {
			for dst := range int32(g.NumHosts) {
				old, new := between(g, plan, src, dst), between(g, out, src, dst)
				number := 0
				if j := jobOf(jobs, src, dst); j >= 0 {
					number = lanes.Jobs[j].Copy
				}
				for i := range old {
					if shift == 0 && number > 0 {
						shift = (new[i] - old[i]) / number
						if shift < plan.VLs {
							t.Fatalf("seed %d: copies %d VLs apart, of Plans with %d", seed, shift, plan.VLs)
						}
					}
					if new[i] != old[i]+number*shift || new[i] >= vls {
						t.Fatalf("seed %d, %s: from %d to %d on VLs %v, before %v; copy %d", seed, name, src, dst, new, old, number)
					}
				}
			}
		}
		again, _ := give(t, g, plan, &joblanes.Request{Hosts: jobs, MaxVLs: vls})
		if !bytes.Equal(saved(t, g, again), saved(t, g, out)) || !bytes.Equal(before, saved(t, g, plan)) {
			t.Errorf("seed %d: another Plan at the second time, or the given one changed", seed)
		}
		if wild := judge(t, g, anyCopies(out, rng)); !wild.OK {
			t.Errorf("seed %d, %s: not proven with any copies: %v", seed, name, wild.DeadlockFree)
		}
		bare, none := give(t, g, out, &joblanes.Request{})
		for src := range int32(g.NumEnds) {
			for lid := range plan.SL.Dst {
				if plan.SL.Dst[lid] >= 0 && bare.SL.At(src, fabric.LID(lid)) != plan.SL.At(src, fabric.LID(lid)) {
					t.Fatalf("seed %d: without jobs SL %d from %d to LID %d, want %d", seed, bare.SL.At(src, fabric.LID(lid)), src, lid, plan.SL.At(src, fabric.LID(lid)))
				}
			}
		}
		if bare.SL.NumSrc > plan.SL.NumSrc || bare.SL.NumDst > plan.SL.NumDst || none.Copies != lanes.Copies {
			t.Errorf("seed %d: %d and %d classes once the jobs have ended, %d and %d before", seed, bare.SL.NumSrc, bare.SL.NumDst, plan.SL.NumSrc, plan.SL.NumDst)
		}
	}
	if given < *plans/2 || several < *plans/10 {
		t.Errorf("lanes were given in %d of %d Plans, %d of them with several VLs before", given, *plans, several)
	}
}

// anyCopies returns a Plan in which each pair of end ports has a random copy.
func anyCopies(p *route.Plan, rng *rand.Rand) *route.Plan {
	out := *p
	out.SL = route.NewSLs(slices.Clone(p.SL.Src), slices.Clone(p.SL.Dst), len(p.SL.Src), len(p.SL.Dst))
	out.SL.OneWay = p.SL.OneWay
	for lid, class := range p.SL.Dst {
		if class < 0 {
			continue
		}
		out.SL.Dst[lid] = int32(lid)
		for src := range p.SL.Src {
			out.SL.Src[src] = int32(src)
			sl, _ := p.UncopySL(p.SL.At(int32(src), fabric.LID(lid)))
			if n := rng.IntN(len(p.JobLanes) + 1); n > 0 {
				sl = p.JobLanes[n-1][sl]
			}
			out.SL.Set(int32(src), int32(lid), sl)
		}
	}
	return &out
}

// TestStart: jobs start and end one by one. Pairs of running jobs keep their SLs, no table changes
// after the first call, and the job that starts gets the copy on which it shares the fewest
// channels with the others.
func TestStart(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 12))
		g := graph(t, []string{"rlft(8,2)|without(roots=2)", "torus(4x4,hosts=3)"}[seed%2])
		bare := routed(t, g, []string{"ftree", "updn"}[seed%2], 8)
		plan, _ := give(t, g, bare, &joblanes.Request{Copies: 3})
		first := plan
		var running [][]int32
		for _, hosts := range mixtest.Draw(g, rng, 4) {
			if len(running) > 2 && rng.IntN(3) == 0 {
				running = slices.Delete(running, 0, 1)
			}
			running = append(running, hosts)
			req := &joblanes.Request{Hosts: running, Only: []int{len(running) - 1}}
			next, lanes := give(t, g, plan, req)
			for src := range int32(g.NumHosts) {
				for dst := range int32(g.NumHosts) {
					old, new := plan.SL.At(src, plan.Ends.Base[dst]), next.SL.At(src, next.Ends.Base[dst])
					switch j := jobOf(running, src, dst); {
					case j < 0 && new != first.SL.At(src, first.Ends.Base[dst]):
						t.Fatalf("seed %d: SL %d from %d to %d, which are in no job", seed, new, src, dst)
					case j >= 0 && j < len(running)-1 && new != old:
						t.Fatalf("seed %d: SL %d from %d to %d in a running job, before %d", seed, new, src, dst, old)
					}
				}
			}
			if next.SL2VL != first.SL2VL || next.Arbitration != first.Arbitration || next.Tables != first.Tables || !reflect.DeepEqual(next.JobLanes, first.JobLanes) {
				t.Errorf("seed %d: tables changed", seed)
			}
			own := lanes.Jobs[len(running)-1]
			for number := range lanes.Copies {
				shared := 0
				for k, l := range lanes.Jobs[:len(running)-1] {
					if l.Copy == number {
						shared += sharedChannels(t, g, plan, running[k], hosts)
					}
				}
				if number == own.Copy && shared != own.Shared || shared < own.Shared {
					t.Errorf("seed %d: copy %d shares %d channels, the job has copy %d with %d", seed, number, shared, own.Copy, own.Shared)
				}
			}
			var given []int
			for _, l := range lanes.Jobs {
				given = append(given, l.Copy)
			}
			afresh, _ := give(t, g, bare, &joblanes.Request{Hosts: running, Copies: 3, Only: []int{}, Given: given})
			for src := range int32(g.NumHosts) {
				for dst := range int32(g.NumHosts) {
					if got, want := afresh.SL.At(src, afresh.Ends.Base[dst]), next.SL.At(src, next.Ends.Base[dst]); got != want {
						t.Fatalf("seed %d: routed afresh, SL %d from %d to %d, want %d", seed, got, src, dst, want)
					}
				}
			}
			plan = next
		}
		if r := judge(t, g, plan); !r.OK {
			t.Errorf("seed %d: %+v", seed, r.Faults)
		}
	}
}

// TestPairInTwoJobs: a pair of two running jobs keeps its SL, in whichever order jobs are listed.
func TestPairInTwoJobs(t *testing.T) {
	g := graph(t, "rlft(8,2)")
	a, b, c := []int32{0, 4, 8, 12}, []int32{0, 4, 9, 13}, []int32{1, 5, 10, 14}
	plan, lanes := give(t, g, routed(t, g, "ftree", 8), &joblanes.Request{Hosts: [][]int32{a, b}})
	next, _ := give(t, g, plan, &joblanes.Request{Hosts: [][]int32{b, a, c}, Only: []int{2}})
	if lid := plan.Ends.Base[4]; lanes.Jobs[0].Copy == lanes.Jobs[1].Copy || next.SL.At(0, lid) != plan.SL.At(0, lid) {
		t.Errorf("SL %d, before %d; %+v", next.SL.At(0, lid), plan.SL.At(0, lid), lanes.Jobs)
	}
}

// sharedChannels counts the channels that two jobs share, by the judge.
func sharedChannels(t testing.TB, g *fabric.Graph, p *route.Plan, a, b []int32) int {
	t.Helper()
	r, err := jobload.Count(context.Background(), g, p, [][]int32{a, b})
	if err != nil {
		t.Fatal(err)
	}
	return r.Jobs[0].Shared
}

// TestByJudge: jobs with different copies share no VL on any channel, by the judge's counts.
func TestByJudge(t *testing.T) {
	g := graph(t, "rlft(8,2)|without(roots=2)")
	jobs := mixtest.Draw(g, rand.New(rand.NewPCG(3, 13)), 3)
	moved, _, err := relief.ForJobs(context.Background(), g, routed(t, g, "ftree", 8), &relief.Jobs{Hosts: jobs})
	if err != nil {
		t.Fatal(err)
	}
	for _, copies := range []int{2, 4, 0} {
		plan, lanes := give(t, g, moved, &joblanes.Request{Hosts: jobs, Copies: copies})
		r, err := jobload.Count(context.Background(), g, plan, jobs)
		if err != nil {
			t.Fatal(err)
		}
		shared := 0
		for j := range jobs {
			shared += r.Jobs[j].Shared
			if on, by := *r.Jobs[j].SharedOnVL, lanes.Jobs[j].Shared; on > by || on == 0 && by > 0 {
				t.Errorf("%d copies: job %d meets others on %d channels by the judge, on %d by the lanes", copies, j, on, by)
			}
			if r.Jobs[j].Channels > 0 && !slices.Equal(r.Jobs[j].VLs, []int{lanes.Jobs[j].Copy}) {
				t.Errorf("%d copies: job %d has VLs %v, want that of copy %d", copies, j, r.Jobs[j].VLs, lanes.Jobs[j].Copy)
			}
		}
		if shared == 0 || len(jobs) < 3 {
			t.Errorf("%d jobs share %d channels: too few to test", len(jobs), shared)
		}
	}
}

// TestRefused: Plans without a lane or an SL to spare are refused, with the reason. SLs and VLs
// with another use stay as they are.
func TestRefused(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	plan := routed(t, g, "ftree", 8)
	refused := func(p *route.Plan, req *joblanes.Request, reason string) {
		t.Helper()
		_, _, err := joblanes.Give(context.Background(), g, p, req)
		if _, no := errors.AsType[*route.Refusal](err); !no || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, want a refusal with %q", err, reason)
		}
	}
	with := func(change func(p *route.Plan)) *route.Plan {
		p := *plan
		change(&p)
		return &p
	}
	refused(plan, &joblanes.Request{MaxVLs: 1}, "needs 1 of 1 VLs")
	refused(with(func(p *route.Plan) { p.SL = nil }), &joblanes.Request{}, "unknown")
	refused(with(func(p *route.Plan) { p.Levels = []route.Level{{Name: "all", Share: 1}} }), &joblanes.Request{}, "levels of service")
	refused(plan, &joblanes.Request{Held: 1<<16 - 2}, "no SL is left: 16 are in use")
	refused(with(func(p *route.Plan) {
		p.Ports = route.UsualPorts(g)
		for i := range p.Ports.Pool {
			p.Ports.Pool[i].VLs = 1
		}
	}), &joblanes.Request{}, "needs 1 of 1 VLs")

	table := route.VLTable{5: 3}
	storage := with(func(p *route.Plan) { p.SL2VL = route.UniformVL(g, table) })
	out, lanes := give(t, g, storage, &joblanes.Request{Hosts: [][]int32{{0, 2, 4}, {1, 3, 5}}, Held: 1 << 5})
	if lanes.Copies != 5 || lanes.VLs != 8 || out.SL2VL.Pool[0][5] != 3 || slices.ContainsFunc(out.JobLanes, func(c route.LaneCopy) bool { return c[0] == 5 }) {
		t.Errorf("beside SL 5 on VL 3: %+v, table %v", lanes, out.SL2VL.Pool[0])
	}
	for _, c := range out.JobLanes {
		if out.SL2VL.Pool[0][c[0]] <= 3 {
			t.Errorf("SL %d has VL %d", c[0], out.SL2VL.Pool[0][c[0]])
		}
	}
}
