package packet_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
	"weft/sim/packet"
)

// around makes every host of a ring send to hosts two switches ahead.
func around(g *fabric.Graph) *packet.Streams {
	w := &packet.Streams{}
	for s := range int32(g.NumSwitches) {
		next := g.To[g.OutOf(s)[0]]
		next = g.To[g.OutOf(next)[0]]
		for i, h := range g.HostsOf(s) {
			w.List = append(w.List, stream(h, g.HostsOf(next)[i]))
		}
	}
	return w
}

// small returns a Config with buffers of the given number of full packets.
func small(packets int) packet.Config {
	c := packet.Default()
	c.MTU = 256
	c.Buffer = packets * 5 * 64
	c.DeadlockCheck = 5 * packet.Microsecond
	return c
}

// dateline gives two lanes to a ring in which switch n-1 leads to switch 0. Packets that pass from
// n-1 to 0 are on SL a, the number of their first switch, all others on SL 0. They are on VL 1 from
// switch n-1 on: from there their switches have numbers below a.
func dateline(g *fabric.Graph, p *route.Plan) {
	n := g.NumSwitches
	src, dst := make([]int32, g.NumEnds), make([]int32, int(p.Ends.Top())+1)
	for e := range g.NumEnds {
		src[e], dst[p.Ends.Base[e]] = g.EndSwitch[e], g.EndSwitch[e]
	}
	p.SL = route.NewSLs(src, dst, n, n)
	for a := range int32(n) {
		for b := range a {
			p.SL.Set(a, b, uint8(a))
		}
	}
	m := &route.SL2VL{Switch: make([]route.SwitchSL2VL, n)}
	m.Host = slices.Repeat([]uint16{m.Intern(route.VLTable{})}, g.NumHosts)
	for s := range n {
		var t route.VLTable
		for sl := 1; sl < n; sl++ {
			if s < sl || s == n-1 {
				t[sl] = 1
			}
		}
		m.Switch[s].Index = []uint16{m.Intern(t)}
	}
	p.SL2VL, p.VLs, p.Arbitration = m, 2, nil
}

// TestDateline: two VLs in dateline order keep the ring that stands still on one from doing so.
func TestDateline(t *testing.T) {
	for _, size := range []int{3, 4, 5, 8, 13} {
		g := qdr(graph(t, fmt.Sprintf("torus(%d,hosts=2)", size)))
		p := clockwise(g)
		dateline(g, p)
		if r := judged(t, g, p); r.DeadlockFree != check.Yes {
			t.Fatalf("%d switches: the judge says %v: %+v", size, r.DeadlockFree, r.Cycle)
		}
		for packets := range 3 {
			r := run(t, g, p, small(packets+1), around(g), 0, packet.Millisecond)
			if r.Deadlock != nil || r.Arrived < 1000 {
				t.Errorf("%d switches: %d arrived, %+v", size, r.Arrived, r.Deadlock)
			}
		}
	}
}

// TestRing: a ring routed one way around on one VL stands still under full load, and the cycle is
// that of the ring.
func TestRing(t *testing.T) {
	for _, size := range []int{3, 4, 5, 8, 13} {
		g := qdr(graph(t, fmt.Sprintf("torus(%d,hosts=2)", size)))
		p := clockwise(g)
		if r := judged(t, g, p); r.DeadlockFree != check.No {
			t.Fatalf("the judge says %v", r.DeadlockFree)
		}
		r := run(t, g, p, small(2), around(g), 0, 10*packet.Millisecond)
		d := r.Deadlock
		if d == nil || len(d.Cycle) != size {
			t.Fatalf("%d switches: %+v", size, d)
		}
		for i, s := range d.Cycle {
			next := d.Cycle[(i+1)%size]
			if s.VL != 0 || s.Packets != 2 || g.FromPort[s.Channel] != 1 || g.To[s.Channel] != g.From[next.Channel] || p.Ends.Base[s.Dst] != s.LID {
				t.Errorf("%d switches, place %d: %+v", size, i, s)
			}
		}
		if r.Flying == 0 || r.End >= 10*packet.Millisecond {
			t.Errorf("%d flying at %d ps", r.Flying, r.End)
		}
		// It stands still for ever.
		c := small(2)
		c.GoOn = true
		later := run(t, g, p, c, around(g), 0, 10*packet.Millisecond)
		if later.Arrived > r.Arrived+int64(2*g.NumHosts) || later.Deadlock.At != d.At {
			t.Errorf("%d arrived, %d when the deadlock was found", later.Arrived, r.Arrived)
		}
		// Dropping packets that have waited too long lets it continue.
		c.GoOn, c.HeadOfQueue = false, 20*packet.Microsecond
		later = run(t, g, p, c, around(g), 0, 10*packet.Millisecond)
		if later.Deadlock == nil || later.Lost.TooOld == 0 || later.Lost.Total() != later.Lost.TooOld || later.Arrived < 10*r.Arrived {
			t.Errorf("%d switches: %d arrived, %d before the deadlock; %+v", size, later.Arrived, r.Arrived, later.Lost)
		}
	}
}

// TestRingFree: no deadlock on the same ring by engines that are proven, under full load.
func TestRingFree(t *testing.T) {
	for _, c := range []struct {
		engine string
		vls    int
	}{{"nue", 1}, {"nue", 2}, {"dfsssp", 4}, {"updn", 1}, {"dor", 2}, {"lash", 4}} {
		for _, size := range []int{4, 5, 8} {
			g := qdr(graph(t, fmt.Sprintf("torus(%d,hosts=2)", size)))
			p := planned(t, g, c.engine, c.vls, nil)
			if r := judged(t, g, p); !r.OK {
				t.Fatalf("%s: %+v", c.engine, r.Faults)
			}
			for packets := range 3 {
				r := run(t, g, p, small(packets+1), around(g), 0, packet.Millisecond)
				if r.Deadlock != nil || r.Arrived < 1000 {
					t.Errorf("%s on %d: %d arrived, %+v", c.engine, size, r.Arrived, r.Deadlock)
				}
			}
		}
	}
}

// drawnPlan routes a random network; nil where the engine refuses.
func drawnPlan(t *rapid.T, g *fabric.Graph, engines []string) *route.Plan {
	name := rapid.SampledFrom(engines).Draw(t, "engine")
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	vls := rapid.IntRange(1, 4).Draw(t, "VLs")
	p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, MaxVLs: vls, Workers: 1, Seed: rapid.Uint64Max(99).Draw(t, "seed")}, func(string) {})
	if err != nil {
		return nil
	}
	return p
}

// busy is random traffic: streams between random end ports, some to anyone, some with pauses.
func busy(t *rapid.T, g *fabric.Graph, ends []int32) *packet.Streams {
	w := &packet.Streams{Targets: ends, Seed: rapid.Uint64().Draw(t, "traffic")}
	rng := rand.New(rand.NewPCG(w.Seed, 3))
	everyone := rapid.Bool().Draw(t, "everyone")
	for _, src := range ends {
		st := stream(src, ends[rng.IntN(len(ends))])
		if st.Dst == src || everyone || rng.IntN(3) == 0 {
			st.Dst = packet.Anyone
		}
		st.Bytes = 1 + rng.Int64N(3000)
		st.Start = packet.Time(rng.Int64N(int64(10 * packet.Microsecond)))
		switch {
		case g.IsPortZero(src) && rng.IntN(2) == 0:
			continue
		case rng.IntN(4) == 0:
			st.Gap = 200*packet.Nanosecond + packet.Time(rng.Int64N(int64(2*packet.Microsecond))) // less piles up for seconds
		case rng.IntN(2) == 0:
			st.Pending = 1 + rng.IntN(5)
		}
		w.List = append(w.List, st)
	}
	return w
}

// checks tries a property so often, or as often as -rapid.checks says where that is more: less with
// -short. The cases are one sequence, so that all are different, and there are more while some case
// is unmet (nil: none has to be met).
func checks(t *testing.T, few, many int, property func(*rapid.T), unmet func() string) {
	t.Helper()
	if unmet == nil {
		unmet = func() string { return "" }
	}
	n := many
	if testing.Short() {
		n = 5 * few // rapid tries a fifth of them
	}
	f := flag.Lookup("rapid.checks")
	usual := f.Value.String()
	if asked, err := strconv.Atoi(usual); err != nil || asked > n {
		draws.Check(t, property, unmet)
		return
	}
	defer func() { _ = f.Value.Set(usual) }()
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	draws.Check(t, property, unmet)
}

// TestProven: none of 2,000 Plans that the judge proves deadlocks, on any network, by any engine,
// under any load.
func TestProven(t *testing.T) {
	runs, arrived := 0, int64(0)
	engines := map[string]int{}
	checks(t, 40, 4500, func(rt *rapid.T) {
		g := mixed(graph(rt, drawn(rt)), rapid.Uint64().Draw(rt, "rates"))
		if rapid.Bool().Draw(rt, "equal") {
			g = qdr(g)
		}
		p := drawnPlan(rt, g, []string{"minhop", "sssp", "updn", "nue", "dfsssp", "lash", "dfsssp-online", "ftree", "dor", "torus", "hyperx", "valiant"})
		if p == nil {
			return
		}
		proof := judged(rt, g, p)
		if !proof.OK {
			return
		}
		ends := targetsOf(p)
		if len(ends) < 2 {
			return
		}
		c := small(rapid.IntRange(1, 4).Draw(rt, "buffer"))
		c.OldestFirst = rapid.Bool().Draw(rt, "oldest")
		c.OneQueue = rapid.Bool().Draw(rt, "one queue")
		c.SwitchLatency = packet.Time(rapid.Int64Range(0, 300_000).Draw(rt, "latency"))
		r := run(rt, g, p, c, busy(rt, g, ends), 0, 100*packet.Microsecond)
		runs++
		engines[p.Recipe.Paths]++
		arrived += r.Arrived
		if r.Deadlock != nil {
			rt.Fatalf("deadlock: %+v", r.Deadlock)
		}
		if r.Lost.Total() != 0 && proof.Disconnected == 0 {
			rt.Fatalf("lost: %+v", r.Lost)
		}
	}, func() string {
		if least := 2000; runs < least && !testing.Short() || runs == 0 {
			return fmt.Sprintf("%d Plans were proven, want %d", runs, least)
		}
		return ""
	})
	t.Logf("%d proven Plans, %d packets: %v", runs, arrived, engines)
}

// holders are streams of the packets that the judge names: each holds a channel of its cycle and
// waits for the next.
func holders(g *fabric.Graph, p *route.Plan, cycle []check.Hold, rng *rand.Rand) *packet.Streams {
	w := &packet.Streams{Seed: rng.Uint64()}
	owner := p.Ends.ByLID()
	for _, h := range cycle {
		st := stream(g.FindEnd(h.Source.GUID, h.Source.Port), owner[h.LID])
		st.Bytes = 1 + rng.Int64N(1000)
		st.Start = packet.Time(rng.Int64N(int64(20 * packet.Microsecond)))
		if rng.IntN(2) == 0 {
			st.Gap = 100*packet.Nanosecond + packet.Time(rng.Int64N(int64(packet.Microsecond)))
		}
		w.List = append(w.List, st)
	}
	return w
}

// holdsTogether fails where a packet of a deadlock does not wait for the next buffer of it.
func holdsTogether(t rapid.TB, g *fabric.Graph, p *route.Plan, d *packet.Deadlock) {
	t.Helper()
	for i, s := range d.Cycle {
		next := d.Cycle[(i+1)%len(d.Cycle)]
		sw, sl := g.To[s.Channel], p.SL.At(s.Src, s.LID)
		vl := p.SL2VL.Table(g, sw, g.ToPort[s.Channel], g.FromPort[next.Channel])[sl]
		if g.From[next.Channel] != sw || p.Tables.Port(sw, s.LID) != g.FromPort[next.Channel] || vl != next.VL || s.Packets < 1 {
			t.Fatalf("place %d of %+v", i, d.Cycle)
		}
	}
}

// TestCyclic: where the judge finds a cycle of dependencies, the packets that it names make the
// network stand still, in at least 95 % of 500 random networks within 20 runs.
func TestCyclic(t *testing.T) {
	cyclic, stood, tries := 0, 0, 0
	checks(t, 60, 1000, func(rt *rapid.T) {
		g := mixed(graph(rt, drawn(rt)), rapid.Uint64().Draw(rt, "rates"))
		if rapid.Bool().Draw(rt, "equal") {
			g = qdr(g)
		}
		p := drawnPlan(rt, g, []string{"minhop", "sssp"})
		if p == nil {
			return
		}
		r := judged(rt, g, p)
		if r.DeadlockFree != check.No {
			return
		}
		cyclic++
		for seed := range uint64(20) {
			tries++
			rng := rand.New(rand.NewPCG(seed, 5))
			c := small(1 + int(seed%4))
			c.OneQueue = seed/4%2 == 1
			if d := run(rt, g, p, c, holders(g, p, r.Cycle, rng), 0, 2*packet.Millisecond).Deadlock; d != nil {
				holdsTogether(rt, g, p, d)
				stood++
				return
			}
		}
		t.Logf("%s by %s: no deadlock on %d channels: %+v", g.Name, p.Recipe.Paths, len(r.Cycle), r.Cycle)
	}, func() string {
		if least := 500; cyclic < least && !testing.Short() || cyclic == 0 || float64(stood) < .95*float64(cyclic) {
			return fmt.Sprintf("%d of %d stood still, want 95 %% of at least %d", stood, cyclic, least)
		}
		return ""
	})
	t.Logf("%d Plans with a cycle, %d stood still, %.1f runs each", cyclic, stood, float64(tries)/float64(max(cyclic, 1)))
}

// TestNoFalseAlarm: what a deadlock holds waits for ever: whenever one is found while traffic runs,
// one is there at the end, when nothing moves any more.
func TestNoFalseAlarm(t *testing.T) {
	alarms, none := 0, 0
	checks(t, 100, 500, func(rt *rapid.T) {
		g := mixed(graph(rt, drawn(rt)), rapid.Uint64().Draw(rt, "rates"))
		p := drawnPlan(rt, g, []string{"minhop", "sssp"})
		if p == nil {
			return
		}
		proof := judged(rt, g, p)
		if proof.DeadlockFree != check.No {
			return
		}
		w := holders(g, p, proof.Cycle, rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "traffic"), 9)))
		stop := rapid.SampledFrom([]packet.Time{20, 25, 30, 50, 100, 300, 2000}).Draw(rt, "stop") * packet.Microsecond
		for i := range w.List {
			w.List[i].Stop = stop
		}
		c := small(rapid.IntRange(1, 3).Draw(rt, "buffer"))
		c.CableDelay = packet.Time(rapid.Int64Range(0, int64(packet.Microsecond)).Draw(rt, "cable"))
		c.OldestFirst = rapid.Bool().Draw(rt, "oldest")
		c.OneQueue = rapid.Bool().Draw(rt, "one queue")
		c.GoOn, c.DeadlockCheck = true, packet.Microsecond
		early := run(rt, g, p, c, w, 0, packet.Second)
		c.DeadlockCheck = 0
		late := run(rt, g, p, c, w, 0, packet.Second)
		if (early.Deadlock == nil) != (late.Deadlock == nil) || early.Arrived != late.Arrived {
			rt.Fatalf("while it ran: %+v, at the end: %+v", early.Deadlock, late.Deadlock)
		}
		if late.Deadlock == nil {
			none++
			if late.Flying != 0 {
				rt.Fatalf("%d packets do not move, but there is no deadlock", late.Flying)
			}
			return
		}
		alarms++
	}, func() string {
		if alarms == 0 || none == 0 {
			return "there were only runs of one kind"
		}
		return ""
	})
	t.Logf("%d deadlocks, %d runs without one", alarms, none)
}
