package ftree

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/route"
)

// run is consecutive LIDs of one kind on one switch, with consecutive places among
// those of their kind.
type run struct {
	lid   fabric.LID
	n     uint16
	kind  uint8
	place int32 // of the switch
	turn  int32 // t of the closed form, of the first one
}

// list holds the LIDs of all switches in the order in which they are dealt out.
type list struct {
	bit  []int32 // by switch: its place
	at   []int32 // by place: its switch
	runs []run
	step []int32 // by kind: candidates that it is ahead
}

// byBlock sorts the runs by LID, and cuts them where a block of the tables ends: block
// b has those from start[b] to start[b+1].
func (l *list) byBlock(top fabric.LID) (runs []run, start []int32) {
	for _, r := range l.runs {
		for r.n > 0 {
			part := r
			part.n = min(r.n, uint16(route.BlockSize-r.lid%route.BlockSize))
			runs = append(runs, part)
			r.lid, r.turn, r.n = r.lid+fabric.LID(part.n), r.turn+int32(part.n), r.n-part.n
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.lid, b.lid) })
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

// maxKinds bounds the kinds of hosts, so that there are fewer types than that.
const maxKinds = 200

// kinds classes end ports. Those of a kind are balanced by themselves.
type kinds struct {
	g        *fabric.Graph
	types    []string // patterns of node descriptions; what fits none is one more
	homes    string   // of multi-homed hosts the ports are alike, apart, or each of a kind of its own
	perType  int      // kinds of one type
	portRank []uint8  // by host: ports of its node before it
}

func newKinds(g *fabric.Graph, types []string, homes string) *kinds {
	k := &kinds{g: g, types: types, homes: homes, perType: 1, portRank: make([]uint8, g.NumHosts)}
	if homes != standby {
		return k
	}
	most := maxKinds / (len(types) + 1)
	for n := range g.NumNodes {
		rank := 0
		for _, end := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
			if !g.IsPortZero(end) {
				k.portRank[end] = uint8(rank)
				k.perType = max(k.perType, rank+1)
				rank = min(rank+1, most-1)
			}
		}
	}
	return k
}

// of is the kind of a host.
func (k *kinds) of(host int32) uint8 {
	for i, pattern := range k.types {
		if matches(pattern, k.g.EndDesc[host]) {
			return uint8(i*k.perType) + k.portRank[host]
		}
	}
	return uint8(len(k.types)*k.perType) + k.portRank[host]
}

// switches is the kind of port 0 of all switches, the last one.
func (k *kinds) switches() uint8 { return uint8((len(k.types) + 1) * k.perType) }

// enlist numbers the LIDs: leaves in their order, then the other switches, and the
// ports of each in order. A further port of a multi-homed host has the turn of the
// first and is a step ahead of it, so that they part at every switch. With dummies
// ports that are not there count too.
func enlist(t *tree, ends *route.Ends, k *kinds, dummies bool) *list {
	l := &list{bit: make([]int32, t.g.NumSwitches), step: make([]int32, k.switches()+1)}
	for kind := range k.switches() {
		l.step[kind] = int32(kind) % int32(k.perType)
	}
	l.place(t)
	turns := hostTurns(t, l, k, dummies)
	if k.homes == mftree {
		partHomes(t, ends, k, turns)
	}
	for place, s := range l.at {
		for _, h := range t.g.HostsOf(s) {
			l.enter(ends, h, run{kind: k.of(h), place: int32(place), turn: turns[h] << ends.LMC[h]})
		}
		zero := t.g.PortZero(s)
		l.enter(ends, zero, run{kind: k.switches(), place: int32(place), turn: int32(place) << ends.LMC[zero]})
	}
	return l
}

// place puts the leaves first, then the other switches, the lowest first.
func (l *list) place(t *tree) {
	for s := range l.bit {
		l.bit[s] = -1
	}
	for _, s := range append(append([]int32(nil), t.leaves...), t.byHeight(false)...) {
		if l.bit[s] < 0 {
			l.bit[s] = int32(len(l.at))
			l.at = append(l.at, s)
		}
	}
}

// enter adds the LIDs of an end port, to the last run if they go on from there.
func (l *list) enter(ends *route.Ends, end int32, r run) {
	r.lid, r.n = ends.Base[end], uint16(ends.Count(end))
	if r.n == 0 {
		return
	}
	if len(l.runs) > 0 {
		last := &l.runs[len(l.runs)-1]
		next := run{last.lid + fabric.LID(last.n), r.n, last.kind, last.place, last.turn + int32(last.n)}
		if r == next {
			last.n += r.n
			return
		}
	}
	l.runs = append(l.runs, r)
}

// hostTurns counts the hosts of each kind, leaf by leaf.
func hostTurns(t *tree, l *list, k *kinds, dummies bool) []int32 {
	g := t.g
	turns := make([]int32, g.NumHosts)
	next := make([]int32, k.switches())
	width := mostHosts(t)
	for place, s := range l.at {
		if dummies {
			for kind := range next {
				next[kind] = int32(place) * width
			}
		}
		for _, h := range g.HostsOf(s) {
			if k.portRank[h] == 0 {
				turns[h] = next[k.of(h)]
				next[k.of(h)]++
			}
		}
	}
	for h := range turns {
		if k.portRank[h] > 0 {
			turns[h] = turns[firstPort(g, int32(h))]
		}
	}
	return turns
}

func firstPort(g *fabric.Graph, host int32) int32 { return g.NodeEnds[g.NodeStart[g.EndNode[host]]] }

// mostHosts is the largest number of hosts on a switch.
func mostHosts(t *tree) int32 {
	most := int32(0)
	for s := range t.g.NumSwitches {
		most = max(most, t.g.HostStart[s+1]-t.g.HostStart[s])
	}
	return most
}
