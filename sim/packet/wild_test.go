package packet_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/congestion"
	"weft/sim/packet"
)

// wildInt draws any number, often one at a limit.
func wildInt(t *rapid.T, name string, usual ...int64) int64 {
	return rapid.OneOf(rapid.SampledFrom(append(usual, -1, 0, 1, 2, 63, 64, 65, 4096, 4097, math.MaxInt32, math.MaxInt64, math.MinInt64)), rapid.Int64Range(0, 5000), rapid.Int64()).Draw(t, name)
}

// wildConfig draws a Config, sensible or not, with most of its fields usual.
func wildConfig(t *rapid.T) packet.Config {
	c := packet.Default()
	odd := func(name string, set func(v int64), usual ...int64) {
		if rapid.IntRange(0, 11).Draw(t, name+" is odd") == 0 {
			set(wildInt(t, name, usual...))
		}
	}
	times := []int64{int64(packet.Nanosecond), int64(packet.Microsecond), int64(packet.Second), int64(1000 * packet.Second), 1000*int64(packet.Second) + 1}
	duration := func(name string, at *packet.Time) { odd(name, func(v int64) { *at = packet.Time(v) }, times...) }
	odd("MTU", func(v int64) { c.MTU = int(v) }, 256, 4096)
	odd("headers", func(v int64) { c.Headers = int(v) }, 0, 256)
	odd("buffer", func(v int64) { c.Buffer = int(v) }, 1<<30, 2074, 2112)
	duration("latency", &c.SwitchLatency)
	duration("cable", &c.CableDelay)
	odd("inject", func(v int64) { c.Inject = int32(v) })
	odd("drain", func(v int64) { c.Drain = int32(v) })
	odd("rate", func(v int64) { c.UnknownRate = int32(v) })
	duration("credits", &c.CreditInterval)
	duration("head of queue", &c.HeadOfQueue)
	duration("search", &c.DeadlockCheck)
	c.OldestFirst, c.GoOn = rapid.Bool().Draw(t, "oldest"), rapid.Bool().Draw(t, "go on")
	if rapid.IntRange(0, 2).Draw(t, "controlled") == 0 {
		cc := congestion.Usual()
		odd("threshold", func(v int64) { cc.Threshold = uint8(v) })
		odd("marking rate", func(v int64) { cc.MarkingRate = uint16(v) })
		odd("packet size", func(v int64) { cc.PacketSize = uint8(v) })
		odd("increase", func(v int64) { cc.Increase = uint16(v) })
		odd("limit", func(v int64) { cc.Limit = uint16(v) })
		odd("min", func(v int64) { cc.Min = uint16(v) })
		odd("entry", func(v int64) { cc.Table[1].Multiplier = uint16(v) })
		odd("entries", func(v int64) { cc.Table = cc.Table[:max(min(int(v), 128), 0)] })
		duration("timer", (*packet.Time)(&cc.Timer))
		c.Congestion = cc
	}
	return c
}

// wildPlan changes a Plan at random: entries, lanes and LIDs that nobody would write.
func wildPlan(t *rapid.T, g *fabric.Graph, p *route.Plan) {
	some := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	vl := rapid.SampledFrom([]uint8{0, 1, 2, 7, 14, route.DropVL})
	for range some("entries", 20) {
		port := rapid.SampledFrom([]uint8{0, 1, 2, 3, 4, 5, 254, route.NoPort}).Draw(t, "port")
		p.Tables.Set(int32(some("switch", g.NumSwitches)), fabric.LID(some("lid", int(p.Tables.Top()))), port)
	}
	if some("nameless", 3) == 0 {
		p.Ends.Base[some("end", g.NumEnds)] = 0
	}
	if some("lanes", 2) == 0 {
		p.SL2VL = route.UniformVL(g, route.VLTable{})
		for range some("tables", 6) {
			var table route.VLTable
			for sl := range table[:4] {
				table[sl] = vl.Draw(t, "VL")
			}
			i := p.SL2VL.Intern(table)
			if h := some("host", g.NumHosts+g.NumSwitches); h < g.NumHosts {
				p.SL2VL.Host[h] = i
			} else {
				p.SL2VL.Switch[h-g.NumHosts].Index = []uint16{i}
			}
		}
		p.SL = route.UniformSL(&p.Ends, uint8(some("SL", 4)))
	}
	switch some("arbitration", 3) {
	case 0:
		p.Arbitration = nil
	case 1:
		var table route.ArbTable
		for range some("entries of lists", 6) {
			e := route.ArbEntry{VL: uint8(some("VL", 15)), Weight: rapid.SampledFrom([]uint8{0, 1, 33, 255}).Draw(t, "weight")}
			if some("high", 2) == 0 {
				table.High = append(table.High, e)
			} else {
				table.Low = append(table.Low, e)
			}
		}
		table.Limit = rapid.SampledFrom([]uint8{0, 1, 255}).Draw(t, "limit")
		p.Arbitration = &route.VLArbitration{Pool: []route.ArbTable{table}, Host: make([]uint16, g.NumHosts), Switch: make([]uint16, route.SwitchPortCount(g))}
	}
	if some("foreign", 6) == 0 {
		p.SL, p.SL2VL, p.VLs = nil, nil, 0
	}
}

// wildStreams is traffic that may make no sense.
func wildStreams(t *rapid.T, ends []int32) *packet.Streams {
	w := &packet.Streams{Targets: slices.Clone(ends), Seed: rapid.Uint64().Draw(t, "traffic")}
	for range rapid.IntRange(0, 8).Draw(t, "streams") {
		st := packet.Stream{
			Src: rapid.SampledFrom(ends).Draw(t, "source"), Dst: rapid.SampledFrom(append(ends, packet.Anyone)).Draw(t, "target"),
			Bytes: rapid.SampledFrom([]int64{1, 2048, 2049, 50_000, packet.Forever, math.MaxInt64}).Draw(t, "bytes"),
			Start: packet.Time(rapid.Int64Range(-5, 1_000_000).Draw(t, "start")), Pending: rapid.IntRange(0, 3).Draw(t, "pending"),
		}
		if rapid.Bool().Draw(t, "gaps") {
			st.Gap = packet.Time(rapid.SampledFrom([]int64{1000, 100_000, math.MaxInt64, -1}).Draw(t, "gap"))
		}
		if rapid.IntRange(0, 5).Draw(t, "spot") == 0 {
			st.Share, st.Spot = rapid.Float64Range(0, 2).Draw(t, "share"), rapid.SampledFrom(ends).Draw(t, "hot")
		}
		if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				st.Src = 1000
			case 1:
				st.Dst = -7
			case 2:
				st.Bytes = 0
			case 3:
				w.Targets = w.Targets[:min(1, len(w.Targets))]
			default:
				w.Targets = nil
			}
		}
		w.List = append(w.List, st)
	}
	return w
}

// wild runs what can hardly be run: there is an error, or a run that adds up.
func wild(t *rapid.T) {
	g := mixed(graph(t, rapid.SampledFrom([]string{"mesh(2,hosts=2)", "torus(3,hosts=1)", "fullmesh(1,hosts=3)", "rlft(4,2)"}).Draw(t, "fabric")), rapid.Uint64().Draw(t, "rates"))
	if rapid.Bool().Draw(t, "unknown") {
		clear(g.ChanRate)
	}
	p := planned(t, g, "minhop", 1, nil)
	ends := targetsOf(p)
	if rapid.Bool().Draw(t, "wild plan") {
		wildPlan(t, g, p)
	}
	c := wildConfig(t)
	s, err := packet.New(g, p, c, wildStreams(t, ends))
	if err != nil {
		return
	}
	for range rapid.IntRange(0, 4).Draw(t, "faults") {
		sw, port, down := int32(rapid.IntRange(-1, g.NumSwitches).Draw(t, "switch")), rapid.Uint8().Draw(t, "port"), rapid.Bool().Draw(t, "down")
		at := packet.Time(rapid.Int64Range(-1, 3_000_000).Draw(t, "when"))
		if port%2 == 0 {
			s.At(at, func(s *packet.Sim) { s.SetPortDown(sw, port/2%8, down) })
		} else {
			s.At(at, func(s *packet.Sim) { s.SetSwitchDown(sw, down) })
		}
	}
	until := packet.Time(rapid.SampledFrom([]int64{-1, 0, 1, 1_000_000, 3_000_000}).Draw(t, "until"))
	warmup := packet.Time(rapid.SampledFrom([]int64{0, -1, 500_000, math.MaxInt64, math.MinInt64}).Draw(t, "warm-up"))
	r, err := s.Run(context.Background(), warmup, until)
	if err != nil {
		if s := err.Error(); !slices.Contains([]string{"packet: a m", "packet: end", "packet: a s"}, s[:11]) {
			t.Fatal(err)
		}
		return
	}
	if r.Sent != r.Arrived+r.Lost.Total()+r.Flying {
		t.Fatalf("%d sent, %d arrived, %d flying, %+v", r.Sent, r.Arrived, r.Flying, r.Lost)
	}
}

// TestWild: whatever a Config, a Plan and a workload ask for, there is an error or a run that adds
// up.
func TestWild(t *testing.T) { checks(t, 300, 10_000, wild, nil) }

func FuzzRun(f *testing.F) { f.Fuzz(rapid.MakeFuzz(wild)) }

// TestWorkloads: a workload that cannot continue ends the run with its error.
func TestWorkloads(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	p.Ends.Base[3] = 0
	for want, st := range map[string]packet.Stream{
		"packet: a message from end port 0 to 0: want two different ones of 4":     {Src: 0, Dst: 0, Bytes: 1},
		"packet: a message from end port 9 to 0: want two different ones of 4":     {Src: 9, Dst: 0, Bytes: 1},
		"packet: a message of 0 bytes: want at least 1":                            {Src: 0, Dst: 1},
		"packet: end port 3 has no LID":                                            {Src: 0, Dst: 3, Bytes: 1},
		"packet: a stream from end port 0 to anyone, but there is no other target": {Src: 0, Dst: packet.Anyone, Bytes: 1},
	} {
		s, err := packet.New(g, p, packet.Default(), &packet.Streams{List: []packet.Stream{st}, Targets: []int32{0}})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.Run(t.Context(), 0, packet.Second); err == nil || err.Error() != want {
			t.Errorf("%v %v, want %s", r, err, want)
		}
	}
}

// TestWrongEnd: a packet that the tables lead to another end port is lost, and counted.
func TestWrongEnd(t *testing.T) {
	g := qdr(graph(t, "fullmesh(1,hosts=3)"))
	p := planned(t, g, "minhop", 1, nil)
	p.Tables.Set(0, p.Ends.Base[1], g.EndPort[2])
	w := once(packet.Message{Src: 0, Dst: 1, Bytes: 5000})
	r := run(t, g, p, packet.Default(), w, 0, packet.Second)
	if r.Lost.WrongEnd != 3 || r.Lost.Total() != 3 || r.Arrived != 0 || r.Flying != 0 || w.lost != 5000 {
		t.Errorf("%+v, %d arrived", r.Lost, r.Arrived)
	}
}
