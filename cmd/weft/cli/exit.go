package cli

import "errors"

// The exit statuses.
const (
	ExitYes     = 0
	ExitNo      = 1  // the answer is no: a check failed
	ExitBad     = 2  // bad usage or bad input
	ExitCannot  = 3  // an engine refused, a device was not there, interrupted
	ExitSilence = "" // text of an ExitError whose reason was printed already
)

// ExitError is an error that knows its exit status.
type ExitError struct {
	Status int
	err    error
}

// Error implements error.
func (e *ExitError) Error() string { return e.err.Error() }
func (e *ExitError) Unwrap() error { return e.err }

// AnswerNo is the error of a command whose output already says no.
var AnswerNo = &ExitError{ExitNo, errors.New(ExitSilence)}

// ExitWith gives an error an exit status.
func ExitWith(status int, err error) error { return &ExitError{status, err} }

// Cannot gives an error the exit status for work that could not be done.
func Cannot(err error) error { return ExitWith(ExitCannot, err) }
