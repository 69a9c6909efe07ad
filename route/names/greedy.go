package names

import "slices"

// fitter holds configurations as the link by which each leaves each node, as
// section V-A of paper 000 represents them.
type fitter struct {
	nodes int
	out   []int32 // by configuration and node, -1 where it does not come by
}

// firstFit puts sets of classes, each free of splits, one after the other into the
// first configuration that splits from none of their paths. It colours the classes
// and returns the number of configurations.
//
// One set a class, in order of their paths, is the greedy heuristic (Fig. 6 of paper
// 000), which fills one configuration after the other: a path is left out of a
// configuration for paths before it only, so the order of the two loops does not
// matter. It is also ValidId of paper 002 (Fig. 4).
func (f *fitter) firstFit(c *condensed, sets [][]int32, colour []int32) int32 {
	f.nodes = int(c.r.nodes)
	f.out = f.out[:0]
	k := int32(0)
	for _, set := range sets {
		at := int32(0)
		for at < k && !f.fits(c, set, at) {
			at++
		}
		if at == k {
			f.open()
			k++
		}
		f.put(c, set, at)
		for _, class := range set {
			colour[class] = at
		}
	}
	return k
}

// open adds an empty configuration.
func (f *fitter) open() {
	at := len(f.out)
	f.out = slices.Grow(f.out, f.nodes)[:at+f.nodes]
	for i := at; i < len(f.out); i++ {
		f.out[i] = -1
	}
}

// fits reports whether no path of a set splits from a configuration.
func (f *fitter) fits(c *condensed, set []int32, config int32) bool {
	out := f.config(config)
	for _, class := range set {
		for _, h := range c.hops(class) {
			if o := out[h.Node]; o >= 0 && o != h.Out {
				return false
			}
		}
	}
	return true
}

// put adds a set to a configuration.
func (f *fitter) put(c *condensed, set []int32, config int32) {
	out := f.config(config)
	for _, class := range set {
		for _, h := range c.hops(class) {
			out[h.Node] = h.Out
		}
	}
}

func (f *fitter) config(i int32) []int32 {
	return f.out[int(i)*f.nodes : (int(i)+1)*f.nodes]
}

// greedy is the greedy heuristic, and destination renaming.
func (s *solver) greedy() int32 {
	s.singles = s.singles[:0]
	for class := range int32(s.c.size()) {
		s.singles = append(s.singles, class)
	}
	s.sets = s.sets[:0]
	for i := range s.singles {
		s.sets = append(s.sets, s.singles[i:i+1])
	}
	return s.fit.firstFit(&s.c, s.sets, s.colour)
}
