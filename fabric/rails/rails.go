// Package rails finds the planes of a network and the rails of its servers.
//
// A plane is a part of the switch network that no switch cable joins to the rest. A rail is the set
// of host ports of one place in every server (port 3, adapter mlx5_2) that hang on switches of
// their own; each pod has its own switches of a rail. Rails may share spines, or be planes.
//
// The search works on the switches with hosts, the leaves, and on the servers with several ports.
//
//  1. Servers with the same places are of one kind. If the ports on a leaf nearly all have one
//     place, the place decides: all leaves with one place are of one rail (kinds.go).
//  2. The other servers give rails by wiring alone. Two leaves that share a server are of different
//     rails. Two leaves that share servers with the same other leaves are of one rail
//     (wiring.go). Two ports of a server in one plane are not enough: they can be one link and its
//     spare.
//  3. A port has the rail of its leaf. A port on another rail than its place is odd: its cable may
//     be swapped.
//
// Where several rails share a plane, other planes with one place in each server are no rails:
// "eight rails for GPUs and a plane for storage". Where no rails share a plane, every plane is a
// rail. The cost is O(n log n) in the number of host ports and cables.
package rails

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
)

// Sign is the evidence for the rail of a host port.
type Sign string

// The signs, the best first.
const (
	ByPort    Sign = "port number"                // of the server's one adapter
	ByAdapter Sign = "adapter in the description" // as in "n12 mlx5_3"
	ByGUID    Sign = "order of GUIDs"             // of adapters without a device in the description
	ByWiring  Sign = "wiring"                     // the other ports on its switch
)

// None stands for the rail of a port outside all rails, and for the plane of a switch that no host
// port can reach.
const None int32 = -1

// Map holds the planes and rails of a Graph.
type Map struct {
	Planes  int     // parts of the switch network with host ports
	PlaneOf []int32 // by switch: plane, or None

	Rails  []Rail
	RailOf []int32 // by switch: the rail of its hosts, or None
	Of     []int32 // by host port (end port below NumHosts): rail, or None
	Signs  map[Sign]int
	Odd    []Oddity
}

// Rail is a rail. Rails are numbered from 0, as the switches of formulas are.
type Rail struct {
	Number   int      `json:"number"`
	Places   []string `json:"places,omitempty"` // its places in servers, the most frequent first; none if wiring alone decided
	Plane    int32    `json:"plane"`            // -1 if it has ports in several planes
	Ports    int      `json:"host_ports"`
	Switches int      `json:"switches"` // with host ports
}

// Oddity is a host port on an unexpected rail.
type Oddity struct {
	End  int32
	Rail int32 // of its switch
	Want int32 // of its place; None if it is the second port of its server on Rail
	With int32 // the end port of the same server on Want whose place is on Rail, or None
}

// find holds the state of the search.
type find struct {
	g       *fabric.Graph
	servers *fabric.Servers
	planes  []int32 // by switch

	ends  [][]int32 // by server: its host ports
	place []place   // by host port
	multi []int32   // by switch: host ports of servers with several

	kinds   []*kind
	kindOf  []*kind          // by server: the kind whose places decide, nil if none
	guest   map[int32]bool   // servers of rare kinds, counted with a frequent one
	doubts  map[Sign]int     // kinds by sign whose places contradict the leaves
	holders map[spot]*kind   // the first kind that was decided and has a place
	rail    []int32          // by switch
	rails   int              // the number of rails so far
	inPlane [][]int32        // by plane: its rails, sorted
	only    *exclusive       // which switches and planes belong to one rail alone
	wired   map[int32]bool   // servers whose wiring decided
	texts   []map[string]int // by rail: the texts of places
}

// Of finds the planes and rails of a Graph with these servers.
func Of(g *fabric.Graph, servers *fabric.Servers) *Map {
	f := &find{
		g: g, servers: servers, place: make([]place, g.NumHosts), multi: make([]int32, g.NumSwitches),
		ends: make([][]int32, len(servers.List)), kindOf: make([]*kind, len(servers.List)),
		guest: map[int32]bool{}, doubts: map[Sign]int{}, holders: map[spot]*kind{},
		rail: slices.Repeat([]int32{None}, g.NumSwitches), wired: map[int32]bool{},
	}
	m := &Map{Signs: map[Sign]int{}}
	f.findPlanes(m)
	f.only = newExclusive(g, f.planes, m.Planes)
	several := false
	for i := range servers.List {
		f.ends[i] = slices.Collect(servers.Ends(g, int32(i)))
		if len(f.ends[i]) > 1 {
			several = true
			for _, e := range f.ends[i] {
				f.multi[g.EndSwitch[e]]++
			}
		}
	}
	if several {
		f.makeKinds()
		f.findDoubts()
		for _, k := range f.kinds {
			f.decide(k)
		}
		f.byWiring()
	}
	f.fill(m)
	return m
}

// findPlanes numbers the parts of the switch network that have host ports.
func (f *find) findPlanes(m *Map) {
	of, n := f.g.Components()
	number := slices.Repeat([]int32{None}, n)
	for s := range int32(f.g.NumSwitches) {
		if number[of[s]] == None && f.g.HostCount(s) > 0 {
			number[of[s]] = int32(m.Planes)
			m.Planes++
		}
	}
	m.PlaneOf = make([]int32, f.g.NumSwitches)
	for s := range m.PlaneOf {
		m.PlaneOf[s] = number[of[s]]
	}
	f.planes, f.inPlane = m.PlaneOf, make([][]int32, m.Planes)
}

// fill makes the result: it drops planes that are no rails, numbers the rails and counts.
func (f *find) fill(m *Map) {
	number := f.numbers(m)
	m.RailOf = make([]int32, f.g.NumSwitches)
	for s := range m.RailOf {
		m.RailOf[s] = None
		if r := f.rail[s]; r != None && f.g.HostCount(int32(s)) > 0 {
			m.RailOf[s] = number[r]
		}
		if r := m.RailOf[s]; r != None {
			rail := &m.Rails[r]
			if rail.Switches == 0 {
				rail.Plane = m.PlaneOf[s]
			} else if rail.Plane != m.PlaneOf[s] {
				rail.Plane = None
			}
			rail.Switches++
			rail.Ports += int(f.g.HostCount(int32(s)))
		}
	}
	m.Of = slices.Repeat([]int32{None}, f.g.NumHosts)
	for e := range m.Of {
		if f.g.IsHost(int32(e)) {
			m.Of[e] = m.RailOf[f.g.EndSwitch[e]]
		}
	}
	f.texts = make([]map[string]int, len(m.Rails))
	for i := range f.texts {
		f.texts[i] = map[string]int{}
	}
	for server := range f.ends {
		f.countServer(m, int32(server), number)
	}
	for i, texts := range f.texts {
		m.Rails[i].Places = slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
			return cmp.Or(cmp.Compare(texts[b], texts[a]), cmp.Compare(a, b))
		})
	}
	slices.SortFunc(m.Odd, func(a, b Oddity) int { return cmp.Compare(a.End, b.End) })
}

// numbers returns the final number of each rail, or None for a plane that is no rail.
func (f *find) numbers(m *Map) []int32 {
	first := slices.Repeat([]int32{None}, m.Planes) // a rail of each plane
	divided := make([]bool, m.Planes)
	some := false
	for s, r := range f.rail {
		if p := f.planes[s]; r != None && p != None {
			divided[p] = divided[p] || first[p] != None && first[p] != r
			first[p] = r
			some = some || divided[p]
		}
	}
	counts := make([]bool, f.rails)
	for s, r := range f.rail {
		if r != None && f.planes[s] != None && (divided[f.planes[s]] || !some) {
			counts[r] = true
		}
	}
	number := slices.Repeat([]int32{None}, f.rails)
	n := 0
	for r, yes := range counts {
		if yes {
			number[r] = int32(n)
			n++
		}
	}
	if n < 2 {
		return slices.Repeat([]int32{None}, f.rails)
	}
	m.Rails = make([]Rail, n)
	for i := range m.Rails {
		m.Rails[i].Number = i
	}
	return number
}

// countServer counts the signs that decided for the ports of a server, and lists its odd ports.
func (f *find) countServer(m *Map, server int32, number []int32) {
	k, before := f.kindOf[server], len(m.Odd)
	for i, e := range f.ends[server] {
		r := m.Of[e]
		want := None
		if k != nil {
			if w := k.rail(f.place[e]); w != None {
				want = number[w]
			}
		}
		switch {
		case r == None:
			continue
		case want == r:
			m.Signs[k.sign]++
			f.texts[r][k.text(f.place[e])]++
			continue
		case want != None:
			m.Odd = append(m.Odd, Oddity{End: e, Rail: r, Want: want, With: None})
		case f.wired[server] && slices.ContainsFunc(f.ends[server][:i], func(o int32) bool { return m.Of[o] == r }):
			m.Odd = append(m.Odd, Oddity{End: e, Rail: r, Want: None, With: None})
		}
		m.Signs[ByWiring]++
	}
	odd := m.Odd[before:]
	for i := range odd {
		for j := range odd {
			if odd[i].Want == odd[j].Rail && odd[i].Rail == odd[j].Want {
				odd[i].With = odd[j].End
			}
		}
	}
}

// Text describes an odd port.
func (o *Oddity) Text(g *fabric.Graph) string {
	port, at := g.EndName(o.End).Short(), g.SwitchPort(g.EndSwitch[o.End], g.EndPort[o.End]).Short()
	switch {
	case o.Want == None:
		return fmt.Sprintf("%s at %s: the second port of its server on rail %d", port, at, o.Rail)
	case o.With != None:
		return fmt.Sprintf("%s at %s: on rail %d, expected on rail %d; its cable and that of %s are swapped", port, at, o.Rail, o.Want, g.EndName(o.With).Short())
	}
	return fmt.Sprintf("%s at %s: on rail %d, expected on rail %d", port, at, o.Rail, o.Want)
}
