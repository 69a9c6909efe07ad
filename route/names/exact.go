package names

// Steps of the searches: about a second of the colouring search, and a few
// milliseconds for a clique.
const (
	DefaultBudget = 4_000_000
	cliqueSteps   = 200_000
)

// Goal says when the exact search is done.
type Goal uint8

const (
	// LIDs proves the least number of LIDs, 2^ceil(lg k): whether k is 5 or 8 is
	// all the same.
	LIDs Goal = iota
	// Colours proves the least k itself, the chromatic number.
	Colours
)

// reached reports whether bounds of the chromatic number answer the question.
func (goal Goal) reached(lower, upper int) bool {
	return lower >= upper || goal == LIDs && LMC(lower) == LMC(upper)
}

// next is the number of colours to ask for when there are some.
func (goal Goal) next(upper int) int {
	if goal == LIDs {
		return 1 << LMC(upper) / 2
	}
	return upper - 1
}

// exact improves a colouring with upper colours until it is proven best, or the
// steps of a question run out. It returns bounds of the least number of colours,
// upper being that of the colouring.
func (s *solver) exact(g *Graph, upper int32, goal Goal, budget int64) (int32, int32) {
	low, up := len(s.decide.clique.find(g, cliqueSteps)), int(upper)
	for !goal.reached(low, up) {
		k := goal.next(up)
		s.trial = resize(s.trial, g.n)
		yes, known := s.decide.colourable(g, k, s.trial, budget)
		switch {
		case yes:
			copy(s.colour, s.trial)
			up = int(numColours(s.trial))
		case known:
			low = k + 1
		default:
			return int32(low), int32(up)
		}
	}
	return int32(low), int32(up)
}
