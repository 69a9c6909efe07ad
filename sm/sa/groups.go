package sa

import (
	"bytes"
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/internal/share"
	"weft/wire/mad"
)

// Bounds of groups and members.
const (
	mostGroups  = 1 << 16
	mostMembers = 1 << 20 // in all groups
)

// Groups holds the multicast groups of a subnet. Joins and leaves change them; Follow removes
// members whose ports are gone. It is not for concurrent use, and holds no pointers into a Subnet.
type Groups struct {
	byGID   map[[16]byte]*Group
	byMLID  []mlidUse           // by MLID - fabric.FirstMLID
	free    []fabric.LID        // freed MLIDs, longest free first
	most    int                 // number of MLIDs that all switches support
	used    int                 // number of MLIDs that groups have
	at      int                 // index of the MLID that partner compared last
	members int                 // in all groups
	held    map[fabric.GUID]int // number of members that a port answers for, without those of permanent groups
	rule    share.Rule          // of one port
	made    uint32              // number of MGIDs assigned here
	changed bool                // members have changed since the last Changed
	unsaved map[string]bool     // keys of entries changed since the last Changes

	Aliases *Aliases // of ports that join under them; nil: none

	// Told is called when a group has been created or deleted (traps 66 and 67), unless nil.
	Told func(g *Group, created bool)
	// Refused is called when a port gets no more than its share, unless nil.
	Refused func(OverShare)
}

// Group is a multicast group.
type Group struct {
	MGID      [16]byte
	MLID      fabric.LID
	QKey      uint32
	PKey      uint16
	MTU, Rate uint8 // codes
	Life      uint8
	SL        uint8
	TClass    uint8
	FlowLabel uint32
	HopLimit  uint8
	Standing  bool     // permanent: it exists without members too
	Members   []Member // by GID
}

// Member is a port that has joined a group.
type Member struct {
	GID   [16]byte
	State uint8       // mad.JoinFull ...
	Proxy bool        // another port has joined for it
	By    fabric.GUID // the port that answers for it: itself, or with Proxy the one that asked; 0: unknown
}

// port returns the GUID of a member.
func (m *Member) port() fabric.GUID { return fabric.GUID(binary.BigEndian.Uint64(m.GID[8:])) }

// scope returns the scope in the group's MGID.
func (g *Group) scope() uint8 { return g.MGID[1] & 15 }

// find returns the index of a member, or where to insert it.
func (g *Group) find(gid []byte) (int, bool) {
	return slices.BinarySearchFunc(g.Members, gid, func(m Member, gid []byte) int { return bytes.Compare(m.GID[:], gid) })
}

// HasMember reports whether a GID has joined any group.
func (gs *Groups) HasMember(gid [16]byte) bool {
	for _, g := range gs.byGID {
		if _, is := g.find(gid[:]); is {
			return true
		}
	}
	return false
}

// keepsGroup has the join states that create and keep a group: full members, also send-only ones.
const keepsGroup = mad.JoinFull | mad.JoinSendOnlyFull

// hasFull reports whether a full member is left.
func (g *Group) hasFull() bool {
	return slices.ContainsFunc(g.Members, func(m Member) bool { return m.State&keepsGroup != 0 })
}

// NewGroups returns an empty set of groups. rule is the share of one port.
func NewGroups(rule share.Rule) *Groups {
	return &Groups{byGID: map[[16]byte]*Group{}, unsaved: map[string]bool{}, held: map[fabric.GUID]int{}, rule: rule}
}

// Find returns the group with an MGID, nil for none.
func (gs *Groups) Find(mgid []byte) *Group { return gs.byGID[[16]byte(mgid)] }

// All visits the groups by MLID and MGID.
func (gs *Groups) All(visit func(g *Group)) {
	for i := range gs.byMLID {
		for _, g := range gs.byMLID[i].groups {
			visit(g)
		}
	}
}

// Changed reports whether members have changed since its last call.
func (gs *Groups) Changed() bool {
	c := gs.changed
	gs.changed = false
	return c
}

// hold adds n to the number of members that a port answers for. Permanent groups do not count.
func (gs *Groups) hold(g *Group, by fabric.GUID, n int) {
	if g.Standing {
		return
	}
	if gs.held[by] += n; gs.held[by] == 0 {
		delete(gs.held, by)
	}
}

// add assigns an MLID to a group of a port and adds it; false if none is left.
func (gs *Groups) add(g *Group, by fabric.GUID) bool {
	lid, ok := gs.mlidFor(g, by)
	if !ok {
		return false
	}
	g.MLID = lid
	gs.byGID[g.MGID] = g
	gs.use(g)
	gs.changed, gs.unsaved[g.key()] = true, true
	if gs.Told != nil {
		gs.Told(g, true)
	}
	return true
}

// remove deletes a group.
func (gs *Groups) remove(g *Group) {
	delete(gs.byGID, g.MGID)
	gs.unuse(g)
	gs.members -= len(g.Members)
	gs.changed, gs.unsaved[g.key()] = true, true
	for i := range g.Members {
		gs.hold(g, g.Members[i].By, -1)
		gs.unsaved[g.memberKey(&g.Members[i])] = true
	}
	if gs.Told != nil {
		gs.Told(g, false)
	}
}

// join adds a join state to a member, or adds the member. by answers for a new one.
func (gs *Groups) join(g *Group, gid []byte, state uint8, proxy bool, by fabric.GUID) *Member {
	at, is := g.find(gid)
	if !is {
		g.Members = slices.Insert(g.Members, at, Member{GID: [16]byte(gid), Proxy: proxy, By: by})
		gs.count(g, by, 1)
	}
	m := &g.Members[at]
	own := m.Proxy && !proxy // from now on only the port itself may leave
	if m.State|state != m.State || own {
		gs.changed, gs.unsaved[g.memberKey(m)] = true, true
	}
	if own {
		gs.hold(g, m.By, -1)
		gs.hold(g, by, 1)
		m.By = by
	}
	m.State |= state
	m.Proxy = m.Proxy && proxy
	return m
}

// count adds n to the numbers of members: of all groups, of the MLID's groups, and of a port.
func (gs *Groups) count(g *Group, by fabric.GUID, n int) {
	gs.members += n
	gs.of(g).members += n
	gs.hold(g, by, n)
}

// leave removes a join state from a member, and deletes a group without full members.
func (gs *Groups) leave(g *Group, at int, state uint8) {
	m := &g.Members[at]
	if m.State&state != 0 {
		gs.changed, gs.unsaved[g.memberKey(m)] = true, true
	}
	if m.State &^= state; m.State == 0 {
		gs.count(g, m.By, -1)
		g.Members = slices.Delete(g.Members, at, at+1)
	}
	if !g.Standing && !g.hasFull() {
		gs.remove(g)
	}
}

// Standing is a permanent group.
type Standing struct {
	MGID      [16]byte
	QKey      uint32
	PKey      uint16
	MTU, Rate uint8
	SL        uint8 // used unless groups have a VL of their own
	TClass    uint8
	FlowLabel uint32
}

// IPoIBBroadcast returns the MGID of a partition's broadcast group (RFC 4391) in a scope.
func IPoIBBroadcast(pkey uint16, scope uint8) (mgid [16]byte) {
	copy(mgid[:], []byte{0xFF, 0x10 | scope, signatureIPv4 >> 8, signatureIPv4 & 0xFF})
	binary.BigEndian.PutUint16(mgid[4:], pkey|mad.PKeyFull)
	copy(mgid[12:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
	return mgid
}

// InPartition returns an MGID with the P_Key inserted, if it is one of IP.
func InPartition(mgid [16]byte, pkey uint16) [16]byte {
	if signature := binary.BigEndian.Uint16(mgid[2:]); signature == signatureIPv4 || signature == signatureIPv6 {
		binary.BigEndian.PutUint16(mgid[4:], pkey|mad.PKeyFull)
	}
	return mgid
}

// UsualGroupMTU is the MTU code of a permanent group that has none: 2,048 bytes.
const UsualGroupMTU = 4

// Follow creates or updates the permanent groups, with no larger MTU than the cables of the trees
// carry, removes members whose ports are gone, and deletes groups without full members.
func (gs *Groups) Follow(s *Subnet, standing []Standing) {
	gs.most = s.mlids()
	for i := range standing {
		gs.followStanding(s, &standing[i])
	}
	var all []*Group
	gs.All(func(g *Group) { all = append(all, g) })
	for _, g := range all {
		if sl := s.groupSL(g.SL); sl != g.SL {
			g.SL, gs.unsaved[g.key()] = sl, true
		}
		gs.stand(g, slices.ContainsFunc(standing, func(st Standing) bool { return st.MGID == g.MGID }))
		g.Members = slices.DeleteFunc(g.Members, func(m Member) bool {
			end := s.endOfGID(m.GID[:])
			gone := end < 0 || !s.shares(end, g.PKey)
			if gone {
				gs.changed, gs.unsaved[g.memberKey(&m)] = true, true
				gs.count(g, m.By, -1)
			}
			return gone
		})
		gs.of(g).follow()
		if !g.Standing && (!g.hasFull() || int(g.MLID-fabric.FirstMLID) >= gs.most) {
			gs.remove(g)
		}
	}
}

// followStanding creates or updates a permanent group.
func (gs *Groups) followStanding(s *Subnet, st *Standing) {
	g := gs.byGID[st.MGID]
	is := g != nil
	if !is {
		g = &Group{MGID: st.MGID, Life: s.Timeout, Standing: true}
	}
	was := *g
	g.QKey, g.PKey, g.MTU, g.Rate, g.SL, g.TClass, g.FlowLabel = st.QKey, st.PKey, min(st.MTU, s.treeMTU), st.Rate, s.groupSL(st.SL), st.TClass, st.FlowLabel
	if is && !g.sameAs(&was) {
		gs.unsaved[g.key()] = true
	}
	if !is {
		gs.add(g, 0)
	}
}

// stand makes a group permanent, or ends that. Its members then no longer count for their ports, or
// do so again.
func (gs *Groups) stand(g *Group, is bool) {
	if g.Standing == is {
		return
	}
	for i := range g.Members {
		gs.hold(g, g.Members[i].By, -1)
	}
	g.Standing = is
	for i := range g.Members {
		gs.hold(g, g.Members[i].By, 1)
	}
}

// groupSL returns the SL of a group that asks for sl: the SL of the trees, which the judge has
// proven, or sl itself if a Plan with one lane treats both alike.
func (s *Subnet) groupSL(sl uint8) uint8 {
	trees, lanes := s.Plan.Multicast, s.Plan.SL2VL
	switch {
	case trees == nil:
		return sl
	case s.Plan.VLs > 1:
		return trees.SL
	case lanes != nil:
		for i := range lanes.Pool {
			if lanes.Pool[i][sl&15] != lanes.Pool[i][trees.SL] {
				return trees.SL
			}
		}
	}
	return sl
}

// endOfGID returns the end port with a GID and a LID, -1 for none.
func (s *Subnet) endOfGID(gid []byte) int32 {
	if !s.isLocal(gid) {
		return -1
	}
	e := s.endOfGUID(fabric.GUID(binary.BigEndian.Uint64(gid[8:])))
	if e < 0 || s.Plan.Ends.Base[e] == 0 {
		return -1
	}
	return e
}

// shares reports whether a port is a member of a partition, full or limited.
func (s *Subnet) shares(end int32, pkey uint16) bool {
	return slices.ContainsFunc(s.keysOf(end), func(key uint16) bool { return (key^pkey)&^mad.PKeyFull == 0 })
}
