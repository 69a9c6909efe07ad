package sa

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// The Entry of a multicast group has its MGID as key, the Entry of a member MGID and GID. They do
// not say whether a group is permanent: the partitions do.

// The lengths of keys and values of group and member entries.
const (
	groupKey    = 16
	memberKey   = 16 + 16
	groupValue  = 2 + 4 + 2 + 5 + 4 + 1
	memberValue = 2
	proxyValue  = memberValue + 8 // of a member that another port has joined
)

// key returns the key of a group's Entry.
func (g *Group) key() string { return string(g.MGID[:]) }

// memberKey returns the key of a member's Entry.
func (g *Group) memberKey(m *Member) string { return string(g.MGID[:]) + string(m.GID[:]) }

// value encodes a group without MGID and members.
func (g *Group) value() []byte {
	b := binary.BigEndian.AppendUint16(make([]byte, 0, groupValue), uint16(g.MLID))
	b = binary.BigEndian.AppendUint32(b, g.QKey)
	b = binary.BigEndian.AppendUint16(b, g.PKey)
	b = append(b, g.MTU, g.Rate, g.Life, g.SL, g.TClass)
	return append(binary.BigEndian.AppendUint32(b, g.FlowLabel), g.HopLimit)
}

// sameAs reports whether two groups have the same value.
func (g *Group) sameAs(o *Group) bool { return string(g.value()) == string(o.value()) }

// readGroup decodes a group's Entry; nil if it is malformed.
func readGroup(e *Entry) *Group {
	b := e.Value
	if len(e.Key) != groupKey || len(b) != groupValue {
		return nil
	}
	g := &Group{
		MGID: [16]byte([]byte(e.Key)), MLID: fabric.LID(binary.BigEndian.Uint16(b)), QKey: binary.BigEndian.Uint32(b[2:]), PKey: binary.BigEndian.Uint16(b[6:]),
		MTU: b[8], Rate: b[9], Life: b[10], SL: b[11], TClass: b[12], FlowLabel: binary.BigEndian.Uint32(b[13:]), HopLimit: b[17],
	}
	if g.MGID[0] != 0xFF || g.MLID < fabric.FirstMLID || g.MLID > fabric.LastMLID || g.SL > 15 {
		return nil
	}
	return g
}

// value encodes the join state of a member, and the port that has joined it if that is another one.
// Versions of weft before shares omit that port.
func (m *Member) value() []byte {
	if !m.Proxy {
		return []byte{m.State, 0}
	}
	return binary.BigEndian.AppendUint64([]byte{m.State, 1}, uint64(m.By))
}

// Changes returns, in order, the group and member entries changed or ended since the last call.
func (gs *Groups) Changes() (list []Entry) {
	for _, key := range slices.Sorted(maps.Keys(gs.unsaved)) {
		list = append(list, Entry{EntryName{GroupMembers, key}, gs.value(key)})
	}
	clear(gs.unsaved)
	return list
}

// value returns the value of an Entry, nil if it does not exist.
func (gs *Groups) value(key string) []byte {
	if len(key) != groupKey && len(key) != memberKey {
		return nil
	}
	g := gs.byGID[[16]byte([]byte(key[:16]))]
	switch {
	case g == nil:
		return nil
	case len(key) == groupKey:
		return g.value()
	}
	at, is := g.find([]byte(key[16:]))
	if !is {
		return nil
	}
	return g.Members[at].value()
}

// Entries returns, in order, the entries of all groups and members.
func (gs *Groups) Entries() (list []Entry) {
	gs.All(func(g *Group) {
		list = append(list, Entry{EntryName{GroupMembers, g.key()}, g.value()})
		for i := range g.Members {
			list = append(list, Entry{EntryName{GroupMembers, g.memberKey(&g.Members[i])}, g.Members[i].value()})
		}
	})
	slices.SortFunc(list, func(a, b Entry) int { return CompareNames(a.EntryName, b.EntryName) })
	return list
}

// Restore replaces all groups with the Entries of a file or another manager. Groups keep their
// MLIDs, and ports their places. It skips malformed and orphaned entries, lists them in Changes
// as ended, and returns their number.
func (gs *Groups) Restore(list []Entry) (bad int) {
	was := *gs
	*gs = *NewGroups(was.rule)
	gs.Told, gs.Refused, gs.changed = was.Told, was.Refused, true
	var groups []*Group
	for i := range list {
		if e := &list[i]; e.Kind == GroupMembers && len(e.Key) != memberKey {
			if g := readGroup(e); g != nil {
				groups = append(groups, g)
				continue
			}
			gs.unsaved[e.Key] = true
			bad++
		}
	}
	slices.SortStableFunc(groups, func(a, b *Group) int { return cmp.Compare(a.MLID, b.MLID) })
	for _, g := range groups {
		for len(gs.byMLID) < int(g.MLID-fabric.FirstMLID) {
			gs.byMLID = append(gs.byMLID, mlidUse{})
			gs.free = append(gs.free, fabric.FirstMLID+fabric.LID(len(gs.byMLID)-1))
		}
		if len(gs.byMLID) == int(g.MLID-fabric.FirstMLID) {
			gs.byMLID = append(gs.byMLID, mlidUse{})
		}
		if u := gs.of(g); gs.byGID[g.MGID] != nil || len(u.groups) > 0 && u.traits.pkey != g.traits().pkey {
			gs.unsaved[g.key()] = true
			bad++
			continue
		}
		gs.byGID[g.MGID] = g
		gs.use(g)
	}
	for i := range list {
		if e := &list[i]; e.Kind == GroupMembers && len(e.Key) == memberKey && !gs.restoreMember(e) {
			gs.unsaved[e.Key] = true
			bad++
		}
	}
	return bad
}

// restoreMember restores a member; false if its Entry is malformed or its group is missing.
func (gs *Groups) restoreMember(e *Entry) bool {
	g := gs.byGID[[16]byte([]byte(e.Key[:16]))]
	if g == nil || gs.members >= mostMembers {
		return false
	}
	m, ok := memberOf(e)
	at, is := g.find(m.GID[:])
	if !ok || is {
		return false
	}
	m.By = gs.Aliases.PortOf(m.By)
	g.Members = slices.Insert(g.Members, at, m)
	gs.count(g, m.By, 1)
	return true
}

// memberOf decodes a member's Entry; false if it is malformed.
func memberOf(e *Entry) (m Member, ok bool) {
	b := e.Value
	if len(b) != memberValue && len(b) != proxyValue || b[0] == 0 || b[0] > mostState || b[1] > 1 || len(b) == proxyValue && b[1] == 0 {
		return m, false
	}
	m = Member{GID: [16]byte([]byte(e.Key[16:])), State: b[0], Proxy: b[1] == 1}
	switch {
	case !m.Proxy:
		m.By = m.port()
	case len(b) == proxyValue:
		m.By = fabric.GUID(binary.BigEndian.Uint64(b[memberValue:]))
	}
	return m, true
}

// mostState is the state of a member that has joined in all ways.
const mostState = mad.JoinFull | mad.JoinNon | mad.JoinSendOnlyNon | mad.JoinSendOnlyFull

// GroupCounts counts groups, members and MLIDs.
type GroupCounts struct {
	Groups, Members int
	MLIDsUsed       int
	MLIDs           int // that all switches support
}

// Counts returns the current counts.
func (gs *Groups) Counts() GroupCounts {
	return GroupCounts{len(gs.byGID), gs.members, gs.used, gs.most}
}
