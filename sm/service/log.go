package service

import (
	"sync"

	"weft/sm/terms"
)

// log keeps the last lines that were told.
type log struct {
	mu      sync.Mutex
	most    int
	lines   []terms.LogLine // a ring: line N is at (N-1) mod most
	told    uint64          // lines so far: the number of the last one
	ended   bool            // no more will be told
	changed chan struct{}   // closed by the next line, and by the end
}

// add numbers a line and keeps it.
func (l *log) add(line terms.LogLine) terms.LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told++
	line.Number = l.told
	if len(l.lines) < l.most {
		l.lines = append(l.lines, line)
	} else {
		l.lines[(l.told-1)%uint64(l.most)] = line
	}
	l.wake()
	return line
}

// wake tells those who wait.
func (l *log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// end tells those who wait that nothing more comes.
func (l *log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.wake()
}

// after returns the lines behind a number that are kept, what is closed when there are more, and whether none will come.
func (l *log) after(number uint64) (lines []terms.LogLine, more <-chan struct{}, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := max(number, l.told-uint64(len(l.lines))) + 1; n <= l.told && n != 0; n++ {
		lines = append(lines, l.lines[(n-1)%uint64(l.most)])
	}
	return lines, l.changed, l.ended
}
