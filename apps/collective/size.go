package collective

import "math"

// Size counts the messages and bytes of an operation.
type Size struct {
	Messages float64
	Bytes    float64 // of all messages
	AtOnce   float64 // the largest number of messages of one round
}

// Times returns the Size of an operation that some groups run at the same time, each some times.
func (s Size) Times(groups, times float64) Size {
	return Size{s.Messages * groups * times, s.Bytes * groups * times, s.AtOnce * groups}
}

// Plus returns the Size of two operations that may run at the same time.
func (s Size) Plus(t Size) Size {
	return Size{s.Messages + t.Messages, s.Bytes + t.Bytes, s.AtOnce + t.AtOnce}
}

// Ranks and rounds of an operation that Size looks at. Operations up to them are counted exactly.
const (
	sampledRanks  = 256
	sampledRounds = 64
	edgeRounds    = 8 // the first and the last ones, which may differ from those between
)

// Size predicts the size of an operation without running it: it counts the messages of some ranks
// in some rounds.
func (s *Spec) Size() (Size, error) {
	one := *s
	one.Steps, one.Calc = 0, 0
	r, err := one.make()
	if err != nil {
		return Size{}, err
	}
	edge := r.count
	if r.count > sampledRounds {
		edge = edgeRounds
	}
	var size Size
	count := func(round int, weight float64) {
		n := r.size(round, s.Ranks)
		size.Messages += n.Messages * weight
		size.Bytes += n.Bytes * weight
		size.AtOnce = max(size.AtOnce, n.Messages)
	}
	for j := range min(edge, r.count) {
		count(j, 1)
	}
	if inner := r.count - 2*edge; inner > 0 {
		for j := range sampledRounds {
			count(edge+spread(j, inner), float64(inner)/sampledRounds)
		}
		for j := r.count - edge; j < r.count; j++ {
			count(j, 1)
		}
	}
	return size.Times(1, float64(max(s.Steps, 1))), nil
}

// size returns the messages of a round and their bytes.
func (r *rounds) size(round, ranks int) (size Size) {
	sampled := min(ranks, sampledRanks)
	var free []transfer
	for i := range sampled {
		rank := i
		if sampled < ranks {
			rank = spread(i, ranks)
		}
		free = r.of(rank, round, free[:0])
		for _, t := range free {
			if !t.recv && !t.calc {
				size.Messages++
				size.Bytes += float64(t.bytes)
			}
		}
	}
	return size.Times(float64(ranks)/float64(sampled), 1)
}

// spread returns number i of a sequence below n. It follows the golden ratio, so that it meets no
// pattern of strides or powers.
func spread(i, n int) int {
	_, part := math.Modf(float64(i+1) * math.Phi)
	return int(part * float64(n))
}
