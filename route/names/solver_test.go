package names

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// run starts a solver as its user would.
func run(s *Solver, dir string, seconds int) Solve {
	return func(ctx context.Context, p Programme) (Answer, []int32, error) {
		model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
		if err := os.WriteFile(model, p.Text(s.Dialect), 0o600); err != nil {
			return Unknown, nil, err
		}
		_ = os.Remove(solution)
		// lp_solve's exit status tells whether there is a solution, not whether it failed.
		printed, err := exec.CommandContext(ctx, s.Program, s.Args(model, solution, seconds)...).CombinedOutput()
		var status *exec.ExitError
		if err != nil && !errors.As(err, &status) {
			return Unknown, nil, err
		}
		written, _ := os.ReadFile(solution)
		return s.Read(p, printed, written)
	}
}

// TestSolvers: every installed solver finds what exact finds.
func TestSolvers(t *testing.T) {
	for _, s := range Solvers() {
		t.Run(s.Program, func(t *testing.T) {
			if _, err := exec.LookPath(s.Program); err != nil {
				t.Skip("not installed")
			}
			for _, row := range []struct {
				name string
				r    *Routing
				want Bounds
			}{
				{"Fig. 5", fig5(t), Bounds{2, 2}},
				{"myciel3", Reduce(mycielski(3)), Bounds{4, 4}},
				{"queen5_5", Reduce(queens(5)), Bounds{5, 5}},
			} {
				colour, b, err := scheme(t, "ilp").Solve(context.Background(), row.r, Options{Goal: Colours, Solve: run(s, t.TempDir(), 60)})
				if _, _, found := row.r.FindSplit(colour); found || err != nil || b != row.want {
					t.Errorf("%s: %v %v", row.name, b, err)
				}
			}
			// A programme without a solution, so that both answers are read.
			a, _, err := run(s, t.TempDir(), 60)(context.Background(), Programme{Graph: queens(5), K: 4})
			if a != No || err != nil {
				t.Error("queen5_5 with 4 colours:", a, err)
			}
		})
	}
}

// TestTimeOver: a solver that is stopped proves nothing.
func TestTimeOver(t *testing.T) {
	s := Solvers()[3]
	if _, err := exec.LookPath(s.Program); err != nil {
		t.Skip(s.Program, "is not installed")
	}
	if testing.Short() {
		t.Skip("waits for a time limit")
	}
	a, _, err := run(s, t.TempDir(), 1)(context.Background(), Programme{Graph: queens(9), K: 9})
	if a != Unknown || err != nil {
		t.Error(a, err)
	}
}

func TestProgrammeText(t *testing.T) {
	g := NewGraph(2)
	g.AddEdge(0, 1)
	p := Programme{Graph: g, K: 2}
	want := `Minimize
 obj: 0 x_0_0
Subject To
 one_0: x_0_0 + x_0_1 = 1
 one_1: x_1_0 + x_1_1 = 1
 split_1_0_0: x_1_0 + x_0_0 <= 1
 split_1_0_1: x_1_1 + x_0_1 <= 1
Binary
 x_0_0
 x_0_1
 x_1_0
 x_1_1
End
`
	if got := string(p.Text(CPLEX)); got != want {
		t.Error(got)
	}
	want = `min: ;
 one_0: x_0_0 + x_0_1 = 1;
 one_1: x_1_0 + x_1_1 = 1;
 split_1_0_0: x_1_0 + x_0_0 <= 1;
 split_1_0_1: x_1_1 + x_0_1 <= 1;
bin x_0_0, x_0_1, x_1_0, x_1_1;
`
	if got := string(p.Text(LPSolve)); got != want {
		t.Error(got)
	}
}

// TestProgrammeFig5 counts what paper 000 writes out: 8 variables, 4 equations, 6
// inequalities.
func TestProgrammeFig5(t *testing.T) {
	text := string(Programme{Graph: must(SplitGraph(fig5(t)))(t), K: 2}.Text(CPLEX))
	for what, want := range map[string]int{" one_": 4, " split_": 6, "\n x_": 8} {
		if n := strings.Count(text, what); n != want {
			t.Errorf("%d of %q, want %d", n, what, want)
		}
	}
}

// answers are what each solver writes, two vertices and two colours.
var answers = []struct {
	program, printed, solution string
	a                          Answer
	ones                       []int32
	fault                      bool
}{
	{"highs", "", "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns 4\nx_0_0 1\nx_0_1 0\nx_1_0 0\nx_1_1 1\n# Rows 4\none_0 1\n", Yes, []int32{0, 3}, false},
	{"highs", "", "Model status\nInfeasible\n", No, nil, false},
	{"highs", "", "Model status\nTime limit reached\n", Unknown, nil, false},
	{"highs", "", "", Unknown, nil, false},
	{"cbc", "", "Optimal - objective value 0.00000000\n      0 x_0_1                  1                       0\n      3 x_1_0 1 0\n", Yes, []int32{1, 2}, false},
	{"cbc", "", "Infeasible - objective value 0.00000000\n", No, nil, false},
	{"cbc", "", "Integer infeasible - objective value 0\n", No, nil, false},
	{"cbc", "", "Stopped on time - objective value 0\n", Unknown, nil, false},
	{"cbc", "", "Optimal - objective value 0\n 0 x_0_7 1 0\n", Unknown, nil, true},
	{"cbc", "", "Optimal - objective value 0\n 0 x_0_1 0.5 0\n", Unknown, nil, true},
	{"glpsol", "", "c Problem:\ns mip 4 4 o 0\ni 1 1\nj 1 1\nj 2 0\nj 3 0\nj 4 1\ne o f\n", Yes, []int32{0, 3}, false},
	{"glpsol", "PROBLEM HAS NO PRIMAL FEASIBLE SOLUTION\n", "", No, nil, false},
	{"glpsol", "TIME LIMIT EXCEEDED; SEARCH TERMINATED\n", "s mip 4 4 u 0\n", Unknown, nil, false},
	{"glpsol", "", "s mip 4 4 o 0\nj 0 1\n", Unknown, nil, true},
	{"lp_solve", "\nValue of objective function: 0\n\nActual values of the variables:\nx_0_0                           1\nx_1_1   1\n\nActual values of the constraints:\none_0 1\n", "", Yes, []int32{0, 3}, false},
	{"lp_solve", "\nThis problem is infeasible\n", "", No, nil, false},
	{"lp_solve", "\n", "", Unknown, nil, false},
}

func TestReadAnswers(t *testing.T) {
	g := NewGraph(2)
	g.AddEdge(0, 1)
	for _, row := range answers {
		for _, s := range Solvers() {
			if s.Program != row.program {
				continue
			}
			a, ones, err := s.Read(Programme{Graph: g, K: 2}, []byte(row.printed), []byte(row.solution))
			if a != row.a || (err != nil) != row.fault || !slices.Equal(ones, row.ones) {
				t.Errorf("%s %q%q: %v %v %v", row.program, row.printed, row.solution, a, ones, err)
			}
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, row := range answers {
		f.Add([]byte(row.printed), []byte(row.solution))
	}
	g := NewGraph(2)
	g.AddEdge(0, 1)
	f.Fuzz(func(t *testing.T, printed, solution []byte) {
		for _, s := range Solvers() {
			p := Programme{Graph: g, K: 2}
			a, ones, err := s.Read(p, printed, solution)
			if err != nil || a != Yes {
				continue
			}
			colour := make([]int32, 2)
			if p.Colouring(ones, colour) == nil && colour[0] == colour[1] {
				t.Fatal("a wrong colouring was believed")
			}
		}
	})
}

// TestProgrammeSaysWhatItMeans: the constraints of the text, read plainly, hold for a
// colouring if and only if it is right.
func TestProgrammeSaysWhatItMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 5)
		k := rapid.IntRange(1, 3).Draw(t, "colours")
		one := map[string]int{}
		right := true
		colour := make([]int, g.Len())
		for v := range g.Len() {
			colour[v] = rapid.IntRange(0, k-1).Draw(t, "colour")
			one[string(fmtVariable(v, colour[v]))] = 1
			for u := range v {
				right = right && (colour[u] != colour[v] || !g.HasEdge(u, v))
			}
		}
		if got := holds(Programme{Graph: g, K: k}.Text(LPSolve), one); got != right {
			t.Fatalf("%v holds: %v", colour, got)
		}
	})
}

func fmtVariable(v, i int) []byte {
	var b bytes.Buffer
	p := Programme{Graph: NewGraph(v + 1), K: i + 1}
	p.list(&b, "x_%d_%d", " x_%d_%d")
	f := bytes.Fields(b.Bytes())
	return f[len(f)-1]
}

// holds checks the constraints of a text of lp_solve.
func holds(text []byte, one map[string]int) bool {
	for line := range strings.SplitSeq(string(text), ";") {
		_, c, found := strings.Cut(line, ": ")
		if !found || strings.TrimSpace(c) == "" {
			continue
		}
		f := strings.Fields(c)
		sum := 0
		for _, v := range f[:len(f)-2] {
			sum += one[v]
		}
		if sum > 1 || f[len(f)-2] == "=" && sum != 1 {
			return false
		}
	}
	return true
}
