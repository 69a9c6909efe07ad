package paths

// MaxLoad returns the load of the most loaded switch-to-switch link if every host sends equally to
// every other one, 1 in all (paper 000, section VI-D). The paths of a pair share its traffic.
func (s *Set) MaxLoad() float64 {
	load, most := s.Loads(), 0.0
	for _, l := range load {
		most = max(most, l)
	}
	return most
}

// Loads returns the loads by channel under that traffic.
func (s *Set) Loads() []float64 {
	g := s.g
	load := make([]float64, g.NumChannels)
	paths := make([]int32, g.NumEnds) // by source: its paths to the destination
	var way []int32
	for dst := range int32(g.NumEnds) {
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			paths[s.source[p]]++
		}
		for p := first; p < last; p++ {
			way = s.AppendChannels(way[:0], p)
			for _, c := range way {
				load[c] += 1 / float64(paths[s.source[p]])
			}
		}
		for p := first; p < last; p++ {
			paths[s.source[p]] = 0
		}
	}
	if g.NumHosts > 1 {
		for c := range load {
			load[c] /= float64(g.NumHosts - 1)
		}
	}
	return load
}
