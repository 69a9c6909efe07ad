package survey

import "weft/mapping"

// identity maps the ports of a vertex to a self-identifying switch: port i is port i+shift of its
// ports.
type identity struct {
	vertex int32
	shift  int
	ports  int
}

// identify notes the ID that a switch wrote into a probe that turned round in it, having entered by
// port i of a vertex. Vertices with one number are one switch.
func (e *Explorer) identify(v int32, i int, id mapping.ID) {
	if id.Ports == 0 {
		return
	}
	if known, ok := e.byNumber[id.Number]; ok {
		e.Map.Merge(known.vertex, v, int(id.Port)-known.shift-i)
	} else {
		e.byNumber[id.Number] = identity{v, int(id.Port) - i, int(id.Ports)}
	}
	root, shift := e.Map.Find(v)
	e.identified[root] = identity{root, int(id.Port) - i - shift, int(id.Ports)}
}

// isPort reports whether a vertex can have a port, as far as its ID says.
func (e *Explorer) isPort(v int32, i int) bool {
	known, ok := e.identified[v]
	return !ok || i+known.shift >= 0 && i+known.shift < known.ports
}
