package routing

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/internal/fold"
	"weft/judge/jobload"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
	"weft/study"
)

// Jobs describes the bandwidth, channels and lanes of jobs under a routing.
type Jobs struct {
	// Moved counts table entries that moved for the jobs; absent if nothing was routed.
	Moved *int `json:"moved_entries,omitempty"`
	// NotMoved says why no entry could move.
	NotMoved string `json:"not_moved,omitempty"`
	// Copies counts the copies of the lanes that jobs can have, the lanes of the paths among them;
	// absent if there are no others. NoLanes says why, if they were asked for.
	Copies  int    `json:"lane_copies,omitempty"`
	NoLanes string `json:"no_lanes,omitempty"`
	*jobload.Report
	Figures []JobFigures `json:"jobs"`
}

// JobFigures holds the figures of one job.
type JobFigures struct {
	Name string `json:"name"`
	*jobload.Job
	Beside []string `json:"shares_with,omitempty"` // jobs that it shares channels with
	// EBB is the effective bisection bandwidth within the job, both ways at once; 1 is that of one
	// switch. Absent with fewer than 4 hosts.
	EBB float64 `json:"ebb,omitempty"`
	// Shifts is the largest congestion of a round of all-to-all by shifts within the job, mean over
	// rounds; 1 is that of one switch. Absent with one host.
	Shifts float64 `json:"shifts,omitempty"`
}

// Traffic within a job.
const (
	jobBisections = 100
	jobShifts     = 1 << 20 // flows at most
	leastToBisect = 4       // hosts
)

// NewJobs measures the jobs of a routing alone: each as if no other were running.
func NewJobs(ctx context.Context, g *fabric.Graph, r *planner.Result, list []jobs.Job, seed uint64, workers int) (*Jobs, error) {
	o := &Jobs{}
	if r.ForJobs != nil {
		o.Moved = &r.ForJobs.Entries
	}
	if r.NotForJobs != nil {
		o.NotMoved = r.NotForJobs.Error()
	}
	if n := len(r.Plan.JobLanes); n > 0 {
		o.Copies = n + 1
	}
	if r.NoJobLanes != nil {
		o.NoLanes = r.NoJobLanes.Error()
	}
	hosts := make([][]int32, len(list))
	for i := range list {
		hosts[i] = list[i].Hosts
	}
	var err error
	if o.Report, err = jobload.Count(ctx, g, r.Plan, hosts); err != nil {
		return nil, err
	}
	net, err := flow.New(ctx, g, r.Plan, workers)
	if err != nil {
		return nil, err
	}
	for i := range o.Report.Jobs {
		f := JobFigures{Name: list[i].Name, Job: &o.Report.Jobs[i]}
		for _, k := range f.Job.Beside {
			f.Beside = append(f.Beside, list[k].Name)
		}
		if err := f.measure(ctx, net, r.Plan, hosts[i], flow.Options{Seed: seed, Workers: workers}); err != nil {
			return nil, err
		}
		o.Figures = append(o.Figures, f)
	}
	return o, nil
}

// measure runs traffic within a job.
func (f *JobFigures) measure(ctx context.Context, net *flow.Network, plan *route.Plan, hosts []int32, opt flow.Options) error {
	for _, h := range hosts {
		if plan.Ends.Base[h] != 0 {
			opt.Hosts = append(opt.Hosts, h)
		}
	}
	if len(opt.Hosts) >= leastToBisect {
		opt.Runs, opt.Shuffle = jobBisections, true
		r, err := net.RunPattern(ctx, "bisect_fb_sym", opt)
		if err != nil {
			return err
		}
		f.EBB = r.Bandwidth.Mean
	}
	if len(opt.Hosts) < 2 {
		return nil
	}
	opt.Runs, opt.Shuffle = 1, false
	shift, place, err := net.Servers().OnPorts("shift", opt.Hosts, 0)
	if err != nil {
		return err
	}
	opt.Place = place
	sample := shift.Sample(max(1, jobShifts/len(opt.Hosts)))
	r, err := net.Run(ctx, sample, opt)
	if err == nil {
		f.Shifts = r.SumMaxCongestion.Mean / float64(max(1, r.Rounds))
	}
	return err
}

// jobsShown is the number of jobs in the short form: those with the least bandwidth.
const jobsShown = 5

// write prints the machine and the worst jobs, or all.
func (o *Jobs) write(w io.Writer, all bool) error {
	rows := [][]string{{"JOB", "HOSTS", "LARGEST", "MEAN", "CHANNELS", "SHARED", "EBB", "SHIFTS", "SHARES WITH"}}
	if o.Copies > 0 {
		rows[0] = slices.Insert(rows[0], lanesAt, "ON VL", "SL", "VL")
	}
	list := o.Figures
	if !all && len(list) > jobsShown {
		list = o.worst(jobsShown)
	}
	for i := range list {
		rows = append(rows, list[i].row(o.Copies > 0))
	}
	moved := ""
	switch {
	case o.NotMoved != "":
		moved = "no path moved for them: " + o.NotMoved + "; "
	case o.Moved != nil:
		moved = fmt.Sprintf("%s moved for them; ", fold.Count(*o.Moved, "table entry", "table entries"))
	}
	switch {
	case o.NoLanes != "":
		moved += "no lanes of their own: " + o.NoLanes + "; "
	case o.Copies > 0:
		moved += fmt.Sprintf("on %d copies of the lanes; ", o.Copies)
	}
	_, err := fmt.Fprintln(w, "jobs:", fold.Text(6, fmt.Sprintf("%s; %s%d of %d channels between switches unused (%.1f %%), at least %d (%.1f %%) with any choice of next hops",
		fold.Count(len(o.Figures), "job", "jobs"), moved, o.Unused, o.Channels, 100*o.UnusedShare, o.LeastUnused, 100*o.LeastUnusedShare)))
	if err != nil {
		return err
	}
	if err := study.Table(w, rows); err != nil || len(list) == len(o.Figures) {
		return err
	}
	_, err = fmt.Fprintf(w, "the %d jobs with the least bandwidth of %d; -v lists all\n", len(list), len(o.Figures))
	return err
}

// worst returns the jobs with the least bandwidth, in the order of names.
func (o *Jobs) worst(n int) (list []JobFigures) {
	order := fabric.Numbers(len(o.Figures))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(o.Figures[b].slow(), o.Figures[a].slow()) })
	for _, i := range slices.Sorted(slices.Values(order[:n])) {
		list = append(list, o.Figures[i])
	}
	return list
}

// slow returns how many times longer random and regular traffic takes than on one switch.
func (f *JobFigures) slow() float64 {
	slow := f.Shifts
	if f.EBB > 0 {
		slow = max(slow, 1/f.EBB)
	}
	return slow
}

// lanesAt is the index of the first of the columns about lanes.
const lanesAt = 6

// row returns the line of a job in the table, with its lanes or without.
func (f *JobFigures) row(lanes bool) []string {
	figure := func(v float64) string {
		if v == 0 {
			return "-"
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	beside := strings.Join(f.Beside[:min(len(f.Beside), besideShown)], " ")
	switch more := len(f.Beside) - besideShown; {
	case more > 0:
		beside += fmt.Sprintf(" and %d more", more)
	case beside == "":
		beside = "-"
	}
	row := []string{
		study.OneField(f.Name), strconv.Itoa(f.Hosts), strconv.FormatInt(f.Largest, 10), strconv.FormatFloat(f.Mean, 'f', 1, 64),
		strconv.Itoa(f.Channels), strconv.Itoa(f.Shared), figure(f.EBB), figure(f.Shifts), beside,
	}
	if lanes && f.SharedOnVL != nil {
		row = slices.Insert(row, lanesAt, strconv.Itoa(*f.SharedOnVL), joined(f.SLs), joined(f.VLs))
	}
	return row
}

// joined writes numbers with commas between them, "-" for none.
func joined(list []int) string {
	return cmp.Or(strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]"), "-")
}

// besideShown is the number of other jobs that a line names.
const besideShown = 3

// Checked is the document of `weft check --json`.
type Checked struct {
	*quality.Report
	Jobs *Jobs `json:"jobs,omitempty"`
}

// Write prints the report, then the jobs.
func (c *Checked) Write(w io.Writer) error { return c.write(w, c.Report.Write, false) }

// WriteAll prints every figure.
func (c *Checked) WriteAll(w io.Writer) error { return c.write(w, c.Report.WriteAll, true) }

func (c *Checked) write(w io.Writer, report func(io.Writer) error, all bool) error {
	if err := report(w); err != nil || c.Jobs == nil {
		return err
	}
	fmt.Fprintln(w)
	return c.Jobs.write(w, all)
}
