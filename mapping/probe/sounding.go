package probe

import (
	"slices"

	"weft/mapping"
)

// Soundings holds strings of turns that led to hosts, after the conjectures of paper 001, section
// 6. A host-probe goes through an unknown switch by one of them: one answer names a host, proves
// every wire on the path, and mostly identifies the switch. It learns the share of answers of a
// string by the position of the starting switch: the previous switch's distance from a host.
type Soundings struct {
	list   []sounding
	cloned []sounding // the list at the time of Clone
}

// sounding is a string of turns with its counts of tries and answers.
type sounding struct {
	turns       []mapping.Turn
	tries, hits [Positions]float64 // by position
	last        int32              // the vertex where it was last tried
}

const (
	// Positions is the number of distinct distances from a host.
	Positions = 8
	// SoundingsEach is the maximum number of strings tried through one switch.
	SoundingsEach = 3

	worthTrying = 0.3 // least expected share of answers of a string to try
	longest     = 7   // maximum turns of a string
)

// Best returns the string that is most likely to lead to a host from vertex x, and its expected
// share of answers; k is -1 if no string is worth a probe. It skips strings last tried at x, and
// strings whose first turn cannot lead anywhere. distance is the distance from a host of the switch
// before x.
func (s *Soundings) Best(x int32, distance int, mayLead func(mapping.Turn) bool) (k int, share float64) {
	position := min(distance, Positions-1)
	k, share = -1, worthTrying
	for i := range s.list {
		if c := &s.list[i]; c.last != x && mayLead(c.turns[0]) && c.share(position) > share {
			k, share = i, c.share(position)
		}
	}
	return k, share
}

// AddTry counts a try of a string from vertex x, and returns its turns.
func (s *Soundings) AddTry(k int, x int32, distance int) []mapping.Turn {
	s.list[k].last = x
	s.list[k].tries[min(distance, Positions-1)]++
	return s.list[k].turns
}

// AddHit counts an answer to a tried string.
func (s *Soundings) AddHit(k, distance int) { s.list[k].hits[min(distance, Positions-1)]++ }

// share returns the expected share of answers: the share in this position so far, and at first the
// share in all positions.
func (c *sounding) share(position int) float64 {
	tries, hits := 2.0, 1.0
	for i := range c.tries {
		tries += c.tries[i]
		hits += c.hits[i]
	}
	return (c.hits[position] + 2*hits/tries) / (c.tries[position] + 2)
}

// Endings returns the strings at the end of a path from a mapper to a host, the shortest first.
func Endings(way []mapping.Turn) [][]mapping.Turn {
	var strings [][]mapping.Turn
	for length := 1; length <= min(longest, len(way)-1); length++ {
		strings = append(strings, way[len(way)-length:])
	}
	return strings
}

// Index returns the index of a string, added if new.
func (s *Soundings) Index(turns []mapping.Turn) int {
	for k := range s.list {
		if slices.Equal(s.list[k].turns, turns) {
			return k
		}
	}
	s.list = append(s.list, sounding{turns: slices.Clone(turns), last: -1})
	return len(s.list) - 1
}

// Clone returns a copy that Absorb can take back.
func (s *Soundings) Clone() *Soundings {
	return &Soundings{list: slices.Clone(s.list), cloned: slices.Clone(s.list)}
}

// Absorb adds the tries and hits of o, without the counts that o was cloned with.
func (s *Soundings) Absorb(o *Soundings) {
	for k := range o.list {
		own, other := &s.list[s.Index(o.list[k].turns)], &o.list[k]
		for i := range Positions {
			own.tries[i] += other.tries[i]
			own.hits[i] += other.hits[i]
			if k < len(o.cloned) {
				own.tries[i] -= o.cloned[k].tries[i]
				own.hits[i] -= o.cloned[k].hits[i]
			}
		}
	}
}
