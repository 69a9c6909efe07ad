package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/judge/check/internal/search"
	"weft/route"
	"weft/route/lids"
)

// seededPlans calls do with Plans in which few pairs have an SL of their own, ports have few
// VLs, and tables are broken here and there: with several LIDs a port, and all rules by
// which sources choose among them.
func seededPlans(t *testing.T, do func(name string, g *fabric.Graph, p *route.Plan)) {
	for _, formula := range []string{"karytree(2,2)", "torus(3x3,hosts=1)", "kautz(2,2,hosts=9)"} {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, 3))
			g, p := plan(t, formula, "minhop", uint8(seed%3), nil)
			randomSLs(g, p, rng)
			p.Ports = route.UsualPorts(g)
			p.Ports.Pool[0].VLs, p.Ports.Pool[1].VLs = 3, 2
			p.Choice.By = []route.ChoiceBy{route.AnyLID, route.AnyLID, route.BaseLID, route.HashedLID, route.ListedLIDs}[seed/3%5]
			if p.Choice.By == route.ListedLIDs {
				p.Choice = route.NewChoice(g.NumEnds, randomRows(g, p, rng))
			} else if seed >= 15 {
				p.SL2VL.Pool[0][5] = route.DropVL
			}
			p.Service = route.Service{Default: uint8(seed % 2), ReplySameSL: seed%5 > 0}
			if seed%4 == 1 {
				p.Levels = make([]route.Level, 2)
				for sl := range route.NumSLs {
					p.Levels[0].SL[sl], p.Levels[1].SL[sl] = uint8(sl), uint8(sl+3*int(seed%5))%route.NumSLs
				}
			}
			if seed%3 == 0 {
				g.PortVLs = slices.Repeat([]uint8{4}, len(g.PortVLs))
			}
			if seed%2 == 0 {
				for range 6 {
					s := int32(rng.IntN(g.NumSwitches))
					p.Tables.Set(s, fabric.LID(1+rng.IntN(int(p.Ends.Top()))), uint8(rng.IntN(int(g.SwitchPorts[s])+2)))
				}
				g.Drained[rng.IntN(g.NumSwitches)] = true
				g.SwitchFDBCap[rng.IntN(g.NumSwitches)] = int32(1 + rng.IntN(int(p.Ends.Top())))
			}
			do(fmt.Sprintf("%s, seed %d", formula, seed), g, p)
		}
	}
}

// randomRows lets some sources use some LIDs of some targets.
func randomRows(g *fabric.Graph, p *route.Plan, rng *rand.Rand) (rows []route.ChoiceRow) {
	for range 4 * g.NumEnds {
		target := int32(rng.IntN(g.NumEnds))
		rows = append(rows, route.ChoiceRow{Source: int32(rng.IntN(g.NumEnds)), Target: target, Offset: uint8(rng.IntN(p.Ends.Count(target)))})
	}
	return rows
}

// An end port whose LIDs another one has cannot be reached, by no fault of the ways to it.
func TestOneWayToNobody(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		g, p := plan(t, "karytree(2,2)", "minhop", 0, nil)
		a, b := rng.IntN(g.NumEnds), rng.IntN(g.NumEnds)
		p.Ends.Base[a] = p.Ends.Base[b]
		for range 8 {
			p.Tables.Set(int32(rng.IntN(g.NumSwitches)), fabric.LID(1+rng.IntN(int(p.Ends.Top()))), 255)
		}
		want, _ := newDumb(g, p).judge()
		r := figures(judged(t, good{g, p}))
		delete(r.Faults, Names)
		delete(r.Faults, NoSL)
		delete(want.Faults, Names)
		delete(want.Faults, NoSL)
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("seed %d: dumb judge -, judge +\n%s", seed, diff)
		}
	}
}

// A cycle that only packets of one source make, which go round it more than once, has the
// source named at every channel.
func TestLoopNamesItsSource(t *testing.T) {
	x := ring(t, 3, 0, func(int) bool { return false }, func(_, _ int32) uint8 { return 0 })
	for e := 1; e < x.g.NumEnds; e++ {
		if e != 2 {
			x.p.Ends.Base[e] = 0
		}
	}
	for s := range int32(3) {
		x.p.Tables.Set(s, x.p.Ends.Base[2], 1)
	}
	r := judged(t, x)
	if r.DeadlockFree != No || len(r.Cycle) != 3 {
		t.Fatalf("deadlock-free %v, cycle %v", r.DeadlockFree, r.Cycle)
	}
	for _, h := range r.Cycle {
		if h.Source != x.g.EndName(0) || h.LID != x.p.Ends.Base[2] {
			t.Errorf("%+v: want source %s", h, x.g.EndName(0))
		}
	}
}

func TestRareSLsLikeDumbJudge(t *testing.T) {
	seededPlans(t, func(name string, g *fabric.Graph, p *route.Plan) {
		want, _ := newDumb(g, p).judge()
		if diff := cmp.Diff(want, figures(judged(t, good{g, p}))); diff != "" {
			t.Errorf("%s: dumb judge -, judge +\n%s", name, diff)
		}
	})
}

// The ways to every LID are those of a packet that follows the tables hop by hop.
func TestPathsLikeWalks(t *testing.T) {
	loops := 0
	seededPlans(t, func(name string, g *fabric.Graph, p *route.Plan) {
		d, j := newDumb(g, p), prepare(g, p, 1, room{})
		err := j.eachLID(context.Background(), func(w *worker) {
			q := &w.paths
			inLoops := slices.Concat(q.loops.switches)
			loops += len(q.loops.end)
			place := make([]int, g.NumSwitches)
			for i, s := range q.Order {
				place[s] = i + 1
			}
			for s := range int32(g.NumSwitches) {
				end, path := d.tableWalk(s, q.LID)
				want := end
				if end == delivered {
					want = int32(len(path)) + 1
				}
				if q.Depth[s] != want {
					t.Fatalf("%s: depth %d of switch %d to LID %d, want %d", name, q.Depth[s], s, q.LID, want)
				}
				if hops := d.dist[q.Target][s]; hops >= 0 && int(q.Hops[s]) != hops || hops < 0 && q.Hops[s] != Unreached {
					t.Fatalf("%s: switch %d is %d hops from switch %d, not %d", name, s, hops, q.Target, q.Hops[s])
				}
				looping := slices.Contains(inLoops, s)
				if looping == (place[s] > 0) {
					t.Fatalf("%s: switch %d is in a loop of LID %d: %v; in the order: %v", name, s, q.LID, looping, place[s] > 0)
				}
				if _, next := d.step(s, q.LID); !looping && next >= 0 && place[next] > place[s] {
					t.Fatalf("%s: switch %d comes before switch %d, to which it leads", name, s, next)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if loops == 0 {
		t.Error("no loop was met")
	}
}

// dumbShortest is the length of a shortest cycle by a search from every node, 0 if there is
// none.
func dumbShortest(d *search.Digraph) int {
	n, best := int32(len(d.Start)-1), 0
	for x := range n {
		dist := slices.Repeat([]int{-1}, int(n))
		queue := []int32{x}
		dist[x] = 0
		for len(queue) > 0 {
			u := queue[0]
			queue = queue[1:]
			for _, v := range d.Successors(u) {
				if v == x && (best == 0 || dist[u]+1 < best) {
					best = dist[u] + 1
				}
				if dist[v] < 0 {
					dist[v] = dist[u] + 1
					queue = append(queue, v)
				}
			}
		}
	}
	return best
}

func TestShortestCycle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for range 4000 {
		n, step := 1+rng.IntN(9), 1+rng.IntN(2)
		d := &search.Digraph{Start: []int64{0}}
		for u := range n {
			for v := range n {
				if rng.IntN(n) == 0 && (step == 1 || (u+v)%2 == 1) {
					d.To = append(d.To, int32(v))
				}
			}
			d.Start = append(d.Start, int64(len(d.To)))
		}
		cycle, shortest := d.ShortestCycle(step)
		if want := dumbShortest(d); len(cycle) != want || !shortest {
			t.Fatalf("%v: a cycle of %d, want %d", d, len(cycle), want)
		}
		for i, u := range cycle {
			if !slices.Contains(d.Successors(u), cycle[(i+1)%len(cycle)]) {
				t.Fatalf("%v: %v is no cycle", d, cycle)
			}
		}
	}
}

// manyCables is three switches in a ring, with a host each, whose packets go round the ring
// in one direction: a cycle of three channels. The first switch has so many channels, of
// which the last one is on the cycle.
func manyCables(t *testing.T, channels int) good {
	f := fabric.New("ring")
	add := func(typ fabric.NodeType, guid, ports int) {
		if _, err := f.AddNode(typ, fabric.GUID(guid), ports, typ.String()); err != nil {
			t.Fatal(err)
		}
	}
	var used [6]uint8
	connect := func(a, b fabric.NodeID) {
		used[a]++
		used[b]++
		if _, err := f.Connect(fabric.End{Node: a, Port: used[a]}, fabric.End{Node: b, Port: used[b]}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		add(fabric.Switch, 1+i, 80)
	}
	for range channels - 1 {
		connect(2, 0)
	}
	connect(0, 1)
	connect(1, 2)
	next := [3]uint8{used[0], used[1], used[2] - 1} // ports by which the ring goes on
	for i := range 3 {
		add(fabric.CA, 100+i, 1)
		connect(fabric.NodeID(i), fabric.NodeID(3+i))
	}
	g := f.Compile()
	ends, err := lids.Assign(g, lids.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &route.Plan{Ends: ends, Tables: route.NewTables(g.NumSwitches, ends.Top())}
	for lid, e := range ends.ByLID() {
		for s := range int32(3) {
			switch {
			case e < 0:
			case s == g.EndSwitch[e]:
				p.Tables.Set(s, fabric.LID(lid), g.EndPort[e])
			default:
				p.Tables.Set(s, fabric.LID(lid), next[s])
			}
		}
	}
	p.SingleLane(g)
	return good{g, p}
}

// A switch with more channels than a word has bits is judged as others are.
func TestManyChannels(t *testing.T) {
	for _, channels := range []int{63, 64, 65, 66} {
		x := manyCables(t, channels)
		if n := len(x.g.OutOf(0)); n != channels {
			t.Fatalf("%d channels, want %d", n, channels)
		}
		if r := judged(t, x); r.Unreachable > 0 || r.DeadlockFree != No || len(r.Cycle) != 3 {
			t.Errorf("%d channels: %d unreachable, deadlock-free %v, cycle %v", channels, r.Unreachable, r.DeadlockFree, r.Cycle)
		}
	}
}
