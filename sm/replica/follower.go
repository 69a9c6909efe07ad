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
	Heartbeat = 500 * time.Millisecond // from answer to next Part where nothing has changed
	Silence   = 2 * time.Second        // a Follower that has heard nothing for so long has its master looked for
	keptFor   = time.Minute            // a copy that was good when we ceased to stand by is so no longer
	mostHeld  = 2 * keptFor            // and so long a Leader waits for one that stands by no longer
)

// MostEntries bounds the copy of a Follower.
const MostEntries = 1 << 20

// Table holds entries by name.
type Table map[sa.EntryName][]byte

// Put takes changes.
func (t Table) Put(list ...sa.Entry) {
	for i := range list {
		if list[i].Value == nil {
			delete(t, list[i].EntryName)
		} else {
			t[list[i].EntryName] = list[i].Value
		}
	}
}

// Follower is the side of a manager that stands by. It is not for concurrent use.
type Follower struct {
	key   Key
	guid  fabric.GUID
	nonce func() uint64 // makes sessions, none twice

	offered   uint64 // session of the answer to the last Open
	offeredAt time.Duration
	incoming  stream // the session whose Parts are taken
	held      Copy
	lids      uint64 // entries of LIDs and trees that have come
	wholes    uint64 // entries of kind sa.Whole that have come

	Rejected int // messages of somebody who does not know the key, and streams that nobody writes
}

// stream holds what has come of a session, and in which state it is.
type stream struct {
	session uint64        // 0 for none
	leader  fabric.GUID   // whose it is
	number  uint64        // of the last Part
	rest    []byte        // that has come, without whole entries
	table   Table         // of this session, until it is complete; then it is the copy
	live    bool          // it is
	sent    time.Duration // the first answer to the last Part
	heard   time.Duration // the last Part
}

// Copy is the last complete copy of what a master must not lose.
type Copy struct {
	Table Table       // nil for none
	Of    fabric.GUID // the port of the master that told it last
	Since fabric.GUID // that of the one after it which has acknowledged nothing without us; the same for none

	vouched bool          // the Leader of the session waits for us
	good    time.Duration // since when the copy is good, while it is vouched for
	kept    bool          // it was good when we ceased to stand by
	keptAt  time.Duration
	claimed bool // no other master was found while it was kept: it is kept until we are the master
	between bool // another master has come since, which has not said that it is still good
}

// NewFollower makes a Follower without a copy. Sessions come from nonce: they must not come again after a restart.
func NewFollower(key Key, guid fabric.GUID, nonce func() uint64) *Follower {
	return &Follower{key: key, guid: guid, nonce: nonce}
}

// Take takes a message of a Leader, in place: d becomes its answer. It reports false where there is none. A manager that does not stand by says
// so, and takes nothing.
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

// begin begins a session. A copy that is good stays so where its Leader waits for us.
func (f *Follower) begin(now time.Duration, m *message) {
	c := &f.held
	good := f.Good(now) || f.stillKept(now)
	c.vouched, c.kept, c.between = good && m.flags&waiting != 0, false, false
	if c.vouched {
		c.Since, c.good = m.from, f.offeredAt // the answer to Open has arrived
	}
	f.incoming, f.offered = stream{session: m.session, leader: m.from, table: Table{}}, 0
}

// part takes a Part of the session; false where that is not the next one, or cannot be read.
func (f *Follower) part(now time.Duration, m *message) bool {
	s, c := &f.incoming, &f.held
	switch m.number {
	case s.number: // again: the answer was lost
		s.heard = now
		return true
	case s.number + 1:
	default:
		return false
	}
	if s.number++; s.number > 1 && (s.live || c.vouched) { // the answer to the last one has arrived
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
		case sa.PortLID, sa.PoolTree:
			f.lids++
		case sa.Whole:
			f.wholes++
		default:
		}
	}
	if m.flags&complete != 0 && !s.live {
		if !c.vouched { // nothing shows yet that the Leader waits for us
			c.good = unproven
		}
		s.live, c.vouched = true, true
		c.Table, c.Of, c.Since = s.table, s.leader, s.leader
	}
	return true
}

// Following reports whether there is a session.
func (f *Follower) Following() bool { return f.incoming.session != 0 }

// Live reports whether the copy is that of a session that goes on.
func (f *Follower) Live() bool { return f.Following() && f.incoming.live }

// LIDs returns a number that grows whenever LIDs or trees of the copy may have changed.
func (f *Follower) LIDs() uint64 { return f.lids }

// Wholes returns a number that grows whenever a value of many entries is there in full.
func (f *Follower) Wholes() uint64 { return f.wholes }

// Copy returns the last complete copy. Its table is the Follower's.
func (f *Follower) Copy() Copy { return f.held }

// Quiet returns when a master that says no more is to be looked for; never where none is followed.
func (f *Follower) Quiet() time.Duration {
	if !f.Following() {
		return never
	}
	return f.incoming.heard + Silence
}

// unproven is so long ago that a copy is not good: nothing shows that the Leader waits for us yet.
const unproven = -Patience - time.Hour*24*365*100

const never = time.Duration(1<<63 - 1)

// Good reports whether the copy is good: nothing was acknowledged that is not in it.
func (f *Follower) Good(now time.Duration) bool {
	return f.Following() && f.held.vouched && now-f.held.good < Patience
}

// stillKept reports whether a copy that was good when we ceased to stand by is still worth something.
func (f *Follower) stillKept(now time.Duration) bool {
	return f.held.kept && (f.held.claimed || now-f.held.keptAt < keptFor)
}

// Look says that we stand by no longer, for now: who is the master is to be found out. The session waits.
func (f *Follower) Look(now time.Duration) {
	if f.Following() {
		f.held.kept, f.held.keptAt, f.held.claimed = f.Good(now), now, false
	}
}

// Claim says that no other master is there: we are about to be it. What is done before that, which takes long in a large subnet, makes no copy worse.
func (f *Follower) Claim(now time.Duration) { f.held.claimed = f.stillKept(now) }

// StandBy says that we stand by for the manager at a port, which is the master or about to be. Its session goes on; that of another one ends.
func (f *Follower) StandBy(now time.Duration, master fabric.GUID, reigns bool) {
	if f.Following() && f.incoming.leader == master {
		f.incoming.heard, f.held.kept, f.held.claimed = now, false, false
		return
	}
	f.incoming = stream{}
	f.held.between, f.held.claimed = f.held.between || reigns, false
}

// Keep says that we are the master no longer: what we had, which is the caller's, is the copy, until another master has acknowledged something.
func (f *Follower) Keep(now time.Duration, had Table) {
	f.incoming, f.offered = stream{}, 0
	f.held = Copy{Table: maps.Clone(had), Of: f.guid, Since: f.guid, good: now, kept: true, keptAt: now}
}

// Close says that we are the master now, and whether our port knows of a master other than those of the copy. It reports whether the copy is good. Another
// master waits for us too before it acknowledges anything: for so long the copy is good whoever there was.
func (f *Follower) Close(now time.Duration, other bool) (good bool) {
	c := &f.held
	good = f.stillKept(now) && (!c.between && !other || now-c.good < Patience)
	f.incoming, f.offered = stream{}, 0
	c.kept, c.vouched, c.between, c.claimed = false, false, false, false
	return good
}
