package relief

import (
	"context"
	"reflect"
	"testing"

	"weft/fabric/source"
	"weft/route/engine"
	"weft/route/recipe"
)

// TestJobCounts: what is counted after paths have moved is what a fresh count of the new Plan
// gives.
func TestJobCounts(t *testing.T) {
	for formula, name := range map[string]string{
		"rlft(6,2)": "ftree", "rlft(8,2)|without(roots=2)": "ftree", "torus(4x3,hosts=2)|fail(links=2,seed=1)": "dfsssp", "kautz(2,3,hosts=19)": "nue",
	} {
		src, err := source.Generate(formula)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := engine.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		g := src.Fabric.Compile()
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		jobs := &Jobs{Hosts: [][]int32{{0, 3, 5, 6, 9, 12}, {1, 2, 4, 8}, {7, 10, 11, 13, 14, 0}}}
		r, err := newByJob(context.Background(), g, plan, jobs)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		fresh, err := newByJob(context.Background(), g, r.plan, jobs)
		if err != nil {
			t.Fatal(err)
		}
		for j := range r.jobs {
			if !reflect.DeepEqual(r.jobs[j].pairs, fresh.jobs[j].pairs) {
				t.Errorf("%s: pairs of job %d: %v, want %v", formula, j, r.jobs[j].pairs, fresh.jobs[j].pairs)
			}
		}
		if !reflect.DeepEqual(r.load, fresh.load) || !reflect.DeepEqual(r.users, fresh.users) || r.unused != fresh.unused || !reflect.DeepEqual(r.leaving, fresh.leaving) {
			t.Errorf("%s: loads %v, want %v; %d unused, want %d", formula, r.load, fresh.load, r.unused, fresh.unused)
		}
		if r.countMoved() == 0 {
			t.Errorf("%s: nothing moved", formula)
		}
	}
}

// TestJobsOnOneSwitch: jobs whose hosts share a switch take no counters, however many there are.
func TestJobsOnOneSwitch(t *testing.T) {
	src, err := source.Generate("rlft(36,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := src.Fabric.Compile()
	spec, err := engine.Find("ftree")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	jobs := &Jobs{Hosts: [][]int32{{0, 18, 36, 54}}}
	for len(jobs.Hosts)*g.NumChannels <= mostJobCells {
		jobs.Hosts = append(jobs.Hosts, []int32{0, 1})
	}
	r, err := newByJob(context.Background(), g, plan, jobs)
	if err != nil || len(r.jobs) != len(jobs.Hosts) || len(r.targets) != 5 {
		t.Errorf("%d jobs: %v", len(jobs.Hosts), err)
	}
}
