package flow

import (
	"reflect"
	"testing"
)

// TestUntilEnough: runs end after 100, 200, 400 and so on, the first time that there are enough
// flows and the interval is narrow; without that, after all.
func TestUntilEnough(t *testing.T) {
	type look struct {
		flows      int64
		mean, half float64
	}
	narrow, wide := look{fewestFlows, 0.5, 0.0005}, look{fewestFlows, 0.5, 0.00051}
	few := look{fewestFlows - 1, 0.5, 0}
	for _, c := range []struct {
		name   string
		narrow float64
		runs   int
		looks  map[int]look
		want   int
	}{
		{"all without a bound", 0, 1000, nil, 1000},
		{"at once", 0.001, 1000, map[int]look{100: narrow}, 100},
		{"too wide at first", 0.001, 1000, map[int]look{100: wide, 200: narrow}, 200},
		{"too few flows at first", 0.001, 1000, map[int]look{100: few, 200: few, 400: narrow}, 400},
		{"never", 0.001, 1000, map[int]look{100: wide, 200: wide, 400: wide, 800: wide}, 1000},
		{"fewer runs than a first look takes", 0.001, 99, nil, 99},
		{"as many", 0.001, 100, nil, 100},
	} {
		done := 0
		got, err := (&Options{Narrow: c.narrow}).untilEnough(c.runs, func(from, to int) error {
			if from != done || to <= from {
				t.Errorf("%s: runs %d to %d after %d", c.name, from, to, done)
			}
			done = to
			return nil
		}, func(runs int) (Summary, int64) {
			l, ok := c.looks[runs]
			if !ok || runs != done {
				t.Errorf("%s: a look after %d runs of %d", c.name, runs, done)
			}
			return Summary{Mean: l.mean, CI95: l.half}, l.flows
		})
		if err != nil || got != c.want || done != c.want {
			t.Errorf("%s: %d runs and %d done (%v), want %d", c.name, got, done, err, c.want)
		}
	}
}

// TestFirstRuns: a simulation that ends early has the figures of one that was asked for so few
// runs.
func TestFirstRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("a million flows, not with -short")
	}
	g := parse(t, "rlft(36,2)")
	n := network(t, g, dModK(t, g, 18))
	few := simulate(t, n, "bisect", Options{Runs: 20_000, Shuffle: true, Seed: 7, Narrow: 0.01, Workers: 2})
	if !few.Enough || few.Runs != 3200 {
		t.Fatalf("%d runs, enough %v: want 3200, the first number with a million flows", few.Runs, few.Enough)
	}
	asked := simulate(t, n, "bisect", Options{Runs: few.Runs, Shuffle: true, Seed: 7, Workers: 1})
	few.Enough = false
	if !reflect.DeepEqual(few, asked) {
		t.Errorf("%+v\nwant\n%+v", few, asked)
	}
}
