package sa

import (
	"weft/fabric"
	"weft/wire/mad"
)

// MostBytes bounds an answer: what would be longer is refused for want of resources.
const MostBytes = 64 << 20

// mostTries bounds the pairs of LIDs that are looked at for paths: as many as an answer has room for. It takes less than a second, in
// which all other queries wait.
const mostTries = MostBytes / 64

// keptMemory bounds the memory of an answer that is kept for the next one.
const keptMemory = 1 << 20

// Responder answers requests, one at a time. The zero value is ready.
type Responder struct {
	Groups *Groups // multicast groups, which joins and leaves change; nil where there are none
	// Asks is the LID that the next request comes from; ports that have no partition in common with its port are not shown to it. 0: all are.
	Asks fabric.LID

	search  search
	memory  []byte
	request [mad.Size]byte // of one that ends before its layouts do
}

// Answer makes the answer to a request, from what is known of a subnet, nil for nothing yet: a whole RMPP message where that is long. It
// is valid until the next call; nil where the datagram wants none. The request is not changed.
func (r *Responder) Answer(s *Subnet, request mad.Datagram) mad.Datagram {
	q, refusal := r.check(s, request)
	if q == nil {
		return refusal
	}
	method := q.Method()
	switch attr := q.Attr(); {
	case method == mad.GetTrace && attr == mad.AttrPathRecord:
		return r.trace(s, q)
	case method == mad.GetMulti && attr == mad.AttrMultiPathRecord:
		return r.multiPath(s, q)
	case attr == mad.AttrMCMemberRecord && r.Groups != nil && method == mad.Set:
		return r.join(s, q)
	case attr == mad.AttrMCMemberRecord && r.Groups != nil && method == mad.Delete:
		return r.leave(s, q)
	case method != mad.Get && method != mad.GetTable:
		return r.refuse(q, unservedStatus(method))
	case attr == mad.AttrPathRecord:
		return r.paths(s, q)
	case attr == mad.AttrMCMemberRecord && r.Groups != nil:
		return r.members(s, q)
	case attr == mad.AttrClassPortInfo && method == mad.Get:
		return r.classPortInfo(s, q)
	case kinds[attr] != nil:
		return r.records(s, q, kinds[attr])
	default:
		return r.refuse(q, mad.StatusBadAttribute)
	}
}

// check returns a request that is as it must be, as long as its layouts; otherwise nil, and its refusal where it wants an answer.
func (r *Responder) check(s *Subnet, q mad.Datagram) (request, refusal mad.Datagram) {
	if len(q) < mad.SAHeader.Size || q.Class() != mad.ClassSA {
		return nil, nil
	}
	if len(q) < mad.Size {
		clear(r.request[copy(r.request[:], q):])
		q = r.request[:]
	}
	method := q.Method()
	if _, ok := method.Response(); !ok || method.IsResponse() || method == mad.Trap {
		return nil, nil
	}
	// A segment of a message that nobody here sends. Programs leave it to the kernel to fill in the header; without one it has no version.
	if mad.RMPPVersion.Get(q) == 1 && mad.RMPPFlags.Get(q)&mad.RMPPActive != 0 && mad.RMPPType.Get(q) != mad.RMPPTypeData {
		return nil, nil
	}
	switch key := mad.SAHeaderSMKey.Get(q); {
	case mad.HeaderBaseVersion.Get(q) != 1 || mad.HeaderClassVersion.Get(q) != 2:
		return nil, r.refuse(q, mad.StatusBadVersion)
	case s == nil:
		return nil, r.refuse(q, mad.StatusBusy)
	case key != 0 && key != s.SMKey: // who guesses is told nothing
		return nil, nil
	default:
		r.search.trusted = key != 0
		r.search.asks, r.search.asker = s.keysOfLID(r.Asks), s.endOfLID(r.Asks)
	}
	return q, nil
}

// unservedStatus returns the status for a method that is not served for an attribute, or not at all.
func unservedStatus(m mad.Method) mad.Status {
	switch m {
	case mad.Set, mad.Delete, mad.GetMulti, mad.GetTrace:
		return mad.StatusBadAttribute
	default:
		return mad.StatusBadMethod
	}
}

// refuse answers with a status; the record is that of the request.
func (r *Responder) refuse(q mad.Datagram, status mad.Status) mad.Datagram {
	r.memory = append(r.memory[:0], q[:mad.Size]...)
	a := mad.Datagram(r.memory)
	a.PutNoRMPP()
	a.Answer(status)
	if q.Attr() == mad.AttrMultiPathRecord {
		mad.HeaderAttributeID.Put(a, uint64(mad.AttrPathRecord))
	}
	return a
}

// open begins the records of an answer: room for headers.
func (r *Responder) open(q mad.Datagram, size int) *search {
	c := &r.search
	if cap(r.memory) > keptMemory {
		r.memory = nil
	}
	c.out = append(r.memory[:0], q[:mad.SAHeader.Size]...)
	c.size, c.found, c.tooMany, c.most, c.tries = size, 0, false, MostBytes, mostTries
	c.enough = 2 // more than a Get may have
	if q.Method() != mad.Get {
		c.enough = MostBytes
	}
	return c
}

// close makes the answer of the records that were found.
func (r *Responder) close(q mad.Datagram) mad.Datagram {
	c := &r.search
	r.memory = c.out
	switch get := q.Method() == mad.Get; {
	case c.tooMany:
		return r.refuse(q, mad.StatusNoResources)
	case get && c.found == 0:
		return r.refuse(q, mad.StatusNoRecords)
	case get && c.found > 1:
		return r.refuse(q, mad.StatusTooManyRecords)
	case get: // a datagram as any other
		if short := mad.Size - len(r.memory); short > 0 {
			r.memory = append(r.memory, zeros[:short]...)
		}
	}
	a := mad.Datagram(r.memory)
	a.Answer(mad.StatusOK)
	a.PutNoRMPP()
	mad.SAHeaderAttributeOffset.Put(a, uint64(c.size/8))
	if q.Method() != mad.Get {
		a.PutSegment(1, len(a)-mad.SAHeader.Size)
	}
	return a
}

var zeros [mad.Size]byte

// records answers a query for records that belong to nodes.
func (r *Responder) records(s *Subnet, q mad.Datagram, k *kind) mad.Datagram {
	c := r.open(q, k.layout.RecordSize())
	if k.secret && !c.trusted {
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	nodes, ok := c.begin(s, k, q, s.Nodes)
	for i := range nodes {
		if !ok || c.done() {
			break
		}
		if c.seesNode(&nodes[i]) {
			k.fill(c, &nodes[i])
		}
	}
	return r.close(q)
}

// responseTime is told to those who ask, as the time in which they have their answer: a code, of 0.27 s.
const responseTime = 16

// classPortInfo says what is served.
func (r *Responder) classPortInfo(_ *Subnet, q mad.Datagram) mad.Datagram {
	c := r.open(q, mad.ClassPortInfo.Size)
	var rec [72]byte
	mad.ClassPortInfoBaseVersion.Put(rec[:], 1)
	mad.ClassPortInfoClassVersion.Put(rec[:], 2)
	mad.ClassPortInfoCapabilityMask.Put(rec[:], mad.SACapOptionalRecords|mad.SACapMultiPath|mad.SACapPortInfoMatch)
	mad.ClassPortInfoCapabilityMask2.Put(rec[:], mad.SACap2FullPortInfoRecord|mad.SACap2ExtendedSpeeds|mad.SACap2LinkWidth2x|mad.SACap2LinkSpeedHDR|mad.SACap2LinkSpeedNDR)
	if r.Groups != nil {
		mad.ClassPortInfoCapabilityMask.Put(rec[:], mad.ClassPortInfoCapabilityMask.Get(rec[:])|mad.SACapUDMulticast)
		mad.ClassPortInfoCapabilityMask2.Put(rec[:], mad.ClassPortInfoCapabilityMask2.Get(rec[:])|mad.SACap2SendOnlyFullMember)
	}
	mad.ClassPortInfoRespTimeValue.Put(rec[:], responseTime)
	mad.ClassPortInfoRedirectQP.Put(rec[:], 1)
	mad.ClassPortInfoRedirectQKey.Put(rec[:], queueKey)
	mad.ClassPortInfoTrapQKey.Put(rec[:], queueKey)
	c.add(rec[:])
	c.size = 0 // no table
	return r.close(q)
}

// queueKey is the Q_Key of QP 1.
const queueKey = 0x80010000
