package sm

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/mad"
)

// TestReports: a client hears, through the manager, of a trap, of a port that goes and comes back,
// and of a group that comes to be and is deleted.
func TestReports(t *testing.T) {
	m := manage(t, smtest.Formula(t, "rlft(4,2)"), "updn", 0)
	reports := make(chan mad.Datagram, 100)
	var a *asker
	at := m.attach(3)
	port, err := at.Port(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a = &asker{t: t, lid: port.SMLID}
	a.r = wire.New(at, wire.Options{Config: wire.Config{Timeout: 200 * time.Millisecond, Retries: 20}, Handler: func(d *wire.Datagram) {
		reports <- slices.Clone(d.MAD)
		d.MAD.Answer(mad.StatusOK)
		_ = at.Send(&wire.Datagram{Addr: d.Addr.Reply(), MAD: d.MAD})
	}})
	t.Cleanup(func() { _ = a.r.Close(context.Background()) })
	info := make([]byte, 36)
	mad.InformInfoLIDRangeBegin.Put(info, 0xFFFF)
	mad.InformInfoIsGeneric.Put(info, 1)
	mad.InformInfoSubscribe.Put(info, 1)
	mad.InformInfoType.Put(info, 0xFFFF)
	mad.InformInfoTrapNumber.Put(info, 0xFFFF)
	mad.InformInfoProducerType.Put(info, 0xFFFFFF)
	if _, err := a.ask(mad.Set, mad.AttrInformInfo, 0, info); err != nil {
		t.Fatal(err)
	}
	cable := fabric.LinkID(slices.IndexFunc(m.f.Links, func(l fabric.Link) bool { // of another host
		return m.f.Nodes[l.A.Node].Desc == "host 5" || m.f.Nodes[l.B.Node].Desc == "host 5"
	}))
	for _, down := range []bool{true, false} {
		m.l.Do(func(s *emulator.Subnet) {
			if err := s.SetLinkDown(cable, down); err != nil {
				t.Error(err)
			}
		})
		want := map[uint64]bool{mad.TrapLinkState: true, mad.TrapGIDInService: true}
		if down {
			want = map[uint64]bool{mad.TrapLinkState: true, mad.TrapGIDOutOfService: true}
		}
		for len(want) > 0 {
			select {
			case r := <-reports:
				delete(want, mad.NoticeTrapNumber.Get(r.Data()))
			case <-time.After(time.Minute):
				t.Fatalf("no report of %v", want)
			}
		}
	}
	mgid := smtest.MgidOf(0)
	rec := make([]byte, mad.MCMemberRecord.RecordSize())
	copy(rec, mgid[:])
	binary.BigEndian.PutUint64(rec[16:], mad.DefaultGIDPrefix)
	binary.BigEndian.PutUint64(rec[24:], port.PortGUID)
	mad.MCMemberRecordQKey.Put(rec, 1)
	mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
	mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
	for _, c := range []struct {
		method mad.Method
		trap   uint64
	}{{mad.Set, mad.TrapGroupCreated}, {mad.Delete, mad.TrapGroupDeleted}} {
		if _, err := a.ask(c.method, mad.AttrMCMemberRecord, smtest.MemberMask, rec); err != nil {
			t.Fatal(err)
		}
		for heard := false; !heard; {
			select {
			case r := <-reports:
				heard = mad.NoticeTrapNumber.Get(r.Data()) == c.trap && bytes.Equal(mad.TrapGIDGID.Get(r.Data()), mgid[:])
			case <-time.After(time.Minute):
				t.Fatalf("no report of trap %d", c.trap)
			}
		}
	}
}
