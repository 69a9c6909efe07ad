// Package election lets all hosts map a network at once, in simulated time, until one
// is left: the second mode of section 4.2 of paper 001.
//
// Every host runs a mapper from the start. Interface addresses are carried in every
// message, and a mapper that meets a lower one than its own, in a probe or in an answer
// to one of its own, stops; it answers probes from then on, as it did before. The lowest
// address of a connected network meets nobody lower, and completes its map.
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
	"fmt"
	"iter"
	"math/rand/v2"
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
	// Depth bounds probe strings; 0 stands for Q + D of the network from the lowest
	// host.
	Depth int
	// Limit stops a mapper that sent so many probes; 0 is no limit.
	Limit int
}

// Result is how an election went. A network that is not connected elects one host a
// part.
type Result struct {
	Winners []Winner
	// Stopped says by host when its mapper stopped, Never for winners.
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
func Run(n *mapping.Network, opt *Options) (*Result, error) {
	if opt.Address != nil && len(opt.Address) != n.NumHosts() {
		return nil, fmt.Errorf("mapping: %d addresses for %d hosts", len(opt.Address), n.NumHosts())
	}
	s := newSimulation(n, opt)
	rng := rand.New(rand.NewPCG(opt.Seed, 0xe1))
	for h := range s.mappers {
		start := time.Duration(0)
		if opt.Spread > 0 {
			start = time.Duration(rng.Int64N(int64(opt.Spread)))
		}
		s.mappers[h].served = start
		s.at(start, event{kind: resume, host: int32(h)})
	}
	for len(s.events) > 0 {
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
	n       *mapping.Network
	model   *mapping.Model
	opt     *Options
	clock   mapping.Clock
	now     time.Duration
	events  events
	made    int
	mappers []mapper
	free    []time.Duration // by wire-end: when the last message by it is gone
	bound   int             // of probe strings
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
	active   bool
	result   *algorithm.Result
	done     time.Duration
}

// stopped is what a mapper that lost is thrown out of its algorithm with.
type stopped struct{}

func newSimulation(n *mapping.Network, opt *Options) *simulation {
	s := &simulation{n: n, model: mapping.NewModel(n, opt.Rule, opt.Hardware), opt: opt, bound: opt.Depth, clock: opt.Clock, mappers: make([]mapper, n.NumHosts()), free: make([]time.Duration, n.NumEnds())}
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

// algorithm runs that of a host, from probe to probe.
func (s *simulation) algorithm(h int32) iter.Seq[[]mapping.Turn] {
	return func(yield func([]mapping.Turn) bool) {
		defer func() {
			if r := recover(); r != nil && r != any(stopped{}) {
				panic(r)
			}
		}()
		m := &s.mappers[h]
		result, err := s.opt.Algorithm.Run(prober(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if !yield(turns) {
				panic(stopped{})
			}
			return m.reply, m.took
		}), &algorithm.Options{Self: s.n.Hosts[h], Radix: s.n.Radix(), Depth: s.depth(), Limit: s.opt.Limit, Seed: s.opt.Seed})
		if err != nil {
			s.err = fmt.Errorf("host %s: %w", s.n.Hosts[h].Name, err)
			return
		}
		m.result, m.done = result, max(s.now, m.free)
	}
}

type prober func([]mapping.Turn) (mapping.Reply, time.Duration)

func (p prober) Probe(turns []mapping.Turn) (mapping.Reply, time.Duration) { return p(turns) }

// depth is the bound of probe strings, which is worked out for the one that will win.
func (s *simulation) depth() int {
	if s.bound == 0 {
		lowest := int32(0)
		for h := range s.mappers {
			if s.mappers[h].address < s.mappers[lowest].address {
				lowest = int32(h)
			}
		}
		part := theory.Reached(s.n, lowest)
		host, err := part.HostByName(fmt.Sprintf("0x%016x", s.n.Hosts[lowest].ID))
		if err != nil {
			panic(err) // a host is reached by itself
		}
		s.bound = theory.Of(part, host).Depth()
	}
	return s.bound
}
