package program

// Stuck says why a run did not come to its end.
type Stuck struct {
	// Unmatched describes the messages that no receive takes, and the receives that no message
	// meets, in order of rank.
	Unmatched []string
	// Circle describes operations that wait for each other, each for the next and the last for the
	// first; it is empty if there is none.
	Circle []string
}

// Pending is a message or a receive that has begun and waits for the other.
type Pending struct{ Rank, ID int32 }

// Explain says why a run stopped with pending messages and receives before its end. Messages that
// were sent without waiting may be among them; their operations have ended.
func (r *Run) Explain(pending []Pending) Stuck {
	e := &explainer{run: r, waits: map[int32]bool{}}
	var ops []int32
	for _, p := range pending {
		op := r.Starts[p.Rank] + p.ID
		ops = append(ops, op)
		e.waits[op] = true
	}
	e.index()
	var s Stuck
	for _, op := range ops {
		if e.partner(op) < 0 {
			s.Unmatched = append(s.Unmatched, r.Describe(op))
		}
	}
	for _, op := range ops {
		if circle := ring(op, e.next); circle != nil {
			s.Circle = r.describeAll(circle)
			break
		}
	}
	return s
}

// explainer finds for each operation one that it waits for.
type explainer struct {
	run      *Run
	waits    map[int32]bool // begun, and waiting for the other side
	requires []int32        // by operation: one that has not ended and that it waits for, or -1
	sends    map[[3]int32][]int32
	recvs    map[[2]int32][]int32
}

// index lists messages and receives that have not begun, and the operations that wait for them.
func (e *explainer) index() {
	r := e.run
	e.requires = make([]int32, len(r.Ops))
	e.sends, e.recvs = map[[3]int32][]int32{}, map[[2]int32][]int32{}
	for op := range e.requires {
		e.requires[op] = -1
	}
	for rank := range int32(len(r.Starts) - 1) {
		for op := r.Starts[rank]; op < r.Starts[rank+1]; op++ {
			if r.HasEnded(op) {
				continue
			}
			for _, w := range r.who[r.after[op]:r.after[op+1]] {
				if r.left[w] > 0 {
					e.requires[w] = op
				}
			}
			if e.waits[op] {
				continue
			}
			switch o := &r.Ops[op]; o.Kind {
			case Send:
				key := [3]int32{rank, o.Peer, o.Tag}
				e.sends[key] = append(e.sends[key], op)
			case Recv:
				key := [2]int32{rank, o.Peer}
				e.recvs[key] = append(e.recvs[key], op)
			case Calc:
			}
		}
	}
}

// partner returns an operation that has not begun and that would take or meet a pending one, or -1.
func (e *explainer) partner(op int32) int32 {
	o, rank := &e.run.Ops[op], e.run.Rank(op)
	first := func(list []int32, fits func(*Op) bool) int32 {
		for _, other := range list {
			if fits(&e.run.Ops[other]) {
				return other
			}
		}
		return -1
	}
	if o.Kind == Send {
		fits := func(recv *Op) bool { return recv.Tag == Any || recv.Tag == o.Tag }
		if named := first(e.recvs[[2]int32{o.Peer, rank}], fits); named >= 0 {
			return named
		}
		return first(e.recvs[[2]int32{o.Peer, Any}], fits)
	}
	if o.Peer != Any && o.Tag != Any {
		return first(e.sends[[3]int32{o.Peer, rank, o.Tag}], func(*Op) bool { return true })
	}
	found := int32(-1)
	for key, list := range e.sends {
		if key[1] == rank && (o.Peer == Any || o.Peer == key[0]) && (o.Tag == Any || o.Tag == key[2]) {
			if found < 0 || list[0] < found {
				found = list[0]
			}
		}
	}
	return found
}

// next returns an operation that another one waits for, or -1.
func (e *explainer) next(op int32) int32 {
	if e.waits[op] {
		return e.partner(op)
	}
	return e.requires[op]
}
