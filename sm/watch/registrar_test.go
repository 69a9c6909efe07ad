package watch

import (
	"errors"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestRestart: a manager with stored registrations continues to serve. Without them, or after
// another master, it asks all clients to register again, once, by ClientReregister at each capable
// port.
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
		if v.told(terms.Reregistration) > 0 {
			t.Errorf("%s: clients of ports that were not Active are asked", c.what)
		}
		m.run(3*time.Second, true)
		m.check(v, c.what)
		disk := append(v.keeper.entries(), sa.Entry{EntryName: sa.EntryName{Kind: sa.Nothing}, Value: []byte{}})
		m.sub.Detach(v.id)
		sets := map[string]int{}
		m.wrote = func(_ *virtual, a *terms.Action) {
			if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPortInfo && mad.PortInfoClientReregister.Is(a.Data) {
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
		if want := map[bool]int{true: hosts, false: 0}[c.asked]; len(sets) != want || v.told(terms.Reregistration) != min(1, want) {
			t.Errorf("%s: %d ports are asked to register again, want %d; told %d times", c.what, len(sets), want, v.told(terms.Reregistration))
		}
		for path, n := range sets {
			if n != 1 {
				t.Errorf("%s: the port at %x is asked %d times", c.what, path, n)
			}
		}
		if !c.asked {
			m.check(v, c.what)
		}
		if services, subscriptions := v.keeper.r.Registry.Registered(); (services+subscriptions > 0) == c.asked {
			t.Errorf("%s: %d services, %d subscriptions are known", c.what, services, subscriptions)
		}
	}
}

// TestNotStored: what cannot be stored is not acknowledged: clients are told that we are busy, and
// when it can be stored again they are answered and all is.
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
	if r := m.managers[0].keeper.r; len(r.Held) > 0 {
		t.Errorf("%d answers wait", len(r.Held))
	}
	fails = false
	m.run(3*time.Second, true)
	m.run(3*time.Second, false)
	if m.acks == acks {
		t.Error("nothing is acknowledged when all can be stored again")
	}
	m.compare(stored(), "when all can be stored")
}

// TestFloodOfRegistrations: while a standby that was in step is silent nothing is acknowledged, so
// many changes are taken and others wait, but for queries; and when it is given up all are
// answered.
func TestFloodOfRegistrations(t *testing.T) {
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(20*time.Second, false)
	r, in := m.managers[0].keeper.r, clients.NewWaiting(1)
	if r.Counts().Standbys != 1 || !m.managers[1].keeper.r.Counts().InStep {
		t.Fatalf("%+v, %+v", r.Counts(), m.managers[1].keeper.r.Counts())
	}
	info, err := m.sub.PortInfo(m.customers[0].at)
	if err != nil {
		t.Fatal(err)
	}
	from := wire.ToLID(uint16(mad.PortInfoMasterSMLID.Get(info)), 1)
	from.SLID = uint16(mad.PortInfoLID.Get(info))
	said := map[mad.Status]int{}
	count := func(deeds []clients.RegistrarAction) {
		for i := range deeds {
			if d := &deeds[i]; d.Kind == clients.SendAnswer {
				said[d.Datagram.MAD.Status()]++
			}
		}
	}
	now := m.now
	ask := func(method mad.Method, id int) {
		rec := make([]byte, 176)
		mad.ServiceRecordID.Put(rec, uint64(id))
		mad.ServiceRecordGID.Put(rec, m.gids[0])
		q := smtest.Request(method, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec)
		if in.Push(&wire.Datagram{Addr: from, MAD: q}) != nil {
			t.Fatal("a request is left out")
		}
	}
	var d wire.Datagram
	serve := func() {
		for in.Pop(now, r.Room(false), &d) {
			count(r.Request(now, &d))
		}
	}
	for i := range clients.MostHeld + 500 {
		ask(mad.Set, i%100)
	}
	serve()
	if len(said) > 0 || len(r.Held) != clients.MostHeld || in.Kinds[clients.ForChange].Queue.Len() != 500 {
		t.Fatalf("answers by status: %v; %d are taken, %d wait", said, len(r.Held), in.Kinds[clients.ForChange].Queue.Len())
	}
	ask(mad.Get, 1)
	if serve(); said[mad.StatusOK] != 1 {
		t.Fatalf("a query is not answered meanwhile: %v", said)
	}
	for i := 0; said[mad.StatusOK] < 1+clients.MostHeld+500 && i < 1000; i++ { // whatever is under way gets no answer
		now += 250 * time.Millisecond
		for tag := range uint64(1000) {
			count(r.Copied(now, tag, nil, false))
		}
		now += time.Millisecond
		count(r.Tick(now))
		serve()
	}
	if len(said) != 1 || said[mad.StatusOK] != 1+clients.MostHeld+500 || r.Counts().Standbys != 0 {
		t.Errorf("answers by status: %v; %+v", said, r.Counts())
	}
}
