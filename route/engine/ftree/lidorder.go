package ftree

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/route"
)

// lidRun is a range of LIDs of one kind on one switch, with consecutive indexes.
type lidRun struct {
	lid   fabric.LID
	n     uint16
	kind  uint8
	place int32 // of the switch, as in lidOrder.placeOf
	index int32 // of the first LID: t of the closed form
}

// lidOrder holds the LIDs of all switches in the order of the balance's numbers.
type lidOrder struct {
	placeOf  []int32 // by switch: its place
	switches []int32 // by place: its switch
	runs     []lidRun
	offset   []int32 // by kind: offset in candidates
}

// byBlock sorts the runs by LID, and cuts them at the ends of blocks: the runs of block b are
// runs[start[b]:start[b+1]].
func (l *lidOrder) byBlock(top fabric.LID) (runs []lidRun, start []int32) {
	for _, r := range l.runs {
		for r.n > 0 {
			part := r
			part.n = min(r.n, uint16(route.BlockSize-r.lid%route.BlockSize))
			runs = append(runs, part)
			r.lid, r.index, r.n = r.lid+fabric.LID(part.n), r.index+int32(part.n), r.n-part.n
		}
	}
	slices.SortFunc(runs, func(a, b lidRun) int { return cmp.Compare(a.lid, b.lid) })
	for b := range int(top)/route.BlockSize + 2 {
		at := 0
		if b > 0 {
			at = int(start[b-1])
		}
		for at < len(runs) && int(runs[at].lid) < b*route.BlockSize {
			at++
		}
		start = append(start, int32(at))
	}
	return runs, start
}

// maxKinds limits the kinds of end ports, without that of switches.
const maxKinds = 200

// hostKinds divides end ports into kinds. Each kind is balanced separately.
type hostKinds struct {
	given      []uint8 // route.Input.Kinds
	types      int     // number of given kinds, at least 1
	multihomed string  // option multihomed: with standby each port of a host has a kind of its own
	perType    int     // kinds of one type
	together   []uint8 // the given kinds, if the hosts of all kinds are numbered together, see kindSlots; or nil
	portRank   []uint8 // by host: ports of its node before it
}

func newHostKinds(in *route.Input, multihomed string) *hostKinds {
	g := in.Graph
	k := &hostKinds{given: in.Kinds, types: max(1, in.NumKinds()), multihomed: multihomed, perType: 1, portRank: make([]uint8, g.NumHosts)}
	several := func(s int32) bool { return g.HostCount(s) > 1 } // to choose among
	if multihomed == none && in.Kinds != nil && slices.ContainsFunc(fabric.Numbers(g.NumSwitches), several) {
		k.given, k.types, k.together = nil, 1, in.Kinds
	}
	if multihomed != standby {
		return k
	}
	most := maxKinds / k.types
	for n := range g.NumNodes {
		before := 0
		for _, end := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
			if g.IsHost(end) {
				k.portRank[end] = uint8(before)
				k.perType = max(k.perType, before+1)
				before = min(before+1, most-1)
			}
		}
	}
	return k
}

// kindSlots gives the hosts of a leaf the indexes of the leaf. So hosts are numbered as without
// kinds, and each kind takes every way up about equally often.
type kindSlots struct {
	kinds []uint8
	ways  []int32     // by level: ways up from a leaf to the level above
	taken [][][]int32 // by kind, level, way
}

func newKindSlots(t *tree, kinds []uint8) *kindSlots {
	k := &kindSlots{kinds: kinds}
	divisor, _ := t.divisors(nil)
	for _, s := range t.ByLevel(false) {
		if up := int32(len(t.uplinkNeighbours(s))); up > 0 && !slices.Contains(k.ways, divisor[s]*up) {
			k.ways = append(k.ways, divisor[s]*up)
		}
	}
	k.taken = make([][][]int32, int(slices.Max(kinds))+1)
	for kind := range k.taken {
		for _, n := range k.ways {
			k.taken[kind] = append(k.taken[kind], make([]int32, n))
		}
	}
	return k
}

// order assigns the indexes from first on to the hosts of a leaf. The smallest kinds choose first:
// each host takes the free index whose ways its kind has used least. The ways of a level count as
// many times as there are.
func (k *kindSlots) order(hosts []int32, first int32) []int32 {
	sorted, order := slices.Clone(hosts), slices.Repeat([]int32{-1}, len(hosts))
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(k.kinds[a], k.kinds[b]) })
	for _, h := range sorted {
		taken := k.taken[k.kinds[h]]
		best, least := -1, int64(0)
		for i, other := range order {
			cost := int64(0)
			for level, n := range k.ways {
				cost += int64(n) * int64(taken[level][(first+int32(i))%n])
			}
			if other < 0 && (best < 0 || cost < least) {
				best, least = i, cost
			}
		}
		order[best] = h
		for level, n := range k.ways {
			taken[level][(first+int32(best))%n]++
		}
	}
	return order
}

// kindOf returns the kind of a host.
func (k *hostKinds) kindOf(host int32) uint8 {
	if k.given == nil {
		return k.portRank[host]
	}
	return (k.given[host]-1)*uint8(k.perType) + k.portRank[host]
}

// switchKind returns the last kind, for port 0 and the aggregation nodes of all switches.
func (k *hostKinds) switchKind() uint8 { return uint8(k.types * k.perType) }

// orderLIDs numbers the LIDs: leaves in their order, then the other switches, and the ports of each
// in order. The LIDs of a port have consecutive indexes from its base LID on. So its base LID has
// the same index as with one LID a port, and the others take other paths. With option standby, a
// further port of a multi-homed host has the index of the first and an offset of one candidate, so
// the two take different links at every switch. With dummies missing ports count too.
func orderLIDs(t *tree, ends *route.Ends, k *hostKinds, dummies bool) *lidOrder {
	l := &lidOrder{placeOf: slices.Repeat([]int32{-1}, t.G.NumSwitches), offset: make([]int32, k.switchKind()+1)}
	for kind := range k.switchKind() {
		l.offset[kind] = int32(kind) % int32(k.perType)
	}
	l.placeSwitches(t)
	indexes := hostIndexes(t, l, k, dummies)
	if k.multihomed == mftree {
		separateByIndex(t, k, indexes)
	}
	for place, s := range l.switches {
		for _, h := range t.G.HostsOf(s) {
			l.add(ends, h, lidRun{kind: k.kindOf(h), place: int32(place), index: indexes[h]})
		}
		for _, end := range t.G.OthersOf(s) {
			l.add(ends, end, lidRun{kind: k.switchKind(), place: int32(place), index: int32(place)})
		}
	}
	return l
}

// placeSwitches puts the leaves first, then the other switches, the lowest first.
func (l *lidOrder) placeSwitches(t *tree) {
	for _, s := range append(append([]int32(nil), t.Leaves...), t.ByLevel(false)...) {
		if l.placeOf[s] < 0 {
			l.placeOf[s] = int32(len(l.switches))
			l.switches = append(l.switches, s)
		}
	}
}

// add adds the LIDs of an end port, to the last run if they continue it.
func (l *lidOrder) add(ends *route.Ends, end int32, r lidRun) {
	r.lid, r.n = ends.Base[end], uint16(ends.Count(end))
	if r.n == 0 {
		return
	}
	if len(l.runs) > 0 {
		last := &l.runs[len(l.runs)-1]
		next := lidRun{last.lid + fabric.LID(last.n), r.n, last.kind, last.place, last.index + int32(last.n)}
		if r == next {
			last.n += r.n
			return
		}
	}
	l.runs = append(l.runs, r)
}

// hostIndexes numbers the hosts of each kind, leaf by leaf; with kindSlots, all kinds together.
func hostIndexes(t *tree, l *lidOrder, k *hostKinds, dummies bool) []int32 {
	g := t.G
	indexes := make([]int32, g.NumHosts)
	next := make([]int32, k.switchKind())
	width := mostHosts(t)
	var slots *kindSlots
	if k.together != nil {
		slots = newKindSlots(t, k.together)
	}
	for place, s := range l.switches {
		if dummies {
			for kind := range next {
				next[kind] = int32(place) * width
			}
		}
		hosts := g.HostsOf(s)
		if slots != nil {
			hosts = slots.order(hosts, next[0])
		}
		for _, h := range hosts {
			if k.portRank[h] == 0 {
				indexes[h] = next[k.kindOf(h)]
				next[k.kindOf(h)]++
			}
		}
	}
	for h := range indexes {
		if k.portRank[h] > 0 {
			indexes[h] = indexes[firstPort(g, int32(h))]
		}
	}
	return indexes
}

// firstPort returns the first end port of the node of a host.
func firstPort(g *fabric.Graph, host int32) int32 { return g.NodeEnds[g.NodeStart[g.EndNode[host]]] }

// mostHosts returns the largest number of hosts on a switch.
func mostHosts(t *tree) int32 {
	most := int32(0)
	for s := range t.G.NumSwitches {
		most = max(most, t.G.HostCount(int32(s)))
	}
	return most
}
