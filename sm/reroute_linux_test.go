package sm

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/sa"
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

// queriesPerSecond is how many come in a second to BenchmarkPathRecordsWhileRerouted.
const queriesPerSecond = 100_000

// BenchmarkPathRecordsWhileRerouted: PathRecord queries come at a steady rate; a thread takes them through the queue, in the share of the time that they have while the Manager is at work, and answers them,
// datagram bytes in to datagram bytes out. It reports how long one waited at most. Meanwhile another thread brings
// a subnet of 11,664 hosts up and routes it afresh again and again: a round each, with the judge and all SMPs to emulated devices, whose Subnet answers from then on.
func BenchmarkPathRecordsWhileRerouted(b *testing.B) {
	v, err := newVirtual(formula(b, "rlft(36,3)"), emulator.Options{}, Config{}, jobOf("ftree", 0))
	if err != nil {
		b.Fatal(err)
	}
	v.manager = NewManager(v.manager.cfg, UsualWatch)
	v.step(&Event{Kind: Start})
	for v.manager.inForce == nil {
		v.runUntil(v.now + time.Second)
	}
	a := newAdministration(nil, nil)
	a.takeFrom(v.manager)
	stop, stopped := make(chan struct{}), make(chan int)
	g := v.manager.inForce.graph
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(2, 0))
	queries := make([]wire.Datagram, 4096)
	for i := range queries {
		src, dst := rng.IntN(g.NumHosts), rng.IntN(g.NumHosts)
		q := request(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordSLID, mad.PathRecordDLID), nil)
		mad.PathRecordSLID.Put(q.Data(), uint64(v.manager.inForce.plan.Ends.Base[src]))
		mad.PathRecordDLID.Put(q.Data(), uint64(v.manager.inForce.plan.Ends.Base[dst]))
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
			for v.step(&Event{Kind: Rebalance}); v.manager.inForce == last; {
				v.runUntil(v.now + 10*time.Millisecond)
			}
			a.takeFrom(v.manager)
			rounds++
		}
	}()
	var r sa.Responder
	var d wire.Datagram
	longest := time.Duration(0)
	a.in.follow(true)
	begun, start := threadTime(b), time.Now()
	for asked, answered := 0, 0; b.Loop(); answered++ {
		var now time.Duration
		for taken := false; !taken; {
			for due := int(time.Since(start).Seconds() * queriesPerSecond); asked < due; asked++ {
				if a.in.push(&queries[asked%len(queries)]) != nil {
					b.Fatalf("a query is left out after %v: %d asked, %d answered", time.Since(start), asked, answered)
				}
			}
			now = time.Since(start)
			if taken = a.in.pop(now, true, &d); !taken {
				time.Sleep(min(a.in.due(true)-now, 100*time.Microsecond))
			}
		}
		if m := a.members.answer(&r, a.serving.Load().subnet, &d); m == nil || m.Status() != mad.StatusOK {
			b.Fatal(m)
		}
		done := time.Since(start)
		a.in.took(now, done)
		longest = max(longest, done-time.Duration(answered)*time.Second/queriesPerSecond)
	}
	took := threadTime(b) - begun
	close(stop)
	b.ReportMetric(float64(b.N)/took.Seconds(), "queries/core-second")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
	b.ReportMetric(float64(<-stopped), "rounds")
}
