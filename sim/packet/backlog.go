package packet

// backlog bounds the number of messages that a stream has queued at its end port. The messages of a
// lane leave an end port in order, so only the first few must be queued. The others are a count,
// and the state of the random generator at the first of them; they are drawn again one by one. So
// the run is the same as if all were queued.
type backlog struct{ lanes []laneBacklog }

// laneBacklog describes the messages of a stream on one lane.
type laneBacklog struct {
	here int32 // queued at the end port, not sent yet
	kept int64 // to be drawn again
	next drawing
	at   Time // time of the message that next draws
}

// mostHere bounds the messages of a lane that are queued at their end port.
const mostHere = 16

// newBacklogs makes a backlog for each stream with a Gap whose messages leave in order: messages of
// one packet, without congestion control, from the only stream of their end port.
func newBacklogs(s *Sim, list []Stream) []*backlog {
	backlogs := make([]*backlog, len(list))
	streams := make([]int32, s.g.NumEnds)
	for i := range list {
		if src := list[i].Src; src >= 0 && int(src) < len(streams) {
			streams[src]++
		}
	}
	for i := range list {
		st := &list[i]
		inOrder := st.Gap > 0 && max(st.Bytes, st.Most) <= int64(s.config.MTU) && s.control == nil
		if inOrder && st.Src >= 0 && int(st.Src) < len(streams) && streams[st.Src] == 1 {
			backlogs[i] = &backlog{make([]laneBacklog, s.vls)}
		}
	}
	return backlogs
}

// keep counts a message that was just drawn, and reports whether to hold it back. draw is the state
// of the stream before the draw.
func (b *backlog) keep(s *Sim, level uint8, src, dst int32, draw drawing) bool {
	vl, ok := s.laneTo(level, src, dst)
	if !ok { // Send returns the error, or the message is lost at once
		return false
	}
	l := &b.lanes[vl]
	if l.here < mostHere {
		l.here++
		return false
	}
	if l.kept++; l.kept == 1 {
		l.next, l.at = draw, s.now
	}
	return true
}

// release queues the next message held back on the lane of the message that was sent.
func (w *Streams) release(s *Sim, sent *Message, b *backlog) {
	vl, _ := s.laneTo(sent.Level, sent.Src, sent.Dst)
	if l := &b.lanes[vl]; l.kept == 0 {
		l.here--
		return
	}
	w.handOver(s, sent.Tag, b, vl)
}

// handOver redraws the first message that a stream holds back on a lane, and queues it at the end
// port.
func (w *Streams) handOver(s *Sim, id int32, b *backlog, vl uint8) {
	l, st := &b.lanes[vl], &w.List[id]
	l.kept--
	for {
		at := l.at
		dst, bytes := w.message(&l.next, st)
		l.at += l.next.gap(st)
		if lane, ok := s.laneTo(st.Level, st.Src, dst); ok && lane == vl {
			s.enqueue(&Message{Src: st.Src, Dst: dst, Bytes: bytes, Level: st.Level, Tag: id, Start: at}, false)
			return
		}
	}
}

// keepNone queues all messages that the streams of an end port hold back, and ends holding back:
// the end port is about to get other lanes.
func (w *Streams) keepNone(s *Sim, end int32) {
	for id, b := range w.backlogs {
		if b == nil || w.List[id].Src != end {
			continue
		}
		for vl := range b.lanes {
			for b.lanes[vl].kept > 0 {
				w.handOver(s, int32(id), b, uint8(vl))
			}
		}
		w.backlogs[id] = nil
	}
}

// laneTo returns the lane from an end port to another at a level of service; ok is false if it
// cannot send.
func (s *Sim) laneTo(level uint8, src, dst int32) (vl uint8, ok bool) {
	if s.canSend(src, dst, 1) != nil {
		return 0, false
	}
	_, sl := s.firstHeader(level, src, dst)
	vl = s.sendVL(src, sl)
	return vl, int32(vl) < s.vls
}
