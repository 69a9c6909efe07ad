package sm

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/mad"
	"weft/sm/perf"
	"weft/wire"
)

// counting has a perf.Monitor read the counters of all ports beside the loop of a Runner, while the Manager is the master.
type counting struct {
	monitor *perf.Monitor
	report  atomic.Pointer[perf.Report]
	note    func(Incident)
	clock   func() time.Duration
	request *wire.Requester

	core *Core // that the last subnet was made of; of the Runner's goroutine

	mu     sync.Mutex
	next   *perf.Subnet // to be followed
	follow bool         // it is new
	ended  []perfEnd
	wake   chan struct{}
	fresh  chan struct{} // there is another report
	stop   chan struct{}
	done   chan struct{}
}

// perfEnd is the end of a request.
type perfEnd struct {
	tag     uint64
	outcome perf.Outcome
	data    [192]byte
}

// startCounting starts to read counters; nil where none are to be read.
func startCounting(cfg perf.Config, clock func() time.Duration, r *wire.Requester, note func(Incident)) *counting {
	if cfg.Interval <= 0 {
		return nil
	}
	c := &counting{
		monitor: perf.New(cfg), clock: clock, request: r, note: note,
		wake: make(chan struct{}, 1), fresh: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go c.run()
	return c
}

// close ends the reading, and waits for it.
func (c *counting) close() {
	if c != nil {
		close(c.stop)
		<-c.done
	}
}

// look takes the subnet of the round in force, where it is another one.
func (c *counting) look(m *Manager) {
	if c == nil {
		return
	}
	core := m.inForce
	if m.role() != Master {
		core = nil
	}
	if core == c.core {
		return
	}
	var next *perf.Subnet
	if core != nil {
		next = core.counted()
	}
	c.core = core
	c.mu.Lock()
	c.next, c.follow = next, true
	c.mu.Unlock()
	signal(c.wake)
}

// counted makes the subnet whose counters are to be read, of a round that has brought it up.
func (c *Core) counted() *perf.Subnet {
	own := c.prog.end[c.ownPort()]
	return perf.NewSubnet(c.fabric, func(lid fabric.LID) uint8 {
		if c.plan.SL == nil || own < 0 {
			return 0
		}
		return c.plan.SL.At(own, lid)
	})
}

// signal wakes the goroutine that waits on a channel.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// run drives the Monitor until close.
func (c *counting) run() {
	defer close(c.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		c.take()
		now := c.clock()
		ask, wake := c.monitor.Next(now)
		for ; ask != nil; ask, wake = c.monitor.Next(now) {
			c.send(ask)
		}
		for _, e := range c.monitor.Events() {
			c.tell(&e)
		}
		if r := c.monitor.Report(); c.report.Swap(r) != r {
			signal(c.fresh)
		}
		timer.Reset(min(max(0, wake-now), time.Hour))
		select {
		case <-c.wake:
		case <-timer.C:
		case <-c.stop:
			return
		}
	}
}

// take hands the Monitor what has come.
func (c *counting) take() {
	c.mu.Lock()
	next, follow, ended := c.next, c.follow, c.ended
	c.follow, c.ended = false, nil
	c.mu.Unlock()
	now := c.clock()
	for i := range ended {
		c.monitor.Ended(now, ended[i].tag, ended[i].outcome, ended[i].data[:])
	}
	if follow {
		c.monitor.Follow(now, next)
	}
}

// Counters are read again in the next round: few repetitions will do, and nobody waits long for a device that does not answer.
const (
	perfTimeout = 200 * time.Millisecond
	perfRetries = 2
)

// send starts a request.
func (c *counting) send(a *perf.Ask) {
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
	c.request.Start(&wire.Request{Addr: to, MAD: m, Timeout: perfTimeout, Retries: perfRetries, Tag: a.Tag, Done: c.end})
}

// end takes the end of a request.
func (c *counting) end(res *wire.Result) {
	e := perfEnd{tag: res.Tag}
	var status *wire.StatusError
	switch {
	case res.Err == nil:
	case errors.As(res.Err, &status) && status.Status&mad.StatusRedirect != 0:
		e.outcome = perf.Redirected
	case errors.As(res.Err, &status):
		e.outcome = perf.Refused
	default:
		e.outcome = perf.Silent
	}
	if res.Reply != nil {
		copy(e.data[:], res.Reply.MAD.Data())
	}
	c.mu.Lock()
	c.ended = append(c.ended, e)
	c.mu.Unlock()
	signal(c.wake)
}

// tell tells what has passed a threshold.
func (c *counting) tell(e *perf.Event) {
	if c.note == nil {
		return
	}
	i := Incident{Kind: CounterPassed}
	switch {
	case e.More > 0:
		i.Text = fmt.Sprintf("and %d more counters that have passed their thresholds, or are below them again", e.More)
	case e.Passed:
		i.Text = fmt.Sprintf("%s: %s grows by %.3g a minute, more than %.3g", e.Port, e.Counter, e.Rate, e.Most)
	default:
		i.Kind, i.Text = CounterCalm, fmt.Sprintf("%s: %s grows by %.3g a minute, below half of %.3g again", e.Port, e.Counter, e.Rate, e.Most)
	}
	if e.More == 0 {
		i.At = Place{Node: e.Port.GUID, Name: e.Port.Name, Port: int(e.Port.Port)}
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
