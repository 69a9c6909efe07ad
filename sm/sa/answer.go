package sa

import (
	"weft/fabric"
	"weft/wire/mad"
)

// MostBytes bounds an answer; a longer one is refused with status NO_RESOURCES.
const MostBytes = 64 << 20

// mostTries bounds the pairs of LIDs tried for paths: as many as fit into an answer. That takes
// less than a second, during which all other queries wait.
const mostTries = MostBytes / 64

// keptMemory bounds the answer buffer that is kept for the next request.
const keptMemory = 1 << 20

// Responder answers requests one by one. The zero value is ready to use.
type Responder struct {
	Groups *Groups // multicast groups, changed by joins and leaves; nil if not served
	// Asks is the LID of the next requester. It sees only ports that share a partition with its
	// port; 0: all.
	Asks fabric.LID

	search  search
	memory  []byte
	request [mad.Size]byte // a request padded to full size
}

// Answer returns the answer to a request, a whole RMPP message if long; nil if the request gets
// none. The answer is valid until the next call; the request is not changed. s is nil before the
// first discovery.
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
	case kinds()[attr] != nil:
		return r.records(s, q, kinds()[attr])
	default:
		return r.refuse(q, mad.StatusBadAttribute)
	}
}

// check returns a valid request, padded to full size; or nil, and the refusal if it gets one.
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
	// This is an RMPP control segment, which no requester should send here. Programs may leave the
	// RMPP header to the kernel; its version is then 0.
	if mad.RMPPVersion.Get(q) == 1 && mad.RMPPFlags.Get(q)&mad.RMPPActive != 0 && mad.RMPPType.Get(q) != mad.RMPPTypeData {
		return nil, nil
	}
	switch key := mad.SAHeaderSMKey.Get(q); {
	case mad.HeaderBaseVersion.Get(q) != 1 || mad.HeaderClassVersion.Get(q) != 2:
		return nil, r.refuse(q, mad.StatusBadVersion)
	case s == nil:
		return nil, r.refuse(q, mad.StatusBusy)
	case key != 0 && key != s.SMKey: // no answer to someone who guesses keys
		return nil, nil
	default:
		r.search.trusted = key != 0
		r.search.asks, r.search.asker = s.keysOfLID(r.Asks), s.endOfLID(r.Asks)
	}
	return q, nil
}

// unservedStatus returns the status for a method that is not served, for this attribute or at all.
func unservedStatus(m mad.Method) mad.Status {
	switch m {
	case mad.Set, mad.Delete, mad.GetMulti, mad.GetTrace:
		return mad.StatusBadAttribute
	default:
		return mad.StatusBadMethod
	}
}

// refuse answers with a status and the request's record.
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

// open starts an answer with its headers.
func (r *Responder) open(q mad.Datagram, size int) *search {
	c := &r.search
	if cap(r.memory) > keptMemory {
		r.memory = nil
	}
	c.out = append(r.memory[:0], q[:mad.SAHeader.Size]...)
	c.size, c.found, c.tooMany, c.most, c.tries = size, 0, false, MostBytes, mostTries
	c.enough = 2 // one more than a Get may have
	if q.Method() != mad.Get {
		c.enough = MostBytes
	}
	return c
}

// close completes the answer.
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
	case get: // a single datagram
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

// records answers a query for records of nodes.
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

// responseTime is the promised time to answer, as a code: 0.27 s.
const responseTime = 16

// classPortInfo answers with the ClassPortInfo of subnet administration.
func (r *Responder) classPortInfo(_ *Subnet, q mad.Datagram) mad.Datagram {
	c := r.open(q, mad.ClassPortInfo.Size)
	var rec [72]byte
	mad.ClassPortInfoBaseVersion.Put(rec[:], 1)
	mad.ClassPortInfoClassVersion.Put(rec[:], 2)
	mad.ClassPortInfoCapabilityMask.Put(rec[:], mad.SACapOptionalRecords|mad.SACapMultiPath|mad.SACapPortInfoMatch)
	mad.ClassPortInfoCapabilityMask2.Put(rec[:], mad.SACap2MulticastFDBTop|mad.SACap2FullPortInfoRecord|mad.SACap2ExtendedSpeeds|mad.SACap2LinkWidth2x|mad.SACap2LinkSpeedHDR|mad.SACap2LinkSpeedNDR)
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
