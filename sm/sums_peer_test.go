package sm

import (
	"context"
	"testing"
	"time"

	"weft/sm/perf"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/ibsim"
)

// TestSumsOfPeers: the switches of the real ibsim have no errors in PortCountersExtended. Since
// they have sums over all ports, PortCounters are not read port by port.
func TestSumsOfPeers(t *testing.T) {
	s := simulate(t, smtest.Formula(t, "rlft(8,2)"))
	medium, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var seen []int
	r := Runner{
		Watch: terms.UsualWatch, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32},
		Counters: perf.Config{Interval: 300 * time.Millisecond},
		Show: func(s *watch.Snapshot) {
			r := s.Counters
			if r == nil || r.Unread > 0 {
				return
			}
			seen = append(seen, r.Requests)
			if hosts, switches := 32, 12; r.Requests == r.Ports+hosts+switches || len(seen) > 1000 {
				cancel()
			}
		},
	}
	_, _ = r.Run(ctx, medium)
	if len(seen) == 0 || len(seen) > 1000 {
		t.Errorf("datagrams per round: %d", seen[:min(len(seen), 10)])
	}
}
