package sa

import (
	"bytes"
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// subscription is a client's subscription to notices.
type subscription struct {
	key  []byte // default GID prefix and GUID of the subscriber, its QP, its InformInfo without Subscribe and RespTimeValue
	info [36]byte
	port fabric.GUID
	to   wire.Address // destination of its reports
	enum uint16
	reportQueue
}

// keyOf returns the key of a subscription.
func keyOf(port fabric.GUID, qp uint32, info []byte) []byte {
	key := make([]byte, 0, 60)
	key = binary.BigEndian.AppendUint64(key, mad.DefaultGIDPrefix)
	key = binary.BigEndian.AppendUint64(key, uint64(port))
	key = binary.BigEndian.AppendUint32(key, qp)
	at := len(key)
	key = append(key, info[:36]...)
	mad.InformInfoSubscribe.Put(key[at:], 0)
	mad.InformInfoRespTimeValue.Put(key[at:], 0)
	return key
}

func (g *Registry) findSubscription(key []byte) (int, bool) {
	return slices.BinarySearchFunc(g.subs, key, func(v *subscription, key []byte) int { return bytes.Compare(v.key, key) })
}

// setInform handles the Set of an InformInfo: it starts or ends a subscription. A missing QP means
// the sender's.
func (g *Registry) setInform(s *Subnet, d *wire.Datagram, q mad.Datagram) mad.Datagram {
	r := &g.responder
	var info [36]byte
	copy(info[:], q.Data())
	asker := s.endOfLID(fabric.LID(d.Addr.SLID))
	subscribe := mad.InformInfoSubscribe.Get(info[:])
	if asker < 0 || subscribe > 1 || mad.InformInfoIsGeneric.Get(info[:]) > 1 || d.Addr.SQP == 0 {
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	if mad.InformInfoQPN.Get(info[:]) == 0 {
		mad.InformInfoQPN.Put(info[:], uint64(d.Addr.SQP))
	}
	port := s.Graph.EndGUID[asker]
	key := keyOf(port, d.Addr.SQP, info[:])
	at, known := g.findSubscription(key)
	switch {
	case subscribe == 0 && !known:
		return r.refuse(q, mad.StatusRequestInvalid)
	case subscribe == 0:
		g.dropSubscription(at)
	case !known:
		if status, ok := g.room(SubscriptionPlace, owner{Subscription, port}, len(g.subs), g.limits.Subscriptions, g.limits.SubscriptionsOfPort); !ok {
			return r.refuse(q, status)
		}
		g.putSubscription(info[:], port, d.Addr.Reply())
	case !sameWay(&g.subs[at].to, d.Addr.Reply()): // a repetition by another path
		g.subs[at].to = d.Addr.Reply()
		g.changed[EntryName{Subscription, string(key)}] = true
	}
	a := r.echo(q)
	copy(a.Data(), info[:])
	return a
}

// sameWay reports whether reports to two addresses take the same path.
func sameWay(a *wire.Address, b wire.Address) bool {
	return a.DLID == b.DLID && a.SL == b.SL && a.QKey == b.QKey && a.PKeyIndex == b.PKeyIndex && a.GRH == b.GRH
}

// putSubscription adds a subscription.
func (g *Registry) putSubscription(info []byte, port fabric.GUID, to wire.Address) *subscription {
	v := &subscription{key: keyOf(port, to.DQP, info), port: port, to: to}
	copy(v.info[:], info)
	at, known := g.findSubscription(v.key)
	if known {
		g.dropSubscription(at)
	}
	v.enum = g.freeEnum(at, v.key[:16])
	g.subs = slices.Insert(g.subs, at, v)
	g.own(owner{Subscription, port}, 1)
	g.changed[EntryName{Subscription, string(v.key)}] = true
	return v
}

// freeEnum returns the lowest number unused by a subscriber. Its subscriptions lie around index at.
func (g *Registry) freeEnum(at int, gid []byte) uint16 {
	used := map[uint16]bool{}
	for i := at - 1; i >= 0 && bytes.HasPrefix(g.subs[i].key, gid); i-- {
		used[g.subs[i].enum] = true
	}
	for i := at; i < len(g.subs) && bytes.HasPrefix(g.subs[i].key, gid); i++ {
		used[g.subs[i].enum] = true
	}
	n := uint16(0)
	for used[n] {
		n++
	}
	return n
}

// dropSubscription removes a subscription and its reports.
func (g *Registry) dropSubscription(at int) {
	v := g.subs[at]
	g.subs = slices.Delete(g.subs, at, at+1)
	g.forget(v)
	g.own(owner{Subscription, v.port}, -1)
	g.changed[EntryName{Subscription, string(v.key)}] = true
}

// getInforms answers a query for InformInfoRecords, limited to ports that the requester sees.
func (g *Registry) getInforms(s *Subnet, q mad.Datagram) mad.Datagram {
	c := g.responder.open(q, mad.InformInfoRecord.RecordSize())
	c.begin(s, informKind, q, nil)
	s.toOwn(mad.InformInfoRecordSubscriberGID.Get(c.want[:]))
	for _, v := range g.subs {
		if c.done() {
			break
		}
		if e := s.endOfGUID(v.port); e < 0 || !c.sees(e) {
			continue
		}
		rec := c.record()
		mad.InformInfoRecordSubscriberGID.Put(rec, s.gidOf(v.port))
		mad.InformInfoRecordEnum.Put(rec, uint64(v.enum))
		copy(mad.InformInfoRecordInformInfo.Get(rec), v.info[:])
		c.offer()
	}
	return g.responder.close(q)
}

// isAbout reports whether a GID of a subscription is the subject of a notice, which is a GID of the
// subnet or a group. The default prefix stands for the subnet's.
func isAbout(gid, about []byte) bool {
	const group = 0xFF
	if binary.BigEndian.Uint64(gid) == mad.DefaultGIDPrefix && about[0] != group {
		return bytes.Equal(gid[8:], about[8:])
	}
	return bytes.Equal(gid, about)
}

// wants reports whether a subscription matches a notice; about is the GID of its subject.
func (v *subscription) wants(notice []byte, about []byte) bool {
	info := v.info[:]
	generic := mad.NoticeIsGeneric.Is(notice)
	if mad.InformInfoIsGeneric.Is(info) != generic {
		return false
	}
	issuer := mad.NoticeIssuerLID.Get(notice)
	if gid := mad.InformInfoGID.Get(info); !bytes.Equal(gid, make([]byte, 16)) {
		if !isAbout(gid, about) {
			return false
		}
	} else if from := mad.InformInfoLIDRangeBegin.Get(info); from != everyLID && (issuer < from || issuer > max(from, mad.InformInfoLIDRangeEnd.Get(info))) {
		return false
	}
	for _, f := range [...]struct {
		asked, is mad.Field
		every     uint64
	}{
		{mad.InformInfoType, mad.NoticeType, 0xFFFF},
		{mad.InformInfoTrapNumber, mad.NoticeTrapNumber, 0xFFFF},
		{mad.InformInfoProducerType, mad.NoticeProducerType, 0xFFFFFF},
	} {
		if want := f.asked.Get(info); want != f.every && want != f.is.Get(notice) {
			return false
		}
	}
	return true
}

// everyLID is the LIDRangeBegin that selects all LIDs.
const everyLID = 0xFFFF
