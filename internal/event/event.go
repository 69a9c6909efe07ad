// Package event orders the events of a simulation by time. Events of one time keep the order of
// their insertion.
//
// The queue is a radix heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, "Faster
// algorithms for the shortest path problem", J. ACM 37(2), 1990). It relies on simulation time only
// moving forward. Bucket b holds the events whose time differs from the present in bit b-1 and in
// no higher bit; bucket 0 holds the present ones. When bucket 0 is empty, the present moves to the
// first time of the lowest nonempty bucket, and the events of that bucket move to lower ones. An
// event moves at most once per bit of its waiting time, always to the end of an array, so the cost
// does not grow with the number of events. All events of one time are in one bucket, in the order
// of insertion, so no sequence number is stored.
package event

import "math/bits"

// Queue holds the pending events. T is the unit of time, E describes an event; a small E without
// pointers is the fastest. The zero value is empty, at time 0. Not for concurrent use.
type Queue[T ~int64, E any] struct {
	now      T                // time of the event taken last
	head     int              // number of events taken from bucket 0
	size     int              // events in all buckets
	occupied uint64           // bit b: bucket b holds events
	first    [64]T            // by occupied bucket, the earliest time in it
	buckets  [64][]item[T, E] // bits of a positive time
}

// item is an event with its time.
type item[T ~int64, E any] struct {
	at    T
	event E
}

// Len returns the number of pending events.
func (q *Queue[T, E]) Len() int { return q.size }

// Put adds an event. Its time must not be before the event taken last.
func (q *Queue[T, E]) Put(at T, e E) {
	if at < q.now {
		panic("event: an event in the past")
	}
	q.size++
	q.place(item[T, E]{at, e})
}

// place appends an event to its bucket.
func (q *Queue[T, E]) place(i item[T, E]) {
	b := bits.Len64(uint64(i.at ^ q.now))
	if q.occupied>>b&1 == 0 {
		q.occupied |= 1 << b
		q.first[b] = i.at
	} else if i.at < q.first[b] {
		q.first[b] = i.at
	}
	q.buckets[b] = append(q.buckets[b], i)
}

// Next returns the time of the next event; ok is false if there is none.
func (q *Queue[T, E]) Next() (at T, ok bool) {
	if q.size == 0 {
		return 0, false
	}
	return q.first[bits.TrailingZeros64(q.occupied)], true
}

// Take removes the next event. The queue must not be empty.
func (q *Queue[T, E]) Take() (at T, e E) {
	if q.occupied&1 == 0 {
		q.advance()
	}
	next := q.buckets[0][q.head]
	q.head++
	q.size--
	if q.head == len(q.buckets[0]) {
		q.buckets[0], q.head = q.buckets[0][:0], 0
		q.occupied &^= 1
	}
	return next.at, next.event
}

// advance moves the present to the time of the next event, and the events of its bucket to lower
// ones.
func (q *Queue[T, E]) advance() {
	b := bits.TrailingZeros64(q.occupied)
	q.now = q.first[b]
	moving := q.buckets[b]
	q.occupied &^= 1 << b
	q.buckets[b] = moving[:0]
	for _, i := range moving {
		q.place(i)
	}
}
