package sa

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"
	"time"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// Limits bound what clients may register. The zero value stands for UsualLimits.
type Limits struct {
	Services, ServicesOfPort           int
	Subscriptions, SubscriptionsOfPort int
	Reports, ReportsOfSubscription     int // that wait to be sent or acknowledged
}

// UsualLimits holds the usual limits: some 60 MB where all is full.
var UsualLimits = Limits{Services: 65536, ServicesOfPort: 1024, Subscriptions: 65536, SubscriptionsOfPort: 64, Reports: 65536, ReportsOfSubscription: 64}

// Registry holds what clients have registered with subnet administration: services with their leases, and subscriptions to reports. It is a
// pure machine: requests, notices and time in; answers, reports and Entries out. It is not for concurrent use.
type Registry struct {
	limits    Limits
	responder Responder
	services  []*service // by key
	leases    leases
	subs      []*subscription    // by key
	owned     map[owner]int      // how many things ports have registered
	changed   map[EntryName]bool // since the last Changes
	reporter
}

// owner is a port, and what kind of thing it has registered.
type owner struct {
	kind EntryKind
	port fabric.GUID
}

// NewRegistry makes a Registry in which nothing is registered.
func NewRegistry(limits Limits) *Registry {
	if limits == (Limits{}) {
		limits = UsualLimits
	}
	return &Registry{limits: limits, owned: map[owner]int{}, changed: map[EntryName]bool{}, reporter: newReporter()}
}

// Limits returns what bounds it.
func (g *Registry) Limits() Limits { return g.limits }

// Serves reports whether the Registry answers requests for an attribute.
func (g *Registry) Serves(attr mad.AttrID) bool {
	return attr == mad.AttrServiceRecord || attr == mad.AttrInformInfo || attr == mad.AttrInformInfoRecord
}

// Answer answers a request for an attribute that is served, from what is known of a subnet, nil for nothing yet; nil where the request wants none. The
// answer is valid until the next call.
func (g *Registry) Answer(now time.Duration, s *Subnet, d *wire.Datagram) mad.Datagram {
	g.Tick(now)
	g.responder.Asks = fabric.LID(d.Addr.SLID)
	q, refusal := g.responder.check(s, d.MAD)
	if q == nil {
		return refusal
	}
	method, attr := q.Method(), q.Attr()
	get := method == mad.Get || method == mad.GetTable
	switch {
	case attr == mad.AttrServiceRecord && get:
		return g.getServices(now, s, q)
	case attr == mad.AttrServiceRecord && method == mad.Set:
		return g.setService(now, s, d.Addr.SLID, q)
	case attr == mad.AttrServiceRecord && method == mad.Delete:
		return g.deleteService(now, s, d.Addr.SLID, q)
	case attr == mad.AttrInformInfo && method == mad.Set:
		return g.setInform(s, d, q)
	case attr == mad.AttrInformInfoRecord && get:
		return g.getInforms(s, q)
	}
	return g.responder.refuse(q, unservedStatus(method))
}

// echo answers that a request was taken, with its own record.
func (r *Responder) echo(q mad.Datagram) mad.Datagram {
	a := r.refuse(q, mad.StatusOK)
	mad.SAHeaderAttributeOffset.Put(a, 0)
	return a
}

// room reports whether a port may register one more thing, and otherwise with what status it is refused.
func (g *Registry) room(o owner, have, most, mostOfPort int) (mad.Status, bool) {
	switch {
	case g.owned[o] >= mostOfPort:
		return mad.StatusNoResources, false
	case have >= most: // others may end
		return mad.StatusBusy, false
	}
	return mad.StatusOK, true
}

// own counts a thing that a port has registered, or that has ended.
func (g *Registry) own(o owner, n int) {
	if g.owned[o] += n; g.owned[o] == 0 {
		delete(g.owned, o)
	}
}

// service is a service that was registered.
type service struct {
	key     []byte // ServiceID, ServiceGID, ServiceP_Key
	rec     [176]byte
	port    fabric.GUID   // that has registered it
	ends    time.Duration // its lease; never
	atLease int           // its place among the leases
}

const (
	never    = time.Duration(1<<63 - 1)
	forEver  = 0xFFFFFFFF // as a ServiceLease
	keyOfSvc = 26         // bytes of a record that name it
)

// findService returns the place of a service, and whether it is there.
func (g *Registry) findService(key []byte) (int, bool) {
	return slices.BinarySearchFunc(g.services, key, func(v *service, key []byte) int { return bytes.Compare(v.key, key) })
}

// putService registers a service in place of one with its key.
func (g *Registry) putService(now time.Duration, rec []byte, port fabric.GUID) {
	at, known := g.findService(rec[:keyOfSvc])
	if known {
		g.dropService(at)
	}
	v := &service{port: port, ends: never}
	copy(v.rec[:], rec)
	v.key = v.rec[:keyOfSvc]
	if lease := mad.ServiceRecordLease.Get(rec); lease != forEver {
		v.ends = now + time.Duration(lease)*time.Second
	}
	g.services = slices.Insert(g.services, at, v)
	heap.Push(&g.leases, v)
	g.own(owner{Service, port}, 1)
	g.changed[EntryName{Service, string(v.key)}] = true
}

// dropService ends a service.
func (g *Registry) dropService(at int) {
	v := g.services[at]
	g.services = slices.Delete(g.services, at, at+1)
	heap.Remove(&g.leases, v.atLease)
	g.own(owner{Service, v.port}, -1)
	g.changed[EntryName{Service, string(v.key)}] = true
}

// The kinds of records that are registered.
var (
	serviceKind = newKind(mad.AttrServiceRecord, mad.ServiceRecord)
	informKind  = newKind(mad.AttrInformInfoRecord, mad.InformInfoRecord)

	serviceID    = mad.ServiceRecord.Mask(mad.ServiceRecordID)
	serviceGID   = mad.ServiceRecord.Mask(mad.ServiceRecordGID)
	servicePKey  = mad.ServiceRecord.Mask(mad.ServiceRecordPKey)
	serviceLease = mad.ServiceRecord.Mask(mad.ServiceRecordLease)
	serviceKey   = mad.ServiceRecord.Mask(mad.ServiceRecordKey)
)

func newKind(attr mad.AttrID, layout *mad.Layout) *kind {
	k := &kind{attr: attr, layout: layout}
	k.findMasks(layout, 0)
	return k
}

// setService takes the Set of a ServiceRecord: a service is registered, or its lease begins anew.
func (g *Registry) setService(now time.Duration, s *Subnet, from uint16, q mad.Datagram) mad.Datagram {
	r := &g.responder
	mask := mad.SAHeaderComponentMask.Get(q)
	if mask&serviceID != serviceID || mask&serviceGID == 0 {
		return r.refuse(q, mad.StatusInsufficientComponents)
	}
	var rec [176]byte
	copy(rec[:], q.Data())
	if mask&serviceLease == 0 {
		mad.ServiceRecordLease.Put(rec[:], forEver)
	}
	if mask&servicePKey == 0 {
		mad.ServiceRecordPKey.Put(rec[:], 0)
	}
	if mask&serviceKey == 0 {
		clear(mad.ServiceRecordKey.Get(rec[:]))
	}
	// With a P_Key the service is at a port that has it, as its asker has; without one it may be told for anything that has a GID. The prefix of the GID
	// does not count: osmtest writes it the wrong way round.
	asker := s.endOfLID(fabric.LID(from))
	invalid := asker < 0 || mad.ServiceRecordLease.Get(rec[:]) == 0
	if mask&servicePKey != 0 && !invalid {
		at := s.endInService(fabric.GUID(binary.BigEndian.Uint64(mad.ServiceRecordGID.Get(rec[:])[8:])))
		invalid = at < 0 || !s.share(asker, at, uint16(mad.ServiceRecordPKey.Get(rec[:])))
	}
	if invalid {
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	port := s.Graph.EndGUID[asker]
	if at, known := g.findService(rec[:keyOfSvc]); known {
		if !g.services[at].mayChange(rec[:]) {
			return r.refuse(q, mad.StatusDenied)
		}
		port = g.services[at].port
	} else if status, ok := g.room(owner{Service, port}, len(g.services), g.limits.Services, g.limits.ServicesOfPort); !ok {
		return r.refuse(q, status)
	}
	g.putService(now, rec[:], port)
	return r.answerService(q, rec[:])
}

// answerService answers that a service was taken, or has ended. Its key is told to those alone who are trusted.
func (r *Responder) answerService(q mad.Datagram, rec []byte) mad.Datagram {
	a := r.echo(q)
	copy(a.Data(), rec)
	if !r.search.trusted {
		clear(mad.ServiceRecordKey.Get(a.Data()))
	}
	return a
}

// isPort reports whether a LID is one of the port with a GUID.
func (s *Subnet) isPort(lid uint16, guid fabric.GUID) bool {
	e := s.endOfLID(fabric.LID(lid))
	return e >= 0 && s.Graph.EndGUID[e] == guid
}

// mayChange reports whether a record has the ServiceKey that a service was registered with.
func (v *service) mayChange(rec []byte) bool {
	key := mad.ServiceRecordKey.Get(v.rec[:])
	return bytes.Equal(key, make([]byte, 16)) || bytes.Equal(key, mad.ServiceRecordKey.Get(rec))
}

// matching prepares a search for services, in which lease and key do not count unless the latter is asked for.
func (g *Registry) matching(s *Subnet, q mad.Datagram, withKey bool) *search {
	c := g.responder.open(q, mad.ServiceRecord.RecordSize())
	c.begin(s, serviceKind, q, nil)
	forget := [][]byte{mad.ServiceRecordKey.Get(c.care[:])}
	if withKey {
		forget = nil
	}
	for _, b := range append(forget, c.care[28:32]) {
		clear(b)
	}
	for i := range c.want {
		c.want[i] &= c.care[i]
	}
	return c
}

// service makes the record of a service: its lease is what is left of it, its key is told to those who know it.
func (c *search) service(now time.Duration, v *service, told bool) {
	copy(c.rec[:c.size], v.rec[:])
	if v.ends != never {
		mad.ServiceRecordLease.Put(c.rec[:], uint64((v.ends-now+time.Second-1)/time.Second))
	}
	if !told {
		clear(mad.ServiceRecordKey.Get(c.rec[:]))
	}
}

// seesService reports whether whoever asks may know of a service: it has its partition, or for one without a P_Key may know of the port that has registered it.
func (c *search) seesService(v *service) bool {
	if c.trusted || c.asks == nil {
		return true
	}
	if key := uint16(mad.ServiceRecordPKey.Get(v.rec[:])); key&^mad.PKeyFull != 0 {
		return slices.ContainsFunc(c.asks, func(own uint16) bool { return (own^key)&^mad.PKeyFull == 0 })
	}
	e := c.s.endOfGUID(v.port)
	return e >= 0 && c.sees(e)
}

// getServices answers a query for ServiceRecords.
func (g *Registry) getServices(now time.Duration, s *Subnet, q mad.Datagram) mad.Datagram {
	byKey := mad.SAHeaderComponentMask.Get(q)&serviceKey != 0
	c := g.matching(s, q, true)
	for _, v := range g.services {
		if c.done() {
			break
		}
		if c.seesService(v) {
			c.service(now, v, byKey || c.trusted)
			c.offer()
		}
	}
	return g.responder.close(q)
}

// deleteService takes the Delete of a ServiceRecord: the one service that is as it says ends. The port that has registered it need not say its key.
func (g *Registry) deleteService(now time.Duration, s *Subnet, from uint16, q mad.Datagram) mad.Datagram {
	r := &g.responder
	mask := mad.SAHeaderComponentMask.Get(q)
	if mask&serviceID != serviceID && mask&mad.ServiceRecord.Mask(mad.ServiceRecordName) == 0 {
		return r.refuse(q, mad.StatusInsufficientComponents)
	}
	c := g.matching(s, q, false)
	at, n := -1, 0
	for i, v := range g.services {
		c.service(now, v, true)
		if c.seesService(v) && c.matches() {
			at, n = i, n+1
		}
	}
	switch {
	case n == 0:
		return r.refuse(q, mad.StatusNoRecords)
	case n > 1:
		return r.refuse(q, mad.StatusTooManyRecords)
	case !g.services[at].mayChange(q.Data()) && (mask&serviceKey != 0 || !s.isPort(from, g.services[at].port)):
		return r.refuse(q, mad.StatusDenied)
	}
	a := r.answerService(q, g.services[at].rec[:])
	g.dropService(at)
	return a
}

// leases orders services by when their leases end.
type leases []*service

func (l leases) Len() int { return len(l) }
func (l leases) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].ends, l[j].ends), bytes.Compare(l[i].key, l[j].key)) < 0
}

func (l leases) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].atLease, l[j].atLease = i, j
}

// Push and Pop implement heap.Interface.
func (l *leases) Push(v any) {
	v.(*service).atLease = len(*l)
	*l = append(*l, v.(*service))
}

// Pop implements heap.Interface.
func (l *leases) Pop() any {
	last := len(*l) - 1
	v := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return v
}

// Tick ends the services whose leases have ended.
func (g *Registry) Tick(now time.Duration) {
	for len(g.leases) > 0 && g.leases[0].ends <= now {
		at, _ := g.findService(g.leases[0].key)
		g.dropService(at)
	}
}

// Deadline returns when Tick is to be called; never where that is not needed.
func (g *Registry) Deadline() time.Duration {
	if len(g.leases) == 0 {
		return never
	}
	return g.leases[0].ends
}
