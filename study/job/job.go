package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/apps/collective"
	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/jobs"
	"weft/planner"
	"weft/sim/flow"
	"weft/study"
	"weft/study/app"
)

// Job is the document of `weft job --json` about a job. Times of an exchange are in times of an
// ideal network, on which only hosts limit it: in an exchange each node of a job sends the same
// amount to every other one.
type Job struct {
	Fabric  string          `json:"fabric"`
	Engine  string          `json:"engine,omitempty"` // none: tables of a file
	Refused []study.Refusal `json:"refused,omitempty"`
	Choice  *planner.Choice `json:"auto,omitempty"` // how engine auto chose the engine
	Name    string          `json:"job"`
	Nodes   int             `json:"nodes"`
	List    string          `json:"node_list"` // as Slurm writes it
	Leaves  int             `json:"leaves"`    // switches with nodes of the job
	Pods    int             `json:"pods"`      // groups of leaves that share a switch above
	// EBB is the effective bandwidth over random bisections of the nodes, as a share of a host's
	// link; Shift an exchange in rounds, with nodes in the order of leaves.
	EBB         flow.Summary    `json:"ebb"`
	Shift       flow.Collective `json:"shift"`
	Collectives []Collective    `json:"collectives"` // by flows, without other jobs
	Alone       float64         `json:"alone"`       // time of an exchange without other jobs
	SlowDown    float64         `json:"slow_down"`   // time with all jobs, divided by the time alone
	Cables      int             `json:"cables"`      // on the paths between its nodes
	Others      int             `json:"other_jobs"`  // that were given
	Shares      []Shared        `json:"shares"`      // jobs that use a cable of this one, the worst first
	// Trouble lists the hot and sick cables of its paths.
	Trouble  []Trouble `json:"trouble"`
	Counters bool      `json:"counters"` // counters of ports were given
	// Placements are other choices of nodes, the best first; that of the job is among them.
	Placements []Placement `json:"placements"`
	Free       int         `json:"free"` // nodes to choose from
}

// Collective is a collective operation on the nodes of the job.
type Collective struct {
	Program string  `json:"program"`
	TimeNS  float64 `json:"time_ns"`
	IdealNS float64 `json:"ideal_ns"` // on one switch for all hosts
	Cost    float64 `json:"cost"`     // TimeNS divided by IdealNS
}

// Shared describes a job that uses cables of this one.
type Shared struct {
	Job      string          `json:"job"`
	User     string          `json:"user,omitempty"`
	Nodes    int             `json:"nodes"`        // of the other job
	Common   int             `json:"common_ports"` // host ports of both jobs
	Cables   int             `json:"cables"`
	Worst    fabric.PortName `json:"worst_cable"` // port that sends on the fullest link of both
	SlowDown float64         `json:"slow_down"`   // of this job by that one alone
	Slows    float64         `json:"slows"`       // that job by this one alone
}

// Request describes a question.
type Request struct {
	Job      jobs.Job
	Beside   []jobs.Job
	Programs []string // collectives; nil for the usual ones
	Free     []int32  // host ports to choose from; nil for those that no job of Beside has
	Seed     uint64   // of the random placement
	Odd      []cables.Odd
	Hot      []Hot
	Counters bool // Odd and Hot come from counters too
	Workers  int
}

// Ask answers a question about a job.
func Ask(ctx context.Context, g *fabric.Graph, routing *planner.Result, req *Request) (*Job, error) {
	others := slices.DeleteFunc(slices.Clone(req.Beside), func(j jobs.Job) bool { return sameHosts(j.Hosts, req.Job.Hosts) })
	t, err := newTable(ctx, g, routing, req, others)
	if err != nil {
		return nil, err
	}
	m, err := t.member(ctx, &req.Job)
	if err != nil {
		return nil, err
	}
	if m.nodes < 2 {
		return nil, errors.New("a job of one node sends nothing over the fabric: give two nodes or more")
	}
	j := &Job{
		Fabric: g.Name, Refused: study.RefusalsOf(routing.Refused), Choice: routing.Choice, Name: req.Job.String(), Nodes: m.nodes,
		List: t.find.List(m.Hosts), Others: len(others), Alone: m.alone, Counters: req.Counters, Free: t.free(),
	}
	if routing.Engine != nil {
		j.Engine = routing.Engine.Name
	}
	j.Leaves, j.Pods = t.spans(m.Hosts)
	if err := j.yardstick(ctx, t, m); err != nil {
		return nil, err
	}
	j.share(t, m)
	j.Cables, j.Trouble = len(t.cablesOf(m)), t.trouble(m, req)
	if j.Placements, err = t.placements(ctx, m.nodes, m); err != nil {
		return nil, err
	}
	given := slices.IndexFunc(j.Placements, func(p Placement) bool { return p.Strategy == asGiven })
	j.SlowDown = j.Placements[given].SlowDown
	j.Collectives, err = collectives(ctx, g, routing, m, req)
	return j, err
}

// sameHosts reports whether two sets of hosts are equal.
func sameHosts(a, b []int32) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// yardstick measures the traffic between the job's nodes.
func (j *Job) yardstick(ctx context.Context, t *table, m *member) error {
	opt := flow.Options{Runs: study.UsualRuns(len(m.Hosts)), Seed: t.req.Seed, ByRate: true, Workers: t.workers}
	measure := func(pattern string, hosts []int32, shuffle bool, rounds int) (*flow.Result, int, error) {
		p, place, err := t.servers.OnServers(pattern, hosts, 0)
		if err != nil {
			return nil, 0, err
		}
		all := p.Rounds
		if rounds > 0 {
			p = p.Sample(rounds)
		}
		opt := opt
		opt.Place, opt.Shuffle = place, shuffle
		r, err := t.net.Run(ctx, p, opt)
		return r, all, err
	}
	bisections, _, err := measure("bisect", m.Hosts, true, 0)
	if err != nil {
		return err
	}
	j.EBB = bisections.Bandwidth
	shifts, all, err := measure("shift", t.inLeafOrder(m.Hosts), false, max(1, flowsMost/len(m.Hosts)))
	if err != nil {
		return err
	}
	mean := shifts.SumMaxCongestion.Mean / float64(shifts.Rounds)
	j.Shift = flow.Collective{Rounds: shifts.Rounds, Mean: mean, Sum: mean * float64(all)}
	return nil
}

// share lists the jobs that use cables of this one.
func (j *Job) share(t *table, m *member) {
	own := t.cablesOf(m)
	for _, o := range t.others {
		if !o.meets(m) {
			continue
		}
		s := Shared{Job: o.Name, User: o.User, Nodes: o.nodes}
		for cable := range t.cablesOf(o) {
			if own[cable] {
				s.Cables++
			}
		}
		for _, h := range o.Hosts {
			if slices.Contains(m.Hosts, h) {
				s.Common++
			}
		}
		s.Worst = t.net.LinkPort(fullestOfBoth(m, o))
		times := equilibrium([]*member{m, o})
		s.SlowDown, s.Slows = times[0]/m.alone, times[1]/o.alone
		j.Shares = append(j.Shares, s)
	}
	slices.SortStableFunc(j.Shares, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(b.SlowDown, a.SlowDown), cmp.Compare(b.Cables, a.Cables))
	})
}

// fullestOfBoth returns the fullest link that both jobs use.
func fullestOfBoth(m, o *member) int32 {
	at, most, k := int32(0), 0.0, 0
	for _, l := range m.load {
		for k < len(o.load) && o.load[k].link < l.link {
			k++
		}
		if k < len(o.load) && o.load[k].link == l.link && l.share+o.load[k].share > most {
			at, most = l.link, l.share+o.load[k].share
		}
	}
	return at
}

// largeJob is the number of nodes above which an all-to-all has too many messages for a quick
// answer.
const largeJob = 512

// programs returns the collectives of a job.
func programs(nodes int) []string {
	if nodes > largeJob {
		return []string{"allreduce(halving,size=64MiB)"}
	}
	return []string{"allreduce(ring,size=64MiB)", "alltoall(atonce,size=64KiB)"}
}

// collectives runs collective operations on the nodes of a job, by flows. Rank i is node i of its
// list.
func collectives(ctx context.Context, g *fabric.Graph, routing *planner.Result, m *member, req *Request) (out []Collective, err error) {
	var file strings.Builder
	rank, last := 0, int32(-1)
	find := jobs.NewFinder(g)
	for _, h := range m.Hosts {
		if server := find.Server(h); server != last {
			fmt.Fprintf(&file, "%d %s\n", rank, g.EndNodeGUID[h])
			rank, last = rank+1, server
		}
	}
	texts := req.Programs
	if texts == nil {
		texts = programs(m.nodes)
	}
	for _, text := range texts {
		p, err := app.Open(text, collective.Defaults{Ranks: rank})
		if err != nil {
			return nil, err
		}
		if p.Ranks() > rank {
			return nil, fmt.Errorf("%s: %d ranks on the %d nodes of the job", text, p.Ranks(), rank)
		}
		r := app.Usual()
		r.Jobs, r.Placement, r.File, r.Workers = []*app.Program{p}, "file", firstLines(file.String(), p.Ranks()), req.Workers
		run, err := app.On(ctx, g, routing, &r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		out = append(out, Collective{text, run.EndNS, run.IdealNS, run.Cost})
	}
	return out, nil
}

// firstLines returns the first lines of a text.
func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}
