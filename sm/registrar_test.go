package sm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// TestReports: a client hears, through the manager, of a trap, of a port that goes and comes back, and of a group that comes to be and is deleted.
func TestReports(t *testing.T) {
	m := manage(t, formula(t, "rlft(4,2)"), "updn", 0)
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
	mgid := mgidOf(0)
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
		if _, err := a.ask(c.method, mad.AttrMCMemberRecord, memberMask, rec); err != nil {
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

// TestRestart: a manager that has what was stored serves on; one that has not, or whose subnet had another master since, asks all clients to register
// again, by ClientReregister at each port that can, once.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		what  string
		alter func(m *market, disk []sa.Entry) []sa.Entry
		asked bool
	}{
		{"stored", func(_ *market, disk []sa.Entry) []sa.Entry { return disk }, false},
		{"nothing stored", func(*market, []sa.Entry) []sa.Entry { return nil }, true},
		{"another master since", func(m *market, disk []sa.Entry) []sa.Entry {
			m.at[0], m.at[1] = m.at[1], m.at[0]
			return disk
		}, true},
	} {
		m := newMarket(t, "rlft(6,2)", 1, 2)
		begin := func(disk []sa.Entry) *virtual {
			m.disk = disk
			m.start(0)
			m.run(5*time.Second, false)
			return m.managers[0]
		}
		v := begin(nil)
		if v.told(Reregistration) > 0 {
			t.Errorf("%s: clients of ports that were not Active are asked", c.what)
		}
		m.run(3*time.Second, true)
		m.check(v, c.what)
		disk := append(v.keeper.entries(), sa.Entry{EntryName: sa.EntryName{Kind: sa.Nothing}, Value: []byte{}})
		m.sub.Detach(v.id)
		sets := map[string]int{}
		m.wrote = func(_ *virtual, a *Action) {
			if a.Kind == Send && a.Method == mad.Set && a.Attr == mad.AttrPortInfo && mad.PortInfoClientReregister.Is(a.Data) {
				sets[string(a.Path)]++
			}
		}
		v = begin(c.alter(m, disk))
		hosts := 0
		for i := range m.f.Nodes {
			if m.f.Nodes[i].Type == fabric.CA {
				hosts++
			}
		}
		if want := map[bool]int{true: hosts, false: 0}[c.asked]; len(sets) != want || v.told(Reregistration) != min(1, want) {
			t.Errorf("%s: %d ports are asked to register again, want %d; told %d times", c.what, len(sets), want, v.told(Reregistration))
		}
		for path, n := range sets {
			if n != 1 {
				t.Errorf("%s: the port at %x is asked %d times", c.what, path, n)
			}
		}
		if !c.asked {
			m.check(v, c.what)
		}
		if services, subscriptions := v.keeper.r.registry.Registered(); (services+subscriptions > 0) == c.asked {
			t.Errorf("%s: %d services, %d subscriptions are known", c.what, services, subscriptions)
		}
	}
}

// TestNotStored: what cannot be stored is not acknowledged: clients are told that we are busy, and when it can be stored again they are answered and all is.
func TestNotStored(t *testing.T) {
	m := newMarket(t, "rlft(6,2)", 1, 1)
	m.stores = true
	disk := map[sa.EntryName][]byte{}
	fails := false
	m.store = func(replaces bool, list []sa.Entry) error {
		if fails {
			return errors.New("the disk is full")
		}
		if replaces {
			clear(disk)
		}
		for _, e := range list {
			if disk[e.EntryName] = e.Value; e.Value == nil {
				delete(disk, e.EntryName)
			}
		}
		return nil
	}
	stored := func() (list []sa.Entry) {
		for name, value := range disk {
			list = append(list, sa.Entry{EntryName: name, Value: value})
		}
		return list
	}
	m.start(0)
	m.run(5*time.Second, false)
	m.run(2*time.Second, true)
	m.run(time.Second, false) // what is under way is acknowledged
	acks := m.acks
	fails = true
	m.run(5*time.Second, true)
	m.compare(stored(), "while nothing can be stored")
	if acks == 0 || len(m.open) != len(m.customers) {
		t.Errorf("%d changes were acknowledged before, %d of %d customers wait", acks, len(m.open), len(m.customers))
	}
	if r := m.managers[0].keeper.r; len(r.held) > 0 {
		t.Errorf("%d answers wait", len(r.held))
	}
	fails = false
	m.run(3*time.Second, true)
	m.run(3*time.Second, false)
	if m.acks == acks {
		t.Error("nothing is acknowledged when all can be stored again")
	}
	m.compare(stored(), "when all can be stored")
}

// TestFloodOfRegistrations: while a standby that was in step is silent nothing is acknowledged, so many changes are taken and others wait, but for queries; and when it is given
// up all are answered.
func TestFloodOfRegistrations(t *testing.T) {
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(20*time.Second, false)
	r, in := m.managers[0].keeper.r, newWaiting(1)
	if r.counts().Standbys != 1 || !m.managers[1].keeper.r.counts().InStep {
		t.Fatalf("%+v, %+v", r.counts(), m.managers[1].keeper.r.counts())
	}
	info, err := m.sub.PortInfo(m.customers[0].at)
	if err != nil {
		t.Fatal(err)
	}
	from := wire.ToLID(uint16(mad.PortInfoMasterSMLID.Get(info)), 1)
	from.SLID = uint16(mad.PortInfoLID.Get(info))
	said := map[mad.Status]int{}
	count := func(deeds []registrarAction) {
		for i := range deeds {
			if d := &deeds[i]; d.kind == sendAnswer {
				said[d.datagram.MAD.Status()]++
			}
		}
	}
	now := m.now
	ask := func(method mad.Method, id int) {
		rec := make([]byte, 176)
		mad.ServiceRecordID.Put(rec, uint64(id))
		mad.ServiceRecordGID.Put(rec, m.gids[0])
		q := request(method, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec)
		if in.push(&wire.Datagram{Addr: from, MAD: q}) != nil {
			t.Fatal("a request is left out")
		}
	}
	var d wire.Datagram
	serve := func() {
		for in.pop(now, r.room(false), &d) {
			count(r.request(now, &d))
		}
	}
	for i := range mostHeld + 500 {
		ask(mad.Set, i%100)
	}
	serve()
	if len(said) > 0 || len(r.held) != mostHeld || in.kinds[forChange].queue.len() != 500 {
		t.Fatalf("answers by status: %v; %d are taken, %d wait", said, len(r.held), in.kinds[forChange].queue.len())
	}
	ask(mad.Get, 1)
	if serve(); said[mad.StatusOK] != 1 {
		t.Fatalf("a query is not answered meanwhile: %v", said)
	}
	for i := 0; said[mad.StatusOK] < 1+mostHeld+500 && i < 1000; i++ { // whatever is under way gets no answer
		now += 250 * time.Millisecond
		for tag := range uint64(1000) {
			count(r.copied(now, tag, nil, false))
		}
		now += time.Millisecond
		count(r.tick(now))
		serve()
	}
	if len(said) != 1 || said[mad.StatusOK] != 1+mostHeld+500 || r.counts().Standbys != 0 {
		t.Errorf("answers by status: %v; %+v", said, r.counts())
	}
}
