package sm

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/mad"
	"weft/sm/sa"
	"weft/wire"
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

// BenchmarkPathRecordsWhileRerouted: a thread takes PathRecord queries through the queue and answers them, datagram bytes in to datagram bytes out, while another one brings
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
	a.take(v.manager)
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
			a.take(v.manager)
			rounds++
		}
	}()
	var r sa.Responder
	var d wire.Datagram
	longest := time.Duration(0)
	begun := threadTime(b)
	for i := 0; b.Loop(); i++ {
		at := time.Now()
		if a.in.push(&queries[i%len(queries)]) != nil || !a.in.pop(0, true, &d) {
			b.Fatal("a query is left out")
		}
		if m := a.members.answer(&r, a.serving.Load().subnet, &d); m == nil || m.Status() != mad.StatusOK {
			b.Fatal(m)
		}
		longest = max(longest, time.Since(at))
	}
	took := threadTime(b) - begun
	close(stop)
	b.ReportMetric(float64(b.N)/took.Seconds(), "queries/core-second")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
	b.ReportMetric(float64(<-stopped), "rounds")
}
