package ilp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Linear is a linear programme without integers: minimise variable 0 under rows. Variables are at
// least 0.
type Linear struct {
	Variables int
	Rows      []Row
}

// Row says that a sum of terms equals a number, or is at most that number.
type Row struct {
	Terms  []Term
	AtMost bool
	Value  float64
}

// Term is a variable with its factor.
type Term struct {
	Variable int32
	Factor   float64
}

// SolveLinear runs a solver on a linear programme, and returns the values of its variables.
type SolveLinear func(ctx context.Context, p *Linear) ([]float64, error)

// Text writes the programme. Variable i is called v_i.
func (p *Linear) Text(d Dialect) []byte {
	var b bytes.Buffer
	end := "\n"
	if d == LPSolve {
		end = ";\n"
		b.WriteString("min: v_0;\n")
	} else {
		b.WriteString("Minimize\n obj: v_0\nSubject To\n")
	}
	for i, row := range p.Rows {
		fmt.Fprintf(&b, " r_%d:", i)
		for k, t := range row.Terms {
			if k > 0 && k%8 == 0 {
				b.WriteString("\n ")
			}
			fmt.Fprintf(&b, " %+g v_%d", t.Factor, t.Variable)
		}
		relation := "="
		if row.AtMost {
			relation = "<="
		}
		fmt.Fprintf(&b, " %s %g%s", relation, row.Value, end)
	}
	if d == CPLEX {
		b.WriteString("End\n")
	}
	return b.Bytes()
}

// errUnsolved says that a solver found no best solution.
var errUnsolved = errors.New("it found no optimal solution in time")

// ReadLinear reads a solver's answer to a linear programme.
func (s *Solver) ReadLinear(p *Linear, printed, solution []byte) ([]float64, error) {
	values := make([]float64, p.Variables)
	err := s.readLinear(values, printed, solution)
	if err != nil {
		return nil, fmt.Errorf("ilp: %s: %w", s.Program, err)
	}
	return values, nil
}

// readLinear fills in the values of the variables that are not 0.
func (s *Solver) readLinear(values []float64, printed, solution []byte) error {
	if s.Dialect == LPSolve {
		_, text, found := bytes.Cut(printed, []byte("Actual values of the variables:"))
		if !found {
			return errUnsolved
		}
		text, _, _ = bytes.Cut(text, []byte("Actual values of the constraints:"))
		return readNamed(values, text, 0, 1)
	}
	first := ""
	if lines := linesOf(solution); len(lines) > 1 {
		first = string(lines[0]) + " " + string(lines[1])
	}
	switch name := s.Package; {
	case name == "glpk-utils":
		return readColumns(values, solution)
	case !strings.Contains(first, "Optimal"):
		return errUnsolved
	case name == "highs":
		text, _, _ := bytes.Cut(solution, []byte("# Rows"))
		return readNamed(values, text, 0, 1)
	}
	return readNamed(values, solution, 1, 2)
}

// readNamed reads lines with the name and the value of a variable in two fields.
func readNamed(values []float64, text []byte, name, value int) error {
	for _, line := range linesOf(text) {
		f := strings.Fields(string(line))
		if len(f) <= max(name, value) {
			continue
		}
		number, ok := strings.CutPrefix(f[name], "v_")
		if !ok {
			continue
		}
		if err := setValue(values, number, f[value], 0); err != nil {
			return err
		}
	}
	return nil
}

// readColumns reads the solution file of glpsol, which numbers the columns from 1 in order of their
// first occurrence in the model. Its second table has no names, so the model must mention them in
// order.
func readColumns(values []float64, solution []byte) error {
	solved := false
	for _, line := range linesOf(solution) {
		f := strings.Fields(string(line))
		switch {
		case len(f) >= 6 && f[0] == "s":
			solved = f[4] == "f" && f[5] == "f"
		case len(f) >= 4 && f[0] == "j":
			if err := setValue(values, f[1], f[3], 1); err != nil {
				return err
			}
		}
	}
	if !solved {
		return errUnsolved
	}
	return nil
}

// setValue sets a variable by its number; first is the file's first number.
func setValue(values []float64, number, value string, first int) error {
	i, errI := strconv.Atoi(number)
	v, errV := strconv.ParseFloat(value, 64)
	if errI != nil || errV != nil || i < first || i-first >= len(values) {
		return fmt.Errorf("%s = %s is not a variable of the programme", number, value)
	}
	values[i-first] = v
	return nil
}
