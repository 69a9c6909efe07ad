package partial

import (
	"maps"
	"slices"

	"weft/mapping"
)

// fact is something that a map was told.
type fact struct {
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
	same
	silent
	tested
)

func (m *Map) note(f fact) {
	if m.clone {
		m.log = append(m.log, f)
	}
}

// Clone is a copy for a host that goes its own way, and remembers what it learns.
func (m *Map) Clone() *Map {
	c := &Map{
		Radix: m.Radix, Hosts: slices.Clone(m.Hosts), is: m.is.Clone(), host: slices.Clone(m.host),
		ports: make([][]Known, len(m.ports)), tested: slices.Clone(m.tested), vertex: maps.Clone(m.vertex), err: m.err, facts: m.facts, clone: true,
	}
	for v, p := range m.ports {
		c.ports[v] = slices.Clone(p)
	}
	for v, t := range m.tested {
		c.tested[v] = slices.Clip(t)
	}
	return c
}

// Learned is how many facts a clone learned.
func (m *Map) Learned() int { return len(m.log) }

// Learn takes over what a clone learned. The map may have learned from other clones of
// the same time meanwhile; base is the number of vertices at that time.
func (m *Map) Learn(c *Map, base int) {
	of := make([]int32, 0, c.Len()-base)
	here := func(v int32) int32 {
		if int(v) < base {
			return v
		}
		return of[int(v)-base]
	}
	for _, f := range c.log {
		switch f.what {
		case newHost:
			of = append(of, m.Host(f.host))
		case newSwitch:
			of = append(of, m.Switch())
		case wire:
			m.Wire(here(f.a), f.i, here(f.b), f.j)
		case same:
			m.Same(here(f.a), here(f.b), f.i)
		case silent:
			m.Unanswered(here(f.a), f.i, Kind(f.j))
		case tested:
			way := make([]int32, len(f.way))
			for k, v := range f.way {
				way[k] = here(v)
			}
			root, _ := m.Find(here(f.a))
			m.Testing(root, way)
		}
	}
}

// Absorb takes over all facts of another map, which may have other vertices of the same
// switches.
func (m *Map) Absorb(o *Map) {
	of := make([]int32, o.Len())
	for v := range of {
		switch {
		case !o.Root(int32(v)):
		case o.IsHost(int32(v)):
			of[v] = m.Host(o.Hosts[o.host[v]])
		default:
			of[v] = m.Switch()
			for i, p := range o.ports[v] {
				m.ports[of[v]][i].Silent = p.Silent
			}
		}
	}
	for v := range of {
		if !o.Root(int32(v)) {
			continue
		}
		for i := range o.ports[v] {
			if o.ports[v][i].To != Open {
				here := i + o.lowest(int32(v))
				far := o.At(int32(v), here)
				m.Wire(of[v], here, of[far.To], int(far.At))
			}
		}
		for _, way := range o.tested[v] {
			root, _ := m.Find(of[v])
			m.Testing(root, renamed(o, way, of))
		}
	}
	if o.err != nil {
		m.err = o.err
	}
}

func renamed(o *Map, way, of []int32) []int32 {
	out := make([]int32, len(way))
	for k, v := range way {
		root, _ := o.Find(v)
		out[k] = of[root]
	}
	return out
}
