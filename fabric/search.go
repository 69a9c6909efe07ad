package fabric

import "slices"

// Unreached is the hop count of a switch that cannot be reached.
const Unreached int32 = -1

// Numbers lists the numbers from 0 to n-1: all switches, channels or end ports.
func Numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// Search finds the switches reachable from others, breadth first. Its arrays hold the result until
// the next From. It allocates when created, not when it runs; it serves one goroutine at a time. A
// search costs O(switches + channels).
type Search struct {
	Hops  []int32 // by switch: fewest channels from a start, or Unreached
	Via   []int32 // by switch: channel by which it was reached; Nothing for a start or if Unreached
	Order []int32 // reached switches, in order

	g      *Graph
	closed []bool
}

// NewSearch prepares searches of g. A closed switch is reached but not passed, unless the search
// starts there: with g.Drained a search follows the paths that routing may use. Nil closes none.
// Channels come in pairs, so that hops are the same in both directions.
func (g *Graph) NewSearch(closed []bool) *Search {
	none := slices.Repeat([]int32{-1}, 2*g.NumSwitches)
	return &Search{
		Hops: none[:g.NumSwitches], Via: none[g.NumSwitches:],
		Order: make([]int32, 0, g.NumSwitches), g: g, closed: closed,
	}
}

// From starts a new search.
func (s *Search) From(starts ...int32) {
	for _, v := range s.Order {
		s.Hops[v], s.Via[v] = Unreached, Nothing
	}
	s.Order = s.Order[:0]
	s.Extend(starts...)
}

// Extend continues the search from further starts and returns the newly reached switches: the new
// part of Order. Starts that were reached before are skipped.
func (s *Search) Extend(starts ...int32) []int32 {
	known := len(s.Order)
	for _, v := range starts {
		if s.Hops[v] == Unreached {
			s.Hops[v] = 0
			s.Order = append(s.Order, v)
		}
	}
	for head := known; head < len(s.Order); head++ {
		u := s.Order[head]
		if s.closed != nil && s.closed[u] && s.Hops[u] > 0 {
			continue
		}
		for _, c := range s.g.OutOf(u) {
			if v := s.g.To[c]; s.Hops[v] == Unreached {
				s.Hops[v], s.Via[v] = s.Hops[u]+1, c
				s.Order = append(s.Order, v)
			}
		}
	}
	return s.Order[known:]
}

// Components numbers the connected parts of the switch graph, in order of their
// first switch: of[s] is the part of switch s, n the number of parts.
func (g *Graph) Components() (of []int32, n int) {
	of = make([]int32, g.NumSwitches)
	search := g.NewSearch(nil)
	for s := range int32(g.NumSwitches) {
		found := search.Extend(s)
		for _, v := range found {
			of[v] = int32(n)
		}
		n += min(len(found), 1)
	}
	return of, n
}
