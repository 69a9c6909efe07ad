package clients

import (
	"sync"

	"weft/wire"
)

// Limits of a fairQueue: for all datagrams, and for one source. Size counts a long one as several.
const (
	mostQueued         = 1 << 15
	mostQueuedOfSource = 1 << 12
)

// fairQueue queues queries by source, and sources take turns: a source with many queries delays
// mainly itself. If the queue is full, the source with the most queries loses its last one.
type fairQueue struct {
	mu      sync.Mutex
	sources map[uint16]*sourceQueue // non-empty ones, by LID
	turn    []*sourceQueue          // in the order of their turns, from next on
	next    int
	n       int      // total size
	spare   [][]byte // memory of datagrams, for reuse
	wake    chan struct{}
}

// sourceQueue holds the queries of one source.
type sourceQueue struct {
	lid   uint16
	list  []wire.Datagram
	first int
	n     int // total size
}

// newFairQueue returns an empty queue. It sends to wake when the queue becomes non-empty.
func newFairQueue(wake chan struct{}) *fairQueue {
	return &fairQueue{sources: map[uint16]*sourceQueue{}, wake: wake}
}

// size returns the room that a datagram takes in a queue: one unit for every 256 bytes begun.
func size(d *wire.Datagram) int { return 1 + max(0, len(d.MAD)-1)/wire.Size }

// Len returns the total size of the queued datagrams.
func (q *fairQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// push adds a copy of a datagram. If there is no room it returns the datagram left out: this one,
// or the last one of the source with the most. The caller then owns that datagram.
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

// longest returns the source with the most queries; of several, the first in turn. It is called
// when the queue is full, and then sources are few.
func (q *fairQueue) longest() (most *sourceQueue) {
	for _, s := range q.turn {
		if most == nil || s.n > most.n {
			most = s
		}
	}
	return most
}

// pop moves the next query into d, whose memory is reused; false if the queue is empty.
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
