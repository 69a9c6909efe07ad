package coords

// The directions of a dimension: to the next coordinate, to the previous one.
const (
	Up   = 0
	Down = 1
)

// Step returns the dimension and direction from place x to the next place y in a box of the given
// size, rings closed or not. In a ring of two, up comes first. ok is false for other places.
func Step(x, y, size []int32) (dim, dir int, ok bool) {
	dim = -1
	for i := range x {
		if x[i] != y[i] {
			if dim >= 0 {
				return 0, 0, false
			}
			dim = i
		}
	}
	if dim < 0 {
		return 0, 0, false
	}
	switch last := size[dim] - 1; {
	case y[dim] == x[dim]+1:
		return dim, Up, true
	case y[dim] == x[dim]-1:
		return dim, Down, true
	case y[dim] == 0 && x[dim] == last:
		return dim, Up, true
	case x[dim] == 0 && y[dim] == last:
		return dim, Down, true
	}
	return 0, 0, false
}
