package state

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
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
// transaction. What cannot be stored is tried again every second.
type Writer struct {
	store *Store
	fail  func(error) // called when writing starts to fail, and again only after a success in between; nil when it works again

	mu     sync.Mutex
	events []Event
	lost   int // events dropped for lack of room
	subnet *fabric.Fabric
	now    time.Time               // of the subnet
	owed   map[string]func() error // what others could not store, by name
	closed bool
	last   error // error of the last write, valid after done
	wake   chan struct{}
	done   chan struct{}
}

// storeAgain is the time between two attempts to store.
const storeAgain = time.Second

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

// Owe has something stored that could not be, in place of an older thing of that name. store is
// called until it returns no error, or Pay is called.
func (w *Writer) Owe(name string, store func() error) {
	w.mu.Lock()
	if w.owed == nil {
		w.owed = map[string]func() error{}
	}
	w.owed[name] = store
	w.mu.Unlock()
	w.kick()
}

// Pay drops the thing of a name: something newer is stored.
func (w *Writer) Pay(name string) {
	w.mu.Lock()
	delete(w.owed, name)
	w.mu.Unlock()
}

// pay stores everything owed.
func (w *Writer) pay() (err error) {
	w.mu.Lock()
	owed := maps.Clone(w.owed)
	w.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(owed)) {
		w.mu.Lock()
		store := w.owed[name] // the latest
		w.mu.Unlock()
		if store == nil {
			continue
		}
		if failed := store(); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, failed))
			continue
		}
		w.Pay(name)
	}
	return err
}

func (w *Writer) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close writes all pending data, and returns the error of the last write.
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
	again := time.NewTicker(storeAgain)
	defer again.Stop()
	failed := false
	for {
		select {
		case <-w.wake:
		case <-again.C:
			if !failed {
				continue
			}
		}
		closed, err := w.writeAll()
		switch {
		case err != nil && !failed:
			w.fail(err)
		case err == nil && failed:
			w.fail(nil)
		}
		if failed, w.last = err != nil, err; closed {
			return
		}
	}
}

// writeAll writes all pending data.
func (w *Writer) writeAll() (closed bool, err error) {
	w.mu.Lock()
	events, lost, subnet, now, closed := w.events, w.lost, w.subnet, w.now, w.closed
	w.events, w.lost, w.subnet = nil, 0, nil
	w.mu.Unlock()
	if lost > 0 {
		events = append(events, Event{events[len(events)-1].Time, terms.Incident{Kind: terms.NotStored, Text: fmt.Sprintf("%d events were not stored", lost)}})
	}
	if err = w.store.write(events, now, subnet); err != nil {
		w.putBack(events, now, subnet)
		err = fmt.Errorf("events: %w", err)
	}
	return closed, errors.Join(err, w.pay())
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
