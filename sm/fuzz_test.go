package sm

import (
	"context"
	"testing"

	"weft/wire/mad"
)

// record plays a bring-up and keeps every answer: outcome, then 64 bytes.
func record(tb testing.TB, text string) []byte {
	tb.Helper()
	var out []byte
	s := newFake(formula(tb, text))
	w := &world{core: roundOf(Config{}), fake: s, routing: jobOf("updn", 0)}
	w.play(func(a *Action, ev *Event) {
		copy(ev.Data[:], a.Data)
		status, ok := s.do(a.Path, a.Method, a.Attr, a.Modifier, &ev.Data)
		ev.Status = status
		switch {
		case !ok:
			ev.Outcome = Silent
		case status != 0:
			ev.Outcome = Refused
		}
		out = append(append(out, byte(ev.Outcome)), ev.Data[:]...)
	})
	return out
}

// play drives the core of a world with answers from a function, in order.
func (w *world) play(answer func(a *Action, ev *Event)) {
	events := []Event{{Kind: Start}}
	for head := 0; w.core.phase != finished; head++ {
		for _, a := range w.core.Step(&events[head], nil) {
			switch a.Kind {
			case Send:
				ev := Event{Kind: Answer, Tag: a.Tag, Attempts: 1}
				answer(&a, &ev)
				events = append(events, ev)
			case Route:
				events = append(events, *Plan(context.Background(), w.routing, a.Request))
			case Claim:
				events = append(events, Event{Kind: Claimed})
			default: // nothing to be done
			}
		}
		if head+1 == len(events) && w.core.phase != finished {
			panic("nothing is under way in phase " + phaseNames[w.core.phase])
		}
	}
}

// FuzzAnswers: whatever nodes say of themselves, the core comes to an end, sends
// no route that is too long, and counts what it was told. (Coverage differs from
// run to run with the order of goroutines: fuzz with -fuzzminimizetime 10x.)
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{"mesh(2,hosts=1)", "rlft(4,2)", "torus(4,hosts=1)|ports(2)"} {
		f.Add(record(f, text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<15 {
			return
		}
		asked := 0
		w := &world{core: roundOf(Config{MaxPending: 64}), routing: jobOf("updn", 0)}
		w.play(func(a *Action, ev *Event) {
			asked++
			if len(a.Path) > mad.MaxHops || a.Method == mad.Set && len(a.Data) != 64 {
				t.Fatalf("%v with %d hops and %d bytes", a.Attr, len(a.Path), len(a.Data))
			}
			if len(data) < 65 {
				ev.Outcome = Silent
				return
			}
			ev.Outcome = Outcome(data[0] % 3)
			copy(ev.Data[:], data[1:65])
			data = data[65:]
		})
		if r := w.core.Result().Report; r.SMPs.Sent != asked {
			t.Fatalf("%d SMPs, %d in the report", asked, r.SMPs.Sent)
		}
	})
}
