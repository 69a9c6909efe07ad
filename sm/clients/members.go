package clients

import (
	"cmp"
	"sync"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Members hold the multicast groups, which queries change beside the loop.
type Members struct {
	mu      sync.Mutex
	Groups  *sa.Groups
	Changed chan struct{} // has a value when members have changed
	told    bool          // that was said, and the loop has not asked since: it is not said again
	term    int           // the time as a master that the groups are of, as managerState counts them
}

// What groups that stand have unless their partition says otherwise: packets of 2,048 bytes at 10 Gbit/s, which all hosts can, in one subnet.
const (
	UsualQKey       = 0x0B1B
	UsualGroupMTU   = 4
	UsualGroupRate  = 3
	usualGroupScope = 2
)

// NewMembers makes Members of no groups.
func NewMembers() *Members {
	return &Members{Groups: sa.NewGroups(), Changed: make(chan struct{}, 1)}
}

// StandingGroups lists the groups that are there before anybody joins: those of the partitions, the default one first; without a file of partitions, the IPoIB broadcast
// group of the default one.
func StandingGroups(p *terms.Partitioning) (list []sa.Standing) {
	if p == nil {
		p = &terms.Partitioning{Partitions: partition.Everyone()}
		p.Partitions[0].Groups = []partition.Group{{Broadcast: true}}
	}
	add := func(ps *partition.Partition) {
		for i := range ps.Groups {
			g := &ps.Groups[i]
			st := sa.Standing{
				MGID: sa.InPartition(g.MGID, ps.Key), QKey: cmp.Or(g.QKey, UsualQKey), PKey: ps.Key | mad.PKeyFull, MTU: cmp.Or(g.MTU, UsualGroupMTU),
				Rate: cmp.Or(g.Rate, UsualGroupRate), SL: g.SL, TClass: g.TClass, FlowLabel: g.FlowLabel,
			}
			if g.Broadcast {
				st.MGID = sa.IPoIBBroadcast(ps.Key, cmp.Or(g.Scope, usualGroupScope))
			}
			list = append(list, st)
		}
	}
	for _, first := range [...]bool{true, false} {
		for i := range p.Partitions {
			if ps := &p.Partitions[i]; (ps.Key|mad.PKeyFull == mad.DefaultPKey) == first {
				add(ps)
			}
		}
	}
	return list
}

// restore begins a time as a master, with the groups of entries. From now on told is told of groups that come and go.
func (m *Members) restore(term int, entries []sa.Entry, told func(g *sa.Group, created bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Groups.Restore(entries)
	m.Groups.Told, m.term = told, term
	m.tell()
}

// Follow takes out the members of ports that a new Subnet has not, or has in other partitions, and makes the groups that stand.
func (m *Members) Follow(s *sa.Subnet, standing []sa.Standing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Groups.Follow(s, standing)
	m.tell()
}

// Answer makes the answer to a query, which may be a join or a leave.
func (m *Members) Answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	r.Groups, r.Asks = m.Groups, fabric.LID(d.Addr.SLID)
	if len(d.MAD) < mad.SAHeader.Size || d.MAD.Attr() != mad.AttrMCMemberRecord {
		return r.Answer(s, d.MAD)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := r.Answer(s, d.MAD)
	m.tell()
	return a
}

// tell wakes the loop where members have changed, once until it asks for them.
func (m *Members) tell() {
	if !m.Groups.Changed() || m.told {
		return
	}
	m.told = true
	select {
	case m.Changed <- struct{}{}:
	default:
	}
}

// changes returns the entries of groups that have changed since the last call.
func (m *Members) changes() []sa.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Groups.Changes()
}

// counts returns how many groups and members there are, and how many groups there may be.
func (m *Members) counts() (groups, members, mlids int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Groups.Counts()
}

// Membership lists the members of all groups; false where they are not known yet in this time as a master. The loop is told when they are.
func (m *Members) Membership(term int) ([]sa.Members, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = false
	if term != m.term {
		return nil, false
	}
	return m.Groups.Membership(), true
}
