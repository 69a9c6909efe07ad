package check

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"weft/fabric/subnets"
	"weft/route"
)

// partition numbers groups of end ports, and splits them again and again.
type partition struct {
	group []int32 // by end port, -1 for none
	next  int32
}

// part splits each group by a number of its members.
func (q *partition) part(number func(end int32) int32) {
	known := map[[2]int32]int32{}
	for end, group := range q.group {
		if group < 0 {
			continue
		}
		key := [2]int32{group, number(int32(end))}
		fresh, ok := known[key]
		if !ok {
			fresh = q.next
			q.next++
			known[key] = fresh
		}
		q.group[end] = fresh
	}
}

// groups splits the judged end ports of a subnet into groups. Packets for the members of a group
// have the same gateways in all other subnets and leave every router through the same ports, so
// they part only inside the subnet. The members are in one connected part, and every router port of
// the subnet reaches all of them. An end port that some router port does not reach is a group by
// itself.
func (j *judge) groups(target int32) [][]int32 {
	d := j.locals[target]
	q := partition{group: make([]int32, d.g.NumEnds), next: 1}
	for e := range q.group {
		if !j.judged(target, int32(e)) {
			q.group[e] = -1
		}
	}
	alone := j.notReached(target)
	q.part(func(end int32) int32 {
		if alone[end] {
			return -1 - end
		}
		return d.part[d.g.EndSwitch[end]]
	})
	rows, picks := map[*int32]bool{}, map[*uint8]bool{}
	for s := range j.n.Subnets {
		if row := j.p.Gateway[s][target]; len(row) > 0 && !rows[&row[0]] {
			rows[&row[0]] = true
			q.part(func(end int32) int32 {
				if int(end) < len(row) {
					return row[end]
				}
				return -1
			})
		}
	}
	j.partBySwitch(&q, target)
	for r := range j.n.Routers {
		if row := j.p.Egress[r][target].Pick; len(row) > 0 && !picks[&row[0]] {
			picks[&row[0]] = true
			q.part(func(end int32) int32 {
				if int(end) < len(row) {
					return int32(row[end])
				}
				return -1
			})
		}
	}
	return q.lists()
}

// partBySwitch splits groups whose members have different gateways at some switch.
func (j *judge) partBySwitch(q *partition, target int32) {
	ends := j.locals[target].g.NumEnds
	for s := range j.p.BySwitch {
		row := j.p.BySwitch[s][target]
		known := map[string]int32{}
		q.part(func(end int32) int32 {
			var column []byte
			for at := int(end); at < len(row); at += ends {
				column = binary.AppendVarint(column, int64(row[at]))
			}
			number, ok := known[string(column)]
			if !ok {
				number = int32(len(known))
				known[string(column)] = number
			}
			return number
		})
	}
}

// lists returns the members of the groups, in order of their first members.
func (q *partition) lists() (groups [][]int32) {
	at := map[int32]int{}
	for end, group := range q.group {
		if group < 0 {
			continue
		}
		i, ok := at[group]
		if !ok {
			i = len(groups)
			at[group] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], int32(end))
	}
	return groups
}

// notReached reports, by end port of a subnet, whether some router port does not reach it. All
// subnets of one local Plan share the answer.
func (j *judge) notReached(subnet int32) []bool {
	d := j.locals[subnet]
	if d.alone != nil {
		return d.alone
	}
	d.alone = make([]bool, d.g.NumEnds)
	for e := range int32(d.g.NumEnds) {
		lid := d.p.Ends.Base[e]
		d.alone[e] = lid == 0
		for _, port := range j.n.Subnets[subnet].Ports {
			if !d.alone[e] && d.to(lid)[d.g.EndSwitch[j.n.Ports[port].End]] == lost {
				d.alone[e] = true
			}
		}
	}
	return d.alone
}

// usage holds the layers of lanes on which routers send in one subnet.
type usage struct {
	entries []entry
	transit map[[2]int32]uint16 // by places of the sending port and the gateway: layers
}

// entry says that routers send to some end ports.
type entry struct {
	ends []int32
	by   []arrival
}

// arrival is a router port, by its place, and the layers on which it sends.
type arrival struct {
	place  int32
	layers uint16
}

// enters notes that a port sends to a group of end ports of its subnet, on some layers. enterAll
// stores the notes.
func (w *walker) enters(q int32, layers uint16) {
	if w.entered[q] == 0 {
		w.enterBy = append(w.enterBy, q)
	}
	w.entered[q] |= layers
}

// enterAll stores the notes of enters for the group that is followed.
func (w *walker) enterAll() {
	if len(w.enterBy) == 0 {
		return
	}
	e := entry{ends: w.group}
	for _, q := range w.enterBy {
		e.by = append(e.by, arrival{int32(w.place(q)), w.entered[q]})
		w.entered[q] = 0
	}
	w.enterBy = w.enterBy[:0]
	u := w.usage[w.target]
	u.entries = append(u.entries, e)
}

// enterTransit stores the notes about packets that a subnet passes on, gateway by gateway.
func (u *usage) enterTransit(n *subnets.Network, s int32) {
	pairs := slices.SortedFunc(maps.Keys(u.transit), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	for _, pair := range pairs {
		end := n.Ports[n.Subnets[s].Ports[pair[1]]].End
		if last := len(u.entries) - 1; last < 0 || u.entries[last].ends[0] != end {
			u.entries = append(u.entries, entry{ends: []int32{end}})
		}
		e := &u.entries[len(u.entries)-1]
		e.by = append(e.by, arrival{pair[0], u.transit[pair]})
	}
}

// sls returns the set of SLs that a router port uses for some end ports of its subnet: the SLs of
// the local Plan, before a layer is added.
func (d *localPlan) sls(from int32, to []int32) (set uint16) {
	if d.oneSL {
		return 1 << (d.p.SL.ByClass(0, 0) & 15)
	}
	for _, end := range to {
		set |= 1 << (d.p.SL.At(from, d.p.Ends.Base[end]) & 15)
	}
	return set
}

// onLayer returns an SL of a local Plan on a layer.
func (j *judge) onLayer(sl, layer uint8) uint8 { return (layer*uint8(j.p.SLs) + sl) % route.NumSLs }
