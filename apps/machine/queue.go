package machine

import (
	"cmp"
	"container/heap"
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

// queue orders events by time, then by number. An event that is postponed keeps its number.
type queue struct {
	later   event.Queue[Time, occasion] // after the present
	present []occasion                  // in order of their numbers
	again   byNumber                    // of the present: postponed, but only behind others
	now     Time
	head    int // of present
	count   int64
}

// push adds a new event.
func (q *queue) push(at Time, e occasion) {
	e.number = q.count
	q.count++
	if at != q.now {
		q.later.Put(at, e)
		return
	}
	// It has the largest number. What has happened makes room.
	if 2*q.head >= len(q.present) {
		q.present, q.head = append(q.present[:0], q.present[q.head:]...), 0
	}
	q.present = append(q.present, e)
}

// reserve returns the first of some numbers, for events that happen without the queue. They happen
// before the next event.
func (q *queue) reserve(at Time, n int) int64 {
	q.now = at
	first := q.count
	q.count += int64(n)
	return first
}

// postpone adds an event again, with its old number.
func (q *queue) postpone(at Time, e occasion) {
	if at == q.now {
		heap.Push(&q.again, e)
		return
	}
	q.later.Put(at, e)
}

// isPast reports whether all events of the present have happened.
func (q *queue) isPast() bool { return q.head == len(q.present) && len(q.again) == 0 }

// next returns the time of the next event; ok is false if there is none.
func (q *queue) next() (at Time, ok bool) {
	if !q.isPast() {
		return q.now, true
	}
	return q.later.Next()
}

// pop removes the next event. There must be one.
func (q *queue) pop() (at Time, e occasion) {
	if q.isPast() {
		q.gather()
	}
	if len(q.again) > 0 && (q.head == len(q.present) || q.again[0].number < q.present[q.head].number) {
		return q.now, heap.Pop(&q.again).(occasion)
	}
	q.head++
	return q.now, q.present[q.head-1]
}

// gather takes all events of the next time. Events that are pushed for this time later have larger
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

// byNumber is a heap of events by number. Few events get here: costs of zero put them.
type byNumber []occasion

func (h byNumber) Len() int           { return len(h) }
func (h byNumber) Less(i, k int) bool { return h[i].number < h[k].number }
func (h byNumber) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }
func (h *byNumber) Push(e any)        { *h = append(*h, e.(occasion)) }

func (h *byNumber) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
