package job

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/jobs"
	"weft/study/studytest"
)

// TestDisjoint: jobs that share no cable do not slow each other down at all.
func TestDisjoint(t *testing.T) {
	for formula, size := range map[string]int{"rlft(8,2)": 4, "rlft(8,3)": 16} {
		g, r := studytest.Routed(t, formula, "ftree")
		var list []jobs.Job
		var order []int32
		for s := range int32(g.NumSwitches) {
			order = append(order, g.HostsOf(s)...)
		}
		for i := 0; i+size <= len(order); i += size {
			list = append(list, jobs.Job{Name: fmt.Sprint("job", i), Hosts: order[i : i+size]})
		}
		j, err := Ask(t.Context(), g, r, &Request{Job: list[1], Beside: list, Programs: []string{}, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if j.SlowDown != 1 || len(j.Shares) > 0 || j.Others != len(list)-1 || j.Placements[0].OthersSlowDown != 1 {
			t.Errorf("%s: slow-down %v by %d jobs, %+v", formula, j.SlowDown, len(j.Shares), j.Placements)
		}
	}
}

// TestShared: two jobs with half the hosts of each leaf, which have half the cables upwards, slow
// each other down, and say so of each other.
func TestShared(t *testing.T) {
	g, r := studytest.Routed(t, "pgft(2;8,8;1,4;1,1)", "ftree")
	var list [2]jobs.Job
	for h := range int32(g.NumHosts) {
		j := &list[h/4%2]
		j.Name, j.Hosts = fmt.Sprint("job", h/4%2), append(j.Hosts, h)
	}
	j, err := Ask(t.Context(), g, r, &Request{Job: list[0], Beside: list[:], Programs: []string{}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Shares) != 1 || j.SlowDown < 1.2 || j.Free != 32 {
		t.Fatalf("slow-down %v, %d free, %+v", j.SlowDown, j.Free, j.Shares)
	}
	back, err := Ask(t.Context(), g, r, &Request{Job: list[1], Beside: list[:], Programs: []string{}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, b := &j.Shares[0], &back.Shares[0]
	if a.SlowDown != j.SlowDown || a.SlowDown != b.Slows || a.Slows != b.SlowDown || a.Cables != b.Cables || a.Job != "job1" || a.Common != 0 {
		t.Errorf("%+v and %+v, slow-down %v", a, b, j.SlowDown)
	}
	if best := &j.Placements[0]; best.Time > j.Alone*j.SlowDown {
		t.Errorf("best %+v, given %v", best, j.Alone*j.SlowDown)
	}
}

// TestLoads: the loads of a job are those of all its pairs, one after the other.
func TestLoads(t *testing.T) {
	for _, formula := range []string{"rlft(8,3)", "rail(4,3,2)", "torus(3x3,hosts=2)"} {
		g, r := studytest.Routed(t, formula, "auto")
		rng := rand.New(rand.NewPCG(7, 7))
		find := jobs.NewFinder(g)
		servers := rng.Perm(len(g.Servers().List))[:5]
		var names []string
		for _, s := range servers {
			names = append(names, find.Name(int32(s)))
		}
		hosts, err := find.Find(strings.Join(names, ","))
		if err != nil {
			t.Fatal(err)
		}
		table, err := newTable(t.Context(), g, r, &Request{Workers: 2}, []jobs.Job{{Name: "a", Hosts: hosts}})
		if err != nil {
			t.Fatal(err)
		}
		m := table.others[0]
		want := map[int32]float64{}
		for _, a := range hosts {
			for _, b := range hosts {
				if find.Server(a) == find.Server(b) || table.servers != nil && (table.servers.Rail[a] != table.servers.Rail[b]) {
					continue
				}
				path, _ := table.net.Path(a, b, nil)
				demand := min(table.rate(path[0]), table.rate(path[len(path)-1]))
				for _, l := range path {
					want[l] += demand / table.rate(l) / float64(m.nodes-1)
				}
			}
		}
		if len(want) != len(m.load) {
			t.Fatalf("%s: loads on %d links, want %d", formula, len(m.load), len(want))
		}
		for _, l := range m.load {
			if math.Abs(l.share-want[l.link]) > 1e-9 {
				t.Errorf("%s: load %v on link %d, want %v", formula, l.share, l.link, want[l.link])
			}
		}
	}
}

// TestPlacements: each choice has the right number of free nodes, fewest leaves needs the least
// possible, and whole leaves avoid other jobs where that is possible.
func TestPlacements(t *testing.T) {
	for _, formula := range []string{"rlft(8,3)", "pgft(2;8,8;1,4;1,1)", "rail(4,3,4)"} {
		g, r := studytest.Routed(t, formula, "auto")
		find := jobs.NewFinder(g)
		all := len(g.Servers().List)
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 2))
			perm := rng.Perm(all)
			var list []jobs.Job
			for i := range 2 {
				var hosts []int32
				for _, s := range perm[i*all/6 : (i+1)*all/6] {
					own, err := find.Find(find.Name(int32(s)))
					if err != nil {
						t.Fatal(err)
					}
					hosts = append(hosts, own...)
				}
				list = append(list, jobs.Job{Name: fmt.Sprint(i), Hosts: hosts})
			}
			nodes := 2 + rng.IntN(all/2)
			got, err := Place(t.Context(), g, r, nodes, &Request{Beside: list, Seed: seed, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Placements) != 4 || got.Free != all-2*all/6 {
				t.Errorf("%s: %d choices of %d nodes", formula, len(got.Placements), got.Free)
			}
			least := leastLeaves(g, find, list, nodes)
			for i := range got.Placements {
				p := &got.Placements[i]
				hosts, err := find.Find(p.List)
				if err != nil {
					t.Fatal(err)
				}
				servers := map[int32]bool{}
				for _, h := range hosts {
					servers[find.Server(h)] = true
					if slices.Contains(list[0].Hosts, h) || slices.Contains(list[1].Hosts, h) {
						t.Errorf("%s, %s: host port %d is not free", formula, p.Strategy, h)
					}
				}
				if len(servers) != nodes || p.Time < 1 || p.SlowDown < 1 || p.OthersSlowDown < 1 {
					t.Errorf("%s, %s: %d nodes, want %d: %+v", formula, p.Strategy, len(servers), nodes, p)
				}
				if p.Strategy == "fewest leaves" && least > 0 && p.Leaves != least {
					t.Errorf("%s: %d nodes on %d leaves, want %d", formula, nodes, p.Leaves, least)
				}
			}
			again, err := Place(t.Context(), g, r, nodes, &Request{Beside: list, Seed: seed, Workers: 4})
			if err != nil || !reflect.DeepEqual(got, again) {
				t.Errorf("%s: another answer on 4 cores: %v", formula, err)
			}
		}
	}
}

// leastLeaves returns the least number of leaves with so many free nodes, 0 for servers of several
// ports.
func leastLeaves(g *fabric.Graph, find *jobs.Finder, list []jobs.Job, nodes int) int {
	if len(g.Servers().List) < g.NumHosts {
		return 0
	}
	var free []int
	for s := range int32(g.NumSwitches) {
		n := 0
		for _, h := range g.HostsOf(s) {
			if !slices.Contains(list[0].Hosts, h) && !slices.Contains(list[1].Hosts, h) {
				n++
			}
		}
		free = append(free, n)
	}
	slices.SortFunc(free, func(a, b int) int { return b - a })
	for i, n := range free {
		if nodes -= n; nodes <= 0 {
			return i + 1
		}
	}
	return 0
}

// TestWholePods: on three levels a job that fits a pod without other jobs gets that pod, and shares
// no cable.
func TestWholePods(t *testing.T) {
	g, r := studytest.Routed(t, "rlft(8,3)", "ftree")
	var hosts []int32
	for h := range int32(g.NumHosts) {
		if h%16 == 3 && h < 96 { // a node in each of six pods of eight
			hosts = append(hosts, h)
		}
	}
	got, err := Place(t.Context(), g, r, 13, &Request{Beside: []jobs.Job{{Name: "a", Hosts: hosts}}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	best := &got.Placements[0]
	if best.Strategy != "whole leaves" || best.Pods != 1 || best.Sharing != 0 || best.OthersSlowDown != 1 {
		t.Errorf("%+v", best)
	}
}

// TestTrouble: only cables on the paths of a job are named.
func TestTrouble(t *testing.T) {
	g, r := studytest.Routed(t, "rlft(8,2)", "ftree")
	own, other := g.EndName(0), g.EndName(20)
	j, err := Ask(t.Context(), g, r, &Request{
		Job: jobs.Job{Name: "a", Hosts: []int32{0, 1, 5}}, Programs: []string{"alltoall(atonce,size=64KiB)"},
		Odd:      []cables.Odd{{Kind: cables.Errors, Ports: []fabric.PortName{other}}, {Kind: cables.Slow, Ports: []fabric.PortName{own}, Text: "SDR"}},
		Hot:      []Hot{{From: own, To: own, Gbps: 90, Share: 0.9}, {From: own, To: own, Share: 0.2}, {From: other, To: other, Share: 1}},
		Counters: true, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Trouble) != 2 || j.Trouble[0].Kind != "slow" || j.Trouble[1].Kind != "hot" || j.Trouble[0].Share != 1 {
		t.Errorf("%+v", j.Trouble)
	}
	if len(j.Collectives) != 1 || j.Collectives[0].Cost < 1 {
		t.Errorf("%+v", j.Collectives)
	}
	var four, all strings.Builder
	if err := j.Write(&four); err != nil || !strings.Contains(four.String(), "2 of 7 need a look: ") {
		t.Errorf("%s, %v", four.String(), err)
	}
	if err := j.WriteAll(&all); err != nil || !strings.HasPrefix(all.String(), four.String()) || !strings.Contains(all.String(), "90 % of its rate") {
		t.Errorf("%s, %v", all.String(), err)
	}
}

// TestRefuses: questions without an answer are errors.
func TestRefuses(t *testing.T) {
	g, r := studytest.Routed(t, "rlft(4,2)", "ftree")
	for want, ask := range map[string]func() error{
		"two nodes or more": func() error {
			_, err := Ask(t.Context(), g, r, &Request{Job: jobs.Job{Hosts: []int32{1}}})
			return err
		},
		"want 2 to 6": func() error {
			_, err := Place(t.Context(), g, r, 7, &Request{Beside: []jobs.Job{{Name: "a", Hosts: []int32{0, 1}}}})
			return err
		},
		"4 ranks on the 2 nodes": func() error {
			_, err := Ask(t.Context(), g, r, &Request{Job: jobs.Job{Hosts: []int32{1, 2}}, Programs: []string{"barrier(ranks=4)"}})
			return err
		},
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestTurns: what an input gets of a link is what serving all inputs in turn, in small portions,
// gives it.
func TestTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		turns := make([]turn, 1+rng.IntN(7))
		for i := range turns {
			turns[i].share = rng.Float64() * rng.Float64()
		}
		var l line
		l.fill(turns)
		for at, i := range l.order {
			const portion = 1e-4
			got, rest := make([]float64, len(turns)), 1.0
			for rest > 0 {
				for k := range got {
					if int32(k) == i || got[k] < turns[k].share {
						got[k] += portion
						rest -= portion
					}
				}
			}
			if math.Abs(l.left(at)-got[i]) > 0.002 {
				t.Fatalf("input %d of %v gets %v, want %v", i, turns, l.left(at), got[i])
			}
		}
	}
}
