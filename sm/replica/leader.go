package replica

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// Member is a manager that may stand by.
type Member struct {
	GUID fabric.GUID // of its port
	To   wire.Address
}

// MostBacklog bounds the bytes that wait for a Follower whose copy is not complete: beyond it the session begins anew. With fewer
// bytes than nearly all that is acknowledged waits for the Follower too, so that what is told ends.
const (
	MostBacklog = 64 << 20
	nearly      = 16 << 10
)

// The times of a Leader's sends.
const (
	Timeout    = 250 * time.Millisecond // of a message, which is then sent again
	openAgain  = time.Second            // from a failed session to the next Open
	mostSilent = int(Patience/Timeout) + 1
)

// Leader is the side of the master. It is not for concurrent use.
type Leader struct {
	key      Key
	guid     fabric.GUID
	all      Table
	sessions []*session // by GUID
	last     uint64     // number of the last change
	lastTag  uint64
	begun    bool // whom there is to be waited for is known
}

// state of a session.
type state uint8

const (
	apart   state = iota // no session: Open is to be sent
	filling              // the copy is far from complete
	synced               // it is, or will be; nothing is acknowledged without this one
	held                 // it was, and does not stand by for now: it may become the master
	strange              // no manager of ours
)

// session holds what a Leader knows of a Follower.
type session struct {
	Member
	state state
	waits bool // nothing is acknowledged without this one, whose copy is not complete yet
	id    uint64
	outgoing
	acked   uint64 // last change that was taken
	tag     uint64 // of the message under way, 0 for none
	due     time.Duration
	begun   time.Duration // when it was sent
	silent  int           // messages without an answer, one after the other
	away    time.Duration // since when it does not stand by; never: it does
	settled bool          // it has a complete copy, or does not seem to be able to have one
}

// outgoing is the stream of a session.
type outgoing struct {
	number  uint64 // of the Part under way, or of the last one
	again   bool   // it is to be sent again
	backlog []byte // from the Part under way on
	sent    int    // bytes of it that are under way
	left    int    // bytes of it without which the copy is not complete: some of them may be acknowledged
	proven  bool   // they were taken
	marks   []mark
}

// mark holds the number of a change, and how much of the backlog tells it.
type mark struct {
	change uint64
	at     int
}

// NewLeader makes a Leader that has nothing to tell and nobody to tell it.
func NewLeader(key Key, guid fabric.GUID, all Table) *Leader {
	return &Leader{key: key, guid: guid, all: all}
}

// Follow takes the managers that there are beside us. One that is gone is not given up: it does so by itself. Those that are there first may have a good copy of
// the master before us: nothing is acknowledged until they have ours.
func (l *Leader) Follow(now time.Duration, members []Member) {
	for _, m := range members {
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

// holdsUp reports whether nothing is acknowledged without this Follower.
func (s *session) holdsUp() bool { return s.waits || s.state == synced || s.state == held }

// Stop ends all sessions: we are the master no longer.
func (l *Leader) Stop() { l.sessions, l.begun = nil, false }

// Put tells changes to all Followers, and returns the number of the last one.
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

// Taken returns the number of the last change that all Followers have without which nothing is acknowledged.
func (l *Leader) Taken() uint64 {
	taken := l.last
	for _, s := range l.sessions {
		switch {
		case s.waits: // it goes by its copy until that is complete which it gets
			return 0
		case s.holdsUp():
			taken = min(taken, s.acked)
		}
	}
	return taken
}

// Synced counts the Followers without which nothing is acknowledged.
func (l *Leader) Synced() (n int) {
	for _, s := range l.sessions {
		if s.state == synced {
			n++
		}
	}
	return n
}

// Settled lists the managers that have a complete copy and answer, or that do not seem to be able to have one: the subnet may be handed over to them. One that had
// a copy and answers no more is not listed: its copy may be too old by the time it is the master.
func (l *Leader) Settled() (list []fabric.GUID) {
	for _, s := range l.sessions {
		if s.settled && (s.id == 0 || s.silent == 0) {
			list = append(list, s.GUID)
		}
	}
	return list
}

// Deadline returns when Next may have something to send; never where that depends on others.
func (l *Leader) Deadline() time.Duration {
	due := never
	for _, s := range l.sessions {
		if s.tag == 0 && s.state != strange {
			due = min(due, s.dueAt())
		}
	}
	return due
}

// dueAt returns when a session has something to send: at once where something waits.
func (s *session) dueAt() time.Duration {
	if s.id != 0 && len(s.backlog) > 0 && !s.again {
		return 0
	}
	return s.due
}

// Next returns a message that is to be sent, and its tag; false where none is. Ended is to be told how it ended.
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
			panic(err) // the memory is as long as it must be
		}
		l.key.seal(q, &m)
		return wire.Datagram{Addr: s.To, MAD: q}, s.tag, true
	}
	return d, 0, false
}

// part makes the next Part, or again the one that got no answer.
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

// fill begins the stream of a session with all entries.
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

// Ended takes how a message has ended: its answer, or nil where there was none. refused says that the peer has answered, and knows no such message.
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
		// One that has lost its copy is not the master: it stands by, and gets a new one.
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

// taken takes the answer to a Part.
func (s *session) taken(now time.Duration) {
	if s.state == held {
		s.state = synced
	}
	s.silent, s.again, s.due, s.away = 0, false, now+Heartbeat, never
	s.settled = s.settled || s.proven // a Part after that with which the copy was complete
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

// notStandby takes that a Follower does not stand by. One that looks who is the master goes on where it was when it has found us.
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

// unanswered sends a message again, or gives the Follower up.
func (s *session) unanswered(now time.Duration) {
	if s.silent++; s.silent < mostSilent {
		s.again, s.due = true, max(now, s.begun+Timeout)
		return
	}
	hadSession := s.id != 0
	s.waits = false
	s.fail(now, apart)
	s.settled = !hadSession // one that has answered before has time to do so again
}

// fail ends a session.
func (s *session) fail(now time.Duration, to state) {
	s.reset(to)
	s.due = now + openAgain
}

// reset begins a session anew.
func (s *session) reset(to state) {
	s.state, s.id, s.outgoing, s.silent, s.settled = to, 0, outgoing{}, 0, false
}
