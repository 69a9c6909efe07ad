package watch

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/clients"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// What things take of the one core of a slowManager.
const (
	costOfAnswer  = 10 * time.Microsecond // to a query
	costOfChange  = 40 * time.Microsecond // the answer to a request that changes something
	costOfArrival = 2 * time.Microsecond  // of a query
	costOfSMP     = 10 * time.Microsecond // its answer, and what follows from it
)

// slowManager is a manager in virtual time with one core, where all work takes time. The core
// prefers the work that delays the Manager most: it answers queries as long as it may, and
// otherwise takes arrived datagrams in order.
type slowManager struct {
	t        testing.TB
	m        *market
	v        *virtual
	free     time.Duration // when the core has done what it does
	flooders []*flooder
	one      *flooder // asks little
	answered [clients.NumKindsOfQuery]int
	sent     map[string]int // SMPs of the round
}

// underWay is the number of requests of a flooder that are under way.
const underWay = 32

// lost is the time after which a request or its answer was lost: a cable had failed on its way.
const lost = 50 * time.Millisecond

// flooder is a host that sends its next request as soon as it has an answer.
type flooder struct {
	*customer
	gid     []byte
	n       int
	sent    map[uint64]time.Duration
	longest time.Duration // of its requests that were answered
	wrong   int           // answers that say neither yes nor busy
	checked time.Duration // when it was looked for requests that are lost
}

func newSlowManager(t testing.TB) *slowManager {
	m := newMarket(t, "rlft(18,2)", 1, 1)
	if err := m.sub.Impair(emulator.Impairment{Delay: 5 * time.Microsecond}); err != nil {
		t.Fatal(err)
	}
	m.start(0)
	m.run(5*time.Second, false)
	v := m.managers[0]
	if v.manager.Role() != terms.Master {
		t.Fatal(v.manager.Result().Report.State)
	}
	x := &slowManager{t: t, m: m, v: v, free: m.now}
	v.keeper.slow, v.planTime = true, time.Millisecond
	v.keeper.a.In = clients.NewWaiting(1)
	for i := range 9 {
		host := 3*i + 2
		c, err := newCustomer(m.sub, fabric.End{Node: smtest.Find(m.f, fabric.CA, host), Port: 1}, host)
		if err != nil {
			t.Fatal(err)
		}
		gid := make([]byte, 16)
		gid[0], gid[1] = 0xFE, 0x80
		for b := range 8 {
			gid[8+b] = byte(m.f.Nodes[c.at.Node].Ports[1].GUID >> (56 - 8*b))
		}
		f := &flooder{customer: c, gid: gid, sent: map[uint64]time.Duration{}}
		if x.one = f; i < 8 {
			x.flooders = append(x.flooders, f)
		}
	}
	m.wrote = func(_ *virtual, a *terms.Action) {
		if a.Kind == terms.Send && v.manager.inRound {
			x.sent[smtest.Describe(a)+fmt.Sprintf(" %x", a.Data)]++
		}
	}
	return x
}

// ask asks what a flooder asks next: those with numbers 0 to 3 join and leave groups, 4 and 5
// register and end services, 7 asks for all paths from it, and others ask for one.
func (f *flooder) ask(now time.Duration, number int) {
	f.n++
	var q mad.Datagram
	switch method := []mad.Method{mad.Set, mad.Delete}[f.n/9%2]; {
	case number < 4:
		mgid := smtest.MgidOf(f.n % 9)
		rec := make([]byte, mad.MCMemberRecord.RecordSize())
		copy(rec, mgid[:])
		copy(rec[16:], f.gid)
		mad.MCMemberRecordQKey.Put(rec, 1)
		mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
		mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
		q = smtest.Request(method, mad.AttrMCMemberRecord, smtest.MemberMask, rec)
	case number < 6:
		rec := make([]byte, 176)
		mad.ServiceRecordID.Put(rec, uint64(f.host)<<8|uint64(f.n%9))
		mad.ServiceRecordGID.Put(rec, f.gid)
		mad.ServiceRecordLease.Put(rec, 0xFFFFFFFF)
		q = smtest.Request(method, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec)
	default:
		rec := make([]byte, mad.PathRecord.Size)
		mask := mad.PathRecord.Mask(mad.PathRecordSGID, mad.PathRecordDGID)
		copy(mad.PathRecordSGID.Get(rec), f.gid)
		copy(mad.PathRecordDGID.Get(rec), f.gid)
		if method = mad.Get; number == 7 {
			method, mask = mad.GetTable, mad.PathRecord.Mask(mad.PathRecordSGID, mad.PathRecordNumbPath)
			mad.PathRecordNumbPath.Put(rec, 1)
		}
		q = smtest.Request(method, mad.AttrPathRecord, mask, rec)
	}
	tid := uint64(f.host)<<20 | uint64(f.n)
	mad.HeaderTransactionID.Put(q, tid)
	f.sent[tid] = now
	f.send(now, q)
}

// hear takes the answers that have come, and asks on.
func (f *flooder) hear(now time.Duration, number int) {
	inbox := f.inbox
	f.inbox = nil
	for _, d := range inbox {
		tid := d.MAD.TID() & 0xFFFFFFFF
		since, is := f.sent[tid]
		if !is {
			continue
		}
		if s := d.MAD.Status(); s != mad.StatusOK && s != mad.StatusBusy && s != mad.StatusNoRecords && d.MAD.Attr() == mad.AttrPathRecord {
			f.wrong++
		}
		delete(f.sent, tid)
		f.longest = max(f.longest, now-since)
		if number < 8 {
			f.ask(now, number)
		}
	}
	if now < f.checked+10*time.Millisecond {
		return
	}
	f.checked = now
	for tid, since := range f.sent {
		if now >= since+lost {
			delete(f.sent, tid)
			f.ask(now, number)
		}
	}
}

// task has the core do something, if there is anything.
func (x *slowManager) task() bool {
	v, in := x.v, x.v.keeper.a.In
	if v.keeper.answer() {
		x.answered[in.Last]++
		x.free = v.now + costOfAnswer
		if in.Last == clients.ForChange {
			x.free = v.now + costOfChange
		}
		in.Took(v.now, x.free)
		v.perform()
		v.keeper.later()
		return true
	}
	if len(v.inbox) == 0 {
		return false
	}
	d := v.inbox[0]
	v.inbox = v.inbox[1:]
	x.free = v.now + costOfSMP
	if d.MAD.Class() == mad.ClassSA {
		x.free = v.now + costOfArrival
	}
	v.actions = v.wire.Arrived(v.now, &d, v.actions)
	v.perform()
	return true
}

// run lets time pass until something holds, and returns how long that was.
func (x *slowManager) run(holds func() bool) time.Duration {
	v, begun, asked := x.v, x.v.now, time.Duration(0)
	for !holds() {
		if v.now-begun > 10*time.Second {
			x.t.Fatalf("nothing in 10 s, phase %s, %v %s", v.manager.current.Phase(), x.answered, journals([]*virtual{v}))
		}
		for i, f := range x.flooders {
			f.hear(v.now, i)
		}
		if x.one.hear(v.now, 8); len(x.one.sent) == 0 && v.now >= asked {
			x.one.ask(v.now, 6)
			asked = v.now + time.Millisecond
		}
		if x.free <= v.now && x.task() {
			continue
		}
		next := v.next()
		if len(x.one.sent) == 0 {
			next = min(next, asked)
		}
		if x.free > v.now {
			next = min(next, x.free)
		} else {
			next = min(next, max(v.now, v.keeper.a.In.Due(v.keeper.room())))
		}
		if at, ok := x.m.sub.Next(); ok {
			next = min(next, at)
		}
		v.now = max(v.now, next)
		x.m.sub.Advance(v.now)
		v.tick()
		v.perform()
	}
	return v.now - begun
}

// round has a round run that an event begins, and returns how long it takes from then on, and the
// SMPs that it sends.
func (x *slowManager) round(begin func()) (took time.Duration, sent map[string]int) {
	x.sent, x.answered = map[string]int{}, [clients.NumKindsOfQuery]int{}
	x.one.longest = 0
	number := x.v.manager.round.Number
	begin()
	x.run(func() bool { return x.v.manager.inRound })
	took = x.run(func() bool { return !x.v.manager.inRound })
	if n := x.v.manager.round.Number; n != number+1 || x.v.manager.Result().Report.State != terms.Up {
		x.t.Fatalf("round %d after %d: %s", n, number, x.v.manager.Result().Report.State)
	}
	return took, x.sent
}

// rest lets time pass until no round has been under way for a while.
func (x *slowManager) rest() {
	const while = 1500 * time.Millisecond // the second sign of a change may begin a round so late
	end := x.v.now + while
	x.run(func() bool {
		if x.v.manager.inRound {
			end = x.v.now + while
		}
		return x.v.now >= end
	})
}

// rounds runs three rounds, after a failed cable, after another one, and over everything, and
// returns their times and SMPs. With flood, a flood begins first.
func (x *slowManager) rounds(flood bool) (took []time.Duration, sent []map[string]int) {
	if flood {
		for i, f := range x.flooders {
			for range underWay {
				f.ask(x.v.now, i)
			}
		}
	}
	var cables []fabric.LinkID
	for i, l := range x.m.f.Links {
		if x.m.f.Nodes[l.A.Node].Type == fabric.Switch && x.m.f.Nodes[l.B.Node].Type == fabric.Switch {
			cables = append(cables, fabric.LinkID(i))
		}
	}
	fail := func(cable fabric.LinkID) func() {
		return func() {
			if err := x.m.sub.SetLinkDown(cable, true); err != nil {
				x.t.Fatal(err)
			}
		}
	}
	for _, begin := range []func(){fail(cables[0]), fail(cables[len(cables)-1]), func() { x.v.step(&terms.Event{Kind: terms.Resweep}) }} {
		x.rest()
		d, s := x.round(begin)
		took, sent = append(took, d), append(sent, s)
		if flood && (x.answered[clients.ForRecord] == 0 || x.answered[clients.ForTable] == 0 || x.answered[clients.ForChange] == 0) {
			x.t.Errorf("answered in a round: %v by kind", x.answered)
		}
	}
	return took, sent
}

// TestFloodedRounds: hosts send joins, services, path queries and table queries as fast as they are
// answered. A round still sends the same SMPs. It takes longer only by the hosts' share of the
// core, and by what had arrived before it began, though the manager has one core that prefers the
// answers. A host that asks little waits some milliseconds.
func TestFloodedRounds(t *testing.T) {
	racing.SkipLong(t)
	took, sent := newSlowManager(t).rounds(false)
	x := newSlowManager(t)
	flooded, sentFlooded := x.rounds(true)
	left := 1.0 // of the core, for the round
	first := 8 * underWay * costOfArrival
	for _, k := range x.v.keeper.a.In.Kinds {
		left -= float64(k.Slice) / float64(clients.SharePeriod)
		first += k.Slice + costOfChange
	}
	for i := range took {
		t.Logf("round %d: %v for %d SMPs, with a flood %v", i, took[i], len(sent[i]), flooded[i])
		if float64(flooded[i]) > float64(took[i])/left+float64(first) {
			t.Errorf("round %d takes %v, with a flood %v", i, took[i], flooded[i])
		}
		if !maps.Equal(sent[i], sentFlooded[i]) {
			t.Errorf("round %d sends other SMPs with a flood", i)
		}
	}
	t.Logf("one who asks little waits for %v at most", x.one.longest)
	if x.one.longest > 3*clients.SharePeriod {
		t.Errorf("one who asks little waits for %v", x.one.longest)
	}
	for _, f := range x.flooders {
		if f.wrong > 0 {
			t.Errorf("%d answers are wrong", f.wrong)
		}
	}
}

// TestUnboundedFlood: the model of TestFloodedRounds shows a flood for which there is no bound.
func TestUnboundedFlood(t *testing.T) {
	racing.SkipLong(t)
	took, _ := newSlowManager(t).rounds(false)
	x := newSlowManager(t)
	for i := range x.v.keeper.a.In.Kinds {
		x.v.keeper.a.In.Kinds[i].Slice = clients.SharePeriod
	}
	flooded, _ := x.rounds(true)
	for i := range took {
		if flooded[i] < 2*took[i] {
			t.Errorf("round %d takes %v, with a flood without a bound %v", i, took[i], flooded[i])
		}
	}
}

// TestRoundBehindChanges: the data of a round for the standbys waits only for registrations that
// came before it, not for all that hosts send.
func TestRoundBehindChanges(t *testing.T) {
	const roundTrip = 800 * time.Microsecond
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(20*time.Second, false)
	v := m.managers[0]
	if v.manager.Role() != terms.Master || v.keeper.r.Counts().Standbys != 1 {
		t.Fatalf("%v, %+v", v.manager.Role(), v.keeper.r.Counts())
	}
	if err := m.sub.Impair(emulator.Impairment{Delay: roundTrip / 8}); err != nil {
		t.Fatal(err)
	}
	round := func() time.Duration {
		v.step(&terms.Event{Kind: terms.Resweep})
		for m.run(5*time.Millisecond, false); v.manager.inRound; {
			m.run(5*time.Millisecond, false)
		}
		return v.manager.last.Ended - v.manager.last.Begun
	}
	quiet := round()
	for n := range uint64(4000) {
		c := m.customers[n%4]
		rec := make([]byte, 176)
		mad.ServiceRecordID.Put(rec, n)
		mad.ServiceRecordGID.Put(rec, m.gids[n%4])
		mad.ServiceRecordLease.Put(rec, 0xFFFFFFFF)
		q := smtest.Request(mad.Set, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec)
		mad.HeaderTransactionID.Put(q, 1<<30|n)
		c.send(m.now, q)
	}
	most := 0
	v.onEvent = func() { most = max(most, len(v.keeper.r.Held)) }
	m.run(5*time.Millisecond, false)
	waited := v.keeper.a.In.Kinds[clients.ForChange].Queue.Len()
	flooded := round()
	// A service is told in less than two messages. While the Manager is at work few more are taken.
	if allowed := quiet + 2*clients.MostHeld*roundTrip; flooded > allowed || most != clients.MostHeld || waited < 2000 {
		t.Errorf("a round takes %v behind %d changes and %d that wait, %v without, %v are allowed", flooded, most, waited, quiet, allowed)
	}
	t.Logf("a round takes %v, %v behind changes", quiet, flooded)
}
