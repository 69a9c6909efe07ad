package lpsolver

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/fabric/gen"
	"weft/internal/peer"
	"weft/route"
	"weft/route/names"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
	"weft/route/paths"
)

// queens joins the squares of a board where queens attack each other: five rows need
// five colours.
func queens(n int) *colouring.Graph {
	g := colouring.NewGraph(n * n)
	for a := range n * n {
		for b := range a {
			if r, c := a/n-b/n, a%n-b%n; r == 0 || c == 0 || r == c || r == -c {
				g.AddEdge(a, b)
			}
		}
	}
	return g
}

// routingOf returns paths to one destination that need as many LIDs as a graph needs colours:
// those of neighbours part at a node of their own.
func routingOf(g *colouring.Graph) *names.Routing {
	r := &names.Routing{}
	for u := range g.Len() {
		var hops []names.Hop
		for v := range g.Len() {
			if g.HasEdge(u, v) {
				hops = append(hops, names.Hop{Node: int32(min(u, v)*g.Len() + max(u, v)), Out: int32(u)})
			}
		}
		r.Add(hops...)
	}
	return r
}

// installed returns a solver of this machine. Debian 12 has no package of highs.
func installed(t *testing.T, known *ilp.Solver) *ilp.Solver {
	t.Helper()
	if known.Program != "highs" {
		peer.Program(t, known.Program)
	}
	s, err := Find(known.Program)
	if err != nil {
		t.Skip(err)
	}
	return s
}

// TestInstalled: every installed solver proves what exact proves, and reads both answers.
func TestInstalled(t *testing.T) {
	scheme, err := names.ByName("ilp")
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range ilp.Solvers() {
		t.Run(known.Program, func(t *testing.T) {
			s := installed(t, known)
			session := &Session{Solver: s, Limit: time.Minute, Until: time.Now().Add(time.Hour)}
			_, b, err := scheme.Solve(t.Context(), routingOf(queens(5)), names.Options{Goal: names.Colours, Solve: session.Solve})
			if err != nil || b != (names.Bounds{Lower: 5, Upper: 5}) || session.Unanswered.Load() != 0 {
				t.Errorf("five queens: %v %v, %d programmes without an answer", b, err, session.Unanswered.Load())
			}
			if a, _, err := Run(t.Context(), s, ilp.Programme{Graph: queens(5), K: 4}, time.Minute); a != colouring.No || err != nil {
				t.Errorf("five queens with 4 colours: %v %v", a, err)
			}
		})
	}
}

// script writes a shell script that is called highs.
func script(t *testing.T, lines string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "highs")
	syscall.ForkLock.RLock() // a process that another test starts now would hold the file open for writing, and it could not be run
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// solution is the file that highs writes its solution to.
const solution = `while [ "$1" != --solution_file ]; do shift; done; `

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		answer      colouring.Answer
		fault       string
	}{
		{"yes", solution + `printf 'Model status\nOptimal\nx_0_0 1\n' > "$2"`, colouring.Yes, ""},
		{"no, and a status", solution + `printf 'Model status\nInfeasible\n' > "$2"; exit 7`, colouring.No, ""},
		{"early", "echo no licence", colouring.Unknown, "ended before its time, and said: no licence"},
		{"late", "exec sleep 60", colouring.Unknown, ""},
		{"nonsense", solution + `printf 'Model status\nOptimal\nx_9_9 1\n' > "$2"`, colouring.Unknown, "is not a variable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Find(script(t, c.lines))
			if err != nil {
				t.Fatal(err)
			}
			answer, ones, err := Run(t.Context(), s, ilp.Programme{Graph: colouring.NewGraph(1), K: 1}, time.Second)
			if answer != c.answer || (answer == colouring.Yes) != (len(ones) == 1) {
				t.Errorf("%v %v, want %v", answer, ones, c.answer)
			}
			if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v, want %q", err, c.fault)
			}
		})
	}
}

func TestFind(t *testing.T) {
	var missing *NotInstalled
	if s, err := Find("./none/cbc"); !errors.As(err, &missing) || s.Program != "./none/cbc" || !strings.Contains(err.Error(), "coinor-cbc") {
		t.Errorf("%v %v", s, err)
	}
	if _, err := Find("nosuch"); err == nil || !strings.Contains(err.Error(), "highs, cbc, glpsol, lp_solve") {
		t.Error(err)
	}
}

// TestSession: what is written is not solved; without time left nothing is started.
func TestSession(t *testing.T) {
	p := ilp.Programme{Graph: colouring.NewGraph(1), K: 1, To: "0x1-1"}
	writes := &Session{Solver: ilp.Solvers()[3], Dir: t.TempDir(), Limit: time.Hour, Until: time.Now().Add(time.Hour)}
	if answer, _, err := writes.Solve(t.Context(), p); answer != colouring.Unknown || err != nil {
		t.Error(answer, err)
	}
	text, err := os.ReadFile(filepath.Join(writes.Dir, "0x1-1-1.lp"))
	if err != nil || string(text) != string(p.Text(ilp.LPSolve)) {
		t.Errorf("%q %v", text, err)
	}
	late := &Session{Solver: &ilp.Solver{Program: "/nowhere/at/all"}, Limit: time.Hour, Until: time.Now().Add(900 * time.Millisecond)}
	if answer, _, err := late.Solve(t.Context(), p); answer != colouring.Unknown || err != nil || late.Asked.Load() != 1 || late.Unanswered.Load() != 1 {
		t.Error(answer, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Run(ctx, &ilp.Solver{Program: "sh", Args: func(string, string, int) []string { return nil }}, p, time.Second); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLinear: every installed solver balances the paths of smart at least as well as our
// approximation, but for the rounding to whole paths, and no better than the bound of its dual.
func TestLinear(t *testing.T) {
	f, err := gen.Parse("regular(switches=16,degree=4,hosts=4,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	smart, err := paths.Find("smart")
	if err != nil {
		t.Fatal(err)
	}
	in := &paths.Input{Graph: f.Compile(), Seed: 1, Workers: 1, Root: -1}
	ours, err := smart.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range ilp.Solvers() {
		t.Run(known.Program, func(t *testing.T) {
			s := installed(t, known)
			session := &Session{Solver: s, Limit: time.Minute, Until: time.Now().Add(time.Hour)}
			solved := *in
			solved.Options = route.Options{"balance": paths.ByProgramme}
			least := 0.0
			solved.SolveLinear = func(ctx context.Context, p *ilp.Linear) ([]float64, error) {
				values, err := session.SolveLinear(ctx, p)
				if err == nil {
					least = values[0] / float64(in.Graph.NumHosts-1)
				}
				return values, err
			}
			set, err := smart.Compute(t.Context(), &solved)
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Validate(); err != nil || set.NumPaths() != ours.NumPaths() {
				t.Errorf("%d paths, %v", set.NumPaths(), err)
			}
			if load := set.MaxLoad(); least > ours.MaxLoad()+1e-6 || load < least-1e-6 || load > 1.1*ours.MaxLoad() {
				t.Errorf("load %.3f, of the programme %.3f, by weights %.3f", load, least, ours.MaxLoad())
			}
			t.Logf("load %.3f, of the programme %.3f, by weights %.3f", set.MaxLoad(), least, ours.MaxLoad())
		})
	}
}
