package machine

import "fmt"

// SendOrder says which messages of a rank leave one after the other on a Network. Requests and
// answers never wait, and neither do messages within a machine.
type SendOrder uint8

// The orders.
const (
	Shared SendOrder = iota // no message waits: all messages of a port share its rate
	ByPair                  // those to one rank, as on one queue pair
	ByPort                  // all of a port, as in the LogGOPS model
	orders                  // their number
)

var orderNames = [...]string{"shared", "pair", "port"}

func (o SendOrder) String() string { return orderNames[o] }

// ParseSendOrder reads a SendOrder: shared, pair or port.
func ParseSendOrder(text string) (SendOrder, error) {
	for o := range orders {
		if o.String() == text {
			return o, nil
		}
	}
	return Shared, fmt.Errorf("%q: the orders of sends are shared, pair and port", text)
}

// SendQueues lets messages wait at their ports. It is unused with Shared.
type SendQueues struct {
	Order   SendOrder
	queues  map[queueKey][]queuedMessage // those with a message under way, which comes first
	leaving map[int32]queueKey           // by number of a message under way
}

// queueKey names a queue of sends.
type queueKey struct {
	port     int32
	from, to int32 // ranks, of a pair
}

// queuedMessage is a message that leaves not before a time.
type queuedMessage struct {
	at Time
	m  Message
}

// Enter reports whether a message leaves at once on a port. Otherwise Left will return it. Nobody
// calls it if the order is Shared.
func (s *SendQueues) Enter(port int32, at Time, m Message) bool {
	if s.queues == nil {
		s.queues, s.leaving = map[queueKey][]queuedMessage{}, map[int32]queueKey{}
	}
	key := queueKey{port: port}
	if s.Order == ByPair {
		key.from, key.to = m.From, m.To
	}
	s.queues[key] = append(s.queues[key], queuedMessage{at, m})
	if len(s.queues[key]) > 1 {
		return false
	}
	s.leaving[m.Number] = key
	return true
}

// Left is told that a message has left. It returns the message that leaves next, and when.
func (s *SendQueues) Left(number int32, now Time) (at Time, m Message, ok bool) {
	key, is := s.leaving[number]
	if !is {
		return 0, Message{}, false
	}
	delete(s.leaving, number)
	rest := s.queues[key][1:]
	if len(rest) == 0 {
		delete(s.queues, key)
		return 0, Message{}, false
	}
	s.queues[key] = rest
	s.leaving[rest[0].m.Number] = key
	return max(now, rest[0].at), rest[0].m, true
}
