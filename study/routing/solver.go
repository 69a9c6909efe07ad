package routing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/route"
	"weft/route/engine/pathset"
	"weft/route/lids"
	"weft/route/names"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
	"weft/study/lpsolver"
)

// Solver describes the work of the LP solver for --names ilp.
type Solver struct {
	Program    string  `json:"program,omitempty"`
	Seconds    float64 `json:"seconds_each,omitempty"`  // time limit of a programme
	Total      float64 `json:"seconds_total,omitempty"` // time limit of all programmes
	Written    string  `json:"written,omitempty"`       // the directory of the programmes, in place of solving
	Programmes int64   `json:"programmes"`
	Unanswered int64   `json:"unanswered"`
}

// String describes the solver in one line.
func (s *Solver) String() string {
	if s.Written != "" {
		return fmt.Sprintf("not asked: %d programmes are in %s, and the LIDs are those of color-l", s.Programmes, s.Written)
	}
	text := fmt.Sprintf("%s, %d programmes", s.Program, s.Programmes)
	if s.Unanswered > 0 {
		text += fmt.Sprintf(", %d of them without an answer in %g s each and %g s in all", s.Unanswered, s.Seconds, s.Total)
	}
	return text
}

// SolverNames lists the names of the known solvers.
func SolverNames() string { return lpsolver.Names() }

// linearTime is the time limit for a linear programme of an experiment.
const linearTime = time.Minute

// SolverOfLinear finds a solver of linear programmes by name or path. With "" it takes the first
// installed solver, or returns nil if there is none.
func SolverOfLinear(program string) (ilp.SolveLinear, error) {
	solver, err := lpsolver.Find(program)
	if _, missing := errors.AsType[*lpsolver.NotInstalled](err); missing && program == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, p *ilp.Linear) ([]float64, error) {
		return lpsolver.RunLinear(ctx, solver, p, linearTime)
	}, nil
}

// Solving gives engines a solver of linear programmes. Its methods work on one chain.
type Solving struct {
	Program string        // name or path; "": the first that is installed
	Limit   time.Duration // for a programme
	Total   time.Duration // for all of them
	Dir     string        // directory for programmes that are written and not solved; "" to solve them

	session *lpsolver.Session // nil if no engine needs a solver
}

// Unable is the error of a valid request that cannot be met.
type Unable struct{ Err error }

func (u *Unable) Error() string { return u.Err.Error() }
func (u *Unable) Unwrap() error { return u.Err }

// CouldNot reports whether a valid request for a routing cannot be met: a refusal, too few LIDs, a
// solver that is missing or fails.
func CouldNot(err error) bool {
	_, refused := errors.AsType[*route.Refusal](err)
	_, exhausted := errors.AsType[*lids.Exhausted](err)
	_, unable := errors.AsType[*Unable](err)
	return refused || exhausted || unable
}

// Equip gives a solver to the engines of a chain that need one, and reports whether any did. The
// time for all programmes begins now.
func (s *Solving) Equip(chain route.Chain, now time.Time) (bool, error) {
	for i := range chain {
		if spec := chain[i].Engine; pathset.NeedsSolver(spec, chain[i].Options) {
			if err := s.open(now); err != nil {
				return false, err
			}
			chain[i].Engine = pathset.WithSolver(spec, s.solve, s.solveLinear)
		}
	}
	return s.session != nil, nil
}

// ForNames opens the solver if an assignment of LIDs needs one, and otherwise returns nil. The time
// for all programmes begins now.
func (s *Solving) ForNames(scheme *names.Scheme, now time.Time) (ilp.Solve, error) {
	if scheme.Name != names.ILP {
		return nil, nil
	}
	return s.solve, s.open(now)
}

// open finds the solver and makes the directory for programmes.
func (s *Solving) open(now time.Time) error {
	if s.Limit < time.Second {
		return fmt.Errorf("--solver-time %s is too short: solvers count in seconds", s.Limit)
	}
	if s.Total < 0 {
		return fmt.Errorf("--solver-total %s: want a time of at least 0", s.Total)
	}
	solver, err := lpsolver.Find(s.Program)
	switch _, missing := errors.AsType[*lpsolver.NotInstalled](err); {
	case missing && s.Dir == "":
		return &Unable{fmt.Errorf("LIDs by ilp and paths by balance=programme need a solver of linear programmes, and %w; --names exact and balance=weights need none, and --write-lp writes the programmes of ilp", err)}
	case err != nil && !missing:
		return fmt.Errorf("--solver: %w", err)
	}
	s.session = &lpsolver.Session{Solver: solver, Limit: s.Limit, Until: now.Add(s.Total), Dir: s.Dir}
	if err := s.session.MakeDir(); err != nil {
		return fmt.Errorf("--write-lp: %w", err)
	}
	return nil
}

// solve implements ilp.Solve.
func (s *Solving) solve(ctx context.Context, p ilp.Programme) (colouring.Answer, []int32, error) {
	answer, ones, err := s.session.Solve(ctx, p)
	if err != nil && ctx.Err() == nil {
		err = &Unable{err}
	}
	return answer, ones, err
}

// solveLinear implements ilp.SolveLinear.
func (s *Solving) solveLinear(ctx context.Context, p *ilp.Linear) ([]float64, error) {
	if s.Dir != "" {
		return nil, errors.New("--write-lp writes the programmes of --names ilp only")
	}
	values, err := s.session.SolveLinear(ctx, p)
	if err != nil && ctx.Err() == nil {
		err = &Unable{err}
	}
	return values, err
}

// Report describes the solved programmes, nil if no engine needed a solver.
func (s *Solving) Report() *Solver {
	if s.session == nil {
		return nil
	}
	out := &Solver{Written: s.Dir, Programmes: s.session.Asked.Load(), Unanswered: s.session.Unanswered.Load()}
	if s.Dir == "" {
		out.Program, out.Seconds, out.Total = s.session.Solver.Program, s.Limit.Seconds(), s.Total.Seconds()
	}
	return out
}
