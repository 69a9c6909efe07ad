package clients

import (
	"sync"

	"weft/internal/share"
)

// trapQueue counts the queued traps by source, so that a port that sends traps without end leaves
// room for others.
type trapQueue struct {
	mu   sync.Mutex
	from map[uint16]int // by LID
	n    int
}

// mostTrapped is the number of queued traps.
const mostTrapped = 60

// put counts a trap, or returns false if its source has its share.
func (q *trapQueue) put(from uint16) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !(share.Rule{}).Allows(q.from[from], q.n, mostTrapped) {
		return false
	}
	if q.from == nil {
		q.from = map[uint16]int{}
	}
	q.from[from]++
	q.n++
	return true
}

// take removes a trap.
func (q *trapQueue) take(from uint16) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n--
	if q.from[from]--; q.from[from] == 0 {
		delete(q.from, from)
	}
}
