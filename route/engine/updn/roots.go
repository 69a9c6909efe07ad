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
			roots = append(roots, chooseRoot(n, part, height))
		}
		rerank(n, part, roots, height)
		joinPeaks(n, roots, height)
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

func rerank(n *forest.Net, part, roots []int32, height []int32) {
	for _, s := range part {
		height[s] = bottom
	}
	rank(n, roots, height)
}

// joinPeaks makes one peak of several in one part. A switch with no other above it
// is a peak; from one peak to another no path goes up and then down. So the
// shortest paths from the first peak to the others are raised above everything
// else, in order of their distance from it. In a fat-tree with the top level as
// roots these are the top level, one leaf and what joins them; host traffic still
// has every shortest path.
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
	far := make([]int32, n.G.NumSwitches)
	for s := range far {
		far[s] = bottom
	}
	rank(n, peaks[:1], far)
	for _, p := range peaks {
		for u := p; height[u] >= 0; u = nearer(n, u, far) {
			height[u] = far[u] - int32(n.G.NumSwitches)
		}
	}
}

func isPeak(n *forest.Net, s int32, height []int32) bool {
	for _, v := range n.Head[n.G.OutStart[s]:n.G.OutStart[s+1]] {
		if above(height, v, s) {
			return false
		}
	}
	return true
}

// nearer is the first neighbour of s that is nearer by far, or s itself.
func nearer(n *forest.Net, s int32, far []int32) int32 {
	for _, v := range n.Head[n.G.OutStart[s]:n.G.OutStart[s+1]] {
		if far[v] < far[s] {
			return v
		}
	}
	return s
}

const (
	rootTries = 16 // switches with hosts tried as the root of a part, and half as many of all
	// Destinations that each is tried with: as many as keep a try short.
	leastTests = 16
	mostTests  = 64
	testWork   = 1 << 21 // channels looked at
)

// chooseRoot finds a root for a part of the network: of several switches tried,
// the one with the shortest paths between hosts. A switch with hosts comes first:
// in a fat-tree any leaf leaves all minimal paths between hosts legal, and every
// two switches connected, which the top level as roots does not.
func chooseRoot(n *forest.Net, part []int32, height []int32) int32 {
	hosted := withHosts(n.G, part)
	tests := spread(hosted, max(leastTests, min(mostTests, testWork/(len(n.Head)+1))))
	least := int64(0)
	hops, queue := make([]int32, n.G.NumSwitches), make([]int32, n.G.NumSwitches)
	for _, t := range tests {
		n.G.HopsFrom(t, hops, queue)
		for _, s := range hosted {
			least += int64(hops[s]) * weight(n.G, s)
		}
	}
	tries := []int32{hosted[0], centre(n, part, height), busiest(n.G, part)}
	tries = append(append(tries, spread(hosted, rootTries)...), spread(part, rootTries/2)...)
	best, bestHops := tries[0], int64(math.MaxInt64)
	f, h := newSearches(n, 1), forest.NewHops(n.G.NumSwitches)
	for _, r := range tries {
		rerank(n, part, []int32{r}, height)
		orient(n, height)
		total := int64(0)
		for _, t := range tests {
			f[0].run(t, h)
			for d := 1; d+1 < len(h.Level); d++ {
				for _, s := range h.Order[h.Level[d]:h.Level[d+1]] {
					total += int64(d) * weight(n.G, s)
				}
			}
		}
		if total < bestHops {
			best, bestHops = r, total
		}
		if total <= least {
			break
		}
	}
	return best
}

// weight is the number of hosts of a switch, at least 1 in a graph without hosts.
func weight(g *fabric.Graph, s int32) int64 {
	if g.NumHosts == 0 {
		return 1
	}
	return int64(g.HostStart[s+1] - g.HostStart[s])
}

// withHosts picks the switches with hosts in order of number, all when none has any.
func withHosts(g *fabric.Graph, part []int32) []int32 {
	var hosted []int32
	for _, s := range part {
		if g.HostStart[s+1] > g.HostStart[s] {
			hosted = append(hosted, s)
		}
	}
	if len(hosted) == 0 {
		return part
	}
	return hosted
}

// spread picks up to k of a list, evenly.
func spread(list []int32, k int) []int32 {
	k = min(k, len(list))
	picked := make([]int32, k)
	for i := range picked {
		picked[i] = list[i*len(list)/k]
	}
	return picked
}

// centre is about the middle of a longest shortest path (found in two sweeps).
func centre(n *forest.Net, part []int32, height []int32) int32 {
	sweep := func(from int32) []int32 {
		for _, s := range part {
			height[s] = bottom
		}
		return rank(n, []int32{from}, height)
	}
	seen := sweep(part[0])
	seen = sweep(seen[len(seen)-1])
	at := seen[len(seen)-1]
	for half := height[at] / 2; height[at] > half; {
		at = nearer(n, at, height)
	}
	return at
}

// busiest is the switch with the most channels, the first of equals.
func busiest(g *fabric.Graph, part []int32) int32 {
	best := part[0]
	for _, s := range part {
		if d := len(g.OutOf(s)) - len(g.OutOf(best)); d > 0 || (d == 0 && s < best) {
			best = s
		}
	}
	return best
}
