package lab

import (
	"context"

	"weft/internal/par"
)

// failure is the panic by which an error ends an artefact.
type failure struct{ err error }

// Check ends the artefact that is run if there is an error, which RunArtefact returns: an
// experiment goes straight on or not at all. Goroutines of an experiment are those of
// Setup.Parallel.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must is Check, and returns the value that came with the error.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// caught sets err to the error with which work was ended by Check.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.err
	default:
		panic(p)
	}
}

// Parallel carries out n pieces of work on the cores of the Setup.
func (s *Setup) Parallel(ctx context.Context, n int, work func(k int)) {
	Check(par.For(ctx, s.Workers, n, func(_, k int) (err error) {
		defer caught(&err)
		work(k)
		return nil
	}))
}
