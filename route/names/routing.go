package names

import "fmt"

// Hop is what a path does at a node: it leaves by a link. Out numbers the links
// that leave Node; links of different nodes may have equal numbers.
type Hop struct{ Node, Out int32 }

// Routing is a set of paths to one destination: R_d of paper 000. The same path may
// occur several times.
type Routing struct {
	start []int32 // hops of path p: hops[start[p]:start[p+1]]
	hops  []Hop
	nodes int32 // nodes are below this
}

// Reset takes all paths out.
func (r *Routing) Reset() { r.start, r.hops, r.nodes = r.start[:0], r.hops[:0], 0 }

// Add adds a path: its hops from the source to the last node before the
// destination. A path may be empty.
func (r *Routing) Add(path ...Hop) {
	r.begin()
	for _, h := range path {
		r.hop(h)
	}
	r.end()
}

func (r *Routing) begin() {
	if len(r.start) == 0 {
		r.start = append(r.start, 0)
	}
}

func (r *Routing) hop(h Hop) {
	r.hops = append(r.hops, h)
	r.nodes = max(r.nodes, h.Node+1)
}

func (r *Routing) end() { r.start = append(r.start, int32(len(r.hops))) }

// Len is the number of paths.
func (r *Routing) Len() int { return max(0, len(r.start)-1) }

// Path returns the hops of a path. They must not be written.
func (r *Routing) Path(p int) []Hop { return r.hops[r.start[p]:r.start[p+1]] }

// Split reports whether two paths to one destination split (Definition 1): some
// node is on both, and they leave it by different links.
func Split(p, q []Hop) bool {
	for _, a := range p {
		for _, b := range q {
			if a.Node == b.Node && a.Out != b.Out {
				return true
			}
		}
	}
	return false
}

// FindSplit returns two paths that split and have the same colour, if there are
// any; without any, every colour is a configuration (Definition 2).
func (r *Routing) FindSplit(colour []int32) (p, q int, found bool) {
	type at struct{ colour, node int32 }
	first := map[at]int{} // a path through the node
	out := map[at]int32{}
	for p := range r.Len() {
		for _, h := range r.Path(p) {
			k := at{colour[p], h.Node}
			o, met := out[k]
			if met && o != h.Out {
				return first[k], p, true
			}
			out[k], first[k] = h.Out, p
		}
	}
	return 0, 0, false
}

// Minimal reports whether the colours, which must be configurations, are a minimal
// configuration set (Definition 4): no two of them could be one.
func (r *Routing) Minimal(colour []int32) bool {
	k := numColours(colour)
	merged := make([]int32, len(colour))
	for b := range k {
		for a := range b {
			for p, c := range colour {
				merged[p] = c
				if c == b {
					merged[p] = a
				}
			}
			if _, _, found := r.FindSplit(merged); !found {
				return false
			}
		}
	}
	return true
}

// numColours is one more than the highest colour.
func numColours(colour []int32) int32 {
	k := int32(0)
	for _, c := range colour {
		k = max(k, c+1)
	}
	return k
}

// LoopError tells that a path meets a node twice, so that no table can hold it.
type LoopError struct {
	Path int
	Node int32
}

func (e *LoopError) Error() string {
	return fmt.Sprintf("names: path %d meets node %d twice", e.Path, e.Node)
}
