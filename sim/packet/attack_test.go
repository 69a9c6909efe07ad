package packet_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/congestion"
	"weft/sim/packet"
)

// anyFabric is a drawn network, or a tree of hosts with two ports, with links of any rates that
// exist, 1x SDR to 12x XDR.
func anyFabric(t *rapid.T) *fabric.Graph {
	formula := drawn(t)
	if rapid.IntRange(0, 3).Draw(t, "two ports") == 0 {
		formula = rapid.SampledFrom([]string{"rlft(4,2)|ports(2)", "rlft(4,3)|ports(2)", "rlft(8,2)|ports(2)"}).Draw(t, "tree")
	}
	g := mixed(graph(t, formula), rapid.Uint64().Draw(t, "rates"))
	if rapid.IntRange(0, 3).Draw(t, "fast") == 0 {
		for c := 0; c < g.NumChannels; c += 2 + rapid.IntRange(0, 4).Draw(t, "step")/2*2 {
			g.ChanRate[c], g.ChanRate[c+1] = 2_400_000, 2_400_000
		}
	}
	return g
}

// anyConfig draws all fields of a Config, in the range of possible hardware, for the given number
// of VLs.
func anyConfig(t *rapid.T, vls int) packet.Config {
	c := drawnConfig(t)
	c.MTU = rapid.IntRange(1, 4096).Draw(t, "any MTU")
	c.Headers = rapid.IntRange(0, 256).Draw(t, "any headers")
	c.Buffer = c.MTU + c.Headers + 63 + rapid.IntRange(0, 20_000).Draw(t, "more")
	c.VLs = vls
	if rapid.Bool().Draw(t, "slow adapters") {
		c.Inject, c.Drain = rapid.Int32Range(100, 100_000).Draw(t, "inject"), rapid.Int32Range(100, 100_000).Draw(t, "drain")
	}
	if rapid.Bool().Draw(t, "control") {
		cc := congestion.Usual()
		cc.Threshold = rapid.Uint8Range(1, 15).Draw(t, "threshold")
		cc.MarkingRate = rapid.Uint16Range(0, 3).Draw(t, "marking rate")
		cc.PacketSize = rapid.Uint8Range(0, 20).Draw(t, "least size")
		cc.MarkVictims = rapid.Bool().Draw(t, "victims")
		cc.Increase = rapid.Uint16Range(0, 60).Draw(t, "increase")
		cc.Min = rapid.Uint16Range(0, 5).Draw(t, "least")
		cc.Timer = congestion.Picoseconds(rapid.Int64Range(100_000, 40_000_000).Draw(t, "timer"))
		c.Congestion = cc
	}
	if rapid.Bool().Draw(t, "lifetime") {
		c.HeadOfQueue = packet.Time(rapid.Int64Range(1, 30_000_000).Draw(t, "head of queue"))
	}
	if rapid.Bool().Draw(t, "search") {
		c.DeadlockCheck = packet.Microsecond
	}
	c.GoOn = true
	return c
}

// anyArbitration gives every port one of some drawn tables; each names all lanes, or now and then
// not.
func anyArbitration(t *rapid.T, g *fabric.Graph, p *route.Plan, vls int) {
	if rapid.IntRange(0, 2).Draw(t, "arbitration") == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "tables"), 11))
	a := &route.VLArbitration{Host: make([]uint16, g.NumHosts), Switch: make([]uint16, route.SwitchPortCount(g))}
	for range 3 {
		table := route.ArbTable{Limit: []uint8{0, 1, 7, 255}[rng.IntN(4)]}
		for vl := range vls {
			e := route.ArbEntry{VL: uint8(vl), Weight: uint8(1 + rng.IntN(255))}
			switch rng.IntN(10) {
			case 0: // never sends
			case 1, 2, 3:
				table.High = append(table.High, e)
			default:
				table.Low = append(table.Low, e)
			}
		}
		a.Pool = append(a.Pool, table)
	}
	for i := range a.Host {
		a.Host[i] = uint16(rng.IntN(3))
	}
	for i := range a.Switch {
		a.Switch[i] = uint16(rng.IntN(3))
	}
	p.Arbitration = a
}

// anyTraffic is busy with bursts, hot-spots and sizes that are drawn.
func anyTraffic(t *rapid.T, g *fabric.Graph, ends []int32) *packet.Streams {
	w := busy(t, g, ends)
	rng := rand.New(rand.NewPCG(w.Seed, 13))
	for i := range w.List {
		st := &w.List[i]
		if st.Gap > 0 && rng.IntN(2) == 0 {
			st.Bursts = packet.Bursts{On: packet.Microsecond, Off: packet.Time(rng.IntN(3)) * packet.Microsecond, Drawn: rng.IntN(2) == 0}
		}
		if rng.IntN(3) == 0 {
			st.Most = st.Bytes + 1 + rng.Int64N(8000)
		}
		if spot := ends[rng.IntN(len(ends))]; spot != st.Src && rng.IntN(3) == 0 {
			st.Spot, st.Share = spot, rng.Float64()
		}
	}
	return w
}

// rewrite gives switches and hosts the lanes of one Plan or the other at random, until a moment at
// which all have the first one.
func rewrite(s *packet.Sim, g *fabric.Graph, plans [2]*route.Plan, rng *rand.Rand, until packet.Time) {
	for range rng.IntN(12) {
		sw, end, p := int32(rng.IntN(g.NumSwitches)), int32(rng.IntN(g.NumEnds)), plans[rng.IntN(2)]
		s.At(packet.Time(rng.Int64N(int64(until))), func(s *packet.Sim) { s.WriteLanes(sw, p); s.WriteHost(end, p) })
	}
	s.At(until, func(s *packet.Sim) {
		for sw := range int32(g.NumSwitches) {
			s.WriteLanes(sw, plans[0])
		}
		for e := range int32(g.NumEnds) {
			s.WriteHost(e, plans[0])
		}
	})
}

// sameFlows fails where flows do not add up to what end ports took.
func sameFlows(t rapid.TB, r *packet.Result, list []packet.Flow) {
	t.Helper()
	packets, bytes, latency := make([]int64, len(r.Bytes)), make([]int64, len(r.Bytes)), packet.Time(0)
	for i, f := range list {
		packets[f.Dst], bytes[f.Dst], latency = packets[f.Dst]+f.Packets, bytes[f.Dst]+f.Bytes, latency+f.Latency
		if i > 0 && (list[i-1].Src > f.Src || list[i-1].Src == f.Src && list[i-1].Dst >= f.Dst) {
			t.Fatalf("flow %d to %d is behind %d to %d", f.Src, f.Dst, list[i-1].Src, list[i-1].Dst)
		}
	}
	if !slices.Equal(packets, r.Packets) || !slices.Equal(bytes, r.Bytes) || latency != r.Latency.Sum {
		t.Fatalf("flows: %d packets, %d bytes by target, %d ps; end ports %d, %d, %d", packets, bytes, latency, r.Packets, r.Bytes, r.Latency.Sum)
	}
}

// TestTogether runs everything at once: rewritten lanes and tables, arbitration, congestion
// control, lifetimes, limits of adapters, ports of one node, bursts, sizes and rates of any kind,
// failing links and switches. All counts fit together at any moment, a Result adds up, and nothing
// rests that could move.
func TestTogether(t *testing.T) {
	runs, lost, marks, deadlocks := 0, int64(0), int64(0), 0
	checks(t, 40, 300, func(t *rapid.T) {
		g := anyFabric(t)
		engines := []string{"updn", "nue", "dfsssp", "lash", "minhop", "sssp"}
		a, b := drawnPlan(t, g, engines), drawnPlan(t, g, engines)
		if a == nil || b == nil || len(targetsOf(a)) < 2 || a.Tables.NumBlocks() != b.Tables.NumBlocks() {
			return
		}
		vls := max(packet.Lanes(a), packet.Lanes(b), rapid.IntRange(0, 8).Draw(t, "more VLs"))
		anyArbitration(t, g, a, vls)
		anyArbitration(t, g, b, vls)
		c := anyConfig(t, vls)
		w := anyTraffic(t, g, targetsOf(a))
		for i := range w.List {
			w.List[i].Stop = 30 * packet.Microsecond
		}
		s, err := packet.New(g, a, c, w)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 7))
		if rapid.Bool().Draw(t, "disturbed") {
			disturb(s, g, [2]*route.Plan{a, b}, rng, 40*packet.Microsecond)
		}
		if rapid.Bool().Draw(t, "rewritten") {
			rewrite(s, g, [2]*route.Plan{a, b}, rng, 40*packet.Microsecond)
		}
		flows := s.CountFlows()
		for range 30 {
			s.At(packet.Time(rng.Int64N(int64(50*packet.Microsecond))), func(s *packet.Sim) {
				if err := s.Audit(false); err != nil {
					t.Fatalf("at %d ps: %v", s.Now(), err)
				}
			})
		}
		until := rapid.SampledFrom([]packet.Time{25 * packet.Microsecond, 45 * packet.Microsecond, packet.Second}).Draw(t, "until")
		r, err := s.Run(t.Context(), packet.Time(rng.Int64N(int64(30*packet.Microsecond))), until)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Audit(true); err != nil {
			t.Fatalf("in the end: %v", err)
		}
		c.UnknownRate = 32_000
		balanced(t, g, c, r)
		sameFlows(t, r, flows.List())
		runs, lost, marks = runs+1, lost+r.Lost.Total(), marks+r.Marks
		if r.Deadlock != nil {
			deadlocks++
		}
	}, func() string {
		if lost == 0 || marks == 0 {
			return "nothing was lost, or nothing marked"
		}
		return ""
	})
	t.Logf("%d runs, %d packets lost, %d marked, %d deadlocks", runs, lost, marks, deadlocks)
}

// TestSabotage: a run whose counts do not fit together ends with an error.
func TestSabotage(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	for what, want := range map[string]string{
		"nothing": "", "a packet without credits": "credits and", "a packet without room": "credits and", "a packet made": "packets sent", "a packet lost": "packets sent",
		"credits lost": "credits and", "credits made": "credits and", "a link too fast": "carried",
	} {
		w := streams(stream(0, 1))
		w.List[0].Bytes, w.List[0].Stop = 2048, 50*packet.Microsecond
		s, err := packet.New(g, p, packet.Default(), w)
		if err != nil {
			t.Fatal(err)
		}
		s.At(100*packet.Microsecond, func(s *packet.Sim) { s.Sabotage(what) })
		_, err = s.Run(t.Context(), 0, packet.Second)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
