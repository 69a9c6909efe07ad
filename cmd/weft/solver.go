package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"weft/route"
	"weft/route/engine/pathset"
	"weft/route/names"
)

// solverFlags say who solves the programmes of LIDs by ilp.
type solverFlags struct {
	program string
	limit   time.Duration // for a programme
	total   time.Duration // for all of them
	write   string

	chosen      *names.Solver
	asked, open atomic.Int64 // programmes; those without an answer
}

// solverOutput is what was asked of a solver.
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

// output tells what was asked, nil if nothing could be.
func (s *solverFlags) output() *solverOutput {
	if s.chosen == nil {
		return nil
	}
	out := &solverOutput{Written: s.write, Programmes: s.asked.Load(), Unanswered: s.open.Load()}
	if s.write == "" {
		out.Program, out.Seconds, out.Total = s.chosen.Program, s.limit.Seconds(), s.total.Seconds()
	}
	return out
}

func (s *solverFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.program, "solver", "", "for --names ilp: the solver, by name or path (default: the first that is installed of "+solverNames()+")")
	f.DurationVar(&s.limit, "solver-time", 10*time.Second, "for --names ilp: how long the solver may take for a programme, one or two a destination")
	f.DurationVar(&s.total, "solver-total", 5*time.Minute, "for --names ilp: how long it may take for all programmes; then the answers found so far stand")
	f.StringVar(&s.write, "write-lp", "", "for --names ilp: write the programmes to this directory instead of solving them")
}

func solverNames() string {
	var all []string
	for _, s := range names.Solvers() {
		all = append(all, s.Program)
	}
	return strings.Join(all, ", ")
}

// equip gives engines that need one a solver.
func (s *solverFlags) equip(cmd *cobra.Command, specs []*route.Spec) error {
	for i, spec := range specs {
		if !pathset.NeedsSolver(spec) {
			continue
		}
		solve, err := s.solve()
		if err != nil {
			return err
		}
		specs[i] = pathset.WithSolver(spec, solve)
	}
	for _, flag := range []string{"solver", "solver-time", "solver-total", "write-lp"} {
		if s.chosen == nil && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s goes with --names ilp", flag)
		}
	}
	return nil
}

// solve starts the solver, or writes what it would be asked.
func (s *solverFlags) solve() (names.Solve, error) {
	if s.limit < time.Second {
		return nil, fmt.Errorf("--solver-time %s is too short: solvers count in seconds", s.limit)
	}
	if s.total < 0 {
		return nil, fmt.Errorf("--solver-total %s: want a time of at least 0", s.total)
	}
	var err error
	if s.chosen, err = s.find(); err != nil {
		return nil, err
	}
	if s.write != "" {
		if err := os.MkdirAll(s.write, 0o755); err != nil {
			return nil, fmt.Errorf("--write-lp: %w", err)
		}
	}
	over := time.Now().Add(s.total)
	return func(ctx context.Context, p names.Programme) (answer names.Answer, ones []int32, err error) {
		s.asked.Add(1)
		left := min(s.limit, time.Until(over))
		switch {
		case s.write != "":
			name := fmt.Sprintf("%s-%d.lp", p.To, p.K)
			err = os.WriteFile(filepath.Join(s.write, name), p.Text(s.chosen.Dialect), 0o644)
		case left >= time.Second:
			answer, ones, err = runSolver(ctx, s.chosen, p, int(left/time.Second))
		}
		if err == nil && answer == names.Unknown {
			s.open.Add(1)
		}
		return answer, ones, err
	}, nil
}

// find finds the solver that was asked for, or else one that is installed.
func (s *solverFlags) find() (*names.Solver, error) {
	known := names.Solvers()
	if s.program != "" {
		i := slices.IndexFunc(known, func(k *names.Solver) bool { return k.Program == filepath.Base(s.program) })
		if i < 0 {
			return nil, fmt.Errorf("--solver: no solver is called %q (there are: %s)", s.program, solverNames())
		}
		known[i].Program = s.program
		known = known[i : i+1]
	}
	var programs, packages []string
	for _, k := range known {
		if _, err := exec.LookPath(k.Program); err == nil {
			return k, nil
		}
		programs, packages = append(programs, k.Program), append(packages, k.Package)
	}
	if s.write != "" {
		return known[0], nil // only to write for
	}
	return nil, &exitError{exitCannot, fmt.Errorf("LIDs by ilp need a solver of linear programmes, and no %s is installed (Debian packages: %s); --names exact needs none, and --write-lp writes the programmes",
		strings.Join(programs, ", "), strings.Join(packages, ", "))}
}
