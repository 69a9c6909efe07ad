package lanes

import (
	"context"
	"fmt"
	"sync/atomic"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/cdg"
)

// Paths are the paths of forwarding tables, by pairs of classes of end ports.
type Paths struct {
	g       *fabric.Graph
	index   *cdg.Index // numbers the edges
	tables  *route.Tables
	workers int

	class   []int32 // by end port; 0 for those without a LID, which send nothing
	classOf []int32 // by LID, -1 for a LID that nobody has
	home    []int32 // by class: its switch
	atStart []int32 // classes at a switch: at[atStart[s]:atStart[s+1]]
	at      []int32
	lids    [][]fabric.LID // by class: those whose trees are followed
	owner   []int32        // by LID of whole blocks: class if its tree is followed, else -1
}

// maxCells is the number of SL cells, two a byte, up to which every end port is a
// class: 128 MiB.
const maxCells = 1 << 28

// ByEnd makes every end port a class, as long as the SLs then fit into 128 MiB
// (16,384 end ports); beyond that it does as BySwitch.
func ByEnd(in *route.Input, tables *route.Tables) *Paths {
	n := len(in.Ends.Base)
	if n*n > maxCells {
		return BySwitch(in, tables)
	}
	class := make([]int32, n)
	for end := range class {
		class[end] = int32(end)
	}
	return newPaths(in, tables, class, in.Graph.EndSwitch, 0)
}

// BySwitch makes two classes a switch: its hosts and its port 0.
func BySwitch(in *route.Input, tables *route.Tables) *Paths {
	g := in.Graph
	class := make([]int32, g.NumEnds)
	home := make([]int32, 2*g.NumSwitches)
	for end := range class {
		s := g.EndSwitch[end]
		class[end] = 2 * s
		if g.IsPortZero(int32(end)) {
			class[end]++
		}
	}
	for c := range home {
		home[c] = int32(c / 2)
	}
	return newPaths(in, tables, class, home, 0)
}

// ByTree makes every switch one class with its hosts, and follows only the first
// trees LIDs of it: the others must take the same channels as one of these.
func ByTree(in *route.Input, tables *route.Tables, trees int) *Paths {
	g := in.Graph
	home := make([]int32, g.NumSwitches)
	for s := range home {
		home[s] = int32(s)
	}
	return newPaths(in, tables, g.EndSwitch, home, trees)
}

// WithoutSwitches leaves out the paths from and to port 0 of every switch, which the
// paper does not layer; those packets are then not safe. Not after ByTree, where they
// are in one class with hosts.
func (p *Paths) WithoutSwitches() *Paths {
	for _, c := range p.class[len(p.class)-p.g.NumSwitches:] {
		for _, lid := range p.lids[c] {
			p.owner[lid] = -1
		}
		p.lids[c] = nil
	}
	p.placeClasses()
	return p
}

// newPaths prepares the classes; most is the number of LIDs followed a class, 0
// for all.
func newPaths(in *route.Input, tables *route.Tables, class, home []int32, most int) *Paths {
	p := &Paths{
		g: in.Graph, index: cdg.NewIndex(in.Graph), tables: tables, workers: max(1, in.Workers),
		class: class, classOf: in.Ends.ByLID(), home: home,
	}
	p.lids = make([][]fabric.LID, len(home))
	p.owner = make([]int32, tables.NumBlocks()*route.BlockSize)
	for i := range p.owner {
		p.owner[i] = -1
	}
	for lid, end := range p.classOf {
		if end < 0 {
			continue
		}
		c := class[end]
		p.classOf[lid] = c
		if most == 0 || len(p.lids[c]) < most {
			p.lids[c] = append(p.lids[c], fabric.LID(lid))
			p.owner[lid] = c
		}
	}
	p.placeClasses()
	return p
}

// placeClasses lists the classes with LIDs by switch.
func (p *Paths) placeClasses() {
	p.atStart = make([]int32, p.g.NumSwitches+1)
	for c, s := range p.home {
		if len(p.lids[c]) > 0 {
			p.atStart[s+1]++
		}
	}
	for s := range p.g.NumSwitches {
		p.atStart[s+1] += p.atStart[s]
	}
	p.at = make([]int32, p.atStart[p.g.NumSwitches])
	next := append([]int32(nil), p.atStart...)
	for c, s := range p.home {
		if len(p.lids[c]) > 0 {
			p.at[next[s]] = int32(c)
			next[s]++
		}
	}
}

// classesAt lists the classes at a switch.
func (p *Paths) classesAt(s int32) []int32 { return p.at[p.atStart[s]:p.atStart[s+1]] }

// next is the channel by which switch s sends a LID on, or a negative number.
func (p *Paths) next(s int32, lid fabric.LID) int32 {
	port := p.tables.Port(s, lid)
	if port == route.NoPort {
		return fabric.Nothing
	}
	c, _ := p.g.At(s, port)
	return c
}

// countAll counts the paths of all pairs on each edge. It fails when the tables
// have a loop.
func (p *Paths) countAll(ctx context.Context) ([]uint32, error) {
	count := make([]uint32, p.index.Size)
	scratch := make([]*accumulator, p.workers)
	err := par.For(ctx, p.workers, p.tables.NumBlocks(), func(worker, b int) error {
		if scratch[worker] == nil {
			scratch[worker] = newAccumulator(p)
		}
		return scratch[worker].block(b, count)
	})
	return count, err
}

// accumulator counts the paths of 64 LIDs at a time.
type accumulator struct {
	p      *Paths
	blocks []*route.Block // of each switch
	out    []int32        // by switch: channel towards the LID, negative when none
	into   []int32        // by switch: switches that send to it and are not done
	paths  []uint32       // by switch: paths that start at or pass it
	ready  []int32
}

func newAccumulator(p *Paths) *accumulator {
	n := p.g.NumSwitches
	return &accumulator{
		p: p, blocks: make([]*route.Block, n), out: make([]int32, n), into: make([]int32, n),
		paths: make([]uint32, n), ready: make([]int32, 0, n),
	}
}

func (a *accumulator) block(b int, count []uint32) error {
	for s := range a.blocks {
		a.blocks[s] = a.p.tables.Block(int32(s), b)
	}
	for k := range route.BlockSize {
		if a.p.owner[b*route.BlockSize+k] < 0 {
			continue
		}
		if err := a.tree(k, count); err != nil {
			return fmt.Errorf("lanes: LID %d: %w", b*route.BlockSize+k, err)
		}
	}
	return nil
}

// tree adds the paths of one LID, farthest switches first.
func (a *accumulator) tree(k int, count []uint32) error {
	p, g := a.p, a.p.g
	for s, block := range a.blocks {
		a.out[s] = fabric.Nothing
		if port := block[k]; port != route.NoPort {
			a.out[s], _ = g.At(int32(s), port)
		}
		a.paths[s] = uint32(p.atStart[s+1] - p.atStart[s])
	}
	for _, c := range a.out {
		if c >= 0 {
			a.into[g.To[c]]++
		}
	}
	a.ready = a.ready[:0]
	for s, n := range a.into {
		if n == 0 {
			a.ready = append(a.ready, int32(s))
		}
	}
	done := 0
	for ; done < len(a.ready); done++ {
		c := a.out[a.ready[done]]
		if c < 0 {
			continue
		}
		n, v := a.paths[a.ready[done]], g.To[c]
		a.paths[v] += n
		if d := a.out[v]; d >= 0 && n > 0 {
			atomic.AddUint32(&count[p.index.Number(c, d)], n)
		}
		if a.into[v]--; a.into[v] == 0 {
			a.ready = append(a.ready, v)
		}
	}
	if done < len(a.out) {
		clear(a.into)
		return errLoop
	}
	return nil
}
