package packets

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	simbetween "weft/sim/between"
	"weft/sim/packet"
	"weft/study/several"
)

// A router fails while packets pass: fewer are lost where the ways around it are told early, most
// where the manager of a subnet is lost too, and none are lost where nothing fails. The same seed
// loses the same packets.
func TestChangesBetween(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,rlft(6,2),routers=4)")
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	req := &between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: planner.Request{Chain: chain}}
	_, r, err := several.Route(context.Background(), n, req, false)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Plan
	flat, err := simbetween.Flatten(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(changes string) int64 {
		r := &Request{Hardware: packet.Default()}
		r.Pattern, r.Order, r.Seeds, r.Seed, r.Loads = Uniform, "auto", 1, 1, []float64{.3}
		r.Duration, r.Warmup, r.Steps = 150*time.Microsecond, 10*time.Microsecond, 10
		r.HotSpots.Share = .05
		r.Between = &Between{Plan: p, Flat: flat, Request: req}
		r.Changes = Changes{File: "changes", Text: []byte(changes)}
		out, err := Simulate(context.Background(), flat.Graph, &planner.Result{Plan: flat.Plan}, r)
		if err != nil {
			t.Fatal(err)
		}
		if out.Deadlocked() {
			t.Fatal("a deadlock")
		}
		return out.Rows[0].Lost
	}
	down := "20us down router 1\n"
	early, late, alone := lost(down+"30us repair"), lost(down+"60us repair"), lost(down+"20us lost s0\n30us repair\n100us back s0")
	t.Logf("lost: %d with a repair after 10 us, %d after 40 us, %d where a subnet has no manager for 80 us", early, late, alone)
	if none := lost("20us repair\n30us lost s1"); none != 0 || early == 0 || late <= early || alone <= early {
		t.Errorf("lost: %d, %d, %d, %d", none, early, late, alone)
	}
	if again := lost(down + "30us repair"); again != early {
		t.Errorf("%d, then %d", early, again)
	}
}

// New ways that close a cycle, or lose pairs that have a way, do not go out: here on one layer of
// lanes for two trees that are joined at their leaves.
func TestWaysAroundAreJudged(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,rlft(4,2),routers=4,on=leaves)")
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	req := &between.Request{Request: intersubnet.Request{Method: intersubnet.Nearest}, Local: planner.Request{Chain: chain}}
	layered, one, err := between.Route(t.Context(), n, req)
	if err != nil || layered == nil {
		t.Fatal(layered, err)
	}
	b, down := &Between{Plan: one.Plan, Request: req}, map[int32]bool{0: true}
	proven := &betweencheck.Report{Deadlock: betweencheck.Deadlock{DeadlockFree: true}}
	if _, err := b.around(t.Context(), down, proven); err == nil || !strings.Contains(err.Error(), "close a cycle of") {
		t.Errorf("one layer: %v", err)
	}
	b.Plan = layered.Plan
	if _, err := b.around(t.Context(), down, proven); err != nil {
		t.Errorf("two layers: %v", err)
	}
	proven.Unreachable = -1
	if _, err := b.around(t.Context(), down, proven); err == nil || !strings.Contains(err.Error(), "are not proven") {
		t.Errorf("more pairs are lost than before: %v", err)
	}
}

// TestFarShare: the share of messages that cross routers is the one asked for.
func TestFarShare(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,rlft(6,2),routers=4)")
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	req := &between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: planner.Request{Chain: chain}}
	_, routed, err := several.Route(t.Context(), n, req, false)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := simbetween.Flatten(routed.Plan, 0)
	if err != nil {
		t.Fatal(err)
	}
	subnet := map[fabric.PortName]int32{}
	for s := range int32(len(n.Subnets)) {
		for _, h := range flat.Hosts(s) {
			subnet[flat.Graph.EndName(h)] = s
		}
	}
	for _, share := range []float64{0, .3, 1} {
		r := usualRequest()
		r.Loads, r.CountFlows, r.FarShare, r.Duration = []float64{.05}, true, &share, 300*time.Microsecond
		r.Between = &Between{Plan: routed.Plan, Flat: flat, Request: req}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		out, err := Simulate(t.Context(), flat.Graph, &planner.Result{Plan: flat.Plan}, r)
		if err != nil {
			t.Fatal(err)
		}
		far, all := 0., 0.
		for _, f := range out.Flows {
			if all += float64(f.Packets); subnet[f.From] != subnet[f.To] {
				far += float64(f.Packets)
			}
		}
		if got := far / all; all < 500 || math.Abs(got-share) > .07 || (share == 0 || share == 1) && got != share {
			t.Errorf("%g: %.3f of %.0f packets go to other subnets", share, got, all)
		}
	}
}
