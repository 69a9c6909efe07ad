package manage

import (
	"strings"
	"sync"
	"time"

	"weft/sm/terms"
)

// deciding stores the manager's decisions about drains, partitions and jobs, and then answers the
// clients. While some are being stored, others wait; these are then stored together. So a write to
// disk serves all decisions that came during the one before it.
type deciding struct {
	mu      sync.Mutex
	waiting []decision // the oldest first
	busy    bool       // a goroutine stores decisions, and will store those that wait
	under   sync.WaitGroup
}

// decision is an outcome that the manager has decided at a time.
type decision struct {
	terms.Action
	at time.Time
}

// add adds a decision. In the background, keep gets all decisions that wait, one call at a time.
func (d *deciding) add(a *terms.Action, keep func([]decision)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, decision{*a, time.Now()})
	if d.busy {
		return
	}
	d.busy = true
	d.under.Go(func() {
		for list := d.take(); len(list) > 0; list = d.take() {
			keep(list)
		}
	})
}

// take returns the decisions that wait. With none, the goroutine that asks must end.
func (d *deciding) take() []decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.waiting
	d.waiting, d.busy = nil, len(list) > 0
	return list
}

// decided has a decision stored in the background, and its client answered.
func (r *serving) decided(a *terms.Action) { r.deciding.add(a, r.keepDecisions) }

// keepDecisions stores the latest of the drains, partitions and jobs that were decided, and answers
// the clients.
func (r *serving) keepDecisions(list []decision) {
	var drains *decision
	var wrote *terms.Wrote
	var jobs *terms.RunningJobs
	for i := range list {
		d := &list[i]
		if d.Drains != nil {
			drains = d
		}
		if d.Wrote != nil && (wrote == nil || wrote.Order < d.Wrote.Order) {
			wrote = d.Wrote
		}
		if d.Jobs != nil && (jobs == nil || jobs.Order < d.Jobs.Order) {
			jobs = d.Jobs
		}
	}
	var noDrains, noPartitions, noJobs string // warnings
	if drains != nil {
		noDrains = r.unstored(r.state.drains(drains.at, drains.Drains), "list of drained parts")
	}
	if wrote != nil {
		noPartitions = r.unstored(r.state.wrote(wrote), "partitions of programs")
	}
	if jobs != nil {
		noJobs = r.unstored(r.state.jobs(jobs), "jobs that run")
	}
	for i := range list {
		switch d := &list[i]; {
		case d.Jobs != nil:
			r.service.DecideJobs(d.Tag, d.Jobs, noJobs, d.Err)
		case d.Wrote != nil:
			r.service.DecideWrite(d.Tag, d.Wrote, noPartitions, d.Err)
		case d.Drains != nil:
			r.service.Decide(d.Tag, d.Name, strings.Trim(d.Incident.Text+"; "+noDrains, "; "), d.Err)
		default:
			r.service.Decide(d.Tag, d.Name, d.Incident.Text, d.Err)
		}
	}
}

// unstored logs that something is not stored, and returns a warning for the client; "" without an
// error.
func (r *serving) unstored(err error, what string) (warning string) {
	if err == nil {
		return ""
	}
	if r.state.path != "" {
		r.tell(terms.Incident{Kind: terms.NotStored, Text: what + ": " + err.Error()})
	}
	return "a restart will not know it: " + err.Error()
}
