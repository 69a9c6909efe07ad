package wire

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/internal/draws"
	"weft/wire/mad"
)

// underWay is a request as it was when its group was ended.
type underWay struct {
	at   time.Duration
	sent int // copies
}

// end ends a group, and returns the requests of it that were under way.
func (w *world) end(group uint64, groups map[uint64]uint64) map[uint64]underWay {
	w.t.Helper()
	found := map[uint64]underWay{}
	for _, tag := range w.tags {
		if groups[tag] == group && len(w.results[tag]) == 0 {
			found[tag] = underWay{w.now, len(w.sent[tag])}
		}
	}
	w.do(w.core.End(w.now, group, nil))
	return found
}

// TestEndAgainstLog ends groups of random requests over a random medium at random moments, and
// derives from the log how each request must have ended. Unsent requests end at once. The others
// are not sent again, and end by an answer or with the attempt. A late answer ends no other
// request: each carries the mark of its request.
func TestEndAgainstLog(t *testing.T) {
	queuedEnds, flightEnds, late := 0, 0, 0
	draws.Check(t, func(t *rapid.T) {
		const timeout = 10 * ms
		cfg := Config{
			Window:  rapid.IntRange(1, 5).Draw(t, "window"),
			Timeout: timeout,
			Retries: rapid.SampledFrom([]int{NoRetries, 1, 3}).Draw(t, "retries"),
		}
		w := newWorld(t, cfg)
		arrivals, groups, marks := map[uint64][]time.Duration{}, map[uint64]uint64{}, map[uint64]uint64{}
		delay := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 45_000).Draw(t, "us"))*time.Microsecond + 1
		})
		copies := rapid.SampledFrom([]int{0, 0, 1, 1, 2})
		w.medium = func(a *Action) {
			tag := w.tags[a.ID]
			m := answerTo(a.Datagram.MAD)
			for range copies.Draw(t, "copies") {
				d := delay.Draw(t, "delay")
				arrivals[tag] = append(arrivals[tag], w.now+d)
				w.after(d, func() { w.arrive(m) })
			}
		}
		n := uint64(rapid.IntRange(1, 100).Draw(t, "requests"))
		for tag := range n {
			groups[tag], marks[tag] = rapid.Uint64Range(0, 2).Draw(t, "group"), rapid.Uint64().Draw(t, "mark")
			w.after(delay.Draw(t, "start"), func() {
				m := getNodeInfo(t)
				mad.NodeInfoNodeGUID.Put(m.Data(), marks[tag])
				w.request(tag, Request{MAD: m, Group: groups[tag]})
			})
		}
		var ended []map[uint64]underWay
		for range rapid.IntRange(1, 4).Draw(t, "ends") {
			group := rapid.Uint64Range(1, 3).Draw(t, "which")
			w.after(2*delay.Draw(t, "end"), func() { ended = append(ended, w.end(group, groups)) })
		}
		w.run()

		first := map[uint64]underWay{}
		for i := len(ended) - 1; i >= 0; i-- {
			maps.Copy(first, ended[i])
		}
		tries := 1 + max(0, cfg.Retries)
		var answered, timedOut, cancelled uint64
		for tag := range n {
			got, sent, was, wasEnded := w.one(tag), w.sent[tag], first[tag], false
			if _, wasEnded = first[tag]; wasEnded && len(sent) != was.sent {
				t.Fatalf("request %d was sent %d times when it was ended, and %d in all", tag, was.sent, len(sent))
			}
			answers := 0
			for _, at := range arrivals[tag] {
				if at < got.at {
					answers++
				} else if at > got.at && errors.Is(got.Err, ErrCancelled) {
					late++
				}
			}
			switch {
			case answers > 0:
				t.Fatalf("request %d went on after an answer: %+v, %v", tag, got, arrivals[tag])
			case got.Err == nil:
				answered++
				if mark := mad.NodeInfoNodeGUID.Get(got.Reply.MAD.Data()); mark != marks[tag] {
					t.Fatalf("request %d has the answer to another one", tag)
				}
			case wasEnded && was.sent == 0:
				queuedEnds++
				cancelled++
				if !errors.Is(got.Err, ErrCancelled) || got.at != was.at || got.Attempts != 0 {
					t.Fatalf("request %d, not sent at %v: %+v", tag, was.at, got)
				}
			case got.Attempts != len(sent) || got.at != sent[len(sent)-1].at+timeout:
				t.Fatalf("request %d, sent %+v: %+v", tag, sent, got)
			case len(sent) == tries:
				timedOut++
				if !errors.Is(got.Err, ErrTimeout) {
					t.Fatalf("request %d after all attempts: %v", tag, got.Err)
				}
			default:
				flightEnds++
				cancelled++
				if !wasEnded || !errors.Is(got.Err, ErrCancelled) {
					t.Fatalf("request %d, ended %v, sent %+v: %v", tag, wasEnded, sent, got.Err)
				}
			}
		}
		if c := w.core.counters; c.Started != n || c.Answered != answered || c.TimedOut != timedOut || c.Failed != cancelled {
			t.Fatalf("counters %+v", c)
		}
		if c := w.core; c.inFlight != 0 || len(c.timers.heap) != 0 || len(c.groups) != 0 || c.waiting != noEntries {
			t.Fatalf("not at rest: %+v", c)
		}
	}, func() string {
		if queuedEnds == 0 || flightEnds == 0 || late == 0 {
			return fmt.Sprintf("%d ended in the queue, %d in flight, %d answers came after that", queuedEnds, flightEnds, late)
		}
		return ""
	})
}

// TestEndWhileMediumBusy: a request that the medium had no room for ends at once; so does one that
// it refuses after that.
func TestEndWhileMediumBusy(t *testing.T) {
	for _, before := range []bool{true, false} {
		w := newWorld(t, Config{Window: 1, Timeout: 10 * ms})
		w.medium = func(a *Action) {
			if !before {
				w.do(w.core.End(w.now, 7, nil))
			}
			w.do(w.core.Refused(w.now, a.ID, ErrBusy, nil))
		}
		w.request(1, Request{Group: 7})
		if before {
			w.do(w.core.End(w.now, 7, nil))
		}
		if got := w.wantErr(1, ErrCancelled); got.at != 0 || got.Attempts != 0 {
			t.Errorf("%+v", got)
		}
		w.wantCounters(Counters{Started: 1, Failed: 1})
		w.medium = w.answerAfter(ms)
		w.request(2, Request{})
		w.run()
		w.wantErr(2, nil)
	}
}

// TestEndAnsweredBusy: a peer that said "try later" to the attempt under way is quoted, as at the
// end of all attempts.
func TestEndAnsweredBusy(t *testing.T) {
	w := newWorld(t, Config{Timeout: 10 * ms})
	w.medium = func(a *Action) {
		m := answerTo(a.Datagram.MAD)
		mad.HeaderStatus.Put(m, uint64(mad.StatusBusy))
		w.after(ms, func() { w.arrive(m) })
	}
	w.request(1, Request{Group: 7})
	w.after(2*ms, func() { w.do(w.core.End(w.now, 7, nil)) })
	w.run()
	var status *StatusError
	if got := w.one(1); !errors.As(got.Err, &status) || got.at != 10*ms {
		t.Errorf("%+v", got)
	}
}

// BenchmarkEnd ends groups of some requests among 100,000 others that wait: the cost is that of the
// group.
func BenchmarkEnd(b *testing.B) {
	c := NewCore(Config{Window: 1})
	q := Request{Addr: Directed(), MAD: getNodeInfo(b)}
	var out []Action
	for range 100_000 {
		_, out = c.Request(0, &q, out[:0])
	}
	q.Group = 1
	for b.Loop() {
		for range 8 {
			_, out = c.Request(0, &q, out[:0])
		}
		out = c.End(0, 1, out[:0])
	}
}
