package clients

import (
	"sync"

	"weft/wire"
)

// Bounds of a fairQueue: datagrams of all, and of one source. A longer one counts as several.
const (
	mostQueued         = 1 << 15
	mostQueuedOfSource = 1 << 12
)

// fairQueue holds queries until they are answered: sources take turns, so that one that asks much keeps itself waiting, and others for a query a
// turn. Where it is full the source with the most queries loses its last one.
type fairQueue struct {
	mu      sync.Mutex
	sources map[uint16]*sourceQueue // by LID, those with something
	turn    []*sourceQueue          // in the order of their turns, from next on
	next    int
	n       int      // of all, a long one counted as several
	spare   [][]byte // memory of datagrams
	wake    chan struct{}
}

// sourceQueue holds the queries of a source.
type sourceQueue struct {
	lid   uint16
	list  []wire.Datagram
	first int
	n     int // as fairQueue counts
}

// newFairQueue makes an empty queue, which sends to wake when it is no longer.
func newFairQueue(wake chan struct{}) *fairQueue {
	return &fairQueue{sources: map[uint16]*sourceQueue{}, wake: wake}
}

// size returns how much of the room of a queue a datagram takes: one for every 256 bytes that it begins.
func size(d *wire.Datagram) int { return 1 + max(0, len(d.MAD)-1)/wire.Size }

// Len returns how much waits.
func (q *fairQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// push adds a copy of a datagram. Where there is no room it returns the datagram that is left out: this one, or the last one of the source with the most. It is the
// caller's then.
func (q *fairQueue) push(d *wire.Datagram) (without *wire.Datagram) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.sources[d.Addr.SLID]
	n := size(d)
	if s != nil && s.n+n > mostQueuedOfSource {
		return d
	}
	if q.n+n > mostQueued {
		most := q.longest()
		last := len(most.list) - 1
		x := most.list[last]
		if s == most || q.n+n-size(&x) > mostQueued {
			return d
		}
		without, most.list = &x, most.list[:last]
		most.n -= size(&x)
		q.n -= size(&x)
	}
	if s == nil {
		s = &sourceQueue{lid: d.Addr.SLID}
		q.sources[s.lid] = s
		q.turn = append(q.turn, s)
	}
	var x wire.Datagram
	if last := len(q.spare) - 1; last >= 0 {
		x.MAD, q.spare = q.spare[last][:0], q.spare[:last]
	}
	x.CopyFrom(d)
	s.list = append(s.list, x)
	s.n += n
	if q.n += n; q.n == n {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return without
}

// longest returns the source with the most queries, of equal ones the first in turn. Sources are few where it is asked: the queue is full, and each has
// several.
func (q *fairQueue) longest() (most *sourceQueue) {
	for _, s := range q.turn {
		if most == nil || s.n > most.n {
			most = s
		}
	}
	return most
}

// pop takes the query whose turn it is into d, whose memory is used again; false where there is none.
func (q *fairQueue) pop(d *wire.Datagram) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.turn) > 0 {
		if q.next >= len(q.turn) {
			q.next = 0
		}
		s := q.turn[q.next]
		if s.n == 0 {
			delete(q.sources, s.lid)
			last := len(q.turn) - 1
			copy(q.turn[q.next:], q.turn[q.next+1:])
			q.turn[last] = nil
			q.turn = q.turn[:last]
			continue
		}
		if cap(d.MAD) > 0 && cap(d.MAD) <= 4*wire.Size && len(q.spare) < 64 {
			q.spare = append(q.spare, d.MAD)
		}
		*d, s.list[s.first] = s.list[s.first], wire.Datagram{}
		if s.first++; s.first >= 64 && 2*s.first >= len(s.list) {
			s.list = append(s.list[:0], s.list[s.first:]...)
			s.first = 0
		}
		q.next++
		s.n -= size(d)
		q.n -= size(d)
		return true
	}
	return false
}
