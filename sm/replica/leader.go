package replica

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// mostHeld is the time for which a Leader waits for a Follower that has stopped standing by.
const mostHeld = 2 * keptFor

// Member is a possible standby manager.
type Member struct {
	GUID fabric.GUID // of its port
	To   wire.Address
}

// MostBacklog is the maximum number of bytes that wait for a Follower without a complete copy;
// beyond it the session restarts. With at most nearly bytes left, acknowledgements wait for the
// Follower too, so that its stream can catch up.
const (
	MostBacklog = 64 << 20
	nearly      = 16 << 10
)

// The times of a Leader's messages.
const (
	Timeout    = 250 * time.Millisecond // for an answer, before the message is sent again
	openAgain  = time.Second            // from a failed session to the next Open
	mostSilent = int(Patience/Timeout) + 1
)

// Leader sends the master's state to its Followers. It is not for concurrent use.
type Leader struct {
	key      Key
	guid     fabric.GUID
	all      Table
	sessions []*session // by GUID
	last     uint64     // number of the last change
	lastTag  uint64
	begun    bool // the first managers to wait for are known
}

// state is the progress of a session.
type state uint8

const (
	apart   state = iota // no session: send Open
	filling              // the copy is far from complete
	synced               // complete, or nearly: acknowledgements wait for it
	held                 // was synced, and has stopped standing by for now: it may become the master
	strange              // not a weft manager
)

// session is a Leader's state of a Follower.
type session struct {
	Member
	state state
	waits bool // acknowledgements wait for it although its copy is not complete yet
	id    uint64
	outgoing
	acked   uint64 // last change in its copy
	tag     uint64 // of the message under way, 0 for none
	due     time.Duration
	begun   time.Duration // when that message was sent
	silent  int           // consecutive messages without an answer
	away    time.Duration // when it stopped standing by; never if it stands by
	settled bool          // it has a complete copy, or apparently cannot have one
}

// outgoing is the stream of a session.
type outgoing struct {
	number  uint64 // of the last Part sent
	again   bool   // send that Part again
	backlog []byte // bytes to send, from the Part under way on
	sent    int    // bytes of the Part under way
	left    int    // bytes to send until the copy is complete; some of these changes may be acknowledged already
	proven  bool   // the Follower has received them
	marks   []mark
}

// mark is the number of a change, and its end in the backlog.
type mark struct {
	change uint64
	at     int
}

// NewLeader returns a Leader with this state and no Followers.
func NewLeader(key Key, guid fabric.GUID, all Table) *Leader {
	return &Leader{key: key, guid: guid, all: all}
}

// Follow sets the other managers. A missing one is not dropped at once: it times out. The first
// ones may have a good copy of the previous master, so acknowledgements wait until they have ours.
// A manager that says it has our GUID is none: it would have us wait for ourselves.
func (l *Leader) Follow(now time.Duration, members []Member) {
	for _, m := range members {
		if m.GUID == l.guid {
			continue
		}
		if at := slices.IndexFunc(l.sessions, func(s *session) bool { return s.GUID == m.GUID }); at >= 0 {
			if l.sessions[at].To = m.To; l.sessions[at].state == strange {
				l.sessions[at].fail(now, apart)
			}
			continue
		}
		l.sessions = append(l.sessions, &session{Member: m, due: now, away: never, waits: !l.begun})
	}
	l.begun = true
	l.sessions = slices.DeleteFunc(l.sessions, func(s *session) bool {
		return !s.holdsUp() && !slices.ContainsFunc(members, func(m Member) bool { return m.GUID == s.GUID })
	})
}

// holdsUp reports whether acknowledgements wait for this Follower.
func (s *session) holdsUp() bool { return s.waits || s.state == synced || s.state == held }

// Stop ends all sessions, when we stop being the master.
func (l *Leader) Stop() { l.sessions, l.begun = nil, false }

// Put sends changes to all Followers, and returns the number of the last change.
func (l *Leader) Put(list []sa.Entry) uint64 {
	l.all.Put(list...)
	l.last += uint64(len(list))
	for _, s := range l.sessions {
		if s.id == 0 {
			continue
		}
		for i := range list {
			s.backlog = appendEntry(s.backlog, &list[i])
		}
		s.marks = append(s.marks, mark{l.last, len(s.backlog)})
		switch {
		case len(s.backlog) <= MostBacklog || s.state == synced:
		case s.state == held:
			s.reset(held)
		default:
			s.reset(apart)
		}
	}
	return l.last
}

// Last returns the number of the last change.
func (l *Leader) Last() uint64 { return l.last }

// Taken returns the number of the last change that may be acknowledged.
func (l *Leader) Taken() uint64 {
	taken := l.last
	for _, s := range l.sessions {
		switch {
		case s.waits: // it relies on its old copy until the new one is complete
			return 0
		case s.holdsUp():
			taken = min(taken, s.acked)
		}
	}
	return taken
}

// Synced returns the number of synced Followers.
func (l *Leader) Synced() (n int) {
	for _, s := range l.sessions {
		if s.state == synced {
			n++
		}
	}
	return n
}

// Settled lists the managers that may be offered the subnet: they have a complete copy and
// answer, or apparently cannot have one. A silent manager is not listed: its copy may have expired
// by the time it is the master.
func (l *Leader) Settled() (list []fabric.GUID) {
	for _, s := range l.sessions {
		if s.settled && (s.id == 0 || s.silent == 0) {
			list = append(list, s.GUID)
		}
	}
	return list
}

// Deadline returns when Next may have a message to send; never if that depends on answers.
func (l *Leader) Deadline() time.Duration {
	due := never
	for _, s := range l.sessions {
		if s.tag == 0 && s.state != strange {
			due = min(due, s.dueAt())
		}
	}
	return due
}

// dueAt returns when a session has a message to send: 0 if changes wait.
func (s *session) dueAt() time.Duration {
	if s.id != 0 && len(s.backlog) > 0 && !s.again {
		return 0
	}
	return s.due
}

// Next returns the next message and its tag; false if there is none to send now. Call Ended with
// the result.
func (l *Leader) Next(now time.Duration) (d wire.Datagram, tag uint64, ok bool) {
	for _, s := range l.sessions {
		if s.tag != 0 || s.state == strange || now < s.dueAt() {
			continue
		}
		l.lastTag++
		s.tag, s.begun = l.lastTag, now
		m := message{kind: open, from: l.guid}
		if s.id != 0 {
			m = s.part(l.guid)
		}
		if s.waits {
			m.flags |= waiting
		}
		q, err := mad.Request{Method: mad.Set, Attr: Attr, TID: s.tag}.SA(make([]byte, mad.Size), 0)
		if err != nil {
			panic(err) // the buffer is long enough
		}
		l.key.seal(q, &m)
		return wire.Datagram{Addr: s.To, MAD: q}, s.tag, true
	}
	return d, 0, false
}

// part returns the next Part, or the last one if it got no answer.
func (s *session) part(guid fabric.GUID) message {
	if !s.again {
		if s.state == filling && len(s.backlog) <= nearly {
			s.state, s.left = synced, len(s.backlog)
		}
		s.number++
		s.sent = min(len(s.backlog), mostPayload)
	}
	m := message{kind: part, session: s.id, number: s.number, from: guid, payload: s.backlog[:s.sent]}
	if s.state != filling && s.left <= s.sent {
		m.flags = complete
	}
	return m
}

// fill starts the stream of a session with all entries.
func (l *Leader) fill(s *session) {
	names := make([]sa.EntryName, 0, len(l.all))
	for name := range l.all {
		names = append(names, name)
	}
	slices.SortFunc(names, sa.CompareNames)
	for _, name := range names {
		s.backlog = appendEntry(s.backlog, &sa.Entry{EntryName: name, Value: l.all[name]})
	}
	s.marks = append(s.marks, mark{l.last, len(s.backlog)})
}

// Ended handles the answer to a message; nil if there was none. refused says that the peer does not
// know this attribute.
func (l *Leader) Ended(now time.Duration, tag uint64, reply mad.Datagram, refused bool) {
	at := slices.IndexFunc(l.sessions, func(s *session) bool { return s.tag == tag && tag != 0 })
	if at < 0 {
		return
	}
	s := l.sessions[at]
	s.tag = 0
	m, ok := l.key.read(reply)
	switch {
	case refused:
		s.waits = false
		s.fail(now, strange)
		s.settled = true
	case reply == nil || !ok || m.from != s.GUID:
		s.unanswered(now)
	case m.kind == notStandby:
		s.notStandby(now)
	case m.kind == otherSession:
		// A Follower without its copy is not the master: it stands by, and gets a new copy.
		s.fail(now, apart)
	case m.kind == taken && s.id == 0 && m.session != 0:
		s.waits, s.away = s.waits || s.state == held, never
		s.reset(filling)
		s.id = m.session
		l.fill(s)
		if s.waits {
			s.state, s.left = synced, len(s.backlog)
		}
	case m.kind == taken && m.session == s.id && m.number == s.number:
		s.taken(now)
	default:
		s.unanswered(now)
	}
}

// taken handles the answer to a Part.
func (s *session) taken(now time.Duration) {
	if s.state == held {
		s.state = synced
	}
	s.silent, s.again, s.due, s.away = 0, false, now+Heartbeat, never
	s.settled = s.settled || s.proven // a Part after the one that completed the copy
	if s.proven = s.proven || s.state == synced && s.left <= s.sent; s.proven {
		s.waits = false
	}
	s.left = max(0, s.left-s.sent)
	s.backlog = s.backlog[s.sent:]
	for len(s.marks) > 0 && s.marks[0].at <= s.sent {
		s.acked = s.marks[0].change
		s.marks = s.marks[1:]
	}
	for i := range s.marks {
		s.marks[i].at -= s.sent
	}
	s.sent = 0
	if len(s.backlog) == 0 {
		s.backlog = nil
	}
}

// notStandby handles the answer of a Follower that has stopped standing by. If it only looks for
// the master, its session continues once it has found us.
func (s *session) notStandby(now time.Duration) {
	s.away = min(s.away, now)
	switch {
	case s.holdsUp() && now-s.away >= mostHeld:
		s.waits = false
		s.fail(now, apart)
	case s.state == synced || s.state == held:
		s.state, s.settled, s.silent, s.again, s.due = held, false, 0, true, now+Timeout
	default:
		s.fail(now, apart)
	}
}

// unanswered repeats a message, or gives the Follower up.
func (s *session) unanswered(now time.Duration) {
	if s.silent++; s.silent < mostSilent {
		s.again, s.due = true, max(now, s.begun+Timeout)
		return
	}
	hadSession := s.id != 0
	s.waits = false
	s.fail(now, apart)
	s.settled = !hadSession // a manager that has answered before may answer again
}

// fail ends a session.
func (s *session) fail(now time.Duration, to state) {
	s.reset(to)
	s.due = now + openAgain
}

// reset clears a session.
func (s *session) reset(to state) {
	s.state, s.id, s.outgoing, s.silent, s.settled = to, 0, outgoing{}, 0, false
}
