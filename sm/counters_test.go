package sm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/perf"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// TestCounters: a manager that stays reads the counters of all ports, over all lanes that its
// engine uses, tells of errors, and goes on so when a cable is pulled and when it is to read them
// at another interval. No report goes away. Nothing of it runs on when it has ended.
func TestCounters(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "torus(4x4,hosts=1)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	defer l.Close()
	notes, shown := make(chan terms.Incident, 10000), make(chan *perf.Report, 1000)
	var last *perf.Report
	asked := make(chan *terms.Event)
	r := Runner{
		Asked:  asked,
		Config: terms.Config{SMKey: 1}, Watch: terms.UsualWatch, Routing: smtest.JobOf("dfsssp", 0), Clock: testClock(), Wire: wire.Config{Window: 32},
		Note: func(i terms.Incident) { notes <- i }, Counters: perf.Config{Interval: 50 * time.Millisecond, Rate: 100000},
		Show: func(s *watch.Snapshot) {
			if s.Counters != last && s.Counters != nil {
				shown <- s.Counters
			}
			if s.Counters == nil && last != nil {
				t.Error("the last report is gone")
			}
			last = s.Counters
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, medium)
		ended <- err
	}()
	report := func(what string, is func(*perf.Report) bool) {
		t.Helper()
		for patience := time.After(2 * time.Minute); ; {
			select {
			case r := <-shown:
				if is(r) {
					return
				}
			case <-patience:
				t.Fatal("no report with ", what)
			}
		}
	}
	ports := 2 * len(f.Links)
	report("all ports", func(r *perf.Report) bool { return r.Ports == ports && r.Unread == 0 && r.All.Failures == 0 })
	bad := fabric.End{Node: smtest.Find(f, fabric.Switch, 5), Port: 1}
	l.Do(func(s *emulator.Subnet) { err = s.Count(bad, mad.CounterSymbolError, 777) })
	if err != nil {
		t.Fatal(err)
	}
	report("777 errors", func(r *perf.Report) bool {
		return r.Counters[mad.CounterSymbolError].Total == 777 && r.OddCounts["errors"] == 1
	})
	l.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(f.Nodes[bad.Node].Ports[bad.Port].Link, true) })
	if err != nil {
		t.Fatal(err)
	}
	cfg := r.Counters
	cfg.Interval *= 2
	asked <- &terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: r.Config, Watch: r.Watch, Routing: r.Routing, Counters: cfg}}
	l.Do(func(s *emulator.Subnet) { err = s.Count(bad, mad.CounterSymbolError, 5) })
	if err != nil {
		t.Fatal(err)
	}
	report("five more at the port without a cable", func(r *perf.Report) bool {
		return r.Ports == ports && r.Counters[mad.CounterSymbolError].Total == 782 && r.Interval == cfg.Interval.Seconds()
	})
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(notes)
	told := false
	for i := range notes {
		told = told || i.Kind == terms.CounterPassed && i.At.Node == f.Nodes[bad.Node].GUID && i.At.Port == 1 && strings.Contains(i.Text, "SymbolErrorCounter")
	}
	if !told {
		t.Error("the errors were not told")
	}
}
