package packet_test

import (
	"testing"

	"weft/fabric"
	"weft/sim/congestion"
	"weft/sim/packet"
)

// TestVictim is figure 5 of paper 004 (Paper II): three hosts send to one, and a fourth shares the
// link up of the first of them on its way to a host that is free. Hosts carry 13.5 Gbit/s, links
// 32. The victim gets what a hot flow gets, some 4.5 Gbit/s; with congestion control some 13, at
// the cost of a fifth of what the hot host takes.
func TestVictim(t *testing.T) {
	g := qdr(graph(t, "rlft(8,2)"))
	p := planned(t, g, "ftree", 1, nil)
	up := func(src, dst int32) uint8 { return p.Tables.Port(g.EndSwitch[src], p.Ends.Base[dst]) }
	victim := int32(20)
	for up(1, victim) != up(0, 4) {
		victim++
	}
	to := fabric.Numbers(g.NumHosts)
	to[0], to[8], to[12], to[1] = 4, 4, 4, victim
	gbps := func(c packet.Config) (ofVictim, ofHot float64, r *packet.Result) {
		c.Inject, c.Drain = 13_500, 13_500
		r = run(t, g, p, c, saturate(to), 2*packet.Millisecond, 6*packet.Millisecond)
		rate := func(e int32) float64 { return float64(r.Bytes[e]) * 8000 / float64(r.Window) }
		return rate(victim), rate(4), r
	}
	c := packet.Default()
	plain, hotPlain, _ := gbps(c)
	c.Congestion = congestion.Usual()
	controlled, hot, r := gbps(c)
	t.Logf("the victim gets %.1f Gbit/s, with congestion control %.1f; the hot host %.1f and %.1f; %d marks", plain, controlled, hotPlain, hot, r.Marks)
	if plain > 5 || plain < 4 || controlled < 12.5 || hot < 10 || r.Marks == 0 {
		t.Error("not as in the figure")
	}
}

// TestDelay: a flow sends a packet each (1 + multiplier/2^shift) times the time of one.
func TestDelay(t *testing.T) {
	g := qdr(graph(t, "rlft(4,2)"))
	p := planned(t, g, "ftree", 1, nil)
	for _, d := range []congestion.Delay{{}, {Multiplier: 1}, {Shift: 1, Multiplier: 3}, {Shift: 3, Multiplier: 100}, {Shift: 2, Multiplier: 16383}} {
		c := packet.Default()
		c.Congestion = congestion.Usual()
		c.Congestion.Table, c.Congestion.Limit = []congestion.Delay{d}, 0
		one := packet.Time(2048+packet.Headers) * 250
		wait := one * packet.Time(d.Multiplier) / packet.Time(int(1)<<d.Shift)
		to := []int32{5, 1, 2, 3, 4, 5, 6, 7}
		if r := run(t, g, p, c, saturate(to), 0, 1000*(one+wait)); r.Sent < 1000 || r.Sent > 1001 {
			t.Errorf("%v: %d packets in 1000 times %d ps", d, r.Sent, one+wait)
		}
	}
}

// TestCongestionSettings: what the annex does not allow is refused.
func TestCongestionSettings(t *testing.T) {
	for name, set := range map[string]func(*congestion.Control){
		"threshold": func(c *congestion.Control) { c.Threshold = 16 },
		"table":     func(c *congestion.Control) { c.Limit = 128 },
		"least":     func(c *congestion.Control) { c.Min = 128 },
		"timer":     func(c *congestion.Control) { c.Timer = 0 },
		"shift":     func(c *congestion.Control) { c.Table[3].Shift = 4 },
	} {
		c := packet.Default()
		c.Congestion = congestion.Usual()
		set(c.Congestion)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOneFlow: messages of one flow share its rate: each packet of any of them is followed by the
// delay, and all go on.
func TestOneFlow(t *testing.T) {
	g := qdr(graph(t, "rlft(4,2)"))
	p := planned(t, g, "ftree", 1, nil)
	for _, multiplier := range []uint16{0, 1, 7} {
		c := packet.Default()
		c.Congestion = congestion.Usual()
		c.Congestion.Table, c.Congestion.Limit = []congestion.Delay{{Multiplier: multiplier}}, 0
		w := &perStream{streams(stream(0, 5), stream(0, 5), stream(0, 5)), 0, make([]int64, 3)}
		w.List[0].Bytes, w.List[1].Bytes, w.List[2].Bytes = 2048, 2048, 1<<20 // the last has more than one packet a message
		one := packet.Time(2048+packet.Headers) * 250
		r := run(t, g, p, c, w, 0, 3000*one*packet.Time(1+multiplier))
		if r.Sent < 3000 || r.Sent > 3001 {
			t.Errorf("multiplier %d: %d packets in the time of 3000", multiplier, r.Sent)
		}
		if !within(float64(w.bytes[0]), 1000*2048, .01) || !within(float64(w.bytes[1]), 1000*2048, .01) {
			t.Errorf("multiplier %d: streams delivered %d bytes", multiplier, w.bytes)
		}
	}
}
