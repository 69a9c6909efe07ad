package store

import "time"

// queue holds rows that wait to be written together.
type queue[R any] struct {
	now   func() time.Duration
	rows  []R
	since time.Duration // when the first of the rows came
}

// add adds a row. It reports whether the rows are to be written now: there are most of them, or the
// first has waited for the patience.
func (q *queue[R]) add(row *R, most int, patience time.Duration) bool {
	now := q.now()
	if len(q.rows) == 0 {
		q.since = now
	}
	q.rows = append(q.rows, *row)
	return len(q.rows) >= most || now-q.since >= patience
}
