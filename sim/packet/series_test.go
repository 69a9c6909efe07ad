package packet_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/sim/packet"
)

// recorded makes hosts of two switches send over their only cable for a while, and records it over
// time.
func recorded(t *testing.T, steps int, stop packet.Time, from ...int32) (*packet.Result, *packet.Series) {
	t.Helper()
	g := qdr(graph(t, "mesh(2,hosts=3)"))
	w := &packet.Streams{}
	for _, src := range from {
		w.List = append(w.List, packet.Stream{Src: src, Dst: src + 3, Bytes: 2048, Pending: 2, Stop: stop})
	}
	s, err := packet.New(g, planned(t, g, "minhop", 1, nil), packet.Default(), w)
	if err != nil {
		t.Fatal(err)
	}
	var series *packet.Series
	if steps > 0 {
		series = s.Record(20*packet.Microsecond, 10*packet.Microsecond, steps, true)
	}
	r, err := s.Run(t.Context(), 20*packet.Microsecond, 220*packet.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	return r, series
}

// TestSeries: steps add up to the counts of the run; a saturated link is in use all the time and
// the buffer before it full; when the sources stop, everything falls to nothing.
func TestSeries(t *testing.T) {
	r, series := recorded(t, 20, 120*packet.Microsecond, 0, 1, 2)
	sum := func(list []int64) (total int64) {
		for _, v := range list {
			total += v
		}
		return total
	}
	if series.Done != 20 || sum(series.Bytes) != sum(r.Bytes) || sum(series.Packets) != sum(r.Packets) {
		t.Errorf("%d steps with %d bytes and %d packets, the run has %d and %d", series.Done, sum(series.Bytes), sum(series.Packets), sum(r.Bytes), sum(r.Packets))
	}
	latency := packet.Time(0)
	for _, l := range series.Latency {
		latency += l
	}
	if latency != r.Latency.Sum {
		t.Errorf("latencies of %d ps, the run has %d", latency, r.Latency.Sum)
	}
	carried := make([]float64, series.Links)
	for i, used := range series.Used {
		if used > 1 {
			t.Errorf("link %d is used %v of step %d", i%series.Links, used, i/series.Links)
		}
		carried[i%series.Links] += float64(used) * 4 * 10_000 // bytes at 4 a nanosecond
	}
	for l, bytes := range r.Carried {
		if math.Abs(carried[l]-float64(bytes)) > 2100 {
			t.Errorf("link %d: %.0f bytes in all steps, the run has %d", l, carried[l], bytes)
		}
	}
	busiest := slices.Index(r.Carried, slices.Max(r.Carried))
	for step := range 20 {
		used, filled := series.Used[step*series.Links+busiest], float32(0)
		for l := range series.Links {
			filled += series.Filled[step*series.Links+l]
		}
		switch {
		case step < 10 && (used < .999 || filled < 3*12_000 || filled > 4*16<<10):
			t.Errorf("step %d: the cable is used %v, %v bytes wait", step, used, filled)
		case step > 12 && (used != 0 || filled != 0 || series.Bytes[step] != 0):
			t.Errorf("step %d: the cable is used %v, %v bytes wait, %d are taken, but nobody sends", step, used, filled, series.Bytes[step])
		}
	}
	if most := slices.Max(series.Most); most < 14_000 || most > 16<<10 {
		t.Errorf("%d bytes in the fullest buffer", most)
	}
}

// TestSeriesChangesNothing: recording does not change a run.
func TestSeriesChangesNothing(t *testing.T) {
	with, _ := recorded(t, 20, 0, 0, 1, 2)
	without, _ := recorded(t, 0, 0, 0, 1, 2)
	if diff := cmp.Diff(with.Carried, without.Carried); diff != "" || with.Latency.Sum != without.Latency.Sum || with.Sent != without.Sent || with.End != without.End {
		t.Errorf("%+v\n%+v\n%s", with, without, diff)
	}
}
