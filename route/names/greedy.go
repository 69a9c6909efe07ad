package names

import "slices"

// configurations holds sets of paths without a split in the form of section V-A of paper 000: by
// the output link at each node.
type configurations struct {
	nodes int
	out   []int32 // by configuration and node, -1 if none of its paths passes
}

// open adds an empty configuration.
func (f *configurations) open() {
	f.out = append(f.out, slices.Repeat([]int32{-1}, f.nodes)...)
}

// accepts reports whether none of some classes splits from a configuration.
func (f *configurations) accepts(config int32, c *classes, set ...int32) bool {
	out := f.links(config)
	for _, class := range set {
		for _, h := range c.hops(class) {
			if o := out[h.Node]; o >= 0 && o != h.Out {
				return false
			}
		}
	}
	return true
}

// add adds classes to a configuration.
func (f *configurations) add(config int32, c *classes, set ...int32) {
	out := f.links(config)
	for _, class := range set {
		for _, h := range c.hops(class) {
			out[h.Node] = h.Out
		}
	}
}

func (f *configurations) links(config int32) []int32 {
	return f.out[int(config)*f.nodes : int(config+1)*f.nodes]
}

// firstFit puts sets of classes, each free of splits, one after another into the first
// configuration that accepts them, and returns the configuration of each class.
//
// One set a class, in order of their paths, is the greedy heuristic (Fig. 6 of paper 000), which
// fills one configuration after another. Only earlier paths keep a path out of a configuration, so
// the order of the two loops does not matter. It is also ValidId of paper 002 (Fig. 4).
func firstFit(c *classes, sets [][]int32) (colour []int32) {
	colour = make([]int32, c.len())
	f := configurations{nodes: int(c.routing.nodes)}
	k := int32(0)
	for _, set := range sets {
		config := int32(0)
		for config < k && !f.accepts(config, c, set...) {
			config++
		}
		if config == k {
			f.open()
			k++
		}
		f.add(config, c, set...)
		for _, class := range set {
			colour[class] = config
		}
	}
	return colour
}

// greedy is the greedy heuristic, and destination renaming.
func greedy(c *classes) []int32 {
	sets := make([][]int32, c.len())
	for class := range sets {
		sets[class] = []int32{int32(class)}
	}
	return firstFit(c, sets)
}
