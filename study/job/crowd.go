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
// all the time, each at its own pace: as a share of the pace on an ideal network, on which only
// hosts limit an exchange. equilibrium (pace.go) computes the paces. Times are in times of an ideal
// network, and at least 1.
type crowd struct {
	net     *flow.Network
	servers *traffic.Servers
	usual   float64 // Mbit/s of a link of unknown rate
	workers int
}

// member is a job of a crowd.
type member struct {
	*jobs.Job
	nodes int
	load  []load    // by link, ascending
	turns []turn    // by link and input, ascending
	ends  [][]int32 // by port that sends, and by port that receives: the turns of its messages
	alone float64   // time without others
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
	return all, par.For(ctx, c.workers, len(list), func(_, i int) error {
		all[i] = &member{Job: &list[i]}
		if err := c.measure(all[i]); err != nil {
			return fmt.Errorf("job %s: %w", list[i].Name, err)
		}
		return nil
	})
}

// measure finds the loads of a job and its time alone.
func (c *crowd) measure(m *member) error {
	pattern, place, err := c.servers.OnServers("shift", m.Hosts, 0)
	if err != nil {
		return err
	}
	m.alone = 1
	if m.nodes = len(place.Units); m.nodes < 2 {
		return nil
	}
	pattern = pattern.Sample(max(1, flowsMost/len(m.Hosts)))
	f := follower{crowd: c, member: m, at: map[output]int32{}, of: map[end]int32{}}
	rng := rand.NewPCG(0, 0) // shifts draw nothing
	var flows traffic.Flows
	for round := range pattern.Rounds {
		flows.Reset()
		pattern.Round(&flows, round, rng)
		place.ToPorts(&flows, place.Units)
		for i := range flows.Src {
			if err := f.follow(flows.Src[i], flows.Dst[i], float64(pattern.Rounds)); err != nil {
				return err
			}
		}
	}
	m.sort()
	m.alone = equilibrium([]*member{m})[0]
	return nil
}

// follower follows the flows of a job.
type follower struct {
	*crowd
	*member
	at   map[output]int32 // numbers of turns
	of   map[end]int32    // numbers of ends
	path []int32
}

// end is a port that sends or receives.
type end struct {
	port     int32
	receives bool
}

// follow adds a flow. It demands the rate of the slower of its two host links, in one of some
// rounds.
func (f *follower) follow(src, dst int32, rounds float64) error {
	path, ok := f.net.Path(src, dst, f.path[:0])
	if f.path = path; !ok {
		a, b := f.net.HostPort(src), f.net.HostPort(dst)
		return fmt.Errorf("the tables do not lead from %s to %s (weft check names the fault)", a.Short(), b.Short())
	}
	demand := min(f.rate(path[0]), f.rate(path[len(path)-1]))
	from, to := f.end(end{src, false}), f.end(end{dst, true})
	input := int32(-1)
	for _, link := range path {
		o := output{link, input}
		k, known := f.at[o]
		if !known {
			k = int32(len(f.turns))
			f.at[o], f.turns = k, append(f.turns, turn{output: o})
		}
		f.turns[k].share += demand / f.rate(link) / rounds
		f.ends[from], f.ends[to] = append(f.ends[from], k), append(f.ends[to], k)
		input = link
	}
	return nil
}

// end returns the number of an end.
func (f *follower) end(e end) int32 {
	k, known := f.of[e]
	if !known {
		k = int32(len(f.ends))
		f.of[e], f.ends = k, append(f.ends, nil)
	}
	return k
}

// sort orders the turns of a job, and sums them by link.
func (m *member) sort() {
	order := make([]int32, len(m.turns))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return m.turns[a].compare(m.turns[b].output) })
	sorted, number := make([]turn, len(order)), make([]int32, len(order))
	for i, k := range order {
		sorted[i], number[k] = m.turns[k], int32(i)
		if last := len(m.load) - 1; last >= 0 && m.load[last].link == sorted[i].link {
			m.load[last].share += sorted[i].share
		} else {
			m.load = append(m.load, load{sorted[i].link, sorted[i].share})
		}
	}
	m.turns = sorted
	for i, own := range m.ends {
		for j, k := range own {
			own[j] = number[k]
		}
		slices.Sort(own)
		m.ends[i] = slices.Clip(slices.Compact(own))
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
