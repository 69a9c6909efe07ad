// Package live runs an emulated subnet, or several joined by routers, in real time. Programs of
// this process attach to it through a wire.Transport over the loop medium, servers such as
// emulator/ibsimd through Do and Send.
//
// The caller provides the clock. Between events nothing runs: one timer wakes the subnet when an
// event is due. A request with its answer costs as much as in the subnet and the loop medium, plus
// a lock and a reading of the clock.
package live

import (
	"sync"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/loop"
)

// Live is a subnet that runs in real time. Its methods may be called from several goroutines.
type Live struct {
	*driver
	subnet *emulator.Subnet
}

// driver moves the time of one subnet, or of several joined by routers.
type driver struct {
	clock func() time.Duration

	mu     sync.Mutex
	all    *emulator.Joined
	timer  *time.Timer
	due    time.Duration // when the timer fires; never if it is not set
	closed bool
}

const never = time.Duration(1<<63 - 1)

// New starts a subnet, which from now on belongs to the Live. The clock must never go back.
func New(s *emulator.Subnet, clock func() time.Duration) *Live {
	return Join(&emulator.Joined{Subnets: []*emulator.Subnet{s}}, clock)[0]
}

// Join starts several subnets with one clock, like New.
func Join(all *emulator.Joined, clock func() time.Duration) []*Live {
	d := &driver{clock: clock, all: all, due: never}
	d.timer = time.AfterFunc(never, d.wake)
	list := make([]*Live, len(all.Subnets))
	for i, s := range all.Subnets {
		list[i] = &Live{d, s}
	}
	d.wake()
	return list
}

// Close stops the clock of the subnet and its joined ones: nothing happens in them any more by
// itself.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.timer.Stop()
}

// Do calls f with the subnet at the current time, exclusively; f must not keep the subnet.
func (l *Live) Do(f func(*emulator.Subnet)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Advance(l.clock())
	f(l.subnet)
	l.arm()
}

// Send passes a datagram to the subnet, like Subnet.Send.
func (l *Live) Send(id emulator.ClientID, d *wire.Datagram) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Advance(l.clock())
	l.subnet.Send(id, d)
	l.arm()
}

// arm sets the timer to the next event of the subnets. It may fire early after an event was
// removed; then wake does nothing.
func (d *driver) arm() {
	at, ok := d.all.Next()
	if !ok || at >= d.due || d.closed {
		return
	}
	d.due = at
	d.timer.Reset(max(at-d.clock(), 0))
}

func (d *driver) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.due = never
	d.all.Advance(d.clock())
	d.arm()
}

// attachment is a Transport at a port of the subnet.
type attachment struct {
	*loop.Transport
	l  *Live
	id emulator.ClientID
}

// Attach attaches a Transport to a port: port 0 of a switch, another port of other nodes. It
// receives requests of others with or without IsSM; among several programs on a port, a subnet
// manager comes first.
func (l *Live) Attach(at fabric.End) (wire.Transport, error) {
	a := &attachment{l: l}
	a.Transport = loop.New(
		func(d *wire.Datagram, _ func(*wire.Datagram)) { l.Send(a.id, d) },
		loop.Options{
			Port:    func() wire.Port { return l.Port(at) },
			SetIsSM: func(on bool) { l.Do(func(s *emulator.Subnet) { s.SetIsSM(a.id, on) }) },
		})
	var err error
	l.Do(func(s *emulator.Subnet) {
		a.id, err = s.Attach(emulator.Client{At: at, Deliver: a.Transport.Deliver})
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Close ends the attachment.
func (a *attachment) Close() error {
	err := a.Transport.Close()
	a.l.Do(func(s *emulator.Subnet) { s.Detach(a.id) })
	return err
}

// Port returns the current state of a port, or the zero value if there is no such port.
func (l *Live) Port(at fabric.End) (p wire.Port) {
	l.Do(func(s *emulator.Subnet) {
		node, err := s.NodeInfo(at)
		if err != nil {
			return
		}
		info, _ := s.PortInfo(at)
		keys, _ := s.PKeys(at)
		p = wire.PortOf(s.NodeName(at.Node), node, info, keys)
	})
	return p
}
