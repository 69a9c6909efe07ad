package replica

import (
	"time"

	"weft/fabric"
	"weft/mad"
	"weft/sm/sa"
	"weft/wire"
)

// The times of sessions.
const (
	Patience  = 5 * time.Second        // see the package comment
	Heartbeat = 500 * time.Millisecond // from answer to next Part where nothing has changed
	Silence   = 2 * time.Second        // a Follower that has heard nothing for so long has its master looked for
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

	offered  uint64 // session of the answer to the last Open
	session  uint64 // whose Parts are taken; 0 for none
	number   uint64 // of the last one
	stream   []byte // that has come, without whole entries
	incoming Table  // of this session, until it is complete
	copy     Table
	live     bool   // copy is that of this session
	lids     uint64 // entries of LIDs that have come

	sent  time.Duration // the first answer to Part number
	good  time.Duration // since when copy is good
	heard time.Duration // the last Part

	Rejected int // messages of somebody who does not know the key, and streams that nobody writes
}

// NewFollower makes a Follower without a copy. Sessions come from nonce: they must not come again after a restart.
func NewFollower(key Key, guid fabric.GUID, nonce func() uint64) *Follower {
	return &Follower{key: key, guid: guid, nonce: nonce}
}

// Take takes a message of a Leader, in place: d becomes its answer. It reports false where there is none. A manager that does not stand by says
// so, and its copy stays as it is.
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
		f.offered = f.nonce()
		answer.session = f.offered
	case m.kind == part && m.session == f.offered && f.offered != 0 && m.number == 1:
		f.begin(m.session)
		fallthrough
	case m.kind == part && m.session == f.session && f.session != 0:
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

// begin begins a session.
func (f *Follower) begin(session uint64) {
	f.session, f.offered, f.number = session, 0, 0
	f.stream, f.incoming, f.live = nil, Table{}, false
}

// part takes a Part of the session; false where that is not the next one, or cannot be read.
func (f *Follower) part(now time.Duration, m *message) bool {
	switch m.number {
	case f.number: // again: the answer was lost
		f.heard = now
		return true
	case f.number + 1:
	default:
		return false
	}
	if f.number++; f.live { // the answer to the last one has arrived
		f.good = f.sent
	}
	f.sent, f.heard = now, now
	table := f.copy
	if !f.live {
		table = f.incoming
	}
	f.stream = append(f.stream, m.payload...)
	for {
		e, rest, err := takeEntry(f.stream)
		if err != nil || len(table) > MostEntries {
			f.Rejected++
			f.session = 0
			return false
		}
		if f.stream = rest; e == nil {
			break
		}
		if table.Put(*e); e.Kind == sa.PortLID {
			f.lids++
		}
	}
	if m.flags&complete != 0 && !f.live {
		f.copy, f.incoming, f.live, f.good = f.incoming, nil, true, unproven
	}
	return true
}

// Following reports whether there is a session.
func (f *Follower) Following() bool { return f.session != 0 }

// Live reports whether the copy is that of a session that goes on, or went on until Close.
func (f *Follower) Live() bool { return f.live }

// LIDs returns a number that grows whenever LIDs of the copy may have changed.
func (f *Follower) LIDs() uint64 { return f.lids }

// Copy returns the last complete copy, nil for none. It is the Follower's.
func (f *Follower) Copy() Table { return f.copy }

// Quiet returns when a master that says no more is to be looked for; never where none is followed.
func (f *Follower) Quiet() time.Duration {
	if f.session == 0 {
		return never
	}
	return f.heard + Silence
}

// unproven is so long ago that a copy is not good: nothing shows that the Leader waits for us yet.
const unproven = -Patience - time.Hour*24*365*100

const never = time.Duration(1<<63 - 1)

// Good reports whether the copy is good: nothing was acknowledged that is not in it.
func (f *Follower) Good(now time.Duration) bool { return f.live && now-f.good < Patience }

// Close ends the session, since we stand by no longer, and reports whether the copy is good.
func (f *Follower) Close(now time.Duration) (good bool) {
	good = f.Good(now)
	f.session, f.offered, f.live, f.incoming, f.stream = 0, 0, false, nil, nil
	return good
}
