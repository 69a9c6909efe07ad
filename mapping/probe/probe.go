// Package probe sends the probes of a mapper and counts them, by the kinds of paper 001, section
// 2.3, and section 4.1.
package probe

import (
	"context"
	"errors"
	"time"

	"weft/mapping"
)

// Tally counts probes of one kind.
type Tally struct {
	Sent, Answered int
}

// Counts counts probes by kind.
type Counts struct {
	Host, Switch, Loop, Compare Tally
}

// Total returns the sum of all kinds.
func (c *Counts) Total() Tally {
	var t Tally
	for _, k := range []Tally{c.Host, c.Switch, c.Loop, c.Compare} {
		t.Sent += k.Sent
		t.Answered += k.Answered
	}
	return t
}

// Add adds the probes of another mapper.
func (c *Counts) Add(o *Counts) {
	for _, k := range [][2]*Tally{{&c.Host, &o.Host}, {&c.Switch, &o.Switch}, {&c.Loop, &o.Loop}, {&c.Compare, &o.Compare}} {
		k[0].Sent += k[1].Sent
		k[0].Answered += k[1].Answered
	}
}

// ErrLimit says that a mapper was stopped because it reached its limit of probes.
var ErrLimit = errors.New("mapping: the limit of probes is reached: the algorithm cannot map this network within it")

// Options limits a Sender.
type Options struct {
	Retries int // repetitions of a silent probe
	Limit   int // maximum number of probes; 0 is no limit
}

// Sender sends the probes of one host. Once stopped, it sends no more, and every probe is silent.
type Sender struct {
	Probes  Counts
	Elapsed time.Duration // modelled

	ctx    context.Context
	prober mapping.Prober
	self   mapping.Host
	opt    Options
	turns  []mapping.Turn // of the current probe
}

// NewSender returns the Sender of host self. It stops when the context ends.
func NewSender(ctx context.Context, p mapping.Prober, self mapping.Host, opt Options) Sender {
	return Sender{ctx: ctx, prober: p, self: self, opt: opt}
}

// Stopped returns the reason for sending no more probes: ErrLimit, or the error of the context. It
// returns nil while probes are sent.
func (s *Sender) Stopped() error {
	if s.opt.Limit > 0 && s.Probes.Total().Sent >= s.opt.Limit {
		return ErrLimit
	}
	return s.ctx.Err()
}

// Ended reports whether the context has ended, so that silence means nothing.
func (s *Sender) Ended() bool { return s.ctx.Err() != nil }

// send sends s.turns, and again while they are not answered and retries are left.
func (s *Sender) send(t *Tally) mapping.Reply {
	for try := 0; try <= s.opt.Retries && s.Stopped() == nil; try++ {
		reply, took := s.prober.Probe(s.turns)
		if s.Ended() {
			break // it was not sent
		}
		t.Sent++
		s.Elapsed += took
		if reply.Answered {
			t.Answered++
			return reply
		}
	}
	return mapping.Reply{}
}

// Host asks which host is at the end of a path: a1 .. ak.
func (s *Sender) Host(path ...mapping.Turn) (reply mapping.Reply, ok bool) {
	s.turns = append(s.turns[:0], path...)
	reply = s.send(&s.Probes.Host)
	return reply, reply.Answered && !reply.Early
}

// Switch asks whether a switch is at the end of a path: a1 .. ak 0 -ak .. -a1. If hosts answer
// early, the reply may name a host there instead.
func (s *Sender) Switch(path ...mapping.Turn) mapping.Reply {
	s.turns = append(append(s.turns[:0], path...), 0)
	s.goBack(path)
	return s.send(&s.Probes.Switch)
}

// Loop looks for a loopback plug in the port at the end of a path: a1 .. ak -ak .. -a1. There are
// none in this model, where a wire has two ends, so an answer means nothing.
func (s *Sender) Loop(path []mapping.Turn) {
	s.turns = append(s.turns[:0], path...)
	s.goBack(path)
	s.send(&s.Probes.Loop)
}

// Compare asks whether the turn x from the end of a path leads to the port where another path
// enters its last switch: a1 .. ak x -bm .. -b1.
func (s *Sender) Compare(path []mapping.Turn, x mapping.Turn, other []mapping.Turn) bool {
	s.turns = append(append(s.turns[:0], path...), x)
	s.goBack(other)
	return s.IsOwn(s.send(&s.Probes.Compare))
}

// IsOwn reports whether a reply is the host's own message, come back.
func (s *Sender) IsOwn(r mapping.Reply) bool {
	return r.Answered && !r.Early && r.Host.ID == s.self.ID
}

// goBack appends the turns that lead back along a path.
func (s *Sender) goBack(path []mapping.Turn) {
	for i := len(path) - 1; i >= 0; i-- {
		s.turns = append(s.turns, -path[i])
	}
}
