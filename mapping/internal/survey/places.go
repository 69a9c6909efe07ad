package survey

import (
	"slices"

	"weft/mapping"
	"weft/mapping/internal/graph"
)

// Place is a port where a map is in doubt.
type Place struct {
	Node   int32          // of the map, -1 if no host is behind it
	Port   int32          // of that node; may be below 0 or beyond the last
	Tries  int            // unanswered probes
	Chance float64        // of losing all of them
	Route  []mapping.Turn // from the mapping host to the port; empty for the host's own switch
}

// places lists the ports in doubt, switches that never answered over their paths, and ports to
// switches that may equal another one on the map. nodes and index give the map's node of a vertex.
func (e *Explorer) places(nodes []graph.Node, index []int32) (places []Place) {
	e.startPass()
	t := e.Tree()
	for _, v := range t.Order {
		if e.Map.IsHost(v) {
			continue
		}
		node, shift := index[nodes[v].Index], nodes[v].Shift
		if u := e.evidence.unheard[v]; u.lost > 0 {
			route, tries := t.Turns(v), u.lost
			if !slices.Equal(route, u.way) {
				tries = 0 // nothing was sent over the current path
			}
			places = append(places, Place{Node: node, Port: int32(t.Entry(v) + shift), Tries: tries, Chance: e.evidence.chance(v, tries), Route: route})
		}
		if e.isGivenUp(v) {
			continue
		}
		low, high := e.Map.Window(v)
		for i := low; i <= high; i++ {
			if !e.isDoubtful(v, i) {
				continue
			}
			k := e.Map.At(v, i)
			tries := int(min(k.Silent[graph.ForHost], k.Silent[graph.ForSwitch]))
			places = append(places, Place{
				Node: node, Port: int32(i + shift), Tries: tries, Chance: e.evidence.chance(v, tries),
				Route: append(t.Turns(v), mapping.Turn(i-t.Entry(v))),
			})
		}
		for _, way := range e.waysTo(v) {
			for _, p := range e.doubtfulPairs(way) {
				tries := e.compared.pairs[p]
				places = append(places, Place{
					Node: node, Port: int32(t.Entry(v) + shift), Tries: tries, Chance: e.evidence.chance(v, tries), Route: t.Turns(v),
				})
			}
		}
	}
	return places
}
