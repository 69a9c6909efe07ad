package clients

import (
	"sync"

	"weft/internal/share"
)

// trapQueue counts the queued traps by source, so that a port that sends traps without end leaves
// room for others.
type trapQueue struct {
	mu   sync.Mutex
	from share.Count[uint16] // by LID
}

// mostTrapped is the number of queued traps.
const mostTrapped = 60

// put counts a trap, or returns false if its source has its share.
func (q *trapQueue) put(from uint16) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.from.Allows(share.Rule{}, from, mostTrapped) {
		return false
	}
	q.from.Add(from, 1)
	return true
}

// take removes a trap.
func (q *trapQueue) take(from uint16) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.from.Add(from, -1)
}
