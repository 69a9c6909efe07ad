package program

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Builder collects the operations of a Schedule, rank by rank.
type Builder struct {
	s     *Schedule
	edges []edge
	line  int // of the last operation
}

// edge says that an operation waits for another one of its rank.
type edge struct {
	waiting, other int32
	begin          bool // for its begin, not its end
}

// NewBuilder begins a Schedule. With hints for the numbers of operations and edges, its memory is
// taken at once.
func NewBuilder(operations, edges int) *Builder {
	return &Builder{s: &Schedule{Ops: make([]Op, 0, operations), cpus: 1, nics: 1, labels: labels{letters: "l"}}, edges: make([]edge, 0, edges)}
}

// Rank begins the next rank.
func (b *Builder) Rank() { b.s.Starts = append(b.s.Starts, int32(len(b.s.Ops))) }

// Number says how most labels are named: by these letters and a number. They then take little
// memory.
func (b *Builder) Number(letters string) { b.s.labels.letters = letters }

// AddOn is Add for an operation on a line of a text, from 1. Lines never go back. It is for texts
// whose operations all have lines.
func (b *Builder) AddOn(line int, o Op, label string) (int32, error) {
	op, err := b.Add(o, label)
	if err == nil {
		b.s.lines.add(line, b.line)
		b.line = line
	}
	return op, err
}

// Add adds an operation to the rank and returns its number in the Schedule. A label may be empty.
func (b *Builder) Add(o Op, label string) (int32, error) {
	if len(b.s.Ops) == math.MaxInt32 {
		return 0, fmt.Errorf("a schedule may have %d operations at most", math.MaxInt32)
	}
	op := int32(len(b.s.Ops))
	o.ID = op - b.s.Starts[len(b.s.Starts)-1]
	b.s.Ops = append(b.s.Ops, o)
	b.s.cpus, b.s.nics = max(b.s.cpus, int(o.CPU)+1), max(b.s.nics, int(o.NIC)+1)
	b.s.labels.add(op, label)
	return op, nil
}

// Wait lets an operation wait for another one of its rank: for its begin, or for its end.
func (b *Builder) Wait(op, other int32, begin bool) {
	b.edges = append(b.edges, edge{op, other, begin})
}

// Schedule returns the finished Schedule. It is an error if a message names a rank that does not
// exist, or if operations wait for each other in a circle.
func (b *Builder) Schedule() (*Schedule, error) {
	s := b.s
	if len(s.Starts) == 0 {
		return nil, errors.New("a schedule needs a rank")
	}
	if len(b.edges) > math.MaxInt32 {
		return nil, fmt.Errorf("a schedule may have %d dependencies at most", math.MaxInt32)
	}
	ranks := int32(len(s.Starts))
	s.Starts = append(s.Starts, int32(len(s.Ops)))
	for op := range s.Ops {
		if o := &s.Ops[op]; o.Kind != Calc && (o.Peer >= ranks || o.Peer < 0 && (o.Kind == Send || o.Peer != Any)) {
			return nil, fmt.Errorf("%s: rank %d does not exist; the ranks are 0 to %d", s.Name(int32(op)), o.Peer, ranks-1)
		}
	}
	b.index()
	if circle := s.circle(); circle != nil {
		return nil, circleError(s.describeAll(circle))
	}
	return s, nil
}

// index lists the dependents of each operation.
func (b *Builder) index() {
	s, n := b.s, len(b.s.Ops)
	s.after, s.begin, s.waits = make([]int32, n+1), make([]int32, n), make([]int32, n)
	s.who = make([]int32, len(b.edges))
	for _, e := range b.edges {
		s.after[e.other+1]++
		s.waits[e.waiting]++
		if e.begin {
			s.begin[e.other]++
		}
	}
	for i := range n {
		s.after[i+1] += s.after[i]
		s.begin[i] += s.after[i]
	}
	begins, ends := make([]int32, n), make([]int32, n)
	for _, e := range b.edges {
		if e.begin {
			s.who[s.after[e.other]+begins[e.other]] = e.waiting
			begins[e.other]++
		} else {
			s.who[s.begin[e.other]+ends[e.other]] = e.waiting
			ends[e.other]++
		}
	}
}

// circleError reports operations that wait for each other, so that none of them can begin: each
// for the next, and the last one for the first.
type circleError []string

func (e circleError) Error() string {
	return "operations wait for each other in a circle, so none can begin:\n  " + strings.Join(e, "\n  ")
}
