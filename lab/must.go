package lab

import (
	"context"

	"weft/internal/par"
)

// failure is the panic with which an error ends an artefact.
type failure struct{ err error }

// Check ends the running artefact if err is not nil; RunArtefact returns the error. An experiment
// may start goroutines only with Setup.Parallel.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns a value, or ends the artefact with the error that came with it, like Check.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// caught recovers from a failed Check and sets err to its error.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.err
	default:
		panic(p)
	}
}

// Parallel carries out n pieces of work on the Setup's cores.
func (s *Setup) Parallel(ctx context.Context, n int, work func(k int)) {
	Check(par.For(ctx, s.Workers, n, func(_, k int) (err error) {
		defer caught(&err)
		work(k)
		return nil
	}))
}
