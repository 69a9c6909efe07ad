package wire

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"weft/wire/mad"
)

// inboxLimit bounds the datagrams that wait for Recv; more are dropped. It is enough for every
// request that a subnet manager has in flight, and small compared to a fabric.
const inboxLimit = 1 << 16

// Inbox is the receiving half of a medium: a queue between the medium's reader, which must never
// wait, and Recv. It grows up to 65,536 datagrams (about 20 MB); further datagrams are dropped, as
// in a full receive queue of an adapter.
type Inbox struct {
	mu      sync.Mutex
	ring    []Datagram // memory of the MADs is reused
	head, n int
	waiting int // Pops that wait
	feeder  *Feeder
	dropped uint64
	err     error

	wake   chan struct{}
	closed chan struct{}
}

// Feeder takes datagrams from a medium's reader, on its goroutine, so that no datagram wakes
// another one.
type Feeder struct {
	Take      func(*Datagram) // must not wait, nor keep the datagram
	IsPatient func() bool     // datagrams may come a moment late
}

// Feed has a Transport feed a Feeder until it is closed, and returns the reason. One that cannot do
// that (Inbox.Feed) is asked for each datagram.
func Feed(t Transport, f *Feeder) error {
	if t, ok := t.(interface{ Feed(f *Feeder) error }); ok {
		return t.Feed(f)
	}
	d := Datagram{MAD: make(mad.Datagram, 0, Size)}
	for {
		if err := t.Recv(context.Background(), &d); err != nil {
			return err
		}
		f.Take(&d)
	}
}

// NewInbox creates an empty queue.
func NewInbox() *Inbox {
	return &Inbox{ring: make([]Datagram, 64), wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Push appends a copy of d. It returns false if the queue is full or closed.
func (q *Inbox) Push(d *Datagram) bool {
	q.mu.Lock()
	if q.err != nil || q.n == inboxLimit {
		if q.err == nil {
			q.dropped++
		}
		q.mu.Unlock()
		return false
	}
	if f := q.feeder; f != nil {
		q.mu.Unlock()
		f.Take(d)
		return true
	}
	if q.n == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)].CopyFrom(d)
	q.n++
	signal := q.waiting > 0
	q.mu.Unlock()
	if signal {
		q.signal()
	}
	return true
}

// Feed has the medium's reader hand over datagrams by itself, one at a time, instead of Pop. It
// returns the reason after Close.
func (q *Inbox) Feed(f *Feeder) error {
	var d Datagram
	q.mu.Lock()
	for q.err == nil && q.n > 0 {
		q.take(&d)
		q.mu.Unlock()
		f.Take(&d)
		q.mu.Lock()
	}
	q.feeder = f
	q.mu.Unlock()
	<-q.closed
	return q.Err()
}

// Rest has the medium's reader wait a moment when it has read all there was, if the Feeder is
// patient: there will be several datagrams then, and one wake-up of the process for them. It
// reports whether it has waited.
func (q *Inbox) Rest() bool {
	q.mu.Lock()
	f := q.feeder
	q.mu.Unlock()
	if f == nil || !f.IsPatient() {
		return false
	}
	moment := time.NewTimer(patience)
	defer moment.Stop()
	select {
	case <-moment.C:
	case <-q.closed:
	}
	return true
}

// patience is the time that a datagram may wait for others. Answers of a subnet come sooner.
const patience = 5 * time.Millisecond

// Pop waits for the oldest datagram and copies it into d.
func (q *Inbox) Pop(ctx context.Context, d *Datagram) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch err := ctx.Err(); {
		case q.err != nil:
			return q.err
		case q.n > 0:
			q.take(d)
			return nil
		case err != nil:
			return Cancelled(err)
		}
		q.wait(ctx)
	}
}

// wait releases the lock until there may be something new.
func (q *Inbox) wait(ctx context.Context) {
	q.waiting++
	q.mu.Unlock()
	select {
	case <-q.wake:
	case <-q.closed:
	case <-ctx.Done():
	}
	q.mu.Lock()
	q.waiting--
}

// take removes the oldest datagram, and wakes the next reader if there is another.
func (q *Inbox) take(d *Datagram) {
	x := &q.ring[q.head]
	d.CopyFrom(x)
	if cap(x.MAD) > 4*Size {
		x.MAD = nil // a whole RMPP message: the next one here is an ordinary datagram
	}
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	if q.n > 0 && q.waiting > 0 {
		q.signal()
	}
}

// Close closes the queue and drops its contents; Pop then fails with ErrClosed and the cause.
func (q *Inbox) Close(cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = Closed(cause)
		close(q.closed)
	}
}

// Check returns an error if a medium cannot be used: ErrClosed after Close, ErrCancelled if ctx has
// ended. Every call of a medium begins with it.
func (q *Inbox) Check(ctx context.Context) error {
	if err := q.Err(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return Cancelled(err)
	}
	return nil
}

// Err returns nil until Close, then the error of Pop.
func (q *Inbox) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Dropped counts the datagrams dropped because the queue was full.
func (q *Inbox) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

func (q *Inbox) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// grow doubles the ring, whose length stays a power of two.
func (q *Inbox) grow() {
	ring := make([]Datagram, 2*len(q.ring))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// Read reads from a file in non-blocking mode by a system call, and waits until it succeeds. waited
// reports whether there was nothing to read at first.
func Read(file syscall.RawConn, read func(fd int) (int, error)) (n int, waited bool, err error) {
	var failed error
	err = file.Read(func(fd uintptr) bool {
		for {
			n, failed = read(int(fd))
			if !errors.Is(failed, syscall.EINTR) {
				break
			}
		}
		if errors.Is(failed, syscall.EAGAIN) {
			waited = true
			return false
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return max(n, 0), waited, err
}
