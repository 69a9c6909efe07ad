package wire

import (
	"errors"
	"testing"
	"time"
)

// TestUndelivered: what the medium gives back ends the attempt at once.
func TestUndelivered(t *testing.T) {
	w := newWorld(t, Config{Timeout: 100 * ms, Retries: 2})
	w.medium = func(a *Action) {
		m := a.Datagram.MAD
		w.after(ms, func() { w.giveBack(m) })
	}
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, ErrTimeout); got.at != 3*ms || got.Attempts != 3 {
		t.Errorf("ended %+v", got)
	}
	w.giveBack(answerTo(getNodeInfo(t))) // an answer of ours
	w.wantCounters(Counters{Started: 1, Sent: 3, Retried: 2, TimedOut: 1, Undelivered: 4})
}

// TestMediumBusy: a datagram that the medium has no room for is not an attempt
// more, and not waited for beyond its own. Who was never asked is not called silent.
func TestMediumBusy(t *testing.T) {
	for _, c := range []struct {
		busy int // times that the medium refuses
		err  error
		at   time.Duration
		sent uint64
	}{{0, nil, 5 * ms, 1}, {3, nil, 8 * ms, 1}, {12, nil, 16*ms + ms/2, 1}, {1000, ErrBusy, 21 * ms, 0}} {
		w := newWorld(t, Config{Timeout: 10*ms + ms/2, Retries: 1})
		refusals := c.busy
		w.medium = func(a *Action) {
			if refusals > 0 {
				refusals--
				w.do(w.core.Refused(w.now, a.ID, ErrBusy, nil))
				return
			}
			w.answerAfter(5 * ms)(a)
		}
		w.request(1, Request{})
		w.run()
		if got := w.wantErr(1, c.err); got.at != c.at {
			t.Errorf("busy %d times: ended %+v", c.busy, got)
		}
		if got := w.core.counters; got.Sent != c.sent {
			t.Errorf("busy %d times: counters %+v", c.busy, got)
		}
	}
}

// TestBusyThenUndelivered: once the medium has taken a datagram, its report ends
// the attempt.
func TestBusyThenUndelivered(t *testing.T) {
	w := newWorld(t, Config{Timeout: 10 * ms, Retries: 1})
	busy := true
	w.medium = func(a *Action) {
		if m := a.Datagram.MAD; busy {
			busy = false
			w.do(w.core.Refused(w.now, a.ID, ErrBusy, nil))
		} else {
			w.after(ms, func() { w.giveBack(m) })
		}
	}
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, ErrTimeout); got.at != 3*ms || got.Attempts != 2 {
		t.Errorf("ended %+v", got)
	}
}

// TestReportOfAnEarlierAttempt: the medium could not take the second copy because
// it was still busy with the first, and then gives that back.
func TestReportOfAnEarlierAttempt(t *testing.T) {
	w := newWorld(t, Config{Timeout: 10 * ms, Retries: 1})
	w.medium = func(a *Action) {
		m := a.Datagram.MAD
		switch len(w.sent[1]) {
		case 1:
			w.after(10*ms+ms/2, func() { w.giveBack(m) })
		case 2:
			w.after(0, func() { w.do(w.core.Refused(w.now, a.ID, ErrBusy, nil)) })
		case 3:
			w.answerAfter(ms)(a)
		}
	}
	w.request(1, Request{})
	w.run()
	if got := w.wantErr(1, nil); got.at != 11*ms+ms/2 || got.Attempts != 2 {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 1, Sent: 2, Retried: 1, Answered: 1, Undelivered: 1})
}

func TestRefusedForGood(t *testing.T) {
	gone := errors.New("gone")
	w := newWorld(t, Config{Window: 1})
	w.medium = func(a *Action) { w.do(w.core.Refused(w.now, a.ID, gone, nil)) }
	w.request(1, Request{})
	w.request(2, Request{})
	w.run()
	w.wantErr(1, gone)
	if got := w.wantErr(2, gone); got.Attempts != 0 {
		t.Errorf("ended %+v", got)
	}
	w.wantCounters(Counters{Started: 2, Failed: 2})
}
