package sa

import (
	"bytes"
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// Bounds of groups and members. MLIDs bound the number of groups.
const (
	mostMembers = 1 << 20 // in all groups
	restFor     = 64      // a freed MLID is reused only after so many others have been freed, while unused ones remain
)

// Groups holds the multicast groups of a subnet. Joins and leaves change them; Follow removes
// members whose ports are gone. It is not for concurrent use, and holds no pointers into a Subnet.
type Groups struct {
	byGID   map[[16]byte]*Group
	byMLID  []*Group        // by MLID - fabric.FirstMLID; nil if free
	free    []fabric.LID    // freed MLIDs, longest free first
	most    int             // number of MLIDs that all switches support
	members int             // in all groups
	made    uint32          // number of MGIDs assigned here
	changed bool            // members have changed since the last Changed
	unsaved map[string]bool // keys of entries changed since the last Changes

	// Told is called when a group has been created or deleted (traps 66 and 67), unless nil.
	Told func(g *Group, created bool)
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
	State uint8 // mad.JoinFull ...
	Proxy bool  // another port has joined for it
}

// scope returns the scope in the group's MGID.
func (g *Group) scope() uint8 { return g.MGID[1] & 15 }

// find returns the index of a member, or where to insert it.
func (g *Group) find(gid []byte) (int, bool) {
	return slices.BinarySearchFunc(g.Members, gid, func(m Member, gid []byte) int { return bytes.Compare(m.GID[:], gid) })
}

// keepsGroup has the join states that create and keep a group: full members, also send-only ones.
const keepsGroup = mad.JoinFull | mad.JoinSendOnlyFull

// hasFull reports whether a full member is left.
func (g *Group) hasFull() bool {
	return slices.ContainsFunc(g.Members, func(m Member) bool { return m.State&keepsGroup != 0 })
}

// NewGroups returns an empty set of groups.
func NewGroups() *Groups { return &Groups{byGID: map[[16]byte]*Group{}, unsaved: map[string]bool{}} }

// Find returns the group with an MGID, nil for none.
func (gs *Groups) Find(mgid []byte) *Group { return gs.byGID[[16]byte(mgid)] }

// All visits the groups by MLID.
func (gs *Groups) All(visit func(g *Group)) {
	for _, g := range gs.byMLID {
		if g != nil {
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

// mlid takes a free MLID: an unused one, until enough freed ones have rested; then the longest free
// one. ok is false if none is left.
func (gs *Groups) mlid() (lid fabric.LID, ok bool) {
	fresh := len(gs.byMLID) < gs.most
	for len(gs.free) > 0 && (len(gs.free) > restFor || !fresh) {
		lid, gs.free = gs.free[0], gs.free[1:]
		if int(lid-fabric.FirstMLID) < gs.most {
			return lid, true
		}
	}
	if !fresh {
		return 0, false
	}
	gs.byMLID = append(gs.byMLID, nil)
	return fabric.FirstMLID + fabric.LID(len(gs.byMLID)-1), true
}

// add assigns an MLID to a group and adds it; false if none is left.
func (gs *Groups) add(g *Group) bool {
	lid, ok := gs.mlid()
	if !ok {
		return false
	}
	g.MLID = lid
	gs.byGID[g.MGID] = g
	gs.byMLID[lid-fabric.FirstMLID] = g
	gs.changed, gs.unsaved[g.key()] = true, true
	if gs.Told != nil {
		gs.Told(g, true)
	}
	return true
}

// remove deletes a group. Its MLID rests, so that packets under way do not reach another group.
func (gs *Groups) remove(g *Group) {
	delete(gs.byGID, g.MGID)
	gs.byMLID[g.MLID-fabric.FirstMLID] = nil
	gs.free = append(gs.free, g.MLID)
	gs.members -= len(g.Members)
	gs.changed, gs.unsaved[g.key()] = true, true
	for i := range g.Members {
		gs.unsaved[g.memberKey(&g.Members[i])] = true
	}
	if gs.Told != nil {
		gs.Told(g, false)
	}
}

// join adds a join state to a member, or adds the member.
func (gs *Groups) join(g *Group, gid []byte, state uint8, proxy bool) *Member {
	at, is := g.find(gid)
	if !is {
		g.Members = slices.Insert(g.Members, at, Member{GID: [16]byte(gid), Proxy: proxy})
		gs.members++
	}
	m := &g.Members[at]
	own := m.Proxy && !proxy // from now on only the port itself may leave
	if m.State|state != m.State || own {
		gs.changed, gs.unsaved[g.memberKey(m)] = true, true
	}
	m.State |= state
	m.Proxy = m.Proxy && proxy
	return m
}

// leave removes a join state from a member, and deletes a group without full members.
func (gs *Groups) leave(g *Group, at int, state uint8) {
	m := &g.Members[at]
	if m.State&state != 0 {
		gs.changed, gs.unsaved[g.memberKey(m)] = true, true
	}
	if m.State &^= state; m.State == 0 {
		g.Members = slices.Delete(g.Members, at, at+1)
		gs.members--
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
	for _, st := range standing {
		g := gs.byGID[st.MGID]
		is := g != nil
		if !is {
			g = &Group{MGID: st.MGID, Life: s.Timeout}
		}
		was := *g
		g.QKey, g.PKey, g.MTU, g.Rate, g.SL, g.TClass, g.FlowLabel, g.Standing = st.QKey, st.PKey, min(st.MTU, s.treeMTU), st.Rate, s.groupSL(st.SL), st.TClass, st.FlowLabel, true
		if is && !g.sameAs(&was) {
			gs.unsaved[g.key()] = true
		}
		if !is {
			gs.add(g)
		}
	}
	for _, g := range slices.Clone(gs.byMLID) {
		if g == nil {
			continue
		}
		if sl := s.groupSL(g.SL); sl != g.SL {
			g.SL, gs.unsaved[g.key()] = sl, true
		}
		g.Standing = slices.ContainsFunc(standing, func(st Standing) bool { return st.MGID == g.MGID })
		n := len(g.Members)
		g.Members = slices.DeleteFunc(g.Members, func(m Member) bool {
			end := s.endOfGID(m.GID[:])
			gone := end < 0 || !s.shares(end, g.PKey)
			if gone {
				gs.unsaved[g.memberKey(&m)] = true
			}
			return gone
		})
		gs.members -= n - len(g.Members)
		gs.changed = gs.changed || n != len(g.Members)
		if !g.Standing && (!g.hasFull() || int(g.MLID-fabric.FirstMLID) >= gs.most) {
			gs.remove(g)
		}
	}
}

// Members lists a group's port GUIDs: the receivers, and the ports that only send.
type Members struct {
	MLID               fabric.LID
	Receivers, Senders []fabric.GUID
}

// Membership lists the members of all groups by MLID, without empty groups.
func (gs *Groups) Membership() (list []Members) {
	gs.All(func(g *Group) {
		m := Members{MLID: g.MLID}
		for i := range g.Members {
			guid := fabric.GUID(binary.BigEndian.Uint64(g.Members[i].GID[8:]))
			if g.Members[i].State&(mad.JoinFull|mad.JoinNon) != 0 {
				m.Receivers = append(m.Receivers, guid)
			} else {
				m.Senders = append(m.Senders, guid)
			}
		}
		if len(g.Members) > 0 {
			list = append(list, m)
		}
	})
	return list
}

// mlids returns the number of MLIDs that all switches with groups support.
func (s *Subnet) mlids() int {
	caps := make([]int, 0, len(s.Nodes))
	for i := range s.Nodes {
		if sw := s.Nodes[i].Switch; sw != nil {
			caps = append(caps, int(mad.SwitchInfoMulticastFDBCap.Get(sw)))
		}
	}
	return MLIDs(caps)
}

// enoughMLIDs is the size of a multicast table with which a switch may limit the groups of all.
const enoughMLIDs = 256

// MLIDs returns the number of MLIDs for groups, by the sizes of the switches' multicast tables. A
// switch with a smaller table carries no groups: without enoughMLIDs entries, one switch does not
// limit the others. If no switch has a table, all MLIDs are for groups.
func MLIDs(sizes []int) int {
	all := int(fabric.LastMLID-fabric.FirstMLID) + 1
	most := 0
	for _, n := range sizes {
		most = max(most, n)
	}
	if most == 0 {
		return all
	}
	enough := min(most, enoughMLIDs)
	for _, n := range sizes {
		if n >= enough {
			most = min(most, n)
		}
	}
	return min(most, all)
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
	if binary.BigEndian.Uint64(gid) != s.OwnPrefix() {
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
