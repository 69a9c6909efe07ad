package demo

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/layout"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/sm/terms"
)

var update = flag.Bool("update", false, "write testdata/demo.txt anew")

// newConfig returns a Config that prints to a buffer.
func newConfig(workers int) (*Config, *bytes.Buffer) {
	begun, out := time.Now(), new(bytes.Buffer)
	return &Config{
		Workers: workers, Out: out,
		Clock: func() time.Duration { return time.Since(begun) },
		Step:  func(_ string, work func(context.Context) error) error { return work(context.Background()) },
	}, out
}

// measuredTimes matches the beginnings of the lines with a measured time.
var measuredTimes = regexp.MustCompile(`(?m)^(     [a-z0-9 -]+?) +[0-9.]+ ms  `)

// TestText: the text is the same on any number of cores but for its times, and is two screens.
func TestText(t *testing.T) {
	golden := filepath.Join("testdata", "demo.txt")
	for workers := 1; workers <= 2; workers++ {
		c, out := newConfig(workers)
		if _, err := Run(c); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > 60 {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range lines {
			if len(line) > fold.Columns || strings.HasSuffix(line, " ") || strings.Contains(line, "%!") {
				t.Errorf("%q", line)
			}
		}
		if n := len(measuredTimes.FindAllString(text, -1)); n != 3 {
			t.Errorf("%d measured times", n)
		}
		masked := measuredTimes.ReplaceAllString(text, "$1 TIME  ")
		if *update {
			if err := os.WriteFile(golden, []byte(masked), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if masked != string(want) {
			t.Errorf("%d cores: not that of %s (-update writes it anew):\n%s", workers, golden, masked)
		}
	}
}

// TestClaims: what the text says in fixed words is so.
func TestClaims(t *testing.T) {
	c, _ := newConfig(2)
	c.Out = nil
	var titles []string
	c.Draw = func(name string, p *layout.Picture) (string, error) {
		titles = append(titles, p.Title)
		return name + ".svg", p.WriteSVG(new(bytes.Buffer))
	}
	d, err := Run(c)
	if err != nil {
		t.Fatal(err)
	}
	cluster, torus := d.Fabrics[0], d.Fabrics[1]
	had, best := cluster.Engines[0], cluster.Engines[1]
	slow := cluster.Odd.Cables[0].Ports
	if want := []fabric.PortName{slow[1], slow[0], slow[0], slow[1]}; len(cluster.Odd.Cables) != 1 || had.Figures.DarkChannels != 0 || !slices.Equal(unused(best.Check), want) {
		t.Errorf("paths cross the slow cable %v: unused are %v", slow, unused(best.Check))
	}
	for _, e := range cluster.Engines {
		if !e.Check.OK {
			t.Errorf("%s is not proven", e.Engine)
		}
	}
	minhop, dor := torus.Engines[0], torus.Engines[1]
	if minhop.Check.DeadlockFree != check.No || !minhop.Check.Assigned.Shortest || torus.Traffic[0].Rows[0].Deadlock == nil {
		t.Error("minhop does not deadlock")
	}
	if !dor.Check.OK || torus.Traffic[1].Rows[0].Deadlock != nil || torus.Traffic[1].Rows[0].Lost > 0 {
		t.Error("dor deadlocks or loses packets")
	}
	if len(titles) != 2 || !slices.Equal(d.Pictures, []string{"opensm.svg", "weft.svg"}) || !strings.Contains(picturesText(d.Pictures), "weft.svg") {
		t.Errorf("pictures %q in %q", titles, d.Pictures)
	}
}

// unused returns the ports of the channels that no pair of hosts uses, those of a channel after the
// other.
func unused(r *quality.Report) (ports []fabric.PortName) {
	if w := r.Find(quality.DarkChannel); w != nil {
		for _, channel := range w.Examples {
			ports = append(ports, channel.Ports...)
		}
	}
	return ports
}

// TestRepair: the manager learns of the pulled cable by a trap, and mends it with a proof and
// without moving a LID.
func TestRepair(t *testing.T) {
	c, _ := newConfig(1)
	watch := terms.UsualWatch
	watch.Interval = time.Hour // so that no sweep comes before the trap
	for _, formula := range []string{"rlft(8,2)", "torus(3x3,hosts=1)"} {
		r, err := repair(t.Context(), formula, watch, c.routing(), c.Clock)
		if err != nil {
			t.Fatal(err)
		}
		if r.Trap <= 0 || r.Trap > r.Repaired || r.LIDs != 0 || r.Moved == 0 || r.Moved >= r.Entries {
			t.Errorf("%s: %+v", formula, r)
		}
		if !r.Cold.Check.OK || !r.Repair.Check.OK || r.Repair.Links != r.Cold.Links-1 || r.Repair.Blocks == 0 {
			t.Errorf("%s: %+v, then %+v", formula, r.Cold, r.Repair)
		}
	}
}

// TestEnds: what fails, or is ended, ends the demo with the error.
func TestEnds(t *testing.T) {
	c, _ := newConfig(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := repair(ctx, "rlft(8,2)", terms.UsualWatch, c.routing(), c.Clock); !errors.Is(err, context.Canceled) {
		t.Errorf("the manager: %v", err)
	}
	full := errors.New("the disk is full")
	c.Draw = func(string, *layout.Picture) (string, error) { return "", full }
	if _, err := Run(c); !errors.Is(err, full) {
		t.Errorf("the picture: %v", err)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 37908: "37,908", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
