package packet_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/congestion"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// drawnConfig is hardware of any kind that can be simulated.
func drawnConfig(t *rapid.T) packet.Config {
	c := packet.Default()
	c.MTU = rapid.SampledFrom([]int{64, 256, 1000, 2048, 4096}).Draw(t, "MTU")
	c.Headers = rapid.IntRange(0, 66).Draw(t, "headers")
	c.Buffer = ((c.MTU+c.Headers+63)/64 + rapid.IntRange(0, 200).Draw(t, "more buffer")) * 64
	c.SwitchLatency = packet.Time(rapid.Int64Range(0, 1_000_000).Draw(t, "latency"))
	c.CableDelay = packet.Time(rapid.Int64Range(0, 1_000_000).Draw(t, "cable"))
	c.OldestFirst = rapid.Bool().Draw(t, "oldest")
	c.OneQueue = rapid.Bool().Draw(t, "one queue")
	if rapid.Bool().Draw(t, "limits") {
		c.Inject, c.Drain = rapid.SampledFrom(rates).Draw(t, "inject"), rapid.SampledFrom(rates).Draw(t, "drain")
	}
	if rapid.IntRange(0, 3).Draw(t, "credit packets") == 0 {
		c.CreditInterval = 256 * packet.Nanosecond
	}
	if rapid.IntRange(0, 3).Draw(t, "drops") == 0 {
		c.HeadOfQueue = packet.Time(rapid.Int64Range(1, int64(20*packet.Microsecond)).Draw(t, "head of queue"))
	}
	if rapid.IntRange(0, 3).Draw(t, "controlled") == 0 {
		c.Congestion = congestion.Usual()
	}
	c.GoOn = rapid.Bool().Draw(t, "go on")
	return c
}

// balanced fails where a Result does not add up.
func balanced(t rapid.TB, g *fabric.Graph, c packet.Config, r *packet.Result) {
	t.Helper()
	if r.Sent != r.Arrived+r.Lost.Total()+r.Flying || r.Flying < 0 {
		t.Fatalf("%d sent, %d arrived, %d lost, %d flying", r.Sent, r.Arrived, r.Lost.Total(), r.Flying)
	}
	packets := int64(0)
	for e, n := range r.Packets {
		packets += n
		if r.Bytes[e] < n || r.Bytes[e] > n*int64(c.MTU) {
			t.Fatalf("end port %d: %d bytes in %d packets", e, r.Bytes[e], n)
		}
	}
	if packets > r.Arrived || packets != r.Latency.Count {
		t.Fatalf("%d packets at end ports, %d arrived, %d latencies", packets, r.Arrived, r.Latency.Count)
	}
	if least := 2*c.CableDelay + c.SwitchLatency; r.Latency.Count > 0 && r.Latency.Min < least {
		t.Fatalf("a packet took %d ps: a switch and two cables take %d", r.Latency.Min, least)
	}
	for l, bytes := range r.Carried {
		mbps := rateOf(g, l, c)
		if room := float64(r.Window) * float64(mbps) / 8e6; float64(bytes) > room*1.000001+1 || bytes < 0 {
			t.Fatalf("link %d of %d Mbit/s carried %d bytes in %d ps", l, mbps, bytes, r.Window)
		}
		if r.Waited[l] < 0 || r.Waited[l] > r.Window {
			t.Fatalf("link %d waited for %d ps of %d", l, r.Waited[l], r.Window)
		}
	}
}

// rateOf is the rate of a link, as a Result numbers them.
func rateOf(g *fabric.Graph, link int, c packet.Config) int32 {
	mbps := int32(2000)
	if e := link - len(g.Attached); e >= 0 && e < g.NumHosts {
		mbps = g.EndRate[e]
	} else if e < 0 {
		switch at := g.Attached[link]; {
		case at >= 0:
			mbps = g.ChanRate[at]
		case at != fabric.Nothing:
			mbps = g.EndRate[-2-at]
		}
	}
	if mbps == 0 {
		mbps = c.UnknownRate
	}
	return mbps
}

// TestConservation: at any stop, every sent packet has arrived, is lost or under way. No link has
// carried more than it can, and the same run again gives the same Result.
func TestConservation(t *testing.T) {
	checks(t, 40, 600, func(t *rapid.T) {
		g := mixed(graph(t, drawn(t)), rapid.Uint64().Draw(t, "rates"))
		p := drawnPlan(t, g, []string{"minhop", "sssp", "updn", "nue", "dfsssp", "dor"})
		if p == nil || len(targetsOf(p)) < 2 {
			return
		}
		c := drawnConfig(t)
		w := busy(t, g, targetsOf(p))
		until := rapid.SampledFrom([]packet.Time{1, 20, 60, 150}).Draw(t, "until")*packet.Microsecond + packet.Time(rapid.Int64Range(0, int64(packet.Microsecond)).Draw(t, "later"))
		warmup := until / rapid.SampledFrom([]packet.Time{1, 2, 10, until}).Draw(t, "warm-up")
		r := run(t, g, p, c, w, warmup, until)
		balanced(t, g, c, r)
		if again := run(t, g, p, c, w, warmup, until); !reflect.DeepEqual(again, r) {
			t.Fatalf("again: %+v, before: %+v", again, r)
		}
	}, nil)
}

// TestEverythingArrives: messages that are sent once are over at the end of the run, which comes by
// itself, with every byte.
func TestEverythingArrives(t *testing.T) {
	checks(t, 20, 300, func(t *rapid.T) {
		g := mixed(graph(t, drawn(t)), rapid.Uint64().Draw(t, "rates"))
		p := drawnPlan(t, g, []string{"updn", "nue", "dfsssp"})
		if p == nil || len(targetsOf(p)) < 2 {
			return
		}
		ends := targetsOf(p)
		if r := judged(t, g, p); !r.OK || r.Disconnected > 0 {
			return
		}
		w, bytes := &batch{}, int64(0)
		for range rapid.IntRange(1, 100).Draw(t, "messages") {
			m := packet.Message{Src: rapid.SampledFrom(ends).Draw(t, "source"), Dst: rapid.SampledFrom(ends).Draw(t, "target"), Bytes: rapid.Int64Range(1, 20_000).Draw(t, "bytes")}
			if m.Src != m.Dst {
				w.list, bytes = append(w.list, m), bytes+m.Bytes
			}
		}
		c := drawnConfig(t)
		c.HeadOfQueue = 0
		r := run(t, g, p, c, w, 0, 100*packet.Second)
		balanced(t, g, c, r)
		got := int64(0)
		for _, n := range r.Bytes {
			got += n
		}
		if r.Flying != 0 || r.Lost.Total() != 0 || len(w.order) != len(w.list) || w.lost != 0 || got != bytes || r.Messages.Count != int64(len(w.list)) {
			t.Fatalf("%d of %d messages, %d of %d bytes: %+v", len(w.order), len(w.list), got, bytes, r.Lost)
		}
	}, nil)
}

// TestStopped: a run ends with its context.
func TestStopped(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	s, err := packet.New(g, planned(t, g, "minhop", 1, nil), packet.Default(), streams(stream(0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.At(packet.Millisecond, func(*packet.Sim) { cancel() })
	if _, err := s.Run(ctx, 0, 1<<62); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// counted is what congestion counting says of flows, one from each source.
func counted(t rapid.TB, g *fabric.Graph, p *route.Plan, to []int32) *flow.Result {
	t.Helper()
	n, err := flow.New(context.Background(), g, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	rank := map[int32]int32{}
	for i, h := range n.Hosts {
		rank[h] = int32(i)
	}
	var flows traffic.Flows
	for src, dst := range to {
		if dst != int32(src) {
			flows.Add(rank[int32(src)], rank[dst])
		}
	}
	r, err := n.Run(context.Background(), traffic.FromRounds("flows", len(n.Hosts), []traffic.Flows{flows}), flow.Options{Runs: 1, MaxMin: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fair is the mean max-min fair share of flows, one from each source, in Mbit/s.
func fair(t rapid.TB, g *fabric.Graph, p *route.Plan, to []int32) float64 {
	t.Helper()
	r := counted(t, g, p, to)
	return r.MaxMin.Mean * r.Rates.Gbps * 1000
}

// TestCounting: the mean of 1/congestion and the max-min fair shares of the first permutation
// correspond to as many packets in 500 us as the reference prints beside the InfiniBand model; also
// if hosts send and receive at most 26 Gbit/s.
func TestCounting(t *testing.T) {
	for _, x := range []struct {
		hosts                int32
		congestion, fairness float64 // packets, 0: not printed
	}{{32_000, 71_615, 72_673}, {26_000, 0, 67_002}} {
		g := qdr(graph(t, "mport(8,3)"))
		for e := range g.NumHosts {
			g.EndRate[e] = x.hosts
		}
		p, to := planned(t, g, "ftree", 1, nil), permutation(t, 7)
		packets := func(mbps float64) float64 { return mbps * 128 * 500 / 8 / 2048 }
		if got := packets(fair(t, g, p, to)); !within(got, x.fairness, .0001) {
			t.Errorf("hosts of %d Mbit/s, max-min: %.0f packets, want %.0f", x.hosts, got, x.fairness)
		}
		if got := packets(counted(t, g, p, to).Bandwidth.Mean * 32_000); x.congestion > 0 && !within(got, x.congestion, .0001) {
			t.Errorf("1/congestion: %.0f packets, want %.0f", got, x.congestion)
		}
	}
}

// TestStar: around one switch, with links of any rates, every flow gets its max-min fair share.
func TestStar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph(t, "fullmesh(1,hosts=6)")
		for e := range g.NumHosts {
			g.EndRate[e] = rapid.SampledFrom(rates[3:]).Draw(t, "rate")
		}
		p := planned(t, g, "minhop", 1, nil)
		to, w := make([]int32, g.NumHosts), &packet.Streams{}
		for src := range to {
			if to[src] = int32(rapid.IntRange(0, g.NumHosts-1).Draw(t, "target")); to[src] != int32(src) {
				w.List = append(w.List, stream(int32(src), to[src]))
			}
		}
		if len(w.List) == 0 {
			return
		}
		c := packet.Default()
		c.Buffer = 256 << 10
		sum := 0.0
		for _, mbps := range deliveredBy(t, g, p, c, w) {
			sum += mbps
		}
		if want := fair(t, g, p, to) * float64(len(w.List)); !within(sum, want, .02) {
			t.Fatalf("%v at %v: %.0f Mbit/s, max-min fair are %.0f", to, g.EndRate[:g.NumHosts], sum, want)
		}
	})
}

// TestPermutations holds what permutations get on a tree of 128 hosts against their max-min fair
// shares.
func TestPermutations(t *testing.T) {
	g := qdr(graph(t, "mport(8,3)"))
	p := planned(t, g, "ftree", 1, nil)
	for _, seed := range []int{7, 8, 9, 10} {
		to := permutation(t, seed)
		for _, buffer := range []int{12_800, 64 << 10, 1 << 20} {
			c := ft128()
			c.Buffer = buffer
			sum, least, most := 0.0, 1e9, 0.0
			for _, mbps := range deliveredBy(t, g, p, c, saturate(to)) {
				sum, least, most = sum+mbps, min(least, mbps), max(most, mbps)
			}
			mean := fair(t, g, p, to)
			if sum/128 < .97*mean || sum/128 > 1.005*mean {
				t.Errorf("seed %d, buffer %d", seed, buffer)
			}
			t.Logf("seed %d, buffer %d: %.0f Mbit/s each (%.0f to %.0f), max-min fair %.0f: %+.1f %%", seed, buffer, sum/128, least, most, mean, 100*(sum/128/mean-1))
		}
	}
}
