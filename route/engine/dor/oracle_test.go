package dor

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/route"
)

// hop is one channel of a path with the VL used on it.
type hop struct {
	c  int32
	vl uint8
}

// walk follows the tables from an end port to a LID with an SL, hop by hop.
func walk(t testing.TB, g *fabric.Graph, p *route.Plan, src int32, lid fabric.LID, sl uint8) []hop {
	t.Helper()
	dst := p.Ends.ByLID()[lid]
	return follow(t, g, p, src, dst, lid, sl)
}

func follow(t testing.TB, g *fabric.Graph, p *route.Plan, src, dst int32, lid fabric.LID, sl uint8) []hop {
	t.Helper()
	var path []hop
	s, in := g.EndSwitch[src], g.EndPort[src]
	for range g.NumSwitches + 1 {
		out := p.Tables.Port(s, lid)
		if s == g.EndSwitch[dst] {
			if out != g.EndPort[dst] {
				t.Fatalf("%s: switch %d sends LID %d of its own end port out of port %d", g.Name, s, lid, out)
			}
			return path
		}
		c, _ := g.At(s, out)
		if out == route.NoPort || c < 0 {
			t.Fatalf("%s: switch %d sends LID %d to port %d, which leads to no switch", g.Name, s, lid, out)
		}
		path = append(path, hop{c, p.SL2VL.Table(g, s, in, out)[sl]})
		s, in = g.To[c], g.ToPort[c]
	}
	t.Fatalf("%s: LID %d loops", g.Name, lid)
	return nil
}

// distances is the plainest breadth-first search, between all switches.
func distances(g *fabric.Graph) [][]int {
	all := make([][]int, g.NumSwitches)
	for s := range all {
		d := make([]int, g.NumSwitches)
		for i := range d {
			d[i] = -1
		}
		d[s] = 0
		for queue := []int32{int32(s)}; len(queue) > 0; queue = queue[1:] {
			for _, c := range g.OutOf(queue[0]) {
				if d[g.To[c]] < 0 {
					d[g.To[c]] = d[queue[0]] + 1
					queue = append(queue, g.To[c])
				}
			}
		}
		all[s] = d
	}
	return all
}

// cdg is a channel dependency graph on (channel, VL).
type cdg map[hop]map[hop]bool

func (d cdg) add(path []hop) {
	for i := 1; i < len(path); i++ {
		if d[path[i-1]] == nil {
			d[path[i-1]] = map[hop]bool{}
		}
		d[path[i-1]][path[i]] = true
	}
}

// cyclic removes what nothing waits for until nothing can be removed.
func (d cdg) cyclic() bool {
	waiting := map[hop]int{}
	for _, next := range d {
		for h := range next {
			waiting[h]++
		}
	}
	var free []hop
	for h := range d {
		if waiting[h] == 0 {
			free = append(free, h)
		}
	}
	removed := 0
	for len(free) > 0 {
		h := free[len(free)-1]
		free = free[:len(free)-1]
		removed++
		for n := range d[h] {
			if waiting[n]--; waiting[n] == 0 && d[n] != nil {
				free = append(free, n)
			}
		}
	}
	return removed < len(d)
}

// judge walks every pair of end ports of different switches and every LID, with
// the answer on the SL of the request to every LID of the source. It checks
// minimality, VLs and that both together have no cyclic dependency.
func judge(t testing.TB, g *fabric.Graph, p *route.Plan) {
	t.Helper()
	dist := distances(g)
	by := p.Ends.ByLID()
	deps := cdg{}
	answers := make(map[[2]int32]map[uint8]bool) // SLs of requests between switches
	for src := range int32(g.NumEnds) {
		for lid, dst := range by {
			if dst < 0 {
				continue
			}
			a, b := g.EndSwitch[src], g.EndSwitch[dst]
			if dist[a][b] < 0 {
				if port := p.Tables.Port(a, fabric.LID(lid)); port != route.NoPort {
					t.Fatalf("%s: switch %d sends unreachable LID %d to port %d", g.Name, a, lid, port)
				}
				continue
			}
			sl := p.SL.At(src, fabric.LID(lid))
			path := follow(t, g, p, src, dst, fabric.LID(lid), sl)
			if len(path) != dist[a][b] {
				t.Fatalf("%s: %d hops from switch %d to %d, minimal is %d", g.Name, len(path), a, b, dist[a][b])
			}
			for _, h := range path {
				if int(h.vl) >= p.VLs {
					t.Fatalf("%s: VL %d on channel %d, of %d VLs", g.Name, h.vl, h.c, p.VLs)
				}
			}
			deps.add(path)
			if answers[[2]int32{b, a}] == nil {
				answers[[2]int32{b, a}] = map[uint8]bool{}
			}
			answers[[2]int32{b, a}][sl] = true
		}
	}
	for lid, dst := range by {
		if dst < 0 {
			continue
		}
		for s := range int32(g.NumSwitches) {
			for sl := range answers[[2]int32{s, g.EndSwitch[dst]}] {
				deps.add(follow(t, g, p, g.PortZero(s), dst, fabric.LID(lid), sl))
			}
		}
	}
	if deps.cyclic() {
		t.Errorf("%s: the dependency graph has a cycle", g.Name)
	}
}

// minimalRing says whether minimal paths all around a ring of k, every tie going
// both ways, depend on each other in a cycle on one lane.
func minimalRing(k int) bool {
	deps := cdg{}
	for i := range k {
		for hops := 1; 2*hops <= k; hops++ {
			var path []hop
			for h := range hops {
				path = append(path, hop{c: int32((i + h) % k)})
			}
			deps.add(path)
		}
	}
	return deps.cyclic()
}

func TestOracleFindsCycles(t *testing.T) {
	for k := 3; k < 9; k++ {
		if got, want := minimalRing(k), k >= 4; got != want {
			t.Errorf("ring of %d: cyclic %v, want %v", k, got, want)
		}
	}
	if (cdg{{c: 1}: {{c: 2}: true}, {c: 2}: {{c: 3}: true}}).cyclic() {
		t.Error("a chain is cyclic")
	}
}

func ExampleSpec() {
	s := Spec()
	fmt.Println(s.Name, s.Lanes, len(s.Options))
	// Output: dor dateline 0
}
