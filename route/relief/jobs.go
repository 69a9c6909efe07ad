package relief

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/intree"
)

// Jobs is a request to move paths for jobs.
type Jobs struct {
	Hosts [][]int32 // by job: its host ports in the order of ranks
	// Only lists jobs by their places in Hosts: entries move only towards their hosts. nil means
	// all jobs.
	Only []int
	// Most is the maximum number of moves; 0 means any number.
	Most int
}

// Moves counts the work of ForJobs.
type Moves struct {
	Entries int  `json:"entries"` // that differ from the Plan before
	Left    bool `json:"left"`    // true if Jobs.Most prevented moves that would gain
}

const (
	// A pair in a job of n hosts has a weight of pairWeight/(n-1), because each host sends to one
	// other at a time. Any other pair of hosts has the weight 1.
	pairWeight = 1 << 20
	// Prices of two packets of one job that leave their switch by the same channel, in eighths of
	// the price of packets of two jobs: under random traffic, and in the same round of shifts.
	randomEighths, roundEighths = 4, 4
	// The maximum number of sweeps of each kind.
	jobSweeps = 6
	// mostJobMemory is the maximum number of bytes of counters and table entries.
	mostJobMemory = 1 << 30
)

// byJob is the state of ForJobs.
type byJob struct {
	g     *fabric.Graph
	old   *route.Plan
	plan  *route.Plan // new
	most  int         // moves left; negative: any number
	moves Moves
	bytes int // of counters and table entries
	*intree.Tree
	lanes
	jobs    []members
	targets []target  // sorted by switch, then by end port
	hosts   []int32   // by switch: hosts with a LID
	load    []int64   // by channel: weight of all pairs
	users   []int32   // by channel: destinations with packets of their jobs
	unused  int       // channels without users
	leaving [][]first // by channel: packets from its own switch, by job of the switch
	stamp   []int32   // by channel: the last count that passed it
	stamps  int32
	inJobs  []int64 // by switch: weight of the jobs' packets to the current destination
	routing
	changed []change
}

// members is a job in one part of the network.
type members struct {
	weight int64   // of a pair
	size   int32   // number of hosts
	on     []group // by switch
	pairs  []int32 // by channel; nil for a job on one switch
	most   int32   // the maximum of pairs before any move
}

// group is the hosts of a job on one switch.
type group struct {
	x     int32
	place int32   // of the job among those of the switch
	ranks []int32 // of the hosts in the job
}

// first counts the packets of a group on a channel out of its switch.
type first struct {
	targets int32    // destinations
	rounds  []uint16 // by round of shifts: packets
}

// target is a host as a destination of its jobs.
type target struct {
	end, home int32
	lid       fabric.LID
	fixed     bool    // its entries must not move
	ports     []uint8 // if not fixed, by switch: the new table entry, except at home
	in        []membership
}

// membership is the rank of a host in a job.
type membership struct{ job, rank int32 }

// change is a switch with another next channel than old.
type change struct{ x, old int32 }

// ForJobs moves paths between hosts of the same job to channels where they meet fewer others. It
// returns a new Plan with the same LIDs, SLs and lanes. No path grows, no job gets more pairs on
// its most loaded channel, and not more channels are unused. Errors: *Impossible, or the context's.
func ForJobs(ctx context.Context, g *fabric.Graph, plan *route.Plan, jobs *Jobs) (*route.Plan, *Moves, error) {
	r, err := newByJob(ctx, g, plan, jobs)
	if err != nil {
		return nil, nil, err
	}
	if err := r.run(ctx); err != nil {
		return nil, nil, err
	}
	if r.moves.Entries = r.writeTables(); r.moves.Entries > 0 {
		r.plan.Intended = nil
	}
	return r.plan, &r.moves, nil
}

// run moves paths in sweeps of each kind, until one gains nothing.
func (r *byJob) run(ctx context.Context) error {
	for _, step := range []func(*target) bool{r.swapWithOthers, r.reroute, r.light, r.reroute} {
		for range jobSweeps {
			if gained, err := r.sweep(ctx, step); err != nil {
				return err
			} else if !gained {
				break
			}
		}
	}
	return nil
}

// sweep calls a step for each destination, and reports whether one of them moved paths.
func (r *byJob) sweep(ctx context.Context, step func(*target) bool) (gained bool, err error) {
	for i := range r.targets {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if t := &r.targets[i]; !t.fixed && step(t) {
			gained = true
		}
	}
	return gained, nil
}

// spend takes moves from the maximum; false if there are fewer.
func (r *byJob) spend(n int) bool {
	if r.most < 0 {
		return true
	}
	if n > r.most {
		r.moves.Left = true
		return false
	}
	r.most -= n
	return true
}

// refund takes spend back.
func (r *byJob) refund(n int) {
	if r.most >= 0 {
		r.most += n
	}
}

// writeTables writes the entries that differ to the new Plan, and counts them.
func (r *byJob) writeTables() (n int) {
	for x := range int32(r.g.NumSwitches) {
		for i := range r.targets {
			if t := &r.targets[i]; !t.fixed && x != t.home && r.old.Tables.Port(x, t.lid) != t.ports[x] {
				r.plan.Tables.Set(x, t.lid, t.ports[x])
				n++
			}
		}
	}
	return n
}

func newByJob(ctx context.Context, g *fabric.Graph, plan *route.Plan, jobs *Jobs) (*byJob, error) {
	out := *plan
	out.Tables = plan.Tables.Clone()
	n := g.NumSwitches
	r := &byJob{
		g: g, old: plan, plan: &out, most: jobs.Most, Tree: intree.New(g), hosts: make([]int32, n),
		load: make([]int64, g.NumChannels), users: make([]int32, g.NumChannels), unused: g.NumChannels,
		leaving: make([][]first, g.NumChannels), stamp: make([]int32, g.NumChannels),
		inJobs: make([]int64, n), routing: newRouting(g),
	}
	if jobs.Most == 0 {
		r.most = -1
	}
	if err := r.lanes.read(g, r.plan); err != nil {
		return nil, err
	}
	if err := r.listJobs(ctx, jobs); err != nil {
		return nil, err
	}
	return r, r.readPlan(ctx)
}

// errTooLarge is the error of jobs whose counters would take too much memory.
var errTooLarge = &Impossible{"the network and its jobs are too large"}

// listJobs lists jobs and their hosts. A job in several parts of the network that no cable joins is
// a job in each of them.
func (r *byJob) listJobs(ctx context.Context, jobs *Jobs) error {
	g := r.g
	component, n := g.Components()
	numbers, targets := make([]int32, g.NumSwitches), make([]*target, g.NumHosts)
	only := map[int]bool{}
	for _, j := range jobs.Only {
		only[j] = true
	}
	for j, hosts := range jobs.Hosts {
		if err := ctx.Err(); err != nil {
			return err
		}
		parts := make([][]int32, n)
		if err := r.split(hosts, component, parts); err != nil {
			return err
		}
		for _, part := range parts {
			if len(part) < 2 {
				continue
			}
			m := members{weight: pairWeight / int64(len(part)-1), size: int32(len(part))}
			for rank, h := range part {
				if targets[h] == nil {
					targets[h] = &target{end: h, home: g.EndSwitch[h], lid: r.plan.Ends.Base[h], fixed: true}
				}
				t := targets[h]
				t.in = append(t.in, membership{int32(len(r.jobs)), int32(rank)})
				t.fixed = t.fixed && jobs.Only != nil && !only[j]
				m.add(t.home, int32(rank), numbers)
			}
			if len(m.on) > 1 { // else none of its packets passes a channel
				if err := r.reserve(4 * g.NumChannels); err != nil {
					return err
				}
				m.pairs = make([]int32, g.NumChannels)
			}
			r.jobs = append(r.jobs, m)
		}
	}
	for _, t := range targets {
		if t != nil {
			r.targets = append(r.targets, *t)
		}
	}
	slices.SortStableFunc(r.targets, func(a, b target) int { return cmp.Compare(a.home, b.home) })
	if err := r.makeCells(numbers); err != nil {
		return err
	}
	return r.readTables()
}

// split lists the hosts of a job by part of the network. Hosts without a LID and repeated ones do
// not count.
func (r *byJob) split(hosts, component []int32, parts [][]int32) error {
	g, ends := r.g, &r.plan.Ends
	type port struct{ part, node int32 }
	met := make(map[port]int32, len(hosts))
	for _, h := range hosts {
		part := component[g.EndSwitch[h]]
		at := port{part, g.EndNode[h]}
		switch other, has := met[at]; {
		case ends.Base[h] == 0 || has && other == h:
		case ends.LMC[h] > 0:
			return &Impossible{"hosts have several LIDs"}
		case has:
			return &Impossible{"hosts have several ports in one network, whose paths may be separate on purpose"}
		default:
			met[at], parts[part] = h, append(parts[part], h)
		}
	}
	return nil
}

// add adds a host to its group. numbers counts groups by switch.
func (m *members) add(x, rank int32, numbers []int32) {
	i := slices.IndexFunc(m.on, func(p group) bool { return p.x == x })
	if i < 0 {
		i = len(m.on)
		m.on = append(m.on, group{x: x, place: numbers[x]})
		numbers[x]++
	}
	m.on[i].ranks = append(m.on[i].ranks, rank)
}

// reserve counts memory before it is taken.
func (r *byJob) reserve(bytes int) error {
	if r.bytes += bytes; r.bytes > mostJobMemory {
		return errTooLarge
	}
	return nil
}

// makeCells makes the counters of packets that leave their switch.
func (r *byJob) makeCells(numbers []int32) error {
	for c := range r.leaving {
		r.leaving[c] = make([]first, numbers[r.g.From[c]])
	}
	for j := range r.jobs {
		m := &r.jobs[j]
		if m.pairs == nil {
			continue
		}
		for _, p := range m.on {
			out := r.g.OutOf(p.x)
			if err := r.reserve(2 * len(out) * int(m.size)); err != nil {
				return err
			}
			rounds := make([]uint16, len(out)*int(m.size))
			for _, c := range out {
				r.leaving[c][p.place].rounds, rounds = rounds[:m.size:m.size], rounds[m.size:]
			}
		}
	}
	return nil
}

// readTables reads the table entries that may move.
func (r *byJob) readTables() error {
	var movable []*target
	for i := range r.targets {
		if t := &r.targets[i]; !t.fixed {
			movable = append(movable, t)
		}
	}
	n := r.g.NumSwitches
	if err := r.reserve(n * len(movable)); err != nil {
		return err
	}
	ports := make([]uint8, n*len(movable))
	for _, t := range movable {
		t.ports, ports = ports[:n:n], ports[n:]
	}
	for x := range int32(n) {
		for _, t := range movable {
			t.ports[x] = r.old.Tables.Port(x, t.lid)
		}
	}
	return nil
}

// readPlan counts the packets of all pairs of hosts, and the dependencies of all paths.
func (r *byJob) readPlan(ctx context.Context) error {
	g, ends := r.g, &r.plan.Ends
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) && ends.Base[h] != 0 {
			r.hosts[g.EndSwitch[h]]++
		}
	}
	for end, base := range ends.Base {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range ends.Count(int32(end)) {
			r.Tree.Read(r.plan.Tables, g.EndSwitch[end], base+fabric.LID(k), r.hosts)
			r.noteDependencies(int32(end), base+fabric.LID(k), r.Tree)
			if k == 0 && g.IsHost(int32(end)) {
				r.putOthers(1)
			}
		}
	}
	if err := r.arrange(); err != nil {
		return err
	}
	fixed := make([]uint8, g.NumSwitches)
	for i := range r.targets {
		t := &r.targets[i]
		if t.fixed {
			for x := range fixed {
				fixed[x] = r.old.Tables.Port(int32(x), t.lid)
			}
			t.ports = fixed
		}
		if r.put(t, 1); t.fixed {
			t.ports = nil
		}
	}
	for j := range r.jobs {
		m := &r.jobs[j]
		for _, n := range m.pairs {
			m.most = max(m.most, n)
		}
	}
	return nil
}
