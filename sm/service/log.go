package service

import (
	"maps"
	"sync"

	"weft/sm/terms"
)

// log keeps the last lines of the manager's log.
type log struct {
	mu      sync.Mutex
	most    int
	lines   []terms.LogLine // a ring: line N is at (N-1) mod most
	by      map[terms.IncidentKind]int
	told    uint64        // number of the last line
	ended   bool          // no more lines will come
	changed chan struct{} // closed by the next line, and at the end
	closed  chan struct{} // closed at the end
}

// add numbers a line and keeps it.
func (l *log) add(line terms.LogLine) terms.LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told++
	l.by[line.Kind]++
	line.Number = l.told
	if len(l.lines) < l.most {
		l.lines = append(l.lines, line)
	} else {
		l.lines[(l.told-1)%uint64(l.most)] = line
	}
	l.wake()
	return line
}

// counts returns the number of lines so far, by code.
func (l *log) counts() map[terms.IncidentKind]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.by)
}

// wake wakes the waiting followers.
func (l *log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// end tells the followers that no more lines will come.
func (l *log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		close(l.closed)
	}
	l.ended = true
	l.wake()
}

// over returns a channel that is closed at the end.
func (l *log) over() <-chan struct{} { return l.closed }

// after returns the stored lines after a number, a channel that is closed when more come, and
// whether the log has ended.
func (l *log) after(number uint64) (lines []terms.LogLine, more <-chan struct{}, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := max(number, l.told-uint64(len(l.lines))) + 1; n <= l.told && n != 0; n++ {
		lines = append(lines, l.lines[(n-1)%uint64(l.most)])
	}
	return lines, l.changed, l.ended
}
