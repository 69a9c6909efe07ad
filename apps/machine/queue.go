package machine

import (
	"cmp"
	"slices"

	"weft/internal/event"
)

// occasion is something that happens to an operation: it tries to begin, or its message is at the
// target.
type occasion struct {
	number  int64 // events of one time happen in this order
	slot    int32
	arrival bool
}

// queue orders events by time, then by number. Those of the present time are in order of their
// numbers; an event that is postponed keeps its number, and is always put behind the present.
type queue struct {
	later   event.Queue[Time, occasion]
	present []occasion
	now     Time
	head    int // of present
	count   int64
}

// push adds a new event.
func (q *queue) push(at Time, e occasion) {
	e.number = q.count
	q.count++
	q.later.Put(at, e)
}

// reserve returns the first of some numbers, for events that happen without the queue.
func (q *queue) reserve(n int) int64 {
	first := q.count
	q.count += int64(n)
	return first
}

// postpone adds an event again, with its old number.
func (q *queue) postpone(at Time, e occasion) { q.later.Put(at, e) }

// next returns the time of the next event; ok is false if there is none.
func (q *queue) next() (at Time, ok bool) {
	if q.head < len(q.present) {
		return q.now, true
	}
	return q.later.Next()
}

// pop removes the next event. There must be one.
func (q *queue) pop() (at Time, e occasion) {
	if q.head == len(q.present) {
		q.gather()
	}
	q.head++
	return q.now, q.present[q.head-1]
}

// gather takes all events of the next time. Events that come in for this time later have larger
// numbers.
func (q *queue) gather() {
	q.present, q.head = q.present[:0], 0
	q.now, _ = q.later.Next()
	sorted := true
	for next, ok := q.now, true; ok && next == q.now; next, ok = q.later.Next() {
		_, e := q.later.Take()
		sorted = sorted && (len(q.present) == 0 || q.present[len(q.present)-1].number < e.number)
		q.present = append(q.present, e)
	}
	if !sorted {
		slices.SortFunc(q.present, func(a, b occasion) int { return cmp.Compare(a.number, b.number) })
	}
}
