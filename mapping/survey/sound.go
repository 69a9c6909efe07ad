package survey

import (
	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/partial"
)

// Unknown says that nothing is known of a switch but its entry.
func (e *Explorer) Unknown(v int32) bool { return e.degree(v) <= 1 }

// Sounding is the string by which to sound an unknown switch, how far the switch before
// it is from a host, and how often the string is expected to lead to one; -1 for none.
func (e *Explorer) Sounding(v int32) (k, distance int, share float64) {
	t := e.Tree()
	if t.Depth(v) < 2 {
		return -1, 0, 0
	}
	m, entry := e.Map, t.Entry(v)
	distance, _ = m.ToHost(m.At(v, entry).To)
	low, high := m.Window(v)
	k, share = e.Sounds.Best(v, distance, func(turn mapping.Turn) bool {
		i := entry + int(turn)
		p := m.At(v, i)
		return i >= low && i <= high && p.To == partial.Open && p.Silent == [2]uint8{}
	})
	return k, distance, share
}

// Sound probes through an unknown switch, by strings that led to hosts elsewhere, until
// a host answers. It says whether one did. Silence says nothing here.
func (e *Explorer) Sound(v int32) bool {
	way, entry := e.Tree().Turns(v), e.Tree().Entry(v)
	for range algorithm.SoundingsEach {
		k, distance, _ := e.Sounding(v)
		if k < 0 {
			return false
		}
		turns := e.Sounds.Try(k, v, distance)
		e.buf = append(append(e.buf[:0], way...), turns...)
		if reply := e.send(&e.Probes.Host); reply.Answered && !reply.Early {
			e.Sounds.Hit(k, distance)
			_, last, port := e.through(v, entry+int(turns[0]), turns[1:])
			e.found(last, port, reply.Host)
			return true
		}
	}
	return false
}

// learn notes the strings with which a way ends that leads to a host, from where they
// did.
func (e *Explorer) learn(way []mapping.Turn) {
	var on []int32 // the switches on it
	at := e.Map.At(e.vertex, 0)
	for _, turn := range way {
		on = append(on, at.To)
		at = e.Map.At(at.To, int(at.At)+int(turn))
	}
	for _, ending := range algorithm.Endings(way) {
		distance, _ := e.Map.ToHost(on[len(on)-len(ending)-1])
		k := e.Sounds.Note(ending)
		e.Sounds.Try(k, -1, distance)
		e.Sounds.Hit(k, distance)
	}
}
