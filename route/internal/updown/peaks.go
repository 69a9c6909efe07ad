package updown

import "weft/fabric"

// Peaks lists the switches of a list without a neighbour above them.
func (o Order) Peaks(g *fabric.Graph, among []int32) []int32 {
	var peaks []int32
	for _, s := range among {
		if o.isPeak(g, s) {
			peaks = append(peaks, s)
		}
	}
	return peaks
}

func (o Order) isPeak(g *fabric.Graph, s int32) bool {
	for _, c := range g.OutOf(s) {
		if o.Above(g.To[c], s) {
			return false
		}
	}
	return true
}

// JoinPeaks leaves one peak of those among some switches of one part of a network. It raises paths
// from the first peak to the others. In a fat-tree whose peaks are the top level, the raised
// switches are the top level, one leaf and the switches between. Only a few links of a raised leaf
// carry paths to it and from it. So JoinPeaks raises the paths that pass the fewest hosts.
func (o Order) JoinPeaks(g *fabric.Graph, among []int32) {
	if peaks := o.Peaks(g, among); len(peaks) > 1 {
		o.Raise(g, peaks, hostDistances(g, peaks[0]))
	}
}

// Raise raises the shortest paths from some switches to the switch at distance 0 above all other
// switches. Of the raised ones the nearest to it is the highest.
func (o Order) Raise(g *fabric.Graph, from []int32, distance []int32) {
	for _, s := range from {
		for o[s] >= 0 {
			o[s] = distance[s] - Bottom
			s = Nearest(g, s, distance)
		}
	}
}

// Nearest returns the neighbour of s with the least distance, the first of equals, or s itself if
// none is nearer than s.
func Nearest(g *fabric.Graph, s int32, distance []int32) int32 {
	best := s
	for _, c := range g.OutOf(s) {
		if v := g.To[c]; distance[v] < distance[best] {
			best = v
		}
	}
	return best
}

// hostDistances returns the distance of every switch from one: hops, plus one for each host of the
// switches on the way. No way passes drained switches, which stay at the bottom.
func hostDistances(g *fabric.Graph, from int32) []int32 {
	distance := New(g.NumSwitches)
	distance[from] = 0
	queued := make([]bool, g.NumSwitches)
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		queued[u] = false
		for _, c := range g.OutOf(u) {
			v := g.To[c]
			hosts := g.HostCount(v)
			if d := distance[u] + 1 + hosts; d < distance[v] && !g.Drained[v] {
				if distance[v] = d; !queued[v] {
					queued[v] = true
					queue = append(queue, v)
				}
			}
		}
	}
	return distance
}
