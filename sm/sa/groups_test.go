package sa

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/share"
	"weft/route"
	"weft/wire/mad"
)

// groupSubnet is a Subnet with a pool of trees, which the answers do not look into.
func groupSubnet(t fataler) *Subnet {
	s := *subnetOf(t, "rlft(4,2)", "updn", 0, 1)
	plan := *s.Plan
	plan.Multicast = &route.Multicast{}
	s.Plan = &plan
	s.treeMTU = 5
	for i := range s.endMTU {
		s.endMTU[i], s.endRank[i] = 5, rankOf(16)
	}
	return &s
}

var broadcast = Standing{MGID: IPoIBBroadcast(mad.DefaultPKey, 2), PKey: mad.DefaultPKey, QKey: 1, MTU: 4, Rate: 3}

// newTestGroups makes the groups of a Subnet.
func newTestGroups(s *Subnet) *Groups {
	gs := NewGroups(share.Rule{})
	gs.Follow(s, []Standing{broadcast})
	return gs
}

// memberRecord is a record for an end port and a group.
func memberRecord(s *Subnet, end int32, mgid [16]byte, state uint8) []byte {
	rec := make([]byte, mad.MCMemberRecord.RecordSize())
	copy(rec, mgid[:])
	s.putGID(rec[16:32], end)
	mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
	mad.MCMemberRecordQKey.Put(rec, 7)
	mad.MCMemberRecordJoinState.Put(rec, uint64(state))
	return rec
}

// TestBroadcastGroup: the broadcast group is there from the start, has the first MLID, and stays
// when its last member has left.
func TestBroadcastGroup(t *testing.T) {
	s := groupSubnet(t)
	r := Responder{Groups: newTestGroups(s)}
	for range 2 {
		a := r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin, memberRecord(s, 0, broadcast.MGID, mad.JoinFull)))
		if a.Status() != mad.StatusOK || mad.MCMemberRecordMLID.Get(a.Data()) != uint64(fabric.FirstMLID) || mad.MCMemberRecordMtu.Get(a.Data()) != 4 {
			t.Fatalf("%v", a)
		}
		if a = r.Answer(s, ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, memberRecord(s, 0, broadcast.MGID, mad.JoinFull))); a.Status() != mad.StatusOK {
			t.Fatalf("%v", a)
		}
	}
	if len(r.Groups.Membership()) != 0 || r.Groups.Find(broadcast.MGID[:]) == nil {
		t.Error("it has members, or is gone")
	}
}

// TestGroupSL: a group gets an SL only if the lane tables treat it as that of the trees, which is
// proven.
func TestGroupSL(t *testing.T) {
	s := groupSubnet(t)
	lanes := route.UniformVL(s.Graph, route.VLTable{5: 1, 6: route.DropVL})
	s.Plan.VLs, s.Plan.SL2VL, s.Plan.Multicast = 1, lanes, &route.Multicast{SL: 2}
	for sl, want := range map[uint8]uint8{0: 0, 2: 2, 5: 2, 6: 2, 7: 7} {
		if got := s.groupSL(sl); got != want {
			t.Errorf("SL %d: %d, want %d", sl, got, want)
		}
	}
	if s.Plan.VLs = 2; s.groupSL(0) != 2 {
		t.Error("trees with a lane of their own have one SL")
	}
}

// TestTreeMTU: a new group has no larger MTU than the cables that its packets may cross.
func TestTreeMTU(t *testing.T) {
	s := groupSubnet(t)
	g := s.Graph
	tree := route.SpanningTree{Up: make([]int32, g.NumSwitches)}
	for sw := range tree.Up {
		tree.Up[sw] = route.Outside
	}
	c := g.OutOf(0)[0]
	tree.Root, tree.Up[0], tree.Up[g.To[c]] = g.To[c], c, fabric.Nothing
	s.Plan.Multicast = &route.Multicast{Trees: []route.SpanningTree{tree}}
	s.Ports = slices.Clone(s.Ports)
	for i := range s.Ports {
		p := &s.Ports[i]
		mad.PortInfoNeighborMTU.Put(p.Info[:], 5)
		if s.Nodes[p.Node].Sw == 0 && p.Num == g.FromPort[c] {
			mad.PortInfoNeighborMTU.Put(p.Info[:], 3)
		}
	}
	s.measure()
	r := Responder{Groups: newTestGroups(s)}
	make := func(mask uint64, mtu uint64) mad.Datagram {
		rec := memberRecord(s, 0, [16]byte{}, mad.JoinFull)
		mad.MCMemberRecordMtuSelector.Put(rec, mad.SelectExactly)
		mad.MCMemberRecordMtu.Put(rec, mtu)
		return r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin|memberToMake|mask, rec))
	}
	if a := make(0, 0); a.Status() != mad.StatusOK || mad.MCMemberRecordMtu.Get(a.Data()) != 3 {
		t.Errorf("no MTU requested: %v", a)
	}
	if a := make(memberMTUSel|memberMTU, 4); a.Status() != mad.StatusRequestInvalid {
		t.Errorf("an MTU beyond a cable of the tree: %v", a)
	}
}

// TestRefusals: what a request must not ask.
func TestRefusals(t *testing.T) {
	s := groupSubnet(t)
	all := memberToJoin | memberToMake
	for what, c := range map[string]struct {
		method mad.Method
		mask   uint64
		change func(rec []byte)
		want   mad.Status
	}{
		"no port":             {mad.Set, all &^ memberPort, nil, mad.StatusInsufficientComponents},
		"no Q_Key":            {mad.Set, all &^ memberQKey, nil, mad.StatusInsufficientComponents},
		"no state":            {mad.Set, all, func(rec []byte) { mad.MCMemberRecordJoinState.Put(rec, 0) }, mad.StatusRequestInvalid},
		"no full member":      {mad.Set, all, func(rec []byte) { mad.MCMemberRecordJoinState.Put(rec, mad.JoinNon) }, mad.StatusRequestInvalid},
		"a stranger":          {mad.Set, all, func(rec []byte) { rec[31] ^= 0x55 }, mad.StatusInvalidGID},
		"no MGID":             {mad.Set, all, func(rec []byte) { rec[0] = 0xFE }, mad.StatusRequestInvalid},
		"another partition":   {mad.Set, all, func(rec []byte) { mad.MCMemberRecordPKey.Put(rec, 0x8001) }, mad.StatusRequestInvalid},
		"MTU of 8192":         {mad.Set, all | memberMTU, func(rec []byte) { mad.MCMemberRecordMtu.Put(rec, 6) }, mad.StatusRequestInvalid},
		"a rate of 800":       {mad.Set, all | memberRate, func(rec []byte) { mad.MCMemberRecordRate.Put(rec, 21) }, mad.StatusRequestInvalid},
		"another hop limit":   {mad.Set, memberToJoin | memberHop, func(rec []byte) { copy(rec, broadcast.MGID[:]); mad.MCMemberRecordHopLimit.Put(rec, 3) }, mad.StatusRequestInvalid},
		"a sender's group":    {mad.Set, all, func(rec []byte) { mad.MCMemberRecordJoinState.Put(rec, mad.JoinSendOnlyFull) }, mad.StatusOK},
		"an IPoIB MGID":       {mad.Set, all, func(rec []byte) { copy(rec, []byte{0xFF, 0x12, 0x40, 0x1B, 0x80, 1}) }, mad.StatusRequestInvalid},
		"to leave no group":   {mad.Delete, memberToJoin, nil, mad.StatusRequestInvalid},
		"what is as it ought": {mad.Set, all, nil, mad.StatusOK},
	} {
		r := Responder{Groups: newTestGroups(s)}
		rec := memberRecord(s, 0, [16]byte{0xFF, 0x12, 15: 9}, mad.JoinFull)
		if c.change != nil {
			c.change(rec)
		}
		if got := r.Answer(s, ask(c.method, mad.AttrMCMemberRecord, c.mask, rec)).Status(); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}

// TestJoinsAndLeaves: after any joins, leaves and lost ports, members are those of a list that is
// kept dumbly. Each group keeps its MLID, which it shares only if no other is left, and MLIDs of
// deleted groups can be used again: none is lost.
func TestJoinsAndLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := groupSubnet(t)
		for i := range s.Nodes {
			if s.Nodes[i].Switch != nil {
				mad.SwitchInfoMulticastFDBCap.Put(s.Nodes[i].Switch, 5)
			}
		}
		r := Responder{Groups: newTestGroups(s)}
		type key struct {
			group byte
			end   int32
		}
		want := map[key]uint8{}
		mlids := map[byte]uint64{}
		full := func(group byte) bool {
			for k, state := range want {
				if k.group == group && state&(mad.JoinFull|mad.JoinSendOnlyFull) != 0 {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := key{byte(rapid.IntRange(1, 8).Draw(t, "group")), int32(rapid.IntRange(0, 3).Draw(t, "end"))}
			state := uint8(rapid.IntRange(1, 15).Draw(t, "state"))
			rec := memberRecord(s, k.end, [16]byte{0xFF, 0x12, 15: k.group}, state)
			there := full(k.group)
			status, a := mad.StatusOK, mad.Datagram(nil)
			if rapid.Bool().Draw(t, "join") {
				switch {
				case there:
				case state&(mad.JoinFull|mad.JoinSendOnlyFull) == 0:
					status = mad.StatusRequestInvalid
				}
				a = r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin|memberToMake, rec))
				if status == mad.StatusOK {
					want[k] |= state
				}
			} else {
				if !there || state&^want[k] != 0 {
					status = mad.StatusRequestInvalid
				}
				a = r.Answer(s, ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, rec))
				if status == mad.StatusOK {
					if want[k] &^= state; want[k] == 0 {
						delete(want, k)
					}
				}
			}
			if a.Status() != status {
				t.Fatalf("%+v, state %d: %v, want %v; %v", k, state, a.Status(), status, want)
			}
			if status != mad.StatusOK {
				continue
			}
			if got := uint8(mad.MCMemberRecordJoinState.Get(a.Data())); full(k.group) && got != want[k] || !full(k.group) && got != 0 {
				t.Fatalf("%+v, state %d: it is told that it has state %d; %v", k, state, got, want)
			}
			mlid := mad.MCMemberRecordMLID.Get(a.Data())
			others := map[uint64]bool{}
			for group, other := range mlids {
				if group == k.group && other != mlid {
					t.Fatalf("group %d had MLID 0x%X, now 0x%X", group, other, mlid)
				}
				others[other] = true
			}
			if mlid == uint64(fabric.FirstMLID) || !there && others[mlid] && len(others) < 4 { // the fifth MLID is that of the broadcast group
				t.Fatalf("new group %d has MLID 0x%X; others have %v", k.group, mlid, others)
			}
			if mlids[k.group] = mlid; !full(k.group) {
				delete(mlids, k.group)
				for other := range want {
					if other.group == k.group {
						delete(want, other)
					}
				}
			}
		}
		n := 0
		r.Groups.All(func(g *Group) {
			for _, m := range g.Members {
				n++
				if want[key{g.MGID[15], s.endOfGUID(fabric.GUID(binary.BigEndian.Uint64(m.GID[8:])))}] != m.State {
					t.Fatalf("group %d has %+v; want %v", g.MGID[15], m, want)
				}
			}
		})
		if n != len(want) || n != r.Groups.members {
			t.Fatalf("%d members, %d counted, want %d", n, r.Groups.members, len(want))
		}
	})
}

// TestProxy: a port that was joined by another one can be taken out by others until it has joined
// itself.
func TestProxy(t *testing.T) {
	s := groupSubnet(t)
	r := Responder{Groups: newTestGroups(s)}
	join := func(method mad.Method, asks int32) mad.Status {
		r.Asks = s.Plan.Ends.Base[asks]
		return r.Answer(s, ask(method, mad.AttrMCMemberRecord, memberToJoin, memberRecord(s, 0, broadcast.MGID, mad.JoinFull))).Status()
	}
	for i, step := range []struct {
		method mad.Method
		asks   int32
		want   mad.Status
	}{
		{mad.Set, 1, mad.StatusOK},
		{mad.Delete, 2, mad.StatusOK},
		{mad.Set, 2, mad.StatusOK},
		{mad.Set, 0, mad.StatusOK},
		{mad.Delete, 1, mad.StatusRequestInvalid},
		{mad.Set, 1, mad.StatusRequestInvalid},
		{mad.Delete, 0, mad.StatusOK},
		{mad.Delete, 0, mad.StatusRequestInvalid},
	} {
		if got := join(step.method, step.asks); got != step.want {
			t.Errorf("step %d: %v of %d for port 0: %v, want %v", i, step.method, step.asks, got, step.want)
		}
	}
}

// FuzzMembers: any request about groups is answered or dropped, and leaves the groups as they must
// be.
func FuzzMembers(f *testing.F) {
	s := groupSubnet(f)
	f.Add([]byte(ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin|memberToMake, memberRecord(s, 1, [16]byte{0xFF, 0x12, 15: 1}, mad.JoinFull))), uint16(1))
	f.Add([]byte(ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, memberRecord(s, 1, broadcast.MGID, mad.JoinFull))), uint16(2))
	f.Add([]byte(ask(mad.GetTable, mad.AttrMCMemberRecord, memberMTUSel|memberMTU, memberRecord(s, 1, broadcast.MGID, 0))), uint16(0))
	f.Fuzz(func(t *testing.T, q []byte, from uint16) {
		r := Responder{Groups: newTestGroups(s), Asks: fabric.LID(from)}
		for range 2 {
			if a := r.Answer(s, q); a != nil {
				if err := mad.Check(a); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.Groups.All(func(g *Group) {
			if r.Groups.Find(g.MGID[:]) != g || g.MLID < fabric.FirstMLID || !g.Standing && !g.hasFull() {
				t.Fatalf("%+v", g)
			}
		})
	})
}

// TestGroupsOfPartitions: only members of its partition join a group, or are told of it; a port
// that is no member any more is taken out.
func TestGroupsOfPartitions(t *testing.T) {
	s := groupSubnet(t)
	s.Keys = make([][]uint16, s.Graph.NumEnds)
	for e := range s.Keys {
		s.Keys[e] = []uint16{mad.DefaultPKey}
	}
	s.Keys[0], s.Keys[1] = []uint16{mad.DefaultPKey, 0x0010}, []uint16{mad.DefaultPKey, 0x8010}
	group := Standing{MGID: IPoIBBroadcast(0x10, 2), PKey: 0x8010, QKey: 1, MTU: 4, Rate: 3}
	gs := NewGroups(share.Rule{})
	gs.Follow(s, []Standing{broadcast, group})
	r := Responder{Groups: gs}
	for end, want := range []mad.Status{mad.StatusOK, mad.StatusOK, mad.StatusRequestInvalid} {
		r.Asks = s.Plan.Ends.Base[end]
		rec := memberRecord(s, int32(end), group.MGID, mad.JoinFull)
		if got := r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin, rec)).Status(); got != want {
			t.Errorf("port %d joins: %v, want %v", end, got, want)
		}
		q := ask(mad.GetTable, mad.AttrMCMemberRecord, memberMGID, rec)
		mad.SAHeaderSMKey.Put(q, 0)
		if told := len(recordsOf(t, r.Answer(s, q))); (told == 1) != (want == mad.StatusOK) {
			t.Errorf("port %d is told of %d groups", end, told)
		}
	}
	now := *s
	now.Keys = append([][]uint16{{mad.DefaultPKey}}, s.Keys[1:]...)
	gs.Follow(&now, []Standing{broadcast, group})
	if n := len(gs.Find(group.MGID[:]).Members); n != 1 {
		t.Errorf("%d members are left", n)
	}
	gs.Follow(&now, []Standing{broadcast})
	if g := gs.Find(group.MGID[:]); g == nil || g.Standing {
		t.Errorf("a group that has a full member is gone, or stands still: %+v", g)
	}
}
