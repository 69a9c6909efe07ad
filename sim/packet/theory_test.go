package packet_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sim/packet"
)

// alone is the time of a packet without others: a delay for each cable, a latency for each switch,
// its length on the first link, and what links take longer than those before them. A link that is
// faster than the one before it starts as much later, so that the last byte leaves when it comes.
// longest is its length on the slowest link.
func alone(links []int32, size int64, c packet.Config) (latency, longest packet.Time) {
	latency = packet.Time(len(links))*c.CableDelay + packet.Time(len(links)-1)*c.SwitchLatency
	before := packet.Time(0)
	for _, mbps := range links {
		length := packet.Time((size*8_000_000 + int64(mbps) - 1) / int64(mbps))
		latency, before, longest = latency+max(length-before, 0), length, max(longest, length)
	}
	return latency, longest
}

// TestZeroLoad: alone in the network, a packet takes the sum of its parts to the picosecond.
func TestZeroLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := mixed(graph(t, drawn(t)), rapid.Uint64().Draw(t, "rates"))
		p := planned(t, g, rapid.SampledFrom([]string{"minhop", "updn", "nue"}).Draw(t, "engine"), 2, nil)
		ends := targetsOf(p)
		if len(ends) < 2 {
			return
		}
		src := rapid.SampledFrom(ends).Draw(t, "source")
		dst := rapid.SampledFrom(ends).Draw(t, "target")
		if src == dst {
			return
		}
		c := packet.Default()
		c.MTU = rapid.IntRange(1, 4096).Draw(t, "MTU")
		c.SwitchLatency = packet.Time(rapid.Int64Range(0, 500_000).Draw(t, "latency"))
		c.CableDelay = packet.Time(rapid.Int64Range(0, 5_000_000).Draw(t, "cable"))
		bytes := rapid.Int64Range(1, int64(c.MTU)).Draw(t, "bytes")
		size := bytes + int64(c.Headers)
		links := pathOf(g, p, src, dst)
		if links == nil {
			return
		}
		want, _ := alone(links, size, c)
		r := run(t, g, p, c, once(packet.Message{Src: src, Dst: dst, Bytes: bytes}), 0, packet.Second)
		if r.Arrived != 1 || r.Latency.Min != want || r.Messages.Max != want {
			t.Fatalf("%d arrived in %d ps, the parts are %d ps over links of %d Mbit/s", r.Arrived, r.Latency.Min, want, links)
		}
	})
}

// TestBackToBack: packets of one message follow each other at the rate of the slowest link on their
// way.
func TestBackToBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := mixed(graph(t, "mesh(4,hosts=2)"), rapid.Uint64().Draw(t, "rates"))
		p := planned(t, g, "minhop", 1, nil)
		src, dst := int32(0), int32(g.NumHosts-1)
		c := packet.Default()
		c.Buffer = 256 << 10 // more than any link holds in the time that credits take
		packets := rapid.Int64Range(2, 200).Draw(t, "packets")
		links := pathOf(g, p, src, dst)
		first, longest := alone(links, int64(c.MTU+c.Headers), c)
		r := run(t, g, p, c, once(packet.Message{Src: src, Dst: dst, Bytes: packets * int64(c.MTU)}), 0, packet.Second)
		want := first + packet.Time(packets-1)*longest
		if r.Arrived != packets || r.Messages.Max != want {
			t.Fatalf("%d packets in %d ps, want %d ps over links of %d Mbit/s", r.Arrived, r.Messages.Max, want, links)
		}
	})
}

// window is the measured time in tests of rates, after a warm-up of a tenth.
const window = 1 * packet.Millisecond

// payload is what arrived at an end port, as a share of a rate in Mbit/s of links less the headers
// of full packets.
func payload(r *packet.Result, c packet.Config, end int32, mbps float64) float64 {
	full := float64(c.MTU) / float64(c.MTU+c.Headers)
	return float64(r.Bytes[end]) * 8e6 / float64(r.Window) / (mbps * full)
}

// TestFullLink: one stream carries the rate of its slowest link less headers, whatever the rates
// and the size of packets.
func TestFullLink(t *testing.T) {
	for _, mbps := range rates {
		for _, mtu := range []int{256, 1024, 2048, 4096} {
			g := graph(t, "mesh(2,hosts=1)")
			p := planned(t, g, "minhop", 1, nil)
			for i := range g.ChanRate {
				g.ChanRate[i] = mbps
			}
			c := packet.Default()
			c.MTU, c.Buffer = mtu, 64<<10
			r := run(t, g, p, c, streams(stream(0, 1)), window/10, window)
			if got := payload(r, c, 1, float64(min(mbps, g.EndRate[0]))); !within(got, 1, .011) {
				t.Errorf("%d Mbit/s, MTU %d: %.4f of the rate", mbps, mtu, got)
			}
		}
	}
}

// TestCreditsPace: a buffer that is too small for the way of its credits bounds the rate to a
// buffer for each round.
func TestCreditsPace(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	for _, packets := range []int{1, 2, 3} {
		c := packet.Default()
		c.MTU, c.Headers = 2048, 0
		c.Buffer, c.CableDelay = packets*2048, 500*packet.Nanosecond
		length := packet.Time(512) * packet.Nanosecond
		// A packet leaves the next switch one cable and one latency after it set out, its last byte
		// one length later, and the credit is one cable on its way.
		round := 2*c.CableDelay + c.SwitchLatency + length
		want := float64(packets) * float64(length) / float64(max(round, packet.Time(packets)*length))
		r := run(t, g, p, c, streams(stream(0, 1)), window/10, window)
		if got := payload(r, c, 1, 32_000); !within(got, want, .01) {
			t.Errorf("%d packets of buffer: %.4f of the rate, want %.4f", packets, got, want)
		}
	}
}

// TestTwoToOne: two hosts that send to one get half of its link each, wherever they are.
func TestTwoToOne(t *testing.T) {
	for _, formula := range []string{"fullmesh(1,hosts=3)", "mesh(3,hosts=1)", "rlft(4,2)"} {
		g := qdr(graph(t, formula))
		p := planned(t, g, "minhop", 1, nil)
		dst := int32(g.NumHosts / 2)
		w := streams(stream(0, dst), stream(int32(g.NumHosts-1), dst))
		got := deliveredBy(t, g, p, packet.Default(), w)
		if !within(got[0], 16_000, .015) || !within(got[1], 16_000, .015) {
			t.Errorf("%s: %.0f Mbit/s", formula, got)
		}
	}
}

// TestSharedRate: the two ports of a node share its sending and receiving rate, half each.
func TestSharedRate(t *testing.T) {
	g := twoPorts(t)
	p := planned(t, g, "minhop", 1, nil)
	pair := g.NodeEnds[g.NodeStart[g.EndNode[twoPort(t, g)]]:][:2]
	var others []int32
	for _, e := range hostsOf(g) {
		if e != pair[0] && e != pair[1] {
			others = append(others, e)
		}
	}
	for _, limit := range []int32{5_000, 20_000, 32_000, 40_000, 64_000, 80_000} {
		want := min(float64(limit)/2, 32_000)
		c := packet.Default()
		c.Inject = limit
		got := deliveredBy(t, g, p, c, streams(stream(pair[0], others[0]), stream(pair[1], others[1])))
		// The targets may not send more either, but they only take.
		if !within(got[0], want, .015) || !within(got[1], want, .015) {
			t.Errorf("inject %d: %.0f Mbit/s, want %.0f each", limit, got, want)
		}
		c.Inject, c.Drain = 0, limit
		got = deliveredBy(t, g, p, c, streams(stream(others[0], pair[0]), stream(others[1], pair[1])))
		if !within(got[0], want, .015) || !within(got[1], want, .015) {
			t.Errorf("drain %d: %.0f Mbit/s, want %.0f each", limit, got, want)
		}
		one := deliveredBy(t, g, p, c, streams(stream(others[0], pair[0])))
		if want := min(float64(limit), 32_000); !within(one[0], want, .015) {
			t.Errorf("drain %d of one port: %.0f Mbit/s, want %.0f", limit, one, want)
		}
	}
}

// twoPorts is a switch with two hosts of one port and one of two ports, all links 4x QDR.
func twoPorts(t rapid.TB) *fabric.Graph {
	f := fabric.New("two ports")
	sw, err := f.AddNode(fabric.Switch, 1, 8, "switch")
	if err != nil {
		t.Fatal(err)
	}
	port := uint8(0)
	for i, ports := range []int{1, 2, 1} {
		n, err := f.AddNode(fabric.CA, fabric.GUID(0x1000*(i+1)), ports, fmt.Sprintf("host %d", i))
		if err != nil {
			t.Fatal(err)
		}
		for k := range ports {
			port++
			if _, err := f.Connect(fabric.End{Node: n, Port: uint8(k + 1)}, fabric.End{Node: sw, Port: port}, 4, fabric.QDR); err != nil {
				t.Fatal(err)
			}
		}
	}
	return qdr(f.Compile())
}

// twoPort is an end port of a node with two.
func twoPort(t rapid.TB, g *fabric.Graph) int32 {
	for e := range int32(g.NumHosts) {
		if n := g.EndNode[e]; g.NodeStart[n+1]-g.NodeStart[n] == 2 {
			return e
		}
	}
	t.Fatal("no node has two ports")
	return 0
}
