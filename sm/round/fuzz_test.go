package round

import (
	"context"
	"testing"

	"weft/sm/round/planning"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// record plays a bring-up and keeps every answer: outcome, then 64 bytes.
func record(tb testing.TB, text string) []byte {
	tb.Helper()
	var out []byte
	s := smtest.NewFake(smtest.Formula(tb, text))
	w := &world{core: roundOf(terms.Config{}), fake: s, routing: smtest.JobOf("updn", 0)}
	w.play(func(a *terms.Action, ev *terms.Event) {
		copy(ev.Data[:], a.Data)
		status, ok := s.Do(a.Path, a.Method, a.Attr, a.Modifier, &ev.Data)
		ev.Status = status
		switch {
		case !ok:
			ev.Outcome = terms.Silent
		case status != 0:
			ev.Outcome = terms.Refused
		}
		out = append(append(out, byte(ev.Outcome)), ev.Data[:]...)
	})
	return out
}

// play drives the round of a world with answers from a function, in order.
func (w *world) play(answer func(a *terms.Action, ev *terms.Event)) {
	events := []terms.Event{{Kind: terms.Start}}
	for head := 0; w.core.phase != finished; head++ {
		for _, a := range w.core.Step(&events[head], nil) {
			switch a.Kind {
			case terms.Send:
				ev := terms.Event{Kind: terms.Answer, Tag: a.Tag, Attempts: 1}
				answer(&a, &ev)
				events = append(events, ev)
			case terms.Route:
				events = append(events, *planning.Plan(context.Background(), w.routing, a.Request))
			case terms.Claim:
				events = append(events, terms.Event{Kind: terms.Claimed})
			default: // nothing to be done
			}
		}
		if head+1 == len(events) && w.core.phase != finished {
			panic("nothing is under way in phase " + phaseNames[w.core.phase])
		}
	}
}

// FuzzAnswers: whatever nodes report, the round ends, sends no directed route that is too long, and
// counts all answers. (Coverage differs from run to run with the order of goroutines: fuzz with
// -fuzzminimizetime 10x.)
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{"mesh(2,hosts=1)", "rlft(4,2)", "torus(4,hosts=1)|ports(2)"} {
		f.Add(record(f, text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<15 {
			return
		}
		asked := 0
		w := &world{core: roundOf(terms.Config{MaxPending: 64}), routing: smtest.JobOf("updn", 0)}
		w.play(func(a *terms.Action, ev *terms.Event) {
			asked++
			if len(a.Path) > mad.MaxHops || a.Method == mad.Set && len(a.Data) != 64 {
				t.Fatalf("%v with %d hops and %d bytes", a.Attr, len(a.Path), len(a.Data))
			}
			if len(data) < 65 {
				ev.Outcome = terms.Silent
				return
			}
			ev.Outcome = terms.Outcome(data[0] % 3)
			copy(ev.Data[:], data[1:65])
			data = data[65:]
		})
		if r := w.core.Result().Report; r.SMPs.Sent != asked {
			t.Fatalf("%d SMPs, %d in the report", asked, r.SMPs.Sent)
		}
	})
}
