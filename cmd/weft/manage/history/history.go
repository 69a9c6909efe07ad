// Package history keeps the readings of counters in a file beside the state (package telemetry has
// its form). Nothing waits for it: the manager hands over a report and goes on. If the file cannot
// be written, readings are lost, and nothing else.
package history

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/perf"
	"weft/sm/service"
	"weft/sm/telemetry"
)

// reserve is the room on the disk that a History leaves to others, such as the state.
const reserve = 64 << 20

// patience is the time that the end of a manager waits for the file.
const patience = 2 * time.Second

// History writes reports to a file, and answers questions about it. It is safe for concurrent use.
type History struct {
	path string
	most int64
	note func(error) // told of failures, seldom

	handed chan handed // at most one report waits
	stop   chan struct{}
	once   sync.Once // of stop
	done   chan struct{}
	status atomic.Pointer[service.HistoryFile]

	mu   sync.Mutex // guards the file
	file *os.File   // nil while it cannot be opened
	ring *telemetry.Ring
	told repeat.Seldom[string]
}

// handed is a report with the time of its end.
type handed struct {
	end    time.Time
	report *perf.Report
}

// Open begins a History in a file of limited size. A file that cannot be opened is tried again with
// each report. note is told of failures, from another goroutine.
func Open(path string, most int64, note func(error)) *History {
	h := &History{path: path, most: most, note: note, handed: make(chan handed, 1), stop: make(chan struct{}), done: make(chan struct{}), told: repeat.Seldom[string]{Every: time.Hour}}
	h.status.Store(&service.HistoryFile{File: path})
	go h.run()
	return h
}

// Add hands over a report. If the file is so slow that the one before still waits, it is dropped.
func (h *History) Add(end time.Time, r *perf.Report) {
	select {
	case h.handed <- handed{end, r}:
	default:
	}
}

// Close stops the History. It waits until pending reports are written, but no longer than patience.
// h may be nil.
func (h *History) Close() {
	if h == nil {
		return
	}
	h.once.Do(func() { close(h.stop) })
	select {
	case <-h.done:
	case <-time.After(patience):
	}
}

// run writes the reports.
func (h *History) run() {
	defer close(h.done)
	h.mu.Lock()
	h.tell(h.open()) // what an earlier run has kept can be asked for at once
	h.mu.Unlock()
	for stopped := false; !stopped; {
		select {
		case next := <-h.handed:
			h.take(next)
		case <-h.stop:
			stopped = true
		}
	}
	select {
	case next := <-h.handed:
		h.take(next)
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.close()
}

// take writes a report.
func (h *History) take(next handed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(h.write(next))
}

// tell shows the state of the file, and notes a failure.
func (h *History) tell(err error) {
	now := service.HistoryFile{File: h.path}
	if h.ring != nil {
		now.Bytes = h.ring.Size()
		if first, last, ok := h.ring.Span(); ok {
			now.From, now.To = first.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339)
		}
	}
	if err != nil {
		now.Problem = err.Error()
		if h.told.Admits(time.Duration(time.Now().UnixNano()), now.Problem) {
			h.note(err)
		}
	}
	h.status.Store(&now)
}

// Status describes the file.
func (h *History) Status() *service.HistoryFile { return h.status.Load() }

// write stores a report. A report without any growth, such as the first one, is none.
func (h *History) write(next handed) error {
	if err := h.open(); err != nil {
		return err
	}
	r := next.report
	if r.Reading == nil || !slices.ContainsFunc(r.Reading.Counts, func(c perf.Counts) bool { return c.Took > 0 }) {
		return nil
	}
	frame := &telemetry.Frame{End: next.end, Interval: time.Duration(r.Interval * float64(time.Second)), Reading: *r.Reading}
	if err := h.ring.Add(frame); err != nil {
		return fmt.Errorf("%s: %w", h.path, err)
	}
	return nil
}

// open opens the file, unless it is open and still in its place.
func (h *History) open() error {
	if h.file != nil {
		held, err := h.file.Stat()
		if there, other := os.Lstat(h.path); err == nil && other == nil && os.SameFile(held, there) {
			return nil
		}
		h.close()
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	ring, err := h.read(f)
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", h.path, err)
	}
	h.file, h.ring = f, ring
	return nil
}

// read opens the Ring in a file, and locks the file for this process.
func (h *History) read(f *os.File) (*telemetry.Ring, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a file: move it away")
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.New("another manager writes it")
	}
	return telemetry.OpenRing(f, info.Size(), h.most, func(more int64) error { return hasRoom(f, more) })
}

// hasRoom reports as an error that a file may not grow.
func hasRoom(f *os.File, more int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &disk); err != nil {
		return err
	}
	if free := int64(disk.Bavail) * disk.Bsize; free-more < reserve {
		return fmt.Errorf("the disk has %d MB left, which the history leaves to others", free>>20)
	}
	return nil
}

// close closes the file.
func (h *History) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
	h.file, h.ring = nil, nil
}

// At describes a moment of the history.
func (h *History) At(t time.Time) (*telemetry.Moment, error) {
	frames, err := h.frames(t)
	if err != nil {
		return nil, err
	}
	return telemetry.At(t, frames)
}

// Series returns the readings of a port of the last hour. It releases the file between two
// readings, so that new ones can be written.
func (h *History) Series(guid fabric.GUID, port uint8) (*telemetry.Series, error) {
	s := &telemetry.Series{Points: []telemetry.Point{}}
	var numbers []uint64
	err := h.use(func(r *telemetry.Ring) error {
		numbers = r.Numbers()
		return nil
	})
	for _, n := range numbers {
		var data []byte
		if err := h.use(func(r *telemetry.Ring) (err error) {
			data, err = r.Stored(n)
			return err
		}); err != nil || data == nil {
			continue // damaged, or written over
		}
		if f, err := telemetry.Decode(data); err == nil {
			s.Add(f, guid, port)
		}
	}
	if err == nil && len(s.Points) == 0 {
		err = telemetry.ErrNotKept
	}
	s.Join()
	return s, err
}

// use calls do with the Ring, while nobody else uses it.
func (h *History) use(do func(r *telemetry.Ring) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.open(); err != nil {
		return err
	}
	return do(h.ring)
}

// frames returns the rounds that may cover a moment.
func (h *History) frames(t time.Time) (list []*telemetry.Frame, err error) {
	err = h.use(func(r *telemetry.Ring) (err error) {
		list, err = r.At(t)
		return err
	})
	return list, err
}
