package partition

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"weft/route/internal/cdg"
	"weft/route/lanes"
)

// Size counts the paths of a problem.
type Size struct {
	Items    int // pairs of classes on different switches, or paths from a switch to a class
	OnCycles int // those with a part of a cycle of the whole dependency graph
	Distinct int // those of them that matter: no other one has all of their dependencies on cycles
}

// mostPairs is the maximum number of pairs of classes that Of accepts for items of both directions.
const mostPairs = 50_000_000

// Of makes the problem of the paths of forwarding tables. An item is all paths between two classes,
// both ways. With oneWay it is all paths from a switch with classes to a class; the sources at one
// switch share channels, so more items would not change the minimum. Of fails if the tables have a
// loop, or if there are more than mostPairs pairs.
func Of(ctx context.Context, p *lanes.Paths, oneWay bool) (*Problem, Size, error) {
	b, err := newBuilder(ctx, p)
	if err != nil {
		return nil, Size{}, err
	}
	if oneWay {
		err = b.single(ctx)
	} else {
		err = b.pairs(ctx)
	}
	if err != nil {
		return nil, b.size, err
	}
	problem, err := newProblem(b.items)
	if err == nil {
		b.size.Distinct = len(problem.core)
	}
	return problem, b.size, err
}

// builder collects the distinct items of tables, as their dependencies on cycles.
type builder struct {
	*lanes.Paths
	onCycle []bool // by number of an edge
	classes []int32
	edges   []cdg.Edge // scratch
	key     []byte     // scratch
	seen    map[string]bool
	items   [][][2]int32
	size    Size
}

// newBuilder finds the dependencies on cycles.
func newBuilder(ctx context.Context, p *lanes.Paths) (*builder, error) {
	if err := p.EachTree(ctx, func(int, *lanes.Tree) {}); err != nil { // the tables may have a loop
		return nil, err
	}
	b := &builder{Paths: p, onCycle: make([]bool, p.Index.Size), seen: map[string]bool{}}
	for s := range int32(p.Graph.NumSwitches) {
		b.classes = append(b.classes, p.ClassesAt(s)...)
	}
	out, in := make([][]int32, p.Graph.NumChannels), make([][]int32, p.Graph.NumChannels)
	made := make([]bool, p.Index.Size)
	for s := range int32(p.Graph.NumSwitches) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(p.ClassesAt(s)) == 0 {
			continue
		}
		for _, c := range b.classes {
			for _, e := range b.walk(s, c) {
				if n := p.Index.Number(e.C, e.D); !made[n] {
					made[n] = true
					out[e.C], in[e.D] = append(out[e.C], e.D), append(in[e.D], e.C)
				}
			}
		}
	}
	component := components(out, in)
	for c, next := range out {
		for _, d := range next {
			b.onCycle[p.Index.Number(int32(c), d)] = component[c] == component[d]
		}
	}
	return b, nil
}

// walk lists the dependencies of the paths from a switch to a class.
func (b *builder) walk(s, class int32) []cdg.Edge {
	b.edges = b.edges[:0]
	for _, lid := range b.LIDs[class] {
		b.edges = b.EdgesTo(s, lid, b.edges)
	}
	return b.edges
}

// cyclic lists the dependencies on cycles of the paths from a switch to a class.
func (b *builder) cyclic(s, class int32) (found [][2]int32) {
	for _, e := range b.walk(s, class) {
		if b.onCycle[b.Index.Number(e.C, e.D)] {
			found = append(found, [2]int32{e.C, e.D})
		}
	}
	slices.SortFunc(found, byEnds)
	return slices.Compact(found)
}

// add adds an item, unless it is known.
func (b *builder) add(edges [][2]int32) {
	b.size.Items++
	if len(edges) > 0 {
		b.size.OnCycles++
	}
	b.key = b.key[:0]
	for _, e := range edges {
		b.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b.key, uint32(e[0])), uint32(e[1]))
	}
	if !b.seen[string(b.key)] {
		b.seen[string(b.key)] = true
		b.items = append(b.items, edges)
	}
}

// single adds the paths from each switch to each class.
func (b *builder) single(ctx context.Context) error {
	for s := range int32(b.Graph.NumSwitches) {
		if len(b.ClassesAt(s)) == 0 {
			continue
		}
		for _, c := range b.classes {
			if b.Home[c] != s {
				b.add(b.cyclic(s, c))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// pairs adds the pairs of classes on different switches. Pairs without a path on a cycle are only
// counted.
func (b *builder) pairs(ctx context.Context) error {
	if n := len(b.classes); n*(n-1)/2 > mostPairs {
		return fmt.Errorf("partition: %d pairs of end ports, at most %d", n*(n-1)/2, mostPairs)
	}
	parts := make([][]int32, b.Graph.NumSwitches) // by switch, then class: 1 + a place in lists
	lists := [][][2]int32{}
	for s := range parts {
		if len(b.ClassesAt(int32(s))) == 0 {
			continue
		}
		parts[s] = make([]int32, len(b.Home))
		for _, c := range b.classes {
			if edges := b.cyclic(int32(s), c); len(edges) > 0 {
				lists = append(lists, edges)
				parts[s][c] = int32(len(lists))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for i, x := range b.classes {
		for _, y := range b.classes[i+1:] {
			if b.Home[x] == b.Home[y] {
				continue
			}
			there, back := parts[b.Home[x]][y], parts[b.Home[y]][x]
			var edges [][2]int32
			if there > 0 {
				edges = append(edges, lists[there-1]...)
			}
			if back > 0 {
				edges = append(edges, lists[back-1]...)
				slices.SortFunc(edges, byEnds)
				edges = slices.Compact(edges)
			}
			b.add(edges)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
