package repair

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// column is a LID with the switches that need a next hop towards it, in ascending order. The old
// entries of all other switches still lead to it.
type column struct {
	lid      int
	switches []int32
}

// losses lists the columns with a switch that needs a next hop.
func (b *binding) losses(ctx context.Context, workers int) ([]column, error) {
	broken := make([][]int32, len(b.owner)) // by LID: switches whose own entry leads to a lost neighbour
	whole := make([]bool, len(b.owner))     // by LID: all its paths must be followed
	if b.links && !b.drained {
		b.readBroken(broken)
	}
	for lid, end := range b.owner {
		whole[lid] = end >= 0 && (!b.links || b.drained || !b.delivers(lid))
	}
	found := make([][]column, len(b.owner)/route.BlockSize+1)
	searches := make([]*search, max(1, workers))
	err := par.For(ctx, workers, len(found), func(worker, i int) error {
		if searches[worker] == nil {
			searches[worker] = newSearch(b)
		}
		s := searches[worker]
		for lid := i * route.BlockSize; lid < min((i+1)*route.BlockSize, len(b.owner)); lid++ {
			var list []int32
			switch {
			case whole[lid]:
				if list = s.follow(lid); len(list) == 0 && !b.delivers(lid) { // another port of the same switch
					list = []int32{b.g.EndSwitch[b.owner[lid]]}
				}
			case len(broken[lid]) > 0:
				list = s.upstream(lid, broken[lid])
			}
			if len(list) > 0 {
				found[i] = append(found[i], column{lid, list})
			}
		}
		return nil
	})
	return slices.Concat(found...), err
}

// readBroken lists, by LID, the switches whose entries lead to lost neighbours, and switches
// without an entry if something was added. The links are known.
func (b *binding) readBroken(broken [][]int32) {
	for s := range int32(b.g.NumSwitches) {
		bad, some := b.badPorts(s)
		if !some {
			continue
		}
		for i, block := range b.rows[s] {
			for k, port := range block {
				if !bad[port] {
					continue
				}
				if lid := i*route.BlockSize + k; lid < len(b.owner) && b.owner[lid] >= 0 {
					broken[lid] = append(broken[lid], s)
				}
			}
		}
	}
}

// badPorts marks the ports that an old entry of a switch cannot keep, including route.NoPort if
// something was added, and reports whether there are any.
func (b *binding) badPorts(s int32) (bad [256]bool, some bool) {
	first := int(b.g.PortStart[s])
	for port := range int(b.g.SwitchPorts[s]) + 1 {
		bad[port] = b.changed[first+port]
		some = some || bad[port]
	}
	bad[route.NoPort] = bad[route.NoPort] || b.gained
	return bad, some || b.gained
}

// search finds the switches of columns that need a next hop.
type search struct {
	b    *binding
	mark []int32 // by switch: base plus its state; below base: unknown
	base int32   // grows by 4 for each LID, so that marks need not be cleared
	list []int32 // switches found
	way  []int32 // switches on the path being followed
}

// States of a switch.
const (
	onWay   int32 = iota + 1 // it is on the path being followed
	isWhole                  // its path leads to the LID
	isLost                   // its path does not
)

func newSearch(b *binding) *search { return &search{b: b, mark: make([]int32, b.g.NumSwitches)} }

func (s *search) begin() {
	s.base += 4
	s.list = s.list[:0]
}

// upstream lists the switches whose paths to a LID pass one of some switches.
func (s *search) upstream(lid int, from []int32) []int32 {
	g := s.b.g
	s.begin()
	for _, x := range from {
		s.mark[x] = s.base + isLost
	}
	s.list = append(s.list, from...)
	for i := 0; i < len(s.list); i++ {
		for _, c := range g.OutOf(s.list[i]) {
			u := g.To[c]
			if s.mark[u] < s.base && s.b.channel(u, lid) == c^1 {
				s.mark[u] = s.base + isLost
				s.list = append(s.list, u)
			}
		}
	}
	list := slices.Clone(s.list)
	slices.Sort(list)
	return list
}

// follow follows all paths to a LID and lists the switches whose paths do not arrive.
func (s *search) follow(lid int) (list []int32) {
	b, g := s.b, s.b.g
	s.begin()
	end := b.owner[lid]
	target := g.EndSwitch[end]
	s.mark[target] = s.base + isWhole
	for x := range int32(g.NumSwitches) {
		s.way = s.way[:0]
		at, result := x, isLost
		for b.same[lid] {
			if s.mark[at] > s.base {
				if s.mark[at] == s.base+isWhole {
					result = isWhole
				}
				break
			}
			s.mark[at] = s.base + onWay
			s.way = append(s.way, at)
			c := b.channel(at, lid)
			if c == fabric.Nothing || !b.mayPass(g.To[c], target) {
				break
			}
			at = g.To[c]
		}
		for _, y := range s.way {
			s.mark[y] = s.base + result
		}
		if s.mark[x] != s.base+isWhole {
			list = append(list, x)
		}
	}
	return list
}
