package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// SendOrder says which messages of a rank leave one after the other on a Network. Requests and
// answers never wait, and neither do messages within a machine. The zero value is the usual order.
type SendOrder uint8

// The orders.
const (
	ByPair SendOrder = iota // those to one rank, as on one queue pair; queue pairs share the port
	ByPort                  // all of a port, as in the LogGOPS model
	Shared                  // no message waits: all messages of a port share its rate
)

var orderNames = [...]string{"pair", "port", "shared"}

func (o SendOrder) String() string { return orderNames[o] }

// MarshalText returns the name of the order.
func (o SendOrder) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a name: pair, port or shared. None is the usual order.
func (o *SendOrder) UnmarshalText(text []byte) error {
	i := slices.Index(orderNames[:], cmp.Or(string(text), orderNames[ByPair]))
	if i < 0 {
		return fmt.Errorf("%q: the orders of sends are %s", text, strings.Join(orderNames[:], ", "))
	}
	*o = SendOrder(i)
	return nil
}

// SendQueues lets messages wait at their ports. It is unused with Shared.
type SendQueues struct {
	Order  SendOrder
	ports  []cell   // by port: a queue that needs no search
	queues table    // the other queues
	queued []queued // by number of a message
}

// queued is a message under way, or one that waits for those before it.
type queued struct {
	queue address // none if the message has left
	next  int32   // message of the queue
	at    Time    // not before this time it leaves
}

// Enter reports whether a message leaves at once on a port. Otherwise Left will return its number.
// Nobody calls it if the order is Shared.
func (s *SendQueues) Enter(port int32, at Time, m *Message) bool {
	for int(m.Number) >= len(s.queued) {
		s.queued = append(s.queued, queued{queue: unqueued})
	}
	q := &s.queued[m.Number]
	q.queue, q.next = address{none, none, port}, none
	if s.Order == ByPair {
		q.queue.to, q.queue.from = m.To, m.From
	}
	list, first := s.queue(q.queue)
	if !first {
		q.at = at
		s.queued[list.last].next = m.Number
	}
	list.last = m.Number
	return first
}

// queue returns the queue of a message: its last message is in it. It is new if it had none.
func (s *SendQueues) queue(key address) (q *cell, fresh bool) {
	for int(key.tag) >= len(s.ports) {
		s.ports = append(s.ports, cell{})
	}
	own := &s.ports[key.tag]
	switch {
	case own.used && own.key == key:
		return own, false
	case own.used || s.queues.get(key) != nil:
		return s.queues.add(key)
	}
	own.key, own.used = key, true
	return own, true
}

// unqueued is no queue: it has no port.
var unqueued = address{none, none, none}

// Left is told that a message has left. It returns the number of the message that leaves next, and
// when.
func (s *SendQueues) Left(number int32, now Time) (at Time, next int32, ok bool) {
	if int(number) >= len(s.queued) || s.queued[number].queue == unqueued {
		return 0, 0, false
	}
	gone := &s.queued[number]
	queue := gone.queue
	gone.queue = unqueued
	if gone.next == none {
		if own := &s.ports[queue.tag]; own.used && own.key == queue {
			own.used = false
		} else {
			s.queues.remove(queue)
		}
		return 0, 0, false
	}
	return max(now, s.queued[gone.next].at), gone.next, true
}
