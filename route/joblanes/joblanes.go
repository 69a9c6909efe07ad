package joblanes

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Request asks for lanes for jobs.
type Request struct {
	Hosts [][]int32 // by job: its host ports
	// Only lists the jobs that get lanes, by their places in Hosts. The others run, and their pairs
	// keep their SLs. nil means all jobs.
	Only []int
	// Given holds, by job, the copy of each job that Only leaves out, for a Plan that was routed
	// afresh. A job whose copy does not exist gets another one. nil: as in the Plan.
	Given []int
	// Copies is the maximum number of copies, the lanes of the paths among them; 0: as many as fit.
	// It has no effect on a Plan that has copies.
	Copies int
	MaxVLs int    // data VLs that may be used; 0: as many as the hardware has, 8 if unknown
	Held   uint16 // set of SLs with another use, such as those of partitions
	// InUse says that hosts run on the Plan: without copies it is refused, with the reason why it
	// has none.
	InUse bool
}

// Ask returns the Request for a number of copies; nil for 0.
func Ask(copies int) *Request {
	if copies == 0 {
		return nil
	}
	return &Request{Copies: copies}
}

// Asked returns the number of copies of a Request that may be nil, as for Ask.
func (r *Request) Asked() int {
	if r == nil {
		return 0
	}
	return r.Copies
}

// Lanes describes the lanes of jobs.
type Lanes struct {
	Copies int    `json:"copies"` // of the lanes of the paths, these among them
	VLs    int    `json:"vls"`    // of the Plan, with all copies
	Jobs   []Lane `json:"-"`      // by job
}

// Lane describes the lanes of one job.
type Lane struct {
	Copy int `json:"copy"` // 0 for the lanes of the paths, i+1 for Plan.JobLanes[i]
	// Shared counts the channels between switches that it shares with jobs on the same copy.
	Shared int `json:"channels_shared_on_lane"`
}

// Give returns a Plan with the same paths and with lanes for jobs. Errors: *route.Refusal if no
// lane is left, or the context's.
func Give(ctx context.Context, g *fabric.Graph, plan *route.Plan, req *Request) (*route.Plan, *Lanes, error) {
	out := *plan
	if plan.SL == nil || plan.SL2VL == nil {
		return nil, nil, route.Refuse(stage, "route again, or give the files of the lanes", "the lanes of the paths are unknown")
	}
	if len(plan.JobLanes) == 0 {
		switch err := copyLanes(g, &out, req); {
		case err != nil:
			return nil, nil, err
		case req.InUse:
			return nil, nil, route.Refuse(stage, "route from scratch", "the lanes of a Plan stay while hosts run on it")
		}
	}
	if len(req.Hosts) == 0 && (len(plan.JobLanes) == 0 || req.InUse) { // no pair is on a copy
		return &out, &Lanes{Copies: len(out.JobLanes) + 1, VLs: out.VLs}, nil
	}
	w := &work{g: g, old: plan, plan: &out, req: req, held: make([]bool, len(req.Hosts))}
	for j := range w.held {
		w.held[j] = req.Only != nil && !slices.Contains(req.Only, j)
	}
	lanes, err := w.run(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &out, lanes, nil
}

// stage is the name of this stage in refusals.
const stage = "lanes for jobs"

// work is the state of Give.
type work struct {
	g         *fabric.Graph
	old, plan *route.Plan // plan is new
	req       *Request
	held      []bool  // by job: it runs, and its pairs keep their SLs
	lane      []int   // by job: its copy
	jobs      [][]int // by end port: its jobs, ascending; nil for none
}

func (w *work) run(ctx context.Context) (*Lanes, error) {
	shared, err := w.countShared(ctx)
	if err != nil {
		return nil, err
	}
	w.lane = make([]int, len(w.held))
	copies := len(w.plan.JobLanes) + 1
	for j, held := range w.held {
		switch w.lane[j] = -1; {
		case held && w.req.Given == nil:
			w.lane[j] = w.copyOf(w.req.Hosts[j])
		case held && w.req.Given[j] < copies:
			w.lane[j] = w.req.Given[j]
		}
	}
	colour(w.lane, shared, copies)
	w.setSLs()
	lanes := &Lanes{Copies: copies, VLs: w.plan.VLs}
	for j := range w.req.Hosts {
		lane := Lane{Copy: w.lane[j]}
		for k, n := range shared[j] {
			if k != j && w.lane[k] == w.lane[j] {
				lane.Shared += int(n)
			}
		}
		lanes.Jobs = append(lanes.Jobs, lane)
	}
	return lanes, nil
}

// copyOf returns the copy that a job has in the old Plan: that of most pairs of neighbours in its
// list. A pair that is in another job, too, may have another copy.
func (w *work) copyOf(hosts []int32) int {
	count := make([]int, len(w.plan.JobLanes)+1)
	from := int32(-1)
	for _, h := range hosts {
		lid := w.old.Ends.Base[h]
		if lid == 0 {
			continue
		}
		if from >= 0 {
			_, number := w.old.UncopySL(w.old.SL.At(from, lid))
			count[number]++
		}
		from = h
	}
	return slices.Index(count, slices.Max(count))
}
