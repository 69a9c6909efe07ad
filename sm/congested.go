package sm

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// easing sets congestion control at switches and adapters while the Manager is the master: it runs
// a congestion.Setter beside the loop of a Runner.
type easing struct {
	beside
	set    *congestion.Settings
	setter *congestion.Setter
	report atomic.Pointer[congestion.Report]
	note   func(terms.Incident)
	last   congestion.Report // the last that was logged
	idle   bool              // nothing is under way

	of *ledger.Ledger // of the last list of devices; for the Runner's goroutine
}

// A device is set again only after a restart: its answer is awaited for long, with many retries.
const (
	easingTimeout = 500 * time.Millisecond
	easingRetries = 3
)

// startEasing starts to set devices; nil if there are no settings.
func startEasing(set *congestion.Settings, clock func() time.Duration, r *wire.Requester, note func(terms.Incident)) *easing {
	if set == nil {
		return nil
	}
	e := &easing{beside: newBeside(clock, r, easingTimeout, easingRetries), set: set, setter: congestion.New(*set), note: note, idle: true}
	go e.run(e)
	return e
}

// does reports whether devices are set by these settings.
func (e *easing) does(set *congestion.Settings) bool {
	if e == nil || set == nil {
		return (e == nil) == (set == nil)
	}
	return e.set == set || reflect.DeepEqual(e.set, set)
}

// close ends the setting of devices, and waits for that.
func (e *easing) close() {
	if e != nil {
		e.beside.close()
	}
}

// look lists the devices of the ledger in force, nil for none, if it is another one.
func (e *easing) look(ledger *ledger.Ledger) {
	if e == nil {
		return
	}
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

// congestible lists the devices of a round in force that can have congestion control.
func congestible(l *ledger.Ledger) (list []congestion.Device) {
	own := l.Prog.End[l.OwnPort()]
	for slot, end := range l.Prog.End {
		if end < 0 {
			continue
		}
		id, lid := l.Owner[slot], l.Plan.Ends.Base[end]
		d := congestion.Device{GUID: l.Nodes[id].GUID, Port: l.PortNumber(int32(slot)), LID: lid, SL: l.Plan.PathSL(own, lid), Since: l.Since[id]}
		switch {
		case lid == 0 || d.Port != 0 && l.Peer[slot] == ledger.NoSlot:
			continue
		case d.Port == 0:
			d.Ports = l.Nodes[id].Ports
			for p := range l.PortsOf(id) {
				if peer := l.Peer[p]; peer != ledger.NoSlot && !l.IsSwitch(peer) {
					d.ToHosts = append(d.ToHosts, l.PortNumber(p))
				}
			}
		}
		list = append(list, d)
	}
	return list
}

// next sends the requests of the Setter.
func (e *easing) next(now time.Duration) time.Duration {
	ask, wake := e.setter.Next(now)
	for ; ask != nil; ask, wake = e.setter.Next(now) {
		m, err := mad.Request{Method: ask.Method, Attr: ask.Attr, Modifier: ask.Modifier, Key: ask.Key}.Congestion(e.asked.packet[:])
		if err != nil {
			break // it has room
		}
		copy(m.Data(), ask.Data[:])
		to := wire.ToLID(uint16(ask.LID), 1)
		to.SQP, to.SL = 1, ask.SL
		e.ask(ask.Tag, to, m)
	}
	return wake
}

// take handles the end of a request.
func (e *easing) take(end *besideEnd) {
	outcome := congestion.Answered
	var status *wire.StatusError
	switch {
	case end.err == nil:
	case errors.As(end.err, &status):
		outcome = congestion.Refused
	default:
		outcome = congestion.Silent
	}
	e.setter.Ended(end.at, end.tag, outcome, end.data[:])
}

// rest logs the state of the devices, when all have been asked.
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
	e.note(terms.Incident{Kind: terms.CongestionSet, Text: fmt.Sprintf("congestion control is set at %d switches and %d adapter ports; %d devices have none, %d do not answer, %d hold other values than written",
		r.Switches, r.Adapters, r.Without, r.Silent, r.NotTaken)})
}

// shown returns the last report; nil if devices are not set.
func (e *easing) shown() *congestion.Report {
	if e == nil {
		return nil
	}
	return e.report.Load()
}
