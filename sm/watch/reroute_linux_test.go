package watch

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/internal/share"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// threadTime returns the CPU time of this thread.
func threadTime(b *testing.B) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// queriesPerSecond is the rate of queries in BenchmarkPathRecordsWhileRerouted.
const queriesPerSecond = 100_000

// BenchmarkPathRecordsWhileRerouted: PathRecord queries come at a steady rate. A thread takes them
// through the queue, in their share of the time while the Manager is at work, and answers them,
// from datagram bytes to datagram bytes. It reports the longest wait. Meanwhile another thread
// brings a subnet of 11,664 hosts up and routes it from scratch again and again: each time a round
// with the judge and all SMPs to emulated devices, whose Subnet answers from then on.
func BenchmarkPathRecordsWhileRerouted(b *testing.B) {
	v, err := newVirtual(smtest.Formula(b, "rlft(36,3)"), emulator.Options{}, terms.Config{}, smtest.JobOf("ftree", 0))
	if err != nil {
		b.Fatal(err)
	}
	v.manager = NewManager(v.manager.cfg, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	for v.manager.inForce == nil {
		v.runUntil(v.now + time.Second)
	}
	a := clients.NewAdministration(nil, nil, share.Rule{}, nil)
	takeFrom(a, v.manager)
	stop, stopped := make(chan struct{}), make(chan int)
	g := v.manager.inForce.Graph
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(2, 0))
	queries := make([]wire.Datagram, 4096)
	for i := range queries {
		src, dst := rng.IntN(g.NumHosts), rng.IntN(g.NumHosts)
		q := smtest.Request(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordSLID, mad.PathRecordDLID), nil)
		mad.PathRecordSLID.Put(q.Data(), uint64(v.manager.inForce.Plan.Ends.Base[src]))
		mad.PathRecordDLID.Put(q.Data(), uint64(v.manager.inForce.Plan.Ends.Base[dst]))
		queries[i] = wire.Datagram{Addr: wire.ToLID(1, 1), MAD: q}
		queries[i].Addr.SLID = uint16(mad.PathRecordSLID.Get(q.Data()))
	}
	go func() {
		defer close(stopped)
		rounds := 0
		for {
			select {
			case <-stop:
				stopped <- rounds
				return
			default:
			}
			last := v.manager.inForce
			for v.step(&terms.Event{Kind: terms.Rebalance}); v.manager.inForce == last; {
				v.runUntil(v.now + 10*time.Millisecond)
			}
			takeFrom(a, v.manager)
			rounds++
		}
	}()
	var r sa.Responder
	var d wire.Datagram
	longest := time.Duration(0)
	a.In.Follow(true)
	begun, start := threadTime(b), time.Now()
	for asked, answered := 0, 0; b.Loop(); answered++ {
		var now time.Duration
		for taken := false; !taken; {
			for due := int(time.Since(start).Seconds() * queriesPerSecond); asked < due; asked++ {
				if a.In.Push(&queries[asked%len(queries)]) != nil {
					b.Fatalf("a query is left out after %v: %d asked, %d answered", time.Since(start), asked, answered)
				}
			}
			now = time.Since(start)
			if taken = a.In.Pop(now, true, &d); !taken {
				time.Sleep(min(a.In.Due(true)-now, 100*time.Microsecond))
			}
		}
		if m := a.Members.Answer(&r, a.Serving.Load().Subnet, &d); m == nil || m.Status() != mad.StatusOK {
			b.Fatal(m)
		}
		done := time.Since(start)
		a.In.Took(now, done)
		longest = max(longest, done-time.Duration(answered)*time.Second/queriesPerSecond)
	}
	took := threadTime(b) - begun
	close(stop)
	b.ReportMetric(float64(b.N)/took.Seconds(), "queries/core-second")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
	b.ReportMetric(float64(<-stopped), "rounds")
}
