package lanes_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/route"
	"weft/route/lanes"
)

// edgeSet holds the dependencies of a lane: by channel those that follow it.
type edgeSet map[int32][]int32

// pathTo lists the channels from a switch to a LID.
func pathTo(g *fabric.Graph, tables *route.Tables, s int32, lid fabric.LID) (path []int32) {
	for {
		c, _ := g.At(s, tables.Port(s, lid))
		if c < 0 {
			return path
		}
		path = append(path, c)
		s = g.To[c]
	}
}

// has reports whether a lane has all of a path.
func (e edgeSet) has(path []int32) bool {
	for i := 1; i < len(path); i++ {
		if !slices.Contains(e[path[i-1]], path[i]) {
			return false
		}
	}
	return true
}

// takes adds a path, unless it closes a cycle.
func (e edgeSet) takes(path []int32) bool {
	before := maps.Clone(e)
	for i := 1; i < len(path); i++ {
		c, d := path[i-1], path[i]
		if e.leads(d, c, map[int32]bool{}) {
			clear(e)
			maps.Copy(e, before)
			return false
		}
		if !slices.Contains(e[c], d) {
			e[c] = append(slices.Clip(e[c]), d)
		}
	}
	return true
}

// leads reports whether dependencies lead from one channel to another.
func (e edgeSet) leads(from, to int32, seen map[int32]bool) bool {
	if from == to || seen[from] {
		return from == to
	}
	seen[from] = true
	return slices.ContainsFunc(e[from], func(next int32) bool { return e.leads(next, to, seen) })
}

// chosen holds lanes on which the path from every switch to every LID was put.
type chosen struct {
	*lanes.Acyclic
	in     *route.Input
	tables *route.Tables
	sets   []edgeSet
}

// choose puts every path on the first lane that takes it, as an engine does.
func choose(t *rapid.T, in *route.Input, tables *route.Tables) *chosen {
	g := in.Graph
	c := &chosen{Acyclic: lanes.NewAcyclic(g, nil), in: in, tables: tables, sets: []edgeSet{{}}}
	for lid, end := range in.Ends.ByLID() {
		if end < 0 {
			continue
		}
		var off []int32
		for s := range int32(g.NumSwitches) {
			path := pathTo(g, tables, s, fabric.LID(lid))
			lane := 0
			for ; ; lane++ {
				if lane == len(c.sets) {
					c.sets = append(c.sets, edgeSet{})
				}
				want := c.sets[lane].takes(path)
				if got := c.Add(lane, path); got != want {
					t.Fatalf("lane %d takes the path from switch %d to LID %d: %v", lane, s, lid, got)
				}
				if want {
					break
				}
			}
			if lane > 0 {
				off = append(off, s)
			}
		}
		c.SetOffFirst(fabric.LID(lid), []int32{0, 1}) // forgotten
		c.SetOffFirst(fabric.LID(lid), off)
		if !slices.Equal(c.OffFirst(fabric.LID(lid)), off) {
			t.Fatalf("LID %d is off the first lane from %v, want %v", lid, c.OffFirst(fabric.LID(lid)), off)
		}
	}
	if c.Lanes() != len(c.sets) {
		t.Fatalf("%d lanes, want %d", c.Lanes(), len(c.sets))
	}
	return c
}

// firstWith returns the first lane that has all of some paths, -1 if none does.
func (c *chosen) firstWith(paths ...[]int32) int {
	return slices.IndexFunc(c.sets, func(e edgeSet) bool {
		return !slices.ContainsFunc(paths, func(path []int32) bool { return !e.has(path) })
	})
}

// between lists the paths between two classes, both ways.
func (c *chosen) between(p *lanes.Paths, a, b int32) (paths [][]int32) {
	for _, x := range [][2]int32{{a, b}, {b, a}} {
		for _, lid := range p.LIDs[x[1]] {
			paths = append(paths, pathTo(c.in.Graph, c.tables, p.Home[x[0]], lid))
		}
	}
	return paths
}

// TestAcyclicLayer: a pair stays on the first lane if that has all of its paths, both ways; the
// others are on lanes that stay acyclic. Refilling these never takes more of them.
func TestAcyclicLayer(t *testing.T) {
	several, added, gaveUp, fewer := 0, 0, 0, 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, rapid.Uint8Range(0, 1).Draw(t, "LMC"))
		c := choose(t, in, plan.Tables)
		classes := rapid.SampledFrom([]func(*route.Input, *route.Tables) *lanes.Paths{lanes.ByEnd, lanes.BySwitch}).Draw(t, "classes")
		p := classes(in, plan.Tables)
		first := map[pair]int{}
		p.Pairs(func(a, b int32) { first[pair{a, b}] = c.firstWith(c.between(p, a, b)...) })
		r, err := c.Layer(t.Context(), p, lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		if r.Need > lanes.MaxLanes {
			return
		}
		verify(t, g, in, plan.Tables, p, r)
		last := 0
		for x, want := range first {
			lane := int(r.SL.ByClass(x.a, x.b))
			if last = max(last, lane); want == 0 && lane != 0 {
				t.Fatalf("classes %d and %d are on lane %d, the first has their paths", x.a, x.b, lane)
			}
			if want != 0 {
				added++
			}
		}
		if r.Need != last+1 {
			t.Fatalf("%d lanes are needed, the last used is %d", r.Need, last)
		}
		once, err := choose(t, in, plan.Tables).LayerOnce(t.Context(), p, lanes.MaxLanes)
		if err != nil || r.Need > once.Need {
			t.Fatalf("%d lanes, without refilling %d (%v)", r.Need, once.Need, err)
		}
		if r.Need < once.Need {
			fewer++
		}
		if last > 0 {
			several++
			again, err := choose(t, in, plan.Tables).Layer(t.Context(), p, last)
			if err != nil || again.Need != last+1 || again.SL != nil {
				t.Fatalf("with %d lanes allowed %d are needed (%v)", last, again.Need, err)
			}
			gaveUp++
		}
	}, func() string {
		if min(several, added, gaveUp, fewer) == 0 {
			return fmt.Sprintf("%d layerings have several lanes, %d pairs were added, %d gave up, %d gained by refilling: too few", several, added, gaveUp, fewer)
		}
		return ""
	})
}

// TestAcyclicOneWay: each path is on the first lane that has it.
func TestAcyclicOneWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, rapid.Uint8Range(0, 1).Draw(t, "LMC"))
		c := choose(t, in, plan.Tables)
		r, err := c.LayerOneWay(t.Context(), in, lanes.BySwitch(in, plan.Tables))
		if err != nil {
			t.Fatal(err)
		}
		last, pairs := 0, int64(0)
		for lid, end := range in.Ends.ByLID() {
			for s := range int32(g.NumSwitches) {
				if end < 0 || s == g.EndSwitch[end] {
					continue
				}
				want := c.firstWith(pathTo(g, plan.Tables, s, fabric.LID(lid)))
				if got := int(r.SL.At(g.PortZero(s), fabric.LID(lid))); got != want {
					t.Fatalf("LID %d is on lane %d from switch %d, want %d", lid, got, s, want)
				}
				last = max(last, want)
				pairs++
			}
		}
		sum := int64(0)
		for _, n := range r.Pairs() {
			sum += n
		}
		if r.Need != last+1 || !r.SL.OneWay || sum != pairs {
			t.Fatalf("%d lanes, the last used is %d; one way: %v; %d paths, want %d", r.Need, last, r.SL.OneWay, sum, pairs)
		}
	})
}

// TestRefuses: what a lane refuses stays refused, and an edge that closes a cycle is.
func TestRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		l, set := lanes.NewAcyclic(g, nil), edgeSet{}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 3 * g.NumChannels {
			c := int32(rng.IntN(g.NumChannels))
			out := g.OutOf(g.To[c])
			k := int32(rng.IntN(len(out)))
			refused, want := l.Refuses(0, c, k), set.takes([]int32{c, out[k]})
			if got := l.Add(0, []int32{c, out[k]}); got != want || refused && want || !want && !l.Refuses(0, c, k) || l.Refuses(1, c, k) {
				t.Fatalf("channels %d and %d: taken %v, want %v, refused before: %v", c, out[k], got, want, refused)
			}
		}
	})
}
