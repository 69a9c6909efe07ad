package beff

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
	"weft/sim/packet"
)

// routed makes a fabric of 4x QDR links, routed by minhop, and lists its hosts.
func routed(t *testing.T, formula string) (*fabric.Graph, *route.Plan, []int32) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	for i := range g.ChanRate {
		g.ChanRate[i] = 32_000
	}
	for i := range g.NumHosts {
		g.EndRate[i] = 32_000
	}
	spec, err := engine.Find("minhop")
	if err != nil {
		t.Fatal(err)
	}
	p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, MaxVLs: 1, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, p, fabric.Numbers(g.NumHosts)
}

// near reports values that differ by a share of the second at most.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// full is the payload that a 4x QDR link carries in packets of 2,048 bytes, in MB/s.
const full = 4000.0 * 2048 / (2048 + packet.Headers)

// TestFreeNetwork: on one switch nothing is in the way of another, so that all figures can be
// computed by hand.
func TestFreeNetwork(t *testing.T) {
	g, p, hosts := routed(t, "fullmesh(1,hosts=6)")
	o := Usual(hosts)
	o.Bandwidth.Bytes = 200_000 // 98 packets
	r, err := Run(t.Context(), g, p, packet.Default(), &o)
	if err != nil {
		t.Fatal(err)
	}
	// A message of 8 bytes and its headers at 4 bytes a nanosecond, a switch and two cables.
	const alone = 34/4.0 + 200 + 2*25
	if s := r.PingPong; s.Latency != (Span{alone, alone, alone}) || s.LatencyPairs != 30 || s.BandwidthPairs != 30 {
		t.Errorf("%+v, want %v ns", s, alone)
	}
	if s := r.PingPong.Bandwidth; !near(s.Min, full, .01) || !near(s.Mean, full, .01) || !near(s.Max, full, .01) {
		t.Errorf("%+v, want %.0f MB/s", s, full)
	}
	// Both messages of a loop leave one after the other: half of what the second takes.
	if want := (alone + 34/4.0) / 2; !near(r.Natural.Latency, want, .05) || !near(r.Random.Latency, want, .05) {
		t.Errorf("rings take %v and %v ns, want %v", r.Natural.Latency, r.Random.Latency, want)
	}
	if !near(r.Natural.Bandwidth, full, .01) || !near(r.Random.Bandwidth, full, .01) || len(r.Bandwidths) != 10 || len(r.Latencies) != 30 {
		t.Errorf("%+v %+v, %d and %d random rings", r.Natural, r.Random, len(r.Latencies), len(r.Bandwidths))
	}
	if want := int64(2*30*(1+98) + (8*31+98*11)*2*2*6); r.Packets != want {
		t.Errorf("%d packets, want %d", r.Packets, want)
	}
}

// TestSharedCable: between two switches of two hosts, a ring crosses the only cable once or twice
// each way.
func TestSharedCable(t *testing.T) {
	g, p, hosts := routed(t, "mesh(2,hosts=2)")
	o := Usual(hosts)
	o.Latency.Pairs, o.Bandwidth.Pairs, o.Bandwidth.Bytes = 0, 0, 200_000
	for _, inTurns := range []bool{false, true} {
		o.Bandwidth.InTurns = inTurns
		r, err := Run(t.Context(), g, p, packet.Default(), &o)
		if err != nil {
			t.Fatal(err)
		}
		once, product := 0, 1.0
		for _, b := range r.Bandwidths {
			if near(b, full, .02) {
				once++
			} else if !near(b, full/2, .02) {
				t.Errorf("a ring of %.0f MB/s, want %.0f or half of it", b, full)
			}
			product *= b
		}
		if want := math.Pow(product, .1); !near(r.Natural.Bandwidth, full, .02) || !near(r.Random.Bandwidth, want, 1e-9) || once == 0 || once == 10 || r.PingPong != nil {
			t.Errorf("%+v, %d rings cross the cable once", r, once)
		}
	}
}

// TestSlowHost: a ring is as fast as its slowest rank, which here has a quarter of what the others
// have.
func TestSlowHost(t *testing.T) {
	g, p, hosts := routed(t, "fullmesh(1,hosts=6)")
	g.EndRate[2] = 8_000
	o := Usual(hosts)
	o.Bandwidth.Bytes = 200_000
	r, err := Run(t.Context(), g, p, packet.Default(), &o)
	if err != nil {
		t.Fatal(err)
	}
	if !near(r.Natural.Bandwidth, full/4, .01) || !near(r.Random.Bandwidth, full/4, .01) || !near(r.PingPong.Bandwidth.Min, full/4, .01) || !near(r.PingPong.Bandwidth.Max, full, .01) {
		t.Errorf("%+v %+v, want %.0f MB/s", r, r.PingPong, full/4)
	}
}

// TestSameOnAnyCores: one core or four, the same figures.
func TestSameOnAnyCores(t *testing.T) {
	g, p, hosts := routed(t, "rlft(4,2)")
	var got [2]*Result
	for i := range got {
		o := Usual(hosts)
		o.Seed, o.Workers, o.Bandwidth.Bytes = 3, 1+3*i, 20_000
		var err error
		if got[i], err = Run(t.Context(), g, p, packet.Default(), &o); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
}

// TestPairs: as many pairs as HPC Challenge prints for 64 ranks, and never a rank with itself.
func TestPairs(t *testing.T) {
	hosts := fabric.Numbers(64)
	for most, want := range map[int]int{10_000: 64 * 63, 500: 462, 1: 5 * 5} {
		pairs := pairsOf(hosts, most)
		if len(pairs) != want {
			t.Errorf("%d pairs at most: %d, want %d", most, len(pairs), want)
		}
		seen := map[[2]int32]bool{}
		for _, p := range pairs {
			if p[0] == p[1] || seen[p] {
				t.Errorf("%v", p)
			}
			seen[p] = true
		}
	}
	for ranks, want := range map[int]int{2: 1, 10: 1, 20: 3, 125: 13, 130: 13, 140: 17, 648: 67} {
		if got := stride(ranks, 100); got != want {
			t.Errorf("%d ranks: stride %d, want %d", ranks, got, want)
		}
	}
}

// TestRefused: a message that does not arrive gives an error and no figures.
func TestRefused(t *testing.T) {
	g, p, hosts := routed(t, "mesh(2,hosts=2)")
	o := Usual(hosts)
	p.Tables.Set(0, p.Ends.Base[3], route.NoPort)
	if _, err := Run(t.Context(), g, p, packet.Default(), &o); err == nil || !strings.Contains(err.Error(), "were lost") {
		t.Error(err)
	}
	o.Hosts = hosts[:1]
	if _, err := Run(t.Context(), g, p, packet.Default(), &o); err == nil || !strings.Contains(err.Error(), "want at least 2") {
		t.Error(err)
	}
}

// TestOthers: a stream across the cable between two switches takes half of it from a ping-pong, and
// no stream is left when the benchmark is through.
func TestOthers(t *testing.T) {
	g, p, _ := routed(t, "mesh(2,hosts=2)")
	a, b := g.HostsOf(0), g.HostsOf(1)
	o := Usual([]int32{a[0], b[0]})
	o.Latency, o.Bandwidth = Size{Bytes: 8, Loops: 1, Pairs: 100}, Size{Bytes: 200_000, Loops: 1, Pairs: 100}
	for _, c := range []struct {
		name   string
		others []Stream
		share  float64
	}{
		{"without pause", []Stream{{Src: a[1], Dst: b[1], Bytes: 2048}, {Src: b[1], Dst: a[1], Bytes: 2048}}, .5},
		{"one packet in four", []Stream{{Src: a[1], Dst: b[1], Bytes: 2048, Every: 2074 * packet.Nanosecond}, {Src: b[1], Dst: a[1], Bytes: 2048, Every: 2074 * packet.Nanosecond}}, .75},
		{"elsewhere", []Stream{{Src: a[1], Dst: a[0], Bytes: 2048, Every: packet.Second}}, 1},
	} {
		o.Others = c.others
		r, err := Run(t.Context(), g, p, packet.Default(), &o)
		if err != nil {
			t.Fatal(err)
		}
		if bw := r.PingPong.Bandwidth; !near(bw.Mean, c.share*full, .03) {
			t.Errorf("%s: %.0f MB/s of %.0f, want a share of %v", c.name, bw.Mean, full, c.share)
		}
	}
}
