package colouring

import "math/bits"

// Clique searches for a largest clique by branch and bound. It colours the remaining candidates
// greedily, and leaves a branch whose colours cannot beat the best clique so far (Tomita and Seki,
// "An Efficient Branch-and-Bound Algorithm for Finding a Maximum Clique", DMTCS 2003). After the
// given number of steps it returns the best clique so far, whose size is still a lower bound of the
// number of colours.
func Clique(g *Graph, steps int64) []int32 {
	q := cliqueSearch{g: g, steps: steps}
	if g.n > 0 {
		l := q.level(0)
		for v := range int32(g.n) {
			insert(l.candidates, v)
		}
		q.expand(0)
	}
	return q.best
}

type cliqueSearch struct {
	g             *Graph
	steps         int64 // left
	best, current []int32
	levels        []cliqueLevel
}

// cliqueLevel is the memory of one depth of the search.
type cliqueLevel struct {
	candidates          []uint64
	uncoloured, allowed []uint64 // of colourCandidates
	order, bound        []int32
}

// level prepares the memory of a depth, without candidates.
func (q *cliqueSearch) level(depth int) *cliqueLevel {
	if len(q.levels) <= depth {
		words := q.g.words
		q.levels = append(q.levels, cliqueLevel{
			candidates: make([]uint64, words), uncoloured: make([]uint64, words), allowed: make([]uint64, words),
		})
	}
	l := &q.levels[depth]
	clear(l.candidates)
	return l
}

// expand tries every candidate of a level, from the last colour on.
func (q *cliqueSearch) expand(depth int) {
	q.levels[depth].colourCandidates(q.g)
	for i := len(q.levels[depth].order) - 1; i >= 0; i-- {
		next := q.level(depth + 1)
		l := &q.levels[depth]
		if len(q.current)+int(l.bound[i]) <= len(q.best) || q.steps <= 0 {
			return
		}
		q.steps--
		v := l.order[i]
		q.current = append(q.current, v)
		left := uint64(0)
		for k, w := range q.g.Row(v) {
			next.candidates[k] = w & l.candidates[k]
			left |= next.candidates[k]
		}
		if left != 0 {
			q.expand(depth + 1)
		} else if len(q.current) > len(q.best) {
			q.best = append(q.best[:0], q.current...)
		}
		q.current = q.current[:len(q.current)-1]
		remove(q.levels[depth].candidates, v)
	}
}

// colourCandidates colours the candidates greedily: order lists them by colour, and
// bound holds the number of colours of the candidates up to each one.
func (l *cliqueLevel) colourCandidates(g *Graph) {
	l.order, l.bound = l.order[:0], l.bound[:0]
	copy(l.uncoloured, l.candidates)
	for colour := int32(1); ; colour++ {
		copy(l.allowed, l.uncoloured) // candidates without a neighbour of this colour
		found := false
		for i := range l.allowed {
			for l.allowed[i] != 0 {
				b := bits.TrailingZeros64(l.allowed[i])
				v := int32(i*64 + b)
				found = true
				l.uncoloured[i] &^= 1 << b
				l.allowed[i] &^= 1 << b
				for k, w := range g.Row(v)[i:] {
					l.allowed[i+k] &^= w
				}
				l.order = append(l.order, v)
				l.bound = append(l.bound, colour)
			}
		}
		if !found {
			return
		}
	}
}
