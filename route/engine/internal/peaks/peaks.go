// Package peaks makes one order of the switches out of one with several peaks, for
// engines whose paths go up in an order and then down.
//
// The switches of a network are ranked by height, 0 the highest; of equals the one
// with the lower number is above. A switch with no neighbour above it is a peak,
// and no path goes up and then down from one peak to another.
package peaks

import (
	"math"

	"weft/fabric"
)

// Bottom is the height of drained switches: every neighbour is above them, so that
// they can send and receive, and nothing needs to pass.
const Bottom int32 = math.MaxInt32

// Above tells whether switch a is above b. A switch is not above itself, so a cable
// between two ports of one switch leads down both ways; no shortest path uses it.
func Above(height []int32, a, b int32) bool {
	return height[a] < height[b] || (height[a] == height[b] && a < b)
}

// Join makes one peak of those among some switches of one part of a network. Paths
// from the first peak to the others are raised above everything else, in order of
// their distance from it. In a fat-tree with the top level as peaks these are the
// top level, one leaf and what joins them. A raised leaf is reached, and left, by few
// of its links only, so the paths are those that pass the fewest hosts.
func Join(g *fabric.Graph, among, height []int32) {
	var peaks []int32
	for _, r := range among {
		if isPeak(g, r, height) {
			peaks = append(peaks, r)
		}
	}
	if len(peaks) < 2 {
		return
	}
	far := fewestHosts(g, peaks[0])
	for _, p := range peaks {
		for u := p; height[u] >= 0; u = Nearest(g, u, far) {
			height[u] = far[u] - Bottom
		}
	}
}

// fewestHosts is the distance of every switch from one: hops, and a hop more for
// each host of the switches on the way. Drained switches are not passed.
func fewestHosts(g *fabric.Graph, from int32) []int32 {
	far := make([]int32, g.NumSwitches)
	for s := range far {
		far[s] = Bottom
	}
	far[from] = 0
	queued := make([]bool, g.NumSwitches)
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		queued[u] = false
		for _, c := range g.OutOf(u) {
			v := g.To[c]
			hosts := g.HostStart[v+1] - g.HostStart[v]
			if d := far[u] + 1 + hosts; d < far[v] && !g.Drained[v] {
				if far[v] = d; !queued[v] {
					queued[v] = true
					queue = append(queue, v)
				}
			}
		}
	}
	return far
}

func isPeak(g *fabric.Graph, s int32, height []int32) bool {
	for _, c := range g.OutOf(s) {
		if Above(height, g.To[c], s) {
			return false
		}
	}
	return true
}

// Nearest is the neighbour of s that is nearest by far, the first of equals, or s
// itself when none is nearer.
func Nearest(g *fabric.Graph, s int32, far []int32) int32 {
	best := s
	for _, c := range g.OutOf(s) {
		if v := g.To[c]; far[v] < far[best] {
			best = v
		}
	}
	return best
}
