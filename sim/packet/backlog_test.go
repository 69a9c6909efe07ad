package packet_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/congestion"
	"weft/sim/packet"
)

// allKept hands over every message at its time: beside each stream there is another one that never
// sends.
func allKept(list []packet.Stream) []packet.Stream {
	for _, st := range list {
		list = append(list, packet.Stream{Src: st.Src, Dst: st.Dst, Spot: st.Spot, Bytes: 1, Start: packet.Second})
	}
	return list
}

// overload is streams that offer more than there is room for, in many ways.
func overload(t *rapid.T, g *fabric.Graph) *packet.Streams {
	w := &packet.Streams{Targets: hostsOf(g), Seed: rapid.Uint64().Draw(t, "traffic")}
	gap := packet.Time(rapid.IntRange(100, 700).Draw(t, "gap")) * packet.Nanosecond
	for src := range int32(g.NumHosts) {
		st := packet.Stream{Src: src, Dst: packet.Anyone, Spot: 0, Share: .2, Bytes: 2048, Gap: gap}
		if rapid.Bool().Draw(t, "drawn sizes") {
			st.Bytes, st.Most = 84, rapid.SampledFrom([]int64{2048, 5000}).Draw(t, "most")
		}
		if rapid.Bool().Draw(t, "bursts") {
			st.Bursts = packet.Bursts{On: 5 * gap, Off: 2 * gap, Drawn: rapid.Bool().Draw(t, "drawn bursts")}
		}
		if src == 0 {
			st.Share = 0
		}
		w.List = append(w.List, st)
		if rapid.IntRange(0, 3).Draw(t, "another stream") == 0 {
			st.Share, st.Gap = 0, 2*gap
			w.List = append(w.List, st)
		}
	}
	return w
}

// TestBacklog: messages that are drawn again give the very run that they give when all are kept, on
// one lane or several.
func TestBacklog(t *testing.T) {
	g := qdr(graph(t, "rlft(4,2)"))
	plans := []*route.Plan{planned(t, g, "ftree", 1, nil), planned(t, g, "ftree", 2, map[string]string{"lanes": "vftree", "vls": "2"})}
	checks(t, 20, 100, func(t *rapid.T) {
		p := rapid.SampledFrom(plans).Draw(t, "plan")
		w := overload(t, g)
		all := &packet.Streams{Targets: w.Targets, Seed: w.Seed, List: allKept(w.List)}
		c := packet.Default()
		if rapid.IntRange(0, 3).Draw(t, "congestion control") == 0 {
			c.Congestion = congestion.Usual()
		}
		const warmup, until = 20 * packet.Microsecond, 120 * packet.Microsecond
		got := run(t, g, p, c, w, warmup, until)
		want := run(t, g, p, c, all, warmup, until)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(packet.Histogram{})); diff != "" {
			t.Fatal(diff)
		}
	}, nil)
}

// TestBacklogMemory: a source that can send only a hundredth of its messages takes no memory for
// the rest.
func TestBacklogMemory(t *testing.T) {
	g := qdr(graph(t, "fullmesh(1,hosts=2)"))
	p := planned(t, g, "minhop", 1, nil)
	list := []packet.Stream{{Src: 0, Dst: 1, Bytes: 2048, Gap: 5 * packet.Nanosecond}}
	allocated := func(list []packet.Stream) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(t, g, p, packet.Default(), &packet.Streams{List: list}, 0, packet.Millisecond)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, all := allocated(list), allocated(allKept(list)); few > 1<<20 || all < 8<<20 {
		t.Errorf("%d bytes, %d where all messages are kept", few, all)
	}
}

// TestBacklogNewLanes: a message keeps the lane from the time it was ordered, even if a manager
// writes other lanes before it is sent.
func TestBacklogNewLanes(t *testing.T) {
	g := qdr(graph(t, "fullmesh(1,hosts=3)"))
	table := low(route.ArbEntry{VL: 0, Weight: 33}, route.ArbEntry{VL: 1, Weight: 33})
	plans := []*route.Plan{laned(t, g, []uint8{0, 0, 0}, table), laned(t, g, []uint8{1, 0, 1}, table)}
	w := &packet.Streams{Targets: hostsOf(g), Seed: 1}
	for src := range int32(3) {
		w.List = append(w.List, packet.Stream{Src: src, Dst: packet.Anyone, Bytes: 84, Most: 2048, Gap: 200 * packet.Nanosecond})
	}
	all := &packet.Streams{Targets: w.Targets, Seed: w.Seed, List: allKept(w.List)}
	var results [2]*packet.Result
	for i, w := range []*packet.Streams{w, all} {
		s, err := packet.New(g, plans[0], packet.Default(), w)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 4 {
			s.At(packet.Time(k+1)*30*packet.Microsecond, func(s *packet.Sim) {
				for end := range int32(3) {
					s.WriteHost(end, plans[(k+1)%2])
				}
			})
		}
		if results[i], err = s.Run(t.Context(), 0, 150*packet.Microsecond); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(results[1], results[0], cmp.AllowUnexported(packet.Histogram{})); diff != "" {
		t.Fatal(diff)
	}
}
