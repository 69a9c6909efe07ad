package ftree

import (
	"weft/fabric"
	"weft/route"
)

// Shape is what a network looks like as a fat-tree, apart from routing it.
type Shape struct {
	Tree       bool           `json:"tree"`
	Why        string         `json:"why_not,omitempty"` // why it is none
	PGFT       string         `json:"pgft,omitempty"`    // as a formula, where one fits
	RLFT       string         `json:"rlft,omitempty"`
	Nearly     string         `json:"pgft_nearly,omitempty"` // the one that it would be with what is missing
	Levels     []Level        `json:"levels"`                // leaves first
	Roots      int            `json:"roots"`                 // switches with no link up
	Leaves     int            `json:"leaves"`
	Empty      int            `json:"leaves_without_hosts"`
	Groups     map[int]int    `json:"groups"` // links between the same two switches: how many of how many links
	Horizontal int            `json:"horizontal_links"`
	Cores      int            `json:"cores"`         // parts that hold together without the leaves
	Paired     int            `json:"leaves_paired"` // with a link to another leaf, as rack switches
	Shared     int            `json:"leaves_shared"` // under several cores
	Roles      map[string]int `json:"roles"`         // given, not inferred
	Missing    []Gap          `json:"missing"`       // what the regular shape would have
	Irregular  []string       `json:"irregular"`     // what option strict refuses
	Switches   []Placed       `json:"switches"`
}

// Level is the switches of one height.
type Level struct {
	Switches int   `json:"switches"`
	Hosts    Range `json:"hosts"` // of a switch
	Up       Range `json:"links_up"`
	Down     Range `json:"links_down"`
}

// Range is the least and the greatest of some numbers.
type Range struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Placed is a switch in its place. The role is the one given, else what it looks like.
type Placed struct {
	GUID  string `json:"guid"`
	Name  string `json:"name"`
	Level int32  `json:"level"` // 0 is a leaf
	Role  string `json:"role"`
	Given bool   `json:"role_given"`
}

// Recognise tells what a network looks like as a fat-tree: the same to what the engine
// routes by when no roots or leaves are named. Cost: O(channels x switches/64).
func Recognise(g *fabric.Graph) *Shape {
	s := &Shape{Groups: map[int]int{}, Roles: map[string]int{}, Missing: []Gap{}, Levels: []Level{}, Switches: []Placed{}}
	if g.NumSwitches == 0 {
		s.Why = "there are no switches"
		return s
	}
	t := recognise(g, nil, nil)
	s.Why = t.notATree()
	s.Tree = s.Why == ""
	s.Irregular = append([]string{}, t.irregular()...)
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

// place fills in the levels, and every switch with what is around it.
func (s *Shape) place(t *tree) {
	g := t.g
	s.Levels = make([]Level, t.top+1)
	for sw := range int32(g.NumSwitches) {
		h, n := t.height[sw], t.around(sw)
		level, hosts := &s.Levels[h], len(g.HostsOf(sw))
		first := level.Switches == 0
		level.Switches++
		level.Hosts.add(hosts, first)
		level.Up.add(n.up, first)
		level.Down.add(n.down, first)
		s.Horizontal += n.beside
		role := fabric.RoleMiddle
		switch {
		case h == 0:
			role = fabric.RoleLeaf
			s.Leaves++
			if hosts == 0 {
				s.Empty++
			}
			if n.beside > 0 {
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
		from, to := t.groupsOf(sw)
		for i := from; i < to; i++ {
			if t.to[i] > sw {
				s.Groups[len(t.portsOf(i))]++
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

// around is the number of links of a switch by where they lead.
type around struct{ up, down, beside int }

func (t *tree) around(s int32) (n around) {
	for _, c := range t.g.OutOf(s) {
		switch v := t.g.To[c]; {
		case t.height[v] > t.height[s]:
			n.up++
		case t.height[v] < t.height[s]:
			n.down++
		default:
			n.beside++
		}
	}
	return n
}

// cores counts the parts of several levels that hold together without the leaves, and
// the leaves that are under several of them.
func (s *Shape) cores(t *tree) {
	p := newParts(t.g.NumSwitches)
	for c := range t.g.NumChannels {
		if u, v := t.g.From[c], t.g.To[c]; t.height[u] > 0 && t.height[v] > 0 {
			p.join(u, v)
		}
	}
	low, tall := make([]int32, t.g.NumSwitches), make([]bool, t.g.NumSwitches)
	for sw, h := range t.height {
		if part := p.of(int32(sw)); h > 0 {
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
	for _, l := range t.leaves {
		first := noPart
		for _, c := range t.g.OutOf(l) {
			part := p.of(t.g.To[c])
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

// parts is a partition of switches that are joined one by one.
type parts []int32

func newParts(n int) parts {
	p := make(parts, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

func (p parts) of(s int32) int32 {
	for p[s] != s {
		p[s] = p[p[s]]
		s = p[s]
	}
	return s
}

func (p parts) join(a, b int32) { p[p.of(a)] = p.of(b) }

// name is a switch as reports name it.
func (t *tree) name(s int32) string { return route.SwitchName(t.g, s) }
