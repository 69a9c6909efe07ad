package rmpp

import (
	"context"
	"sync"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// Transport turns a medium for datagrams into one for whole messages.
type Transport struct {
	wire.Transport
	clock func() time.Duration

	mu      sync.Mutex
	machine *Machine
	actions []Action
	whole   []wire.Datagram // messages that wait for Recv
	timer   *time.Timer
	closed  bool
}

// Over creates a Transport over a medium, which it owns from now on. The clock must be monotonic.
func Over(t wire.Transport, cfg Config, clock func() time.Duration) *Transport {
	r := &Transport{Transport: t, clock: clock, machine: New(cfg)}
	r.timer = time.AfterFunc(time.Hour, r.tick)
	return r
}

// isMessage reports whether a datagram to send must be cut, or acknowledged.
func isMessage(m mad.Datagram) bool {
	return wire.RMPPActive(m) && len(m) >= mad.SAHeader.Size && mad.RMPPType.Get(m) == mad.RMPPTypeData
}

// Send implements wire.Transport. A datagram that the medium has no room for counts as lost: it is
// repeated.
func (t *Transport) Send(d *wire.Datagram) error {
	if !isMessage(d.MAD) {
		return t.Transport.Send(d)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.actions = t.machine.Send(t.clock(), d, t.actions[:0])
	return t.perform()
}

// SendAll serves wire.SendAll.
func (t *Transport) SendAll(list []*wire.Datagram) (sent int, err error) {
	for sent < len(list) {
		end := sent
		for end < len(list) && !isMessage(list[end].MAD) {
			end++
		}
		n, err := wire.SendAll(t.Transport, list[sent:end])
		if sent += n; err != nil {
			return sent, err
		}
		if end < len(list) {
			if err := t.Send(list[end]); err != nil {
				return sent, err
			}
			sent++
		}
	}
	return sent, nil
}

// Recv implements wire.Transport.
func (t *Transport) Recv(ctx context.Context, d *wire.Datagram) error {
	for {
		if t.takeWhole(d) {
			return nil
		}
		if err := t.Transport.Recv(ctx, d); err != nil {
			return err
		}
		if d.Undelivered || !wire.RMPPActive(d.MAD) {
			return nil
		}
		t.arrived(d)
	}
}

// Feed serves wire.Feed.
func (t *Transport) Feed(f *wire.Feeder) error {
	take := func(d *wire.Datagram) {
		if d.Undelivered || !wire.RMPPActive(d.MAD) {
			f.Take(d)
			return
		}
		t.arrived(d)
		for whole := (wire.Datagram{}); t.takeWhole(&whole); {
			f.Take(&whole)
		}
	}
	return wire.Feed(t.Transport, &wire.Feeder{Take: take, IsPatient: f.IsPatient})
}

// takeWhole returns the oldest complete message.
func (t *Transport) takeWhole(d *wire.Datagram) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.whole) == 0 {
		return false
	}
	*d, t.whole[0] = t.whole[0], wire.Datagram{}
	t.whole = t.whole[1:]
	return true
}

func (t *Transport) arrived(d *wire.Datagram) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.actions = t.machine.Arrived(t.clock(), d, t.actions[:0])
	_ = t.perform() // lost datagrams are repeated
}

func (t *Transport) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.actions = t.machine.Tick(t.clock(), t.actions[:0])
	_ = t.perform()
}

// perform carries out the actions of the machine.
func (t *Transport) perform() (err error) {
	for i := range t.actions {
		switch a := &t.actions[i]; a.Kind {
		case Send:
			if e := t.Transport.Send(&a.Datagram); err == nil {
				err = e
			}
		case Deliver:
			t.whole = append(t.whole, a.Datagram)
		case TimedOut: // users of a Transport have timers of their own
		}
	}
	if due, ok := t.machine.Deadline(); ok && !t.closed {
		t.timer.Reset(max(0, due-t.clock()))
	}
	return err
}

// Close implements wire.Transport.
func (t *Transport) Close() error {
	t.mu.Lock()
	t.closed = true
	t.timer.Stop()
	t.mu.Unlock()
	return t.Transport.Close()
}
