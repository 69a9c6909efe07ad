package endpoints

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"weft/internal/par"
)

// askedAt is a question under way in a bubble of virtual time.
type askedAt struct {
	begun, ended time.Duration
	status       int
}

// askIn asks a question that computes for a time, in steps of a millisecond, and calls step after
// each one.
func askIn(t *testing.T, q *Questions, from time.Time, long time.Duration, step func()) *askedAt {
	a, w := &askedAt{begun: -1}, httptest.NewRecorder()
	q.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody), "nothing", func() (func(context.Context) (any, error), error) {
		a.begun = time.Since(from)
		return func(ctx context.Context) (any, error) {
			for range long / time.Millisecond {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				step()
				time.Sleep(time.Millisecond)
			}
			return Failure{}, nil
		}, nil
	})
	a.ended, a.status = time.Since(from), w.Code
	return a
}

// TestQuestionsRest: a question begins after the round under way, rests during the next one, and
// goes on after it. So it takes no time from a round.
func TestQuestionsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gate par.Gate
		q, from := NewQuestions(time.Now, &gate), time.Now()
		gate.Set(false) // rounds from 0 to 500 ms, and from 600 ms to 900 ms
		go func() {
			for _, wait := range []time.Duration{500, 100, 300} {
				time.Sleep(wait*time.Millisecond - time.Microsecond)
				gate.Set(wait != 100)
				time.Sleep(time.Microsecond)
			}
		}()
		a := askIn(t, q, from, 400*time.Millisecond, func() {
			if at := time.Since(from) / time.Millisecond; at < 499 || at >= 601 && at < 899 {
				t.Errorf("computes at %d ms, during a round", at)
			}
		})
		if a.status != http.StatusOK || a.begun < 499*time.Millisecond || a.ended < 1198*time.Millisecond || a.ended > 1205*time.Millisecond {
			t.Errorf("%+v", a)
		}
	})
}

// TestQuestionsRestForEver: a question that never goes on ends in time.
func TestQuestionsRestForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gate par.Gate
		gate.Set(false)
		if a := askIn(t, NewQuestions(time.Now, &gate), time.Now(), 1, nil); a.status != http.StatusServiceUnavailable || a.ended != LongestQuestion {
			t.Errorf("%+v", a)
		}
	})
}

// TestTurns: one question computes at a time; others wait for a moment, and a few of them. So
// clients that ask again without pause do not take a core with that.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, from := NewQuestions(time.Now, nil), time.Now()
		all := make(chan *askedAt, 40)
		under := 0
		for range cap(all) {
			go func() {
				all <- askIn(t, q, from, 300*time.Millisecond, func() {
					if under++; under > 1 {
						t.Error("two compute at a time")
					}
					under--
				})
			}()
		}
		answered, atOnce, late := 0, 0, 0
		for range cap(all) {
			switch a := <-all; {
			case a.status == http.StatusOK:
				answered++
			case a.status == http.StatusTooManyRequests && a.ended == 0:
				atOnce++
			case a.status == http.StatusTooManyRequests && a.ended == longestTurn:
				late++
			default:
				t.Errorf("%+v", a)
			}
		}
		if answered != 4 || answered+late > mostInLine+1 || answered+late < mostInLine || atOnce == 0 {
			t.Errorf("%d answered, %d told after a moment to ask again, %d at once", answered, late, atOnce)
		}
	})
}
