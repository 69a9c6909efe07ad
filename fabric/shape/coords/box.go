package coords

import (
	"fmt"
)

// Box holds the coordinates of the switches of one part, numbered within the part.
type Box struct {
	Dims  int
	Size  []int32 // length of each dimension, 2 or more
	Wrap  []bool  // its lines are rings; only with 3 or more
	Coord []int32 // Coord[s*Dims+i]
	odd   []uint8 // odd[s*(Dims+1)+i]: parity of the sum of coordinates i and later
}

// newBox takes the dimensions longer than 1 from places, by switch. None of them wraps.
func newBox(places [][]int32) Box {
	var (
		b    Box
		keep []int
	)
	for dim := range places[0] {
		size := int32(0)
		for _, x := range places {
			size = max(size, x[dim]+1)
		}
		if size > 1 {
			keep = append(keep, dim)
			b.Size = append(b.Size, size)
		}
	}
	b.Dims = len(keep)
	b.Wrap = make([]bool, b.Dims)
	b.Coord = make([]int32, 0, len(places)*b.Dims)
	for _, x := range places {
		for _, dim := range keep {
			b.Coord = append(b.Coord, x[dim])
		}
	}
	b.SetParities(len(places))
	return b
}

// SetParities computes the results of Parity for the given number of switches. Call it after
// coordinates have changed.
func (b *Box) SetParities(switches int) {
	b.odd = make([]uint8, switches*(b.Dims+1))
	for s := range switches {
		for i := b.Dims - 1; i >= 0; i-- {
			k := s*(b.Dims+1) + i
			b.odd[k] = b.odd[k+1] ^ uint8(b.Coord[s*b.Dims+i]&1)
		}
	}
}

// Coords returns the coordinates of a switch.
func (b *Box) Coords(s int32) []int32 { return b.Coord[int(s)*b.Dims : (int(s)+1)*b.Dims] }

// Direction returns the dimension and direction from s to its neighbour t, as Step does.
func (b *Box) Direction(s, t int32) (dim, dir int, ok bool) {
	return Step(b.Coords(s), b.Coords(t), b.Size)
}

// addLink records a link between two switches; it returns false if they are not neighbours. A link
// that closes a ring makes its dimension wrap.
func (b *Box) addLink(s, t int32) bool {
	dim, _, ok := b.Direction(s, t)
	if ok {
		x, y := b.Coords(s)[dim], b.Coords(t)[dim]
		b.Wrap[dim] = b.Wrap[dim] || x-y > 1 || y-x > 1
	}
	return ok
}

// Next returns the next coordinate; ok is false beyond the end of a line.
func (b *Box) Next(dim int, x int32, dir int) (y int32, ok bool) {
	y = x + 1 - 2*int32(dir)
	if y >= 0 && y < b.Size[dim] {
		return y, true
	}
	if !b.Wrap[dim] {
		return y, false
	}
	return b.Size[dim] - 1 - x, true
}

// Distance returns the number of hops between two coordinates in one direction, -1 if the line ends
// before.
func (b *Box) Distance(dim, dir int, from, to int32) int32 {
	n := to - from
	if dir == Down {
		n = -n
	}
	if n < 0 {
		if !b.Wrap[dim] {
			return -1
		}
		n += b.Size[dim]
	}
	return n
}

// FirstDiffering returns the first dimension where two switches differ.
func (b *Box) FirstDiffering(s, d int32) int {
	x, y, dim := b.Coords(s), b.Coords(d), 0
	for x[dim] == y[dim] {
		dim++
	}
	return dim
}

// Parity returns the parity of all coordinates of both switches in later dimensions, which breaks
// ties in a dimension. It is the same in both directions.
func (b *Box) Parity(s, d int32, dim int) uint8 {
	return b.odd[int(s)*(b.Dims+1)+dim+1] ^ b.odd[int(d)*(b.Dims+1)+dim+1]
}

// crosses reports whether the short path from coordinate x to y uses the link between the last and
// the first coordinate, in a ring that needs a dateline. It is the same in both directions. If both
// paths are equally long the lesser coordinate and the parity decide.
func (b *Box) crosses(dim int, x, y int32, odd uint8) bool {
	if !b.Wrap[dim] {
		return false
	}
	apart := 2 * (max(x, y) - min(x, y))
	if apart == b.Size[dim] {
		return (min(x, y)^int32(odd))&1 != 0
	}
	return apart > b.Size[dim]
}

// Short returns the direction of the short path between two different coordinates. In a ring of 4,
// packets with two hops to go take Up from even coordinates and Down from odd ones, whatever odd
// is. That spreads them over all links and closes no cycle of dependencies: no two such hops in one
// direction begin at neighbours. So a ring of 4 needs no dateline.
func (b *Box) Short(dim int, x, y int32, odd uint8) int {
	if b.Wrap[dim] && b.Size[dim] == 4 && (x-y)&1 == 0 {
		return int(x & 1) // Up is 0
	}
	if rises := x < y; rises != b.crosses(dim, x, y, odd) {
		return Up
	}
	return Down
}

// DatelineFrom is the least length of a ring that needs a dateline: minimal paths in shorter ones
// close no cycle of dependencies (see Short for rings of 4).
const DatelineFrom = 5

// Datelines lists the wrapping dimensions that need a dateline. Bit k of the SL says whether a path
// crosses the dateline of dimension number k of the list.
func (b *Box) Datelines() []int {
	var dims []int
	for i, size := range b.Size {
		if b.Wrap[i] && size >= DatelineFrom {
			dims = append(dims, i)
		}
	}
	return dims
}

// DatelineSL returns the SL of packets from s to d: for each of the given dimensions, a bit that
// says whether the short path crosses its dateline.
func (b *Box) DatelineSL(datelines []int, s, d int32) uint8 {
	sl := uint8(0)
	for k, dim := range datelines {
		if b.crosses(dim, b.Coords(s)[dim], b.Coords(d)[dim], b.Parity(s, d, dim)) {
			sl |= 1 << k
		}
	}
	return sl
}

// Format formats coordinates as (1,2,3).
func Format(x []int32) string {
	text := []byte{'('}
	for i, v := range x {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Append(text, v)
	}
	return string(append(text, ')'))
}
