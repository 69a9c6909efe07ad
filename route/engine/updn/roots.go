package updn

import (
	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/forest"
	"weft/route/engine/internal/peaks"
)

// findRoots finds the switches that the option names; none of them may be drained.
func findRoots(g *fabric.Graph, names []string) ([]int32, error) {
	roots, err := route.NamedSwitches(g, "updn", "roots", names)
	if err != nil {
		return nil, err
	}
	for _, s := range roots {
		if g.Drained[s] {
			return nil, route.Refuse("updn", "name another root or none", "%s is drained and cannot be a root", route.SwitchName(g, s))
		}
	}
	return roots, nil
}

// heights ranks the switches, 0 the highest: hops from the nearest root, part by
// part of the network. A part without a given root has one chosen.
func heights(n *forest.Net, given []int32) []int32 {
	height := make([]int32, n.G.NumSwitches)
	for s := range height {
		height[s] = peaks.Bottom
	}
	isRoot := make([]bool, n.G.NumSwitches)
	for _, r := range given {
		isRoot[r] = true
	}
	for s := range int32(n.G.NumSwitches) {
		if height[s] != peaks.Bottom || n.G.Drained[s] {
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
// of height. Their heights must be peaks.Bottom before.
func rank(n *forest.Net, roots []int32, height []int32) []int32 {
	part := append([]int32(nil), roots...)
	for _, r := range roots {
		height[r] = 0
	}
	for head := 0; head < len(part); head++ {
		u := part[head]
		for _, v := range n.Head[n.G.OutStart[u]:n.G.OutStart[u+1]] {
			if height[v] == peaks.Bottom && !n.G.Drained[v] {
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
		height[s] = peaks.Bottom
	}
	rank(n, roots, height)
	peaks.Join(n.G, roots, height)
}
