package rmpp

import (
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// incoming is a message being received.
type incoming struct {
	addr     wire.Address // reply address
	message  mad.Datagram
	got      int    // complete segments from the first one on
	ahead    uint64 // bit i: segment got+1+i has arrived
	window   int    // last segment allowed
	last     int    // number of the last segment, 0 if unknown
	lastData int    // bytes of data in it
	declared int    // length in the first segment, headers included; 0: none
	complete bool   // it was delivered; repetitions are acknowledged
	due      time.Duration
}

// onData processes a segment.
func (m *Machine) onData(now time.Duration, k key, d *wire.Datagram) {
	segment, flags := mad.RMPPSegmentNumber.Get(d.MAD), mad.RMPPFlags.Get(d.MAD)
	r := m.in[k]
	if r != nil && r.complete && r.message.TID() != d.MAD.TID() {
		// Another program behind the same LID has counted to the same number.
		m.dropIn(k)
		r = nil
	}
	switch {
	case mad.RMPPVersion.Get(d.MAD) != 1:
		m.refuse(k, d, mad.RMPPStatusBadVersion)
		return
	case segment == 0 || (segment == 1) != (flags&mad.RMPPFirst != 0) || segment > uint64(m.longest(d.MAD)/mad.RMPPSegmentData+1):
		m.refuse(k, d, mad.RMPPStatusBadSegment)
		return
	case r == nil && segment > 1: // its beginning was lost or delayed: it will be repeated
		return
	case r == nil:
		if r = m.open(now, k, d); r == nil {
			return
		}
	}
	if int(segment) <= r.got {
		if r.complete { // its sender does not know yet
			r.due = now + m.patience()
		}
		m.acknowledge(r)
		return
	}
	if int(segment) > r.window {
		m.refuse(k, d, mad.RMPPStatusSegmentTooBig)
		return
	}
	before := r.got
	if !m.keep(k, r, d, int(segment), flags&mad.RMPPLast != 0) {
		return
	}
	if r.got > before { // without progress a message ends
		r.due = now + m.patience()
	}
	if r.last > 0 && r.got == r.last {
		m.deliver(k, r)
	} else if r.got == r.window {
		m.acknowledge(r)
	}
}

// open begins a message with its first segment; it returns nil if there is no room.
func (m *Machine) open(now time.Duration, k key, d *wire.Datagram) *incoming {
	declared := d.MAD.MessageLength()
	if len(m.in) >= m.cfg.Messages {
		m.forgetComplete()
	}
	if len(m.in) >= m.cfg.Messages || declared > m.longest(d.MAD) || !m.inUse.allows(&m.cfg, k.lid, mad.SAHeader.Size) {
		m.counters.Refused++
		m.abortIncoming(d.Addr.Reply(), d.MAD, mad.RMPPStatusNoResources)
		return nil
	}
	r := &incoming{addr: d.Addr.Reply(), window: 1, declared: declared, due: now + m.patience()}
	r.message = append(r.message, d.MAD[:mad.SAHeader.Size]...)
	m.in[k] = r
	m.inUse.add(k.lid, 1, len(r.message))
	return r
}

// longest returns the maximum length of a message from a peer. Requests are short; without this a
// peer could fill the memory with one.
func (m *Machine) longest(d mad.Datagram) int {
	if d.Method().IsResponse() {
		return m.cfg.Longest
	}
	return min(m.cfg.Longest, m.cfg.Question)
}

// forgetComplete forgets the complete messages: their repetitions count as new messages.
func (m *Machine) forgetComplete() {
	for k, r := range m.in {
		if r.complete {
			m.dropIn(k)
		}
	}
}

// keep stores the data of a segment, and counts the segments now in order. It returns false for a
// segment that contradicts others.
func (m *Machine) keep(k key, r *incoming, d *wire.Datagram, segment int, last bool) bool {
	n := mad.RMPPSegmentData
	if last {
		n = int(mad.RMPPPayloadLength.Get(d.MAD)) - mad.RMPPSegmentOverhead
		if segment == 1 {
			n = r.declared - mad.SAHeader.Size
		}
	}
	switch known := r.last > 0; {
	case n < 0 || n > len(d.MAD.Data()) || n > mad.RMPPSegmentData:
		m.refuse(k, d, mad.RMPPStatusBadLength)
		return false
	case last && known && (r.last != segment || r.lastData != n), !last && known && segment >= r.last, last && !m.isEnd(r, segment, n):
		m.refuse(k, d, mad.RMPPStatusBadSegment)
		return false
	}
	from := mad.SAHeader.Size + (segment-1)*mad.RMPPSegmentData
	short := max(0, from+n-len(r.message))
	if !m.inUse.grows(&m.cfg, k.lid, short) {
		m.refuse(k, d, mad.RMPPStatusNoResources)
		return false
	}
	if last {
		r.last, r.lastData = segment, n
	}
	if short > 0 {
		m.inUse.add(k.lid, 0, short)
		r.message = append(r.message, make([]byte, short)...)
	}
	copy(r.message[from:from+n], d.MAD.Data())
	r.ahead |= 1 << (segment - r.got - 1)
	for r.ahead&1 != 0 {
		r.ahead >>= 1
		r.got++
	}
	return true
}

// isEnd reports whether a message can end with a segment of n bytes: no later segment has arrived,
// and the length matches the declared one.
func (m *Machine) isEnd(r *incoming, segment, n int) bool {
	end := mad.SAHeader.Size + (segment-1)*mad.RMPPSegmentData + n
	return len(r.message) <= end && (r.declared == 0 || r.declared == end)
}

// acknowledge acknowledges the segments so far, and allows the next window.
func (m *Machine) acknowledge(r *incoming) {
	r.window = max(r.window, r.got+m.cfg.Window)
	d := m.datagram(r.message, mad.Size)
	mad.HeaderMethod.Put(d, uint64(receiverMethod(d.Method())))
	d.PutAck(r.got, r.window)
	m.send(r.addr, d)
}

// deliver delivers a complete message, and keeps its header to acknowledge its last segment again.
// That no longer counts for its peer, and gives way to new messages.
func (m *Machine) deliver(k key, r *incoming) {
	m.counters.Received++
	m.acknowledge(r)
	whole := r.message
	m.inUse.add(k.lid, -1, -len(whole))
	r.message, r.complete = append(mad.Datagram(nil), whole[:mad.SAHeader.Size]...), true
	whole.PutSegment(1, len(whole)-mad.SAHeader.Size)
	m.actions = append(m.actions, Action{Kind: Deliver, Datagram: wire.Datagram{Addr: r.addr.Reply(), MAD: whole}})
}

// refuse ends a message that contradicts itself, or has no room.
func (m *Machine) refuse(k key, d *wire.Datagram, status uint64) {
	if status == mad.RMPPStatusNoResources {
		m.counters.Refused++
	} else {
		m.counters.Malformed++
	}
	m.abortIncoming(d.Addr.Reply(), d.MAD, status)
	if r := m.in[k]; r != nil && !r.complete {
		m.counters.Broken++
		m.dropIn(k)
	}
}

// giveUp forgets a message that is complete or made no progress.
func (m *Machine) giveUp(k key, r *incoming) {
	m.dropIn(k)
	if !r.complete {
		m.counters.Broken++
		if !m.cfg.Silent {
			m.abortIncoming(r.addr, r.message, mad.RMPPStatusTooLong)
		}
	}
}

// abortIncoming aborts a message from a peer.
func (m *Machine) abortIncoming(to wire.Address, header mad.Datagram, status uint64) {
	m.abort(to, header, receiverMethod(header.Method()), status)
}
