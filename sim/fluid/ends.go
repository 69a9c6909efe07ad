package fluid

// endQueue is a heap of flows by their end, then by their begin. Each flow knows its place, so its
// end may move.
type endQueue struct {
	flows *[]flow
	heap  []int32
}

func (q *endQueue) before(a, b int32) bool {
	f := *q.flows
	return f[a].end < f[b].end || f[a].end == f[b].end && f[a].order < f[b].order
}

func (q *endQueue) place(i int, s int32) {
	q.heap[i] = s
	(*q.flows)[s].at = int32(i)
}

// late puts a flow into the queue, or leaves it there, without order; heapify comes next.
func (q *endQueue) late(s int32) {
	if f := *q.flows; f[s].at == none {
		f[s].at = int32(len(q.heap))
		q.heap = append(q.heap, s)
	}
}

// heapify restores the order of the queue.
func (q *endQueue) heapify() {
	for i := (len(q.heap) - 2) / 4; i >= 0 && len(q.heap) > 1; i-- {
		q.down(i, q.heap[i])
	}
}

// set puts a flow into the queue, or to its new place.
func (q *endQueue) set(s int32) {
	i := (*q.flows)[s].at
	if i == none {
		i = int32(len(q.heap))
		q.heap = append(q.heap, s)
	}
	q.down(q.up(int(i), s), s)
}

// up moves a flow towards the head and returns its place.
func (q *endQueue) up(i int, s int32) int {
	for i > 0 && q.before(s, q.heap[(i-1)/4]) {
		q.place(i, q.heap[(i-1)/4])
		i = (i - 1) / 4
	}
	return i
}

// down moves a flow from the head to its place.
func (q *endQueue) down(i int, s int32) {
	for {
		least := -1
		for c := 4*i + 1; c < min(4*i+5, len(q.heap)); c++ {
			if least < 0 || q.before(q.heap[c], q.heap[least]) {
				least = c
			}
		}
		if least < 0 || !q.before(q.heap[least], s) {
			q.place(i, s)
			return
		}
		q.place(i, q.heap[least])
		i = least
	}
}

// pop removes the flow at the head.
func (q *endQueue) pop() int32 {
	top := q.heap[0]
	last := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	if len(q.heap) > 0 {
		q.down(0, last)
	}
	return top
}
