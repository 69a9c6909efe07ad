package sa

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"
	"time"

	"weft/fabric"
	"weft/internal/share"
	"weft/wire"
	"weft/wire/mad"
)

// Limits bounds the registrations of clients. Without Services, UsualLimits apply.
type Limits struct {
	Services, ServicesOfPort           int
	Subscriptions, SubscriptionsOfPort int
	Reports, ReportsOfSubscription     int // waiting for transmission or acknowledgement

	Share share.Rule // of one port; the limits of a port apply too
}

// UsualLimits are the default limits: about 60 MB if all are reached.
var UsualLimits = Limits{Services: 65536, ServicesOfPort: 1024, Subscriptions: 65536, SubscriptionsOfPort: 64, Reports: 65536, ReportsOfSubscription: 64}

// Registry stores the registrations of clients: services with their leases, and subscriptions to
// reports. It is a pure machine: requests, notices and time in; answers, reports and Entries out.
// It is not for concurrent use.
type Registry struct {
	limits    Limits
	responder Responder
	services  []*service // by key
	leases    leases
	subs      []*subscription    // by key
	owned     map[owner]int      // number of registrations by port
	changed   map[EntryName]bool // since the last Changes
	reporter

	Aliases *Aliases   // of ports
	toPorts blockQueue // blocks that their ports must be told
	// IsMember says whether a port has joined a group under an alias, which then stays; nil: none.
	IsMember func(alias fabric.GUID) bool
	// IsPort says whether a GUID is a port's own, even if the port is away; nil: not known.
	IsPort func(guid fabric.GUID) bool

	// Refused is called when a port gets no more than its share, unless nil.
	Refused func(OverShare)
}

// owner is a port and the kind of its registrations.
type owner struct {
	kind EntryKind
	port fabric.GUID
}

// NewRegistry returns an empty Registry.
func NewRegistry(limits Limits) *Registry {
	if limits.Services == 0 {
		rule := limits.Share
		limits = UsualLimits
		limits.Share = rule
	}
	return &Registry{limits: limits, owned: map[owner]int{}, changed: map[EntryName]bool{}, reporter: newReporter(), Aliases: NewAliases()}
}

// Renew returns an empty Registry with the same limits.
func (g *Registry) Renew() *Registry {
	now := NewRegistry(g.limits)
	now.Refused, now.IsMember, now.IsPort, now.Aliases = g.Refused, g.IsMember, g.IsPort, g.Aliases
	now.Aliases.clear()
	return now
}

// Serves reports whether the Registry answers requests for an attribute.
func (g *Registry) Serves(attr mad.AttrID) bool {
	return attr == mad.AttrServiceRecord || attr == mad.AttrInformInfo || attr == mad.AttrInformInfoRecord || attr == mad.AttrGUIDInfoRecord
}

// Answer returns the answer to a request for a served attribute; nil if it gets none. The answer is
// valid until the next call. s is nil before the first discovery.
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
	case attr == mad.AttrGUIDInfoRecord && get:
		return g.responder.records(s, q, kinds()[attr])
	case attr == mad.AttrGUIDInfoRecord && (method == mad.Set || method == mad.Delete):
		return g.changeAliases(s, d.Addr.SLID, q)
	case attr == mad.AttrInformInfo && method == mad.Set:
		return g.setInform(s, d, q)
	case attr == mad.AttrInformInfoRecord && get:
		return g.getInforms(s, q)
	}
	return g.responder.refuse(q, unservedStatus(method))
}

// echo confirms a request with its own record.
func (r *Responder) echo(q mad.Datagram) mad.Datagram {
	a := r.refuse(q, mad.StatusOK)
	mad.SAHeaderAttributeOffset.Put(a, 0)
	return a
}

// room reports whether a port may register one more item, or else the status of the refusal.
func (g *Registry) room(p Place, o owner, have, most, mostOfPort int) (mad.Status, bool) {
	switch held := g.owned[o]; {
	case have >= most: // others may expire
		return mad.StatusBusy, false
	case held >= mostOfPort || !g.limits.Share.Allows(held, have, most):
		if g.Refused != nil {
			g.Refused(OverShare{p, o.port, held, have, most})
		}
		return mad.StatusNoResources, false
	}
	return mad.StatusOK, true
}

// own adds n to the number of a port's registrations.
func (g *Registry) own(o owner, n int) {
	if g.owned[o] += n; g.owned[o] == 0 {
		delete(g.owned, o)
	}
}

// service is a registered service.
type service struct {
	key     []byte // ServiceID, ServiceGID, ServiceP_Key
	rec     [176]byte
	port    fabric.GUID   // that registered it
	ends    time.Duration // end of its lease; never if unlimited
	atLease int           // index in leases
}

const (
	never    = time.Duration(1<<63 - 1)
	forEver  = 0xFFFFFFFF // as a ServiceLease
	keyOfSvc = 26         // length of the key at the start of a record
)

// findService returns the index of a service, and whether it exists.
func (g *Registry) findService(key []byte) (int, bool) {
	return slices.BinarySearchFunc(g.services, key, func(v *service, key []byte) int { return bytes.Compare(v.key, key) })
}

// putService adds a service, or replaces the one with the same key.
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

// dropService removes a service.
func (g *Registry) dropService(at int) {
	v := g.services[at]
	g.services = slices.Delete(g.services, at, at+1)
	heap.Remove(&g.leases, v.atLease)
	g.own(owner{Service, v.port}, -1)
	g.changed[EntryName{Service, string(v.key)}] = true
}

// dropAbandoned removes the services of ports that are gone, when no place is left. Otherwise a
// service without a lease would hold its place for ever.
func (g *Registry) dropAbandoned(s *Subnet) {
	for at := len(g.services) - 1; at >= 0; at-- {
		if s.endInService(g.services[at].port) < 0 {
			g.dropService(at)
		}
	}
}

// The kinds and mask bits of registered records.
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

// setService handles the Set of a ServiceRecord: it registers a service, or renews its lease.
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
	// With a P_Key, both the requester and the service's port must have it. Without one, any GID
	// will do. The prefix of the GID is ignored: osmtest writes it in the wrong byte order.
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
	} else {
		if len(g.services) >= g.limits.Services {
			g.dropAbandoned(s)
		}
		if status, ok := g.room(ServicePlace, owner{Service, port}, len(g.services), g.limits.Services, g.limits.ServicesOfPort); !ok {
			return r.refuse(q, status)
		}
	}
	g.putService(now, rec[:], port)
	return r.answerService(q, rec[:])
}

// answerService confirms a change of a service. Only trusted requesters see its key.
func (r *Responder) answerService(q mad.Datagram, rec []byte) mad.Datagram {
	a := r.echo(q)
	copy(a.Data(), rec)
	if !r.search.trusted {
		clear(mad.ServiceRecordKey.Get(a.Data()))
	}
	return a
}

// isPort reports whether a LID belongs to the port with a GUID.
func (s *Subnet) isPort(lid uint16, guid fabric.GUID) bool {
	e := s.endOfLID(fabric.LID(lid))
	return e >= 0 && s.Graph.EndGUID[e] == guid
}

// mayChange reports whether a record has the ServiceKey of a registered service, or that has none.
func (v *service) mayChange(rec []byte) bool {
	key := mad.ServiceRecordKey.Get(v.rec[:])
	return bytes.Equal(key, make([]byte, 16)) || bytes.Equal(key, mad.ServiceRecordKey.Get(rec))
}

// matching prepares a search for services. It ignores the lease, and the key unless withKey is set.
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

// service builds the record of a service, with the remaining lease; its key only if told is set.
func (c *search) service(now time.Duration, v *service, told bool) {
	copy(c.rec[:c.size], v.rec[:])
	if v.ends != never {
		mad.ServiceRecordLease.Put(c.rec[:], uint64((v.ends-now+time.Second-1)/time.Second))
	}
	if !told {
		clear(mad.ServiceRecordKey.Get(c.rec[:]))
	}
}

// seesService reports whether the requester has the service's P_Key; without one, whether it sees
// the port that registered it.
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

// deleteService handles the Delete of a ServiceRecord: the single matching service ends. The port
// that registered it may omit the key.
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

// leases is a heap of services by the end of their leases.
type leases []*service

func (l leases) Len() int { return len(l) }
func (l leases) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].ends, l[j].ends), bytes.Compare(l[i].key, l[j].key)) < 0
}

func (l leases) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].atLease, l[j].atLease = i, j
}

// Push implements heap.Interface.
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

// Tick removes the services whose leases have expired.
func (g *Registry) Tick(now time.Duration) {
	for len(g.leases) > 0 && g.leases[0].ends <= now {
		at, _ := g.findService(g.leases[0].key)
		g.dropService(at)
	}
}

// Deadline returns the next time to call Tick; never if there is none.
func (g *Registry) Deadline() time.Duration {
	if len(g.leases) == 0 {
		return never
	}
	return g.leases[0].ends
}
