package wire

import (
	"errors"
	"fmt"

	"weft/wire/mad"
)

// What can go wrong with a request, for errors.Is. A bad status in an answer is a
// *StatusError.
var (
	// ErrTimeout: no answer after all attempts.
	ErrTimeout = errors.New("wire: no answer")
	// ErrClosed: the transport was closed, or its medium died.
	ErrClosed = errors.New("wire: closed")
	// ErrCancelled: the caller gave up, by End or by a context, whose error it wraps.
	ErrCancelled = errors.New("wire: cancelled")
	// ErrBusy: the medium had no room for a datagram just now.
	ErrBusy = errors.New("wire: the medium is busy")
	// ErrMalformed: a datagram too short to have a header, or longer than the
	// medium can carry.
	ErrMalformed = errors.New("wire: malformed datagram")
)

// StatusError is an answer whose status is not zero. The answer itself is in the
// Result, since class-specific status codes may come with data.
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

// RequestError says which request failed and how often it was sent. Err is one of
// ErrTimeout, ErrCancelled, ErrClosed, or what the medium said.
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

// Cancelled is ErrCancelled with its cause.
func Cancelled(cause error) error { return fmt.Errorf("%w: %w", ErrCancelled, cause) }

// Closed is ErrClosed with the reason why a medium died.
func Closed(cause error) error {
	if cause == nil || errors.Is(cause, ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}
