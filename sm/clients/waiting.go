package clients

import (
	"sync/atomic"
	"time"

	"weft/sm/replica"
	"weft/wire"
	"weft/wire/mad"
)

// waiting holds what hosts ask until it is answered, as a pure machine. While the Manager is at work the answers get a bounded share of the time,
// so that a flood does not keep a repair waiting: what is too much waits, and sources take turns. One who asks little waits for a turn.
type waiting struct {
	Kinds  [NumKindsOfQuery]kindOfQuery
	next   int // the kind whose turn it is
	Last   int // the kind that was taken from last
	busy   share
	AtWork atomic.Bool // the Manager waits for devices, or for a Plan
	wake   chan struct{}
}

// kindOfQuery holds the queries of a kind. Kinds have a share each, so that costly ones do not keep others waiting.
type kindOfQuery struct {
	Queue *fairQueue
	share
}

// Kinds of queries.
const (
	ForRecord = iota // and what managers tell each other
	ForTable         // whose answers may be long
	ForChange        // of what clients have registered
	NumKindsOfQuery
)

// partsAtWork says which share of the time of a machine each kind gets while the Manager is at work: one of so many parts. Records have the most: a job that
// starts on a large subnet may ask for 100,000 paths in a second, which take a third of a core.
var partsAtWork = [NumKindsOfQuery]time.Duration{ForRecord: 6, ForTable: 64, ForChange: 64}

// partsForBusy says the same of telling that we are busy.
const partsForBusy = 64

// NewWaiting makes an empty queue for a machine of so many cores.
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

// Push adds a copy of a query. Where there is no room it returns the query that is left out, which is the caller's then.
func (w *waiting) Push(d *wire.Datagram) (without *wire.Datagram) {
	return w.Kinds[kindOf(d.MAD)].Queue.push(d)
}

// Pop takes the query whose turn it is into d, whose memory is used again; false where none may be answered now. room says that changes can be taken.
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

// Took notes how long the answer took to the query that was taken last.
func (w *waiting) Took(from, to time.Duration) {
	if w.AtWork.Load() {
		w.Kinds[w.Last].add(from, to)
	}
}

// notDue is later than everything.
const notDue = time.Duration(1<<63 - 1)

// Due returns when pop may have something again that it has not now.
func (w *waiting) Due(room bool) time.Duration {
	due := notDue
	for at := range w.Kinds {
		if k := &w.Kinds[at]; (room || at != ForChange) && k.Queue.Len() > 0 {
			due = min(due, k.free)
		}
	}
	return due
}

// mayRefuse reports whether one that is left out may be told now that we are busy. Who is not told asks again all the same.
func (w *waiting) mayRefuse(now time.Duration) bool { return now >= w.busy.free || !w.AtWork.Load() }

// refused notes how long that has taken.
func (w *waiting) refused(from, to time.Duration) {
	if w.AtWork.Load() {
		w.busy.add(from, to)
	}
}

// Follow takes whether the Manager is at work.
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

// share bounds the time that something takes of a core.
type share struct {
	Slice time.Duration // of each sharePeriod
	used  time.Duration // since it was closed last
	free  time.Duration // when it is open again
}

// SharePeriod is the time in which a share is used once: what an SMP may be late without harm, and longer than the millisecond by which a timer may be late.
const SharePeriod = 8 * time.Millisecond

// shareOf makes the share that is one of so many parts of the time of all cores: at most one of them.
func shareOf(cores int, parts time.Duration) share {
	return share{Slice: min(SharePeriod, SharePeriod*time.Duration(cores)/parts)}
}

// add adds a time. When the slice is used the share is closed for a while.
func (s *share) add(from, to time.Duration) {
	if s.used += to - from; s.used >= s.Slice {
		s.free, s.used = to+s.used*(SharePeriod-s.Slice)/s.Slice, 0
	}
}
