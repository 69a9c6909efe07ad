package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/lpsolver"
	"weft/route/engine/pathset"
	"weft/route/job"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
)

// solverFlags choose the solver of --names ilp and its limits.
type solverFlags struct {
	program string
	limit   time.Duration // for a programme
	total   time.Duration // for all of them
	write   string

	session *lpsolver.Session // nil if no engine needs a solver
}

// solverOutput is the part about the solver in the output of `weft route`.
type solverOutput struct {
	Program    string  `json:"program,omitempty"`
	Seconds    float64 `json:"seconds_each,omitempty"` // limit
	Total      float64 `json:"seconds_total,omitempty"`
	Written    string  `json:"written,omitempty"` // directory, instead
	Programmes int64   `json:"programmes"`
	Unanswered int64   `json:"unanswered"`
}

func (o *solverOutput) String() string {
	if o.Written != "" {
		return fmt.Sprintf("not asked: %d programmes are in %s, and the LIDs are those of color-l", o.Programmes, o.Written)
	}
	text := fmt.Sprintf("%s, %d programmes", o.Program, o.Programmes)
	if o.Unanswered > 0 {
		text += fmt.Sprintf(", %d of them without an answer in %g s each and %g s in all", o.Unanswered, o.Seconds, o.Total)
	}
	return text
}

// output returns nil if no solver was needed.
func (s *solverFlags) output() *solverOutput {
	if s.session == nil {
		return nil
	}
	out := &solverOutput{Written: s.write, Programmes: s.session.Asked.Load(), Unanswered: s.session.Unanswered.Load()}
	if s.write == "" {
		out.Program, out.Seconds, out.Total = s.session.Solver.Program, s.limit.Seconds(), s.total.Seconds()
	}
	return out
}

func (s *solverFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.program, "solver", "", "for --names ilp: the solver, by name or path (default: the first that is installed of "+lpsolver.Names()+")")
	f.DurationVar(&s.limit, "solver-time", 10*time.Second, "for --names ilp: how long the solver may take for a programme, one or two a destination")
	f.DurationVar(&s.total, "solver-total", 5*time.Minute, "for --names ilp: how long it may take for all programmes; then the answers found so far stand")
	f.StringVar(&s.write, "write-lp", "", "for --names ilp: write the programmes to this directory instead of solving them")
}

// equip gives engines that need one a solver.
func (s *solverFlags) equip(cmd *cobra.Command, chain job.Chain) error {
	for i := range chain {
		spec := chain[i].Engine
		if !pathset.NeedsSolver(spec) {
			continue
		}
		if err := s.open(); err != nil {
			return err
		}
		chain[i].Engine = pathset.WithSolver(spec, s.solve)
	}
	for _, flag := range []string{"solver", "solver-time", "solver-total", "write-lp"} {
		if s.session == nil && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s goes with --names ilp", flag)
		}
	}
	return nil
}

// open finds the solver and makes the directory for programmes.
func (s *solverFlags) open() error {
	if s.limit < time.Second {
		return fmt.Errorf("--solver-time %s is too short: solvers count in seconds", s.limit)
	}
	if s.total < 0 {
		return fmt.Errorf("--solver-total %s: want a time of at least 0", s.total)
	}
	solver, err := lpsolver.Find(s.program)
	switch _, missing := errors.AsType[*lpsolver.NotInstalled](err); {
	case missing && s.write == "":
		return &exitError{exitCannot, fmt.Errorf("LIDs by ilp need a solver of linear programmes, and %w; --names exact needs none, and --write-lp writes the programmes", err)}
	case err != nil && !missing:
		return fmt.Errorf("--solver: %w", err)
	}
	if s.write != "" {
		if err := os.MkdirAll(s.write, 0o755); err != nil {
			return fmt.Errorf("--write-lp: %w", err)
		}
	}
	s.session = &lpsolver.Session{Solver: solver, Limit: s.limit, Until: time.Now().Add(s.total), Dir: s.write}
	return nil
}

// solve is ilp.Solve with the exit status of a solver that fails.
func (s *solverFlags) solve(ctx context.Context, p ilp.Programme) (colouring.Answer, []int32, error) {
	answer, ones, err := s.session.Solve(ctx, p)
	if err != nil && ctx.Err() == nil {
		err = &exitError{exitCannot, err}
	}
	return answer, ones, err
}
