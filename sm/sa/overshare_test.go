package sa

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"

	"weft/fabric"
	"weft/internal/share"
	"weft/wire/mad"
)

// asker sends requests about groups from a LID.
type asker struct {
	t *testing.T
	s *Subnet
	r *Responder
	n uint32
}

// join asks, from a LID, for a new group of a port. change may alter the record.
func (a *asker) join(from fabric.LID, end int32, change func(rec []byte)) mad.Status {
	a.n++
	mgid := [16]byte{0xFF, 0x12}
	binary.BigEndian.PutUint32(mgid[12:], a.n)
	rec := memberRecord(a.s, end, mgid, mad.JoinFull)
	mask := memberToJoin | memberToMake
	if change != nil {
		change(rec)
		mask |= memberRateSel | memberRate | memberMTUSel | memberMTU
	}
	a.r.Asks = from
	return a.r.Answer(a.s, ask(mad.Set, mad.AttrMCMemberRecord, mask, rec)).Status()
}

// newAsker makes groups on switches with so many MLIDs.
func newAsker(t *testing.T, mlids uint64, rule share.Rule) *asker {
	s := groupSubnet(t)
	for i := range s.Nodes {
		if s.Nodes[i].Switch != nil {
			mad.SwitchInfoMulticastFDBCap.Put(s.Nodes[i].Switch, mlids)
		}
	}
	gs := NewGroups(rule)
	gs.Follow(s, []Standing{broadcast})
	return &asker{t: t, s: s, r: &Responder{Groups: gs}}
}

// greed lets a port ask until it is refused, and returns what it got. Then every other port gets
// groups of its own.
func (a *asker) greed(most int, next func(n int) mad.Status) (got int) {
	a.t.Helper()
	var refused []OverShare
	a.r.Groups.Refused = func(o OverShare) { refused = append(refused, o) }
	for got < most {
		if status := next(got); status == mad.StatusNoResources {
			break
		} else if status != mad.StatusOK {
			a.t.Fatalf("request %d: %v", got, status)
		}
		got++
	}
	for range 100 { // it does not give up
		next(got)
	}
	if len(refused) != 101 || refused[0].Held < got && refused[0].Place == MemberPlace {
		a.t.Errorf("%d refusals are told after %d groups: %+v", len(refused), got, refused[:min(1, len(refused))])
	}
	for range share.Floor {
		for end := int32(1); end < 8; end++ {
			used := a.r.Groups.used
			if status := a.join(a.s.Plan.Ends.Base[end], end, nil); status != mad.StatusOK || a.r.Groups.used == used {
				a.t.Fatalf("port %d: %v, %+v", end, status, a.r.Groups.Counts())
			}
		}
	}
	return got
}

// TestGreedyPort: a port that joins groups without end leaves room for all others, whatever it
// varies: the traits of the groups, the ports that it names, or its LID. What it holds over its
// share survives a restart and a takeover.
func TestGreedyPort(t *testing.T) {
	own := func(a *asker) fabric.LID { return a.s.Plan.Ends.Base[0] }
	traits := func(n int) func(rec []byte) { // 16 SLs, 8 rates, 5 MTUs
		return func(rec []byte) {
			mad.MCMemberRecordSL.Put(rec, uint64(n%16))
			mad.MCMemberRecordRate.Put(rec, uint64(2+n/16%8))
			mad.MCMemberRecordRateSelector.Put(rec, mad.SelectExactly)
			mad.MCMemberRecordMtu.Put(rec, uint64(1+n/128%5))
			mad.MCMemberRecordMtuSelector.Put(rec, mad.SelectExactly)
		}
	}
	for what, c := range map[string]struct {
		next       func(a *asker, n int) mad.Status
		most, uses int // groups, MLIDs
	}{
		"the same traits":  {func(a *asker, _ int) mad.Status { return a.join(own(a), 0, nil) }, 6000, 400},
		"other traits":     {func(a *asker, n int) mad.Status { return a.join(own(a), 0, traits(n)) }, 6000, 400},
		"for other ports":  {func(a *asker, n int) mad.Status { return a.join(own(a), int32(n%8), nil) }, 6000, 400},
		"unassigned LIDs":  {func(a *asker, n int) mad.Status { return a.join(fabric.LID(2000+n%1000), int32(n%8), nil) }, 6000, 400},
		"of the other end": {func(a *asker, n int) mad.Status { return a.join(own(a), 7, nil) }, 6000, 400},
	} {
		a := newAsker(t, 4096, share.Rule{})
		got := a.greed(1<<16, func(n int) mad.Status { return c.next(a, n) })
		gs := a.r.Groups
		if got < share.Floor || got > c.most || gs.used > c.uses+7*share.Floor+1 {
			t.Errorf("%s: a port gets %d groups, %d MLIDs are used", what, got, gs.used)
		}
		held := gs.held[a.s.Graph.EndGUID[0]] + gs.held[0]
		if held < got {
			t.Errorf("%s: it holds %d of %d", what, held, got)
		}
		// After a restart with a smaller share it keeps them, and gets no more.
		again := NewGroups(share.Rule{Percent: 1})
		if bad := again.Restore(gs.Entries()); bad > 0 {
			t.Fatalf("%s: %d entries are not restored", what, bad)
		}
		was := gs.Entries()
		again.Follow(a.s, []Standing{broadcast})
		if !reflect.DeepEqual(again.Entries(), was) || again.held[a.s.Graph.EndGUID[0]]+again.held[0] != held {
			t.Errorf("%s: other groups after a restart", what)
		}
		a.r.Groups = again
		if status := c.next(a, got); status != mad.StatusNoResources {
			t.Errorf("%s: after a restart: %v", what, status)
		}
	}
}

// TestUnassignedLID: a requester with a LID that weft has not assigned may be anybody: it cannot
// take a port out of a group that this port has joined itself.
func TestUnassignedLID(t *testing.T) {
	a := newAsker(t, 100, share.Rule{})
	leave := func(from fabric.LID) mad.Status {
		a.r.Asks = from
		return a.r.Answer(a.s, ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, memberRecord(a.s, 0, broadcast.MGID, mad.JoinFull))).Status()
	}
	a.r.Asks = a.s.Plan.Ends.Base[0]
	if s := a.r.Answer(a.s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin, memberRecord(a.s, 0, broadcast.MGID, mad.JoinFull))).Status(); s != mad.StatusOK {
		t.Fatal(s)
	}
	if s := leave(2000); s != mad.StatusRequestInvalid {
		t.Errorf("a stranger takes a port out: %v", s)
	}
	if s := leave(a.s.Plan.Ends.Base[0]); s != mad.StatusOK {
		t.Errorf("the port leaves: %v", s)
	}
}

// TestServicesOfLostPorts: when no place for services is left, those of ports that are gone make
// room, and others stay.
func TestServicesOfLostPorts(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	g := NewRegistry(Limits{Services: 40, ServicesOfPort: 20, Subscriptions: 1, SubscriptionsOfPort: 1, Reports: 1, ReportsOfSubscription: 1})
	register := func(end int32, id uint64) mad.Status {
		rec, mask := serviceAt(s, end, id, forEver, 0, "x")
		return visit(g, 0, s, end, ask(mad.Set, mad.AttrServiceRecord, mask, rec)).Status()
	}
	for id := range uint64(share.Floor) {
		for end := range int32(2) {
			if status := register(end, id); status != mad.StatusOK {
				t.Fatal(status)
			}
		}
	}
	for id := range uint64(8) {
		if status := register(2, id); status != mad.StatusOK {
			t.Fatal(status)
		}
	}
	if status := register(3, 1); status != mad.StatusBusy {
		t.Errorf("no place is left: %v", status)
	}
	s.Plan.Ends.Base[1] = 0 // port 1 is gone
	if status := register(3, 1); status != mad.StatusOK || len(g.services) != share.Floor+8+1 {
		t.Errorf("when a port is gone: %v, %d services", status, len(g.services))
	}
}

// TestReportShares: a device that sends notices without end leaves room for those of others in each
// subscription, and a subscriber that acknowledges nothing leaves room for others.
func TestReportShares(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	g := NewRegistry(Limits{})
	for end := range int32(2) {
		if a := visit(g, 0, s, end, ask(mad.Set, mad.AttrInformInfo, 0, informOf(0xFFFF, true))); a.Status() != mad.StatusOK {
			t.Fatal(a)
		}
	}
	notice := func(end int32, n int) []byte { return gidNotice(64, s.Plan.Ends.Base[end], s.gidOf(fabric.GUID(n))) }
	for n := range 1000 {
		g.Notify(s, notice(5, n))
	}
	flood := g.waiting.All()
	g.Notify(s, notice(6, 1))
	if flood == 0 || flood > 2*share.Floor || g.waiting.All() != flood+2 {
		t.Errorf("%d reports of one issuer wait, then %d", flood, g.waiting.All())
	}
	g = NewRegistry(Limits{Services: 1, Subscriptions: 100, SubscriptionsOfPort: 60, Reports: 100, ReportsOfSubscription: 10})
	for qp := range uint64(50) {
		info := informOf(0xFFFF, true)
		mad.InformInfoQPN.Put(info, qp+2)
		visit(g, 0, s, 0, ask(mad.Set, mad.AttrInformInfo, 0, info))
	}
	visit(g, 0, s, 1, ask(mad.Set, mad.AttrInformInfo, 0, informOf(0xFFFF, true)))
	for n := range 20 {
		g.Notify(s, notice(int32(2+n%4), n))
	}
	if g.waiting.Of(s.Graph.EndGUID[0]) != share.Floor || g.waiting.Of(s.Graph.EndGUID[1]) != 10 {
		t.Errorf("reports that wait: %v", g.waiting)
	}
}

// TestSharedMLID: groups that share an MLID have the members of all of them, each port once, as a
// receiver if it receives packets of any. Groups of other traits, and the permanent group, have
// MLIDs of their own, whatever its traits.
func TestSharedMLID(t *testing.T) {
	a := newAsker(t, 3, share.Rule{})
	gs := a.r.Groups
	own := a.s.Plan.Ends.Base
	for end := range int32(3) {
		if status := a.join(own[end], end, nil); status != mad.StatusOK {
			t.Fatal(status)
		}
	}
	at := slices.IndexFunc(gs.byMLID, func(u mlidUse) bool { return len(u.groups) == 2 })
	if c := gs.Counts(); c.Groups != 4 || c.MLIDsUsed != 3 || at <= 0 {
		t.Fatalf("%+v, MLID %d is shared", c, at)
	}
	one, two := gs.byMLID[at].groups[0], gs.byMLID[at].groups[1]
	x, y := one.Members[0], two.Members[0]
	gs.join(one, y.GID[:], mad.JoinSendOnlyNon, false, y.By) // it receives packets of the other group
	gs.join(two, x.GID[:], mad.JoinFull, false, x.By)
	z := y
	s := a.s.Graph.EndGUID[5]
	binary.BigEndian.PutUint64(z.GID[8:], uint64(s))
	gs.join(one, z.GID[:], mad.JoinSendOnlyNon, false, s)
	gs.join(two, z.GID[:], mad.JoinSendOnlyNon, false, s)
	got := gs.Membership()[at-1] // the permanent group has no members
	want := Members{one.MLID, slices.Sorted(slices.Values([]fabric.GUID{x.By, y.By})), []fabric.GUID{s}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	twin := &Group{MGID: [16]byte{0xFF, 0x12, 15: 200}, PKey: broadcast.PKey, MTU: broadcast.MTU, Rate: broadcast.Rate}
	if lid, ok := gs.mlidFor(twin, 0); ok {
		t.Errorf("a group gets MLID 0x%X, which is the permanent group's or one of other traits", uint16(lid))
	}
}
