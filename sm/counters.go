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

// counting reads the counters of all ports while the Manager is the master: it runs a perf.Monitor
// beside the loop of a Runner.
type counting struct {
	beside
	monitor *perf.Monitor
	report  atomic.Pointer[perf.Report]
	note    func(terms.Incident)
	fresh   chan struct{} // signals a new report

	// For the Runner's goroutine:
	cfg    perf.Config
	subnet *perf.Subnet
	of     *ledger.Ledger // of subnet
}

// startCounting starts to read counters; nil if none are to be read. The Monitor may have counted
// before, over another port or requester.
func startCounting(cfg perf.Config, monitor *perf.Monitor, clock func() time.Duration, r *wire.Requester, note func(terms.Incident)) *counting {
	if cfg.Interval <= 0 {
		return nil
	}
	c := &counting{beside: newBeside(clock, r, perfTimeout, perfRetries), cfg: cfg, monitor: monitor, note: note, fresh: make(chan struct{}, 1)}
	if monitor == nil {
		c.monitor = perf.New(cfg)
	}
	c.report.Store(c.monitor.Report())
	go c.run(c)
	return c
}

// close ends the reading, waits for it, and returns the Monitor with its counts.
func (c *counting) close() *perf.Monitor {
	if c == nil {
		return nil
	}
	c.beside.close()
	c.monitor.Follow(c.clock(), nil)
	return c.monitor
}

// look takes the subnet of the round in force, if it is another one.
func (c *counting) look(m *watch.Manager) {
	if c == nil {
		return
	}
	ledger := m.Reigning()
	if ledger == c.of {
		return
	}
	c.of, c.subnet = ledger, nil
	if ledger != nil {
		c.subnet = counted(ledger)
	}
	c.set()
}

// configure takes another interval or rate, and keeps the counts.
func (c *counting) configure(cfg perf.Config) {
	c.cfg = cfg
	c.set()
}

// set gives the Monitor its subnet and its bounds.
func (c *counting) set() {
	cfg, subnet := c.cfg, c.subnet
	c.tell(func() {
		now := c.clock()
		c.monitor.Configure(now, cfg)
		c.monitor.Follow(now, subnet)
	})
}

// counted makes the subnet whose counters are read, from the ledger of a round.
func counted(l *ledger.Ledger) *perf.Subnet {
	own := l.Prog.End[l.OwnPort()]
	return perf.NewSubnet(l.Fabric, func(lid fabric.LID) uint8 { return l.Plan.PathSL(own, lid) })
}

// next sends the requests of the Monitor.
func (c *counting) next(now time.Duration) time.Duration {
	ask, wake := c.monitor.Next(now)
	for ; ask != nil; ask, wake = c.monitor.Next(now) {
		c.start(ask)
	}
	return wake
}

// rest reports the findings of the Monitor.
func (c *counting) rest() {
	for _, e := range c.monitor.Events() {
		c.passed(&e)
	}
	if r := c.monitor.Report(); c.report.Swap(r) != r {
		signal(c.fresh)
	}
}

// The next round reads the counters again: few retries and a short timeout will do.
const (
	perfTimeout = 200 * time.Millisecond
	perfRetries = 2
)

// start starts a request.
func (c *counting) start(a *perf.Ask) {
	m, err := mad.Request{Method: a.Method, Attr: a.Attr}.New(c.asked.packet[:], mad.ClassPerf)
	if err != nil {
		return // it has room
	}
	copy(m.Data(), a.Data[:])
	to := wire.ToLID(uint16(a.To.LID), a.To.QP)
	to.SQP, to.SL = 1, a.To.SL
	if a.To.QKey != 0 {
		to.QKey = a.To.QKey
	}
	c.ask(a.Tag, to, m)
}

// take handles the end of a request.
func (c *counting) take(e *besideEnd) {
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
	c.monitor.Ended(e.at, e.tag, outcome, e.data[:])
}

// passed logs that counters passed their thresholds, or fell below them again.
func (c *counting) passed(e *perf.Event) {
	if c.note == nil {
		return
	}
	i := terms.Incident{Kind: terms.CounterPassed}
	switch {
	case e.More > 0:
		i.Text = fmt.Sprintf("and %d more counters passed their thresholds, or fell below them again", e.More)
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

// news signals new reports.
func (c *counting) news() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.fresh
}

// shown returns the report of the last round over the counters; nil if there is none, or if another
// manager is the master, since it is out of date then.
func (c *counting) shown(role terms.Role) *perf.Report {
	if c == nil || role == terms.StandBy || role == terms.NotActive {
		return nil
	}
	return c.report.Load()
}
