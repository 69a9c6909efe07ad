package ilp

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/route/names/colouring"
)

// Solver says how to call a solver of linear programmes and reads its answers. The caller writes
// the programme to a file, starts Program with Args, and passes to Read the printed text and the
// solution file, empty if the solver writes none.
type Solver struct {
	Program string
	Package string // of Debian
	Dialect Dialect
	Args    func(model, solution string, seconds int) []string
	read    func(printed, solution []byte, k int) (colouring.Answer, []int32, error)
}

// Solvers lists the known solvers, the fastest first.
func Solvers() []*Solver {
	return []*Solver{
		{"highs", "highs", CPLEX, func(model, solution string, seconds int) []string {
			return []string{"--time_limit", strconv.Itoa(seconds), "--solution_file", solution, model}
		}, readHighs},
		{"cbc", "coinor-cbc", CPLEX, func(model, solution string, seconds int) []string {
			return []string{model, "sec", strconv.Itoa(seconds), "solve", "solu", solution}
		}, readCbc},
		{"glpsol", "glpk-utils", CPLEX, func(model, solution string, seconds int) []string {
			return []string{"--lp", model, "--tmlim", strconv.Itoa(seconds), "-w", solution}
		}, readGlpsol},
		{"lp_solve", "lp-solve", LPSolve, func(model, _ string, seconds int) []string {
			return []string{"-S4", "-timeout", strconv.Itoa(seconds), model}
		}, readLPSolve},
	}
}

// Read reads a solver's answer to a programme: the numbers of variables with value 1.
func (s *Solver) Read(p Programme, printed, solution []byte) (colouring.Answer, []int32, error) {
	a, ones, err := s.read(printed, solution, p.K)
	if err != nil {
		return colouring.Unknown, nil, fmt.Errorf("ilp: %s: %w", s.Program, err)
	}
	return a, ones, nil
}

// variable returns the number of a variable x_p_i.
func variable(name string, k int) (int32, error) {
	f := strings.Split(name, "_")
	if len(f) == 3 && f[0] == "x" {
		p, errP := strconv.Atoi(f[1])
		i, errI := strconv.Atoi(f[2])
		if errP == nil && errI == nil && p >= 0 && i >= 0 && i < k && p < math.MaxInt32/max(1, k)-1 {
			return int32(p*k + i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a variable of the programme", name)
}

// isOne parses the value of a variable that must be 0 or 1.
func isOne(value string) (bool, error) {
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case err == nil && math.Abs(x) < 1e-4:
		return false, nil
	case err == nil && math.Abs(x-1) < 1e-4:
		return true, nil
	}
	return false, fmt.Errorf("value %q is neither 0 nor 1", value)
}

// readValues reads lines with the name and the value of a variable in two fields.
func readValues(lines [][]byte, name, value, k int) ([]int32, error) {
	var ones []int32
	for _, line := range lines {
		f := strings.Fields(string(line))
		if len(f) <= max(name, value) || !strings.HasPrefix(f[name], "x_") {
			continue
		}
		x, err := variable(f[name], k)
		if err != nil {
			return nil, err
		}
		one, err := isOne(f[value])
		if err != nil {
			return nil, err
		}
		if one {
			ones = append(ones, x)
		}
	}
	return ones, nil
}

func contains(text []byte, part string) bool { return bytes.Contains(text, []byte(part)) }

func linesOf(text []byte) [][]byte { return bytes.Split(text, []byte("\n")) }

// answered returns Yes with the given ones.
func answered(ones []int32, err error) (colouring.Answer, []int32, error) {
	if err != nil {
		return colouring.Unknown, nil, err
	}
	return colouring.Yes, ones, nil
}

func readHighs(_, solution []byte, k int) (colouring.Answer, []int32, error) {
	status := ""
	if f := linesOf(solution); len(f) > 1 {
		status = strings.TrimSpace(string(f[1]))
	}
	switch status {
	case "Optimal":
		before, _, _ := bytes.Cut(solution, []byte("# Rows"))
		return answered(readValues(linesOf(before), 0, 1, k))
	case "Infeasible":
		return colouring.No, nil, nil
	}
	return colouring.Unknown, nil, nil
}

func readCbc(_, solution []byte, k int) (colouring.Answer, []int32, error) {
	status, rest, _ := bytes.Cut(solution, []byte("\n"))
	switch {
	case bytes.HasPrefix(status, []byte("Optimal")):
		return answered(readValues(linesOf(rest), 1, 2, k))
	case contains(status, "nfeasible"):
		return colouring.No, nil, nil
	}
	return colouring.Unknown, nil, nil
}

// readGlpsol reads the solution file of glpsol, which numbers the columns from 1 in order of their
// first occurrence in the model: in our order, since the objective names the first.
func readGlpsol(printed, solution []byte, _ int) (colouring.Answer, []int32, error) {
	if contains(printed, "NO INTEGER FEASIBLE SOLUTION") || contains(printed, "NO PRIMAL FEASIBLE SOLUTION") {
		return colouring.No, nil, nil
	}
	var ones []int32
	solved := false
	for _, line := range linesOf(solution) {
		f := strings.Fields(string(line))
		switch {
		case len(f) >= 5 && f[0] == "s":
			solved = f[4] == "o"
		case len(f) == 3 && f[0] == "j":
			column, err := strconv.Atoi(f[1])
			if err != nil || column < 1 || column > math.MaxInt32 {
				return colouring.Unknown, nil, fmt.Errorf("%q is no column", f[1])
			}
			one, err := isOne(f[2])
			if err != nil {
				return colouring.Unknown, nil, err
			}
			if one {
				ones = append(ones, int32(column-1))
			}
		}
	}
	if !solved {
		return colouring.Unknown, nil, nil
	}
	return colouring.Yes, ones, nil
}

func readLPSolve(printed, _ []byte, k int) (colouring.Answer, []int32, error) {
	if contains(printed, "This problem is infeasible") {
		return colouring.No, nil, nil
	}
	_, values, found := bytes.Cut(printed, []byte("Actual values of the variables:"))
	if !found {
		return colouring.Unknown, nil, nil
	}
	values, _, _ = bytes.Cut(values, []byte("Actual values of the constraints:"))
	return answered(readValues(linesOf(values), 0, 1, k))
}
