package algorithm

import (
	"context"
	"slices"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// MostLabelled is the default limit of the labels' probes. The tree grows by a factor a level and
// stays in memory.
const MostLabelled = 20_000_000

// mapByLabels implements the algorithm of section 3.1: EXPLORE makes a tree of everything within
// the depth, MERGE gives replicates the same label, PRUNE cuts.
func mapByLabels(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	t, explorations := exploreTree(ctx, p, opt)
	for t.Stopped() == nil && t.merge() {
	}
	if err := t.Stopped(); err != nil {
		return nil, err
	}
	n, err := t.network()
	if err != nil {
		return nil, err
	}
	return &Result{Map: theory.Core(n), Probes: t.Probes, Elapsed: t.Elapsed, Peak: len(t.parent), Explorations: explorations, Unexplored: t.unexplored(opt.Depth)}, nil
}

// unexplored counts the labels without an explored vertex.
func (t *tree) unexplored(depth int) (n int) {
	for label, vertices := range t.with {
		isExplored := func(v int32) bool { return depth < 0 || int(t.length[v]) <= depth }
		if len(vertices) > 0 && !t.isName[label] && !slices.ContainsFunc(vertices, isExplored) {
			n++
		}
	}
	return n
}

// exploreTree makes the tree (EXPLORE).
func exploreTree(ctx context.Context, p mapping.Prober, opt *Options) (t *tree, explorations int) {
	sender := probe.NewSender(ctx, p, opt.Self, probe.Options{Retries: opt.Retries, Limit: labelLimit(opt.Limit)})
	t = &tree{pairProber: pairProber{sender}, self: opt.Self, radix: opt.Radix, hosts: map[uint64]int32{}}
	t.add(0, 0, 0, t.hostLabel(opt.Self))
	t.add(0, 0, 0, t.newLabel())
	t.kids[0] = []int32{1}
	for v := int32(1); int(v) < len(t.parent) && t.Stopped() == nil; v++ {
		if t.isHost(v) || opt.Depth >= 0 && int(t.length[v]) > opt.Depth {
			continue
		}
		t.explore(v)
		explorations++
	}
	return t, explorations
}

// labelLimit returns the limit of probes, the given one or the default.
func labelLimit(given int) int {
	if given == 0 {
		return MostLabelled
	}
	return given
}

// tree is the model tree M. A vertex numbers its ports by the turn from the entry port of its
// string, which is port 0.
type tree struct {
	pairProber
	self  mapping.Host
	radix int

	parent []int32
	turn   []Turn // port of the parent that leads here
	length []int16
	kids   [][]int32

	label  []int32        // by vertex
	offset []int          // port i of the vertex is port i+offset of its label
	with   [][]int32      // by label: its vertices
	names  []mapping.Host // by label of a host
	isName []bool
	hosts  map[uint64]int32 // label of a host
}

func (t *tree) add(parent int32, turn Turn, length int16, label int32) int32 {
	v := int32(len(t.parent))
	t.parent = append(t.parent, parent)
	t.turn = append(t.turn, turn)
	t.length = append(t.length, length)
	t.kids = append(t.kids, nil)
	t.label = append(t.label, label)
	t.offset = append(t.offset, 0)
	t.with[label] = append(t.with[label], v)
	return v
}

// newLabel returns a label that no vertex has.
func (t *tree) newLabel() int32 {
	t.with = append(t.with, nil)
	t.names = append(t.names, mapping.Host{})
	t.isName = append(t.isName, false)
	return int32(len(t.with) - 1)
}

func (t *tree) hostLabel(h mapping.Host) int32 {
	label, known := t.hosts[h.ID]
	if !known {
		label = t.newLabel()
		t.hosts[h.ID] = label
		t.names[label], t.isName[label] = h, true
	}
	return label
}

func (t *tree) isHost(v int32) bool { return t.isName[t.label[v]] }

// string returns the probe string of a vertex.
func (t *tree) string(v int32) []Turn { return stringOf(v, t.parent, t.turn, t.length) }

// explore probes all turns of a vertex. No probe is left out.
func (t *tree) explore(v int32) {
	path := append(t.string(v), 0)
	for i := 1 - t.radix; i < t.radix; i++ {
		if i == 0 {
			continue
		}
		path[len(path)-1] = Turn(i)
		what, reply := t.probePair(path, aSwitch)
		label := int32(0)
		switch what {
		case aSwitch:
			label = t.newLabel()
		case aHost:
			label = t.hostLabel(reply.Host)
		case nothing:
			continue
		}
		t.kids[v] = append(t.kids[v], t.add(v, Turn(i), t.length[v]+1, label))
	}
}

// neighbours calls visit with each neighbour of a vertex: the port that leads there,
// and the port of the neighbour, each in the numbering of its own vertex.
func (t *tree) neighbours(v int32, visit func(port int, u int32, far int)) {
	if v > 0 {
		visit(0, t.parent[v], int(t.turn[v]))
	}
	for _, u := range t.kids[v] {
		visit(int(t.turn[u]), u, 0)
	}
}

// merge carries out one round of the labeler, on all pairs of vertices with the same label at its
// start. It reports whether it deduced anything.
func (t *tree) merge() bool {
	type half struct {
		label int32
		port  int
	}
	type end struct {
		u    int32
		port int
	}
	deduced := false
	label, offset := slices.Clone(t.label), slices.Clone(t.offset)
	first := make(map[half]end, 2*len(t.parent))
	for v := range t.parent {
		t.neighbours(int32(v), func(port int, u int32, far int) {
			here := half{label[v], port + offset[v]}
			other, known := first[here]
			if !known {
				first[here] = end{u, far}
				return
			}
			if t.label[other.u] != t.label[u] {
				t.mergeLabels(t.label[other.u], t.label[u], other.port+t.offset[other.u]-far-t.offset[u])
				deduced = true
			}
		})
	}
	return deduced
}

// mergeLabels relabels every vertex with label from to label to, and shifts its ports.
func (t *tree) mergeLabels(to, from int32, shift int) {
	for _, w := range t.with[from] {
		t.label[w] = to
		t.offset[w] += shift
	}
	t.with[to] = append(t.with[to], t.with[from]...)
	t.with[from] = nil
}

// network returns M / L.
func (t *tree) network() (*mapping.Network, error) {
	g := graph.New(t.radix)
	g.AddWire(g.Host(t.self), 0, g.AddSwitch(0), 0)
	of := make([]int32, len(t.with)) // vertex of the graph by label
	for label := range t.with {
		switch {
		case len(t.with[label]) == 0:
		case t.isName[label]:
			of[label] = g.Host(t.names[label])
		case label == int(t.label[1]):
			of[label] = 1
		default:
			of[label] = g.AddSwitch(0)
		}
	}
	// The numbering of a label may start anywhere. Here it starts at the entry of its first vertex,
	// so that the mapper's wire is right.
	first := make([]int, len(t.with))
	for v := len(t.offset) - 1; v >= 0; v-- {
		first[t.label[v]] = t.offset[v]
	}
	base := func(v int32) int { return first[t.label[v]] }
	for v := int32(1); int(v) < len(t.parent); v++ {
		u := t.parent[v]
		if i := t.offset[v] - base(v); g.At(of[t.label[v]], i).To == graph.None {
			g.AddWire(of[t.label[v]], i, of[t.label[u]], int(t.turn[v])+t.offset[u]-base(u))
		}
	}
	n, _, err := g.Network()
	return n, err
}
