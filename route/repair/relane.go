package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route/internal/cdg"
)

// relaned is a switch and a LID with a new next hop whose packets, on their present lanes, may
// close a cycle.
type relaned struct {
	s   int32
	lid int
}

// cell is a source class and a destination class, whose packets share one SL. Their replies share
// it if replies keep the SL of the request.
type cell struct{ src, dst int32 }

// relane gives the packets of all relaned switches SLs that close no cycle: their own if possible,
// otherwise another SL of the Plan. It adds no lane. It returns the number of cells with another
// SL.
func (s *solver) relane(ctx context.Context) (changed int, err error) {
	if len(s.relaned) == 0 || s.deps.cyclic {
		return 0, nil
	}
	m := s.l.plan.SL
	m.Cells = slices.Clone(m.Cells)
	r := relaner{s: s, sources: make([][]int32, m.NumSrc), lids: make([][]int32, m.NumDst), ownLIDs: make([][]int32, m.NumSrc), owners: make([][]int32, m.NumDst)}
	r.readClasses()
	for _, c := range r.cells() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		moved, ok, err := r.place(ctx, c)
		switch {
		case err != nil:
			return 0, err
		case !ok:
			return 0, &Impossible{fmt.Sprintf("no lane takes the packets from %s to LID %d without a cycle of dependencies",
				fabric.SwitchName(s.b.g, r.sources[c.src][0]), r.lids[c.dst][0])}
		case moved:
			changed++
		}
	}
	return changed, nil
}

// relaner finds SLs for cells.
type relaner struct {
	s       *solver
	sources [][]int32 // by source class: switches
	ownLIDs [][]int32 // by source class: LIDs of its end ports
	lids    [][]int32 // by destination class
	owners  [][]int32 // by destination class: switches of the end ports
}

func (r *relaner) readClasses() {
	b, l := r.s.b, r.s.l
	for end, at := range b.g.EndSwitch {
		src := l.plan.SL.Src[end]
		for k := range b.ends.Count(int32(end)) {
			lid := int32(b.ends.Base[end]) + int32(k)
			dst := l.plan.SL.Dst[lid]
			addOnce(&r.sources[src], at)
			addOnce(&r.owners[dst], at)
			r.ownLIDs[src] = append(r.ownLIDs[src], lid)
			r.lids[dst] = append(r.lids[dst], lid)
		}
	}
}

// addOnce appends x unless it is the last element. Lists of switches may still hold one several
// times.
func addOnce(list *[]int32, x int32) {
	if n := len(*list); n == 0 || (*list)[n-1] != x {
		*list = append(*list, x)
	}
}

// cells lists the cells of packets that need another lane.
func (r *relaner) cells() (list []cell) {
	l := r.s.l
	m := l.plan.SL
	for _, x := range r.s.relaned {
		for _, src := range l.sources[x.s] {
			list = append(list, cell{src, m.Dst[x.lid]})
		}
		if !l.plan.Service.ReplySameSL {
			continue
		}
		for _, dst := range l.targets[x.s] {
			list = append(list, cell{m.Src[l.owner[x.lid]], dst})
		}
	}
	slices.SortFunc(list, func(a, b cell) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) })
	return slices.Compact(list)
}

// place finds an SL for a cell: its own, or the first that closes no cycle.
func (r *relaner) place(ctx context.Context, c cell) (changed, ok bool, err error) {
	m := r.s.l.plan.SL
	own := m.ByClass(c.src, c.dst)
	tried := uint16(0)
	for _, sl := range append([]uint8{own}, r.s.l.sls...) {
		if tried>>sl&1 == 1 {
			continue
		}
		tried |= 1 << sl
		ok, err := r.s.deps.admit(ctx, r.s.workers, r.edges(c, sl))
		if err != nil {
			return false, false, err
		}
		if ok {
			m.Set(c.src, c.dst, sl)
			return sl != own, true, nil
		}
	}
	return false, false, nil
}

// edges lists the dependencies of the packets of a cell on an SL, and of their replies.
func (r *relaner) edges(c cell, sl uint8) []cdg.Edge {
	list := r.s.edges[:0]
	for _, lid := range r.lids[c.dst] {
		list = r.add(list, r.sources[c.src], lid, sl)
	}
	if r.s.l.plan.Service.ReplySameSL {
		for _, lid := range r.ownLIDs[c.src] {
			list = r.add(list, r.owners[c.dst], lid, sl)
		}
	}
	slices.SortFunc(list, func(a, b cdg.Edge) int { return cmp.Or(cmp.Compare(a.C, b.C), cmp.Compare(a.D, b.D)) })
	r.s.edges = list
	return slices.Compact(list)
}

// add appends the dependencies of packets from some switches to a LID.
func (r *relaner) add(list []cdg.Edge, from []int32, lid int32, sl uint8) []cdg.Edge {
	b, g := r.s.b, r.s.b.g
	target := g.EndSwitch[b.owner[lid]]
	next := func(at int32) int32 {
		c, _ := g.At(at, r.s.tables.Port(at, fabric.LID(lid)))
		return c
	}
	for _, x := range from {
		if c := next(x); x != target && c >= 0 {
			list = r.s.l.path(list, c, sl, target, next)
		}
	}
	return list
}
