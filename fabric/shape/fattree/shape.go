package fattree

import (
	"slices"

	"weft/fabric"
)

// Shape describes a network as a fat-tree, independent of routing.
type Shape struct {
	Tree bool   `json:"tree"`
	Why  string `json:"why_not,omitempty"` // why it is not a tree
	Formulas
	Levels []Level `json:"levels"` // leaves first
	Counts
	Roles     map[string]int `json:"roles"`     // given, not inferred
	Missing   []Gap          `json:"missing"`   // parts that the regular shape would have
	Irregular []string       `json:"irregular"` // reasons for option strict to refuse
	Switches  []Placed       `json:"switches"`
}

// Formulas holds the formulas that fit a tree, "" for none.
type Formulas struct {
	PGFT   string `json:"pgft,omitempty"`
	RLFT   string `json:"rlft,omitempty"`
	Nearly string `json:"pgft_nearly,omitempty"` // the PGFT that the fabric would be with the missing parts
}

// Counts counts switches and links of a tree.
type Counts struct {
	Roots      int         `json:"roots"` // switches without a link up
	Leaves     int         `json:"leaves"`
	Empty      int         `json:"leaves_without_hosts"`
	Groups     map[int]int `json:"groups"` // pairs of switches by number of links between them
	Horizontal int         `json:"horizontal_links"`
	Cores      int         `json:"cores"`         // parts of several levels that stay connected without the leaves
	Paired     int         `json:"leaves_paired"` // with a link to another leaf, as rack switches
	Shared     int         `json:"leaves_shared"` // under several cores
}

// Level describes the switches of one level.
type Level struct {
	Switches int   `json:"switches"`
	Hosts    Range `json:"hosts"` // by switch
	Up       Range `json:"links_up"`
	Down     Range `json:"links_down"`
}

// Range holds the least and the greatest of some numbers.
type Range struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Placed is a switch with its level and role. The role is the given one, or else follows from its
// place.
type Placed struct {
	GUID  string `json:"guid"`
	Name  string `json:"name"`
	Level int32  `json:"level"` // 0 is a leaf
	Role  string `json:"role"`
	Given bool   `json:"role_given"`
}

// Describe describes a network as a fat-tree, with the levels that the engine uses if no roots or
// leaves are named. Cost: O(channels x switches/64).
func Describe(g *fabric.Graph) *Shape {
	s := &Shape{Counts: Counts{Groups: map[int]int{}}, Roles: map[string]int{}, Missing: []Gap{}, Levels: []Level{}, Switches: []Placed{}}
	if g.NumSwitches == 0 {
		s.Why = "there are no switches"
		return s
	}
	t := Recognise(g, nil, nil)
	s.Why = t.NotATree()
	s.Tree = s.Why == ""
	s.Irregular = append([]string{}, t.Irregular()...)
	s.place(t)
	if s.Tree {
		s.cores(t)
		f := t.formula()
		if s.PGFT, s.RLFT = f.pgft(), f.rlft(); f == nil {
			gaps, nearly := t.gaps()
			s.Missing, s.Nearly = append(s.Missing, gaps...), nearly.pgft()
		}
	}
	return s
}

// place fills in the levels, and every switch with its level, role and links.
func (s *Shape) place(t *Tree) {
	g := t.G
	s.Levels = make([]Level, t.Top+1)
	for sw := range int32(g.NumSwitches) {
		h, n := t.Level[sw], t.countLinks(sw)
		level, hosts := &s.Levels[h], len(g.HostsOf(sw))
		first := level.Switches == 0
		level.Switches++
		level.Hosts.add(hosts, first)
		level.Up.add(n.up, first)
		level.Down.add(n.down, first)
		s.Horizontal += n.horizontal
		role := fabric.RoleMiddle
		switch {
		case h == 0:
			role = fabric.RoleLeaf
			s.Leaves++
			if hosts == 0 {
				s.Empty++
			}
			if n.horizontal > 0 {
				s.Paired++
			}
		case n.up == 0:
			role = fabric.RoleRoot
			s.Roots++
		}
		given := g.SwitchRole[sw]
		if given != fabric.NoRole {
			role = given
			s.Roles[given.String()]++
		}
		s.Switches = append(s.Switches, Placed{
			GUID: g.SwitchGUID[sw].String(), Name: g.SwitchDesc[sw], Level: h, Role: role.String(), Given: given != fabric.NoRole,
		})
		for i, v := range t.Bundles(sw) {
			if v > sw {
				s.Groups[len(t.PortsOf(i))]++
			}
		}
	}
	s.Horizontal /= 2
}

func (r *Range) add(n int, first bool) {
	if first {
		r.Min, r.Max = n, n
	}
	r.Min, r.Max = min(r.Min, n), max(r.Max, n)
}

// linkCounts counts the links of a switch by direction.
type linkCounts struct{ up, down, horizontal int }

// countLinks counts the links of a switch to higher and lower levels and within its own.
func (t *Tree) countLinks(s int32) (n linkCounts) {
	for _, c := range t.G.OutOf(s) {
		switch v := t.G.To[c]; {
		case t.Level[v] > t.Level[s]:
			n.up++
		case t.Level[v] < t.Level[s]:
			n.down++
		default:
			n.horizontal++
		}
	}
	return n
}

// LinksUp counts the links of a switch to higher levels.
func (t *Tree) LinksUp(s int32) int { return t.countLinks(s).up }

// cores counts the parts of several levels that are connected without the leaves, and the leaves
// below several of them.
func (s *Shape) cores(t *Tree) {
	p := partition(fabric.Numbers(t.G.NumSwitches))
	for c := range t.G.NumChannels {
		if u, v := t.G.From[c], t.G.To[c]; t.Level[u] > 0 && t.Level[v] > 0 {
			p.union(u, v)
		}
	}
	low, tall := make([]int32, t.G.NumSwitches), make([]bool, t.G.NumSwitches)
	for sw, h := range t.Level {
		if part := p.find(int32(sw)); h > 0 {
			tall[part] = tall[part] || low[part] > 0 && low[part] != h
			low[part] = h
		}
	}
	for _, is := range tall {
		if is {
			s.Cores++
		}
	}
	s.Cores = max(s.Cores, 1)
	for _, l := range t.Leaves {
		first := noPart
		for _, c := range t.G.OutOf(l) {
			part := p.find(t.G.To[c])
			if !tall[part] {
				continue
			}
			if first != noPart && part != first {
				s.Shared++
				break
			}
			first = part
		}
	}
}

const noPart int32 = -1

// partition divides switches into parts, which are joined step by step. It starts as
// fabric.Numbers, with each switch as its own part.
type partition []int32

// find returns the representative of the part of a switch.
func (p partition) find(s int32) int32 {
	for p[s] != s {
		p[s] = p[p[s]]
		s = p[s]
	}
	return s
}

// union joins the parts of two switches.
func (p partition) union(a, b int32) { p[p.find(a)] = p.find(b) }

// name returns the name of a switch in reports.
func (t *Tree) name(s int32) string { return fabric.SwitchName(t.G, s) }

// IsTree reports whether a network is a fat-tree, complete or damaged, that is as connected without
// the links within levels. The engine also accepts several trees joined by links within a level
// (Deimos, a Dragonfly+), but other engines do better there. Cost: as Describe.
func IsTree(g *fabric.Graph) bool {
	if g.NumSwitches == 0 {
		return false
	}
	t := Recognise(g, nil, nil)
	return t.NotATree() == "" && t.isJoinedByLevels()
}

// isJoinedByLevels reports whether links within levels only join switches that are also connected
// by links between levels.
func (t *Tree) isJoinedByLevels() bool {
	g, p := t.G, partition(fabric.Numbers(t.G.NumSwitches))
	for c := range g.NumChannels {
		if s, v := g.From[c], g.To[c]; t.Level[s] != t.Level[v] {
			p.union(s, v)
		}
	}
	for c := range g.NumChannels {
		if p.find(g.From[c]) != p.find(g.To[c]) {
			return false
		}
	}
	return true
}

// IsWhole reports whether a network is a complete fat-tree: a PGFT to the last link, without
// drained switches. Cost: as Describe.
func IsWhole(g *fabric.Graph) bool {
	if g.NumSwitches == 0 || g.NumHosts == 0 || slices.Contains(g.Drained, true) {
		return false
	}
	t := Recognise(g, nil, nil)
	return t.NotATree() == "" && t.formula() != nil
}
