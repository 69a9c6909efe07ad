package coords

import (
	"fmt"
)

// Box holds the coordinates of the switches of one part, which are numbered within it.
type Box struct {
	Dims  int
	Size  []int32 // length of each dimension, 2 or more
	Wrap  []bool  // whether its lines are rings; only with 3 or more
	Coord []int32 // Coord[s*Dims+i]
	odd   []uint8 // odd[s*(Dims+1)+i]: parity of the sum of coordinates i and later
}

// newBox takes over the dimensions of places, by switch, that are longer than 1. None
// of them wraps.
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

// SetParities sets what Parity returns for so many switches. It is to be called when coordinates have
// changed.
func (b *Box) SetParities(switches int) {
	b.odd = make([]uint8, switches*(b.Dims+1))
	for s := range switches {
		for i := b.Dims - 1; i >= 0; i-- {
			k := s*(b.Dims+1) + i
			b.odd[k] = b.odd[k+1] ^ uint8(b.Coord[s*b.Dims+i]&1)
		}
	}
}

// Coords are the coordinates of a switch.
func (b *Box) Coords(s int32) []int32 { return b.Coord[int(s)*b.Dims : (int(s)+1)*b.Dims] }

// Direction returns the dimension and direction in which switch t is next to s, as Step does.
func (b *Box) Direction(s, t int32) (dim, dir int, ok bool) {
	return Step(b.Coords(s), b.Coords(t), b.Size)
}

// addLink notes a link between two switches, and returns false if they are no neighbours. One that closes a ring makes its
// dimension wrap.
func (b *Box) addLink(s, t int32) bool {
	dim, _, ok := b.Direction(s, t)
	if ok {
		x, y := b.Coords(s)[dim], b.Coords(t)[dim]
		b.Wrap[dim] = b.Wrap[dim] || x-y > 1 || y-x > 1
	}
	return ok
}

// Next returns the coordinate one further; ok is false beyond the end of a line.
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

// Distance returns the number of hops from a coordinate to another in one direction, -1 where a
// line ends before it.
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

// FirstDiffering returns the first dimension in which two switches differ.
func (b *Box) FirstDiffering(s, d int32) int {
	x, y, dim := b.Coords(s), b.Coords(d), 0
	for x[dim] == y[dim] {
		dim++
	}
	return dim
}

// Parity returns the parity of all coordinates of both switches in later dimensions, which breaks
// ties in a dimension. It is the same both ways.
func (b *Box) Parity(s, d int32, dim int) uint8 {
	return b.odd[int(s)*(b.Dims+1)+dim+1] ^ b.odd[int(d)*(b.Dims+1)+dim+1]
}

// crosses reports whether the short way from coordinate x to y takes the link between the
// last and the first coordinate, in a ring that needs a dateline. It is the same both ways. When both ways are equally long
// the lesser coordinate and the parity decide.
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

// Short returns the direction of the short way from coordinate x to y, which differ. In a ring of
// 4 what has two hops to go goes up from the even coordinates and down from the odd ones,
// whatever odd is. That spreads it over all links, and closes no cycle of dependencies: no two hops of one
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

// Datelines lists the dimensions that wrap with a length that needs a dateline. Dimension
// number k of the list has SL bit k, which says whether a path crosses it.
func (b *Box) Datelines() []int {
	var dims []int
	for i, size := range b.Size {
		if b.Wrap[i] && size >= DatelineFrom {
			dims = append(dims, i)
		}
	}
	return dims
}

// DatelineSL returns the SL of packets from s to d: for each of some dimensions, those with a dateline, a bit that says
// whether the short way crosses it.
func (b *Box) DatelineSL(datelines []int, s, d int32) uint8 {
	sl := uint8(0)
	for k, dim := range datelines {
		if b.crosses(dim, b.Coords(s)[dim], b.Coords(d)[dim], b.Parity(s, d, dim)) {
			sl |= 1 << k
		}
	}
	return sl
}

// Format writes coordinates as (1,2,3).
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
