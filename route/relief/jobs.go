package relief

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/intree"
)

// Jobs is a request to move paths for jobs.
type Jobs struct {
	Hosts [][]int32 // by job: its host ports
	// Only lists the jobs, by their places in Hosts, towards whose hosts entries may move; nil: all.
	Only []int
	// Most is the maximum number of entries that move; 0: any number.
	Most int
}

// Moves counts the work of ForJobs.
type Moves struct {
	Moved int  `json:"moved"` // entries
	Left  bool `json:"left"`  // true if the maximum number of entries ended the work
}

// A pair of hosts in a job of n hosts has a weight of jobUnit/(n-1), since each host sends to one
// other at a time; any other pair has the weight 1.
const jobUnit = 1 << 20

// jobSweeps is the maximum number of sweeps over all destinations.
const jobSweeps = 6

// byJob is the state of ForJobs.
type byJob struct {
	g     *fabric.Graph
	plan  *route.Plan
	moves Moves
	*intree.Tree
	lanes
	targets []target
	jobs    []members
	hosts   []int32      // by switch: hosts with a LID
	places  []int32      // by switch: jobs with hosts on it
	load    []int64      // by channel: weight of all pairs
	users   []int32      // by channel: destinations with packets of a job
	rounds  [][][]uint16 // by channel, place of a job on its switch, round: packets of the switch's hosts
	first   [][]int32    // by channel and place of a job on its switch: destinations of the job
	count   []int32      // by switch: weight of the sources of the current destination
	inJobs  []int32      // by switch: packets of jobs that pass it
	sum     []int32      // by switch: packets of one job that pass it
	price   []int64      // by switch: least price of a path to the current destination
	wanted  []int32      // by switch: its next channel with the least price
	changed []change
	bonus   int64
}

// members is a job.
type members struct {
	weight int64  // of a pair
	on     []part // by switch
	hosts  []int32
	size   int32
	pairs  []int32 // by channel
	most   int32   // the most pairs on a channel that it may have
}

// part holds the hosts of a job on a switch.
type part struct {
	x, n  int32
	place int32 // among the jobs of the switch
	ranks []int32
}

// target is a destination of jobs.
type target struct {
	end   int32
	lid   fabric.LID
	jobs  []int32 // with this host
	ranks []int32
}

// change is a switch with another next channel than before.
type change struct{ x, old int32 }

// ForJobs moves paths between hosts of the same job to channels where they meet fewer others. The
// given Plan stays unchanged. Errors: *Impossible, or the context's.
func ForJobs(ctx context.Context, g *fabric.Graph, plan *route.Plan, jobs *Jobs) (*route.Plan, *Moves, error) {
	r, err := newByJob(ctx, g, plan, jobs)
	if err != nil {
		return nil, nil, err
	}
	if Scratch {
		for k := range jobSweeps {
			n := r.swapAll()
			_ = k
			if n == 0 {
				break
			}
		}
	}
	for range jobSweeps {
		moved := r.moves.Moved
		for i := range r.targets {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			r.visit(&r.targets[i])
		}
		if r.moves.Moved == moved {
			break
		}
	}
	return r.plan, &r.moves, nil
}

func newByJob(ctx context.Context, g *fabric.Graph, plan *route.Plan, jobs *Jobs) (*byJob, error) {
	out := *plan
	out.Tables = plan.Tables.Clone()
	n := g.NumSwitches
	r := &byJob{
		g: g, plan: &out, Tree: intree.New(g), hosts: make([]int32, n), places: make([]int32, n),
		load: make([]int64, g.NumChannels), users: make([]int32, g.NumChannels), first: make([][]int32, g.NumChannels), rounds: make([][][]uint16, g.NumChannels),
		count: make([]int32, n), inJobs: make([]int32, n), sum: make([]int32, n), price: make([]int64, n), wanted: make([]int32, n),
	}
	if err := r.lanes.read(g, r.plan); err != nil {
		return nil, err
	}
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) && plan.Ends.Base[h] != 0 {
			r.hosts[g.EndSwitch[h]]++
		}
	}
	r.listJobs(jobs)
	if err := r.readAll(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// listJobs lists the jobs by switch, and their hosts as destinations.
func (r *byJob) listJobs(jobs *Jobs) {
	g, of := r.g, make([]int32, r.g.NumHosts)
	for j, hosts := range jobs.Hosts {
		m := members{pairs: make([]int32, g.NumChannels)}
		number, known := map[int32]int{}, 0
		for _, h := range hosts {
			if r.plan.Ends.Base[h] == 0 {
				continue
			}
			known++
			x := g.EndSwitch[h]
			if _, ok := number[x]; !ok {
				number[x] = len(m.on)
				m.on = append(m.on, part{x: x, place: r.places[x]})
				r.places[x]++
			}
			m.on[number[x]].n++
			m.on[number[x]].ranks = append(m.on[number[x]].ranks, int32(known-1))
			if of[h] == 0 {
				r.targets = append(r.targets, target{end: h, lid: r.plan.Ends.Base[h]})
				of[h] = int32(len(r.targets))
			}
			t := &r.targets[of[h]-1]
			t.jobs = append(t.jobs, int32(j))
			t.ranks = append(t.ranks, int32(known-1))
		}
		slices.SortFunc(m.on, func(a, b part) int { return int(a.x - b.x) })
		m.size = int32(known)
		m.weight = jobUnit / int64(max(1, known-1))
		r.jobs = append(r.jobs, m)
	}
	for c := range r.first {
		r.first[c] = make([]int32, r.places[g.From[c]])
		r.rounds[c] = make([][]uint16, r.places[g.From[c]])
	}
	for j := range r.jobs {
		for _, p := range r.jobs[j].on {
			for _, c := range g.OutOf(p.x) {
				r.rounds[c][p.place] = make([]uint16, r.jobs[j].size)
			}
		}
	}
}

// readAll counts the packets of all pairs of hosts, and the dependencies of all paths.
func (r *byJob) readAll(ctx context.Context) error {
	for end, base := range r.plan.Ends.Base {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range r.plan.Ends.Count(int32(end)) {
			lid := base + fabric.LID(k)
			r.Tree.Read(r.plan.Tables, r.g.EndSwitch[end], lid, r.hosts)
			r.noteDependencies(int32(end), lid, r.Tree)
			if k == 0 && r.g.IsHost(int32(end)) {
				for _, x := range r.Order {
					r.load[r.Next[x]] += r.Flow[x]
				}
			}
		}
	}
	if err := r.arrange(); err != nil {
		return err
	}
	for i := range r.targets {
		t := &r.targets[i]
		r.Tree.Read(r.plan.Tables, r.g.EndSwitch[t.end], t.lid, r.hosts)
		r.put(t, -1, false) // of weight 1
		r.read(t)
		r.put(t, 1, true)
	}
	total := int64(0)
	for c := range r.load {
		total += r.load[c]
	}
	r.bonus = jobUnit * (total / int64(max(1, len(r.load)))) / bonusShare
	for j := range r.jobs {
		m := &r.jobs[j]
		m.most = slices.Max(append(m.pairs, 0))
	}
	return nil
}

var bonusShare = int64(1 << 30)

// read reads the paths to a destination.
func (r *byJob) read(t *target) {
	copy(r.count, r.hosts)
	for _, j := range t.jobs {
		m := &r.jobs[j]
		for _, p := range m.on {
			r.count[p.x] += p.n * int32(m.weight)
		}
	}
	r.Tree.Read(r.plan.Tables, r.g.EndSwitch[t.end], t.lid, r.count)
}

// put adds the packets to a destination to the channels, or removes them with sign -1.
func (r *byJob) put(t *target, sign int32, ofJobs bool) {
	for _, x := range r.Order {
		r.load[r.Next[x]] += int64(sign) * r.Flow[x]
	}
	if !ofJobs {
		return
	}
	clear(r.inJobs)
	for i, j := range t.jobs {
		m := &r.jobs[j]
		r.sumUp(m)
		for _, x := range r.Order {
			m.pairs[r.Next[x]] += sign * r.sum[x]
			r.inJobs[x] += r.sum[x]
		}
		for _, p := range m.on {
			if c := r.Next[p.x]; c >= 0 {
				r.first[c][p.place] += sign
				cells := r.rounds[c][p.place]
				for _, rank := range p.ranks {
					cells[(t.ranks[i]-rank+m.size)%m.size] += uint16(sign)
				}
			}
		}
	}
	for _, x := range r.Order {
		if r.inJobs[x] > 0 {
			r.users[r.Next[x]] += sign
		}
	}
}

// sumUp counts the packets of a job through all switches.
func (r *byJob) sumUp(m *members) {
	clear(r.sum)
	for _, p := range m.on {
		r.sum[p.x] = p.n
	}
	for _, x := range r.Order {
		r.sum[r.g.To[r.Next[x]]] += r.sum[x]
	}
}

// ownOf returns the price that the hosts of a switch do not pay on a channel, since their own
// packets to other destinations do not meet.
func (r *byJob) ownOf(t *target, x, c int32) (sum int64) {
	for k, j := range t.jobs {
		m := &r.jobs[j]
		i, found := slices.BinarySearchFunc(m.on, x, func(p part, x int32) int { return int(p.x - x) })
		if found {
			p := &m.on[i]
			n, dests := int64(p.n), int64(r.first[c][p.place])
			cells, met := r.rounds[c][p.place], int64(0)
			for _, rank := range p.ranks {
				met += int64(cells[(t.ranks[k]-rank+m.size)%m.size])
			}
			sum += n * m.weight * n * m.weight * dests
			sum -= n * m.weight * (n - 1) * m.weight * dests * Alpha / 8
			sum -= Beta * met * m.weight * jobUnit / 8
		}
	}
	return sum
}

// value returns the price of the paths to a destination as they are, without its own packets.
func (r *byJob) value(t *target) (sum int64) {
	for _, x := range r.Order {
		c := r.Next[x]
		sum += r.Flow[x] * r.load[c]
		sum -= r.ownOf(t, x, c)
		if r.inJobs[x] > 0 && r.users[c] == 0 {
			sum -= r.bonus
		}
	}
	return sum
}

var Scratch, Alpha, Beta = true, int64(4), int64(4)

func (r *byJob) swapAll() (n int) {
	for i := range r.targets {
		for k := range i {
			a, b := &r.targets[i], &r.targets[k]
			if r.g.EndSwitch[a.end] == r.g.EndSwitch[b.end] && a.jobs[0] != b.jobs[0] || Scratch && r.g.EndSwitch[a.end] == r.g.EndSwitch[b.end] {
				if r.swap(a, b) {
					n++
				}
			}
		}
	}
	return n
}

func (r *byJob) readFrom(t *target, lid fabric.LID) {
	copy(r.count, r.hosts)
	for _, j := range t.jobs {
		m := &r.jobs[j]
		for _, p := range m.on {
			r.count[p.x] += p.n * int32(m.weight)
		}
	}
	r.Tree.Read(r.plan.Tables, r.g.EndSwitch[t.end], lid, r.count)
	clear(r.inJobs)
	for _, j := range t.jobs {
		for _, p := range r.jobs[j].on {
			r.inJobs[p.x] += p.n
		}
	}
	for _, x := range r.Order {
		r.inJobs[r.g.To[r.Next[x]]] += r.inJobs[x]
	}
}

func (r *byJob) swap(a, b *target) bool {
	r.read(a)
	r.put(a, -1, true)
	before := r.value(a)
	r.read(b)
	r.put(b, -1, true)
	before += r.value(b)
	r.readFrom(a, b.lid)
	after := r.value(a)
	r.readFrom(b, a.lid)
	after += r.value(b)
	if after < before {
		r.flip(a, b)
	}
	r.read(a)
	r.put(a, 1, true)
	r.read(b)
	r.put(b, 1, true)
	if after < before && !(r.fits(a) && r.fits(b)) {
		r.read(a)
		r.put(a, -1, true)
		r.read(b)
		r.put(b, -1, true)
		r.flip(a, b)
		r.read(a)
		r.put(a, 1, true)
		r.read(b)
		r.put(b, 1, true)
		return false
	}
	return after < before
}

func (r *byJob) fits(t *target) bool {
	r.read(t)
	for _, j := range t.jobs {
		m := &r.jobs[j]
		for _, x := range r.Order {
			if m.pairs[r.Next[x]] > m.most {
				return false
			}
		}
	}
	return true
}

func (r *byJob) flip(a, b *target) {
	for x := range int32(r.g.NumSwitches) {
		if x == r.g.EndSwitch[a.end] {
			continue
		}
		p, q := r.plan.Tables.Port(x, a.lid), r.plan.Tables.Port(x, b.lid)
		r.plan.Tables.Set(x, a.lid, q)
		r.plan.Tables.Set(x, b.lid, p)
		if p != q {
			r.moves.Moved += 2
		}
	}
}

func (r *byJob) total() (sum float64) {
	for i := range r.targets {
		t := &r.targets[i]
		r.read(t)
		r.put(t, -1, true)
		sum += float64(r.value(t)) / (1 << 40)
		r.put(t, 1, true)
	}
	return sum
}

// visit gives a destination paths with the least price.
func (r *byJob) visit(t *target) {
	r.read(t)
	r.setSent(t.end, t.lid)
	r.put(t, -1, true)
	before := r.value(t)
	r.choose(t)
	if !r.within(t) || r.value(t) >= before {
		for _, c := range slices.Backward(r.changed) {
			r.Move(c.x, c.old)
		}
		r.changed = r.changed[:0]
		r.setFlow()
	}
	r.save(t)
	r.put(t, 1, true)
}

func (r *byJob) choose(t *target) {
	r.findPrices(t)
	r.changed = r.changed[:0]
	clear(r.inJobs)
	for _, j := range t.jobs {
		for _, p := range r.jobs[j].on {
			r.inJobs[p.x] += p.n
		}
	}
	for _, x := range r.Order {
		if old := r.Next[x]; r.inJobs[x] > 0 && r.wanted[x] != old && r.admits(x, r.wanted[x]) {
			r.Move(x, r.wanted[x])
			r.changed = append(r.changed, change{x, old})
		}
		r.inJobs[r.g.To[r.Next[x]]] += r.inJobs[x]
	}
	r.setFlow()
}

func (r *byJob) save(t *target) {
	for _, c := range r.changed {
		r.plan.Tables.Set(c.x, t.lid, r.g.FromPort[r.Next[c.x]])
	}
	r.moves.Moved += len(r.changed)
}

func (r *byJob) admits(x, c int32) bool {
	r.Gather(x, r.count)
	return r.lanes.admit(r.Tree, x, c)
}

// setFlow counts packets after moves.
func (r *byJob) setFlow() {
	for x, n := range r.count {
		r.Flow[x] = int64(n)
	}
	for _, x := range r.Order {
		r.Flow[r.g.To[r.Next[x]]] += r.Flow[x]
	}
}

// within reports whether no job has more pairs on a channel than it may have.
func (r *byJob) within(t *target) bool {
	for _, j := range t.jobs {
		m := &r.jobs[j]
		r.sumUp(m)
		for _, x := range r.Order {
			if r.sum[x] > 0 && m.pairs[r.Next[x]]+r.sum[x] > m.most {
				return false
			}
		}
	}
	return true
}

// findPrices finds the next channel of each switch with the least price.
func (r *byJob) findPrices(t *target) {
	r.price[r.Home] = 0
	for _, x := range slices.Backward(r.Order) {
		old := r.Next[x]
		price := func(c int32) int64 {
			return r.price[r.g.To[c]] + r.load[c] - r.ownOf(t, x, c)/max(1, r.Flow[x])
		}
		r.wanted[x], r.price[x] = old, price(old)
		for _, c := range r.g.OutOf(x) {
			if c != old && r.LeadsNearer(x, c) {
				if p := price(c); p < r.price[x] {
					r.wanted[x], r.price[x] = c, p
				}
			}
		}
	}
}
