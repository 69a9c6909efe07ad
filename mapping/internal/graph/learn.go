package graph

import (
	"maps"
	"slices"

	"weft/mapping"
)

// entry records one call that added to a graph.
type entry struct {
	what what
	a, b int32
	i, j int
	host mapping.Host
	way  []int32
}

type what uint8

const (
	newHost what = iota
	newSwitch
	wire
	merged
	silence
	probedBy // a path by which ports are probed
)

func (g *Graph) record(e entry) {
	if g.log != nil {
		*g.log = append(*g.log, e)
	}
}

// Clone returns a copy that records its additions.
func (g *Graph) Clone() *Graph {
	c := &Graph{
		Radix: g.Radix, Hosts: slices.Clone(g.Hosts), same: g.same.clone(), host: slices.Clone(g.host), rank: slices.Clone(g.rank),
		ports: make([][]Port, len(g.ports)), ways: slices.Clone(g.ways), byID: maps.Clone(g.byID), err: g.err, count: g.count, log: new([]entry),
	}
	for v, p := range g.ports {
		c.ports[v] = slices.Clone(p)
	}
	for v, t := range g.ways {
		c.ways[v] = slices.Clip(t)
	}
	return c
}

// Added returns the number of additions to a clone.
func (g *Graph) Added() int { return len(*g.log) }

// Learn adds a clone's additions to the original graph, which may meanwhile have learned from other
// clones of the same time; base is the number of vertices at that time.
func (g *Graph) Learn(c *Graph, base int) {
	of := make([]int32, 0, c.Len()-base)
	here := func(v int32) int32 {
		if int(v) < base {
			return v
		}
		return of[int(v)-base]
	}
	for _, e := range *c.log {
		switch e.what {
		case newHost:
			of = append(of, g.Host(e.host))
		case newSwitch:
			of = append(of, g.AddSwitch(e.i))
		case wire:
			g.Connect(here(e.a), e.i, here(e.b), e.j)
		case merged:
			g.Merge(here(e.a), here(e.b), e.i)
		case silence:
			g.AddSilence(here(e.a), e.i, Kind(e.j))
		case probedBy:
			way := make([]int32, len(e.way))
			for k, v := range e.way {
				way[k] = here(v)
			}
			root, _ := g.Find(here(e.a))
			g.AddWay(root, way)
		}
	}
}

// Absorb adds all of another graph, which may have other vertices for the same switches.
func (g *Graph) Absorb(o *Graph) {
	of := make([]int32, o.Len()) // the corresponding vertices here
	for v := range of {
		switch {
		case !o.IsRoot(int32(v)):
		case o.IsHost(int32(v)):
			of[v] = g.Host(o.Hosts[o.host[v]])
		default:
			of[v] = g.AddSwitch(int(o.rank[v]))
			for i, p := range o.ports[v] {
				g.ports[of[v]][i].Silent = p.Silent
			}
		}
	}
	for v := range of {
		if !o.IsRoot(int32(v)) {
			continue
		}
		for i := range o.ports[v] {
			if o.ports[v][i].To != None {
				here := i + o.lowest(int32(v))
				far := o.At(int32(v), here)
				g.Connect(of[v], here, of[far.To], int(far.At))
			}
		}
		for _, way := range o.ways[v] {
			translated := make([]int32, len(way))
			for k, x := range way {
				root, _ := o.Find(x)
				translated[k] = of[root]
			}
			root, _ := g.Find(of[v])
			g.AddWay(root, translated)
		}
	}
	if o.err != nil {
		g.err = o.err
	}
}
