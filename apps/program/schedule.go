package program

import (
	"fmt"
	"slices"
)

// Schedule lists all operations of all ranks, rank after rank: rank r has
// Ops[Starts[r]:Starts[r+1]].
type Schedule struct {
	Ops    []Op    // ID is the number within the rank
	Starts []int32 // by rank, and one more

	// The operations who[after[i]:after[i+1]] wait for operation i: those up to begin[i] for its
	// begin, the others for its end.
	after, begin []int32
	who          []int32
	waits        []int32 // by operation: for how many events it waits

	cpus, nics int
	labels     labels
	lines      lines
}

// Shape returns the number of ranks, and the largest numbers of processors and network ports.
func (s *Schedule) Shape() Shape { return Shape{len(s.Starts) - 1, s.cpus, s.nics} }

// Rank returns the rank of an operation by its number in Ops.
func (s *Schedule) Rank(op int32) int32 {
	next, _ := slices.BinarySearch(s.Starts, op+1)
	return int32(next - 1)
}

// Name returns the name of an operation for messages: its label, or its number in its rank; and
// its line in the text.
func (s *Schedule) Name(op int32) string {
	rank := s.Rank(op)
	label, ok := s.labels.of(op)
	if !ok {
		label = fmt.Sprintf("operation %d", op-s.Starts[rank])
	}
	if line := s.lines.of(op); line > 0 {
		return fmt.Sprintf("rank %d, %s (line %d)", rank, label, line)
	}
	return fmt.Sprintf("rank %d, %s", rank, label)
}

// Describe returns the name of an operation, its kind and its arguments.
func (s *Schedule) Describe(op int32) string {
	return s.Name(op) + ": " + s.Ops[op].String()
}

// Dependents returns the operations that wait for the begin of an operation, and for its end. The
// lists belong to the Schedule.
func (s *Schedule) Dependents(op int32) (begin, end []int32) {
	return s.who[s.after[op]:s.begin[op]], s.who[s.begin[op]:s.after[op+1]]
}

// Waits returns for how many events an operation waits.
func (s *Schedule) Waits(op int32) int32 { return s.waits[op] }

// Run is a Schedule under way. It is the Program of one run.
type Run struct {
	*Schedule
	left  []int32 // by operation: events that have not happened; -1 once it has ended
	ready []Time  // by operation: the last event that it waited for
	over  int     // operations that have ended
}

// Start begins a run of the Schedule.
func (s *Schedule) Start() *Run {
	return &Run{Schedule: s, left: slices.Clone(s.waits), ready: make([]Time, len(s.Ops))}
}

// First returns the operations of a rank that wait for nothing.
func (r *Run) First(rank int32, to []Op) []Op {
	for op := r.Starts[rank]; op < r.Starts[rank+1]; op++ {
		if r.waits[op] == 0 {
			to = append(to, r.Ops[op])
		}
	}
	return to
}

// Began returns the operations that an operation's begin makes ready.
func (r *Run) Began(rank, id int32, at Time, to []Op) []Op {
	op := r.Starts[rank] + id
	return r.free(r.who[r.after[op]:r.begin[op]], at, to)
}

// Ended returns the operations that an operation's end makes ready.
func (r *Run) Ended(rank, id int32, at Time, to []Op) []Op {
	op := r.Starts[rank] + id
	r.left[op] = ended
	r.over++
	return r.free(r.who[r.begin[op]:r.after[op+1]], at, to)
}

const ended = -1

func (r *Run) free(waiting []int32, at Time, to []Op) []Op {
	for _, op := range waiting {
		r.ready[op] = max(r.ready[op], at)
		if r.left[op]--; r.left[op] == 0 {
			o := r.Ops[op]
			o.Ready = r.ready[op]
			to = append(to, o)
		}
	}
	return to
}

// DescribeOf is Describe for an operation by its number within a rank.
func (r *Run) DescribeOf(rank, id int32) (string, bool) {
	return r.Describe(r.Starts[rank] + id), true
}

// HasEnded reports whether an operation has ended.
func (r *Run) HasEnded(op int32) bool { return r.left[op] == ended }

// Done reports whether all operations have ended.
func (r *Run) Done() bool { return r.over == len(r.Ops) }

// Share returns the share of operations that have ended.
func (r *Run) Share() float64 { return float64(r.over) / float64(max(len(r.Ops), 1)) }
