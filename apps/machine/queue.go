package machine

// event is something that happens to an operation: it tries to begin, or its message is at the
// target.
type event struct {
	at      Time
	number  int64 // events of one time happen in this order
	slot    int32
	arrival bool
}

// queue orders events by time, then by number. It is a heap of four children a node, since an event
// that is postponed keeps its number.
type queue struct {
	events []event
	count  int64
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.number < o.number
}

// push adds a new event.
func (q *queue) push(e event) {
	e.number = q.count
	q.count++
	q.add(e)
}

// postpone adds an event again, with its old number.
func (q *queue) postpone(e event, at Time) {
	e.at = at
	q.add(e)
}

func (q *queue) add(e event) {
	q.events = append(q.events, e)
	i := len(q.events) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&q.events[parent]) {
			break
		}
		q.events[i] = q.events[parent]
		i = parent
	}
	q.events[i] = e
}

// pop removes the next event.
func (q *queue) pop() event {
	top := q.events[0]
	n := len(q.events) - 1
	last := q.events[n]
	q.events = q.events[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if q.events[c].before(&q.events[least]) {
				least = c
			}
		}
		if !q.events[least].before(&last) {
			break
		}
		q.events[i] = q.events[least]
		i = least
	}
	q.events[i] = last
	return top
}
