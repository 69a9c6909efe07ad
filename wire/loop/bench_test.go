package loop_test

import (
	"context"
	"testing"

	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
)

// answer turns a request into its answer in place.
func answer(d *wire.Datagram, reply func(*wire.Datagram)) {
	if d.MAD.Answer(mad.StatusOK) {
		d.Addr = d.Addr.Reply()
		reply(d)
	}
}

func nodeInfo(tb testing.TB) *wire.Request {
	tb.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return &wire.Request{Addr: wire.Directed(), MAD: m}
}

// BenchmarkRequests keeps the window full from the completions themselves, as a
// sweep does; run with -cpu 1 it is requests a second on one core.
func BenchmarkRequests(b *testing.B) {
	r := wire.New(loop.New(answer, loop.Options{}), wire.Options{Config: wire.Config{Window: 64}})
	q := nodeInfo(b)
	left, pending := b.N, 0
	done := make(chan struct{})
	q.Done = func(res *wire.Result) {
		if res.Err != nil {
			b.Error(res.Err)
		}
		if pending--; left > 0 {
			left--
			pending++
			r.Start(q)
		} else if pending == 0 {
			close(done)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	first := min(64, b.N)
	left -= first
	pending = first
	for range first {
		r.Start(q)
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	if err := r.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
