package clients

import (
	"sync/atomic"
	"time"

	"weft/sm/replica"
	"weft/wire"
	"weft/wire/mad"
)

// waiting queues the queries of hosts, as a pure machine. While the Manager is at work, answers get
// a limited share of CPU time, so that a flood does not delay a repair. Excess queries wait, and
// sources take turns: a source with few queries waits one turn.
type waiting struct {
	Kinds  [NumKindsOfQuery]kindOfQuery
	next   int         // index of the kind whose turn it is
	Last   int         // index of the kind that was last taken from
	busy   cpuShare    // for busy answers
	AtWork atomic.Bool // the Manager waits for devices or for a Plan
	wake   chan struct{}
}

// kindOfQuery holds the queries of one kind. Each kind has its own share, so that costly queries do
// not delay others.
type kindOfQuery struct {
	Queue *fairQueue
	cpuShare
}

// Kinds of queries.
const (
	ForRecord = iota // one record, and messages between managers
	ForTable         // tables, whose answers may be long
	ForChange        // changes of registrations
	NumKindsOfQuery
)

// partsAtWork gives the share of each kind while the Manager is at work, as one in so many parts of
// all CPU time. Records get the most: a job that starts on a large subnet may ask for 100,000 paths
// a second, a third of a core.
var partsAtWork = [NumKindsOfQuery]time.Duration{ForRecord: 6, ForTable: 64, ForChange: 64}

// partsForBusy gives the same share for busy answers.
const partsForBusy = 64

// NewWaiting returns an empty queue for a machine with this number of cores.
func NewWaiting(cores int) *waiting {
	w := &waiting{busy: shareOf(cores, partsForBusy), wake: make(chan struct{}, 1)}
	for i := range w.Kinds {
		w.Kinds[i] = kindOfQuery{newFairQueue(w.wake), shareOf(cores, partsAtWork[i])}
	}
	return w
}

// kindOf returns the kind of a query.
func kindOf(m mad.Datagram) int {
	switch method := m.Method(); {
	case method == mad.GetTable || method == mad.GetMulti:
		return ForTable
	case (method == mad.Set || method == mad.Delete) && m.Attr() != replica.Attr:
		return ForChange
	}
	return ForRecord
}

// Push adds a copy of a query. If there is no room it returns the query left out, which the caller
// then owns.
func (w *waiting) Push(d *wire.Datagram) (without *wire.Datagram) {
	return w.Kinds[kindOf(d.MAD)].Queue.push(d)
}

// Pop moves the next query into d, whose memory is reused. It returns false if none may be answered
// now. room allows changes.
func (w *waiting) Pop(now time.Duration, room bool, d *wire.Datagram) bool {
	for range w.Kinds {
		at := w.next
		w.next = (at + 1) % NumKindsOfQuery
		if k := &w.Kinds[at]; (room || at != ForChange) && (now >= k.free || !w.AtWork.Load()) && k.Queue.pop(d) {
			w.Last = at
			return true
		}
	}
	return false
}

// Took charges the time of an answer to the kind of the query last taken.
func (w *waiting) Took(from, to time.Duration) {
	if w.AtWork.Load() {
		w.Kinds[w.Last].add(from, to)
	}
}

// notDue is later than all times.
const notDue = time.Duration(1<<63 - 1)

// Due returns when Pop may return a query that it does not return now.
func (w *waiting) Due(room bool) time.Duration {
	due := notDue
	for at := range w.Kinds {
		if k := &w.Kinds[at]; (room || at != ForChange) && k.Queue.Len() > 0 {
			due = min(due, k.free)
		}
	}
	return due
}

// mayRefuse reports whether a query that is left out may be answered busy now. Clients without an
// answer ask again anyway.
func (w *waiting) mayRefuse(now time.Duration) bool { return now >= w.busy.free || !w.AtWork.Load() }

// refused charges the time of a busy answer.
func (w *waiting) refused(from, to time.Duration) {
	if w.AtWork.Load() {
		w.busy.add(from, to)
	}
}

// Follow sets whether the Manager is at work.
func (w *waiting) Follow(atWork bool) {
	if w.AtWork.Load() == atWork {
		return
	}
	if w.AtWork.Store(atWork); !atWork {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// cpuShare limits the time that an activity takes of one core.
type cpuShare struct {
	Slice time.Duration // time allowed in each SharePeriod
	used  time.Duration // since the share was last closed
	free  time.Duration // when the share opens again
}

// SharePeriod is the period of a share. An SMP may be late by this without harm; a timer is late by
// up to a millisecond, so a period must be longer.
const SharePeriod = 8 * time.Millisecond

// shareOf returns one part of the time of all cores, at most one core.
func shareOf(cores int, parts time.Duration) cpuShare {
	return cpuShare{Slice: min(SharePeriod, SharePeriod*time.Duration(cores)/parts)}
}

// add charges a time. When the slice is used up, the share closes for a while.
func (s *cpuShare) add(from, to time.Duration) {
	if s.used += to - from; s.used >= s.Slice {
		s.free, s.used = to+s.used*(SharePeriod-s.Slice)/s.Slice, 0
	}
}
