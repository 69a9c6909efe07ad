package sm

import (
	"sync"
	"time"

	"weft/wire"
)

// beside runs a machine that sends requests to devices, in a goroutine of its own beside the loop
// of a Runner.
type beside struct {
	clock   func() time.Duration
	request *wire.Requester
	timeout time.Duration // of a request
	retries int

	mu    sync.Mutex
	told  func() // the next thing for the goroutine to do; nil: nothing new
	ended []besideEnd
	soon  bool // the goroutine wakes up by itself within a moment, and takes ended then
	wake  chan struct{}
	stop  chan struct{}
	done  chan struct{}
}

// besideEnd is the end of a request.
type besideEnd struct {
	tag  uint64
	err  error // nil, a *wire.StatusError, or no answer
	data [192]byte
}

// besideMachine is a machine that beside runs.
type besideMachine interface {
	// next sends the requests that are due, and returns when to call it again.
	next(now time.Duration) (wake time.Duration)
	// take handles the end of a request.
	take(now time.Duration, e *besideEnd)
	// rest is called when there is nothing to send for now.
	rest()
}

func newBeside(clock func() time.Duration, r *wire.Requester, timeout time.Duration, retries int) beside {
	return beside{clock: clock, request: r, timeout: timeout, retries: retries, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
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
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		b.mu.Lock()
		told, ended := b.told, b.ended
		b.told, b.ended = nil, nil
		b.mu.Unlock()
		now := b.clock()
		for i := range ended {
			a.take(now, &ended[i])
		}
		if told != nil {
			told()
		}
		wake := a.next(now)
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

// send starts a request; its end comes to take.
func (b *beside) send(r *wire.Request) {
	r.Timeout, r.Retries, r.Patient, r.Done = b.timeout, b.retries, true, b.end
	b.request.Start(r)
}

// end queues the end of a request.
func (b *beside) end(res *wire.Result) {
	e := besideEnd{tag: res.Tag, err: res.Err}
	if res.Reply != nil {
		copy(e.data[:], res.Reply.MAD.Data())
	}
	b.mu.Lock()
	b.ended = append(b.ended, e)
	soon := b.soon
	b.mu.Unlock()
	if !soon {
		signal(b.wake)
	}
}

// moment is the time that ends of requests may wait for the goroutine: waking it for each of them
// costs more than the rest of a request.
const moment = 60 * time.Millisecond

// signal wakes the goroutine that waits on a channel.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}
