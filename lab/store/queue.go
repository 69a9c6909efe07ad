package store

import (
	"sync"
	"time"
)

// queue collects rows and writes them together: when there are most of them, or when the patience
// has passed since the first of them came. A killed process loses the waiting rows; the next run
// computes them again. It is safe for concurrent use.
type queue[R any] struct {
	most  int
	write func(rows []R) error // called by one goroutine at a time

	mu       sync.Mutex
	patience time.Duration
	rows     []R
	timer    *time.Timer // nil if no row waits
	failed   bool        // the last write: the rows wait still
}

// Put adds a row. It is on disk after Flush, or after the patience. If the timer's write fails, the
// next Put tries again and returns the error.
func (q *queue[R]) Put(row *R) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = append(q.rows, *row)
	if q.failed || len(q.rows) >= q.most {
		return q.flush()
	}
	if q.timer == nil {
		q.timer = time.AfterFunc(q.patience, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			_ = q.flush() // failed says so
		})
	}
	return nil
}

// Flush writes the waiting rows.
func (q *queue[R]) Flush() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.flush()
}

func (q *queue[R]) flush() error {
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	if len(q.rows) == 0 {
		return nil
	}
	err := q.write(q.rows)
	if q.failed = err != nil; !q.failed {
		q.rows = q.rows[:0]
	}
	return err
}
