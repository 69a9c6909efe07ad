package sa

import (
	"encoding/binary"
	"slices"
	"sync"

	"weft/fabric"
	"weft/wire/mad"
)

// The bits of the ComponentMask of an MCMemberRecord.
var (
	memberMGID      = mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID)
	memberPort      = mad.MCMemberRecord.Mask(mad.MCMemberRecordPortGID)
	memberQKey      = mad.MCMemberRecord.Mask(mad.MCMemberRecordQKey)
	memberMLID      = mad.MCMemberRecord.Mask(mad.MCMemberRecordMLID)
	memberMTUSel    = mad.MCMemberRecord.Mask(mad.MCMemberRecordMtuSelector)
	memberMTU       = mad.MCMemberRecord.Mask(mad.MCMemberRecordMtu)
	memberTClass    = mad.MCMemberRecord.Mask(mad.MCMemberRecordTClass)
	memberPKey      = mad.MCMemberRecord.Mask(mad.MCMemberRecordPKey)
	memberRateSel   = mad.MCMemberRecord.Mask(mad.MCMemberRecordRateSelector)
	memberRate      = mad.MCMemberRecord.Mask(mad.MCMemberRecordRate)
	memberLifeSel   = mad.MCMemberRecord.Mask(mad.MCMemberRecordPacketLifeTimeSelector)
	memberLife      = mad.MCMemberRecord.Mask(mad.MCMemberRecordPacketLifeTime)
	memberSL        = mad.MCMemberRecord.Mask(mad.MCMemberRecordSL)
	memberFlow      = mad.MCMemberRecord.Mask(mad.MCMemberRecordFlowLabel)
	memberHop       = mad.MCMemberRecord.Mask(mad.MCMemberRecordHopLimit)
	memberScope     = mad.MCMemberRecord.Mask(mad.MCMemberRecordScope)
	memberJoin      = mad.MCMemberRecord.Mask(mad.MCMemberRecordJoinState)
	memberToJoin    = memberMGID | memberPort | memberJoin
	memberToMake    = memberQKey | memberPKey | memberSL | memberFlow | memberTClass
	memberToMakeAny = memberPort | memberJoin
)

// memberQuery is a request about a group.
type memberQuery struct {
	mask       uint64
	rec        []byte // of the request
	mgid, port []byte
	state      uint8
	end        int32       // of the port to join
	proxy      bool        // another node asks for the port
	by         fabric.GUID // the port that answers for the membership; 0: unknown
	groupLimits
}

// groupLimits holds a request's bounds on the MTU, rate (by rank) and life time of a group.
type groupLimits struct{ mtu, rate, life limit }

// limitsOf decodes the limits of a record.
func limitsOf(mask uint64, rec []byte) groupLimits {
	return groupLimits{
		limitOf(mask, memberMTUSel, memberMTU, uint8(mad.MCMemberRecordMtuSelector.Get(rec)), uint8(mad.MCMemberRecordMtu.Get(rec))),
		limitOf(mask, memberRateSel, memberRate, uint8(mad.MCMemberRecordRateSelector.Get(rec)), rankOf(uint8(mad.MCMemberRecordRate.Get(rec)))),
		limitOf(mask, memberLifeSel, memberLife, uint8(mad.MCMemberRecordPacketLifeTimeSelector.Get(rec)), uint8(mad.MCMemberRecordPacketLifeTime.Get(rec))),
	}
}

// allow reports whether a group is within the limits.
func (l *groupLimits) allow(g *Group) bool {
	return l.mtu.holds(g.MTU) && l.rate.holds(rankOf(g.Rate)) && l.life.holds(g.Life)
}

// readMember decodes a request to join or leave.
func (r *Responder) readMember(s *Subnet, q mad.Datagram) (m memberQuery, status mad.Status) {
	rec, mask := q.Data(), mad.SAHeaderComponentMask.Get(q)
	m = memberQuery{mask: mask, rec: rec, mgid: rec[:16], port: slices.Clone(rec[16:32]), state: uint8(mad.MCMemberRecordJoinState.Get(rec))}
	m.groupLimits = limitsOf(mask, rec)
	if mask&memberToMakeAny != memberToMakeAny || q.Method() == mad.Delete && mask&memberMGID == 0 {
		return m, mad.StatusInsufficientComponents
	}
	if m.state == 0 {
		return m, mad.StatusRequestInvalid
	}
	if m.end = s.endOfGID(m.port); m.end < 0 {
		return m, mad.StatusInvalidGID
	}
	s.toOwn(m.port)
	// A LID that weft has not assigned may be anybody's.
	m.by = s.Graph.EndGUID[m.end]
	switch asks := s.endOfLID(r.Asks); {
	case r.Asks == 0:
	case asks < 0:
		m.proxy, m.by = true, 0
	case s.Graph.EndNode[asks] != s.Graph.EndNode[m.end]:
		m.proxy, m.by = true, s.Graph.EndGUID[asks]
	}
	return m, mad.StatusOK
}

// join answers a Set of an MCMemberRecord: a port joins a group, which is created if necessary.
func (r *Responder) join(s *Subnet, q mad.Datagram) mad.Datagram {
	m, status := r.readMember(s, q)
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	var g *Group
	if m.mask&memberMGID != 0 && !allZero(m.mgid) {
		g = r.Groups.Find(m.mgid)
	}
	switch {
	case s.Plan.Multicast == nil, !r.Groups.room(g, &m):
		status = mad.StatusNoResources
	case g == nil:
		g, status = r.makeGroup(s, &m)
	default:
		status = m.fits(s, g)
	}
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	return r.answerMember(q, g, *r.Groups.join(g, m.port, m.state, m.proxy, m.by))
}

// room reports whether a port may join a group, or create one if g is nil. A member may always
// change its state.
func (gs *Groups) room(g *Group, m *memberQuery) bool {
	if g != nil {
		if _, is := g.find(m.port); is {
			return true
		}
	}
	held := gs.held[m.by]
	if !gs.rule.Allows(held, gs.members, mostMembers) {
		return gs.refuse(OverShare{MemberPlace, m.by, held, gs.members, mostMembers})
	}
	if g == nil && !gs.rule.Allows(held, len(gs.byGID), mostGroups) {
		return gs.refuse(OverShare{GroupPlace, m.by, held, len(gs.byGID), mostGroups})
	}
	return true
}

// refuse reports that a port gets no more than its share. It returns false.
func (gs *Groups) refuse(o OverShare) bool {
	if gs.Refused != nil {
		gs.Refused(o)
	}
	return false
}

// fits returns StatusOK if a port can join a group with the requested values.
func (m *memberQuery) fits(s *Subnet, g *Group) mad.Status {
	at, is := g.find(m.port)
	for _, f := range [...]struct {
		bit       uint64
		asks, has uint64
	}{
		{memberQKey, mad.MCMemberRecordQKey.Get(m.rec), uint64(g.QKey)},
		{memberPKey, mad.MCMemberRecordPKey.Get(m.rec) &^ mad.PKeyFull, uint64(g.PKey &^ mad.PKeyFull)},
		{memberTClass, mad.MCMemberRecordTClass.Get(m.rec), uint64(g.TClass)},
		{memberFlow, mad.MCMemberRecordFlowLabel.Get(m.rec), uint64(g.FlowLabel)},
		{memberHop, mad.MCMemberRecordHopLimit.Get(m.rec), uint64(g.HopLimit)},
		{memberSL, mad.MCMemberRecordSL.Get(m.rec), uint64(g.SL)},
		{memberMLID, mad.MCMemberRecordMLID.Get(m.rec), uint64(g.MLID)},
	} {
		if m.mask&f.bit != 0 && f.asks != f.has {
			return mad.StatusRequestInvalid
		}
	}
	mtu, rank := s.endMTU[m.end], s.endRank[m.end]
	switch {
	case is && !g.Members[at].Proxy && m.proxy: // only the port itself may change its own join
		return mad.StatusRequestInvalid
	case !s.shares(m.end, g.PKey):
		return mad.StatusRequestInvalid
	case g.MTU > mtu || rankOf(g.Rate) > rank:
		return mad.StatusRequestInvalid
	case !m.allow(g):
		return mad.StatusRequestInvalid
	}
	return mad.StatusOK
}

// The maximum values of a new group. Without a requested MTU or rate it gets the port's maximum.
// Its MTU is never larger than that of any cable of the trees: switches drop larger packets.
const (
	mostMTU  = 5 // 4096 bytes
	mostLife = 63
)

// makeGroup creates the group that a port asks for.
func (r *Responder) makeGroup(s *Subnet, m *memberQuery) (*Group, mad.Status) {
	if m.mask&memberToMake != memberToMake {
		return nil, mad.StatusInsufficientComponents
	}
	if m.state&keepsGroup == 0 {
		return nil, mad.StatusRequestInvalid
	}
	rec := m.rec
	g := &Group{
		QKey: uint32(mad.MCMemberRecordQKey.Get(rec)), PKey: uint16(mad.MCMemberRecordPKey.Get(rec)), TClass: uint8(mad.MCMemberRecordTClass.Get(rec)),
		FlowLabel: uint32(mad.MCMemberRecordFlowLabel.Get(rec)), SL: uint8(mad.MCMemberRecordSL.Get(rec)), Life: s.Timeout,
	}
	if m.mask&memberHop != 0 {
		g.HopLimit = uint8(mad.MCMemberRecordHopLimit.Get(rec))
	}
	mtu, fits := m.mtu.atMost(min(s.endMTU[m.end], s.treeMTU, mostMTU))
	rank, fast := m.rate.atMost(min(s.endRank[m.end], uint8(len(codeByRank)-1)))
	life, lives := m.life.atLeast(g.Life)
	if !fits || !fast || !lives || mtu < leastMTU || mtu > mostMTU || rank == 0 || !s.shares(m.end, g.PKey) || g.PKey&^mad.PKeyFull == 0 || s.groupSL(g.SL) != g.SL {
		return nil, mad.StatusRequestInvalid
	}
	g.MTU, g.Rate, g.Life = mtu, codeByRank[rank], life
	if m.mask&memberMGID == 0 || allZero(m.mgid) {
		r.Groups.madeMGID(s, g, m)
	} else {
		copy(g.MGID[:], m.mgid)
	}
	if !g.mayBeMade(m) {
		return nil, mad.StatusRequestInvalid
	}
	if gs := r.Groups; !gs.add(g, m.by) {
		gs.refuse(OverShare{GroupPlace, m.by, gs.held[m.by], gs.used, gs.most})
		return nil, mad.StatusNoResources
	}
	return g, mad.StatusOK
}

// The signatures of assigned MGIDs.
const (
	signatureIPv4 = 0x401B
	signatureIPv6 = 0x601B
	signatureMade = 0xA01B // by subnet administration
)

// linkLocal is the scope of a single subnet.
const linkLocal = 2

// madeMGID assigns an unused MGID to a group.
func (gs *Groups) madeMGID(s *Subnet, g *Group, m *memberQuery) {
	scope := uint8(linkLocal)
	if m.mask&memberScope != 0 {
		scope = uint8(mad.MCMemberRecordScope.Get(m.rec))
	}
	g.MGID = [16]byte{0xFF, 0x10 | scope, signatureMade >> 8, signatureMade & 0xFF}
	if len(s.Managers) > 0 && s.Managers[0].End >= 0 {
		binary.BigEndian.PutUint64(g.MGID[4:], uint64(s.Graph.EndGUID[s.Managers[0].End]))
	}
	for used := true; used; used = gs.byGID[g.MGID] != nil {
		gs.made++
		binary.BigEndian.PutUint32(g.MGID[12:], gs.made)
	}
}

// mayBeMade reports whether an MGID is valid (4.1.1) and fits its partition.
func (g *Group) mayBeMade(m *memberQuery) bool {
	signature := binary.BigEndian.Uint16(g.MGID[2:])
	asked := m.mask&memberMGID != 0 && !allZero(m.mgid)
	switch {
	case g.MGID[0] != 0xFF, g.MGID[1]>>4&^1 != 0, g.scope() == 0: // reserved flags; hosts do use the reserved scope 15
		return false
	case asked && signature == signatureMade && g.scope() == linkLocal:
		return false
	case signature == signatureIPv4 || signature == signatureIPv6:
		return binary.BigEndian.Uint16(g.MGID[4:])|mad.PKeyFull == g.PKey|mad.PKeyFull
	}
	return true
}

// atLeast returns the life time of a group whose minimum is least; false if the limit excludes it.
func (l limit) atLeast(least uint8) (uint8, bool) {
	switch {
	case !l.on, l.selector == mad.SelectLargest: // the smallest one
		return least, true
	case l.selector == mad.SelectGreater:
		return max(least, l.value+1), l.value < mostLife
	case l.selector == mad.SelectLess:
		return least, least < l.value
	default:
		return l.value, true
	}
}

// leave answers a Delete of an MCMemberRecord.
func (r *Responder) leave(s *Subnet, q mad.Datagram) mad.Datagram {
	m, status := r.readMember(s, q)
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	g := r.Groups.Find(m.mgid)
	if g == nil {
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	at, is := g.find(m.port)
	if !is || m.state&^g.Members[at].State != 0 || m.proxy && !g.Members[at].Proxy {
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	left := g.Members[at]
	left.State &^= m.state
	r.Groups.leave(g, at, m.state)
	if r.Groups.Find(m.mgid) == nil { // deleted, with all its members
		left.State = 0
	}
	return r.answerMember(q, g, left)
}

// answerMember answers with a member's record.
func (r *Responder) answerMember(q mad.Datagram, g *Group, m Member) mad.Datagram {
	r.memory = append(r.memory[:0], q[:mad.Size]...)
	a := mad.Datagram(r.memory)
	a.PutNoRMPP()
	a.Answer(mad.StatusOK)
	rec := a.Data()[:mad.MCMemberRecord.RecordSize()]
	clear(rec)
	g.put(rec, &m)
	mad.SAHeaderAttributeOffset.Put(a, uint64(mad.MCMemberRecord.RecordSize()/8))
	return a
}

// put writes the record of a member, or of the group if m is nil.
func (g *Group) put(rec []byte, m *Member) {
	copy(rec, g.MGID[:])
	mad.MCMemberRecordQKey.Put(rec, uint64(g.QKey))
	mad.MCMemberRecordMLID.Put(rec, uint64(g.MLID))
	mad.MCMemberRecordMtuSelector.Put(rec, mad.SelectExactly)
	mad.MCMemberRecordMtu.Put(rec, uint64(g.MTU))
	mad.MCMemberRecordTClass.Put(rec, uint64(g.TClass))
	mad.MCMemberRecordPKey.Put(rec, uint64(g.PKey))
	mad.MCMemberRecordRateSelector.Put(rec, mad.SelectExactly)
	mad.MCMemberRecordRate.Put(rec, uint64(g.Rate))
	mad.MCMemberRecordPacketLifeTimeSelector.Put(rec, mad.SelectExactly)
	mad.MCMemberRecordPacketLifeTime.Put(rec, uint64(g.Life))
	mad.MCMemberRecordSL.Put(rec, uint64(g.SL))
	mad.MCMemberRecordFlowLabel.Put(rec, uint64(g.FlowLabel))
	mad.MCMemberRecordHopLimit.Put(rec, uint64(g.HopLimit))
	mad.MCMemberRecordScope.Put(rec, uint64(g.scope()))
	if m == nil {
		return
	}
	copy(rec[16:], m.GID[:])
	mad.MCMemberRecordJoinState.Put(rec, uint64(m.State))
	if m.Proxy {
		mad.MCMemberRecordProxyJoin.Put(rec, 1)
	}
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// members answers a query for groups and members. Trusted requesters see all members; others see
// only the groups, or the members of a port that they name.
func (r *Responder) members(s *Subnet, q mad.Datagram) mad.Datagram {
	c := r.open(q, mad.MCMemberRecord.RecordSize())
	c.begin(s, memberKind(), q, nil)
	for _, at := range [...]int{38, 42, 43} { // values with a selector are matched by want
		c.care[at], c.want[at] = 0, 0
	}
	s.toOwn(c.want[16:32])
	mask := mad.SAHeaderComponentMask.Get(q)
	want := limitsOf(mask, q.Data())
	asks := s.endOfLID(r.Asks)
	offer := func(g *Group, m *Member) {
		g.put(c.record(), m)
		c.offer()
	}
	r.Groups.All(func(g *Group) {
		switch {
		case c.done() || !c.trusted && asks >= 0 && !s.shares(asks, g.PKey) || !want.allow(g):
		case c.trusted:
			for i := range g.Members {
				offer(g, &g.Members[i])
			}
		case mask&memberPort != 0:
			if at, is := g.find(c.want[16:32]); is {
				offer(g, &g.Members[at])
			}
		default:
			offer(g, nil)
		}
	})
	return r.close(q)
}

// memberKind returns the kind of MCMemberRecords.
var memberKind = sync.OnceValue(func() *kind {
	k := &kind{attr: mad.AttrMCMemberRecord, layout: mad.MCMemberRecord}
	k.findMasks(k.layout, 0)
	return k
})
