package wire

import (
	"context"
	"sync"
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
	dropped uint64
	err     error

	wake   chan struct{}
	closed chan struct{}
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
