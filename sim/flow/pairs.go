package flow

import (
	"context"
	"math"

	"weft/internal/par"
)

// Pairs sums up the load of all ordered pairs of hosts together. A channel is one direction of a
// link between switches. Host links are not counted, since each carries the same under any routing.
// Where servers have ports on several planes, a pair is on one plane.
type Pairs struct {
	Pairs       int64 `json:"pairs"`
	Undelivered int64 `json:"undelivered"`
	Channels    int   `json:"channels"`
	// Index is the edge forwarding index: the largest load of a channel.
	Index int64 `json:"edge_forwarding_index"`
	// Load describes the number of pairs on each channel.
	Load Spread `json:"load"`
	// DarkChannels counts channels that carry no pair; DarkLinks counts links that carry none in
	// either direction.
	DarkChannels int `json:"dark_channels"`
	DarkLinks    int `json:"dark_links"`

	Loads   []int64 `json:"-"` // by channel: pairs
	Targets []int64 `json:"-"` // by channel: LIDs that these pairs send to
}

// Spread describes a whole population.
type Spread struct {
	Min    float64 `json:"min"`
	Mean   float64 `json:"mean"`
	Max    float64 `json:"max"`
	StdDev float64 `json:"stddev"`
}

// columnsAtOnce is the number of targets in one piece of work.
const columnsAtOnce = 64

// eachColumn calls body for every column, with the worker's tree and the number of the piece of
// work. It returns the trees that were used.
func (n *Network) eachColumn(ctx context.Context, workers int, body func(t *tree, column int32, piece int)) ([]*tree, error) {
	hostOf, senders := n.columnHosts()
	planes := n.planes()
	trees := make([]*tree, max(workers, 1))
	err := par.For(ctx, len(trees), n.pieces(), func(worker, piece int) error {
		if trees[worker] == nil {
			trees[worker] = newTree(n, hostOf, senders)
			trees[worker].planes = planes
		}
		for c := piece * columnsAtOnce; c < min((piece+1)*columnsAtOnce, len(hostOf)); c++ {
			body(trees[worker], int32(c), piece)
		}
		return nil
	})
	var used []*tree
	for _, t := range trees {
		if t != nil {
			used = append(used, t)
		}
	}
	return used, err
}

// planes lists the Hosts by plane; nil if all are on one, or if each server has one port: hosts
// that a damaged network has cut off are then lost to the others.
func (n *Network) planes() [][]int32 {
	s := n.Servers()
	if s == nil || s.Planes < 2 {
		return nil
	}
	list := make([][]int32, s.Planes)
	for _, h := range n.Hosts {
		list[s.Plane[h]] = append(list[s.Plane[h]], h)
	}
	return list
}

func (n *Network) pieces() int { return (n.columns + columnsAtOnce - 1) / columnsAtOnce }

// columnHosts returns the host that each column leads to, and the number of hosts of each switch.
func (n *Network) columnHosts() (hostOf, hosts []int32) {
	hostOf, hosts = make([]int32, n.columns), make([]int32, n.switches)
	for i, h := range n.Hosts {
		hosts[n.g.EndSwitch[h]]++
		end := int32(n.columns)
		if i+1 < len(n.Hosts) {
			end = n.lids.first[n.Hosts[i+1]]
		}
		for c := n.lids.first[h]; c < end; c++ {
			hostOf[c] = h
		}
	}
	return hostOf, hosts
}

// slotOf returns the slot of a channel.
func (n *Network) slotOf(c int32) int32 {
	return n.base[n.g.From[c]] + int32(n.g.FromPort[c])
}

// AllPairs counts the loads of all ordered pairs of hosts in O(switches x LIDs), plus O(hosts x
// LIDs) if sources use different LIDs of a target. A pair spread over several LIDs counts on each
// of them. It fails only if ctx ends.
func (n *Network) AllPairs(ctx context.Context, workers int) (*Pairs, error) {
	trees, err := n.eachColumn(ctx, workers, func(t *tree, column int32, _ int) { t.count(column) })
	if err != nil {
		return nil, err
	}
	p := &Pairs{Channels: n.g.NumChannels, Loads: make([]int64, n.g.NumChannels), Targets: make([]int64, n.g.NumChannels)}
	for _, t := range trees {
		p.Pairs += t.pairs
		p.Undelivered += t.pairs - t.delivered
		for c := range p.Loads {
			slot := n.slotOf(int32(c))
			p.Loads[c] += t.load[slot]
			p.Targets[c] += int64(t.targets[slot])
		}
	}
	var all population
	for c, load := range p.Loads {
		all.add(load, 1)
		p.Index = max(p.Index, load)
		if load == 0 {
			p.DarkChannels++
			if c%2 == 1 && p.Loads[c-1] == 0 {
				p.DarkLinks++
			}
		}
	}
	p.Load = all.result()
	return p, nil
}

// PathLoads describes the largest load on each path, over all delivered pairs of hosts on different
// switches (ORCS: routequal). loads comes from AllPairs.
func (n *Network) PathLoads(ctx context.Context, loads []int64, workers int) (Spread, error) {
	slots := make([]int64, len(n.to))
	for c, load := range loads {
		slots[n.slotOf(int32(c))] = load
	}
	parts := make([]population, n.pieces())
	_, err := n.eachColumn(ctx, workers, func(t *tree, column int32, piece int) { t.worst(column, slots, &parts[piece]) })
	if err != nil {
		return Spread{}, err
	}
	var all population
	for i := range parts {
		all.join(&parts[i])
	}
	return all.result(), nil
}

// population sums up values. Parts must be joined in a fixed order, because the sum of squares is
// rounded.
type population struct {
	n, least, most int64
	sum, squares   float64
}

func (s *population) add(value, times int64) {
	v, k := float64(value), float64(times)
	s.join(&population{n: times, least: value, most: value, sum: k * v, squares: k * v * v})
}

func (s *population) join(o *population) {
	if s.n == 0 {
		*s = *o
		return
	}
	if o.n == 0 {
		return
	}
	s.n += o.n
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	s.sum += o.sum
	s.squares += o.squares
}

func (s *population) result() Spread {
	if s.n == 0 {
		return Spread{}
	}
	mean := s.sum / float64(s.n)
	return Spread{
		Min: float64(s.least), Mean: mean, Max: float64(s.most),
		StdDev: math.Sqrt(max(0, s.squares/float64(s.n)-mean*mean)),
	}
}
