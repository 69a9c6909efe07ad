package replica

import (
	"maps"
	"time"

	"weft/fabric"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// The times of sessions.
const (
	Patience  = 5 * time.Second        // see the package comment
	Heartbeat = 500 * time.Millisecond // from an answer to the next Part, if nothing has changed
	Silence   = 2 * time.Second        // after which a Follower without messages looks for its master
	keptFor   = time.Minute            // for which a copy remains good after its Follower has stopped standing by
)

// MostEntries is the maximum number of entries of a Follower's copy.
const MostEntries = 1 << 20

// Table maps the names of entries to their values.
type Table map[sa.EntryName][]byte

// Put applies changes.
func (t Table) Put(list ...sa.Entry) {
	for i := range list {
		if list[i].Value == nil {
			delete(t, list[i].EntryName)
		} else {
			t[list[i].EntryName] = list[i].Value
		}
	}
}

// Follower keeps a standby manager's copy. It is not for concurrent use.
type Follower struct {
	key   Key
	guid  fabric.GUID
	nonce func() uint64 // returns a new session number, never the same twice

	offered   uint64 // session of the answer to the last Open
	offeredAt time.Duration
	incoming  stream // the current session
	held      Copy
	lids      uint64 // received entries of LIDs, trees and aliases
	wholes    uint64 // received entries of kind sa.Whole

	Rejected int // messages without the shared key, and malformed streams
}

// stream is the state of a session and the entries received in it.
type stream struct {
	session uint64        // 0 for none
	leader  fabric.GUID   // the port of its master
	number  uint64        // of the last Part
	rest    []byte        // received bytes of an incomplete entry
	table   Table         // of this session until it is complete; then of the copy
	live    bool          // the copy is complete
	sent    time.Duration // time of the first answer to the last Part
	heard   time.Duration // time of the last Part
}

// Copy is the last complete copy of a master's state.
type Copy struct {
	Table Table       // nil for none
	Of    fabric.GUID // port of the master that sent the last change
	Since fabric.GUID // port of a later master that has acknowledged nothing without us; Of if there is none

	vouched bool          // the Leader of the session waits for us
	good    time.Duration // time at which the copy was last known to be good, while vouched
	kept    bool          // it was good when we stopped standing by
	keptAt  time.Duration
	claimed bool // no other master was found while kept: keep it until we are the master
	between bool // another master has come since, and has not confirmed the copy
}

// NewFollower returns a Follower without a copy. Numbers from nonce must not repeat after a
// restart.
func NewFollower(key Key, guid fabric.GUID, nonce func() uint64) *Follower {
	return &Follower{key: key, guid: guid, nonce: nonce}
}

// Take handles a message of a Leader in place: d becomes the answer. It returns false if there is
// none. A manager that is not a standby answers so, and stores nothing.
func (f *Follower) Take(now time.Duration, standby bool, d *wire.Datagram) bool {
	m, ok := f.key.read(d.MAD)
	if !ok || d.MAD.Method() != mad.Set {
		f.Rejected++
		return false
	}
	answer := message{kind: taken, session: m.session, number: m.number, from: f.guid}
	switch {
	case !standby:
		answer.kind = notStandby
	case m.kind == open:
		f.offered, f.offeredAt = f.nonce(), now
		answer.session = f.offered
	case m.kind == part && m.session == f.offered && f.offered != 0 && m.number == 1:
		f.begin(now, &m)
		fallthrough
	case m.kind == part && m.session == f.incoming.session && m.session != 0:
		if !f.part(now, &m) {
			answer.kind = otherSession
		}
	default:
		answer.kind = otherSession
	}
	d.MAD.Answer(mad.StatusOK)
	f.key.seal(d.MAD, &answer)
	d.Addr = d.Addr.Reply()
	return true
}

// begin starts a session. A good copy remains good if the Leader waits for us.
func (f *Follower) begin(now time.Duration, m *message) {
	c := &f.held
	good := f.Good(now) || f.stillKept(now)
	c.vouched, c.kept, c.between = good && m.flags&waiting != 0, false, false
	if c.vouched {
		c.Since, c.good = m.from, f.offeredAt // the answer to Open has arrived
	}
	f.incoming, f.offered = stream{session: m.session, leader: m.from, table: Table{}}, 0
}

// part handles a Part of the session; false if it is out of order or malformed.
func (f *Follower) part(now time.Duration, m *message) bool {
	s, c := &f.incoming, &f.held
	switch m.number {
	case s.number: // a repetition: the answer was lost
		s.heard = now
		return true
	case s.number + 1:
	default:
		return false
	}
	if s.number++; s.number > 1 && (s.live || c.vouched) { // the last answer has arrived
		c.good = s.sent
	}
	s.sent, s.heard = now, now
	s.rest = append(s.rest, m.payload...)
	for {
		e, rest, err := takeEntry(s.rest)
		if err != nil || len(s.table) > MostEntries {
			f.Rejected++
			s.session = 0
			return false
		}
		if s.rest = rest; e == nil {
			break
		}
		switch s.table.Put(*e); e.Kind {
		case sa.PortLID, sa.PoolTree, sa.AliasGUIDs:
			f.lids++
		case sa.Whole:
			f.wholes++
		default:
		}
	}
	if m.flags&complete != 0 && !s.live {
		if !c.vouched { // nothing proves yet that the Leader waits for us
			c.good = unproven
		}
		s.live, c.vouched = true, true
		c.Table, c.Of, c.Since = s.table, s.leader, s.leader
	}
	return true
}

// Following reports whether there is a session.
func (f *Follower) Following() bool { return f.incoming.session != 0 }

// Live reports whether the copy belongs to the current session.
func (f *Follower) Live() bool { return f.Following() && f.incoming.live }

// LIDs returns a number that grows with every change of LIDs, trees or aliases.
func (f *Follower) LIDs() uint64 { return f.lids }

// Wholes returns a number that grows with every complete value of several entries.
func (f *Follower) Wholes() uint64 { return f.wholes }

// Copy returns the last complete copy. The Follower owns its table.
func (f *Follower) Copy() Copy { return f.held }

// Quiet returns when to look for a silent master; never if there is no session.
func (f *Follower) Quiet() time.Duration {
	if !f.Following() {
		return never
	}
	return f.incoming.heard + Silence
}

// unproven is a time too long ago for a good copy: nothing proves yet that the Leader waits for us.
const unproven = -Patience - time.Hour*24*365*100

const never = time.Duration(1<<63 - 1)

// Good reports whether the copy has every acknowledged change.
func (f *Follower) Good(now time.Duration) bool {
	return f.Following() && f.held.vouched && now-f.held.good < Patience
}

// stillKept reports whether a copy that was good when we stopped standing by is still valid.
func (f *Follower) stillKept(now time.Duration) bool {
	return f.held.kept && (f.held.claimed || now-f.held.keptAt < keptFor)
}

// Look is called when we stop standing by to find out who is the master. The session is kept.
func (f *Follower) Look(now time.Duration) {
	if f.Following() {
		f.held.kept, f.held.keptAt, f.held.claimed = f.Good(now), now, false
	}
}

// Claim is called before we become the master, as no other was found. The copy remains valid
// however long the takeover takes in a large subnet.
func (f *Follower) Claim(now time.Duration) { f.held.claimed = f.stillKept(now) }

// StandBy is called when we stand by for the manager at a port; reigns says that it is the master
// already. Its session continues; the session of another manager ends.
func (f *Follower) StandBy(now time.Duration, master fabric.GUID, reigns bool) {
	if f.Following() && f.incoming.leader == master {
		f.incoming.heard, f.held.kept, f.held.claimed = now, false, false
		return
	}
	f.incoming = stream{}
	f.held.between, f.held.claimed = f.held.between || reigns, false
}

// Keep is called when we stop being the master. Our own state is then the copy, until another
// master has acknowledged a change. The caller owns the table.
func (f *Follower) Keep(now time.Duration, had Table) {
	f.incoming, f.offered = stream{}, 0
	f.held = Copy{Table: maps.Clone(had), Of: f.guid, Since: f.guid, good: now, kept: true, keptAt: now}
}

// Close is called when we have become the master, and reports whether the copy is good. other says
// that our port knows of a master outside the copy. Such a master waits for us too before it
// acknowledges anything, so a copy younger than Patience is good in any case.
func (f *Follower) Close(now time.Duration, other bool) (good bool) {
	c := &f.held
	good = f.stillKept(now) && (!c.between && !other || now-c.good < Patience)
	f.incoming, f.offered = stream{}, 0
	c.kept, c.vouched, c.between, c.claimed = false, false, false, false
	return good
}
