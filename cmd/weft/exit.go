package main

import "errors"

// The exit statuses.
const (
	exitYes     = 0
	exitNo      = 1  // the answer is no: a check failed
	exitBad     = 2  // bad usage or bad input
	exitCannot  = 3  // an engine refused, a device was not there, interrupted
	exitSilence = "" // text of an exitError whose reason was printed already
)

// exitError is an error that knows its exit status.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// answerNo ends a command whose output has said no.
var answerNo = &exitError{exitNo, errors.New(exitSilence)}

// exitWith gives an error an exit status.
func exitWith(status int, err error) error { return &exitError{status, err} }

// cannot gives an error the exit status of what could not be done.
func cannot(err error) error { return exitWith(exitCannot, err) }
