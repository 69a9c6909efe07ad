package sm

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// counting has a perf.Monitor read the counters of all ports beside the loop of a Runner, while the Manager is the master.
type counting struct {
	beside
	monitor *perf.Monitor
	report  atomic.Pointer[perf.Report]
	note    func(terms.Incident)
	fresh   chan struct{} // there is another report

	of *ledger.Ledger // that the last subnet was made of; of the Runner's goroutine
}

// startCounting starts to read counters; nil where none are to be read.
func startCounting(cfg perf.Config, clock func() time.Duration, r *wire.Requester, note func(terms.Incident)) *counting {
	if cfg.Interval <= 0 {
		return nil
	}
	c := &counting{beside: newBeside(clock, r, perfTimeout, perfRetries), monitor: perf.New(cfg), note: note, fresh: make(chan struct{}, 1)}
	go c.run(c)
	return c
}

// close ends the reading, and waits for it.
func (c *counting) close() {
	if c != nil {
		c.beside.close()
	}
}

// look takes the subnet of the round in force, where it is another one.
func (c *counting) look(m *watch.Manager) {
	if c == nil {
		return
	}
	ledger := m.Reigning()
	if ledger == c.of {
		return
	}
	var next *perf.Subnet
	if ledger != nil {
		next = counted(ledger)
	}
	c.of = ledger
	c.tell(func() { c.monitor.Follow(c.clock(), next) })
}

// counted makes the subnet whose counters are to be read, of a round that has brought it up.
func counted(l *ledger.Ledger) *perf.Subnet {
	own := l.Prog.End[l.OwnPort()]
	return perf.NewSubnet(l.Fabric, func(lid fabric.LID) uint8 { return l.Plan.PathSL(own, lid) })
}

// next sends what the Monitor asks.
func (c *counting) next(now time.Duration) time.Duration {
	ask, wake := c.monitor.Next(now)
	for ; ask != nil; ask, wake = c.monitor.Next(now) {
		c.ask(ask)
	}
	return wake
}

// rest tells what the Monitor has found.
func (c *counting) rest() {
	for _, e := range c.monitor.Events() {
		c.passed(&e)
	}
	if r := c.monitor.Report(); c.report.Swap(r) != r {
		signal(c.fresh)
	}
}

// Counters are read again in the next round: few repetitions will do, and nobody waits long for a device that does not answer.
const (
	perfTimeout = 200 * time.Millisecond
	perfRetries = 2
)

// ask starts a request.
func (c *counting) ask(a *perf.Ask) {
	var packet [mad.Size]byte
	m, err := mad.Request{Method: a.Method, Attr: a.Attr}.New(packet[:], mad.ClassPerf)
	if err != nil {
		return // it has room
	}
	copy(m.Data(), a.Data[:])
	to := wire.ToLID(uint16(a.To.LID), a.To.QP)
	to.SQP, to.SL = 1, a.To.SL
	if a.To.QKey != 0 {
		to.QKey = a.To.QKey
	}
	c.send(&wire.Request{Addr: to, MAD: m, Tag: a.Tag})
}

// take takes the end of a request.
func (c *counting) take(now time.Duration, e *besideEnd) {
	outcome := perf.Answered
	var status *wire.StatusError
	switch {
	case e.err == nil:
	case errors.As(e.err, &status) && status.Status&mad.StatusRedirect != 0:
		outcome = perf.Redirected
	case status != nil:
		outcome = perf.Refused
	default:
		outcome = perf.Silent
	}
	c.monitor.Ended(now, e.tag, outcome, e.data[:])
}

// passed tells what has passed a threshold.
func (c *counting) passed(e *perf.Event) {
	if c.note == nil {
		return
	}
	i := terms.Incident{Kind: terms.CounterPassed}
	switch {
	case e.More > 0:
		i.Text = fmt.Sprintf("and %d more counters that have passed their thresholds, or are below them again", e.More)
	case e.Passed:
		i.Text = fmt.Sprintf("%s: %s grows by %.3g a minute, more than %.3g", e.Port, e.Counter, e.Rate, e.Most)
	default:
		i.Kind, i.Text = terms.CounterCalm, fmt.Sprintf("%s: %s grows by %.3g a minute, below half of %.3g again", e.Port, e.Counter, e.Rate, e.Most)
	}
	if e.More == 0 {
		i.At = terms.Place{Node: e.Port.GUID, Name: e.Port.Name, Port: int(e.Port.Port)}
	}
	c.note(i)
}

// news tells that there is another report.
func (c *counting) news() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.fresh
}

// shown returns what the last round has found; nil where nothing is read, or none has ended.
func (c *counting) shown() *perf.Report {
	if c == nil {
		return nil
	}
	return c.report.Load()
}
