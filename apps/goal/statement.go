package goal

import (
	"math"

	"weft/apps/program"
)

// statement reads a line.
func (r *reader) statement() error {
	if !r.inside {
		return r.betweenRanks()
	}
	if r.accept('}') {
		r.inside = false
		return r.endOfLine()
	}
	from := r.at
	first := r.word()
	switch {
	case len(first) == 0:
		return r.fault("an operation, a label or } is expected")
	case r.accept(':'):
		label := first
		if !isLetter(label[0]) {
			r.at = from
			return r.fault("the label %q: a label begins with a letter", label)
		}
		if r.labels.find(label) >= 0 {
			r.at = from
			return r.fault("the label %s is given twice in rank %d", label, r.rank)
		}
		kind := r.word()
		return r.operation(kind, label)
	case isOperation(first):
		return r.operation(first, nil)
	}
	return r.dependency(first, from)
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isOperation(w []byte) bool {
	return string(w) == "send" || string(w) == "recv" || string(w) == "calc"
}

// betweenRanks reads a line between ranks.
func (r *reader) betweenRanks() error {
	from := r.at
	switch w := r.word(); string(w) {
	case "num_ranks":
		if r.ranks > 0 {
			r.at = from
			return r.fault("num_ranks is given twice")
		}
		n, err := r.integer("number of ranks", 1, maxRanks)
		if err != nil {
			return err
		}
		r.ranks = int(n)
		return r.endOfLine()
	case "rank":
		if r.ranks == 0 {
			r.at = from
			return r.fault("num_ranks must come before the first rank")
		}
		if r.rank+1 == r.ranks {
			r.at = from
			return r.fault("one more rank than the %d of num_ranks", r.ranks)
		}
		next := int64(r.rank + 1)
		n, err := r.integer("rank", 0, maxRanks)
		if err != nil {
			return err
		}
		if n != next {
			return r.fault("rank %d: ranks come in order, so rank %d is expected", n, next)
		}
		if !r.accept('{') {
			return r.fault("{ is missing")
		}
		r.rank, r.inside = int(n), true
		r.build.Rank()
		r.labels.clear()
		return r.endOfLine()
	}
	r.at = from
	return r.fault("num_ranks N or rank R { is expected")
}

// operation reads an operation after its kind.
func (r *reader) operation(kind, label []byte) (err error) {
	var o program.Op
	switch string(kind) {
	case "send":
		o.Kind = program.Send
		err = r.message(&o, "to", 0)
	case "recv":
		o.Kind = program.Recv
		err = r.message(&o, "from", program.Any)
	case "calc":
		o.Kind = program.Calc
		o.Size, err = r.integer("time of a calc in ns", 0, math.MaxInt64)
	default:
		return r.fault("%q: send, recv or calc is expected", kind)
	}
	if err != nil {
		return err
	}
	if err := r.options(&o); err != nil {
		return err
	}
	op, err := r.build.AddOn(r.number, o, string(label))
	if err != nil {
		return r.fault("%v", err)
	}
	if label != nil {
		r.labels.add(label, op)
	}
	return nil
}

// message reads the size and the peer of a message.
func (r *reader) message(o *program.Op, preposition string, least int64) (err error) {
	if o.Size, err = r.integer("size of a message", 0, math.MaxInt64); err != nil {
		return err
	}
	if w := r.word(); string(w) != "b" {
		return r.fault("the size of a message ends with b: %db", o.Size)
	}
	if w := r.word(); string(w) != preposition {
		return r.fault("%s and a rank are missing", preposition)
	}
	peer, err := r.integer("peer", least, int64(r.ranks)-1)
	o.Peer = int32(peer)
	return err
}

// options reads tag, cpu and nic, each once at most.
func (r *reader) options(o *program.Op) error {
	var seen [3]bool
	for {
		r.skip()
		from := r.at
		w := r.word()
		if len(w) == 0 {
			return r.endOfLine()
		}
		which, least, most := -1, int64(0), int64(math.MaxUint8)
		switch {
		case string(w) == "tag" && o.Kind != program.Calc:
			which, least, most = 0, program.Any, math.MaxInt32
			if o.Kind == program.Send {
				least = 0
			}
		case string(w) == "cpu":
			which = 1
		case string(w) == "nic" && o.Kind != program.Calc:
			which = 2
		}
		if which < 0 || seen[which] {
			r.at = from
			return r.fault("%q is not expected here", w)
		}
		seen[which] = true
		n, err := r.integer(string(w), least, most)
		if err != nil {
			return err
		}
		switch which {
		case 0:
			o.Tag = int32(n)
		case 1:
			o.CPU = uint8(n)
		case 2:
			o.NIC = uint8(n)
		}
	}
}

// dependency reads a dependency whose first label has been read.
func (r *reader) dependency(first []byte, from int) error {
	op := r.labels.find(first)
	kind := r.word()
	begin := string(kind) == "irequires"
	if !begin && string(kind) != "requires" {
		return r.fault("after %s, requires, irequires or a colon is expected", first)
	}
	if op < 0 {
		r.at = from
		return r.fault("the label %s is not known in rank %d: it must stand above", first, r.rank)
	}
	r.skip()
	from = r.at
	second := r.word()
	other := r.labels.find(second)
	if other < 0 {
		r.at = from
		return r.fault("the label %q is not known in rank %d: it must stand above", second, r.rank)
	}
	r.build.Wait(op, other, begin)
	return r.endOfLine()
}
