package algorithm

import (
	"context"
	"slices"

	"weft/mapping"
	"weft/mapping/theory"
)

// mostLabelled is the limit of probes where none is given: the tree, which grows by
// a factor a level, fills the memory before anybody is tired of waiting.
const mostLabelled = 20_000_000

// berkeleyLabels is the algorithm of section 3.1: EXPLORE makes a tree of everything
// within the depth, MERGE gives replicates the same label, PRUNE cuts.
func berkeleyLabels(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	t, explorations := exploreTree(ctx, p, opt)
	for t.stopped() == nil && t.merge() {
	}
	if err := t.stopped(); err != nil {
		return nil, err
	}
	n, err := t.network()
	if err != nil {
		return nil, err
	}
	return &Result{Map: theory.Core(n), Probes: t.probes, Elapsed: t.elapsed, Peak: len(t.parent), Explorations: explorations}, nil
}

// exploreTree is EXPLORE.
func exploreTree(ctx context.Context, p mapping.Prober, opt *Options) (t *tree, explorations int) {
	t = &tree{asker: newAsker(ctx, p, opt), radix: opt.Radix, hosts: map[uint64]int32{}}
	if t.limit == 0 {
		t.limit = mostLabelled
	}
	t.add(0, 0, 0, t.hostLabel(opt.Self))
	t.add(0, 0, 0, t.fresh())
	t.kids[0] = []int32{1}
	for v := int32(1); int(v) < len(t.parent) && t.stopped() == nil; v++ {
		if t.isHost(v) || int(t.length[v]) > opt.Depth {
			continue
		}
		t.explore(v)
		explorations++
	}
	return t, explorations
}

// tree is the model tree M. A vertex numbers its ports by the turn that led there from
// the one its string enters by, which is port 0.
type tree struct {
	asker
	radix int

	parent []int32
	turn   []Turn // port of the parent that leads here
	length []int16
	kids   [][]int32

	label  []int32        // by vertex
	offset []int          // port i of the vertex is port i+offset of its label
	with   [][]int32      // by label: its vertices
	names  []mapping.Host // by label that is a host's
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

// fresh is a label that no vertex has.
func (t *tree) fresh() int32 {
	t.with = append(t.with, nil)
	t.names = append(t.names, mapping.Host{})
	t.isName = append(t.isName, false)
	return int32(len(t.with) - 1)
}

func (t *tree) hostLabel(h mapping.Host) int32 {
	label, known := t.hosts[h.ID]
	if !known {
		label = t.fresh()
		t.hosts[h.ID] = label
		t.names[label], t.isName[label] = h, true
	}
	return label
}

func (t *tree) isHost(v int32) bool { return t.isName[t.label[v]] }

// string is the probe string of a vertex.
func (t *tree) string(v int32) []Turn {
	turns := make([]Turn, t.length[v])
	for i := len(turns) - 1; i >= 0; i-- {
		turns[i] = t.turn[v]
		v = t.parent[v]
	}
	return turns
}

// explore probes all turns of a vertex. No probe is left out.
func (t *tree) explore(v int32) {
	path := append(t.string(v), 0)
	for i := 1 - t.radix; i < t.radix; i++ {
		if i == 0 {
			continue
		}
		path[len(path)-1] = Turn(i)
		what, reply := t.probe(path, aSwitch)
		label := int32(0)
		switch what {
		case aSwitch:
			label = t.fresh()
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

// merge is one round of the labeler: all pairs of vertices that had the same label when
// it began. It says whether it deduced anything.
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

// mergeLabels gives every vertex labelled from the label to, and shifts its ports.
func (t *tree) mergeLabels(to, from int32, shift int) {
	for _, w := range t.with[from] {
		t.label[w] = to
		t.offset[w] += shift
	}
	t.with[to] = append(t.with[to], t.with[from]...)
	t.with[from] = nil
}

// network is M / L.
func (t *tree) network() (*mapping.Network, error) {
	g := newGraph(t.self, t.radix)
	of := make([]int32, len(t.with))
	for label := range t.with {
		switch {
		case len(t.with[label]) == 0:
		case t.isName[label] && t.names[label].ID == t.self.ID:
			of[label] = 0
		case t.isName[label]:
			of[label] = g.addHost(t.names[label])
		case label == int(t.label[1]):
			of[label] = 1
		default:
			of[label] = g.add(0, 0, 0)
		}
	}
	// The numbering of a label may start anywhere: here at the entry of its first vertex,
	// so that the graph's own wire to the mapper is right.
	first := make([]int, len(t.with))
	for v := len(t.offset) - 1; v >= 0; v-- {
		first[t.label[v]] = t.offset[v]
	}
	base := func(v int32) int { return first[t.label[v]] }
	for v := int32(1); int(v) < len(t.parent); v++ {
		u := t.parent[v]
		if p := g.at(of[t.label[v]], t.offset[v]-base(v)); p.to < 0 {
			g.connect(of[t.label[v]], t.offset[v]-base(v), of[t.label[u]], int(t.turn[v])+t.offset[u]-base(u))
		}
	}
	n, _, err := g.network()
	return n, err
}
