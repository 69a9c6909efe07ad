package algorithm

import "slices"

// Soundings are strings of turns that led to hosts, after the conjectures of section 6. A
// host-probe goes by one of them through a switch of which nothing is known: one answer
// names a host and proves every wire on the way, and mostly tells which switch it is.
// What a string is worth is learned by the position of the switch that it begins at: how
// far the one before is from a host.
type Soundings struct {
	list  []sounding
	since []sounding // what a clone began with
}

type sounding struct {
	turns       []Turn
	tries, hits [positions]float64 // by position
	last        int32              // the vertex that it was last tried at
}

const (
	positions = 8   // distances from a host that are told apart
	hopeful   = 0.3 // share of answers that makes a string worth trying
	longest   = 7   // turns of a string

	// SoundingsEach is how many strings are tried through one switch.
	SoundingsEach = 3
)

// Best is the string likeliest to lead to a host from vertex x, of those that were not
// tried there last and whose first turn may lead somewhere; distance is that of the
// switch before x from a host. It also returns how often it is expected to; -1 stands for
// no string that is worth a probe.
func (s *Soundings) Best(x int32, distance int, may func(Turn) bool) (k int, share float64) {
	where := min(distance, positions-1)
	k, share = -1, hopeful
	for i := range s.list {
		if c := &s.list[i]; c.last != x && may(c.turns[0]) && c.share(where) > share {
			k, share = i, c.share(where)
		}
	}
	return k, share
}

// Try says that a string is tried from vertex x. It returns the string.
func (s *Soundings) Try(k int, x int32, distance int) []Turn {
	s.list[k].last = x
	s.list[k].tries[min(distance, positions-1)]++
	return s.list[k].turns
}

// Hit says that a string that was tried led to a host.
func (s *Soundings) Hit(k, distance int) { s.list[k].hits[min(distance, positions-1)]++ }

// share is how often a string is expected to lead to a host: as it did in this
// position, and at first as it did anywhere.
func (c *sounding) share(where int) float64 {
	tries, hits := 2.0, 1.0
	for i := range c.tries {
		tries += c.tries[i]
		hits += c.hits[i]
	}
	return (c.hits[where] + 2*hits/tries) / (c.tries[where] + 2)
}

// Endings are the strings with which a way ends that leads from a mapper to a host:
// those of so many turns each.
func Endings(way []Turn) [][]Turn {
	var strings [][]Turn
	for length := 1; length <= min(longest, len(way)-1); length++ {
		strings = append(strings, way[len(way)-length:])
	}
	return strings
}

// Note is where a string is in the list, which it may be new in.
func (s *Soundings) Note(turns []Turn) int {
	for k := range s.list {
		if slices.Equal(s.list[k].turns, turns) {
			return k
		}
	}
	s.list = append(s.list, sounding{turns: slices.Clone(turns), last: -1})
	return len(s.list) - 1
}

// Clone is a copy for a host that goes its own way.
func (s *Soundings) Clone() *Soundings {
	return &Soundings{list: slices.Clone(s.list), since: slices.Clone(s.list)}
}

// Absorb takes over what others found out: a clone since it was made.
func (s *Soundings) Absorb(o *Soundings) {
	for k := range o.list {
		own, other := &s.list[s.Note(o.list[k].turns)], &o.list[k]
		for i := range positions {
			own.tries[i] += other.tries[i]
			own.hits[i] += other.hits[i]
			if k < len(o.since) {
				own.tries[i] -= o.since[k].tries[i]
				own.hits[i] -= o.since[k].hits[i]
			}
		}
	}
}
