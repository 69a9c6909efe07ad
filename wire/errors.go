package wire

import (
	"errors"
	"fmt"

	"weft/wire/mad"
)

// Errors of requests, for errors.Is. A bad status in an answer is a *StatusError.
var (
	// ErrTimeout: no answer after all attempts.
	ErrTimeout = errors.New("wire: no answer")
	// ErrClosed: the transport was closed, or its medium failed.
	ErrClosed = errors.New("wire: closed")
	// ErrCancelled: the caller gave up, by End or by a context, whose error it wraps.
	ErrCancelled = errors.New("wire: cancelled")
	// ErrBusy: the medium currently has no room for a datagram, or had none in all attempts of a
	// request.
	ErrBusy = errors.New("wire: the medium is busy")
	// ErrMalformed: a datagram is too short for a header, or too long for the medium.
	ErrMalformed = errors.New("wire: malformed datagram")
)

// StatusError is an answer with a status other than zero. The answer itself is in the Result, since
// class-specific status codes may come with data.
type StatusError struct {
	Class     mad.Class
	Attribute mad.AttrID
	Modifier  uint32
	Status    mad.Status
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("wire: class %v attribute 0x%04x modifier 0x%x answered with status 0x%04x (%v)",
		e.Class, uint16(e.Attribute), e.Modifier, uint16(e.Status), e.Status)
}

// RequestError describes a failed request and its number of attempts. Err is ErrTimeout,
// ErrCancelled, ErrClosed, or an error of the medium.
type RequestError struct {
	Addr      Address
	Class     mad.Class
	Method    mad.Method
	Attribute mad.AttrID
	Modifier  uint32
	Attempts  int // times the request was sent
	Err       error
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("%v of class %v attribute 0x%04x modifier 0x%x to %v, sent %d times: %v",
		e.Method, e.Class, uint16(e.Attribute), e.Modifier, e.Addr, e.Attempts, e.Err)
}

func (e *RequestError) Unwrap() error { return e.Err }

// Cancelled returns ErrCancelled with its cause.
func Cancelled(cause error) error { return fmt.Errorf("%w: %w", ErrCancelled, cause) }

// Closed returns ErrClosed with the reason why a medium failed.
func Closed(cause error) error {
	if cause == nil || errors.Is(cause, ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}
