package sm

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"weft/sm/congestion"
	"weft/wire"
	"weft/wire/mad"
)

// easing has a congestion.Setter tell switches and adapters how to control congestion, beside the loop of a Runner, while the Manager is the master.
type easing struct {
	beside
	set    *congestion.Settings
	setter *congestion.Setter
	report atomic.Pointer[congestion.Report]
	note   func(Incident)
	last   congestion.Report // that was told
	idle   bool              // nothing is under way

	of *ledger // that the last devices were listed of; of the Runner's goroutine
}

// Devices are told again only after a restart: they get time, and many repetitions.
const (
	easingTimeout = 500 * time.Millisecond
	easingRetries = 3
)

// startEasing starts to tell devices; nil where nothing is to be told.
func startEasing(set *congestion.Settings, clock func() time.Duration, r *wire.Requester, note func(Incident)) *easing {
	if set == nil {
		return nil
	}
	e := &easing{beside: newBeside(clock, r, easingTimeout, easingRetries), set: set, setter: congestion.New(*set), note: note, idle: true}
	go e.run(e)
	return e
}

// does reports whether devices are told these settings.
func (e *easing) does(set *congestion.Settings) bool {
	if e == nil || set == nil {
		return (e == nil) == (set == nil)
	}
	return e.set == set || reflect.DeepEqual(e.set, set)
}

// close ends it, and waits.
func (e *easing) close() {
	if e != nil {
		e.beside.close()
	}
}

// look takes the devices of the round in force, where it is another one.
func (e *easing) look(m *Manager) {
	if e == nil {
		return
	}
	ledger := m.reigning()
	if ledger == e.of {
		return
	}
	var list []congestion.Device
	if ledger != nil {
		list = congestible(ledger)
	}
	e.of = ledger
	e.tell(func() { e.setter.Follow(list) })
}

// congestible lists the devices of a round in force that can be told of congestion control.
func congestible(l *ledger) (list []congestion.Device) {
	own := l.prog.end[l.ownPort()]
	for slot, end := range l.prog.end {
		if end < 0 {
			continue
		}
		id, lid := l.owner[slot], l.plan.Ends.Base[end]
		d := congestion.Device{GUID: l.nodes[id].guid, Port: l.portNumber(int32(slot)), LID: lid, SL: l.plan.PathSL(own, lid), Since: l.since[id]}
		switch {
		case lid == 0 || d.Port != 0 && l.peer[slot] == noSlot:
			continue
		case d.Port == 0:
			d.Ports = l.nodes[id].ports
			for p := range l.portsOf(id) {
				if peer := l.peer[p]; peer != noSlot && !l.isSwitch(peer) {
					d.ToHosts = append(d.ToHosts, l.portNumber(p))
				}
			}
		}
		list = append(list, d)
	}
	return list
}

// next sends what the Setter asks.
func (e *easing) next(now time.Duration) time.Duration {
	ask, wake := e.setter.Next(now)
	for ; ask != nil; ask, wake = e.setter.Next(now) {
		var packet [mad.Size]byte
		m, err := mad.Request{Method: ask.Method, Attr: ask.Attr, Modifier: ask.Modifier, Key: ask.Key}.Congestion(packet[:])
		if err != nil {
			break // it has room
		}
		copy(m.Data(), ask.Data[:])
		to := wire.ToLID(uint16(ask.LID), 1)
		to.SQP, to.SL = 1, ask.SL
		e.send(&wire.Request{Addr: to, MAD: m, Tag: ask.Tag})
	}
	return wake
}

// take takes the end of a request.
func (e *easing) take(now time.Duration, end *besideEnd) {
	outcome := congestion.Answered
	var status *wire.StatusError
	switch {
	case end.err == nil:
	case errors.As(end.err, &status):
		outcome = congestion.Refused
	default:
		outcome = congestion.Silent
	}
	e.setter.Ended(now, end.tag, outcome, end.data[:])
}

// rest tells how far the devices are, when all have been asked.
func (e *easing) rest() {
	if e.setter.Busy() {
		return
	}
	r := e.setter.Report()
	e.report.Store(&r)
	if r == e.last || r == (congestion.Report{}) || e.note == nil {
		return
	}
	e.last = r
	e.note(Incident{Kind: CongestionSet, Text: fmt.Sprintf("%d switches and %d ports of adapters control congestion as they are to; %d devices have no congestion control, %d do not answer, %d say something else than they were told",
		r.Switches, r.Adapters, r.Without, r.Silent, r.NotTaken)})
}

// shown returns how far the devices are; nil where nothing is told.
func (e *easing) shown() *congestion.Report {
	if e == nil {
		return nil
	}
	return e.report.Load()
}
