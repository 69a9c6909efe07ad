package sm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/mad"
	"weft/wire"
)

// BenchmarkJoinFlood: a cable fails and comes back in a subnet, again and again, every second time while four hosts join and leave groups as fast as they are answered.
// It reports how long a repair takes with and without that.
func BenchmarkJoinFlood(b *testing.B) {
	for _, at := range []struct {
		hosts, groups int
		formula       string
	}{{1458, 400, "rlft(18,3)"}, {11_664, 4000, "rlft(36,3)"}} {
		b.Run(fmt.Sprintf("%d-hosts", at.hosts), func(b *testing.B) { joinFlood(b, at.formula, at.groups/4) })
	}
}

// joinFlood floods a subnet, with so many groups for each of the four hosts.
func joinFlood(b *testing.B, formulaOf string, groups int) {
	watch := UsualWatch
	watch.Rebalance = 0 // a round that begins by itself would be taken for a repair
	m := manageBy(b, formula(b, formulaOf), "ftree", 0, watch)
	var flooding atomic.Bool
	var answered, busy, lost atomic.Int64
	for host := range 4 {
		a := m.client(5 + 100*host)
		port, err := m.attach(5 + 100*host).Port(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		slots := make(chan struct{}, 64)
		go func() {
			for i := 0; b.Context().Err() == nil; i++ {
				if !flooding.Load() {
					time.Sleep(time.Millisecond)
					continue
				}
				slots <- struct{}{}
				mgid := mgidOf(groups*host + i/2%groups)
				rec := make([]byte, mad.MCMemberRecord.RecordSize())
				copy(rec, mgid[:])
				binary.BigEndian.PutUint64(rec[16:], mad.DefaultGIDPrefix)
				binary.BigEndian.PutUint64(rec[24:], port.PortGUID)
				mad.MCMemberRecordQKey.Put(rec, 1)
				mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
				mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
				method := mad.Set
				if i%2 == 1 && i/2%3 > 0 {
					method = mad.Delete
				}
				q := request(method, mad.AttrMCMemberRecord, memberMask, rec)
				a.r.Start(&wire.Request{Addr: wire.ToLID(a.lid, 1), MAD: q, Done: func(res *wire.Result) {
					switch status, is := errors.AsType[*wire.StatusError](res.Err); {
					case res.Err == nil:
						answered.Add(1)
					case is && status.Status == mad.StatusBusy:
						busy.Add(1)
					case !is:
						lost.Add(1)
					}
					<-slots
				}})
			}
		}()
	}
	var cables []fabric.LinkID // another one each time: one that comes back too often is put in quarantine, and begins no round
	for i, l := range m.f.Links {
		if m.f.Nodes[l.A.Node].Type == fabric.Switch && m.f.Nodes[l.B.Node].Type == fabric.Switch {
			cables = append(cables, fabric.LinkID(i))
		}
	}
	var took [2]time.Duration
	var heap [2]uint64
	begun, failed := time.Duration(0), 0
	for b.Loop() {
		for with, on := range []bool{false, true} {
			flooding.Store(on)
			from := time.Now()
			time.Sleep(2 * time.Second)
			cable := cables[failed%len(cables)]
			failed++
			for _, down := range []bool{true, false} {
				m.rest()
				at := time.Now()
				m.l.Do(func(s *emulator.Subnet) {
					if err := s.SetLinkDown(cable, down); err != nil {
						b.Error(err)
					}
				})
				m.wantUp()
				took[with] += time.Since(at)
			}
			if on {
				begun += time.Since(from)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			heap[with] = max(heap[with], mem.HeapAlloc)
		}
	}
	flooding.Store(false)
	n := float64(2 * b.N)
	b.ReportMetric(float64(took[0].Milliseconds())/n, "ms-repair-quiet")
	b.ReportMetric(float64(took[1].Milliseconds())/n, "ms-repair-flooded")
	b.ReportMetric(float64(answered.Load())/begun.Seconds(), "answered/s")
	b.ReportMetric(float64(busy.Load())/begun.Seconds(), "busy/s")
	b.ReportMetric(float64(lost.Load()), "lost")
	b.ReportMetric(float64(heap[0])/1e6, "MB-quiet")
	b.ReportMetric(float64(heap[1])/1e6, "MB-flooded")
}

// rest waits until no round has been under way for a second: a cable that comes back begins several.
func (m *managed) rest() {
	for quiet := 0; quiet < 10; quiet++ {
		time.Sleep(100 * time.Millisecond)
		for len(m.round) > 0 {
			<-m.round
			quiet = 0
		}
		if m.shown.Load().UnderWay != nil {
			quiet = 0
		}
	}
}
