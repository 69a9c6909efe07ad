package survey

import (
	"slices"

	"weft/mapping"
	"weft/mapping/graph"
)

// Place is a port where a map is in doubt.
type Place struct {
	Node   int32          // of the map, -1 for one that no host is behind
	Port   int32          // of that node; it may be below 0 or beyond the last
	Tries  int            // probes that were not answered
	Chance float64        // that all of them were lost
	Route  []mapping.Turn // from the host that maps to the port; empty for the one that it is wired to
}

// places lists the ports in doubt, switches that never answered by their ways, and the
// ports that lead to switches which may be another one on the map. Nodes and index say
// which node of the map a vertex is.
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
				tries = 0 // nothing was sent by the way that leads there now
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
