package cables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/groups"
)

// dragonfly compares a network with a Dragonfly, whose groups are full meshes, or a Dragonfly+,
// whose groups join all leaves to all spines. Every group has cables to all others; in a
// Dragonfly+, spines alone have them.
type dragonfly struct {
	wanted
	of    []int32   // by switch: its group
	place []int32   // by switch: its number among the switches of its group with cables to other groups, -1 for leaves
	inner []int32   // by switch: its number among the leaves, or the others, of its group
	group [][]int32 // by group: switches with cables to other groups
	notes []string
}

// dragonfly finds the pattern of a Dragonfly, a Dragonfly+ or a full mesh; ok is false if the
// network is none of these.
func (n *network) dragonfly() (p pattern, ok bool) {
	if found, err := groups.Find(n.g); err == nil {
		if p, ok = n.inGroups("dragonfly", found.Of, make([]int32, len(found.Of))); ok {
			return p, true
		}
	}
	if of, place := n.leavesAndSpines(); of != nil {
		return n.inGroups("dragonflyplus", of, place)
	}
	return p, false
}

// inGroups finds the pattern of a network with known groups and leaves.
func (n *network) inGroups(name string, of, place []int32) (p pattern, ok bool) {
	d := &dragonfly{wanted: wanted{network: n, cables: map[pair]int{}}, of: of, place: place}
	d.alike = d.inOtherGroups
	d.number()
	if len(d.group) == n.g.NumSwitches {
		if name = "hyperx"; len(d.group) < leastMesh {
			return p, false
		}
	}
	d.expectWithin()
	if len(d.cables) > 0 && !d.part(true, d.cables).nearlyAll() {
		return p, false
	}
	fewer, ok := d.expectBetween()
	if !ok {
		return p, false
	}
	return pattern{name: name, odd: append(d.odd(), fewer...), notes: d.notes}, true
}

// leastMesh is the fewest switches of a network without coordinates in names to count as a full
// mesh or HyperX.
const leastMesh = 8

// leastGroups is the fewest groups that a rule is applied to.
const leastGroups = 4

// Least shares of joined pairs: of groups in a Dragonfly, of switches in a full mesh.
const (
	mostGroups = .75
	mostOfMesh = .94
)

// leavesAndSpines finds the groups of a Dragonfly+ and marks leaves with place -1; nil if the
// network is none. Leaves of a group share most of their spines; a spine is in the group of most of
// its leaves.
func (n *network) leavesAndSpines() (of, place []int32) {
	of, place = make([]int32, n.g.NumSwitches), make([]int32, n.g.NumSwitches)
	for s := range of {
		of[s] = int32(s)
		if n.g.HostCount(int32(s)) > 0 {
			place[s] = -1
		}
	}
	for s := range int32(len(of)) {
		if place[s] == 0 {
			continue
		}
		shared := map[int32]int{}
		for _, v := range n.neighbours[s] {
			for _, t := range n.neighbours[v] {
				if t < s && place[t] < 0 {
					shared[t]++
				}
			}
		}
		for t, k := range shared {
			if 2*k > min(len(n.neighbours[s]), len(n.neighbours[t])) {
				of[s] = min(of[s], of[t])
			}
		}
	}
	for s := range of {
		if place[s] < 0 {
			continue
		}
		leaves := map[int]int{}
		for _, v := range n.neighbours[s] {
			if place[v] < 0 {
				leaves[int(of[v])]++
			}
		}
		home, most := mode(leaves)
		if most == 0 {
			return nil, nil
		}
		of[s] = int32(home)
	}
	return of, place
}

// number numbers groups and the switches within them, in order of the Graph.
func (d *dragonfly) number() {
	numbers := map[int32]int32{}
	leaves := []int32{}
	d.inner = make([]int32, len(d.of))
	for s, of := range d.of {
		i, known := numbers[of]
		if !known {
			i = int32(len(d.group))
			numbers[of] = i
			d.group, leaves = append(d.group, nil), append(leaves, 0)
		}
		d.of[s] = i
		if d.place[s] < 0 {
			d.inner[s] = leaves[i]
			leaves[i]++
			continue
		}
		d.place[s] = int32(len(d.group[i]))
		d.inner[s] = d.place[s]
		d.group[i] = append(d.group[i], int32(s))
	}
}

// plus reports whether the network has leaves without cables to other groups.
func (d *dragonfly) plus() bool { return slices.Contains(d.place, -1) }

// expectWithin records the cables expected within the groups: each pair has as many as most pairs.
func (d *dragonfly) expectWithin() {
	members := make([][]int32, len(d.group))
	for s, i := range d.of {
		members[i] = append(members[i], int32(s))
	}
	var pairs []pair
	times, plus := map[int]int{}, d.plus()
	for _, list := range members {
		for k, s := range list {
			for _, t := range list[k+1:] {
				if plus && (d.place[s] < 0) == (d.place[t] < 0) {
					continue
				}
				pairs = append(pairs, pairOf(s, t))
				if n := d.count(s, t); n > 0 {
					times[n]++
				}
			}
		}
	}
	usual, _ := mode(times)
	for _, p := range pairs {
		d.cables[p] = usual
	}
}

// part returns the part of the pattern within groups, or between them, with the given expected
// cables.
func (d *dragonfly) part(within bool, cables map[pair]int) *wanted {
	part := *d.network
	part.plugged = map[pair][]fabric.LinkID{}
	for p, links := range d.plugged {
		if within == (d.of[p.a] == d.of[p.b]) {
			part.plugged[p] = links
		}
	}
	return &wanted{network: &part, cables: cables}
}

// between lists the cabled pairs of switches of different groups, without leaves.
func (d *dragonfly) between() (pairs []pair) {
	for p := range d.plugged {
		if d.of[p.a] != d.of[p.b] && d.place[p.a] >= 0 && d.place[p.b] >= 0 {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, pair.compare)
	return pairs
}

// expectBetween records the cables expected between groups, by the rule that maps ports to groups.
// Without a rule no cable is missing between two groups; instead, switches with fewer cables than
// most are returned. ok is false if the groups are not joined like a Dragonfly.
func (d *dragonfly) expectBetween() (fewer []Odd, ok bool) {
	pairs := d.between()
	groups, linked := len(d.group), map[pair]bool{}
	for _, p := range pairs {
		linked[pairOf(d.of[p.a], d.of[p.b])] = true
	}
	least, ways := mostGroups, [][][2]int32{d.byRule(ahead), d.byRule(numbered)}
	if groups == d.g.NumSwitches {
		least, ways = mostOfMesh, [][][2]int32{d.allJoined()}
	}
	if groups < leastGroups || float64(len(linked)) < least*float64(groups*(groups-1)/2) {
		return nil, false
	}
	for _, way := range ways {
		cables := map[pair]int{}
		for _, ends := range way {
			cables[pairOf(ends[0], ends[1])]++
		}
		if d.part(false, cables).nearlyAll() {
			maps.Copy(d.cables, cables)
			return nil, true
		}
	}
	for _, p := range pairs {
		d.cables[p] = len(d.plugged[p])
	}
	return d.fewerBetween(pairs), d.nearlyAll()
}

// fewerBetween lists the switches with fewer cables to other groups than nearly all.
func (d *dragonfly) fewerBetween(pairs []pair) (odd []Odd) {
	have := make([]int, len(d.of))
	for _, p := range pairs {
		have[p.a] += len(d.plugged[p])
		have[p.b] += len(d.plugged[p])
	}
	times, all := map[int]int{}, 0
	for s, n := range have {
		if d.place[s] >= 0 {
			times[n]++
			all++
		}
	}
	usual, most := mode(times)
	if float64(most) < nearlyWhole*float64(all) {
		d.notes = append(d.notes, "no rule is seen in which cables join which groups")
		return nil
	}
	for s, n := range have {
		if lost := usual - n - d.downAt(int32(s)); d.place[s] >= 0 && lost > 0 {
			odd = append(odd, Odd{
				Kind: Missing, Text: fmt.Sprintf("%d of %d cables to other groups", n, usual), weight: float64(lost),
				Ports: []fabric.PortName{d.g.SwitchPort(int32(s), 0)},
			})
		}
	}
	return odd
}

// downAt counts the known cables of a switch that are down, or whose other end is down.
func (d *dragonfly) downAt(s int32) (n int) {
	for _, port := range d.f.Nodes[d.node[s]].Ports {
		if port.Link != fabric.NoLink && !d.f.LinkUp(port.Link) {
			n++
		}
	}
	return n
}

// inOtherGroups lists the pairs of switches that have the same places as s and to, in other groups
// equally far apart.
func (d *dragonfly) inOtherGroups(s, to int32) (pairs [][2]int32) {
	apart := d.apart(d.of[s], d.of[to])
	for v := range int32(len(d.of)) {
		if v == s || d.inner[v] != d.inner[s] || (d.place[v] < 0) != (d.place[s] < 0) {
			continue
		}
		for _, t := range d.neighbours[v] {
			if d.inner[t] == d.inner[to] && (d.place[t] < 0) == (d.place[to] < 0) && d.apart(d.of[v], d.of[t]) == apart {
				pairs = append(pairs, [2]int32{v, t})
			}
		}
	}
	return pairs
}

// apart returns the distance from group i forward to group j, counted cyclically.
func (d *dragonfly) apart(i, j int32) int32 {
	return (j - i + int32(len(d.group))) % int32(len(d.group))
}

// compareSlots orders ports of a group by the place of the switch.
func compareSlots(a, b slot) int {
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.port, b.port))
}
