package paths

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// Routing is a routing function of the form C x N -> C: the channel by which a
// packet leaves a switch, by the channel through which it came in (fabric.Nothing
// for one from a host of the switch) and its destination end port. It answers
// fabric.Nothing where there is no way. It is not asked at the destination's
// switch. A function that ignores in is of the form N x N -> C.
type Routing func(at, in, dst int32) (out int32)

// FromRouting follows a routing function from every host to every other. It fails
// on a loop; a pair without a way has no path.
func FromRouting(g *fabric.Graph, next Routing) (*Set, error) {
	b := NewBuilder(g)
	var buf []int32
	for dst := range int32(g.NumHosts) {
		for src := range int32(g.NumHosts) {
			if src == dst {
				continue
			}
			way, ok, err := follow(g, buf[:0], src, dst, next)
			if err != nil {
				return nil, err
			}
			if ok {
				b.Add(src, dst, way)
			}
			buf = way
		}
	}
	return b.Build()
}

// FromTables reads forwarding tables as a Set: for every host and every other the
// paths to the LIDs that choice allows, all LIDs when it is nil. It fails on a loop;
// a LID without a way gives no path.
func FromTables(g *fabric.Graph, ends *route.Ends, tables *route.Tables, choice *route.Choice) (*Set, error) {
	all := make([]uint8, 1<<fabric.MaxLMC)
	for i := range all {
		all[i] = uint8(i)
	}
	b := NewBuilder(g)
	var buf []int32
	for dst := range int32(g.NumHosts) {
		for src := range int32(g.NumHosts) {
			if src == dst {
				continue
			}
			offsets := all[:ends.Count(dst)]
			if choice != nil && ends.Count(dst) > 0 {
				offsets = choice.Offsets(src, dst)
			}
			for _, o := range offsets {
				lid := ends.Base[dst] + fabric.LID(o)
				way, ok, err := follow(g, buf[:0], src, dst, func(at, _, _ int32) int32 {
					c, _ := g.At(at, tables.Port(at, lid))
					return c
				})
				if err != nil {
					return nil, err
				}
				if ok {
					b.Add(src, dst, way)
				}
				buf = way
			}
		}
	}
	return b.Build()
}

// follow appends the channels from src to dst to way; false if there is no way.
func follow(g *fabric.Graph, way []int32, src, dst int32, next Routing) ([]int32, bool, error) {
	in := fabric.Nothing
	for at := g.EndSwitch[src]; at != g.EndSwitch[dst]; at = g.To[in] {
		if len(way) > g.NumChannels { // a path passes no channel twice
			return way, false, fmt.Errorf("paths: the way from %s to %s has a loop", route.EndName(g, src), route.EndName(g, dst))
		}
		if in = next(at, in, dst); in < 0 {
			return way, false, nil
		}
		way = append(way, in)
	}
	return way, true, nil
}
