package state

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"weft/fabric"
	"weft/fabric/netfile/own"
	"weft/sm/terms"
)

// Event is a log line with its time.
type Event struct {
	Time time.Time
	terms.Incident
}

// mostWaiting is the maximum number of events in the queue: a hanging disk must not exhaust memory.
const mostWaiting = 10000

// Writer stores events and the last discovered subnet in the background, all pending ones in one
// transaction.
type Writer struct {
	store *Store
	fail  func(error) // called when writing starts to fail, and again only after a success in between

	mu     sync.Mutex
	events []Event
	lost   int // events dropped for lack of room
	subnet *fabric.Fabric
	now    time.Time // of the subnet
	closed bool
	last   error // error of the last write, valid after done
	wake   chan struct{}
	done   chan struct{}
}

// NewWriter starts a Writer. Close it before its Store.
func NewWriter(s *Store, fail func(error)) *Writer {
	w := &Writer{store: s, fail: fail, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

// Event queues an event.
func (w *Writer) Event(e Event) {
	w.mu.Lock()
	if len(w.events) < mostWaiting {
		w.events = append(w.events, e)
	} else {
		w.lost++
	}
	w.mu.Unlock()
	w.kick()
}

// Subnet queues the subnet discovered at a time. It must not change any more.
func (w *Writer) Subnet(now time.Time, f *fabric.Fabric) {
	w.mu.Lock()
	w.subnet, w.now = f, now
	w.mu.Unlock()
	w.kick()
}

func (w *Writer) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close writes what is pending, and returns the error of the last write.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.kick()
	<-w.done
	return w.last
}

// run writes until closed. Data that could not be written is retried together with the next.
func (w *Writer) run() {
	defer close(w.done)
	failed := false
	for range w.wake {
		w.mu.Lock()
		events, lost, subnet, now, closed := w.events, w.lost, w.subnet, w.now, w.closed
		w.events, w.lost, w.subnet = nil, 0, nil
		w.mu.Unlock()
		if lost > 0 {
			events = append(events, Event{events[len(events)-1].Time, terms.Incident{Kind: terms.NotStored, Text: fmt.Sprintf("%d events were not stored", lost)}})
		}
		err := w.store.write(events, now, subnet)
		if err != nil {
			w.putBack(events, now, subnet)
		}
		if err != nil && !failed {
			w.fail(err)
		}
		if failed, w.last = err != nil, err; closed {
			return
		}
	}
}

// putBack queues data again after a failed write.
func (w *Writer) putBack(events []Event, now time.Time, subnet *fabric.Fabric) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := max(0, mostWaiting-len(w.events))
	w.lost += max(0, len(events)-room)
	w.events = append(events[:min(len(events), room)], w.events...)
	if w.subnet == nil {
		w.subnet, w.now = subnet, now
	}
}

// write stores events, and the subnet unless it is nil.
func (s *Store) write(events []Event, now time.Time, subnet *fabric.Fabric) error {
	if len(events) == 0 && subnet == nil {
		return nil
	}
	var packed []byte
	if subnet != nil {
		var err error
		if packed, err = pack(subnet); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.inTx(func(tx *sql.Tx) error {
		for i := range events {
			if err := insertEvent(tx, &events[i]); err != nil {
				return err
			}
		}
		if err := execute(tx, "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - ?", s.limits.Events); err != nil || packed == nil {
			return err
		}
		return execute(tx, "INSERT OR REPLACE INTO subnet (id, time, netfile) VALUES (1, ?, ?)", now.UnixMilli(), packed)
	})
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// insertEvent stores an event. An event about a whole node has no port; about the subnet, no GUID
// either.
func insertEvent(tx *sql.Tx, e *Event) error {
	var guid, name, port any
	if e.At.Node != 0 {
		guid, name = int64(e.At.Node), e.At.Name
		if e.At.Port >= 0 {
			port = int64(e.At.Port)
		}
	}
	return execute(tx, "INSERT INTO events (time, code, text, node_guid, node_name, port) VALUES (?, ?, ?, ?, ?, ?)",
		e.Time.UnixMilli(), string(e.Kind), e.Text, guid, name, port)
}

// pack encodes and compresses a fabric.
func pack(f *fabric.Fabric) ([]byte, error) {
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := own.WriteJSON(zip, f); err != nil {
		return nil, err
	}
	err = zip.Close()
	return b.Bytes(), err
}
