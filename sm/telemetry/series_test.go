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

// TestNumbers: the rounds of the last hour are found by their numbers, and no others.
func TestNumbers(t *testing.T) {
	r := openRing(t, &memory{}, 1<<20, free)
	if r.Numbers() != nil {
		t.Error("numbers in an empty file")
	}
	for minute := range 90 {
		if err := put(r, minute, 100); err != nil {
			t.Fatal(err)
		}
	}
	got := r.Numbers()
	for i, n := range got {
		if data, err := r.Stored(n); n != uint64(29+i) || err != nil || len(data) != 100 || data[0] != byte(n) {
			t.Fatal(n, data, err)
		}
	}
	if data, err := r.Stored(90); len(got) != 61 || data != nil || err != nil {
		t.Fatal(got, data, err)
	}
}

// TestJoin: no peak and no error is lost, and the points cover the same time.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Series{}
		var want Point
		for i := range rapid.IntRange(0, 4*mostPoints).Draw(t, "readings") {
			p := Point{Time: utc(epoch.Add(time.Duration(i) * time.Second)), Took: 1, Sent: float64(rapid.IntRange(0, 100).Draw(t, "sent")), Errors: rapid.Uint64Max(9).Draw(t, "errors")}
			s.Points = append(s.Points, p)
			want = Point{p.Time, want.Took + 1, max(want.Sent, p.Sent), 0, 0, want.Errors + p.Errors}
		}
		n := len(s.Points)
		s.Join()
		if len(s.Points) != min(n, mostPoints) {
			t.Fatal(n, len(s.Points))
		}
		var got Point
		for _, p := range s.Points {
			if p.Time <= got.Time {
				t.Fatal(s.Points)
			}
			got = Point{p.Time, got.Took + p.Took, max(got.Sent, p.Sent), 0, 0, got.Errors + p.Errors}
		}
		if got != want {
			t.Fatal(got, want)
		}
	})
}

// BenchmarkSeries reads the hour of a port of 11,664 hosts with 52,488 ports, all busy: 60 rounds.
func BenchmarkSeries(b *testing.B) {
	data := frameAt(epoch, 52_488, 1e9).Encode(nil)
	for b.Loop() {
		s := Series{}
		for range 60 {
			f, err := Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			s.Add(f, 2, 1)
		}
	}
}
