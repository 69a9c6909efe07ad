package clients

import (
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/terms"
)

// TestOverShareLog: a port that is refused more than its share is logged once an hour, and all
// refusals are counted.
func TestOverShareLog(t *testing.T) {
	var r Registrar
	logged := func(now time.Duration, port fabric.GUID, p sa.Place) string {
		r.begin(now)
		r.overShare(sa.OverShare{Place: p, Port: port, Held: 17, Used: 90, Most: 100})
		if len(r.out) == 0 {
			return ""
		}
		if a := r.out[0]; a.Kind != TellOperator || a.Incident.Kind != terms.PortOverShare {
			t.Fatalf("%+v", a)
		}
		return r.out[0].Incident.Text
	}
	for _, c := range []struct {
		at   time.Duration
		port fabric.GUID
		want bool
	}{{0, 1, true}, {time.Minute, 1, false}, {time.Minute, 2, true}, {logAgain - 1, 1, false}, {logAgain, 1, true}, {logAgain + time.Minute, 2, true}} {
		if text := logged(c.at, c.port, sa.ServicePlace); (text != "") != c.want || c.want && !strings.Contains(text, "17 services") {
			t.Errorf("%+v: %q", c, text)
		}
	}
	if r.over.counts != (sa.RefusedCounts{Services: 6}) {
		t.Errorf("%+v", r.over.counts)
	}
}

// TestTrapQueue: a port that sends traps without end leaves places for the traps of others.
func TestTrapQueue(t *testing.T) {
	var q trapQueue
	n := 0
	for range 1000 {
		if q.put(7) {
			n++
		}
	}
	if n == 0 || n > mostTrapped/2 || !q.put(8) {
		t.Errorf("one port has %d of %d places", n, mostTrapped)
	}
	for range n {
		q.take(7)
	}
	if q.take(8); q.from.All() != 0 {
		t.Errorf("%+v is left of no trap", q.from)
	}
}
