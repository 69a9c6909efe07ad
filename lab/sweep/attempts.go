package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Attempts lets a worker go on behind a job that kills it: one that needs more memory or time than
// the worker has. The caller notes which jobs are under way, where a kill leaves the note, and
// gives it to the next run of the worker.
type Attempts struct {
	// Mark notes that a job begins, or that it has ended. It is safe for concurrent use.
	Mark func(job string, begins bool) error
	// Ended holds the jobs that were under way when earlier runs of the worker were killed. Such a
	// job runs before the others, and alone, so that another kill is its own. With mostEnds kills
	// it is given up: its cases are "not run".
	Ended map[string]Ends
}

// Ends says how often a run of a worker was killed while a job was under way, and why, in words.
type Ends struct {
	N   int
	Why string
}

// mostEnds is the number of kills after which a job is given up.
const mostEnds = 3

// name names a job in notes about attempts.
func (j *Job) name() string {
	sum := sha256.Sum256([]byte(j.key))
	return hex.EncodeToString(sum[:12])
}

// givenUp reports whether a job is given up.
func (a *Attempts) givenUp(j *Job) bool { return a.Ended[j.name()].N >= mostEnds }

// suspects runs the jobs at which a worker was killed, or gives them up. It returns the others.
func (r *Run) suspects(ctx context.Context, jobs []*Job) (others []*Job, err error) {
	for _, j := range jobs {
		ends := r.Ended[j.name()]
		switch {
		case ends.N == 0:
			others = append(others, j)
			continue
		case r.givenUp(j):
			err = r.giveUp(j, &ends)
		default:
			err = r.job(ctx, j, max(1, r.Workers))
		}
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

// giveUp stores that the cases of a job were not run.
func (r *Run) giveUp(j *Job, ends *Ends) error {
	defer j.variant.opened.done()
	for _, c := range j.Cases {
		row := c.Row
		row.Status, row.Reason = NotRun, fmt.Sprintf("given up: %d runs of the worker ended at it: %s", ends.N, ends.Why)
		if err := r.put(&row); err != nil {
			return err
		}
	}
	return nil
}
