package sm

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
)

// BenchmarkLightSweep measures light sweeps of 11,664 hosts, one after the other without a pause,
// with the emulated subnet in the same process: SMPs and milliseconds a sweep, CPU of both a sweep,
// and the share of a core that sweeps take at the usual interval.
func BenchmarkLightSweep(b *testing.B) {
	sub, err := emulator.New(smtest.Formula(b, "rlft(36,3)"), emulator.Options{})
	if err != nil {
		b.Fatal(err)
	}
	clock := testClock()
	l, t := inRealTime(b, sub, clock)
	defer l.Close()
	looks := terms.UsualWatch
	looks.Interval, looks.Rebalance = 1, 0
	var sweeps, smps atomic.Int64
	r := Runner{
		Watch: looks, Routing: smtest.JobOf("ftree", 0), Clock: clock, Wire: wire.Config{Window: 64},
		Show: func(s *watch.Snapshot) {
			n := 0
			for _, c := range s.Tally.SMPs() {
				n += c.Sent
			}
			smps.Store(int64(n))
			sweeps.Store(int64(s.Tally.LightSweeps))
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, t)
		done <- err
	}()
	wait := func(n int64) {
		for sweeps.Load() < n {
			time.Sleep(time.Millisecond)
		}
	}
	wait(2)
	from, asked, cpu, began := sweeps.Load(), smps.Load(), cpuTime(b), clock()
	for b.Loop() {
		wait(sweeps.Load() + 1)
	}
	n, used := float64(sweeps.Load()-from), cpuTime(b)-cpu
	b.ReportMetric(float64(smps.Load()-asked)/n, "SMPs/sweep")
	b.ReportMetric((clock()-began).Seconds()*1000/n, "ms/sweep")
	b.ReportMetric(used.Seconds()*1000/n, "CPU-ms/sweep")
	b.ReportMetric(100*used.Seconds()/n/terms.UsualWatch.Interval.Seconds(), "%-of-a-core-idle")
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
}

// cpuTime returns the CPU time of this process.
func cpuTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
