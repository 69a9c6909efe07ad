package partition

import "context"

// Limits bound the work of Minimum by counts, so that the same input gives the same result.
type Limits struct {
	Conflicts int // maximum number of pairs of items tested for a conflict; with more, no search
	Cycles    int // maximum number of cycles along which items are counted
	Steps     int // maximum number of items that the search puts into classes
}

// Usual are limits for some seconds.
var Usual = Limits{Conflicts: 1_000_000, Cycles: 2000, Steps: 5000}

// Result is the least number of classes, or bounds on it.
type Result struct {
	Lower int // no cover has fewer classes
	// Upper is the number of classes of a cover, 0 if none was searched for. Class is that cover:
	// by item, a class from 0 to Upper-1.
	Upper int
	Class []int32
	Steps int // items put into classes
	// Ended says that the search went through all covers; else Steps reached the limit, or Tested
	// items were too many for a search.
	Ended  bool
	Tested int // items tested for conflicts: all that matter, or the longest ones
}

// Exact reports whether Upper is the minimum.
func (r *Result) Exact() bool { return r.Lower == r.Upper }

// Minimum searches for the least number of classes. At a limit of steps it gives up, but not before
// it has a first cover; then Lower may be below Upper.
func (p *Problem) Minimum(ctx context.Context, limits Limits) (*Result, error) {
	r := &Result{Tested: len(p.core)}
	tested := p
	if n := len(p.core); n*(n-1)/2 > limits.Conflicts {
		tested = p.longest(limits.Conflicts)
		r.Tested = len(tested.core)
	}
	conflict, err := tested.conflicts(ctx)
	if err != nil {
		return nil, err
	}
	clique := tested.clique(conflict)
	if r.Lower, err = p.bound(ctx, clique, limits.Cycles); err != nil || tested != p {
		return r, err
	}
	s := &search{Problem: p, ctx: ctx, conflict: conflict, degree: degrees(conflict), clique: clique, limit: limits.Steps}
	s.lower, r.Upper, r.Class, r.Ended = r.Lower, min(1, len(p.join)), make([]int32, len(p.join)), true
	if len(p.core) > 0 {
		s.run()
		r.Upper, r.Steps, r.Ended = s.fewest, s.steps, !s.gaveUp
		if r.Ended {
			r.Lower = r.Upper
		}
	}
	for item, i := range p.join {
		if i != free {
			r.Class[item] = s.best[i]
		}
	}
	return r, ctx.Err()
}

// search is a depth-first search for covers with ever fewer classes.
type search struct {
	*Problem
	ctx      context.Context
	conflict [][]bool
	degree   []int32
	clique   []int32 // its members are placed first, a class each
	lower    int
	limit    int

	classes []*class
	of      []int32   // by item: its class, or free
	blocked [][]int32 // by item and class: 1 + the depth since which it would close a cycle, 0 if it would not
	steps   int
	best    []int32
	fewest  int
	gaveUp  bool
}

func (s *search) run() {
	n := len(s.core)
	s.of, s.blocked, s.fewest = make([]int32, n), make([][]int32, n), n+1
	for i := range n {
		s.of[i] = free
		s.blocked[i] = make([]int32, n)
	}
	s.extend(0, 0)
}

// extend places the items from depth on in all ways that make fewer classes than the best cover;
// the other items are in used classes. It returns true when nothing is left to search for.
func (s *search) extend(depth, used int) (done bool) {
	if depth == len(s.core) {
		s.best, s.fewest = append(s.best[:0], s.of...), used
		return used == s.lower
	}
	i := s.choose(depth, used)
	for c := 0; c <= used && max(used, c+1) < s.fewest; c++ {
		if c < used && s.blocked[i][c] != 0 {
			continue
		}
		if (s.steps >= s.limit || s.steps%64 == 0 && s.ctx.Err() != nil) && s.best != nil {
			s.gaveUp = true
			return true
		}
		s.steps++
		s.place(i, c, depth)
		done = s.extend(depth+1, max(used, c+1))
		s.take(i, c, depth)
		if done {
			return true
		}
	}
	return false
}

// choose picks the item with the fewest classes left, among these the one with the most conflicts.
func (s *search) choose(depth, used int) int32 {
	if depth < len(s.clique) {
		return s.clique[depth]
	}
	best, fewest := free, used+1
	for i, c := range s.of {
		if c != free {
			continue
		}
		left := 0
		for _, since := range s.blocked[i][:used] {
			if since == 0 {
				left++
			}
		}
		if best == free || left < fewest || left == fewest && s.degree[i] > s.degree[best] {
			best, fewest = int32(i), left
		}
	}
	return best
}

// place puts an item into a class, and notes the other items that cannot follow it there.
func (s *search) place(i int32, c, depth int) {
	if c == len(s.classes) {
		s.classes = append(s.classes, s.newClass())
	}
	s.of[i] = int32(c)
	s.classes[c].add(s.core[i], 1)
	for j, of := range s.of {
		if of == free && s.blocked[j][c] == 0 && (s.conflict[i][j] || s.classes[c].closes(s.core[j])) {
			s.blocked[j][c] = int32(depth) + 1
		}
	}
}

// take undoes place.
func (s *search) take(i int32, c, depth int) {
	s.of[i] = free
	s.classes[c].add(s.core[i], -1)
	for j := range s.blocked {
		if s.blocked[j][c] == int32(depth)+1 {
			s.blocked[j][c] = 0
		}
	}
}
