package telemetry

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// TestSeries: a Series has the readings of its port alone, in both directions.
func TestSeries(t *testing.T) {
	s := Series{}
	for minute := range 3 {
		f := frameAt(epoch.Add(time.Duration(minute)*time.Minute), 3, uint64(minute))
		f.Counts[1].Grown[mad.CounterXmitData] = uint64(minute) * 60e9 / 32
		f.Counts[1].Grown[mad.CounterRcvData] = uint64(minute) * 120e9 / 32
		f.Counts[1].Grown[mad.CounterXmitWait] = 600
		f.Counts[1].Grown[0] = 7 // SymbolErrorCounter
		if minute == 1 {
			f.Counts[1].Took = 0 // it was not read
		}
		s.Add(f, 2, 1)
		s.Add(f, 2, 9)
		s.Add(f, 99, 1)
	}
	want := []Point{{utc(epoch), 60, 0, 0, 10, 7}, {utc(epoch.Add(2 * time.Minute)), 60, 2, 4, 10, 7}}
	if !slices.Equal(s.Points, want) || s.Port.GUID != 2 || s.Peer.GUID != 1001 || s.Rate != 100_000 {
		t.Errorf("%+v", s)
	}
}

// TestNumbers: the chosen rounds are stored ones of the last hour in order, evenly spread, all if
// they are few, and the last one is always among them.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := openRing(t, &memory{}, 1<<20, free)
		rounds, most := rapid.IntRange(0, 90).Draw(t, "rounds"), rapid.IntRange(1, 70).Draw(t, "most")
		for minute := range rounds {
			if err := put(r, minute, 100); err != nil {
				t.Fatal(err)
			}
		}
		within := min(rounds, 61)
		got := r.Numbers(most)
		if len(got) != min(within, most) || len(got) > 0 && got[len(got)-1] != uint64(rounds-1) {
			t.Fatal(rounds, most, got)
		}
		last := int64(rounds - within - 1)
		for _, n := range got {
			step := int64(n) - last
			if least := int64(within / len(got)); step < least || step > least+1 {
				t.Fatal(rounds, most, got)
			}
			last = int64(n)
			data, err := r.Stored(n)
			if err != nil || len(data) != 100 || data[0] != byte(n) {
				t.Fatal(n, data, err)
			}
		}
		if data, err := r.Stored(uint64(rounds)); data != nil || err != nil {
			t.Fatal(data, err)
		}
	})
}

// BenchmarkSeries reads the hour of a port of 11,664 hosts with 52,488 ports, all busy.
func BenchmarkSeries(b *testing.B) {
	data := frameAt(epoch, 52_488, 1e9).Encode(nil)
	for b.Loop() {
		s := Series{}
		for range MostPoints {
			f, err := Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			s.Add(f, 2, 1)
		}
	}
}
