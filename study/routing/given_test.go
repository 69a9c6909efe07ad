package routing

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/pathfile"
	"weft/route/planfile"
)

func graph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

func chain(t *testing.T, list string, options ...string) route.Chain {
	t.Helper()
	c, err := engine.Parse(list, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// proven routes a fabric by a chain, and has the Plan judged.
func proven(t *testing.T, g *fabric.Graph, c route.Chain) *planner.Result {
	t.Helper()
	r, err := planner.Run(t.Context(), g, &planner.Request{Chain: c, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// given is the chain of paths from a file with greedy; beside it may lie others.
func given(t *testing.T, file *PathFile, files map[string]string, options ...string) route.Chain {
	t.Helper()
	c := chain(t, FromFile+"+greedy", options...)
	open := func(path string) (io.ReadCloser, error) {
		data, ok := files[path]
		if !ok {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(data)), nil
	}
	if err := ReadPaths(c, file, open, func([]string) {}); err != nil {
		t.Fatal(err)
	}
	return c
}

// written is what a function writes.
func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// table is the table of paths of a Plan.
func table(t *testing.T, g *fabric.Graph, plan *route.Plan) string {
	return written(t, func(w io.Writer) error { return writePaths(w, g, plan) })
}

// TestPlanLikeTable: a Plan is read as one, with its lanes, also where its bytes look like a table
// of paths.
func TestPlanLikeTable(t *testing.T) {
	alike := 0
	for _, formula := range []string{"torus(4x4,hosts=1)", "torus(5x5,hosts=1)", "torus(3x3x3,hosts=1)"} {
		g := graph(t, formula)
		for _, engine := range []string{"lash", "dfsssp", "dfsssp-online"} {
			plan := proven(t, g, chain(t, engine)).Plan
			file := written(t, func(w io.Writer) error { return planfile.Save(w, g, plan) })
			if isPathTable([]byte(file)) {
				alike++
			}
			r := proven(t, g, given(t, &PathFile{Path: "p"}, map[string]string{"p": file}))
			if !r.Report.OK || r.Plan.VLs != plan.VLs {
				t.Errorf("%s on %s: proven %v on %d lanes, want %d", engine, formula, r.Report.OK, r.Plan.VLs, plan.VLs)
			}
		}
	}
	if alike == 0 {
		t.Error("no Plan looks like a table")
	}
}

// TestGaps: a file without paths for some pairs is refused, or they are filled and counted, and do
// not become paths of it.
func TestGaps(t *testing.T) {
	g := graph(t, "irregular(switches=8,degree=4,hosts=12,seed=1)")
	whole := table(t, g, proven(t, g, chain(t, "updn-shortest+greedy")).Plan)
	lines := strings.SplitAfter(whole, "\n")
	files := map[string]string{"whole": whole, "part": strings.Join(lines[:51], "")} // a note and 50 paths
	if r := proven(t, g, given(t, &PathFile{Path: "whole"}, files)); len(r.Plan.Notes) != 0 || !r.Report.OK {
		t.Errorf("a whole table: %v, proven %v", r.Plan.Notes, r.Report.OK)
	}
	_, err := planner.Route(t.Context(), g, &planner.Request{Chain: given(t, &PathFile{Path: "part"}, files)})
	if _, ok := errors.AsType[*route.Refusal](err); !ok || !strings.Contains(err.Error(), "82 of 132 pairs of hosts have no path in the file, the first is from ") {
		t.Errorf("gaps: %v", err)
	}
	r := proven(t, g, given(t, &PathFile{Path: "part"}, files, "gaps=fill"))
	if !strings.HasPrefix(strings.Join(r.Plan.Notes, ""), "82 of 132 pairs of hosts have no path in the file") || !r.Report.OK || r.Report.IntendedPaths != 50 {
		t.Errorf("filled gaps: %v, %d paths intended", r.Plan.Notes, r.Report.IntendedPaths)
	}
	if again := table(t, g, r.Plan); again != files["part"] {
		t.Errorf("filled gaps were written as paths:\n%s", again)
	}
	split := 0 // hosts to which there are paths
	err = WriteSplits(t.Context(), g, r.Plan, func(_ string, data []byte) error {
		if !strings.HasPrefix(string(data), "p edge 0 ") {
			split++
		}
		return nil
	})
	if err != nil || split != 5 {
		t.Errorf("paths to %d hosts in split graphs, want 5; %v", split, err)
	}
}

// TestOrderKept: a table keeps the order of paths, on which greedy depends.
func TestOrderKept(t *testing.T) {
	g := graph(t, "irregular(switches=16,degree=8,hosts=64,seed=3)")
	plan := proven(t, g, chain(t, "path-selection+greedy")).Plan
	file := table(t, g, plan)
	again := proven(t, g, given(t, &PathFile{Path: "p"}, map[string]string{"p": file})).Plan
	if again.Used != plan.Used || table(t, g, again) != file {
		t.Errorf("%+v LIDs in use, read back %+v", plan.Used, again.Used)
	}
	g = graph(t, "torus(4x4,hosts=1)|fail(links=2,seed=1)")
	last, first := proven(t, g, chain(t, "dor+greedy")).Plan, proven(t, g, chain(t, "dor+greedy", "repaired=first")).Plan
	if table(t, g, last) == table(t, g, first) {
		t.Error("paths that come first and last are written alike")
	}
}

// TestLanesLost: it is said where lanes are left out, and where paths without lanes have a cycle.
func TestLanesLost(t *testing.T) {
	g := graph(t, "torus(5x5,hosts=1)")
	plan := proven(t, g, chain(t, "dfsssp", "paths=sssp")).Plan
	file := table(t, g, plan)
	if warnings := (&Outputs{PathTable: "p"}).Warnings(plan); plan.VLs < 2 || len(warnings) != 1 || !strings.HasPrefix(file, "# on ") {
		t.Errorf("%d lanes, warnings %v, table %.30q", plan.VLs, warnings, file)
	}
	if warnings := (&Outputs{Plan: "p"}).Warnings(plan); len(warnings) != 0 {
		t.Errorf("a Plan keeps lanes: %v", warnings)
	}
	r := proven(t, g, given(t, &PathFile{Path: "p"}, map[string]string{"p": file}))
	if r.Report.OK || !strings.Contains(strings.Join(r.Plan.Notes, ""), "the file holds no lanes") {
		t.Errorf("proven %v, notes %v", r.Report.OK, r.Plan.Notes)
	}
}

// TestChoiceBesideTables: forwarding tables and an H table give the paths of which they are.
func TestChoiceBesideTables(t *testing.T) {
	g := graph(t, "irregular(switches=16,degree=8,hosts=64,seed=3)")
	plan := proven(t, g, chain(t, "path-selection+color-l")).Plan
	files := map[string]string{
		"r": written(t, func(w io.Writer) error {
			return (&Outputs{Dump: "r"}).Write(g, plan, func(_ string, write func(io.Writer) error) error { return write(w) })
		}),
		"h": written(t, func(w io.Writer) error { return pathfile.WriteChoice(w, g, plan) }),
		"p": table(t, g, plan),
	}
	paths := func(file *PathFile) int64 { return proven(t, g, given(t, file, files)).Report.IntendedPaths }
	hosts := int64(g.NumHosts * (g.NumHosts - 1))
	one := paths(&PathFile{Path: "r", Choice: "h"})
	if any := paths(&PathFile{Path: "r"}); any <= one || one < hosts {
		t.Errorf("%d paths by the H table, %d without it, of %d pairs", one, any, hosts)
	}
	if _, err := planner.Route(t.Context(), g, &planner.Request{Chain: given(t, &PathFile{Path: "p", Choice: "h"}, files)}); err == nil || !strings.Contains(err.Error(), "--choice goes with forwarding tables") {
		t.Errorf("an H table beside a table of paths: %v", err)
	}
}
