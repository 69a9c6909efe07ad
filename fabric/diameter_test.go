package fabric

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainDiameter searches from every switch.
func plainDiameter(g *Graph) int {
	most := int32(0)
	search := g.NewSearch(nil)
	for s := range int32(g.NumSwitches) {
		search.From(s)
		most = max(most, slices.Max(search.Hops))
	}
	return int(most)
}

func checkDiameter(t interface {
	Fatalf(format string, args ...any)
	Context() context.Context
}, g *Graph,
) {
	got, err := g.Diameter(t.Context())
	if want := plainDiameter(g); got != want || err != nil {
		t.Fatalf("diameter %d, %v, want %d", got, err, want)
	}
}

func TestDiameterAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkDiameter(t, drawSwitches(t)) })
}

// joined is a fabric of switches of 60 ports with the given links.
func joined(t *testing.T, switches int, links [][2]int) *Graph {
	f := New("joined")
	for i := range switches {
		mustAdd(t, f, Switch, GUID(i+1), 60, "s")
	}
	free := make([]uint8, switches)
	for _, l := range links {
		a, b := l[0], l[1]
		free[a]++
		from := End{NodeID(a), free[a]}
		free[b]++
		mustConnect(t, f, from, End{NodeID(b), free[b]})
	}
	return f.Compile()
}

// TestDiameterOfManySwitches: networks on which the centres close little, so that batches
// of 64 are searched, the last of them not full.
func TestDiameterOfManySwitches(t *testing.T) {
	for n := 60; n < 320; n += 13 {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		var circulant, random [][2]int
		for s := range n {
			for _, step := range []int{1, 7, 16} {
				circulant = append(circulant, [2]int{s, (s + step) % n})
			}
			for range 2 {
				random = append(random, [2]int{s, rng.IntN(n)})
			}
		}
		links := slices.Clone(circulant)
		for _, l := range random { // a second part, and a third of one switch
			links = append(links, [2]int{n + l[0], n + l[1]})
		}
		random = append(random, [2]int{0, n}, [2]int{n, n + 1}, [2]int{n + 1, n + 2}) // a tail
		checkDiameter(t, joined(t, n, circulant))
		checkDiameter(t, joined(t, n+3, random))
		checkDiameter(t, joined(t, 2*n+1, links))
	}
}

func TestDiameterEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var links [][2]int
	for s := range 150 {
		links = append(links, [2]int{s, (s + 1) % 150}, [2]int{s, (s + 7) % 150}, [2]int{s, (s + 16) % 150})
	}
	if d, err := joined(t, 150, links).Diameter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("diameter %d, %v", d, err)
	}
}
