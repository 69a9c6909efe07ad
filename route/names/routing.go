package names

import "fmt"

// Hop is one step of a path: it leaves Node by link Out. Each node numbers its own links.
type Hop struct{ Node, Out int32 }

// Routing is a set of paths to one destination: R_d of paper 000. The same path may
// occur several times.
type Routing struct {
	To    string  // the destination, for programmes; may be empty
	start []int32 // hops of path p: hops[start[p]:start[p+1]]
	hops  []Hop
	nodes int32 // all nodes are below this number
}

// Add adds a path: its hops from the source to the last node before the
// destination. A path may be empty.
func (r *Routing) Add(path ...Hop) {
	if len(r.start) == 0 {
		r.start = append(r.start, 0)
	}
	r.hops = append(r.hops, path...)
	for _, h := range path {
		r.nodes = max(r.nodes, h.Node+1)
	}
	r.start = append(r.start, int32(len(r.hops)))
}

// Len returns the number of paths.
func (r *Routing) Len() int { return max(0, len(r.start)-1) }

// Path returns the hops of a path. They must not be written.
func (r *Routing) Path(p int) []Hop { return r.hops[r.start[p]:r.start[p+1]] }

// LoopError says that a path passes a node twice, so that no table can hold it.
type LoopError struct {
	Path int
	Node int32
}

func (e *LoopError) Error() string {
	return fmt.Sprintf("names: path %d meets node %d twice", e.Path, e.Node)
}
