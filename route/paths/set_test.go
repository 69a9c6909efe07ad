package paths_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/conformance"
	"weft/route/paths"
)

// A Set gives back what was added, in order, from several goroutines too.
func TestBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		type path struct {
			src int32
			way []int32
		}
		want := make([][]path, g.NumEnds)
		for range rapid.IntRange(0, 30).Draw(t, "paths") {
			end := rapid.Int32Range(0, int32(g.NumEnds-1))
			src, dst := end.Draw(t, "source"), end.Draw(t, "dest")
			ways := simpleWays(g, func(_, _ int32) bool { return true }, g.EndSwitch[src], g.EndSwitch[dst])
			if len(ways) > 0 {
				want[dst] = append(want[dst], path{src, rapid.SampledFrom(ways).Draw(t, "way")})
			}
		}
		b := paths.NewBuilder(g)
		var wg sync.WaitGroup
		for dst, list := range want {
			wg.Go(func() {
				for _, p := range list {
					b.Add(p.src, int32(dst), p.way)
				}
			})
		}
		wg.Wait()
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for dst, list := range want {
			first, last := s.To(int32(dst))
			if first != n || last != n+len(list) {
				t.Fatalf("to %d: paths %d to %d, want %d from %d on", dst, first, last, len(list), n)
			}
			for i, p := range list {
				if got := s.AppendChannels(nil, n+i); s.Source(n+i) != p.src || !slices.Equal(got, p.way) ||
					s.Dest(n+i) != int32(dst) || s.Hops(n+i) != len(p.way) {
					t.Fatalf("path %d is %v from %d to %d, want %v", n+i, got, s.Source(n+i), s.Dest(n+i), p)
				}
			}
			n = last
		}
		if s.NumPaths() != n {
			t.Fatalf("%d paths, want %d", s.NumPaths(), n)
		}
	})
}

// Validate finds what cannot be a path.
func TestValidate(t *testing.T) {
	g := graph(t, "renaming-fig1") // n0 is joined to n1, n2, n3; n1 to n4
	channel := func(from, to int32) int32 {
		for _, c := range g.OutOf(from) {
			if g.To[c] == to {
				return c
			}
		}
		t.Fatalf("no link from %d to %d", from, to)
		return -1
	}
	for _, bad := range []struct {
		src, dst int32
		way      []int32
		want     string
	}{
		{4, 0, []int32{channel(4, 1)}, "ends too early"},
		{1, 4, []int32{channel(1, 0), channel(0, 1), channel(1, 4)}, "loop"},
		{8, 8, []int32{channel(8, 2), channel(2, 8)}, "loop"},
	} {
		b := paths.NewBuilder(g)
		b.Add(bad.src, bad.dst, bad.way)
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: got %v, want %q", bad.way, err, bad.want)
		}
	}
}

// A routing function with a loop is refused, one without a way gives no path.
func TestFromRouting(t *testing.T) {
	g := graph(t, "torus(4,hosts=1)")
	read := func(next func(at, dst int32) int32) (*paths.Set, error) {
		return paths.FromRouting(t.Context(), g, 2, func(_ int, dst int32) paths.Routing {
			return func(at, _ int32) int32 { return next(at, dst) }
		})
	}
	if _, err := read(func(at, dst int32) int32 {
		if dst == 2 && at != 1 { // 3 -> 0 -> 3 and so on
			for _, c := range g.OutOf(at) {
				if g.To[c] != 1 && g.To[c] != 2 {
					return c
				}
			}
		}
		return g.OutOf(at)[0]
	}); err == nil || !strings.Contains(err.Error(), "loop") {
		t.Errorf("got %v, want a loop", err)
	}
	s, err := read(func(_, _ int32) int32 { return fabric.Nothing })
	if err != nil || s.NumPaths() != 0 {
		t.Errorf("got %d paths, %v", s.NumPaths(), err)
	}
}
