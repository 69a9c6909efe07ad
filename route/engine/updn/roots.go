package updn

import (
	"math"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/forest"
)

// findRoots finds switches by GUID or description.
func findRoots(g *fabric.Graph, names []string) ([]int32, error) {
	var roots []int32
	for _, name := range names {
		s, err := findSwitch(g, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if g.Drained[s] {
			return nil, route.Refuse("updn", "name another root or none", "%s is drained and cannot be a root", route.SwitchName(g, s))
		}
		roots = append(roots, s)
	}
	return roots, nil
}

func findSwitch(g *fabric.Graph, name string) (int32, error) {
	guid, err := fabric.ParseGUID(strings.TrimPrefix(name, "S-"))
	found := int32(-1)
	for s := range int32(g.NumSwitches) {
		if err == nil && g.SwitchGUID[s] == guid {
			return s, nil
		}
		if g.SwitchDesc[s] != name {
			continue
		}
		if found >= 0 {
			return -1, route.Refuse("updn", "name the root by its GUID", "several switches are called %q", name)
		}
		found = s
	}
	if found < 0 {
		return -1, route.Refuse("updn", "name a root by the GUID or the description of a switch", "no switch that is up is called %q", name)
	}
	return found, nil
}

// bottom is the height of drained switches: every neighbour is above them, so that
// they can send and receive, and nothing needs to pass.
const bottom int32 = math.MaxInt32

// heights ranks the switches, 0 the highest: hops from the nearest root, part by
// part of the network. A part without a given root has one chosen.
func heights(n *forest.Net, given []int32) []int32 {
	height := make([]int32, n.G.NumSwitches)
	for s := range height {
		height[s] = bottom
	}
	isRoot := make([]bool, n.G.NumSwitches)
	for _, r := range given {
		isRoot[r] = true
	}
	for s := range int32(n.G.NumSwitches) {
		if height[s] != bottom || n.G.Drained[s] {
			continue
		}
		part := rank(n, []int32{s}, height)
		var roots []int32
		for _, u := range part {
			if isRoot[u] {
				roots = append(roots, u)
			}
		}
		if len(roots) == 0 {
			roots = chooseRoots(n, part, height)
		}
		rerank(n, part, roots, height)
	}
	return height
}

// rank sets the heights of what is connected to the roots, and returns it in order
// of height. Their heights must be bottom before.
func rank(n *forest.Net, roots []int32, height []int32) []int32 {
	part := append([]int32(nil), roots...)
	for _, r := range roots {
		height[r] = 0
	}
	for head := 0; head < len(part); head++ {
		u := part[head]
		for _, v := range n.Head[n.G.OutStart[u]:n.G.OutStart[u+1]] {
			if height[v] == bottom && !n.G.Drained[v] {
				height[v] = height[u] + 1
				part = append(part, v)
			}
		}
	}
	return part
}

// rerank sets the heights of a part of the network for other roots.
func rerank(n *forest.Net, part, roots []int32, height []int32) {
	for _, s := range part {
		height[s] = bottom
	}
	rank(n, roots, height)
	joinPeaks(n, roots, height)
}

// joinPeaks makes one peak of several in one part. A switch with no other above it
// is a peak; from one peak to another no path goes up and then down. So paths from
// the first peak to the others are raised above everything else, in order of their
// distance from it. In a fat-tree with the top level as roots these are the top
// level, one leaf and what joins them. A raised leaf is reached, and left, by few of
// its links only, so the paths are those that pass the fewest hosts.
func joinPeaks(n *forest.Net, roots []int32, height []int32) {
	var peaks []int32
	for _, r := range roots {
		if isPeak(n, r, height) {
			peaks = append(peaks, r)
		}
	}
	if len(peaks) < 2 {
		return
	}
	far := fewestHosts(n, peaks[0])
	for _, p := range peaks {
		for u := p; height[u] >= 0; u = nearest(n, u, far) {
			height[u] = far[u] - bottom
		}
	}
}

// fewestHosts is the distance of every switch from one: hops, and a hop more for
// each host of the switches on the way. Drained switches are not passed.
func fewestHosts(n *forest.Net, from int32) []int32 {
	far := make([]int32, n.G.NumSwitches)
	for s := range far {
		far[s] = bottom
	}
	far[from] = 0
	queued := make([]bool, n.G.NumSwitches)
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		queued[u] = false
		for _, v := range n.Head[n.G.OutStart[u]:n.G.OutStart[u+1]] {
			hosts := n.G.HostStart[v+1] - n.G.HostStart[v]
			if d := far[u] + 1 + hosts; d < far[v] && !n.G.Drained[v] {
				if far[v] = d; !queued[v] {
					queued[v] = true
					queue = append(queue, v)
				}
			}
		}
	}
	return far
}

func isPeak(n *forest.Net, s int32, height []int32) bool {
	for _, v := range n.Head[n.G.OutStart[s]:n.G.OutStart[s+1]] {
		if above(height, v, s) {
			return false
		}
	}
	return true
}

// nearest is the neighbour of s that is nearest by far, the first of equals, or s
// itself when none is nearer.
func nearest(n *forest.Net, s int32, far []int32) int32 {
	best := s
	for _, v := range n.Head[n.G.OutStart[s]:n.G.OutStart[s+1]] {
		if far[v] < far[best] {
			best = v
		}
	}
	return best
}
