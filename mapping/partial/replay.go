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
		Radix: m.Radix, Hosts: slices.Clone(m.Hosts), up: slices.Clone(m.up), shift: slices.Clone(m.shift), host: slices.Clone(m.host),
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
