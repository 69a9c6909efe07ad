package concurrent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/internal/survey"
	"weft/mapping/probe"
)

// MergeOptions controls mapping by all hosts together.
type MergeOptions struct {
	Rule     mapping.Collision
	Hardware mapping.Hardware
	// Traffic of applications disturbs all probes, drawn from Seed. Silence is still believed, so
	// the map may lack wires.
	Traffic mapping.Traffic
	Seed    uint64
	// MessageLoss is the share of messages between members of groups that are lost, drawn from
	// Seed: at least 0 and below 1.
	MessageLoss float64
	// Limit is the total number of probes after which the hosts give up; 0 is no limit.
	Limit int
}

// Merging is the result: a map for each part of the network.
type Merging struct {
	Maps   []GroupMap
	Probes probe.Counts // of all hosts
	// Messages counts messages between members of groups, with copies and acknowledgements. Resent
	// counts the copies, and Unheard the messages without any copy that arrived.
	Messages, Resent, Unheard int
	Rounds                    []Round
	Elapsed                   time.Duration
	Alone                     bool // merging was in vain, and single hosts made the maps
}

// GroupMap is the map of a group without a port in doubt.
type GroupMap struct {
	Leader int32 // host
	*survey.Result
}

// Round is a round of all groups.
type Round struct {
	Groups  int // after the round
	Workers int // members that probed
	Probes  int
	End     time.Duration
}

// Merge lets all hosts map together. It ends with probe.ErrLimit if they sent too many probes.
//
// Hosts form groups; at first each host is its own. A group has one model graph and one leader, the
// lowest address. In a round, the members share the switches of the graph that have ports in doubt,
// each switch going to one of the nearest members; every member visits its share. A member that
// finds a host of another group has met it: it leaves that switch to them, and the group with the
// higher leader ends its round. After the round members report to their leaders, groups that met
// merge their graphs, and the new leader assigns the next round. When no port of a group is in
// doubt, its graph covers the network.
//
// Members working at the same time find the same far switches from different sides, and whoever
// explores a replicate finds replicates behind it: their number grows exponentially with the levels
// of a tree. So a switch known only by its entry is only sounded, by a string of turns that led to
// a host from such a position before: one answer mostly identifies it. If no such string is known,
// one member per position goes first and explores; strings travel in the reports like graphs.
//
// A round takes the time of its slowest member, and of the messages between rounds: a quarter of a
// probe's software overhead to send and to receive each, one after the other at the leader, and the
// transmission of the graph. Messages of members do not wait for wires. They may be lost, and are
// then sent again (mail.go).
//
// All wait for wires held by a message that collided with itself (mapping.Wires). If that delayed
// answers, members took them for silence, and all begin again with a longer timeout.
//
// If many switches are far from all hosts, members may find the same ones again and again. Then one
// host continues alone (package survey), so that together hosts map whatever one of them can.
//
// Cost: as a survey, and a copy of the group's graph for each working member.
func Merge(ctx context.Context, n *mapping.Network, opt *MergeOptions) (*Merging, error) {
	if !(opt.MessageLoss >= 0 && opt.MessageLoss < 1) {
		return nil, fmt.Errorf("mapping: %v is not a share of messages lost: want at least 0 and below 1", opt.MessageLoss)
	}
	first := newMerging(ctx, n, opt)
	r, err := first.run(ctx)
	if err != nil || first.delays == 0 || r.Alone {
		return r, err
	}
	second := newMerging(ctx, n, opt)
	second.patient, second.sent, second.result = true, first.sent, Merging{Probes: r.Probes, Rounds: r.Rounds, Elapsed: r.Elapsed}
	second.mail = first.mail
	return second.run(ctx)
}

func (s *merging) run(ctx context.Context) (*Merging, error) {
	r, err := s.mapAll(ctx)
	if err == nil {
		r.Messages, r.Resent, r.Unheard = s.mail.sent, s.mail.again, s.mail.failed
	}
	return r, err
}

func (s *merging) mapAll(ctx context.Context) (*Merging, error) {
	for s.runRound() {
		if s.isSpent() {
			return nil, probe.ErrLimit
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.sent > mostEach*s.n.NumHosts() {
			return s.finishAlone()
		}
	}
	return s.finish()
}

// mostEach is the mean number of probes per host after which working together is in vain: if many
// switches are far from all hosts, members find the same ones again and again.
const mostEach = 2000

// finishAlone lets the lowest host of each part of the network survey it alone, from the beginning:
// a single host compares switches where members would only find more replicates.
func (s *merging) finishAlone() (*Merging, error) {
	groups := s.groups()
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(s.n.Hosts[a.leader].ID, s.n.Hosts[b.leader].ID) })
	begin, mapped := s.result.Elapsed, map[uint64]bool{}
	for _, g := range groups {
		self := s.n.Hosts[g.leader]
		if mapped[self.ID] {
			continue
		}
		left := 0
		if s.opt.Limit > 0 {
			left = max(1, s.opt.Limit-s.sent)
		}
		r, err := survey.Run(s.ctx, s.newProber(g.leader), &survey.Options{Self: self, Radix: s.n.Radix(), Limit: left})
		if err != nil {
			return nil, err
		}
		s.sent += r.Probes.Total().Sent
		if s.isSpent() {
			return nil, probe.ErrLimit
		}
		s.result.Probes.Add(&r.Probes)
		s.result.Elapsed = max(s.result.Elapsed, begin+r.Elapsed)
		s.result.Maps = append(s.result.Maps, GroupMap{g.leader, r})
		for _, h := range r.Whole.Hosts {
			mapped[h.ID] = true
		}
	}
	s.result.Alone = true
	return &s.result, nil
}

// merging is the state of all hosts.
type merging struct {
	ctx     context.Context
	n       *mapping.Network
	opt     *MergeOptions
	byID    map[uint64]int32 // host by address
	groupOf []*group         // by host
	met     []meeting
	mail    *mail
	sent    int // probes
	wires   *mapping.Wires
	delays  int  // answers that came too late because a wire was held
	patient bool // the timeout is longer than any wire can be held
	result  Merging
}

// group is a set of hosts that share a model graph.
type group struct {
	leader    int32
	members   []int32
	graph     *graph.Graph
	soundings *probe.Soundings
	workers   []*worker
	ended     bool // it met a group with a lower leader in this round
}

func newMerging(ctx context.Context, n *mapping.Network, opt *MergeOptions) *merging {
	s := &merging{ctx: ctx, n: n, opt: opt, byID: make(map[uint64]int32, n.NumHosts()), wires: mapping.NewWires(n, mapping.MyrinetClock), mail: newMail(opt)}
	for h := range int32(n.NumHosts()) {
		s.byID[n.Hosts[h].ID] = h
		g := &group{leader: h, members: []int32{h}, graph: graph.New(n.Radix()), soundings: &probe.Soundings{}}
		survey.NewExplorer(ctx, g.graph, nil, n.Hosts[h]) // adds the host and its switch
		s.groupOf = append(s.groupOf, g)
	}
	return s
}

// isSpent reports whether the probes are used up.
func (s *merging) isSpent() bool { return s.opt.Limit > 0 && s.sent >= s.opt.Limit }

// isLower reports whether the leader of a has the lower address.
func (s *merging) isLower(a, b *group) bool {
	return s.n.Hosts[a.leader].ID < s.n.Hosts[b.leader].ID
}

// groups lists each group once, by leader.
func (s *merging) groups() (groups []*group) {
	for h, g := range s.groupOf {
		if g.leader == int32(h) {
			groups = append(groups, g)
		}
	}
	return groups
}

// newProber returns the prober of a host.
func (s *merging) newProber(host int32) *mapping.Mapper {
	m := mapping.NewMapper(mapping.NewModel(s.n, s.opt.Rule, s.opt.Hardware), host, mapping.Conditions{Traffic: s.opt.Traffic, Seed: s.opt.Seed, Draw: uint64(len(s.result.Rounds))})
	m.Wires, m.Elapsed = s.wires, s.result.Elapsed
	if s.patient {
		m.WaitLonger()
	}
	return m
}

// runRound lets all groups work once. It returns false if none has anything to do.
func (s *merging) runRound() bool {
	var workers []*worker
	busy := len(s.met) > 0
	for _, g := range s.groups() {
		busy = s.assign(g) || busy
		workers = append(workers, g.workers...)
	}
	if !busy {
		return false
	}
	s.work(workers)
	round := Round{Workers: len(workers)}
	slowest := time.Duration(0)
	for _, g := range s.groups() {
		done, probes := s.report(g)
		slowest = max(slowest, done)
		round.Probes += probes
	}
	s.result.Elapsed += slowest + s.mergeGroups()
	round.Groups, round.End = len(s.groups()), s.result.Elapsed
	s.result.Rounds = append(s.result.Rounds, round)
	return true
}

// finish lets each leader compare switches that may be one, and makes the maps.
func (s *merging) finish() (*Merging, error) {
	slowest := time.Duration(0)
	for _, g := range s.groups() {
		prober := s.newProber(g.leader)
		e := survey.NewExplorer(s.ctx, g.graph, prober, s.n.Hosts[g.leader])
		e.Soundings = g.soundings
		r, err := e.Finish(100)
		if err != nil {
			return nil, err
		}
		s.result.Probes.Add(&e.Probes)
		s.delays += prober.Delays()
		slowest = max(slowest, e.Elapsed)
		s.result.Maps = append(s.result.Maps, GroupMap{g.leader, r})
	}
	s.result.Elapsed += slowest
	return &s.result, nil
}
