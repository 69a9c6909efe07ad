package job

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric/jobs"
	"weft/internal/par"
	"weft/sim/flow"
	"weft/sim/traffic"
)

// crowd predicts how much jobs that exchange data at the same time slow each other down.
//
// In an exchange each node of a job sends the same amount to every other one. All jobs exchange
// all the time. The load of a job on a link is the share of the link's rate that its flows would
// take at the speed of their hosts. A message takes as long as all jobs together load the
// fullest link of its path. The messages of a node share its port, so a node takes the mean of
// their times. The job takes as long as its slowest node. Times are in times of an ideal
// network, on which only hosts limit an exchange, and at least 1.
type crowd struct {
	net     *flow.Network
	servers *traffic.Servers
	usual   float64 // Mbit/s of a link of unknown rate
	workers int
}

// member is a job of a crowd.
type member struct {
	*jobs.Job
	pattern *traffic.Pattern // shifts; nil for a job of one node
	place   *traffic.Placement
	nodes   int
	load    []load  // by link, ascending
	alone   float64 // time without others
}

// load is the use of a link: the mean demand of a job, as a share of the link's rate.
type load struct {
	link  int32
	share float64
}

// flowsMost bounds the flows of a job that are followed; of larger jobs a sample of rounds is.
const flowsMost = 200_000

// newCrowd prepares predictions.
func newCrowd(net *flow.Network, workers int) *crowd {
	c := &crowd{net: net, servers: net.Servers(), workers: max(1, workers)}
	for l := range int32(net.Links()) {
		c.usual = max(c.usual, float64(net.Rate(l)))
	}
	c.usual = max(c.usual, 1)
	return c
}

// rate returns the rate of a link in Mbit/s.
func (c *crowd) rate(link int32) float64 {
	return cmp.Or(float64(c.net.Rate(link)), c.usual)
}

// add measures jobs on their own.
func (c *crowd) add(ctx context.Context, list []jobs.Job) ([]*member, error) {
	all := make([]*member, len(list))
	scratch := c.scratches()
	return all, par.For(ctx, c.workers, len(list), func(worker, i int) error {
		all[i] = &member{Job: &list[i]}
		if err := c.measure(all[i], scratch[worker]); err != nil {
			return fmt.Errorf("job %s: %w", list[i].Name, err)
		}
		return nil
	})
}

// scratch holds what a worker counts with.
type scratch struct {
	use     []float64 // by link
	touched []int32
	flows   traffic.Flows
	paths   []int32   // of all flows of a round, each after the other
	ends    []int     // of each flow's path
	all     []float64 // by link of a job: the load of all jobs
	nothing []float64 // by link: zeros
}

func (c *crowd) scratches() []*scratch {
	all, nothing := make([]*scratch, c.workers), make([]float64, c.net.Links())
	for i := range all {
		n := c.net.Links()
		all[i] = &scratch{use: make([]float64, n), all: make([]float64, n), nothing: nothing}
	}
	return all
}

// measure finds the loads of a job and its time alone.
func (c *crowd) measure(m *member, s *scratch) error {
	pattern, place, err := c.servers.OnServers("shift", m.Hosts, 0)
	if err != nil {
		return err
	}
	if m.nodes = len(place.Units); m.nodes < 2 {
		m.alone = 1
		return nil
	}
	m.pattern, m.place = pattern.Sample(max(1, flowsMost/len(m.Hosts))), place
	sum := map[int32]float64{}
	err = c.rounds(m, s, func() {
		for _, l := range s.touched {
			sum[l] += s.use[l]
		}
	})
	if err != nil {
		return err
	}
	for l, use := range sum {
		m.load = append(m.load, load{l, use / float64(m.pattern.Rounds)})
	}
	slices.SortFunc(m.load, func(a, b load) int { return cmp.Compare(a.link, b.link) })
	m.alone, err = c.time(m, s.nothing, s)
	return err
}

// rounds calls do for each round, with the paths of its flows and their use of links.
func (c *crowd) rounds(m *member, s *scratch, do func()) error {
	rng := rand.NewPCG(0, 0) // shifts draw nothing
	for round := range m.pattern.Rounds {
		for _, l := range s.touched {
			s.use[l] = 0
		}
		s.touched, s.paths, s.ends = s.touched[:0], s.paths[:0], s.ends[:0]
		s.flows.Reset()
		m.pattern.Round(&s.flows, round, rng)
		m.place.ToPorts(&s.flows, m.place.Units)
		for i := range s.flows.Src {
			if err := c.follow(s, s.flows.Src[i], s.flows.Dst[i]); err != nil {
				return err
			}
		}
		do()
	}
	return nil
}

// follow adds a flow. It asks for what the slower of its two host links carries.
func (c *crowd) follow(s *scratch, src, dst int32) error {
	from := len(s.paths)
	path, ok := c.net.Path(src, dst, s.paths)
	if s.paths = path; !ok {
		a, b := c.net.HostPort(src), c.net.HostPort(dst)
		return fmt.Errorf("the tables do not lead from %s to %s (weft check names the fault)", a.Short(), b.Short())
	}
	demand := min(c.rate(path[from]), c.rate(path[len(path)-1]))
	for _, l := range path[from:] {
		if s.use[l] == 0 {
			s.touched = append(s.touched, l)
		}
		s.use[l] += demand / c.rate(l)
	}
	s.ends = append(s.ends, len(path))
	return nil
}

// time returns the time of a job's exchange beside a background: the loads of other jobs by link.
func (c *crowd) time(m *member, background []float64, s *scratch) (float64, error) {
	if m.pattern == nil {
		return 1, nil
	}
	for _, l := range m.load {
		s.all[l.link] = l.share + background[l.link]
	}
	sent, received := map[int32]float64{}, map[int32]float64{}
	err := c.rounds(m, s, func() {
		from := 0
		for i, end := range s.ends {
			most := 0.0
			for _, l := range s.paths[from:end] {
				most = max(most, s.all[l])
			}
			sent[s.flows.Src[i]] += most
			received[s.flows.Dst[i]] += most
			from = end
		}
	})
	slowest := float64(m.pattern.Rounds)
	for _, by := range []map[int32]float64{sent, received} {
		for _, sum := range by {
			slowest = max(slowest, sum)
		}
	}
	return slowest / float64(m.pattern.Rounds), err
}

// slowDown returns the time of a job beside a background, divided by its time alone.
func (c *crowd) slowDown(m *member, background []float64, s *scratch) (float64, error) {
	with, err := c.time(m, background, s)
	return with / m.alone, err
}

// sum returns the loads of members by link, one left out.
func (c *crowd) sum(all []*member, without *member) []float64 {
	background := make([]float64, c.net.Links())
	for _, m := range all {
		if m != without {
			m.addTo(background)
		}
	}
	return background
}

// addTo adds the loads of a job to those of links.
func (m *member) addTo(background []float64) {
	for _, l := range m.load {
		background[l.link] += l.share
	}
}

// meets reports whether two jobs use a common link.
func (m *member) meets(o *member) bool {
	for i, k := 0, 0; i < len(m.load) && k < len(o.load); {
		switch d := m.load[i].link - o.load[k].link; {
		case d == 0:
			return true
		case d < 0:
			i++
		default:
			k++
		}
	}
	return false
}
