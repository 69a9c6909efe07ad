// Package forces places the nodes of a graph by the forces of Fruchterman and Reingold
// ("Graph Drawing by Force-directed Placement", Software: Practice and Experience 1991). Gonum's
// package layout recurses without end on some graphs.
package forces

import "math"

// steps is the number of steps of the forces.
const steps = 300

// Place returns the coordinates of n nodes: all nodes repel each other, linked ones attract, and
// steps get shorter. The first places are on a spiral, so that nothing is random. Cost: O(n^2) a
// step.
func Place(n int, links [][2]int32) (x, y []float64) {
	x, y = make([]float64, n), make([]float64, n)
	pushX, pushY := make([]float64, n), make([]float64, n)
	for i := range n {
		radius, turn := math.Sqrt(float64(i)+0.5), 2.399963*float64(i) // the golden angle
		x[i], y[i] = radius*math.Cos(turn), radius*math.Sin(turn)
	}
	for step := range steps {
		clear(pushX)
		clear(pushY)
		add := func(i, j int32, force func(distance float64) float64) {
			dx, dy := x[j]-x[i], y[j]-y[i]
			distance := max(0.01, math.Hypot(dx, dy))
			f := force(distance) / distance
			pushX[i], pushY[i] = pushX[i]+dx*f, pushY[i]+dy*f
			pushX[j], pushY[j] = pushX[j]-dx*f, pushY[j]-dy*f
		}
		for i := range int32(n) {
			for j := range i {
				add(i, j, func(d float64) float64 { return -1 / d })
			}
		}
		for _, l := range links {
			add(l[0], l[1], func(d float64) float64 { return d * d / 4 })
		}
		longest := math.Sqrt(float64(n)) * 0.2 * (1 - float64(step)/steps)
		for i := range n {
			length := max(1e-9, math.Hypot(pushX[i], pushY[i]))
			x[i] += pushX[i] / length * min(length, longest)
			y[i] += pushY[i] / length * min(length, longest)
		}
	}
	return x, y
}
