package ibsim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"weft/wire"
)

// controlTimeout bounds one exchange on the control socket, which loses nothing: a server that has
// not answered by then never will.
const controlTimeout = 3 * time.Second

// refusedError is a control answer of type ControlError.
type refusedError struct{ asked ControlType }

func (e *refusedError) Error() string {
	if e.asked == ControlConnect {
		return "ibsim: the simulator refused the attachment (all slots taken, no such node, or another SM on the node)"
	}
	return fmt.Sprintf("ibsim: the simulator refused control request %d", e.asked)
}

// control is the client's end of the control socket.
type control struct {
	conn net.Conn
	slot uint32
	turn chan struct{} // holds a token during an exchange
}

func newControl(conn net.Conn) *control {
	return &control{conn: conn, turn: make(chan struct{}, 1)}
}

// ask sends a control request and waits for its answer.
func (c *control) ask(ctx context.Context, q Control) (Control, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, controlTimeout, errors.New("ibsim: no answer on the control socket"))
	defer cancel()
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return Control{}, ended(ctx)
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.conn.SetDeadline(time.Unix(1, 0))
		close(over)
	})
	a, err := c.exchange(q)
	if !stop() {
		<-over
		_ = c.conn.SetDeadline(time.Time{})
		if err != nil {
			err = ended(ctx)
		}
	}
	return a, err
}

// exchange sends a request and returns its answer, skipping late answers to earlier requests.
func (c *control) exchange(q Control) (Control, error) {
	q.Slot = c.slot
	if _, err := c.conn.Write(q.Append(nil)); err != nil {
		return Control{}, err
	}
	buf := make([]byte, ControlSize+1)
	for {
		n, err := c.conn.Read(buf)
		if err != nil {
			return Control{}, err
		}
		a, err := ParseControl(buf[:n])
		switch {
		case err != nil:
			return Control{}, err
		case a.Type == q.Type:
			return a, nil
		case a.Type == ControlError:
			return Control{}, &refusedError{q.Type}
		}
	}
}

// ended returns why an exchange was given up: the caller's context, or our own limit.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", wire.ErrTimeout, cause)
	}
	return wire.Cancelled(ctx.Err())
}
