package script

import (
	"slices"
	"sort"

	"weft/apps/collective"
	"weft/apps/program"
)

// Item is a computation, a message or a collective operation.
type Item struct {
	Kind int // for the count; 0: a computation
	// A computation has nanoseconds, and a collective operation a Part.
	Calc int64
	Part *collective.Part
	Own  int                     // the rank's number among those of the Part
	Peer func(rank int) (to int) // the number of a rank of the Part in the Program
	// A message is an Op without an ID. Its tag is no stream's number.
	Message program.Op
	Waits   bool  // for an item of another stream
	After   Point // that item
	For     int   // its kind
}

// Point names an item of a rank.
type Point struct{ Stream, Index int }

// Script says what each rank does.
type Script interface {
	// Size returns the numbers of ranks, streams, and kinds of items.
	Size() (ranks, streams, kinds int)
	// Item returns an item of a rank; ok is false after the last one of a stream.
	Item(rank, stream, index int) (i Item, ok bool)
}

// Run is a Script under way: a Program.
type Run struct {
	script       Script
	ranks, kinds int
	Start        program.Time // before which no rank does anything
	streams      []stream     // by rank, then stream
	perRank      int
	items        int // of the first rank's first stream, for the share that is done
	total, shown []program.Time
	computing    program.Time
	free         []program.Op
}

// stream is the state of a stream of a rank.
type stream struct {
	item  Item
	index int          // of the item; those before have ended
	round int          // of the item's Part
	left  int          // operations of the round that have not ended
	ready program.Time // the end of the item before, or of the operations that have ended
	begun program.Time
	last  program.Time // the end of the item before
	waits bool         // for an item of another stream
	over  bool
}

// New begins a run of a Script.
func New(s Script) *Run {
	ranks, streams, kinds := s.Size()
	r := &Run{script: s, ranks: ranks, kinds: kinds, perRank: streams, streams: make([]stream, ranks*streams)}
	r.total, r.shown = make([]program.Time, kinds), make([]program.Time, kinds)
	// A long step has more items than can be looked at one by one.
	has := func(i int) bool { _, ok := s.Item(0, 0, i); return ok }
	most := 1
	for has(most) {
		most *= 2
	}
	r.items = sort.Search(most, func(i int) bool { return !has(i) })
	return r
}

// Shape returns a processor for each stream, and one port.
func (r *Run) Shape() program.Shape { return program.Shape{Ranks: r.ranks, CPUs: r.perRank, NICs: 1} }

// Share returns how far the first rank is.
func (r *Run) Share() float64 { return float64(r.streams[0].index) / float64(max(r.items, 1)) }

// Done reports whether all streams are over.
func (r *Run) Done() bool {
	return !slices.ContainsFunc(r.streams, func(s stream) bool { return !s.over })
}

// of returns a stream of a rank.
func (r *Run) of(rank int32, stream int) *stream { return &r.streams[int(rank)*r.perRank+stream] }

// First begins all streams of a rank.
func (r *Run) First(rank int32, to []program.Op) []program.Op {
	for s := range r.perRank {
		r.of(rank, s).ready = r.Start
	}
	for s := range r.perRank {
		to = r.load(rank, s, to)
	}
	return to
}

// Began returns nothing: items wait for ends alone.
func (r *Run) Began(_, _ int32, _ program.Time, to []program.Op) []program.Op { return to }

// Ended counts an operation. The number of an operation is that of its stream.
func (r *Run) Ended(rank, id int32, at program.Time, to []program.Op) []program.Op {
	s := r.of(rank, int(id))
	s.ready = max(s.ready, at)
	if s.left--; s.left > 0 {
		return to
	}
	s.round++
	return r.goOn(rank, int(id), to)
}

// load takes the next item of a stream, and begins it unless it waits for another stream.
func (r *Run) load(rank int32, number int, to []program.Op) []program.Op {
	s := r.of(rank, number)
	item, ok := r.script.Item(int(rank), number, s.index)
	if !ok {
		s.over = true
		return to
	}
	s.item, s.round = item, 0
	if item.Waits {
		other := r.of(rank, item.After.Stream)
		if other.index <= item.After.Index {
			s.waits = true
			return to
		}
		if other.index == item.After.Index+1 {
			r.stoodStill(s, number, other.last)
		}
	}
	s.begun = s.ready
	return r.goOn(rank, number, to)
}

// stoodStill lets a stream wait until a time. If it is the first one, the wait is counted for the
// kind of item that it waited for.
func (r *Run) stoodStill(s *stream, number int, until program.Time) {
	if until <= s.ready {
		return
	}
	if number == 0 {
		r.shown[s.item.For] += until - s.ready
	}
	s.ready = until
}

// goOn begins the next round of a stream's item that has operations, or ends the item.
func (r *Run) goOn(rank int32, number int, to []program.Op) []program.Op {
	s := r.of(rank, number)
	for ; s.round < s.item.rounds(); s.round++ {
		r.free = s.item.ops(s.round, r.free[:0])
		if len(r.free) == 0 {
			continue
		}
		s.left = len(r.free)
		for _, o := range r.free {
			o.ID, o.CPU, o.Ready = int32(number), uint8(number), s.ready
			if s.item.Part != nil {
				o.Tag = int32(number)
			}
			to = append(to, o)
		}
		return to
	}
	r.count(s, number)
	s.index, s.last = s.index+1, s.ready
	to = r.wake(rank, number, to)
	return r.load(rank, number, to)
}

// wake begins the items of a rank that waited for the last item of a stream.
func (r *Run) wake(rank int32, number int, to []program.Op) []program.Op {
	done := r.of(rank, number)
	for other := range r.perRank {
		s := r.of(rank, other)
		if s.waits && s.item.After.Stream == number && s.item.After.Index < done.index {
			s.waits = false
			r.stoodStill(s, other, done.last)
			s.begun = s.ready
			to = r.goOn(rank, other, to)
		}
	}
	return to
}

// count adds the time of the item that has ended to the total of its kind.
func (r *Run) count(s *stream, number int) {
	switch took := s.ready - s.begun; {
	case s.item.Part == nil && s.item.Message.Kind == program.Recv:
	case number > 0:
		r.total[s.item.Kind] += took
	case s.item.Kind == 0:
		r.computing += took
	default:
		r.total[s.item.Kind] += took
		r.shown[s.item.Kind] += took
	}
}

// rounds returns the number of rounds of an item.
func (i *Item) rounds() int {
	if i.Part != nil {
		return i.Part.Rounds()
	}
	return 1
}

// ops appends the operations of a round.
func (i *Item) ops(round int, to []program.Op) []program.Op {
	switch {
	case i.Part != nil:
		to = i.Part.Ops(i.Own, round, to)
		for k := range to {
			if to[k].Kind != program.Calc {
				to[k].Peer = int32(i.Peer(int(to[k].Peer)))
			}
		}
		return to
	case i.Kind == 0:
		return append(to, program.Op{Kind: program.Calc, Size: i.Calc})
	}
	return append(to, i.Message)
}

// Figures are the means over all ranks, in units of time.
type Figures struct {
	Computing float64
	// By kind: how long its items took, and how long the first stream stood still because of them.
	Total, Exposed []float64
}

// Figures returns the figures of a run that has ended. A rank that ends before the last one stands
// still from there on, because of the kind rest; if that is 0, it does not count.
func (r *Run) Figures(rest int) Figures {
	f := Figures{Computing: float64(r.computing) / float64(r.ranks)}
	shown := append([]program.Time(nil), r.shown...)
	ends := make([]program.Time, r.ranks)
	for rank := range int32(r.ranks) {
		own := r.of(rank, 0).ready
		for s := 1; s < r.perRank; s++ {
			if x := r.of(rank, s); x.over && x.ready > own && x.item.Kind > 0 {
				shown[x.item.Kind] += x.ready - own
				own = x.ready
			}
		}
		ends[rank] = own
	}
	for last, i := slices.Max(ends), 0; rest > 0 && i < len(ends); i++ {
		shown[rest] += last - ends[i]
	}
	for kind := range r.kinds {
		f.Total = append(f.Total, float64(r.total[kind])/float64(r.ranks))
		f.Exposed = append(f.Exposed, float64(shown[kind])/float64(r.ranks))
	}
	return f
}
