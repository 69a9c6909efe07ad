package rmpp

import (
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// outgoing is a message being sent.
type outgoing struct {
	addr     wire.Address
	message  mad.Datagram
	segments int
	sent     int // segments sent, from the first one on
	acked    int // segments acknowledged, from the first one on
	window   int // last segment that may be sent
	patience Patience
	left     int // repetitions left
	due      time.Duration
}

// total returns the number of bytes of data.
func (s *outgoing) total() int { return len(s.message) - mad.SAHeader.Size }

// sendWindow sends all unsent segments that are allowed, and reports whether there were any.
func (m *Machine) sendWindow(s *outgoing) bool {
	from := s.sent
	for s.sent < min(s.window, s.segments, s.acked+MaxWindow) {
		s.sent++
		size := mad.Size
		if s.segments == 1 { // the length shows a short message: ibsim's clients count records by it
			size = len(s.message)
		}
		d := m.datagram(s.message, size)
		from, to := d.PutSegment(s.sent, s.total())
		copy(d.Data(), s.message.Data()[from:to])
		m.send(s.addr, d)
		m.counters.Segments++
	}
	return s.sent > from
}

// onAck processes an acknowledgement. Without progress it does not delay the repetition, so that a
// stalled message ends.
func (m *Machine) onAck(now time.Duration, k key, d *wire.Datagram) {
	s := m.out[k]
	if s == nil {
		return // late, or not ours
	}
	segment, window := mad.RMPPSegmentNumber.Get(d.MAD), mad.RMPPNewWindowLast.Get(d.MAD)
	switch {
	case segment > uint64(s.sent):
		m.fail(k, s, mad.RMPPStatusSegmentTooBig)
		return
	case window < segment:
		m.fail(k, s, mad.RMPPStatusWindowTooSmall)
		return
	case int(segment) < s.acked: // overtaken by a later one
		return
	}
	progress := int(segment) > s.acked
	if progress {
		s.acked, s.left = int(segment), s.patience.Retries
	}
	s.window = max(s.window, int(min(window, uint64(s.segments))))
	if s.acked == s.segments {
		m.counters.Sent++
		m.dropOut(k)
		return
	}
	if m.sendWindow(s) || progress {
		s.due = now + s.patience.Timeout
	}
}

// fail ends a message with an ABORT.
func (m *Machine) fail(k key, s *outgoing, status uint64) {
	m.counters.Failed++
	m.abort(s.addr, s.message, s.message.Method(), status)
	m.dropOut(k)
}

// repeat sends unacknowledged segments again.
func (m *Machine) repeat(now time.Duration, k key, s *outgoing) {
	if s.left > 0 {
		s.left--
		m.counters.Repeated += uint64(s.sent - s.acked)
		s.sent = s.acked
		s.due = now + s.patience.Timeout
		m.sendWindow(s)
		return
	}
	if m.cfg.Silent {
		m.counters.Failed++
		m.dropOut(k)
	} else {
		m.fail(k, s, mad.RMPPStatusTooManyRetries)
	}
	header := m.datagram(s.message, mad.SAHeader.Size)
	m.actions = append(m.actions, Action{Kind: TimedOut, Datagram: wire.Datagram{Addr: s.addr, MAD: header}})
}
