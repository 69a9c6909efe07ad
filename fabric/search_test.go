package fabric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainHops relaxes every channel until no hop count falls: the hops from some switches
// along paths whose switches, the ends apart, are not closed.
func plainHops(g *Graph, closed []bool, starts []int32) []int32 {
	hops := slices.Repeat([]int32{Unreached}, g.NumSwitches)
	for _, s := range starts {
		hops[s] = 0
	}
	for changed := true; changed; {
		changed = false
		for c := range g.From {
			u, v := g.From[c], g.To[c]
			if hops[u] == Unreached || closed[u] && hops[u] > 0 {
				continue
			}
			if hops[v] == Unreached || hops[v] > hops[u]+1 {
				hops[v], changed = hops[u]+1, true
			}
		}
	}
	return hops
}

func TestSearchAgainstRelaxation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSwitches(t)
		closed := rapid.SliceOfN(rapid.Bool(), g.NumSwitches, g.NumSwitches).Draw(t, "closed")
		starts := rapid.SliceOfN(rapid.Int32Range(0, int32(g.NumSwitches)-1), 1, 3)
		search := g.NewSearch(closed)
		for range 3 {
			from := starts.Draw(t, "starts")
			search.From(from...)
			if want := plainHops(g, closed, from); !slices.Equal(search.Hops, want) {
				t.Fatalf("hops from %v: %v, want %v", from, search.Hops, want)
			}
			checkOrder(t, g, search)
		}
	})
}

// checkOrder holds Via and Order of a search against its Hops: every switch reached is
// listed once, nearest first, and was reached from one that is listed before it.
func checkOrder(t *rapid.T, g *Graph, s *Search) {
	place := slices.Repeat([]int{-1}, g.NumSwitches)
	for i, v := range s.Order {
		if place[v] >= 0 || i > 0 && s.Hops[v] < s.Hops[s.Order[i-1]] {
			t.Fatalf("order %v of hops %v", s.Order, s.Hops)
		}
		place[v] = i
	}
	for v, hops := range s.Hops {
		c := s.Via[v]
		switch {
		case (hops == Unreached) != (place[v] < 0):
			t.Fatalf("order %v of hops %v", s.Order, s.Hops)
		case hops <= 0 && c == Nothing:
		case hops > 0 && c >= 0 && g.To[c] == int32(v) && s.Hops[g.From[c]] == hops-1 && place[g.From[c]] < place[v]:
		default:
			t.Fatalf("switch %d at %d hops was reached by channel %d", v, hops, c)
		}
	}
}

// TestExtendAddsTheRest: extending from every switch lists each part of the network once.
func TestExtendAddsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSwitches(t)
		part, n := g.Components()
		search := g.NewSearch(nil)
		total, parts := 0, 0
		for s := range int32(g.NumSwitches) {
			found := search.Extend(s)
			total += len(found)
			for i, v := range found {
				if part[v] != part[s] || i == 0 && v != s {
					t.Fatalf("from %d: %v", s, found)
				}
			}
			parts += min(1, len(found))
		}
		if total != g.NumSwitches || parts != n || len(search.Order) != total {
			t.Fatalf("%d switches in %d parts", total, parts)
		}
	})
}

// TestSearchDoesNotAllocate: one search a destination must cost no memory.
func TestSearchDoesNotAllocate(t *testing.T) {
	f := New("ring")
	for i := range 8 {
		mustAdd(t, f, Switch, GUID(i+1), 2, "s")
	}
	for i := range 8 {
		mustConnect(t, f, End{NodeID(i), 1}, End{NodeID((i + 1) % 8), 2})
	}
	search := f.Compile().NewSearch(nil)
	if n := testing.AllocsPerRun(10, func() { search.From(3) }); n != 0 {
		t.Errorf("%g allocations a search", n)
	}
}
