package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine"
	"weft/route/joblanes"
	"weft/route/relief"
)

// TestJobLanes: a Plan in which all VLs are copies for jobs gets trees for multicast groups all the
// same, and keeps the copies and the SLs of jobs when it is repaired.
func TestJobLanes(t *testing.T) {
	f, err := gen.Parse("rlft(6,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := [][]int32{{0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8, 11}}
	made, err := Run(t.Context(), g, &Request{Chain: chain, Workers: 1, Multicast: true, Jobs: jobs, JobLanes: &joblanes.Request{Hosts: jobs}})
	if err != nil {
		t.Fatal(err)
	}
	if !made.Report.OK || made.NoMulticast != nil || made.JobLanes.Copies != 8 || made.Plan.VLs != 8 {
		t.Fatalf("proven %v, multicast %v, %+v", made.Report.OK, made.NoMulticast, made.JobLanes)
	}
	dropped := false
	now := f.Without(nil, func(l fabric.LinkID) bool {
		a, b := f.Links[l].A.Node, f.Links[l].B.Node
		between := f.Nodes[a].Type == fabric.Switch && f.Nodes[b].Type == fabric.Switch
		drop := between && !dropped
		dropped = dropped || drop
		return drop
	}).Compile()
	req := &Request{Chain: chain, Workers: 1, Multicast: true, Kept: Keep(made.Plan, g)}
	if err := req.Kept.Hold(now, req); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), now, req)
	if err != nil {
		t.Fatal(err)
	}
	if r.Repaired == nil || !r.Report.OK || r.NoMulticast != nil || !slices.Equal(r.Plan.JobLanes, made.Plan.JobLanes) {
		t.Fatalf("repaired %v, proven %v, multicast %v, copies %v", r.NotRepaired, r.Report.OK, r.NoMulticast, r.Plan.JobLanes)
	}
	for src := range int32(g.NumHosts) {
		for _, lid := range made.Plan.Ends.Base {
			if got, want := r.Plan.SL.At(src, lid), made.Plan.SL.At(src, lid); got != want {
				t.Fatalf("SL %d from %d to LID %d, before %d", got, src, lid, want)
			}
		}
	}
}

// TestUnprovenMoves: the reason names the fault, also where the report counts none.
func TestUnprovenMoves(t *testing.T) {
	loop := check.Finding{Kind: check.Loop, Count: 2, Examples: []route.Remark{{Text: "here"}}}
	noLID := check.Finding{Kind: check.NoLID, Count: 1}
	for want, r := range map[string]check.Report{
		"2 entries on loops, such as here": {Faults: []check.Finding{loop}, Warnings: []check.Finding{noLID}},
		"1 port without a LID":             {Warnings: []check.Finding{{Kind: check.StaleEntry}, noLID}, Deadlock: check.Deadlock{DeadlockFree: check.Yes}},
		"a cycle of 3 channels":            {Deadlock: check.Deadlock{DeadlockFree: check.No, Cycle: make([]check.Hold, 3)}},
		"can deadlock is unknown":          {},
		"multicast groups could de":        {Deadlock: check.Deadlock{DeadlockFree: check.Yes}},
	} {
		if got := unprovenMoves(&quality.Report{Report: r}).Error(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMovesBesideTrees: cables fail and return, and repaired paths stay detours. Entries move for
// jobs and to less loaded links all the same: their packets close no cycle with those of multicast
// trees, which stay.
func TestMovesBesideTrees(t *testing.T) {
	moved, spread := 0, 0
	for seed := range 10 {
		whole, req := graph(t, "rlft(6,2)"), &Request{Chain: chain(t, "ftree"), Multicast: true, Workers: 1}
		run := func(g *fabric.Graph) *Result {
			if req.Kept != nil {
				if err := req.Kept.Hold(g, req); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(t.Context(), g, req)
			if err != nil || !r.Report.OK || r.Plan.Multicast == nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			req.Kept = Keep(r.Plan, g)
			return r
		}
		run(whole)
		run(graph(t, fmt.Sprintf("rlft(6,2)|fail(links=10,seed=%d)", seed)))
		run(whole)
		r, err := req.Kept.MoveForJobs(t.Context(), &relief.Jobs{Hosts: [][]int32{{0, 5, 10, 15}, {1, 4, 8, 13}, {2, 6, 11}, {3, 9, 14}}}, 1)
		switch {
		case err != nil:
			t.Fatal(err)
		case r.NotForJobs == nil:
			moved += r.ForJobs.Entries
		case strings.Contains(r.NotForJobs.Error(), "multicast"):
			t.Errorf("seed %d: %v", seed, r.NotForJobs)
		}
		req.Moves = 1000
		if r = run(whole); r.NotSpread != nil {
			t.Errorf("seed %d: %v", seed, r.NotSpread)
		} else if r.Spread != nil {
			spread += r.Spread.Moved
		}
	}
	if moved == 0 || spread == 0 {
		t.Errorf("%d and %d entries moved", moved, spread)
	}
}
