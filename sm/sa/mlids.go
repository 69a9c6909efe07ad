package sa

import (
	"bytes"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// Multicast tables are small, and every IPv6 host has a group of its own (its solicited-node
// group). So when MLIDs become scarce, a new group shares the MLID of others with the same traits.
// Switches copy its packets to the members of all these groups, and ports drop packets for other
// MGIDs. Groups keep their MLIDs, also when others become free.

// mlidUse holds the groups with an MLID.
type mlidUse struct {
	groups  []*Group // by MGID; none: the MLID is free
	members int      // of all these groups
	traits  traits   // of all these groups
	alone   bool     // one of them is permanent: no other group joins it
}

// traits are the values that groups must have in common to share an MLID. Q_Key, traffic class,
// flow label and hop limit matter only to the ports of members.
type traits struct {
	pkey          uint16
	mtu, rate, sl uint8
}

func (g *Group) traits() traits { return traits{g.PKey | mad.PKeyFull, g.MTU, g.Rate, g.SL} }

// restFor is the number of MLIDs that must be freed after one before it is reused, while unused
// ones remain.
const restFor = 64

// scarce is the part of the MLIDs that is left, as one in so many, when groups begin to share them.
// The rest is for groups that cannot share one.
const scarce = 8

// mlidFor returns the MLID of a new group of a port: one of its own, or while MLIDs are scarce or
// the port has its share of them, one with groups of the same traits. ok is false if there is none.
func (gs *Groups) mlidFor(g *Group, by fabric.GUID) (lid fabric.LID, ok bool) {
	may := g.Standing || gs.rule.Allows(gs.held[by], gs.used, gs.most)
	if !may || !g.Standing && (gs.most-gs.used)*scarce <= gs.most {
		if lid, ok = gs.partner(g.traits()); ok || !may {
			return lid, ok
		}
	}
	if lid, ok = gs.unusedMLID(); !ok {
		return gs.partner(g.traits())
	}
	return lid, true
}

// mostCompared bounds the MLIDs that partner compares.
const mostCompared = 64

// partner returns the MLID with these traits whose groups have the fewest members together. It
// compares the MLIDs after the last one compared.
func (gs *Groups) partner(t traits) (lid fabric.LID, ok bool) {
	best, compared := -1, 0
	for range min(len(gs.byMLID), gs.most) {
		if gs.at++; gs.at >= min(len(gs.byMLID), gs.most) {
			gs.at = 0
		}
		u := &gs.byMLID[gs.at]
		if u.traits != t || u.alone || len(u.groups) == 0 {
			continue
		}
		if best < 0 || u.members < gs.byMLID[best].members {
			best = gs.at
		}
		if compared++; compared == mostCompared {
			break
		}
	}
	return fabric.FirstMLID + fabric.LID(best), best >= 0
}

// unusedMLID takes an MLID without groups: one never used, until enough freed ones have rested;
// then the longest free one. ok is false if none is left.
func (gs *Groups) unusedMLID() (lid fabric.LID, ok bool) {
	fresh := len(gs.byMLID) < gs.most
	if len(gs.free) > restFor || !fresh {
		at := slices.IndexFunc(gs.free, func(lid fabric.LID) bool { return int(lid-fabric.FirstMLID) < gs.most })
		switch {
		case at == 0:
			lid, gs.free = gs.free[0], gs.free[1:]
			return lid, true
		case at > 0: // the tables have become smaller
			lid = gs.free[at]
			gs.free = slices.Delete(gs.free, at, at+1)
			return lid, true
		}
	}
	if !fresh {
		return 0, false
	}
	gs.byMLID = append(gs.byMLID, mlidUse{})
	return fabric.FirstMLID + fabric.LID(len(gs.byMLID)-1), true
}

// of returns the use of a group's MLID.
func (gs *Groups) of(g *Group) *mlidUse { return &gs.byMLID[g.MLID-fabric.FirstMLID] }

// use adds a group to its MLID.
func (gs *Groups) use(g *Group) {
	u := gs.of(g)
	if len(u.groups) == 0 {
		gs.used++
		u.traits = g.traits()
	}
	at, _ := slices.BinarySearchFunc(u.groups, g, func(a, b *Group) int { return bytes.Compare(a.MGID[:], b.MGID[:]) })
	u.groups = slices.Insert(u.groups, at, g)
	u.members += len(g.Members)
	u.alone = u.alone || g.Standing
}

// unuse removes a group from its MLID. An MLID without groups rests, so that packets under way do
// not reach another group.
func (gs *Groups) unuse(g *Group) {
	u := gs.of(g)
	u.groups = slices.DeleteFunc(u.groups, func(other *Group) bool { return other == g })
	u.members -= len(g.Members)
	if len(u.groups) == 0 {
		gs.used--
		gs.free = append(gs.free, g.MLID)
	}
	u.follow()
}

// follow updates the traits after a change of the groups.
func (u *mlidUse) follow() {
	if len(u.groups) > 0 {
		u.traits = u.groups[0].traits()
	}
	u.alone = slices.ContainsFunc(u.groups, func(g *Group) bool { return g.Standing })
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

// Members lists the port GUIDs of the groups with an MLID: the receivers, and the ports that only
// send.
type Members struct {
	MLID               fabric.LID
	Receivers, Senders []fabric.GUID
}

// Membership lists the members of all groups by MLID, without MLIDs that have none.
func (gs *Groups) Membership() (list []Members) {
	for i := range gs.byMLID {
		u := &gs.byMLID[i]
		if u.members == 0 {
			continue
		}
		m := Members{MLID: u.groups[0].MLID}
		several := len(u.groups) > 1
		for _, g := range u.groups {
			several = m.add(g, gs.Aliases) || several
		}
		if several {
			m.unite()
		}
		list = append(list, m)
	}
	return list
}

// add adds the members of a group. It reports whether a port has joined under an alias, so that it
// may be there several times.
func (m *Members) add(g *Group, aliases *Aliases) (aliased bool) {
	for i := range g.Members {
		guid := aliases.PortOf(g.Members[i].port())
		aliased = aliased || guid != g.Members[i].port()
		if g.Members[i].State&(mad.JoinFull|mad.JoinNon) != 0 {
			m.Receivers = append(m.Receivers, guid)
		} else {
			m.Senders = append(m.Senders, guid)
		}
	}
	return aliased
}

// unite lists each port of several groups once. A port that receives packets of one group receives
// the packets of all.
func (m *Members) unite() {
	slices.Sort(m.Receivers)
	m.Receivers = slices.Compact(m.Receivers)
	slices.Sort(m.Senders)
	m.Senders = slices.DeleteFunc(slices.Compact(m.Senders), func(guid fabric.GUID) bool {
		_, receives := slices.BinarySearch(m.Receivers, guid)
		return receives
	})
}
