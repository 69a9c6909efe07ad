// Package parallel maps a network by all of its hosts together, in simulated time, as
// section 6 of paper 001 proposes: every host maps its surroundings, and hosts that
// meet exchange their partial maps.
//
// Hosts form groups; at first each is its own. A group has one partial map and one
// leader, the lowest address. In a round, the switches of the map that have ports in
// doubt are shared among the members, each to one of those nearest to it; every member
// visits its share. One that finds a host of another group has met it: it leaves that
// switch to them, and the group with the higher leader ends its round. After the round
// members report to their leaders, groups that met merge their maps (package partial),
// and the new leader gives out the next round. When no port of a group is in doubt, its
// map covers the network.
//
// Members that work at one time find the same far switches each from its side, and
// whoever explores a replicate finds replicates behind it: so their number grows with
// the power of the levels of a tree. A switch of which nothing is known but its entry is
// therefore only sounded, by a string of turns that led to a host from such a position
// before: one answer mostly tells which switch it is. Where no string is known, one member
// a position goes first and explores; strings travel in the reports like maps.
//
// Time is that of the slowest member each round, and of the messages between rounds: a
// quarter of a probe's software overhead to send one and to take one, one after the
// other at the leader, and the transmission of what a map holds. Messages of members
// are not lost, and do not wait for wires.
//
// Cost: as a survey, and a copy of the group's map for each member that works.
package parallel

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"weft/mapping"
	"weft/mapping/graph"
	"weft/mapping/probe"
	"weft/mapping/survey"
)

// Options is how hosts map together.
type Options struct {
	Rule     mapping.Collision
	Hardware mapping.Hardware
	Clock    mapping.Clock // the zero Clock stands for mapping.MyrinetClock
	// Limit is the number of probes of all hosts after which they give up; 0 is none.
	Limit int
}

// Result is the maps that were made, one for each part of the network.
type Result struct {
	Maps   []Map
	Probes probe.Counts // of all hosts
	// Exchanged is the messages between members of groups.
	Exchanged int
	Rounds    []Round
	Elapsed   time.Duration
}

// Map is that of a group which has no port in doubt.
type Map struct {
	Leader int32 // host
	*survey.Result
}

// Round is what happened in a round.
type Round struct {
	Groups  int // after it
	Workers int // members that probed
	Probes  int
	End     time.Duration
}

// Run lets all hosts map. It ends with probe.ErrLimit when they sent too many probes.
func Run(ctx context.Context, n *mapping.Network, opt *Options) (*Result, error) {
	s := &state{ctx: ctx, n: n, opt: opt, clock: opt.Clock, byID: make(map[uint64]int32, n.NumHosts())}
	if s.clock == (mapping.Clock{}) {
		s.clock = mapping.MyrinetClock
	}
	for h := range int32(n.NumHosts()) {
		s.byID[n.Hosts[h].ID] = h
		g := &group{leader: h, members: []int32{h}, known: graph.New(n.Radix()), sounds: &probe.Soundings{}}
		survey.NewExplorer(ctx, g.known, nil, n.Hosts[h])
		s.group = append(s.group, g)
	}
	for s.round() {
		if s.spent() {
			return nil, probe.ErrLimit
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return s.finish()
}

// state is the state of all hosts.
type state struct {
	ctx    context.Context
	n      *mapping.Network
	opt    *Options
	clock  mapping.Clock
	byID   map[uint64]int32
	group  []*group // by host
	sent   int      // probes
	result Result
}

// group is hosts that share a map.
type group struct {
	leader  int32
	members []int32
	known   *graph.Graph
	sounds  *probe.Soundings
	workers []*worker
	ended   bool // met a lower one in this round
}

const (
	// most is the switches that a member visits in a round: what several find out at a time
	// they may find out of the same switch.
	most = 2
	// sure is the share of answers from which on all sound by a string. One that led to a
	// host from such a position, and was not tried there since, is worth 7/9.
	sure = 0.7
)

// visit is what a worker does at a switch: all ports, or only a sounding.
type visit struct {
	to    int32
	whole bool
}

// worker is a member in a round.
type worker struct {
	host     int32
	share    []visit
	now      time.Duration
	explorer *survey.Explorer
	next     func() (struct{}, bool)
	stop     func()
}

// spent says that the probes ran out.
func (s *state) spent() bool { return s.opt.Limit > 0 && s.sent >= s.opt.Limit }

// groups lists each group once, by leader.
func (s *state) groups() (groups []*group) {
	for h, g := range s.group {
		if g.leader == int32(h) {
			groups = append(groups, g)
		}
	}
	return groups
}

// round lets all groups work once. It returns false when none has anything to do.
func (s *state) round() bool {
	var (
		round   Round
		workers []*worker
		meets   [][2]int32
	)
	for _, g := range s.groups() {
		s.assign(g)
		for _, w := range g.workers {
			s.start(g, w, &meets)
		}
		workers = append(workers, g.workers...)
	}
	if len(workers) == 0 {
		return false
	}
	round.Workers = len(workers)
	s.work(workers)
	slowest := time.Duration(0)
	for _, g := range s.groups() {
		slowest = max(slowest, s.report(g, &round))
	}
	s.result.Elapsed += slowest + s.merge(meets)
	round.Groups, round.End = len(s.groups()), s.result.Elapsed
	s.result.Rounds = append(s.result.Rounds, round)
	return true
}

// assign shares the switches with ports in doubt among the members: each goes to the
// one with least to do of those who are nearest.
func (s *state) assign(g *group) {
	g.workers, g.ended = nil, false
	e := survey.NewExplorer(s.ctx, g.known, nil, s.n.Hosts[g.leader])
	e.Sounds = g.sounds
	looked, enough := 0, 2*most*len(g.members)
	byHost := map[int32]*worker{}
	scouted := map[int]bool{} // by position
	for _, v := range e.Tree().Order {
		if g.known.IsHost(v) || !e.IsOpen(v) {
			continue
		}
		whole := true
		if e.IsUnexplored(v) {
			_, position, share := e.BestSounding(v)
			if whole = share < sure; whole && scouted[position] {
				continue
			}
			scouted[position] = scouted[position] || whole
		}
		if looked++; looked > enough {
			return // the rest is for later rounds
		}
		host := s.nearest(g, v, byHost)
		w := byHost[host]
		if w == nil {
			w = &worker{host: host}
			byHost[host] = w
			g.workers = append(g.workers, w)
		}
		if len(w.share) < most {
			w.share = append(w.share, visit{v, whole})
		}
	}
}

// nearest is the member nearest to a vertex; of several, the one with least to do.
func (s *state) nearest(g *group, v int32, byHost map[int32]*worker) int32 {
	host, within, least := int32(-1), 0, 0
	for u, wires := range g.known.Around(v) {
		if host >= 0 && wires > within {
			break
		}
		if !g.known.IsHost(u) {
			continue
		}
		h, load := s.byID[g.known.Hosts[g.known.HostIndex(u)].ID], 0
		if w := byHost[h]; w != nil {
			load = len(w.share)
		}
		if s.group[h] == g && (host < 0 || load < least) {
			host, within, least = h, wires, load
		}
	}
	return host
}

// start prepares a worker: a coroutine that stands still before each probe.
func (s *state) start(g *group, w *worker, meets *[][2]int32) {
	model := mapping.NewMapper(mapping.NewModel(s.n, s.opt.Rule, s.opt.Hardware), w.host, mapping.Conditions{Clock: s.clock})
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		ctx, end := context.WithCancel(s.ctx)
		defer end()
		w.explorer = survey.NewExplorer(ctx, g.known.Clone(), mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if s.spent() || !yield(struct{}{}) {
				end()
				return mapping.Reply{}, 0
			}
			s.sent++
			reply, took := model.Probe(turns)
			w.now += took
			return reply, took
		}), s.n.Hosts[w.host])
		w.explorer.Sounds = g.sounds.Clone()
		w.explorer.EndVisit = func(h mapping.Host) bool {
			other := s.group[s.byID[h.ID]]
			if other == g {
				return false
			}
			*meets = append(*meets, [2]int32{g.leader, other.leader})
			if s.lower(other, g) {
				g.ended = true
			} else {
				other.ended = true
			}
			return true
		}
		for _, v := range w.share {
			if root, _ := w.explorer.Map.Find(v.to); root != v.to || !w.explorer.IsOpen(v.to) {
				continue
			}
			if v.whole {
				w.explorer.Visit(v.to)
			} else {
				w.explorer.Sound(v.to)
			}
		}
	})
}

func (s *state) lower(a, b *group) bool { return s.n.Hosts[a.leader].ID < s.n.Hosts[b.leader].ID }

// work runs the workers, always the one whose time is least.
func (s *state) work(workers []*worker) {
	running := slices.Clone(workers)
	for len(running) > 0 {
		least := 0
		for k, w := range running {
			if w.now < running[least].now {
				least = k
			}
		}
		w := running[least]
		if s.group[w.host].ended || s.ctx.Err() != nil {
			w.stop()
		} else if _, more := w.next(); more {
			continue
		}
		running = slices.Delete(running, least, least+1)
	}
}

// message is the time of one message with so many facts to or from a leader, at the
// leader: it sends or takes one after the other.
func (s *state) message(facts int) time.Duration {
	const bytesOfFact = 16
	s.result.Exchanged++
	return s.clock.Overhead/4 + s.clock.Way(0, s.opt.Hardware.Payload+bytesOfFact*facts)
}

// report gives what the members learned to the leader. It returns when that is done.
func (s *state) report(g *group, round *Round) time.Duration {
	base := g.known.Len()
	done := time.Duration(0)
	slices.SortStableFunc(g.workers, func(a, b *worker) int { return cmp.Compare(a.now, b.now) })
	for _, w := range g.workers {
		done = max(done, w.now)
		if w.explorer == nil {
			continue // the round was over before it began
		}
		g.known.Learn(w.explorer.Map, base)
		g.sounds.Absorb(w.explorer.Sounds)
		sent := w.explorer.Probes.Total().Sent
		round.Probes += sent
		s.result.Probes.Add(&w.explorer.Probes)
		if w.host != g.leader {
			done += s.message(0) + s.message(w.explorer.Map.Added()) // its share, and its report
		}
	}
	return done
}

// merge makes one group of those that met. It returns how long that took.
func (s *state) merge(meets [][2]int32) time.Duration {
	took := map[*group]time.Duration{}
	for _, m := range meets {
		a, b := s.group[m[0]], s.group[m[1]]
		if a == b {
			continue
		}
		if s.lower(b, a) {
			a, b = b, a
		}
		a.known.Absorb(b.known)
		a.sounds.Absorb(b.sounds)
		a.members = append(a.members, b.members...)
		for _, h := range b.members {
			s.group[h] = a
		}
		took[a] = max(took[a], took[b]) + s.message(b.known.Len())
	}
	slowest := time.Duration(0)
	for _, t := range took {
		slowest = max(slowest, t)
	}
	return slowest
}

// finish lets each leader compare what may be one switch, and makes the maps.
func (s *state) finish() (*Result, error) {
	slowest := time.Duration(0)
	for _, g := range s.groups() {
		m := mapping.NewMapper(mapping.NewModel(s.n, s.opt.Rule, s.opt.Hardware), g.leader, mapping.Conditions{Clock: s.clock})
		e := survey.NewExplorer(s.ctx, g.known, m, s.n.Hosts[g.leader])
		e.Sounds = g.sounds
		r, err := e.Finish(100)
		if err != nil {
			return nil, err
		}
		s.result.Probes.Add(&e.Probes)
		slowest = max(slowest, e.Elapsed)
		s.result.Maps = append(s.result.Maps, Map{g.leader, r})
	}
	s.result.Elapsed += slowest
	return &s.result, nil
}
