package sweep

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"weft/lab/measure"
	"weft/route"
	"weft/route/engine"
)

// missing returns the jobs of this shard with the cases that have no result yet, and their number.
// Jobs that did not run before come last: a slice of the sweep may not get beyond them.
func (r *Run) missing(p *Plan) (jobs []*Job, cases int, err error) {
	var again []*Job
	seen := map[string]bool{}
	for _, j := range p.Jobs {
		if !r.mine(p, j) {
			continue
		}
		left := &Job{variant: j.variant, key: j.key, routing: j.routing, engine: j.engine}
		tried := false
		for _, c := range j.Cases {
			if seen[c.Row.Case] { // of another cell too
				continue
			}
			seen[c.Row.Case] = true
			have, e := r.known(c)
			if err = errors.Join(err, e); have == nil || Weak(have) {
				left.Cases = append(left.Cases, c)
				tried = tried || have != nil
			}
		}
		if len(left.Cases) == 0 {
			continue
		}
		if cases += len(left.Cases); tried {
			again = append(again, left)
		} else {
			jobs = append(jobs, left)
		}
		j.variant.opened.jobs++
	}
	return append(jobs, again...), cases, err
}

// known returns the row of a case, with the label of this sweep; nil if there is none. It keeps a
// row that comes from another store, or has new labels.
func (r *Run) known(c *Case) (*Row, error) {
	have := r.Rows[c.Row.Case]
	row := have
	if from := r.From[c.Row.Case]; from != nil && (have == nil || Weak(have) && !Weak(from)) {
		taken := *from
		taken.Identity = c.Row.Identity // a brief row lacks it; its name is the digest of it
		row = &taken
	}
	if row == nil {
		return nil, nil
	}
	label := c.Row.label()
	if row = row.as(&label); row == have {
		return row, nil
	}
	r.Rows[c.Row.Case] = row
	return row, r.Keep.Put(row)
}

// tail is the work that order sorts: for each worker this many times the longest job.
const tail = 4

// order moves long jobs ahead, by a guess, so that no worker waits long for the last job of
// another. It sorts only as many of the last jobs as that needs: the others stay in the order of
// the description, so that fabrics are dropped soon, and a slice of a sweep ends with whole
// networks.
func order(jobs []*Job, workers int) {
	if workers < 2 {
		return
	}
	longest := 0.0
	for _, j := range jobs {
		longest = max(longest, j.guess())
	}
	at, work := len(jobs), 0.0
	for at > 0 && work < tail*float64(workers)*longest {
		at--
		work += jobs[at].guess()
	}
	slices.SortStableFunc(jobs[at:], func(a, b *Job) int { return cmp.Compare(b.guess(), a.guess()) })
}

// candidates lists the engines with known efforts.
var candidates = sync.OnceValue(func() []route.Candidate { return engine.AutoSpec().Among })

// autoEffort is the effort of auto, which tries several engines: a typical value for large trees.
const autoEffort = 20

// effortOf returns the effort of an engine with these options. If that is unknown it returns the
// effort without options, and if that is unknown too the effort of most engines.
func effortOf(e *measure.Engine) float64 {
	effort := 1.0
	if e.Name == engine.Auto {
		effort = autoEffort
	}
	for _, c := range candidates() {
		if c.Step.Engine.Name != e.Name {
			continue
		}
		if maps.Equal(c.Step.Options, e.Options) {
			return float64(c.Effort)
		}
		if len(c.Step.Options) == 0 {
			effort = float64(c.Effort)
		}
	}
	return effort
}

// guess guesses how long a job takes, in any unit. It knows neither refusals nor faults.
func (j *Job) guess() float64 {
	effort := 0.0
	for i := range j.routing.Engines {
		effort = max(effort, effortOf(&j.routing.Engines[i]))
	}
	for _, c := range j.Cases {
		switch w := &c.identity.Workload; {
		case w.Packets != nil || w.App != nil && w.App.Packets:
			effort += 20
		case w.App != nil:
			effort += 5
		default:
			effort += 1.5
		}
	}
	at := j.Cases[0].Row.Place
	return effort * float64(at.Hosts+at.Switches) * float64(at.Links+at.Hosts)
}
