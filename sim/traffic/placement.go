package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Placement puts the ranks of a pattern on host ports. A rank is a host port, or a server.
type Placement struct {
	Units     []int32 // by rank: its host port, or its server
	OnServers bool    // ranks are servers
	ends      []int   // where the Units of each plane end; nil for one plane
	servers   *Servers
}

// OnHosts makes ranks of host ports, of servers with one port each.
func OnHosts(hosts []int32) *Placement { return &Placement{Units: hosts} }

// OnPorts parses a pattern for ranks on some host ports, and puts it there. ranks is the number of
// them that take part, the first ones; 0: all.
//
// If the hosts are on several planes, each plane has its own pattern of its own ranks, and all run
// at once: no rank could send to another plane. Flows within a server are left out.
func (s *Servers) OnPorts(text string, hosts []int32, ranks int) (*Pattern, *Placement, error) {
	if ranks == 0 {
		ranks = len(hosts)
	}
	if s == nil || s.Planes < 2 {
		p, err := Parse(text, ranks)
		return p, &Placement{Units: hosts, servers: s}, err
	}
	units, taking := make([][]int32, s.Planes), make([]int, s.Planes)
	for i, h := range hosts {
		units[s.Plane[h]] = append(units[s.Plane[h]], h)
		if i < ranks {
			taking[s.Plane[h]]++
		}
	}
	place, parts := &Placement{servers: s}, []*Pattern{}
	for plane, hosts := range units {
		if len(hosts) < 2 || taking[plane] < 2 {
			continue // no other rank to send to
		}
		p, err := Parse(text, taking[plane])
		if err != nil {
			return nil, nil, fmt.Errorf("%w (plane %d of %d; each has the pattern by itself)", err, plane, s.Planes)
		}
		parts = append(parts, p)
		place.Units = append(place.Units, hosts...)
		place.ends = append(place.ends, len(place.Units))
	}
	return beside(text, parts, place.ends), place, nil
}

// OnServers parses a pattern for ranks that are servers, given by their host ports, and puts it
// there: the servers of the hosts in order of first appearance. Each flow is one message on every
// rail that both servers have; see addRails. Servers that share no plane send nothing.
func (s *Servers) OnServers(text string, hosts []int32, ranks int) (*Pattern, *Placement, error) {
	if s == nil {
		return s.OnPorts(text, hosts, ranks)
	}
	place := &Placement{OnServers: true, servers: s}
	met := make([]bool, len(s.Ports))
	for _, h := range hosts {
		if v := s.Of[h]; !met[v] {
			met[v] = true
			place.Units = append(place.Units, v)
		}
	}
	if ranks == 0 {
		ranks = len(place.Units)
	}
	if ranks > len(place.Units) {
		return nil, nil, fmt.Errorf("traffic: %d ranks on %d servers", ranks, len(place.Units))
	}
	p, err := Parse(text, ranks)
	return p, place, err
}

// beside makes one pattern of the patterns of several planes. The ranks of the first come first.
// ends holds, by plane, the end of its Units: there the ranks of the next plane begin.
func beside(name string, parts []*Pattern, ends []int) *Pattern {
	p := &Pattern{Name: name}
	for i, part := range parts {
		p.Ranks = ends[i]
		p.Rounds = max(p.Rounds, part.Rounds)
		p.Shuffled, p.Drawn = p.Shuffled || part.Shuffled, p.Drawn || part.Drawn
	}
	p.fill = func(f *Flows, round int, rng *rand.PCG) {
		var own Flows
		for i, part := range parts {
			if round >= part.Rounds {
				continue
			}
			own.Reset()
			part.fill(&own, round, rng)
			first := int32(0)
			if i > 0 {
				first = int32(ends[i-1])
			}
			for k := range own.Src {
				f.Add(own.Src[k]+first, own.Dst[k]+first)
			}
		}
	}
	return p
}

// Shuffle puts the units into a random order. Units of different planes do not mix.
func (p *Placement) Shuffle(units []int32, rng *rand.PCG) {
	if p.ends == nil {
		Shuffle(units, rng)
		return
	}
	first := 0
	for _, end := range p.ends {
		Shuffle(units[first:end], rng)
		first = end
	}
}

// ToPorts turns flows between ranks into flows between host ports: rank i is units[i]. It leaves
// out flows that do not use the network, and returns the number of flows between ranks that do.
func (p *Placement) ToPorts(f *Flows, units []int32) int {
	if p.OnServers {
		return p.toRails(f, units)
	}
	kept := 0
	for i := range f.Src {
		src, dst := units[f.Src[i]], units[f.Dst[i]]
		if p.servers != nil && p.servers.same(src, dst) {
			continue
		}
		f.Src[kept], f.Dst[kept] = src, dst
		kept++
	}
	f.Src, f.Dst = f.Src[:kept], f.Dst[:kept]
	return kept
}

func (p *Placement) toRails(f *Flows, units []int32) (pairs int) {
	ranks := Flows{slices.Clone(f.Src), slices.Clone(f.Dst)}
	f.Reset()
	for i := range ranks.Src {
		if p.servers.addRails(f, units[ranks.Src[i]], units[ranks.Dst[i]]) {
			pairs++
		}
	}
	return pairs
}
