package sm

import (
	"sync"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// beside runs a machine that sends requests to devices, in a goroutine of its own beside the loop
// of a Runner.
type beside struct {
	clock   func() time.Duration
	request *wire.Requester
	usual   wire.Request // how to send each request
	asked   burst        // by next, not sent yet

	mu    sync.Mutex
	told  func() // the next thing for the goroutine to do; nil: nothing new
	ended []besideEnd
	spare []besideEnd // memory for ended
	soon  bool        // the goroutine wakes up by itself within a moment, and takes ended then
	wake  chan struct{}
	stop  chan struct{}
	done  chan struct{}
}

// besideEnd is the end of a request.
type besideEnd struct {
	at   time.Duration
	tag  uint64
	err  error // nil, a *wire.StatusError, or no answer
	data [192]byte
}

// besideMachine is a machine that beside runs.
type besideMachine interface {
	// next asks for the requests that are due, and returns the time of the next call.
	next(now time.Duration) (wake time.Duration)
	// take handles the end of a request.
	take(e *besideEnd)
	// rest is called when there is nothing to send for now.
	rest()
}

func newBeside(clock func() time.Duration, r *wire.Requester, timeout time.Duration, retries int) beside {
	return beside{clock: clock, request: r, usual: wire.Request{Timeout: timeout, Retries: retries, Patient: true}, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
}

// close ends the goroutine, and waits for it.
func (b *beside) close() {
	close(b.stop)
	<-b.done
}

// tell has the goroutine do something. It replaces an earlier order that is not done yet.
func (b *beside) tell(what func()) {
	b.mu.Lock()
	b.told = what
	b.mu.Unlock()
	signal(b.wake)
}

// run runs a machine until close.
func (b *beside) run(a besideMachine) {
	defer close(b.done)
	b.usual.Done = b.end
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		b.mu.Lock()
		told, ended := b.told, b.ended
		b.told, b.ended, b.spare = nil, b.spare[:0], ended
		b.mu.Unlock()
		for i := range ended {
			a.take(&ended[i])
		}
		now := b.clock()
		if told != nil {
			told()
		}
		wake := a.next(now)
		b.asked.send(b.request)
		a.rest()
		timer.Reset(min(max(0, wake-now), time.Hour))
		b.mu.Lock()
		if b.soon = wake-now <= moment; !b.soon && len(b.ended) > 0 {
			signal(b.wake)
		}
		b.mu.Unlock()
		select {
		case <-b.wake:
		case <-timer.C:
		case <-b.stop:
			return
		}
	}
}

// ask sends a request after the call of next. take gets its end.
func (b *beside) ask(tag uint64, to wire.Address, m mad.Datagram) {
	r := b.usual
	r.Tag, r.Addr, r.MAD = tag, to, m
	b.asked.add(&r)
}

// end queues the end of a request.
func (b *beside) end(res *wire.Result) {
	b.mu.Lock()
	b.ended = append(b.ended, besideEnd{at: b.clock(), tag: res.Tag, err: res.Err})
	if res.Reply != nil {
		copy(b.ended[len(b.ended)-1].data[:], res.Reply.MAD.Data())
	}
	soon := b.soon
	b.mu.Unlock()
	if !soon {
		signal(b.wake)
	}
}

// moment is the time that ends of requests may wait for the goroutine: waking it for each of them
// costs more than the rest of a request. It is longer than the perf.Monitor waits.
const moment = 500 * time.Millisecond

// signal wakes the goroutine that waits on a channel.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}
