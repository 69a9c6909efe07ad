package sm

import (
	"cmp"
	"sync"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// members hold the multicast groups, which queries change beside the loop.
type members struct {
	mu      sync.Mutex
	groups  *sa.Groups
	changed chan struct{} // has a value when members have changed
	told    bool          // that was said, and the loop has not asked since: it is not said again
	term    int           // the time as a master that the groups are of, as managerState counts them
}

// What groups that stand have unless their partition says otherwise: packets of 2,048 bytes at 10 Gbit/s, which all hosts can, in one subnet.
const (
	usualQKey       = 0x0B1B
	usualGroupMTU   = 4
	usualGroupRate  = 3
	usualGroupScope = 2
)

func newMembers() *members {
	return &members{groups: sa.NewGroups(), changed: make(chan struct{}, 1)}
}

// standingGroups lists the groups that are there before anybody joins: those of the partitions, the default one first; without a file of partitions, the IPoIB broadcast
// group of the default one.
func standingGroups(p *Partitioning) (list []sa.Standing) {
	if p == nil {
		p = &Partitioning{Partitions: partition.Everyone()}
		p.Partitions[0].Groups = []partition.Group{{Broadcast: true}}
	}
	add := func(ps *partition.Partition) {
		for i := range ps.Groups {
			g := &ps.Groups[i]
			st := sa.Standing{
				MGID: sa.InPartition(g.MGID, ps.Key), QKey: cmp.Or(g.QKey, usualQKey), PKey: ps.Key | mad.PKeyFull, MTU: cmp.Or(g.MTU, usualGroupMTU),
				Rate: cmp.Or(g.Rate, usualGroupRate), SL: g.SL, TClass: g.TClass, FlowLabel: g.FlowLabel,
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
func (m *members) restore(term int, entries []sa.Entry, told func(g *sa.Group, created bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.groups.Restore(entries)
	m.groups.Told, m.term = told, term
	m.tell()
}

// follow takes out the members of ports that a new Subnet has not, or has in other partitions, and makes the groups that stand.
func (m *members) follow(s *sa.Subnet, standing []sa.Standing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.groups.Follow(s, standing)
	m.tell()
}

// answer makes the answer to a query, which may be a join or a leave.
func (m *members) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	r.Groups, r.Asks = m.groups, fabric.LID(d.Addr.SLID)
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
func (m *members) tell() {
	if !m.groups.Changed() || m.told {
		return
	}
	m.told = true
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// changes returns the entries of groups that have changed since the last call.
func (m *members) changes() []sa.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.groups.Changes()
}

// counts returns how many groups and members there are, and how many groups there may be.
func (m *members) counts() (groups, members, mlids int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.groups.Counts()
}

// membership lists the members of all groups; false where they are not known yet in this time as a master. The loop is told when they are.
func (m *members) membership(term int) ([]sa.Members, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = false
	if term != m.term {
		return nil, false
	}
	return m.groups.Membership(), true
}
