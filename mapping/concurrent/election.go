package concurrent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"weft/internal/event"
	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// ElectionOptions controls an election.
type ElectionOptions struct {
	Algorithm *algorithm.Algorithm
	Rule      mapping.Collision
	Hardware  mapping.Hardware
	Clock     mapping.Clock // the zero Clock stands for mapping.MyrinetClock
	// Address of each host in the election; nil stands for the hosts' own addresses.
	Address []uint64
	// Spread is the time within which all mappers start, drawn from Seed.
	Spread time.Duration
	Seed   uint64
	// Depth bounds probe strings, negative for no bound; 0 stands for Q + D from the lowest host of
	// each part of the network.
	Depth int
	// Retries is the number of times that a silent probe is sent again.
	Retries int
	// Limit stops a mapper after this many probes; 0 is no limit.
	Limit int
	// Traffic of applications disturbs all probes. A late answer makes a mapper start over; if
	// messages of the lowest host are lost, there may be several winners.
	Traffic mapping.Traffic
}

// Election is the result of an election. A disconnected network elects one host per part.
type Election struct {
	Winners []Winner
	// Stopped holds by host when its mapper stopped, Never for winners. A mapper stopped before its
	// start never ran.
	Stopped []time.Duration
	// By holds the host whose message stopped each host, -1 for winners.
	By []int32
	// Messages counts probes and the answers of hosts.
	Messages int
	Probes   int // of all mappers
	Waited   int // messages that waited for a wire
	Late     int // answers after the timeout; each made a mapper start over
	// Elected is the time when the last loser stopped, Elapsed when the last map was complete.
	Elected, Elapsed time.Duration
}

// Never is the time of an event that does not happen.
const Never time.Duration = -1

// Winner is a host that mapped its part of the network.
type Winner struct {
	Host   int32
	Result *algorithm.Result
	Done   time.Duration
}

// Elect holds an election.
//
// Every host answers probes, and starts a mapper at some time; until then it only echoes, like the
// hosts next to a single master. Every message carries interface addresses. A mapper stops when it
// meets a lower address whose mapper has started, in a probe or in an answer to its own; it keeps
// answering probes. The lowest address of a connected network meets nobody lower, and completes its
// map. A host that started earlier may have completed one by then: it leads until it meets a lower
// one.
//
// An election takes longer than one master for two reasons, both modelled. A host has one
// processor: a mapper that must answer another's probe looks at its own answer later, and a host
// probed by others answers later. So while other mappers are active, a mapper waits longer for an
// answer; if an answer still comes after that, its map may be wrong, and it starts over. And a wire
// carries one message at a time (mapping.Wires): a message waits for earlier ones, and for a
// message that collided with itself until that is destroyed.
//
// Events happen in the order of package event. Cost: O(1) a message.
func Elect(ctx context.Context, n *mapping.Network, opt *ElectionOptions) (*Election, error) {
	if opt.Address != nil && len(opt.Address) != n.NumHosts() {
		return nil, fmt.Errorf("mapping: %d addresses for %d hosts", len(opt.Address), n.NumHosts())
	}
	if all := slices.Sorted(slices.Values(opt.Address)); len(slices.Compact(all)) < len(opt.Address) {
		return nil, errors.New("mapping: two hosts have the same address in an election")
	}
	s := newElection(ctx, n, opt)
	defer s.stopAll()
	s.startAll()
	for s.events.Len() > 0 && s.err == nil {
		var m message
		s.now, m = s.events.Take()
		s.handle(&m)
	}
	if s.err != nil {
		return nil, s.err
	}
	for h := range s.hosts {
		if m := &s.hosts[h]; m.result != nil {
			s.result.Winners = append(s.result.Winners, Winner{int32(h), m.result, m.done})
			s.result.Elapsed = max(s.result.Elapsed, m.done)
		}
		s.result.Elected = max(s.result.Elected, s.result.Stopped[h])
	}
	return s.result, nil
}

// election is the state of an election.
type election struct {
	ctx    context.Context
	n      *mapping.Network
	model  *mapping.Model
	opt    *ElectionOptions
	clock  mapping.Clock
	now    time.Duration
	events event.Queue[time.Duration, message]
	hosts  []candidate
	wires  *mapping.Wires
	// by host
	disturbances []*mapping.Disturbance
	depth        []int // of probe strings, by host; 0 if not yet known
	result       *Election
	err          error
}

// candidate is a host.
type candidate struct {
	address uint64
	mapper  *coroutine
	idle    time.Duration // time when its processor is idle
	served  time.Duration // time of the latest probe by another mapper
	waiting wait
	// patience multiplies timeouts; it grows each time that the mapper starts over.
	patience time.Duration
	started  bool
	active   bool
	result   *algorithm.Result
	done     time.Duration
}

// wait is the probe whose answer a mapper waits for.
type wait struct {
	probe int           // its number
	first int           // number of the first probe since the mapper started (over)
	sent  time.Duration // time of sending
}

func newElection(ctx context.Context, n *mapping.Network, opt *ElectionOptions) *election {
	s := &election{
		ctx: ctx, n: n, model: mapping.NewModel(n, opt.Rule, opt.Hardware), opt: opt, clock: cmp.Or(opt.Clock, mapping.MyrinetClock),
		hosts: make([]candidate, n.NumHosts()), depth: make([]int, n.NumHosts()),
	}
	s.wires = mapping.NewWires(n, s.clock)
	s.result = &Election{Stopped: make([]time.Duration, n.NumHosts()), By: make([]int32, n.NumHosts())}
	for h := range s.hosts {
		s.result.Stopped[h], s.result.By[h] = Never, -1
		m := &s.hosts[h]
		m.address, m.active, m.patience = n.Hosts[h].ID, true, 1
		if opt.Address != nil {
			m.address = opt.Address[h]
		}
		m.mapper = s.newMapper(int32(h))
		s.disturbances = append(s.disturbances, mapping.NewDisturbance(n, opt.Traffic, opt.Seed, uint64(h)))
	}
	return s
}

// startAll draws the start times of the mappers.
func (s *election) startAll() {
	rng := rand.New(rand.NewPCG(s.opt.Seed, 0xe1))
	for h := range s.hosts {
		start := time.Duration(0)
		if s.opt.Spread > 0 {
			start = time.Duration(rng.Int64N(int64(s.opt.Spread)))
		}
		s.hosts[h].served = start
		s.events.Put(start, message{kind: resume, host: int32(h)})
	}
}

// stopAll stops all mappers.
func (s *election) stopAll() {
	for h := range s.hosts {
		s.hosts[h].mapper.stop()
	}
}

// newMapper prepares the algorithm of a host.
func (s *election) newMapper(h int32) *coroutine {
	return newCoroutine(s.ctx, func(ctx context.Context, p mapping.Prober) {
		m := &s.hosts[h]
		result, err := s.opt.Algorithm.Run(ctx, p, &algorithm.Options{Self: s.n.Hosts[h], Radix: s.n.Radix(), Depth: s.depthOf(h), Seed: s.opt.Seed + uint64(h), Retries: s.opt.Retries, Limit: s.opt.Limit})
		switch {
		case ctx.Err() != nil && s.ctx.Err() == nil: // the mapper was stopped
		case err != nil:
			s.err = fmt.Errorf("host %s: %w", s.n.Hosts[h].Name, err)
		default:
			m.result, m.done = result, max(s.now, m.idle)
		}
	})
}

// depthOf returns the bound of a host's probe strings, taken from the host that will win its part
// of the network.
func (s *election) depthOf(h int32) int {
	if s.opt.Depth != 0 {
		return s.opt.Depth
	}
	if s.depth[h] == 0 {
		part := theory.Reached(s.n, h)
		lowest := h
		for _, host := range part.Hosts {
			if i := s.n.HostByID(host.ID); s.hosts[i].address < s.hosts[lowest].address {
				lowest = i
			}
		}
		depth := theory.FactsOf(part, part.HostByID(s.n.Hosts[lowest].ID)).Depth()
		for _, host := range part.Hosts {
			s.depth[s.n.HostByID(host.ID)] = depth
		}
	}
	return s.depth[h]
}
