package rmpp

import (
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// incoming is a message that is being received.
type incoming struct {
	addr     wire.Address // the way back
	message  mad.Datagram
	got      int    // segments that came, from the first one on
	ahead    uint64 // bit i: segment got+1+i came
	window   int    // last segment that was allowed
	last     int    // number of the last segment, 0 as long as it is not known
	lastData int    // bytes of data in it
	declared int    // bytes that the first segment says the message has, headers included; 0: it does not
	complete bool   // it was delivered; what comes again is acknowledged
	due      time.Duration
}

// onData takes a segment.
func (m *Machine) onData(now time.Duration, k key, d *wire.Datagram) {
	segment, flags := mad.RMPPSegmentNumber.Get(d.MAD), mad.RMPPFlags.Get(d.MAD)
	r := m.in[k]
	switch {
	case mad.RMPPVersion.Get(d.MAD) != 1:
		m.refuse(k, d, mad.RMPPStatusBadVersion)
		return
	case segment == 0 || (segment == 1) != (flags&mad.RMPPFirst != 0) || segment > uint64(m.cfg.Longest/mad.RMPPSegmentData+1):
		m.refuse(k, d, mad.RMPPStatusBadSegment)
		return
	case r == nil && segment > 1: // its beginning was lost, or overtaken: it will come again
		return
	case r == nil:
		if r = m.open(now, k, d); r == nil {
			return
		}
	}
	if int(segment) <= r.got {
		if r.complete { // its sender has not heard that yet
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
	if r.got > before { // a message that stands still ends
		r.due = now + m.patience()
	}
	if r.last > 0 && r.got == r.last {
		m.deliver(r)
	} else if r.got == r.window {
		m.acknowledge(r)
	}
}

// open begins a message with its first segment; nil where there is no room for it.
func (m *Machine) open(now time.Duration, k key, d *wire.Datagram) *incoming {
	declared := d.MAD.MessageLength()
	if len(m.in) >= m.cfg.Messages {
		m.forgetComplete()
	}
	if len(m.in) >= m.cfg.Messages || declared > m.cfg.Longest {
		m.counters.Refused++
		m.abortIncoming(d.Addr.Reply(), d.MAD, mad.RMPPStatusNoResources)
		return nil
	}
	r := &incoming{addr: d.Addr.Reply(), window: 1, declared: declared, due: now + m.patience()}
	r.message = append(r.message, d.MAD[:mad.SAHeader.Size]...)
	m.in[k] = r
	m.inBytes += len(r.message)
	return r
}

// forgetComplete forgets the messages that are complete: what comes of them again is taken for a new one.
func (m *Machine) forgetComplete() {
	for k, r := range m.in {
		if r.complete {
			m.dropIn(k)
		}
	}
}

// keep takes the data of a segment, and counts what is in order now. It reports false for a segment that contradicts others.
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
	if m.inBytes+short > m.cfg.Bytes {
		m.refuse(k, d, mad.RMPPStatusNoResources)
		return false
	}
	if last {
		r.last, r.lastData = segment, n
	}
	if short > 0 {
		m.inBytes += short
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

// isEnd reports whether a message can end with a segment of n bytes: nothing behind it has come, and it is as long as was declared.
func (m *Machine) isEnd(r *incoming, segment, n int) bool {
	end := mad.SAHeader.Size + (segment-1)*mad.RMPPSegmentData + n
	return len(r.message) <= end && (r.declared == 0 || r.declared == end)
}

// acknowledge says what has come, and allows the next window.
func (m *Machine) acknowledge(r *incoming) {
	r.window = max(r.window, r.got+m.cfg.Window)
	d := m.datagram(r.message, mad.Size)
	mad.HeaderMethod.Put(d, uint64(receiverMethod(d.Method())))
	d.PutAck(r.got, r.window)
	m.send(r.addr, d)
}

// deliver hands a message over that has come whole, and keeps what is needed to acknowledge its last segment again.
func (m *Machine) deliver(r *incoming) {
	m.counters.Received++
	m.acknowledge(r)
	whole := r.message
	r.message, r.complete = append(mad.Datagram(nil), whole[:mad.SAHeader.Size]...), true
	m.inBytes -= len(whole) - len(r.message)
	whole.PutSegment(1, len(whole)-mad.SAHeader.Size)
	m.actions = append(m.actions, Action{Kind: Deliver, Datagram: wire.Datagram{Addr: r.addr.Reply(), MAD: whole}})
}

// refuse ends a message that contradicts itself, or for which there is no more room.
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

// giveUp forgets a message that is complete, or of which nothing more has come.
func (m *Machine) giveUp(k key, r *incoming) {
	m.dropIn(k)
	if !r.complete {
		m.counters.Broken++
		if !m.cfg.Silent {
			m.abortIncoming(r.addr, r.message, mad.RMPPStatusTooLong)
		}
	}
}

// abortIncoming ends a message that a peer sends.
func (m *Machine) abortIncoming(to wire.Address, header mad.Datagram, status uint64) {
	m.abort(to, header, receiverMethod(header.Method()), status)
}
