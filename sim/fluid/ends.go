package fluid

import (
	"cmp"
	"slices"
)

// endQueue is a heap of flows by their end, then by their begin. The place of each flow is known,
// so its end may move. The heap has both by value, and places have an array of their own: what
// reads the flows misses the cache.
type endQueue struct {
	flows *[]flow
	heap  []flowEnd
	at    []int32   // by slot: the place in the heap; none: not in it
	due   []flowEnd // scratch
}

// flowEnd is the end of the flow in a slot.
type flowEnd struct {
	at    picoseconds
	order int64 // of the flow's begin
	slot  int32
}

func (e *flowEnd) before(other *flowEnd) bool {
	return e.at < other.at || e.at == other.at && e.order < other.order
}

func (q *endQueue) endOf(s int32) flowEnd {
	f := &(*q.flows)[s]
	return flowEnd{f.end, f.order, s}
}

func (q *endQueue) place(i int, e flowEnd) {
	q.heap[i] = e
	q.at[e.slot] = int32(i)
}

// late puts a flow into the queue, or leaves it there, without order; heapify comes next.
func (q *endQueue) late(s int32) {
	if q.at[s] == none {
		q.at[s] = int32(len(q.heap))
		q.heap = append(q.heap, flowEnd{slot: s})
	}
}

// heapify reads the ends of all flows again and restores the order of the queue.
func (q *endQueue) heapify() {
	for i := range q.heap {
		q.heap[i] = q.endOf(q.heap[i].slot)
	}
	q.order()
}

// order restores the order of the queue.
func (q *endQueue) order() {
	for i := (len(q.heap) - 2) / 4; i >= 0 && len(q.heap) > 1; i-- {
		q.down(i, q.heap[i])
	}
}

// set puts a flow into the queue, or to its new place.
func (q *endQueue) set(s int32) {
	i, e := q.at[s], q.endOf(s)
	if i == none {
		i = int32(len(q.heap))
		q.heap = append(q.heap, e)
	}
	q.down(q.up(int(i), e), e)
}

// up moves a flow towards the head and returns its place.
func (q *endQueue) up(i int, e flowEnd) int {
	for i > 0 && e.before(&q.heap[(i-1)/4]) {
		q.place(i, q.heap[(i-1)/4])
		i = (i - 1) / 4
	}
	return i
}

// down moves a flow from the head to its place.
func (q *endQueue) down(i int, e flowEnd) {
	for {
		first := 4*i + 1
		if first >= len(q.heap) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(q.heap)); c++ {
			if q.heap[c].before(&q.heap[least]) {
				least = c
			}
		}
		if !q.heap[least].before(&e) {
			break
		}
		q.place(i, q.heap[least])
		i = least
	}
	q.place(i, e)
}

// take removes the flows that end at the time of the head, in order of their begin.
func (q *endQueue) take() []flowEnd {
	at := q.heap[0].at
	q.due = q.due[:0]
	q.gather(0, at)
	if 2*len(q.due) < len(q.heap) {
		for i := range q.due {
			q.due[i] = q.pop()
		}
		return q.due
	}
	slices.SortFunc(q.due, func(a, b flowEnd) int { return cmp.Compare(a.order, b.order) })
	left := 0
	for _, e := range q.heap {
		if e.at != at {
			q.place(left, e)
			left++
		}
	}
	q.heap = q.heap[:left]
	q.order()
	return q.due
}

// gather lists the ends at a time, from a place of the heap on: none is below a later one.
func (q *endQueue) gather(i int, at picoseconds) {
	if i >= len(q.heap) || q.heap[i].at != at {
		return
	}
	q.due = append(q.due, q.heap[i])
	for c := 4*i + 1; c < 4*i+5; c++ {
		q.gather(c, at)
	}
}

// pop removes the flow at the head. Its place goes down to the last row, and the last flow comes up
// from there: it ends late, as a rule.
func (q *endQueue) pop() flowEnd {
	top, last := q.heap[0], len(q.heap)-1
	e := q.heap[last]
	q.heap = q.heap[:last]
	hole := 0
	for first := 1; first < last; first = 4*hole + 1 {
		least := first
		for c := first + 1; c < min(first+4, last); c++ {
			if q.heap[c].before(&q.heap[least]) {
				least = c
			}
		}
		q.place(hole, q.heap[least])
		hole = least
	}
	if last > 0 {
		q.place(q.up(hole, e), e)
	}
	return top
}
