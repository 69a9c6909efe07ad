// Package lpsolver finds and runs installed solvers of integer linear programmes, with time limits,
// or writes the programmes to files. Package route/names/ilp knows the arguments of each solver and
// the form of its answers.
package lpsolver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"weft/route/names/colouring"
	"weft/route/names/ilp"
)

// stopDelay is the time that a solver gets to stop.
const stopDelay = 5 * time.Second

// Names lists the names of the known solvers.
func Names() string {
	var all []string
	for _, s := range ilp.Solvers() {
		all = append(all, s.Program)
	}
	return strings.Join(all, ", ")
}

// NotInstalled is the error that none of some programs is installed.
type NotInstalled struct{ Programs, Packages []string }

func (e *NotInstalled) Error() string {
	return fmt.Sprintf("no %s is installed (Debian packages: %s)", strings.Join(e.Programs, ", "), strings.Join(e.Packages, ", "))
}

// Find returns the solver with a name or path, or the first installed solver for "". With a
// *NotInstalled it returns the first suitable solver.
func Find(program string) (*ilp.Solver, error) {
	known := ilp.Solvers()
	if program != "" {
		i := slices.IndexFunc(known, func(s *ilp.Solver) bool { return s.Program == filepath.Base(program) })
		if i < 0 {
			return nil, fmt.Errorf("no solver is called %q (there are: %s)", program, Names())
		}
		known[i].Program = program
		known = known[i : i+1]
	}
	missing := &NotInstalled{}
	for _, s := range known {
		if _, err := exec.LookPath(s.Program); err == nil {
			return s, nil
		}
		missing.Programs, missing.Packages = append(missing.Programs, s.Program), append(missing.Packages, s.Package)
	}
	return known[0], missing
}

// Session solves programmes, one by one or in parallel, and counts them.
type Session struct {
	Solver *ilp.Solver
	Limit  time.Duration // for a programme; solvers count in seconds
	Until  time.Time     // deadline of all programmes
	Dir    string        // directory for programmes that are written and not solved; "" to solve them

	Asked, Unanswered atomic.Int64
}

// MakeDir makes the directory for programmes, if there is to be one.
func (s *Session) MakeDir() error {
	if s.Dir == "" {
		return nil
	}
	return os.MkdirAll(s.Dir, 0o755)
}

// Solve implements ilp.Solve.
func (s *Session) Solve(ctx context.Context, p ilp.Programme) (answer colouring.Answer, ones []int32, err error) {
	s.Asked.Add(1)
	limit := min(s.Limit, time.Until(s.Until))
	switch {
	case s.Dir != "":
		name := fmt.Sprintf("%s-%d.lp", p.To, p.K)
		err = os.WriteFile(filepath.Join(s.Dir, name), p.Text(s.Solver.Dialect), 0o644)
	case limit >= time.Second:
		answer, ones, err = Run(ctx, s.Solver, p, limit)
	}
	if err == nil && answer == colouring.Unknown {
		s.Unanswered.Add(1)
	}
	return answer, ones, err
}

// SolveLinear implements ilp.SolveLinear.
func (s *Session) SolveLinear(ctx context.Context, p *ilp.Linear) ([]float64, error) {
	s.Asked.Add(1)
	limit := min(s.Limit, time.Until(s.Until))
	if limit < time.Second {
		return nil, fmt.Errorf("no time is left for %s", s.Solver.Program)
	}
	return RunLinear(ctx, s.Solver, p, limit)
}

// Run runs a solver on a programme in a directory of its own, for a number of whole seconds. It
// ends a solver that takes longer, without an answer.
func Run(ctx context.Context, s *ilp.Solver, p ilp.Programme, limit time.Duration) (colouring.Answer, []int32, error) {
	out, err := execute(ctx, s, p.Text(s.Dialect), limit)
	if err != nil || out.late {
		return colouring.Unknown, nil, err
	}
	answer, ones, err := s.Read(p, out.printed, out.solution)
	if err == nil && answer == colouring.Unknown && out.early {
		err = out.endedEarly(s)
	}
	return answer, ones, err
}

// RunLinear is Run for a linear programme without integers.
func RunLinear(ctx context.Context, s *ilp.Solver, p *ilp.Linear, limit time.Duration) ([]float64, error) {
	out, err := execute(ctx, s, p.Text(s.Dialect), limit)
	switch {
	case err != nil:
		return nil, err
	case out.late:
		return nil, fmt.Errorf("%s has no answer in %s", s.Program, limit)
	}
	return s.ReadLinear(p, out.printed, out.solution)
}

// output holds the output of a solver, and whether it was ended late or stopped early.
type output struct {
	printed, solution []byte
	late, early       bool
}

func (o *output) endedEarly(s *ilp.Solver) error {
	return fmt.Errorf("%s ended before its time, and said: %s", s.Program, bytes.TrimSpace(o.printed))
}

// execute runs a solver on the text of a programme.
func execute(ctx context.Context, s *ilp.Solver, text []byte, limit time.Duration) (out output, err error) {
	dir, err := os.MkdirTemp("", "weft-programme-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
	if err := os.WriteFile(model, text, 0o600); err != nil {
		return out, err
	}
	limit = limit.Truncate(time.Second)
	limited, cancel := context.WithTimeout(ctx, limit+time.Second)
	defer cancel()
	early, cancelEarly := context.WithTimeout(ctx, limit/2)
	defer cancelEarly()
	process := exec.CommandContext(limited, s.Program, s.Args(model, solution, int(limit/time.Second))...)
	process.WaitDelay = stopDelay
	out.printed, err = process.CombinedOutput()
	out.early = early.Err() == nil
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case limited.Err() != nil:
		out.late = true
		return out, nil
	}
	// The exit status tells whether there is a solution, not whether the program failed.
	if _, status := errors.AsType[*exec.ExitError](err); err != nil && !status {
		return out, err
	}
	out.solution, _ = os.ReadFile(solution) // not every solver writes one
	return out, nil
}
