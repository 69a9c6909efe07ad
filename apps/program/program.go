package program

import "fmt"

// Time counts the units of a run: nanoseconds on an ideal network, picoseconds on a routed one.
type Time int64

// Kind tells operations apart.
type Kind uint8

// The kinds of operations. A rank begins operations that become ready together in this order.
const (
	Send Kind = iota
	Recv
	Calc
)

func (k Kind) String() string { return [...]string{"send", "recv", "calc"}[k] }

// Any as the peer of a receive stands for every rank, and as its tag for every tag.
const Any = -1

// Op is an operation of a rank.
type Op struct {
	Size  int64 // bytes of a message; nanoseconds of a computation
	Ready Time  // when the last event that it waits for happened
	ID    int32 // the Program's number of the operation among those of its rank
	Peer  int32 // the other rank of a message
	Tag   int32
	Kind  Kind
	CPU   uint8 // the processor of the rank that does the work
	NIC   uint8 // the network port of the rank
}

// String returns the kind of the operation and its arguments, such as calc 5 ns.
func (o *Op) String() string {
	switch o.Kind {
	case Send:
		return fmt.Sprintf("send %d bytes to rank %d, tag %d", o.Size, o.Peer, o.Tag)
	case Recv:
		return fmt.Sprintf("recv %d bytes from rank %s, tag %s", o.Size, anyOr(o.Peer), anyOr(o.Tag))
	default:
		return fmt.Sprintf("calc %d ns", o.Size)
	}
}

func anyOr(n int32) string {
	if n == Any {
		return "any"
	}
	return fmt.Sprint(n)
}

// Shape says how large a Program is.
type Shape struct {
	Ranks, CPUs, NICs int // processors and network ports of each rank
}

// Program is an application: the operations of its ranks. The caller tells it when operations begin
// and end; it answers with the operations that become ready, appended to a list. Each operation
// begins and ends once.
type Program interface {
	Shape() Shape
	// First returns the operations of a rank that wait for nothing.
	First(rank int32, to []Op) []Op
	// Began returns the operations that an operation's begin makes ready.
	Began(rank, id int32, at Time, to []Op) []Op
	// Ended returns the operations that an operation's end makes ready.
	Ended(rank, id int32, at Time, to []Op) []Op
}
