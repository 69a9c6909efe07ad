package wire

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// TestCoreAgainstLog drives random requests over a random medium, and says from the
// log alone how each of them must have ended and when.
func TestCoreAgainstLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const timeout = 10 * ms
		cfg := Config{
			Window:  rapid.IntRange(1, 5).Draw(t, "window"),
			Timeout: timeout,
			Retries: rapid.SampledFrom([]int{NoRetries, 1, 3}).Draw(t, "retries"),
		}
		w := newWorld(t, cfg)
		arrivals := map[uint64][]time.Duration{} // of answers, by tag
		delay := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 45_000).Draw(t, "us"))*time.Microsecond + 1
		})
		copies := rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2, 3})
		w.medium = func(a *Action) {
			tag := w.tags[a.ID]
			m := answerTo(a.Datagram.MAD)
			for range copies.Draw(t, "copies") {
				d := delay.Draw(t, "delay")
				arrivals[tag] = append(arrivals[tag], w.now+d)
				w.after(d, func() { w.arrive(m) })
			}
		}
		n := rapid.IntRange(1, 30).Draw(t, "requests")
		for tag := range uint64(n) {
			start := delay.Draw(t, "start")
			w.after(start, func() { w.request(tag, Request{}) })
		}
		w.run()

		tries := 1 + max(0, cfg.Retries)
		var answered, timedOut, sent uint64
		for tag := range uint64(n) {
			got := w.one(tag)
			first := time.Duration(-1)
			for _, at := range arrivals[tag] {
				if first < 0 || at < first {
					first = at
				}
			}
			s := w.sent[tag]
			sent += uint64(len(s))
			for i := 1; i < len(s); i++ {
				if s[i].at != s[i-1].at+timeout || s[i].tid != s[0].tid {
					t.Fatalf("request %d: sent %+v", tag, s)
				}
			}
			switch {
			case got.Err == nil:
				answered++
				if got.at != first || len(s) > tries {
					t.Fatalf("request %d answered at %v: arrivals %v, sent %+v", tag, got.at, arrivals[tag], s)
				}
			case errors.Is(got.Err, ErrTimeout):
				timedOut++
				if len(s) != tries || got.at != s[0].at+time.Duration(tries)*timeout || first >= 0 && first < got.at {
					t.Fatalf("request %d timed out at %v: arrivals %v, sent %+v", tag, got.at, arrivals[tag], s)
				}
			default:
				t.Fatalf("request %d: %v", tag, got.Err)
			}
		}
		c := w.core.counters
		if c.Started != uint64(n) || c.Answered != answered || c.TimedOut != timedOut || c.Sent != sent {
			t.Fatalf("counters %+v", c)
		}
		total := 0
		for _, a := range arrivals {
			total += len(a)
		}
		if c.Answered+c.Stray != uint64(total) {
			t.Fatalf("%d answers arrived, counters %+v", total, c)
		}
		if w.core.inFlight != 0 || len(w.core.timers.heap) != 0 {
			t.Fatalf("not at rest: %d in flight", w.core.inFlight)
		}
	})
}

// TestTimers compares the heap with a search.
func TestTimers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 12
		var h timers
		model := map[int32]time.Duration{}
		for range n {
			h.grow()
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			i := int32(rapid.IntRange(0, n-1).Draw(t, "entry"))
			if rapid.Bool().Draw(t, "set") {
				due := time.Duration(rapid.IntRange(0, 20).Draw(t, "due"))
				h.set(i, due)
				model[i] = due
			} else {
				h.remove(i)
				delete(model, i)
			}
			least := never
			for _, due := range model {
				least = min(least, due)
			}
			due, ok := h.first()
			if ok != (len(model) > 0) || ok && (due != least || model[h.top()] != least) {
				t.Fatalf("first is %v %v, want %v of %v", due, ok, least, model)
			}
		}
	})
}

// FuzzArrived: whatever arrives, the core says something sensible and its pending
// request stays answerable.
func FuzzArrived(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte(answerTo(getNodeInfo(f))), false)
	f.Add([]byte(getNodeInfo(f)), true)
	f.Fuzz(func(t *testing.T, b []byte, undelivered bool) {
		w := newWorld(t, Config{Retries: NoRetries})
		w.request(1, Request{})
		tid := w.sent[1][0].tid
		w.do(w.core.Arrived(0, &Datagram{MAD: b, Undelivered: undelivered}, nil))
		c := w.core.counters
		if seen := c.Answered + c.Undelivered + c.Unsolicited + c.Stray + c.Malformed; seen > 1 {
			t.Fatalf("counted %d times: %+v", seen, c)
		}
		m := answerTo(getNodeInfo(t))
		mad.HeaderTransactionID.Put(m, uint64(tid))
		w.arrive(m)
		w.one(1)
	})
}
