package paths

import (
	"fmt"
	"math"
	"sort"

	"weft/fabric"
)

// Set is a set of paths from end port to end port, grouped by destination. Paths are numbered 0 to
// NumPaths-1. The paths to one destination are consecutive, in the order of addition. A pair may
// have no path, one, several, and the same one twice.
//
// A path is the part between the switch of its source and the switch of its destination: an output
// port for every switch but the last. So it is empty if both are at one switch. A port names a
// link, so parallel links are distinct.
//
// Memory: 8 bytes a path and one a hop: 3 MB for 512 hosts on 64 switches. A Set is immutable and
// safe for concurrent use.
type Set struct {
	g      *fabric.Graph
	rule   *Rule   // kept by all paths, nil if unknown
	first  []int32 // by end port: its paths are first[d] to first[d+1]-1
	source []int32 // by path
	start  []int32 // by path: its ports are ports[start[p]:start[p+1]]
	ports  []uint8
}

// Graph returns the network of the paths.
func (s *Set) Graph() *fabric.Graph { return s.g }

// Rule returns a rule that all paths keep, nil if unknown. If the rule's turns have no cycle, any
// way that keeps it may be added without a new cycle of dependencies.
func (s *Set) Rule() *Rule { return s.rule }

// NumPaths returns the number of paths.
func (s *Set) NumPaths() int { return len(s.source) }

// To returns the paths of a destination end port: first to last-1.
func (s *Set) To(dst int32) (first, last int) { return int(s.first[dst]), int(s.first[dst+1]) }

// Source returns the source end port of a path.
func (s *Set) Source(path int) int32 { return s.source[path] }

// Dest returns the destination end port of a path in O(log end ports); a loop over destinations
// knows it.
func (s *Set) Dest(path int) int32 {
	return int32(sort.Search(len(s.first)-1, func(d int) bool { return int(s.first[d+1]) > path }))
}

// Hops returns the number of switch-to-switch links of a path.
func (s *Set) Hops(path int) int { return int(s.start[path+1] - s.start[path]) }

// Ports returns the output ports of a path, from the source's switch on, without the last switch.
// It must not be written.
func (s *Set) Ports(path int) []uint8 { return s.ports[s.start[path]:s.start[path+1]] }

// AppendChannels appends the channels of a path to a list.
func (s *Set) AppendChannels(list []int32, path int) []int32 {
	at := s.g.EndSwitch[s.source[path]]
	for _, port := range s.Ports(path) {
		c, _ := s.g.At(at, port)
		if c < 0 {
			panic(fmt.Sprintf("paths: path %d leaves switch %d by port %d, which leads to no switch", path, at, port))
		}
		list = append(list, c)
		at = s.g.To[c]
	}
	return list
}

// Between returns the paths between the first end ports, in their order.
func (s *Set) Between(ends int) (*Set, error) {
	b := NewBuilder(s.g)
	b.rule = s.rule
	var way []int32
	for dst := range int32(ends) {
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			if src := s.source[p]; int(src) < ends {
				way = s.AppendChannels(way[:0], p)
				b.Add(src, dst, way)
			}
		}
	}
	return b.Build()
}

// Validate reports the first path that does not lead to its destination, or that
// meets a switch twice.
func (s *Set) Validate() error {
	g := s.g
	met := make([]int32, g.NumSwitches) // 1 + last path that met the switch
	for dst := range int32(g.NumEnds) {
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			at := g.EndSwitch[s.source[p]]
			fault := func(what string) error {
				return fmt.Errorf("paths: path %d from %d to %d %s at switch %d", p, s.source[p], dst, what, at)
			}
			met[at] = int32(p) + 1
			for _, port := range s.Ports(p) {
				c, _ := g.At(at, port)
				if c < 0 {
					return fault("leads nowhere")
				}
				if at = g.To[c]; met[at] == int32(p)+1 {
					return fault("has a loop")
				}
				met[at] = int32(p) + 1
			}
			if at != g.EndSwitch[dst] {
				return fault("ends too early,")
			}
		}
	}
	return nil
}

// Builder makes a Set. Paths to different destinations may be added concurrently.
type Builder struct {
	g    *fabric.Graph
	rule *Rule
	to   []list
}

// list holds the paths to one destination in the form of a Set.
type list struct {
	source []int32
	end    []int32
	ports  []uint8
}

// NewBuilder starts an empty Set.
func NewBuilder(g *fabric.Graph) *Builder {
	return &Builder{g: g, to: make([]list, g.NumEnds)}
}

// newBuilder starts a Set of paths that keep a rule.
func newBuilder(r *Rule) *Builder {
	b := NewBuilder(r.g)
	b.rule = r
	return b
}

// Add adds a path after the earlier ones to the same destination. Its channels lead from the
// source's switch to the destination's; Validate checks that.
func (b *Builder) Add(src, dst int32, channels []int32) {
	l := &b.to[dst]
	for _, c := range channels {
		l.ports = append(l.ports, b.g.FromPort[c])
	}
	l.source = append(l.source, src)
	l.end = append(l.end, int32(len(l.ports)))
}

// Build returns the Set of all paths so far.
func (b *Builder) Build() (*Set, error) {
	numPaths, hops := 0, 0
	for i := range b.to {
		numPaths += len(b.to[i].source)
		hops += len(b.to[i].ports)
	}
	if max(numPaths, hops) >= math.MaxInt32 {
		return nil, fmt.Errorf("paths: %d paths of %d hops in all are more than a path set holds", numPaths, hops)
	}
	s := &Set{
		g:      b.g,
		rule:   b.rule,
		first:  make([]int32, len(b.to)+1),
		source: make([]int32, 0, numPaths),
		start:  make([]int32, 1, numPaths+1),
		ports:  make([]uint8, 0, hops),
	}
	for dst := range b.to {
		l := &b.to[dst]
		base := int32(len(s.ports))
		s.source = append(s.source, l.source...)
		for _, end := range l.end {
			s.start = append(s.start, base+end)
		}
		s.ports = append(s.ports, l.ports...)
		s.first[dst+1] = int32(len(s.source))
	}
	return s, nil
}
