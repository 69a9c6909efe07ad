package client

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestPageBurst: eight browsers that ask for maps and routings without pause do not stop the
// manager: it brings the subnet up again, and questions are answered between its rounds.
func TestPageBurst(t *testing.T) {
	m := manage(t, "rlft(8,2)")
	h := m.Handler()
	// round resweeps, and returns the time until the next round has ended.
	round := func() time.Duration {
		before, begun := m.shown.Load().InForce.Number, time.Now()
		if w := answerTo(h, request("POST", "/v1/resweep", "")); w.Code != http.StatusAccepted {
			t.Fatal(w.Code, w.Body)
		}
		for m.shown.Load().InForce.Number == before {
			if time.Since(begun) > time.Minute {
				t.Fatal("no round ends")
			}
			time.Sleep(time.Millisecond)
		}
		return time.Since(begun)
	}
	quiet := round()
	var answered, refused atomic.Int64
	var asking sync.WaitGroup
	done := make(chan struct{})
	for i := range 8 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r := request("POST", "/v1/fabrics/subnet/map", `{"colour": "load"}`)
				if i%2 == 0 {
					r = request("POST", "/v1/fabrics/subnet/route", `{"engines": "auto"}`)
				}
				switch w := answerTo(h, r); w.Code {
				case http.StatusOK:
					answered.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
					time.Sleep(5 * time.Millisecond) // a browser waits for a second
				default:
					t.Error(w.Code, w.Body)
				}
			}
		})
	}
	var busy time.Duration
	for range 3 {
		busy = max(busy, round())
	}
	close(done)
	asking.Wait()
	t.Logf("a round takes %v, in the burst at most %v; %d questions answered, %d asked to come again", quiet, busy, answered.Load(), refused.Load())
	if busy > 10*quiet+2*time.Second || answered.Load() == 0 {
		t.Errorf("a round takes %v, in the burst at most %v; %d answered, %d refused", quiet, busy, answered.Load(), refused.Load())
	}
}
