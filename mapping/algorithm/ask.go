package algorithm

import (
	"context"
	"errors"
	"time"

	"weft/mapping"
)

// Turn is a relative turn.
type Turn = mapping.Turn

// Tally counts probes of one kind.
type Tally struct {
	Sent, Answered int
}

// Probes counts what was sent, by kind.
type Probes struct {
	Host, Switch, Loop, Compare Tally
}

// Total is all kinds together.
func (p *Probes) Total() Tally {
	var t Tally
	for _, k := range []Tally{p.Host, p.Switch, p.Loop, p.Compare} {
		t.Sent += k.Sent
		t.Answered += k.Answered
	}
	return t
}

// Add counts the probes of another mapper too.
func (p *Probes) Add(o *Probes) {
	for _, k := range [][2]*Tally{{&p.Host, &o.Host}, {&p.Switch, &o.Switch}, {&p.Loop, &o.Loop}, {&p.Compare, &o.Compare}} {
		k[0].Sent += k[1].Sent
		k[0].Answered += k[1].Answered
	}
}

// asker sends the probes of an algorithm and counts them, until it is stopped.
type asker struct {
	ctx     context.Context
	prober  mapping.Prober
	self    mapping.Host
	retries int // how often a silent probe is sent again
	limit   int // of probes, 0 for none
	probes  Probes
	elapsed time.Duration
	buf     []Turn
}

func newAsker(ctx context.Context, p mapping.Prober, opt *Options) asker {
	return asker{ctx: ctx, prober: p, self: opt.Self, retries: opt.Retries, limit: opt.Limit}
}

// ErrLimit says that an algorithm was stopped: it sent more probes than it may.
var ErrLimit = errors.New("mapping: more probes than the limit: the network is out of the algorithm's reach")

// stopped is why no more probes are sent: the limit is reached, or nobody waits for the
// map any longer. It is nil otherwise.
func (a *asker) stopped() error {
	if a.limit > 0 && a.probes.Total().Sent >= a.limit {
		return ErrLimit
	}
	return a.ctx.Err()
}

// finish makes a graph the result.
func (a *asker) finish(g *graph, explorations int) (*Result, error) {
	if err := a.stopped(); err != nil {
		return nil, err
	}
	n, _, err := g.network()
	if err != nil {
		return nil, err
	}
	return &Result{Map: n, Probes: a.probes, Elapsed: a.elapsed, Peak: g.peak, Explorations: explorations}, nil
}

// send sends a.buf, and again while it is silent and retries are left. Who is stopped
// hears nothing.
func (a *asker) send(t *Tally) mapping.Reply {
	for try := 0; try <= a.retries && a.stopped() == nil; try++ {
		reply, took := a.prober.Probe(a.buf)
		t.Sent++
		a.elapsed += took
		if reply.Answered {
			t.Answered++
			return reply
		}
	}
	return mapping.Reply{}
}

// host asks which host is at the end of a path: a1 .. ak.
func (a *asker) host(path ...Turn) (reply mapping.Reply, ok bool) {
	a.buf = append(a.buf[:0], path...)
	reply = a.send(&a.probes.Host)
	return reply, reply.Answered && !reply.Early
}

// toSwitch asks whether a switch is at the end of a path: a1 .. ak 0 -ak .. -a1. Where
// hosts answer early, it may find a host instead; that counts as a host probe.
func (a *asker) toSwitch(path ...Turn) mapping.Reply {
	a.buf = append(append(a.buf[:0], path...), 0)
	a.back(path)
	reply := a.send(&a.probes.Switch)
	if reply.Early {
		for _, n := range []*int{&a.probes.Switch.Sent, &a.probes.Switch.Answered} {
			*n--
		}
		a.probes.Host.Sent++
		a.probes.Host.Answered++
	}
	return reply
}

// compare asks whether the turn x from the end of a path leads to the port by which
// another path enters its last switch: a1 .. ak x -bm .. -b1.
func (a *asker) compare(t *Tally, path []Turn, x Turn, other []Turn) bool {
	a.buf = append(append(a.buf[:0], path...), x)
	a.back(other)
	reply := a.send(t)
	return reply.Answered && !reply.Early && reply.Host.ID == a.self.ID
}

func (a *asker) back(path []Turn) {
	for i := len(path) - 1; i >= 0; i-- {
		a.buf = append(a.buf, -path[i])
	}
}
