package planner

import (
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
