package fluid

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// play begins flows and returns when each ends.
type begin struct {
	at    picoseconds
	path  []int32
	bytes float64
}

func play(n *Network, begins []begin) []picoseconds {
	ends := make([]picoseconds, len(begins))
	next := 0
	for next < len(begins) || n.Active() > 0 {
		at, ok := picoseconds(0), false
		if n.Active() > 0 {
			at, ok = n.Next()
		}
		if next < len(begins) && (!ok || begins[next].at < at) {
			for now := begins[next].at; next < len(begins) && begins[next].at == now; next++ {
				n.Begin(now, begins[next].path, begins[next].bytes, int32(next))
			}
			continue
		}
		for _, id := range n.End(nil) {
			ends[id] = at
		}
	}
	return ends
}

// TestByHand: the examples of a textbook.
func TestByHand(t *testing.T) {
	a, b, c := []int32{0, 1}, []int32{0}, []int32{1}
	n := New([]float64{1, 1}, 2)
	for i, p := range [][]int32{a, b, c} {
		n.Begin(0, p, 1000, int32(i))
	}
	for id := range int32(3) {
		if r := n.Rate(id); r != 0.5 {
			t.Errorf("flow %d has rate %v, want 0.5", id, r)
		}
	}
	n = New([]float64{1, 2}, 2)
	ends := play(n, []begin{{0, a, 3e6}, {0, b, 3e6}, {0, c, 3e6}})
	if want := [3]picoseconds{6e6, 6e6, 2e6}; ends[0] != want[0] || ends[1] != want[1] || ends[2] != want[2] {
		t.Errorf("ends %v, want %v", ends, want)
	}
}

// TestAgainstDumb: rates have the bottleneck property, and ends agree with a simulation that
// computes all rates anew at each change.
func TestAgainstDumb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.IntRange(1, 8).Draw(t, "links")
		capacity := make([]float64, links)
		for l := range capacity {
			capacity[l] = float64(rapid.IntRange(1, 4).Draw(t, "capacity"))
		}
		var begins []begin
		at := picoseconds(0)
		for range rapid.IntRange(1, 20).Draw(t, "flows") {
			path := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(links-1)), 1, min(links, 4), rapid.ID).Draw(t, "path")
			begins = append(begins, begin{at, path, float64(rapid.IntRange(1, 1_000_000).Draw(t, "bytes"))})
			at += rapid.OneOf(rapid.Just(picoseconds(0)), rapid.Int64Range(0, 500_000)).Draw(t, "wait")
		}
		got := play(New(capacity, 4), begins)
		want := dumb(capacity, begins)
		whole := New(capacity, 4)
		whole.fill.many = 0 // takes all flows in place of a component wherever it may
		for i, end := range play(whole, begins) {
			if math.Abs(float64(end-got[i])) > 64+1e-6*want[i] {
				t.Errorf("flow %d ends at %d with all flows, at %d by components", i, end, got[i])
			}
		}
		for i := range got {
			if math.Abs(float64(got[i])-want[i]) > 64+1e-6*want[i] {
				t.Errorf("flow %d ends at %d, want %.0f", i, got[i], want[i])
			}
		}
	})
}

// TestSlack: groups of begins and ends change an end by little more than their two shares, and save
// work.
func TestSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 2 {
		const hosts = 16
		capacity := make([]float64, 2*hosts+8)
		for l := range capacity {
			capacity[l] = 0.01 * float64(1+rng.IntN(3))
		}
		var begins []begin
		for k := range 100 {
			for h := range int32(hosts) {
				path := []int32{h, 2*hosts + rng.Int32N(8), hosts + rng.Int32N(hosts)}
				begins = append(begins, begin{picoseconds(k) * 200_000, path, float64(50_000 + rng.IntN(2)*rng.IntN(100_000))})
			}
		}
		exact, grouped := New(capacity, 3), New(capacity, 3)
		grouped.Slack = 0.001
		want, got := play(exact, begins), play(grouped, begins)
		worst := 0.0
		for i, w := range want {
			worst = max(worst, math.Abs(float64(got[i]-w))/float64(w-begins[i].at))
		}
		if worst > 3.5*grouped.Slack {
			t.Errorf("an end is wrong by %.4f of its flow's time", worst)
		}
		if grouped.Solved*5 > exact.Solved*4 {
			t.Errorf("%d rates computed in groups, %d without", grouped.Solved, exact.Solved)
		}
	}
}

// dumb plays flows with rates computed anew at each change.
func dumb(capacity []float64, begins []begin) []float64 {
	left, ends, now := make([]float64, len(begins)), make([]float64, len(begins)), 0.0
	active, next := []int{}, 0
	for next < len(begins) || len(active) > 0 {
		for next < len(begins) && float64(begins[next].at) <= now {
			left[next] = begins[next].bytes
			active = append(active, next)
			next++
		}
		rates := dumbRates(capacity, begins, active)
		until := math.Inf(1)
		if next < len(begins) {
			until = float64(begins[next].at)
		}
		for k, i := range active {
			until = min(until, now+left[i]/rates[k])
		}
		kept := active[:0:0]
		for k, i := range active {
			left[i] -= rates[k] * (until - now)
			if left[i] <= 1e-6 {
				ends[i] = until
			} else {
				kept = append(kept, i)
			}
		}
		active, now = kept, until
	}
	return ends
}

// dumbRates raises all rates in small equal steps of the least room.
func dumbRates(capacity []float64, begins []begin, active []int) []float64 {
	rates, frozen := make([]float64, len(active)), make([]bool, len(active))
	for {
		step := math.Inf(1)
		room, count := append([]float64(nil), capacity...), make([]int, len(capacity))
		for k, i := range active {
			for _, l := range begins[i].path {
				room[l] -= rates[k]
				if !frozen[k] {
					count[l]++
				}
			}
		}
		for l := range room {
			if count[l] > 0 {
				step = min(step, room[l]/float64(count[l]))
			}
		}
		if math.IsInf(step, 1) {
			return rates
		}
		for k := range active {
			if !frozen[k] {
				rates[k] += step
			}
		}
		for l := range room {
			if count[l] > 0 && room[l]-step*float64(count[l]) < 1e-9 {
				for k, i := range active {
					for _, x := range begins[i].path {
						frozen[k] = frozen[k] || x == int32(l)
					}
				}
			}
		}
	}
}

// TestBottleneck: each flow has a full link on which no flow is faster, and no link carries more
// than it can.
func TestBottleneck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.IntRange(1, 30).Draw(t, "links")
		capacity := make([]float64, links)
		for l := range capacity {
			capacity[l] = rapid.Float64Range(0.1, 10).Draw(t, "capacity")
		}
		n := New(capacity, 6)
		var paths [][]int32
		for i := range rapid.IntRange(1, 60).Draw(t, "flows") {
			paths = append(paths, rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(links-1)), 1, min(links, 6), rapid.ID).Draw(t, "path"))
			n.Begin(0, paths[i], 1e9, int32(i))
			if rapid.Bool().Draw(t, "solve between") {
				n.Next()
			}
		}
		sum, fastest := make([]float64, links), make([]float64, links)
		for i, p := range paths {
			for _, l := range p {
				sum[l] += n.Rate(int32(i))
				fastest[l] = max(fastest[l], n.Rate(int32(i)))
			}
		}
		for i, p := range paths {
			ok := false
			for _, l := range p {
				ok = ok || sum[l] >= capacity[l]*(1-1e-9) && n.Rate(int32(i)) >= fastest[l]*(1-1e-9)
			}
			if !ok {
				t.Errorf("flow %d on %v has rate %v and no full link where it is fastest", i, p, n.Rate(int32(i)))
			}
		}
		for l := range sum {
			if sum[l] > capacity[l]*(1+1e-9) {
				t.Errorf("link %d carries %v of %v", l, sum[l], capacity[l])
			}
		}
	})
}

// TestNever: a flow without a rate is there and does not end, and leaves the others alone.
func TestNever(t *testing.T) {
	n := New([]float64{0, 1}, 2)
	n.Begin(0, []int32{0, 1}, 10, 7)
	n.Begin(0, []int32{1}, 10, 8)
	if at, ok := n.Next(); !ok || at != 10 || n.First() != 8 {
		t.Fatalf("the next end is %d %v, of flow %d", at, ok, n.First())
	}
	if got := n.End(nil); len(got) != 1 || got[0] != 8 {
		t.Fatalf("ended %v", got)
	}
	if at, ok := n.Next(); !ok || at != never || n.First() != 7 || n.Active() != 1 {
		t.Errorf("the next end is %d %v, of flow %d of %d", at, ok, n.First(), n.Active())
	}
	n.Begin(11, []int32{0}, 10, 9)
	if n.Next(); len(n.ends.heap) != 2 {
		t.Errorf("%d flows wait for their end, want 2", len(n.ends.heap))
	}
	// No bytes, and no links: the end is the begin. Equal ends come in order of begin.
	n = New([]float64{1}, 1)
	ends := play(n, []begin{{5, []int32{0}, 0}, {5, nil, 100}, {5, []int32{0}, 0}})
	if ends[0] != 5 || ends[1] != 5 || ends[2] != 5 {
		t.Errorf("ends %v, want 5", ends)
	}
	n.Begin(6, []int32{0}, 8, 3)
	n.Begin(6, []int32{0}, 8, 2)
	n.Next()
	if got := n.End(nil); len(got) != 2 || got[0] != 3 {
		t.Errorf("equal ends in the order %v, want 3, 2", got)
	}
}

// TestComponent: a flow that begins or ends changes the rates of the flows that share links with
// it, directly or over others, and no other rate is computed again.
func TestComponent(t *testing.T) {
	n := New([]float64{1, 1, 1, 1}, 2)
	n.Begin(0, []int32{0, 1}, 100, 0)
	n.Begin(0, []int32{1}, 1000, 1)
	n.Begin(0, []int32{2}, 1000, 2)
	n.Begin(0, []int32{2, 3}, 1000, 3)
	solved := func(want int64) {
		t.Helper()
		if n.Next(); n.Solved != want {
			t.Errorf("%d rates were computed, want %d", n.Solved, want)
		}
	}
	solved(6) // flows 0 and 2 were alone at first, and then all four
	n.Begin(10, []int32{3}, 1000, 4)
	solved(9) // flow 4, flow 3, and flow 2 over that
	if ended := n.End(nil); len(ended) != 1 || ended[0] != 0 {
		t.Fatalf("flows %v end first", ended)
	}
	solved(10) // flow 1 is left beside
}

// TestFirstOfGroup: there is a first flow, too, if all have ended and only hold their links.
func TestFirstOfGroup(t *testing.T) {
	n := New([]float64{1}, 1)
	n.Slack = 0.5
	for i := range int32(2 * crowd) {
		n.Begin(0, []int32{0}, 1000, i)
	}
	for n.Active() > 0 {
		if _, ok := n.Next(); !ok || n.First() < 0 {
			t.Fatalf("no event with %d flows", n.Active())
		}
		n.End(nil)
	}
}
