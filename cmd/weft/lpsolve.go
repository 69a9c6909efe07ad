package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"weft/route/names"
)

// lpSolve makes experiments run the installed lp_solve, nil if there is none.
func lpSolve() func(seconds int) names.Solve {
	all := names.Solvers()
	s := all[slices.IndexFunc(all, func(s *names.Solver) bool { return s.Program == "lp_solve" })]
	if _, err := exec.LookPath(s.Program); err != nil {
		return nil
	}
	return func(seconds int) names.Solve {
		return func(ctx context.Context, p names.Programme) (names.Answer, []int32, error) {
			return runSolver(ctx, s, p, seconds)
		}
	}
}

// runSolver runs a solver on a programme in a directory of its own. One that overruns
// its time limit is ended, which is no answer.
func runSolver(ctx context.Context, s *names.Solver, p names.Programme, seconds int) (names.Answer, []int32, error) {
	dir, err := os.MkdirTemp("", "weft-programme-")
	if err != nil {
		return names.Unknown, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
	if err := os.WriteFile(model, p.Text(s.Dialect), 0o600); err != nil {
		return names.Unknown, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(seconds+1)*time.Second)
	defer cancel()
	start := time.Now()
	process := exec.CommandContext(limited, s.Program, s.Args(model, solution, seconds)...)
	process.WaitDelay = stopDelay
	printed, err := process.CombinedOutput()
	if ctx.Err() != nil {
		return names.Unknown, nil, ctx.Err()
	}
	// The exit status tells whether there is a solution, not whether the program failed.
	if _, status := errors.AsType[*exec.ExitError](err); err != nil && !status && limited.Err() == nil {
		return names.Unknown, nil, &exitError{exitCannot, err}
	}
	if limited.Err() != nil {
		return names.Unknown, nil, nil
	}
	written, _ := os.ReadFile(solution) // not every solver writes one
	answer, ones, err := s.Read(p, printed, written)
	if err == nil && answer == names.Unknown && time.Since(start) < time.Duration(seconds)*time.Second/2 {
		err = fmt.Errorf("%s ended before its time, and said: %s", s.Program, bytes.TrimSpace(printed))
	}
	if err != nil {
		return names.Unknown, nil, &exitError{exitCannot, err}
	}
	return answer, ones, nil
}
