package clients

import (
	"cmp"
	"sync"

	"weft/fabric"
	"weft/internal/share"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Members holds the multicast groups. It is safe for concurrent use.
type Members struct {
	mu      sync.Mutex
	Groups  *sa.Groups
	Aliases *sa.Aliases   // of ports
	Changed chan struct{} // has a value when members have changed
	told    bool          // Changed was sent, and the loop has not called Membership since
	term    int           // the term as master that the groups belong to, as in ManagerState.term
}

// Defaults of standing groups: MTU code 4 (2,048 bytes), rate code 3 (10 Gbit/s), which all hosts
// support, and link-local scope 2.
const (
	UsualQKey       = 0x0B1B
	UsualGroupMTU   = sa.UsualGroupMTU
	UsualGroupRate  = 3
	usualGroupScope = 2
)

// NewMembers returns Members without groups. rule is the share of one port.
func NewMembers(rule share.Rule) *Members {
	m := &Members{Groups: sa.NewGroups(rule), Aliases: sa.NewAliases(), Changed: make(chan struct{}, 1)}
	m.Groups.Aliases = m.Aliases
	return m
}

// StandingGroups returns the groups that exist before anybody joins. The partitions define them,
// the default partition first; without a partitions file (nil), partition.Everyone does.
func StandingGroups(p *terms.Partitioning) (list []sa.Standing) {
	if p == nil {
		p = &terms.Partitioning{Partitions: partition.Everyone()}
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

// restore begins a term as master with the groups in entries. From now on told is called for every
// group that is created or deleted, and over for every port that is refused more than its share.
func (m *Members) restore(term int, entries []sa.Entry, told func(g *sa.Group, created bool), over func(sa.OverShare)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Groups.Restore(entries)
	m.Groups.Told, m.Groups.Refused, m.term = told, over, term
	m.tell()
}

// Follow removes members whose ports are absent from a new Subnet or have left their partition, and
// creates the standing groups.
func (m *Members) Follow(s *sa.Subnet, standing []sa.Standing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Groups.Follow(s, standing)
	m.tell()
}

// Answer returns the answer to a query, which may be a join or a leave.
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

// tell wakes the loop if members have changed, once until the loop asks for them.
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

// hasAlias reports whether an alias of a port has joined a group.
func (m *Members) hasAlias(s *sa.Subnet, alias fabric.GUID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Groups.HasMember(s.GIDOf(alias))
}

// changes returns the entries of groups that have changed since the last call.
func (m *Members) changes() []sa.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Groups.Changes()
}

// counts counts groups, members and MLIDs.
func (m *Members) counts() sa.GroupCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Groups.Counts()
}

// Membership returns the members of all groups, or false if they are not known yet in this term as
// master. Changed has a value when they are.
func (m *Members) Membership(term int) ([]sa.Members, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = false
	if term != m.term {
		return nil, false
	}
	return m.Groups.Membership(), true
}
