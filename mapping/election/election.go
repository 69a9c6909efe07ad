// Package election lets all hosts map a network at once, in simulated time, until one
// is left: the second mode of section 4.2 of paper 001.
//
// Every host answers probes, and some time starts a mapper; until then it echoes, as the
// hosts beside one master do. Addresses of interfaces are carried in every message, and a
// mapper that meets a lower one than its own which has started, in a probe or in an answer
// to one of its own, stops; it answers probes from then on, as it did before. The lowest
// address of a connected network meets nobody lower, and completes its map. A host that
// started earlier may have completed one by then: it leads until it meets a lower one.
//
// What it takes longer than one master has two causes, both modelled. A host has one
// processor: a mapper that has to answer a probe of another one looks at its own answer
// later, and a host that others probe answers later. So while there is company a mapper
// waits longer for an answer; if one comes after that all the same, its map may be
// wrong, and it starts over. And a wire carries one message at a time: a message waits
// for those before it.
//
// The simulation is a list of events in order of time, ties in order of their making.
// Mappers are coroutines: each algorithm runs as it is, and is resumed when the answer
// to its probe is there or the timeout has passed. Cost: O(log hosts) a message.
package election

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// Options is how an election is held.
type Options struct {
	Algorithm *algorithm.Algorithm
	Rule      mapping.Collision
	Hardware  mapping.Hardware
	Clock     mapping.Clock // the zero Clock stands for mapping.MyrinetClock
	// Address of each host; nil stands for the addresses that hosts are known by.
	Address []uint64
	// Spread is the time within which all mappers start, drawn from Seed.
	Spread time.Duration
	Seed   uint64
	// Depth bounds probe strings; 0 stands for Q + D from the lowest host of each part of
	// the network.
	Depth int
	// Limit stops a mapper that sent so many probes; 0 is no limit.
	Limit int
}

// Result is how an election went. A network that is not connected elects one host a
// part.
type Result struct {
	Winners []Winner
	// Stopped says by host when its mapper stopped, Never for winners. One that was stopped
	// before it was to start never did.
	Stopped []time.Duration
	// By says by host whose message stopped it, -1 for winners.
	By []int32
	// Messages counts probes and the answers of hosts.
	Messages int
	Probes   int // of all mappers
	Waited   int // messages that waited for a wire
	Late     int // answers after the timeout, for each of which a mapper started over
	// Elected is when the last loser stopped, Elapsed when the last map was complete.
	Elected, Elapsed time.Duration
}

// Never is the time of what does not happen.
const Never time.Duration = -1

// Winner is a host that mapped its part of the network.
type Winner struct {
	Host   int32
	Result *algorithm.Result
	Done   time.Duration
}

// Run holds an election.
func Run(ctx context.Context, n *mapping.Network, opt *Options) (*Result, error) {
	if opt.Address != nil && len(opt.Address) != n.NumHosts() {
		return nil, fmt.Errorf("mapping: %d addresses for %d hosts", len(opt.Address), n.NumHosts())
	}
	if all := slices.Sorted(slices.Values(opt.Address)); len(slices.Compact(all)) < len(opt.Address) {
		return nil, errors.New("mapping: two hosts have the same address in an election")
	}
	s := newSimulation(ctx, n, opt)
	defer s.end()
	rng := rand.New(rand.NewPCG(opt.Seed, 0xe1))
	for h := range s.mappers {
		start := time.Duration(0)
		if opt.Spread > 0 {
			start = time.Duration(rng.Int64N(int64(opt.Spread)))
		}
		s.mappers[h].served = start
		s.at(start, event{kind: resume, host: int32(h)})
	}
	for len(s.events) > 0 && s.err == nil {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		s.handle(&e)
	}
	if s.err != nil {
		return nil, s.err
	}
	for h := range s.mappers {
		if m := &s.mappers[h]; m.result != nil {
			s.result.Winners = append(s.result.Winners, Winner{int32(h), m.result, m.done})
			s.result.Elapsed = max(s.result.Elapsed, m.done)
		}
		s.result.Elected = max(s.result.Elected, s.result.Stopped[h])
	}
	return s.result, nil
}

// simulation is the state of an election.
type simulation struct {
	ctx     context.Context
	n       *mapping.Network
	model   *mapping.Model
	opt     *Options
	clock   mapping.Clock
	now     time.Duration
	events  events
	made    int
	mappers []mapper
	free    []time.Duration // by wire-end: when the last message by it is gone
	bound   []int           // of probe strings, by host; 0 when not known yet
	result  *Result
	err     error
}

// mapper is a host.
type mapper struct {
	address uint64
	next    func() ([]mapping.Turn, bool)
	stop    func()
	reply   mapping.Reply
	took    time.Duration
	free    time.Duration // when its processor is
	probe   int           // number of the probe that it waits for
	sent    time.Duration
	served  time.Duration // when another mapper last probed it
	first   int           // number of the first probe of this run
	// patience grows each time that the mapper had to start over.
	patience time.Duration
	started  bool
	active   bool
	result   *algorithm.Result
	done     time.Duration
}

func newSimulation(ctx context.Context, n *mapping.Network, opt *Options) *simulation {
	s := &simulation{
		ctx: ctx, n: n, model: mapping.NewModel(n, opt.Rule, opt.Hardware), opt: opt, clock: opt.Clock,
		mappers: make([]mapper, n.NumHosts()), free: make([]time.Duration, n.NumEnds()), bound: make([]int, n.NumHosts()),
	}
	if s.clock == (mapping.Clock{}) {
		s.clock = mapping.MyrinetClock
	}
	s.result = &Result{Stopped: make([]time.Duration, n.NumHosts()), By: make([]int32, n.NumHosts())}
	for h := range s.mappers {
		s.result.Stopped[h], s.result.By[h] = Never, -1
		m := &s.mappers[h]
		m.address, m.active, m.patience = n.Hosts[h].ID, true, 1
		if opt.Address != nil {
			m.address = opt.Address[h]
		}
		m.next, m.stop = iter.Pull(s.algorithm(int32(h)))
	}
	return s
}

// end stops all mappers.
func (s *simulation) end() {
	for h := range s.mappers {
		s.mappers[h].stop()
	}
}

// algorithm runs that of a host, from probe to probe.
func (s *simulation) algorithm(h int32) iter.Seq[[]mapping.Turn] {
	return func(yield func([]mapping.Turn) bool) {
		ctx, end := context.WithCancel(s.ctx)
		defer end()
		m := &s.mappers[h]
		stopped := false
		result, err := s.opt.Algorithm.Run(ctx, mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if stopped = !yield(turns); stopped {
				end()
				return mapping.Reply{}, 0
			}
			return m.reply, m.took
		}), &algorithm.Options{Self: s.n.Hosts[h], Radix: s.n.Radix(), Depth: s.depth(h), Limit: s.opt.Limit})
		switch {
		case stopped:
		case err != nil:
			s.err = fmt.Errorf("host %s: %w", s.n.Hosts[h].Name, err)
		default:
			m.result, m.done = result, max(s.now, m.free)
		}
	}
}

// depth is the bound of the probe strings of a host: that of the host which will win
// its part of the network.
func (s *simulation) depth(h int32) int {
	if s.opt.Depth > 0 {
		return s.opt.Depth
	}
	if s.bound[h] == 0 {
		part := theory.Reached(s.n, h)
		inPart := make(map[uint64]int32, part.NumHosts())
		for i, host := range part.Hosts {
			inPart[host.ID] = int32(i)
		}
		lowest := h
		for i := range s.mappers {
			if _, ok := inPart[s.n.Hosts[i].ID]; ok && s.mappers[i].address < s.mappers[lowest].address {
				lowest = int32(i)
			}
		}
		depth := theory.Of(part, inPart[s.n.Hosts[lowest].ID]).Depth()
		for i := range s.mappers {
			if _, ok := inPart[s.n.Hosts[i].ID]; ok {
				s.bound[i] = depth
			}
		}
	}
	return s.bound[h]
}
