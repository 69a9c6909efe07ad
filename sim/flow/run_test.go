package flow

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/traffic"
)

func TestNewRefusesAForeignPlan(t *testing.T) {
	g := parse(t, "rlft(8,3)")
	plan := dModK(t, g, 4)
	other := parse(t, "rlft(8,2)")
	if _, err := New(context.Background(), other, plan, 1); err == nil || !strings.Contains(err.Error(), "80 switches") {
		t.Errorf("a plan for another fabric: %v", err)
	}
	plan.Choice = route.NewChoice(g.NumEnds, []route.ChoiceRow{{Source: 0, Target: 1, Offset: 1}})
	if _, err := New(context.Background(), g, plan, 1); err == nil || !strings.Contains(err.Error(), "LID 1 of end port 1") {
		t.Errorf("a choice of a LID that nobody has: %v", err)
	}
	plan.Choice = route.Choice{By: route.ListedLIDs, Start: []int32{0}}
	if _, err := New(context.Background(), g, plan, 1); err == nil || !strings.Contains(err.Error(), "0 sources") {
		t.Errorf("a choice for another fabric: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	g := parse(t, "rlft(8,3)")
	n := network(t, g, dModK(t, g, 4))
	run := func(ctx context.Context, pattern string, ranks, runs int) error {
		p, err := traffic.Parse(pattern, ranks)
		if err != nil {
			t.Fatal(err)
		}
		_, err = n.Run(ctx, p, Options{Runs: runs, Shuffle: true})
		return err
	}
	if err := run(context.Background(), "shift", 128, maxPieces); err == nil || !strings.Contains(err.Error(), "of 127 rounds are too many to hold") {
		t.Errorf("too many rounds: %v", err)
	}
	if err := run(context.Background(), "bisect", 129, 1); err == nil || !strings.Contains(err.Error(), "there are 128 hosts") {
		t.Errorf("too many ranks: %v", err)
	}
	if err := run(context.Background(), "bisect", 128, 0); err == nil {
		t.Error("no runs were not refused")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, "bisect", 128, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Hosts whose GUIDs are in another order than their switches: on a line of two
// switches, shifts by one in leaf order cross twice, in order of GUIDs with every flow.
func TestByLeaf(t *testing.T) {
	f := fabric.New("two")
	id := func(kind fabric.NodeType, guid fabric.GUID, ports int) fabric.NodeID {
		id, err := f.AddNode(kind, guid, ports, guid.String())
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	join := func(a fabric.NodeID, ap uint8, b fabric.NodeID, bp uint8) {
		if _, err := f.Connect(fabric.End{Node: a, Port: ap}, fabric.End{Node: b, Port: bp}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	s, u := id(fabric.Switch, 1, 5), id(fabric.Switch, 2, 5)
	join(s, 1, u, 1)
	for h := range 4 {
		join(id(fabric.CA, fabric.GUID(10+h), 1), 1, []fabric.NodeID{s, u}[h%2], uint8(5-h))
	}
	g := f.Compile()
	plan := &route.Plan{Ends: route.Ends{Base: []fabric.LID{1, 2, 3, 4, 5, 6}, LMC: make([]uint8, 6)}, Tables: route.NewTables(2, 6)}
	for h := range int32(4) {
		plan.Tables.Set(g.EndSwitch[h], plan.Ends.Base[h], g.EndPort[h])
		plan.Tables.Set(1-g.EndSwitch[h], plan.Ends.Base[h], 1)
	}
	n := network(t, g, plan)
	if got := n.ByLeaf(); !slices.Equal(got, []int32{2, 0, 3, 1}) {
		t.Errorf("by leaf: %v", got)
	}
	for _, c := range []struct {
		hosts []int32
		worst float64
	}{{nil, 2}, {n.ByLeaf(), 1}} {
		if r := simulate(t, n, "shift:1", Options{Hosts: c.hosts, Runs: 1}); r.MaxCongestion.Max != c.worst {
			t.Errorf("hosts %v: congestion %g, want %g", c.hosts, r.MaxCongestion.Max, c.worst)
		}
	}
}

// One way round: three flows into one host share its link in thirds; a fourth from
// elsewhere to another host has a link of its own.
func TestMaxMinByHand(t *testing.T) {
	g := parse(t, "rlft(8,1)") // one switch
	plan := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	plan.Tables = route.NewTables(g.NumSwitches, 64)
	for h := range int32(g.NumHosts) {
		plan.Ends.Base[h] = fabric.LID(h + 1)
		plan.Tables.Set(0, plan.Ends.Base[h], g.EndPort[h])
	}
	n := network(t, g, plan)
	rates, capacity := n.rates(false)
	if rates != (Rates{Gbps: 100}) {
		t.Errorf("rates %v", rates)
	}
	c, f := newCounter(n, nil), newFiller(capacity)
	// Host 1 sends to 0 and to 4; 2 and 3 send to 0: thirds at host 0, so host 1
	// has two thirds left for host 4.
	c.place([]int32{1, 2, 3, 1}, []int32{0, 0, 0, 4})
	f.shares(&flowSet{path: c.path, end: c.end})
	for i, want := range []float64{1. / 3, 1. / 3, 1. / 3, 2. / 3} {
		if math.Abs(f.rate[i]-want) > 1e-12 {
			t.Errorf("flow %d gets %g, want %g", i, f.rate[i], want)
		}
	}
}

func TestSummarise(t *testing.T) {
	if s := Summarise(nil); s != (Summary{}) {
		t.Errorf("nothing: %v", s)
	}
	if s := Summarise([]float64{3}); s != (Summary{Mean: 3, Min: 3, Max: 3, Median: 3}) {
		t.Errorf("one: %v", s)
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 30).Draw(rt, "sample")
		s := Summarise(v)
		mean, dev := stat.MeanStdDev(v, nil)
		if math.Abs(s.Mean-mean) > 1e-9 || math.Abs(s.StdDev-dev) > 1e-9 || math.Abs(s.CI95-1.96*dev/math.Sqrt(float64(len(v)))) > 1e-3 {
			rt.Fatalf("%v, want mean %g and deviation %g", s, mean, dev)
		}
		below, above := 0, 0
		for _, x := range v {
			if x < s.Median {
				below++
			}
			if x > s.Median {
				above++
			}
			if x < s.Min || x > s.Max {
				rt.Fatalf("%g is outside %g to %g", x, s.Min, s.Max)
			}
		}
		if below > len(v)/2 || above > len(v)/2 {
			rt.Fatalf("median %g has %d below and %d above", s.Median, below, above)
		}
	})
}
