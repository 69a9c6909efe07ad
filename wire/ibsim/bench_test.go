package ibsim_test

import (
	"context"
	"strconv"
	"testing"

	"weft/wire"
	"weft/wire/mad"
)

// BenchmarkRequests asks the real program for NodeInfo, with several windows.
func BenchmarkRequests(b *testing.B) {
	o := simulator(b, false)
	for _, window := range []int{1, 8, 32} {
		b.Run("window="+strconv.Itoa(window), func(b *testing.B) {
			r := wire.New(dial(b, o, "A"), wire.Options{Config: wire.Config{Window: window}})
			m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), []byte{1, 2})
			if err != nil {
				b.Fatal(err)
			}
			left, done := b.N, make(chan struct{})
			q := &wire.Request{Addr: wire.Directed(), MAD: m, Done: func(res *wire.Result) {
				if res.Err != nil {
					b.Error(res.Err)
				}
				if left--; left == 0 {
					close(done)
				}
			}}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r.Start(q)
			}
			<-done
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			if err := r.Close(context.Background()); err != nil {
				b.Error(err)
			}
		})
	}
}
