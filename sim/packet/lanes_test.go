package packet_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// laned returns a Plan for g with source e on SL and VL lane[e] all the way, and one VL arbitration
// table for all ports.
func laned(t testing.TB, g *fabric.Graph, lane []uint8, table route.ArbTable) *route.Plan {
	p := planned(t, g, "minhop", 1, nil)
	classes := slices.Concat(lane, make([]uint8, g.NumEnds-len(lane)))
	src := make([]int32, g.NumEnds)
	for e := range src {
		src[e] = int32(e)
	}
	p.SL = route.NewSLs(src, make([]int32, int(p.Ends.Top())+1), g.NumEnds, 1)
	for e, sl := range classes {
		p.SL.Set(int32(e), 0, sl)
	}
	var straight route.VLTable
	for sl := range straight[:8] {
		straight[sl] = uint8(sl)
	}
	p.SL2VL = route.UniformVL(g, straight)
	p.VLs = 8
	p.Arbitration = &route.VLArbitration{
		Pool: []route.ArbTable{table}, Host: make([]uint16, g.NumHosts), Switch: make([]uint16, route.SwitchPortCount(g)),
	}
	return p
}

// dumbbell has three hosts on each of two switches, one link between them. Hosts 0 to 2 send to 3
// to 5.
func dumbbell(t testing.TB) *fabric.Graph { return qdr(graph(t, "mesh(2,hosts=3)")) }

// across makes each of some hosts of the first switch send to one on the second.
func across(g *fabric.Graph, from ...int32) *packet.Streams {
	w := &packet.Streams{}
	first, second := g.HostsOf(0), g.HostsOf(1)
	for _, i := range from {
		w.List = append(w.List, stream(first[i], second[i]))
	}
	return w
}

// byHost are lanes of the hosts of the first switch.
func byHost(g *fabric.Graph, vls ...uint8) []uint8 {
	lane := make([]uint8, g.NumHosts)
	for i, vl := range vls {
		lane[g.HostsOf(0)[i]] = vl
	}
	return lane
}

func low(entries ...route.ArbEntry) route.ArbTable { return route.ArbTable{Low: entries} }

// TestLowWeights: VLs of the low list share a link by their weights. A packet takes 33 blocks.
func TestLowWeights(t *testing.T) {
	for _, c := range []struct {
		name  string
		table route.ArbTable
		want  []float64 // shares
	}{
		{"1:3", low(route.ArbEntry{VL: 0, Weight: 33}, route.ArbEntry{VL: 1, Weight: 99}), []float64{.25, .75}},
		{"1:3 in many turns", low(route.ArbEntry{VL: 0, Weight: 66}, route.ArbEntry{VL: 1, Weight: 99}, route.ArbEntry{VL: 1, Weight: 99}), []float64{.25, .75}},
		{"equal", low(route.ArbEntry{VL: 0, Weight: 1}, route.ArbEntry{VL: 1, Weight: 1}), []float64{.5, .5}},
		{"a packet may end a turn", low(route.ArbEntry{VL: 0, Weight: 1}, route.ArbEntry{VL: 1, Weight: 34}), []float64{1. / 3, 2. / 3}},
		{"entries of weight 0", low(route.ArbEntry{VL: 1, Weight: 0}, route.ArbEntry{VL: 0, Weight: 33}, route.ArbEntry{VL: 1, Weight: 33}), []float64{.5, .5}},
		{"a VL in no list", low(route.ArbEntry{VL: 1, Weight: 33}), []float64{0, 1}},
		{"nobody else", low(route.ArbEntry{VL: 5, Weight: 200}, route.ArbEntry{VL: 1, Weight: 1}, route.ArbEntry{VL: 0, Weight: 1}), []float64{.5, .5}},
	} {
		g := dumbbell(t)
		p := laned(t, g, byHost(g, 0, 1), c.table)
		config := packet.Default()
		config.Buffer = 64 << 10
		got := deliveredBy(t, g, p, config, across(g, 0, 1))
		for i, want := range c.want {
			if share := got[i] / 32_000; share < want-.01 || share > want+.01 {
				t.Errorf("%s: VL %d has %.4f of the link, want %.4f", c.name, i, share, want)
			}
		}
	}
}

// TestHighLimit: the high list goes before the low one, up to its limit: 0 is a packet, n is
// n*4,096 bytes, 255 has no end.
func TestHighLimit(t *testing.T) {
	for _, c := range []struct {
		limit uint8
		low   float64 // share of the low VL
	}{
		{0, 1. / 2},   // one packet each
		{1, 1. / 3},   // two packets of 33 blocks before 64 are reached
		{10, 1. / 21}, // 640 blocks: 20 packets
		{255, 0},
	} {
		g := dumbbell(t)
		table := route.ArbTable{High: []route.ArbEntry{{VL: 0, Weight: 255}}, Low: []route.ArbEntry{{VL: 1, Weight: 33}}, Limit: c.limit}
		p := laned(t, g, byHost(g, 0, 1), table)
		config := packet.Default()
		config.Buffer = 64 << 10
		got := deliveredBy(t, g, p, config, across(g, 0, 1))
		if share := got[1] / 32_000; share < c.low-.01 || share > c.low+.01 || !within(got[0]+got[1], 32_000, .015) {
			t.Errorf("limit %d: low has %.4f of the link, want %.4f (%.0f Mbit/s)", c.limit, share, c.low, got)
		}
		// The high VL is silent: the low one has all.
		if got := deliveredBy(t, g, p, config, across(g, 1)); !within(got[0], 32_000, .015) {
			t.Errorf("limit %d: low alone has %.0f Mbit/s", c.limit, got)
		}
	}
}

// TestHighFirst: an urgent packet waits for one packet of the low list at each of its two switches
// at most.
func TestHighFirst(t *testing.T) {
	g := dumbbell(t)
	table := route.ArbTable{High: []route.ArbEntry{{VL: 1, Weight: 255}}, Low: []route.ArbEntry{{VL: 0, Weight: 255}, {VL: 2, Weight: 33}}, Limit: 255}
	c := packet.Default()
	c.Buffer = 64 << 10
	longest := func(urgent uint8) packet.Time {
		w := &slowest{Streams: across(g, 0, 1, 2), of: 2}
		w.List[2].Bytes, w.List[2].Gap = 100, 20*packet.Microsecond
		run(t, g, laned(t, g, byHost(g, 0, 0, urgent), table), c, w, 0, window)
		if w.count < 20 {
			t.Fatalf("%d messages", w.count)
		}
		return w.longest
	}
	full := 519 * packet.Nanosecond
	links := []int32{32_000, 32_000, 32_000}
	free, _ := alone(links, 126, c)
	if got := longest(1); got > free+2*full {
		t.Errorf("%d ps on the high list, %d without others", got, free)
	}
	if got := longest(2); got <= free+2*full {
		t.Errorf("%d ps on the low list are too few to tell", got)
	}
}

// slowest keeps the longest and the shortest time of the messages of a stream.
type slowest struct {
	*packet.Streams
	of      int32
	count   int
	longest packet.Time
	// shortest is kept where it is set.
	shortest packet.Time
}

func (w *slowest) Delivered(s *packet.Sim, m *packet.Message) {
	if m.Tag == w.of {
		w.count++
		w.longest, w.shortest = max(w.longest, s.Now()-m.Start), min(w.shortest, s.Now()-m.Start)
	}
}

// TestLaneWithoutCredits is figure 2.4 of paper 004 (figure 2 of its Paper II): three lanes share a
// link. One runs out of credits, because its host is slow, and the other two get its share of the
// link too. It continues when credits come.
func TestLaneWithoutCredits(t *testing.T) {
	g := dumbbell(t)
	g.EndRate[g.HostsOf(1)[0]] = 2_000
	table := low(route.ArbEntry{VL: 0, Weight: 33}, route.ArbEntry{VL: 1, Weight: 33}, route.ArbEntry{VL: 2, Weight: 33})
	for _, x := range []struct {
		vls  []uint8
		want []float64 // Gbit/s
	}{
		{[]uint8{0, 1, 2}, []float64{2, 15, 15}},
		{[]uint8{0, 0, 0}, []float64{2, 2, 2}}, // on one lane all wait
	} {
		got := deliveredBy(t, g, laned(t, g, byHost(g, x.vls...), table), packet.Default(), across(g, 0, 1, 2))
		for i, want := range x.want {
			if !within(got[i]/1000, want, .03) {
				t.Errorf("lanes %v: %.0f Mbit/s", x.vls, got)
				break
			}
		}
	}
}

// TestNeverSent: a VL in no list never sends, also where it is the only one.
func TestNeverSent(t *testing.T) {
	g := dumbbell(t)
	for _, vl := range []uint8{0, 3} {
		p := laned(t, g, byHost(g, vl), low(route.ArbEntry{VL: 2, Weight: 1}))
		if vl == 0 {
			p.SL2VL, p.VLs = route.UniformVL(g, route.VLTable{}), 1
		}
		r := run(t, g, p, packet.Default(), across(g, 0), 0, window)
		if r.Arrived != 0 || r.Sent != 0 || r.Deadlock != nil {
			t.Errorf("VL %d: %d packets sent, %d arrived, deadlock %v", vl, r.Sent, r.Arrived, r.Deadlock)
		}
	}
}

// TestDroppedLane: packets of an SL that an SL2VL table discards are lost, and counted.
func TestDroppedLane(t *testing.T) {
	g := dumbbell(t)
	for _, where := range []string{"host", "switch"} {
		p := laned(t, g, byHost(g, 1), low(route.ArbEntry{VL: 0, Weight: 1}, route.ArbEntry{VL: 1, Weight: 1}))
		i := p.SL2VL.Intern(route.VLTable{0, route.DropVL})
		first := g.HostsOf(0)[0]
		if where == "host" {
			p.SL2VL.Host[first] = i
		} else {
			p.SL2VL.Switch[1].Index = []uint16{i}
		}
		w := once(packet.Message{Src: first, Dst: g.HostsOf(1)[0], Bytes: 10_000})
		r := run(t, g, p, packet.Default(), w, 0, packet.Second)
		if r.Lost.NoLane != 5 || r.Lost.Total() != 5 || r.Arrived != 0 || r.Flying != 0 || len(w.order) != 1 || w.lost != 10_000 {
			t.Errorf("%s: %+v, %d arrived, %d flying, %d over with %d bytes lost", where, r.Lost, r.Arrived, r.Flying, len(w.order), w.lost)
		}
	}
}

// TestTurns: two hosts of one switch and one behind a link send to one target. With turns by input,
// the two that share a link get a quarter each.
func TestTurns(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=3)"))
	p := planned(t, g, "minhop", 1, nil)
	first, second := g.HostsOf(0), g.HostsOf(1)
	w := func() *packet.Streams {
		return streams(stream(first[0], second[0]), stream(first[1], second[0]), stream(second[1], second[0]))
	}
	c := packet.Default()
	got := deliveredBy(t, g, p, c, w())
	for i, want := range []float64{8_000, 8_000, 16_000} {
		if !within(got[i], want, .015) {
			t.Errorf("in turns: %.0f Mbit/s", got)
			break
		}
	}
}

// TestOldestFirst: while a packet of the first input is sent, one comes by the third and then one
// by the second. In turns the second is the next, by age the third.
func TestOldestFirst(t *testing.T) {
	g := qdr(graph(t, "fullmesh(1,hosts=4)"))
	p := planned(t, g, "minhop", 1, nil)
	h := g.HostsOf(0)
	for _, oldest := range []bool{false, true} {
		c := packet.Default()
		c.OldestFirst = oldest
		w := once(packet.Message{Src: h[0], Dst: h[3], Bytes: 2048}, packet.Message{Src: h[1], Dst: h[3], Bytes: 1000, Start: 20_000},
			packet.Message{Src: h[2], Dst: h[3], Bytes: 1000, Start: 10_000})
		run(t, g, p, c, w, 0, packet.Second)
		if want := []int32{0, 1, 2}; !oldest && !slices.Equal(w.order, want) {
			t.Errorf("in turns: %v", w.order)
		}
		if want := []int32{0, 2, 1}; oldest && !slices.Equal(w.order, want) {
			t.Errorf("oldest first: %v", w.order)
		}
	}
}

// TestLimitStarts: the bytes up to the limit count from when the low list has packets waiting, not
// from before.
func TestLimitStarts(t *testing.T) {
	g := dumbbell(t)
	table := route.ArbTable{High: []route.ArbEntry{{VL: 0, Weight: 255}}, Low: []route.ArbEntry{{VL: 1, Weight: 33}}, Limit: 10}
	c := packet.Default()
	c.Buffer = 64 << 10
	w := &slowest{Streams: across(g, 0, 1, 2), of: 1, shortest: packet.Second}
	w.List[1].Bytes, w.List[1].Gap = 100, 100*packet.Microsecond
	run(t, g, laned(t, g, byHost(g, 0, 1), table), c, w, 0, 5*window)
	// 640 blocks are 20 packets of 519 ns at the one link that both want.
	if full := 519 * packet.Nanosecond; w.count < 20 || w.shortest < 19*full {
		t.Errorf("%d messages, one in %d ps", w.count, w.shortest)
	}
}

// TestRoundsWithoutLane: a rank whose messages cannot be sent goes through its rounds all the same,
// one after the other.
func TestRoundsWithoutLane(t *testing.T) {
	g := dumbbell(t)
	h := g.HostsOf(0)
	p := laned(t, g, byHost(g, 1), low(route.ArbEntry{VL: 0, Weight: 1}))
	p.SL2VL.Host[h[0]] = p.SL2VL.Intern(route.VLTable{0, route.DropVL})
	rounds := make([]traffic.Flows, 4)
	for i := range rounds {
		rounds[i].Add(0, 1)
	}
	w := packet.NewRounds(rounds, h[:2], g.NumEnds, 5000)
	r := run(t, g, p, packet.Default(), w, 0, packet.Second)
	if !w.Done() || r.Lost.NoLane != 12 || r.Sent != 12 || r.Flying != 0 {
		t.Errorf("done %v: %d sent, %+v", w.Done(), r.Sent, r.Lost)
	}
}

// TestWaitedEnds: a link that lost all its waiting packets no longer waits for credits.
func TestWaitedEnds(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	c := packet.Default()
	c.Drain, c.HeadOfQueue = 10, 5*packet.Microsecond // a packet in 1.7 ms
	w := streams(stream(0, 1))
	w.List[0].Bytes, w.List[0].Stop = 2048, 50*packet.Microsecond
	r := run(t, g, p, c, w, 0, packet.Second)
	last := r.Waited[g.PortStart[1]+int32(g.EndPort[1])]
	if r.Lost.TooOld == 0 || r.Flying != 0 || last < 40*packet.Microsecond || last > 120*packet.Microsecond {
		t.Errorf("the link waited for %d ps; %+v", last, r.Lost)
	}
}
