package training

import (
	"weft/apps/collective"
	"weft/apps/program"
	"weft/apps/script"
)

// The kinds of items.
const (
	kindCompute = iota
	kindTensor
	kindExpert
	kindPipeline
	kindData
	kinds
)

// Names are the names of the kinds.
var Names = [kinds]string{"compute", "tensor", "expert", "pipeline", "data"}

// The streams of a rank.
const (
	computing    = iota // with the operations that nothing hides
	gradients           // all-reduces of gradients
	sendForward         // to the next stage
	takeForward         // from the stage before
	sendBackward        // to the stage before
	takeBackward        // from the next stage
	streams
)

// step is the Script of a training step.
type step struct {
	Spec
	layers            int // of a stage
	parts             []part
	tensor, expert    *collective.Part
	gradient          *collective.Part
	forward, backward int64 // nanoseconds of a layer
}

// part is a piece of a layer's work.
type part struct {
	kind  int
	share int64 // of two halves of the layer's computation
}

// New returns the Script of a step.
func New(s Spec) (script.Script, error) {
	x := &step{Spec: s, layers: s.Layers / s.Pipeline, forward: s.LayerTime(), backward: 2 * s.LayerTime()}
	var err error
	operation := func(o collective.Spec) *collective.Part {
		if o.Ranks == 1 || err != nil {
			return nil
		}
		var p *collective.Part
		p, err = collective.NewPart(o)
		return p
	}
	x.tensor, x.expert, x.gradient = operation(s.tensor()), operation(s.expert()), operation(s.gradient())
	switch {
	case x.tensor == nil && x.expert == nil:
		x.parts = []part{{kindCompute, 2}}
	case x.expert == nil:
		x.parts = []part{{kindCompute, 1}, {kindTensor, 0}, {kindCompute, 1}, {kindTensor, 0}}
	case x.tensor == nil:
		x.parts = []part{{kindCompute, 1}, {kindExpert, 0}, {kindCompute, 1}, {kindExpert, 0}}
	default:
		x.parts = []part{{kindCompute, 1}, {kindTensor, 0}, {kindExpert, 0}, {kindCompute, 1}, {kindExpert, 0}, {kindTensor, 0}}
	}
	return x, err
}

// Size returns the numbers of ranks, streams and kinds.
func (x *step) Size() (ranks, numStreams, numKinds int) { return x.Ranks(), streams, kinds }

// rankOf returns the rank of the given numbers.
func (x *step) rankOf(t, d, p int) int { return t + x.Spec.Tensor*(d+x.Spec.Data*p) }

// numbers returns the numbers of a rank: in its tensor group, its data-parallel group and the
// pipeline.
func (x *step) numbers(rank int) (t, d, p int) {
	return rank % x.Spec.Tensor, rank / x.Spec.Tensor % x.Spec.Data, rank / x.Spec.Tensor / x.Spec.Data
}

// perSlot is the number of items of a micro-batch in one direction.
func (x *step) perSlot() int { return x.layers * len(x.parts) }

// slot returns the micro-batch of a place in the order of a stage, and its direction: some go
// forward first, then one forward and one backward in turn, then the rest backward.
func (x *step) slot(stage, place int) (micro int, backward bool) {
	ahead := min(x.Spec.Pipeline-1-stage, x.MicroBatches)
	switch turns := x.MicroBatches - ahead; {
	case place < ahead:
		return place, false
	case place < ahead+2*turns:
		k := place - ahead
		if k%2 == 0 {
			return ahead + k/2, false
		}
		return k / 2, true
	}
	return place - x.MicroBatches, true
}

// place returns the place of a micro-batch in one direction: the reverse of slot.
func (x *step) place(stage, micro int, backward bool) int {
	ahead := min(x.Spec.Pipeline-1-stage, x.MicroBatches)
	turns := x.MicroBatches - ahead
	switch {
	case !backward && micro < ahead:
		return micro
	case !backward:
		return ahead + 2*(micro-ahead)
	case micro < turns:
		return ahead + 2*micro + 1
	}
	return x.MicroBatches + micro
}

// Item returns an item of a rank.
func (x *step) Item(rank, stream, index int) (script.Item, bool) {
	t, d, p := x.numbers(rank)
	last := x.Spec.Pipeline - 1
	switch {
	case stream == computing:
		return x.compute(t, d, p, index)
	case stream == gradients && x.gradient != nil && index < x.layers:
		// Layers end in reverse order in the last micro-batch backward.
		first := x.place(p, x.MicroBatches-1, true) * x.perSlot()
		return script.Item{
			Kind: kindData, Part: x.gradient, Own: d, Peer: func(i int) int { return x.rankOf(t, i, p) },
			Waits: true, After: script.Point{Stream: computing, Index: first + (index+1)*len(x.parts) - 1},
		}, true
	case index >= x.MicroBatches || stream == gradients:
		return script.Item{}, false
	case stream == sendForward && p < last:
		return x.message(p, index, false, program.Op{Kind: program.Send, Peer: int32(x.rankOf(t, d, p+1))}), true
	case stream == sendBackward && p > 0:
		return x.message(p, index, true, program.Op{Kind: program.Send, Peer: int32(x.rankOf(t, d, p-1))}), true
	case stream == takeForward && p > 0:
		return x.message(p, index, false, program.Op{Kind: program.Recv, Peer: int32(x.rankOf(t, d, p-1))}), true
	case stream == takeBackward && p < last:
		return x.message(p, index, true, program.Op{Kind: program.Recv, Peer: int32(x.rankOf(t, d, p+1))}), true
	}
	return script.Item{}, false
}

// message returns the item of a message between stages. A send waits for the micro-batch.
func (x *step) message(stage, micro int, backward bool, o program.Op) script.Item {
	o.Size = x.messageBytes()
	if o.Tag = streams; backward {
		o.Tag++
	}
	i := script.Item{Kind: kindPipeline, Message: o}
	if o.Kind == program.Send {
		i.Waits, i.After = true, script.Point{Stream: computing, Index: (x.place(stage, micro, backward)+1)*x.perSlot() - 1}
	}
	return i
}

// compute returns an item of the first stream.
func (x *step) compute(t, d, p, index int) (script.Item, bool) {
	place, at := index/x.perSlot(), index%x.perSlot()
	if place >= 2*x.MicroBatches {
		return script.Item{}, false
	}
	micro, backward := x.slot(p, place)
	piece, whole := x.parts[at%len(x.parts)], x.forward
	if backward {
		whole = x.backward
	}
	i := script.Item{Kind: piece.kind}
	switch piece.kind {
	case kindCompute:
		i.Calc = whole * piece.share / 2
	case kindTensor:
		i.Part, i.Own, i.Peer = x.tensor, t, func(k int) int { return x.rankOf(k, d, p) }
	case kindExpert:
		first := d / x.Spec.Expert * x.Spec.Expert
		i.Part, i.Own, i.Peer = x.expert, d-first, func(k int) int { return x.rankOf(t, first+k, p) }
	}
	switch {
	case at > 0:
	case backward && p < x.Spec.Pipeline-1:
		i.Waits, i.For, i.After = true, kindPipeline, script.Point{Stream: takeBackward, Index: micro}
	case !backward && p > 0:
		i.Waits, i.For, i.After = true, kindPipeline, script.Point{Stream: takeForward, Index: micro}
	}
	return i, true
}
