package survey

import (
	"weft/mapping"
	"weft/mapping/probe"
)

// BestSounding returns the string for sounding an unexplored switch, the distance from a host of
// the switch before it, and the expected share of answers; k is -1 if no string is worth a probe.
func (e *Explorer) BestSounding(v int32) (k, distance int, share float64) {
	t := e.Tree()
	if t.Depth(v) < 2 {
		return -1, 0, 0
	}
	m, entry := e.Map, t.Entry(v)
	distance, _ = m.DistanceToHost(m.At(v, entry).To)
	low, high := m.Window(v)
	k, share = e.Soundings.Best(v, distance, func(turn mapping.Turn) bool {
		i := entry + int(turn)
		return i >= low && i <= high && m.At(v, i).IsUnknown()
	})
	return k, distance, share
}

// Sound probes through an unexplored switch, by strings that led to hosts elsewhere, until a host
// answers. It reports whether one did. Silence means nothing here.
func (e *Explorer) Sound(v int32) bool {
	way, entry := e.Tree().Turns(v), e.Tree().Entry(v)
	for range probe.SoundingsEach {
		k, distance, _ := e.BestSounding(v)
		if k < 0 {
			return false
		}
		turns := e.Soundings.AddTry(k, v, distance)
		if reply, ok := e.Host(append(way, turns...)...); ok {
			e.Soundings.AddHit(k, distance)
			_, last, port := e.addPath(v, entry+int(turns[0]), turns[1:])
			e.addHost(last, port, reply.Host)
			return true
		}
	}
	return false
}

// addSoundings adds the strings at the end of a path to a host, each with a hit in its position.
func (e *Explorer) addSoundings(way []mapping.Turn) {
	var on []int32 // the switches on the path
	at := e.Map.At(e.host, 0)
	for _, turn := range way {
		on = append(on, at.To)
		at = e.Map.At(at.To, int(at.At)+int(turn))
	}
	for _, ending := range probe.Endings(way) {
		distance, _ := e.Map.DistanceToHost(on[len(on)-len(ending)-1])
		k := e.Soundings.Index(ending)
		e.Soundings.AddTry(k, -1, distance)
		e.Soundings.AddHit(k, distance)
	}
}
