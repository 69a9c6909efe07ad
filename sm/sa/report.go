package sa

import (
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/internal/share"
	"weft/sm/partition"
	"weft/wire"
	"weft/wire/mad"
)

// reportQueue holds the pending reports of a subscription. They are sent one at a time, to arrive
// in order.
type reportQueue struct {
	waiting []*[80]byte // SANotices, shared between subscriptions; the first is under way if tag is not 0
	tag     uint64
	queued  bool // in reporter.turn
}

// reporter sends the reports of a Registry.
type reporter struct {
	turn     []*subscription // subscriptions with a report to send and none under way
	underWay map[uint64]*subscription
	waiting  share.Count[fabric.GUID] // reports of all subscriptions, by the subscriber's port
	lastTag  uint64
	counts   ReportCounts
}

// ReportCounts counts reports to subscribers.
type ReportCounts struct {
	Acknowledged int `json:"acknowledged"`
	Unanswered   int `json:"unanswered"` // given up
	Dropped      int `json:"dropped"`    // reports dropped for lack of room
}

func newReporter() reporter {
	return reporter{underWay: map[uint64]*subscription{}}
}

// Reports returns the counts so far.
func (g *Registry) Reports() ReportCounts { return g.counts }

// Registered returns the numbers of registered services and subscriptions.
func (g *Registry) Registered() (services, subscriptions int) { return len(g.services), len(g.subs) }

// Notify queues a notice for its subscribers. The issuer is the port with IssuerLID, which also
// gives the GID; for the manager's own notices that is its port. An identical notice that is still
// pending is not queued again.
func (g *Registry) Notify(s *Subnet, notice []byte) { g.notify(s, notice, nil, -1) }

// NotifyOfGroup reports the creation or deletion of a multicast group (traps 66 and 67) to
// subscribers in its partition.
func (g *Registry) NotifyOfGroup(s *Subnet, trap uint64, group *Group) {
	if s != nil {
		g.notify(s, gidNotice(trap, s.ManagerLID(), group.MGID[:]), []uint16{group.PKey | mad.PKeyFull}, -1)
	}
}

// notify queues a notice for subscribers that share a partition with its subject, which has these
// P_Keys and this end port (-1 for none). If keys is nil the subject is the issuer.
func (g *Registry) notify(s *Subnet, notice []byte, keys []uint16, end int32) {
	if s == nil {
		return
	}
	var note [80]byte
	copy(note[:64], notice)
	issuer := s.endOfLID(fabric.LID(mad.NoticeIssuerLID.Get(notice)))
	if issuer < 0 {
		return
	}
	s.putGID(note[64:], issuer)
	about := note[64:]
	if mad.NoticeIsGeneric.Is(notice) {
		switch mad.NoticeTrapNumber.Get(notice) {
		case mad.TrapGIDInService, mad.TrapGIDOutOfService, mad.TrapGroupCreated, mad.TrapGroupDeleted:
			about = mad.TrapGIDGID.Get(note[:])
		}
	}
	manager := keys != nil
	if !manager {
		keys, end = s.keysOf(issuer), issuer
	}
	for _, v := range g.subs {
		to := s.endOfGUID(v.port)
		if to < 0 || !v.wants(notice, about) {
			continue
		}
		if _, may := partition.Share(keys, s.keysOf(to), 0); may || to == end {
			g.post(v, &note, manager)
		}
	}
}

// post queues a report for a subscription, unless it is pending already. An issuer gets its share
// of the subscription's places, and a subscriber its share of all places. The manager as the issuer
// gets as many as there are.
func (g *Registry) post(v *subscription, note *[80]byte, manager bool) {
	issuer, held := mad.NoticeIssuerLID.Get(note[:]), 0
	for _, other := range v.waiting {
		if *other == *note {
			return
		}
		if mad.NoticeIssuerLID.Get(other[:]) == issuer {
			held++
		}
	}
	if manager {
		held = 0
	}
	if !g.limits.Share.Allows(held, len(v.waiting), g.limits.ReportsOfSubscription) || !g.waiting.Allows(g.limits.Share, v.port, g.limits.Reports) {
		g.counts.Dropped++
		return
	}
	v.waiting = append(v.waiting, note)
	g.waiting.Add(v.port, 1)
	g.enqueue(v)
}

func (g *Registry) enqueue(v *subscription) {
	if !v.queued && v.tag == 0 && len(v.waiting) > 0 {
		v.queued = true
		g.turn = append(g.turn, v)
	}
}

// forget drops the reports of an ended subscription.
func (g *Registry) forget(v *subscription) {
	g.waiting.Add(v.port, -len(v.waiting))
	v.waiting = nil
	delete(g.underWay, v.tag)
	if v.queued {
		g.turn = slices.DeleteFunc(g.turn, func(other *subscription) bool { return other == v })
	}
}

// MostUnderWay is the maximum number of reports under way: silent hosts delay others only by their
// turn.
const MostUnderWay = 8

// NextReport returns the next report and its tag; false if there is none to send now. Call Reported
// with the result.
func (g *Registry) NextReport() (d wire.Datagram, tag uint64, ok bool) {
	if len(g.turn) == 0 || len(g.underWay) >= MostUnderWay {
		return d, 0, false
	}
	v := g.turn[0]
	g.turn = slices.Delete(g.turn, 0, 1)
	g.lastTag++
	v.queued, v.tag = false, g.lastTag
	g.underWay[v.tag] = v
	m, err := mad.Request{Method: mad.Report, Attr: mad.AttrNotice, TID: v.tag}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		panic(err) // the buffer is long enough
	}
	copy(m.Data(), v.waiting[0][:])
	return wire.Datagram{Addr: v.to, MAD: m}, v.tag, true
}

// Reported handles the end of a report: acknowledged by its subscriber, or not.
func (g *Registry) Reported(tag uint64, acknowledged bool) {
	v := g.underWay[tag]
	if v == nil {
		return
	}
	delete(g.underWay, tag)
	v.tag = 0
	v.waiting = slices.Delete(v.waiting, 0, 1)
	g.waiting.Add(v.port, -1)
	if acknowledged {
		g.counts.Acknowledged++
	} else {
		g.counts.Unanswered++
	}
	g.enqueue(v)
}

// gidNotice returns the notice of a trap from 64 to 67 about the GID of a port or a multicast
// group.
func gidNotice(trap uint64, manager fabric.LID, gid []byte) []byte {
	n := make([]byte, 64)
	mad.NoticeIsGeneric.Put(n, 1)
	mad.NoticeType.Put(n, mad.NoticeTypeInfo)
	mad.NoticeProducerType.Put(n, mad.NoticeProducerClassMgr)
	mad.NoticeTrapNumber.Put(n, trap)
	mad.NoticeIssuerLID.Put(n, uint64(manager))
	mad.TrapGIDGID.Put(n, gid)
	return n
}

// Follow compares the subnets before and after a round; before may be nil. It reports new and lost
// GIDs to subscribers, and ends the subscriptions of lost ports.
func (g *Registry) Follow(before, now *Subnet) {
	g.followAliases(before, now)
	for i := len(g.subs) - 1; i >= 0; i-- {
		if now.endInService(g.subs[i].port) < 0 {
			g.dropSubscription(i)
		}
	}
	if before == nil || len(g.subs) == 0 {
		return
	}
	manager := now.ManagerLID()
	for _, guid := range missingFrom(now, before) {
		g.notify(now, gidNotice(mad.TrapGIDOutOfService, manager, now.gidOf(guid)), before.keysOf(before.endInService(guid)), -1)
	}
	for _, guid := range missingFrom(before, now) {
		end := now.endInService(guid)
		g.notify(now, gidNotice(mad.TrapGIDInService, manager, now.gidOf(guid)), now.keysOf(end), end)
	}
}

// ManagerLID returns the base LID of the master's port, 0 if unknown.
func (s *Subnet) ManagerLID() fabric.LID {
	for _, m := range s.Managers {
		if m.State == mad.SMStateMaster && m.End >= 0 {
			return s.Plan.Ends.Base[m.End]
		}
	}
	return 0
}

// missingFrom lists the port GUIDs with a LID in one subnet (in) and without one in another (s).
func missingFrom(s, in *Subnet) (guids []fabric.GUID) {
	for e, guid := range in.Graph.EndGUID {
		if in.Plan.Ends.Base[e] != 0 && guid != 0 && s.endInService(guid) < 0 {
			guids = append(guids, guid)
		}
	}
	slices.Sort(guids)
	return slices.Compact(guids)
}

// endInService returns the end port with a GUID and a LID, -1 for none.
func (s *Subnet) endInService(guid fabric.GUID) int32 {
	if e := s.endOfGUID(guid); e >= 0 && s.Plan.Ends.Base[e] != 0 {
		return e
	}
	return -1
}

// gidOf returns the GID of a port.
func (s *Subnet) gidOf(guid fabric.GUID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.OwnPrefix()), uint64(guid))
}

// GIDOf returns the GID of a GUID.
func (s *Subnet) GIDOf(guid fabric.GUID) [16]byte { return [16]byte(s.gidOf(guid)) }

// share reports whether two end ports share the partition of a P_Key, or any if it is 0.
func (s *Subnet) share(a, b int32, pkey uint16) bool {
	_, ok := s.sharedKey(a, b, pkey)
	return ok
}
