package ilp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/route/names/colouring"
)

func TestProgrammeText(t *testing.T) {
	g := colouring.NewGraph(2)
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

// answers are what each solver writes, two vertices and two colours.
var answers = []struct {
	program, printed, solution string
	a                          colouring.Answer
	ones                       []int32
	fault                      bool
}{
	{"highs", "", "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns 4\nx_0_0 1\nx_0_1 0\nx_1_0 0\nx_1_1 1\n# Rows 4\none_0 1\n", colouring.Yes, []int32{0, 3}, false},
	{"highs", "", "Model status\nInfeasible\n", colouring.No, nil, false},
	{"highs", "", "Model status\nTime limit reached\n", colouring.Unknown, nil, false},
	{"highs", "", "", colouring.Unknown, nil, false},
	{"cbc", "", "Optimal - objective value 0.00000000\n      0 x_0_1                  1                       0\n      3 x_1_0 1 0\n", colouring.Yes, []int32{1, 2}, false},
	{"cbc", "", "Infeasible - objective value 0.00000000\n", colouring.No, nil, false},
	{"cbc", "", "Integer infeasible - objective value 0\n", colouring.No, nil, false},
	{"cbc", "", "Stopped on time - objective value 0\n", colouring.Unknown, nil, false},
	{"cbc", "", "Optimal - objective value 0\n 0 x_0_7 1 0\n", colouring.Unknown, nil, true},
	{"cbc", "", "Optimal - objective value 0\n 0 x_0_1 0.5 0\n", colouring.Unknown, nil, true},
	{"glpsol", "", "c Problem:\ns mip 4 4 o 0\ni 1 1\nj 1 1\nj 2 0\nj 3 0\nj 4 1\ne o f\n", colouring.Yes, []int32{0, 3}, false},
	{"glpsol", "PROBLEM HAS NO PRIMAL FEASIBLE SOLUTION\n", "", colouring.No, nil, false},
	{"glpsol", "TIME LIMIT EXCEEDED; SEARCH TERMINATED\n", "s mip 4 4 u 0\n", colouring.Unknown, nil, false},
	{"glpsol", "", "s mip 4 4 o 0\nj 0 1\n", colouring.Unknown, nil, true},
	{"lp_solve", "\nValue of objective function: 0\n\nActual values of the variables:\nx_0_0                           1\nx_1_1   1\n\nActual values of the constraints:\none_0 1\n", "", colouring.Yes, []int32{0, 3}, false},
	{"lp_solve", "\nThis problem is infeasible\n", "", colouring.No, nil, false},
	{"lp_solve", "\n", "", colouring.Unknown, nil, false},
}

func TestReadAnswers(t *testing.T) {
	g := colouring.NewGraph(2)
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
	g := colouring.NewGraph(2)
	g.AddEdge(0, 1)
	f.Fuzz(func(t *testing.T, printed, solution []byte) {
		for _, s := range Solvers() {
			p := Programme{Graph: g, K: 2}
			a, ones, err := s.Read(p, printed, solution)
			if err != nil || a != colouring.Yes {
				continue
			}
			if colour, err := p.Colouring(ones); err == nil && colour[0] == colour[1] {
				t.Fatal("a wrong colouring was believed")
			}
		}
	})
}

// TestColouring: ones are believed only where every vertex has one colour, and no two
// neighbours the same.
func TestColouring(t *testing.T) {
	g := colouring.NewGraph(3)
	g.AddEdge(0, 1)
	p := Programme{Graph: g, K: 2}
	if colour, err := p.Colouring([]int32{4, 0, 3}); err != nil || !slices.Equal(colour, []int32{0, 1, 0}) {
		t.Error(colour, err)
	}
	for _, wrong := range [][]int32{{0, 2, 4}, {0, 3}, {0, 3, 4, 5}, {0, 3, 6}, {-1, 3, 4}} {
		if colour, err := p.Colouring(wrong); err == nil {
			t.Errorf("%v was read as %v", wrong, colour)
		}
	}
}

// TestProgrammeSaysWhatItMeans: the constraints of the text, read plainly, hold for a
// colouring if and only if it is right.
func TestProgrammeSaysWhatItMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := colouring.NewGraph(rapid.IntRange(0, 5).Draw(t, "vertices"))
		for u := range g.Len() {
			for v := range u {
				if rapid.Bool().Draw(t, "edge") {
					g.AddEdge(u, v)
				}
			}
		}
		k := rapid.IntRange(1, 3).Draw(t, "colours")
		one := map[string]int{}
		right := true
		colour := make([]int, g.Len())
		for v := range g.Len() {
			colour[v] = rapid.IntRange(0, k-1).Draw(t, "colour")
			one[fmt.Sprintf("x_%d_%d", v, colour[v])] = 1
			for u := range v {
				right = right && (colour[u] != colour[v] || !g.HasEdge(u, v))
			}
		}
		if got := holds(Programme{Graph: g, K: k}.Text(LPSolve), one); got != right {
			t.Fatalf("%v holds: %v", colour, got)
		}
	})
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
