package sa

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// visit asks a Registry for something, from the base LID of an end port.
func visit(g *Registry, now time.Duration, s *Subnet, end int32, q mad.Datagram) mad.Datagram {
	a := wire.ToLID(1, 1)
	a.SLID = uint16(s.Plan.Ends.Base[end])
	return g.Answer(now, s, &wire.Datagram{Addr: a, MAD: q})
}

// serviceAt makes a ServiceRecord of a port, and the mask of what it says.
func serviceAt(s *Subnet, end int32, id uint64, lease uint32, key byte, name string) ([]byte, uint64) {
	rec := make([]byte, 176)
	mask := mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID, mad.ServiceRecordLease, mad.ServiceRecordName)
	mad.ServiceRecordID.Put(rec, id)
	s.putGID(mad.ServiceRecordGID.Get(rec), end)
	mad.ServiceRecordLease.Put(rec, uint64(lease))
	mad.ServiceRecordName.Put(rec, []byte(name))
	if key != 0 {
		mask |= serviceKey
		mad.ServiceRecordKey.Put(rec, bytes.Repeat([]byte{key}, 16))
	}
	return rec, mask
}

// TestServices: services are registered, told and ended as a dumb model has it, with leases and
// keys, and a Registry that is restored from the Entries of another one is like it.
func TestServices(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			id   uint64
			end  int32
			ends time.Duration
			key  byte
			name string
		}
		g, now := NewRegistry(Limits{}), time.Duration(0)
		var model []entry
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond
			model = slices.DeleteFunc(model, func(e entry) bool { return e.ends <= now })
			id, end := uint64(rapid.IntRange(1, 3).Draw(t, "id")), int32(rapid.IntRange(0, 2).Draw(t, "end"))
			key, name := byte(rapid.IntRange(0, 2).Draw(t, "key")), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
			at := slices.IndexFunc(model, func(e entry) bool { return e.id == id && e.end == end })
			denied := at >= 0 && model[at].key != 0 && model[at].key != key
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				lease := rapid.SampledFrom([]uint32{1, 5, forEver}).Draw(t, "lease")
				rec, mask := serviceAt(s, end, id, lease, key, name)
				a := visit(g, now, s, 1, ask(mad.Set, mad.AttrServiceRecord, mask, rec))
				if denied {
					if a.Status() != mad.StatusDenied {
						t.Fatalf("another key is answered by %v", a)
					}
					continue
				}
				if a.Status() != 0 || !bytes.Equal(a.Data()[:176], rec) {
					t.Fatalf("Set: %v", a)
				}
				if at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
				e := entry{id, end, now + time.Duration(lease)*time.Second, key, name}
				if lease == forEver {
					e.ends = never
				}
				model = append(model, e)
			case 2:
				rec, mask := serviceAt(s, end, id, 1, key, name)
				mask &^= mad.ServiceRecord.Mask(mad.ServiceRecordName)
				a := visit(g, now, s, 2, ask(mad.Delete, mad.AttrServiceRecord, mask, rec))
				want := mad.StatusOK
				switch {
				case at < 0:
					want = mad.StatusNoRecords
				case denied:
					want = mad.StatusDenied
				default:
					model = slices.Delete(model, at, at+1)
				}
				if a.Status() != want || a.Method() != mad.Delete|0x80 {
					t.Fatalf("Delete: %v, want %v", a, want)
				}
			default:
				rec, _ := serviceAt(s, end, id, 1, 0, name)
				q := ask(mad.GetTable, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordName), rec)
				mad.SAHeaderSMKey.Put(q, 0)
				got := recordsOf(t, visit(g, now, s, 3, q))
				var want []entry
				for _, e := range model {
					if e.name == name {
						want = append(want, e)
					}
				}
				if len(got) != len(want) {
					t.Fatalf("%d services called %s, want %v", len(got), name, want)
				}
				for _, x := range got {
					k := slices.IndexFunc(want, func(e entry) bool {
						return e.id == mad.ServiceRecordID.Get(x) && s.endOfGID(mad.ServiceRecordGID.Get(x)) == e.end
					})
					left := mad.ServiceRecordLease.Get(x)
					if k < 0 || want[k].ends == never && left != forEver || want[k].ends != never && left != uint64((want[k].ends-now+time.Second-1)/time.Second) {
						t.Fatalf("told %x, want %v at %v", x, want, now)
					}
					if !bytes.Equal(mad.ServiceRecordKey.Get(x), make([]byte, 16)) {
						t.Fatal("a key is told to somebody who does not know it")
					}
				}
			}
			if due := g.Deadline(); due < now {
				t.Fatal("a deadline has passed")
			}
		}
		other := NewRegistry(Limits{})
		if bad := other.Restore(now, g.Entries()); bad > 0 || !slices.EqualFunc(other.Entries(), g.Entries(), equalEntries) || len(other.Changes()) > 0 {
			t.Fatalf("%d entries are bad, or differ", bad)
		}
		g.Tick(now + time.Hour)
		for _, e := range model {
			if (e.ends == never) != slices.ContainsFunc(g.Entries(), func(x Entry) bool {
				return mad.ServiceRecordID.Get(x.Value[8:]) == e.id && s.endOfGID(mad.ServiceRecordGID.Get(x.Value[8:])) == e.end
			}) {
				t.Fatalf("%v after an hour", e)
			}
		}
	})
}

func equalEntries(a, b Entry) bool {
	return a.EntryName == b.EntryName && bytes.Equal(a.Value, b.Value)
}

// informOf makes an InformInfo about a trap of all LIDs.
func informOf(trap uint64, subscribe bool) []byte {
	info := make([]byte, 36)
	mad.InformInfoLIDRangeBegin.Put(info, 0xFFFF)
	mad.InformInfoIsGeneric.Put(info, 1)
	mad.InformInfoType.Put(info, 0xFFFF)
	mad.InformInfoTrapNumber.Put(info, trap)
	mad.InformInfoProducerType.Put(info, 0xFFFFFF)
	if subscribe {
		mad.InformInfoSubscribe.Put(info, 1)
	}
	return info
}

// TestSubscriptions: who has subscribed hears of what was asked for, in order and one at a time,
// until it unsubscribes; the records say who has.
func TestSubscriptions(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	g := NewRegistry(Limits{})
	for end, trap := range []uint64{mad.TrapLinkState, 0xFFFF, mad.TrapGIDInService} {
		for range 2 { // the second one changes nothing
			if a := visit(g, 0, s, int32(end), ask(mad.Set, mad.AttrInformInfo, 0, informOf(trap, true))); a.Status() != 0 || mad.InformInfoQPN.Get(a.Data()) != 1 {
				t.Fatalf("subscribing: %v", a)
			}
		}
	}
	if got := recordsOf(t, visit(g, 0, s, 0, ask(mad.GetTable, mad.AttrInformInfoRecord, 0, nil))); len(got) != 3 {
		t.Fatalf("%d subscriptions", len(got))
	}
	notice := make([]byte, 64)
	mad.NoticeIsGeneric.Put(notice, 1)
	mad.NoticeType.Put(notice, mad.NoticeTypeUrgent)
	mad.NoticeProducerType.Put(notice, 2)
	mad.NoticeTrapNumber.Put(notice, mad.TrapLinkState)
	mad.NoticeIssuerLID.Put(notice, uint64(s.Plan.Ends.Base[4]))
	told := func() (list []string) {
		for {
			d, tag, ok := g.NextReport()
			if !ok {
				return list
			}
			if err := mad.Check(d.MAD); err != nil || d.MAD.Method() != mad.Report || s.endOfGID(mad.SANoticeIssuerGID.Get(d.MAD.Data())) < 0 {
				t.Fatalf("report %v: %v", d.MAD, err)
			}
			list = append(list, fmt.Sprint(mad.NoticeTrapNumber.Get(d.MAD.Data()), " to ", s.endOfLID(fabric.LID(d.Addr.DLID))))
			defer g.Reported(tag, true)
		}
	}
	g.Notify(s, notice)
	g.Notify(s, notice) // the same again, while it is under way
	g.Notify(s, gidNotice(mad.TrapGIDInService, s.Plan.Ends.Base[5], s.gidOf(s.Graph.EndGUID[0])))
	first, second := told(), told()
	slices.Sort(first)
	if want := []string{"128 to 0", "128 to 1", "64 to 2"}; !slices.Equal(first, want) || !slices.Equal(second, []string{"64 to 1"}) || g.Reports().Acknowledged != 4 {
		t.Errorf("told %v, then %v; counted %+v", first, second, g.Reports())
	}
	if a := visit(g, 0, s, 1, ask(mad.Set, mad.AttrInformInfo, 0, informOf(0xFFFF, false))); a.Status() != 0 {
		t.Errorf("unsubscribing: %v", a)
	}
	if a := visit(g, 0, s, 1, ask(mad.Set, mad.AttrInformInfo, 0, informOf(0xFFFF, false))); a.Status() != mad.StatusRequestInvalid {
		t.Errorf("unsubscribing twice: %v", a)
	}
	g.Notify(s, notice)
	if list := told(); !slices.Equal(list, []string{"128 to 0"}) {
		t.Errorf("told %v", list)
	}
	other := NewRegistry(Limits{})
	if bad := other.Restore(0, g.Entries()); bad > 0 || !slices.EqualFunc(other.Entries(), g.Entries(), equalEntries) || len(other.Entries()) != 2 {
		t.Errorf("%d bad, %d restored", bad, len(other.Entries()))
	}
}

// TestWhatIsWanted: each part of an InformInfo counts.
func TestWhatIsWanted(t *testing.T) {
	notice := make([]byte, 64)
	mad.NoticeIsGeneric.Put(notice, 1)
	mad.NoticeType.Put(notice, 1)
	mad.NoticeProducerType.Put(notice, 2)
	mad.NoticeTrapNumber.Put(notice, 128)
	mad.NoticeIssuerLID.Put(notice, 7)
	fe80 := (&Subnet{}).gidOf(0x77)
	s := &Subnet{Between: Between{Prefix: 0xfec0000000000007}}
	about := s.gidOf(0x77)
	for _, c := range []struct {
		what   string
		change func(info []byte)
		want   bool
	}{
		{"all", func([]byte) {}, true},
		{"its GID", func(i []byte) { mad.InformInfoGID.Put(i, about) }, true},
		{"its GID, default prefix", func(i []byte) { mad.InformInfoGID.Put(i, fe80) }, true},
		{"another GID", func(i []byte) { mad.InformInfoGID.Put(i, s.gidOf(0x78)) }, false},
		{"its LID", func(i []byte) { mad.InformInfoLIDRangeBegin.Put(i, 7) }, true},
		{"LIDs around it", func(i []byte) { mad.InformInfoLIDRangeBegin.Put(i, 6); mad.InformInfoLIDRangeEnd.Put(i, 8) }, true},
		{"LIDs below it", func(i []byte) { mad.InformInfoLIDRangeBegin.Put(i, 5); mad.InformInfoLIDRangeEnd.Put(i, 6) }, false},
		{"LIDs above it", func(i []byte) { mad.InformInfoLIDRangeBegin.Put(i, 8); mad.InformInfoLIDRangeEnd.Put(i, 9) }, false},
		{"another type", func(i []byte) { mad.InformInfoType.Put(i, 2) }, false},
		{"its type", func(i []byte) { mad.InformInfoType.Put(i, 1) }, true},
		{"another trap", func(i []byte) { mad.InformInfoTrapNumber.Put(i, 64) }, false},
		{"another producer", func(i []byte) { mad.InformInfoProducerType.Put(i, 1) }, false},
		{"a vendor's", func(i []byte) { mad.InformInfoIsGeneric.Put(i, 0) }, false},
	} {
		v := &subscription{info: [36]byte(informOf(0xFFFF, true))}
		if c.change(v.info[:]); v.wants(notice, about) != c.want {
			t.Errorf("%s: %v", c.what, !c.want)
		}
	}
}

// TestRegistryLimits: a port may register so much and no more, and all ports together; reports that
// nobody acknowledges are so many; what ends makes room.
func TestRegistryLimits(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	g := NewRegistry(Limits{Services: 5, ServicesOfPort: 3, Subscriptions: 5, SubscriptionsOfPort: 3, Reports: 6, ReportsOfSubscription: 2})
	for _, c := range []struct {
		from int32
		want []mad.Status
	}{
		{0, []mad.Status{0, 0, 0, mad.StatusNoResources}},
		{1, []mad.Status{0, 0, mad.StatusBusy, mad.StatusBusy}},
	} {
		for i, want := range c.want {
			rec, mask := serviceAt(s, c.from, uint64(i), 1, 0, "x")
			if a := visit(g, 0, s, c.from, ask(mad.Set, mad.AttrServiceRecord, mask, rec)); a.Status() != want {
				t.Errorf("service %d of port %d: %v, want %v", i, c.from, a, want)
			}
			if a := visit(g, 0, s, c.from, ask(mad.Set, mad.AttrInformInfo, 0, informOf(uint64(64+i), true))); a.Status() != want {
				t.Errorf("subscription %d of port %d: %v, want %v", i, c.from, a, want)
			}
		}
	}
	for i := range 10 {
		for trap := range uint64(3) {
			g.Notify(s, gidNotice(64+trap, s.Plan.Ends.Base[5], s.gidOf(fabric.GUID(i))))
		}
	}
	if g.waiting.All() != 6 || g.Reports().Dropped != 5*10-6 {
		t.Errorf("%d reports wait, %+v", g.waiting.All(), g.Reports())
	}
	if g.Tick(time.Second); len(g.services) != 0 || len(g.owned) != 2 {
		t.Errorf("%d services are left, of %v", len(g.services), g.owned)
	}
	rec, mask := serviceAt(s, 0, 9, 1, 0, "x")
	if a := visit(g, time.Second, s, 0, ask(mad.Set, mad.AttrServiceRecord, mask, rec)); a.Status() != 0 {
		t.Errorf("when others have ended: %v", a)
	}
}

// TestComingAndGoing: subscribers hear of GIDs that come into service and go; subscriptions of a
// port that is gone end.
func TestComingAndGoing(t *testing.T) {
	all := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	fewer := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	gone := int32(3)
	fewer.Plan.Ends.Base[gone] = 0
	g := NewRegistry(Limits{})
	for _, end := range []int32{0, gone} {
		for _, trap := range []uint64{mad.TrapGIDInService, mad.TrapGIDOutOfService} {
			visit(g, 0, all, end, ask(mad.Set, mad.AttrInformInfo, 0, informOf(trap, true)))
		}
	}
	all.Managers = []Manager{{End: 1, State: mad.SMStateMaster}}
	fewer.Managers = all.Managers
	for _, c := range []struct {
		before, now *Subnet
		want        uint64
	}{{nil, all, 0}, {all, all, 0}, {all, fewer, mad.TrapGIDOutOfService}, {fewer, all, mad.TrapGIDInService}} {
		g.Follow(c.before, c.now)
		d, tag, ok := g.NextReport()
		if ok != (c.want != 0) {
			t.Fatalf("a report is sent: %v", ok)
		}
		if !ok {
			continue
		}
		if n := d.MAD.Data(); mad.NoticeTrapNumber.Get(n) != c.want || !bytes.Equal(mad.TrapGIDGID.Get(n), all.gidOf(all.Graph.EndGUID[gone])) {
			t.Errorf("told %x", n[:32])
		}
		g.Reported(tag, true)
	}
	if len(g.subs) != 2 {
		t.Errorf("%d subscriptions are left", len(g.subs))
	}
}

// FuzzRegistry: whatever is asked, the answer is a datagram or nothing; and whatever Entries say,
// they are restored or left out.
func FuzzRegistry(f *testing.F) {
	s := subnetOf(f, "rlft(4,2)", "minhop", 0, 1)
	rec, mask := serviceAt(s, 0, 1, 10, 1, "x")
	for _, method := range []mad.Method{mad.Set, mad.Get, mad.GetTable, mad.Delete} {
		f.Add([]byte(ask(method, mad.AttrServiceRecord, mask, rec)), uint16(1), []byte("v"))
		f.Add([]byte(ask(method, mad.AttrInformInfo, 0, informOf(64, true))), uint16(2), []byte("v"))
		f.Add([]byte(ask(method, mad.AttrInformInfoRecord, 3, informOf(64, true))), uint16(2), rec)
	}
	f.Fuzz(func(t *testing.T, q []byte, from uint16, value []byte) {
		g := NewRegistry(Limits{})
		now := time.Duration(0)
		for range 3 {
			d := wire.Datagram{Addr: wire.Address{SLID: from, SQP: 1, DQP: 1}, MAD: bytes.Clone(q)}
			if a := g.Answer(now, s, &d); a != nil {
				if err := mad.Check(a); err != nil || !a.Method().IsResponse() {
					t.Fatalf("%v answered by %v: %v", mad.Datagram(q), a, err)
				}
			}
			now += time.Minute
		}
		list := g.Entries()
		for i := range list {
			key := []byte(list[i].Key)
			list = append(list, Entry{EntryName{list[i].Kind, string(append(key, 1))}, list[i].Value}, Entry{list[i].EntryName, value})
		}
		list = append(list, Entry{EntryName{Subscription, string(q[:min(len(q), 56)])}, value}, Entry{EntryName{Service, string(q[:min(len(q), 26)])}, value})
		other := NewRegistry(Limits{})
		other.Restore(now, list)
		other.Follow(s, s)
		if again := NewRegistry(Limits{}); again.Restore(now, other.Entries()) > 0 {
			t.Fatal("what was restored cannot be restored")
		}
	})
}

// TestServiceKeys: who is not trusted is not told the key of a service that is registered or ended;
// without the key none but the port that has registered it may end it.
func TestServiceKeys(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	g := NewRegistry(Limits{})
	rec, mask := serviceAt(s, 0, 7, forEver, 5, "a")
	say := func(from int32, method mad.Method, mask, key uint64) mad.Datagram {
		q := ask(method, mad.AttrServiceRecord, mask, rec)
		mad.SAHeaderSMKey.Put(q, key)
		return visit(g, 0, s, from, q)
	}
	for _, c := range []struct {
		what   string
		from   int32
		method mad.Method
		mask   uint64
		key    uint64
		status mad.Status
		told   bool
	}{
		{"registered", 1, mad.Set, mask, 0, mad.StatusOK, false},
		{"by one who is trusted", 1, mad.Set, mask, testKey, mad.StatusOK, true},
		{"another port ends it without the key", 2, mad.Delete, mask &^ serviceKey, 0, mad.StatusDenied, false},
		{"its own port does", 1, mad.Delete, mask &^ serviceKey, 0, mad.StatusOK, false},
		{"registered again", 1, mad.Set, mask, 0, mad.StatusOK, false},
		{"another port ends it by the key", 2, mad.Delete, mask, 0, mad.StatusOK, false},
	} {
		if c.status == mad.StatusDenied { // the record has the key all the same
			clear(mad.ServiceRecordKey.Get(rec))
		}
		a := say(c.from, c.method, c.mask, c.key)
		if told := !bytes.Equal(mad.ServiceRecordKey.Get(a.Data()), make([]byte, 16)); a.Status() != c.status || told != c.told {
			t.Errorf("%s: %v; the key is told: %v", c.what, a, told)
		}
		rec, _ = serviceAt(s, 0, 7, forEver, 5, "a")
	}
}
