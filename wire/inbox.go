package wire

import (
	"context"
	"sync"
)

// inboxLimit bounds the datagrams that wait for Recv; more are dropped. It is enough
// for every request that a subnet manager has in flight, and small beside a fabric.
const inboxLimit = 1 << 16

// Inbox is the receiving half of a medium: a queue between whoever reads the
// medium, who must never wait, and Recv. It grows up to 65,536 datagrams (about
// 20 MB); datagrams beyond that are dropped, as a full receive queue of an adapter
// does.
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

// NewInbox makes an empty queue.
func NewInbox() *Inbox {
	return &Inbox{ring: make([]Datagram, 64), wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Push adds a copy of d. It reports false when the queue is full or closed.
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

// wait lets go of the lock until there may be something new.
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

// take removes the oldest datagram, and wakes up the next reader if there is another.
func (q *Inbox) take(d *Datagram) {
	x := &q.ring[q.head]
	d.CopyFrom(x)
	if cap(x.MAD) > 4*Size {
		x.MAD = nil // a whole RMPP message: the next here is an ordinary datagram
	}
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	if q.n > 0 && q.waiting > 0 {
		q.signal()
	}
}

// Close ends the queue: what waits in it is lost, and Pop fails with ErrClosed
// and the cause.
func (q *Inbox) Close(cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = Closed(cause)
		close(q.closed)
	}
}

// Check reports whether a medium can be used; every call on one begins with it. The error
// is ErrClosed after Close, and ErrCancelled when ctx has ended.
func (q *Inbox) Check(ctx context.Context) error {
	if err := q.Err(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return Cancelled(err)
	}
	return nil
}

// Err is nil until Close, then what Pop fails with.
func (q *Inbox) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Dropped counts the datagrams that found the queue full.
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
