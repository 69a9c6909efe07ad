package ilp

import (
	"slices"
	"strings"
	"testing"
)

// small is: the least v_0 with v_1 + v_2 = 3, both at most v_0.
var small = &Linear{Variables: 3, Rows: []Row{
	{Terms: []Term{{1, 1}, {2, 1}}, Value: 3},
	{Terms: []Term{{1, 1}, {0, -1}}, AtMost: true},
	{Terms: []Term{{2, 1}, {0, -1}}, AtMost: true},
}}

func TestLinearText(t *testing.T) {
	want := "Minimize\n obj: v_0\nSubject To\n r_0: +1 v_1 +1 v_2 = 3\n r_1: +1 v_1 -1 v_0 <= 0\n r_2: +1 v_2 -1 v_0 <= 0\nEnd\n"
	if got := string(small.Text(CPLEX)); got != want {
		t.Error(got)
	}
	if got := string(small.Text(LPSolve)); !strings.HasPrefix(got, "min: v_0;\n r_0: +1 v_1 +1 v_2 = 3;\n") || strings.Contains(got, "End") {
		t.Error(got)
	}
}

// TestReadLinear reads what each solver prints or writes; what is no answer is an error.
func TestReadLinear(t *testing.T) {
	for _, c := range []struct {
		program, printed, solution string
		fails                      bool
	}{
		{"highs", "", "Model status\nOptimal\n\n# Primal solution values\n# Columns 3\nv_0 1.5\nv_1 1.5\nv_2 1.5\n# Rows 3\nr_0 3\n", false},
		{"highs", "", "Model status\nTime limit reached\n", true},
		{"cbc", "", "Optimal - objective value 1.50000000\n      0 v_0  1.5  0\n      1 v_1  1.5  0\n      2 v_2  1.5  0\n", false},
		{"cbc", "", "Stopped on time - objective value 2\n      0 v_0  2  0\n", true},
		{"glpsol", "", "c Problem:\ns bas 3 3 f f 1.5\ni 1 s 3 0.5\nj 1 b 1.5 0\nj 2 b 1.5 0\nj 3 b 1.5 0\ne o f\n", false},
		{"glpsol", "", "s bas 3 3 u u 0\n", true},
		{"glpsol", "", "s bas 3 3 f f 1.5\nj 4 b 1.5 0\n", true},
		{"lp_solve", "Actual values of the variables:\nv_0  1.5\nv_1  1.5\nv_2  1.5\n\nActual values of the constraints:\nr_0 3\n", "", false},
		{"lp_solve", "This problem is infeasible", "", true},
		{"lp_solve", "Actual values of the variables:\nv_9  1.5\n", "", true},
		{"cbc", "", "Optimal\n\n 0 v_x 1 0\n", true},
	} {
		i := slices.IndexFunc(Solvers(), func(s *Solver) bool { return s.Program == c.program })
		values, err := Solvers()[i].ReadLinear(small, []byte(c.printed), []byte(c.solution))
		if (err != nil) != c.fails || !c.fails && !slices.Equal(values, []float64{1.5, 1.5, 1.5}) {
			t.Errorf("%s %q: %v, %v", c.program, c.printed+c.solution, values, err)
		}
	}
}
