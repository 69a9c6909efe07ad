package live_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// clock has run for an hour already.
func clock() func() time.Duration {
	start := time.Now().Add(-time.Hour)
	return func() time.Duration { return time.Since(start) }
}

// start makes a subnet of a fabric and lets it run.
func start(t testing.TB, f *fabric.Fabric, opt emulator.Options) *live.Live {
	t.Helper()
	s, err := emulator.New(f, opt)
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(s, clock())
	t.Cleanup(l.Close)
	return l
}

// TestConformance is also that of the loop medium.
func TestConformance(t *testing.T) {
	wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
		f, _, err := netfile.Read("net", []byte(wiretest.Ibsim), netfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := start(t, f, emulator.Options{})
		return func(node string) wire.Transport {
			id, err := f.FindNode(node)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := l.Attach(fabric.End{Node: id, Port: 1})
			if err != nil {
				t.Fatal(err)
			}
			return tr
		}
	})
}

// What is due happens without anybody calling: a slow agent answers after its time.
func TestTimePassesByItself(t *testing.T) {
	wiretest.NoLeaks(t)
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	l := start(t, f, emulator.Options{})
	host := fabric.NodeID(0)
	for f.Nodes[host].Type != fabric.CA {
		host++
	}
	tr, err := l.Attach(fabric.End{Node: host, Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.Do(func(s *emulator.Subnet) {
		// Something that happens much later must not keep the nearer from happening.
		err = errors.Join(s.Reboot(host+1, time.Hour), s.SetSlow(host, 20*time.Millisecond))
	})
	if err != nil {
		t.Fatal(err)
	}
	r := wire.New(tr, wire.Options{Config: wire.Config{Timeout: 10 * time.Second, Retries: wire.NoRetries}})
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, wire.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	var reply wire.Datagram
	if err := wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m}, &reply); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(before); d < 20*time.Millisecond {
		t.Fatalf("answered after %v, earlier than the agent can", d)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkLoop is Get(PortInfo) over four hops of a fabric of 11,664 hosts through
// requester, loop medium and subnet, 64 in flight: run it with -cpu 1.
func BenchmarkLoop(b *testing.B) {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		b.Fatal(err)
	}
	l := start(b, f, emulator.Options{})
	host := fabric.NodeID(0)
	for f.Nodes[host].Type != fabric.CA {
		host++
	}
	tr, err := l.Attach(fabric.End{Node: host, Port: 1})
	if err != nil {
		b.Fatal(err)
	}
	r := wire.New(tr, wire.Options{Config: wire.Config{Window: 64}})
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: 1}.Directed(make([]byte, wire.Size), []byte{1, 20, 20, 3})
	if err != nil {
		b.Fatal(err)
	}
	var left, pending atomic.Int64
	done := make(chan struct{})
	q := &wire.Request{Addr: wire.Directed(), MAD: m}
	q.Done = func(res *wire.Result) {
		if res.Err != nil {
			b.Error(res.Err)
		}
		if left.Add(-1) >= 0 {
			r.Start(q)
		} else if pending.Add(-1) == 0 {
			close(done)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	first := int64(min(64, b.N))
	left.Store(int64(b.N) - first)
	pending.Store(first)
	for range first {
		r.Start(q)
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "SMP/s")
	if err := r.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
