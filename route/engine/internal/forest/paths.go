package forest

import (
	"math/bits"

	"weft/fabric"
)

// bundle is scratch memory for the paths of one port's LIDs from one switch.
type bundle struct {
	mark  []int32 // by position in Out: number of the bundle that last used it
	stamp int32
	own   int64   // load of one more path
	used  []int64 // loads including this bundle
	base  []int32 // the path to the base LID, as positions in Out
	pick  []int32 // by LID: index in allowed of its hop
	best  []int32 // as pick, of the best bundle so far
}

// retries limits how often the paths of one port are chosen again.
const retries = 64

// pathSet holds the paths to the other LIDs of a destination than base LIDs.
type pathSet struct {
	next         []int32  // position in Out of the chosen hop: next[column*NumSwitches+s]
	lastChannels []uint64 // by switch: the possible last channels of its paths, see lastChannelsBy
	position     []int32  // by channel: its position in Out
}

// startPaths makes room for the paths and ends them at the destination.
func (b *builder) startPaths() {
	S := b.n.G.NumSwitches
	if need := S * b.N; cap(b.next) < need {
		b.next = make([]int32, need)
	}
	b.next = b.next[:S*b.N]
	for col := range b.N {
		b.next[col*S+int(b.To)] = -1
	}
	b.lastChannels = append(b.lastChannels[:0], make([]uint64, S)...)
}

// choosePaths takes a hop at switch s for every LID of the destination but the base LIDs. Within
// one port it prefers hops whose paths share the fewest channels with each other and with the path
// to the base LID, then the least loaded. All nearer switches have chosen.
func (b *builder) choosePaths(w *worker, s int32) {
	g, S := b.n.G, b.n.G.NumSwitches
	b.listAllowed(w, s)
	b.loads(w, 0)
	for _, i := range w.allowed {
		b.lastChannels[s] |= b.lastChannelsBy(i)
	}
	most := min(len(w.allowed), bits.OnesCount64(b.lastChannels[s]))
	w.own = (int64(g.HostCount(s)) + 1) * b.cost(0)
	row := b.Row(s)
	for _, p := range b.Ports {
		b.basePath(w, s, p.Base)
		b.bundlePaths(w, p.Column, p.Count, most)
		for k, hop := range w.best {
			w.load[hop] += w.own
			b.next[(p.Column+k)*S+int(s)] = w.allowed[hop]
			row[p.Column+k] = b.port[w.allowed[hop]]
		}
	}
}

// lastChannelsBy returns the possible last channels, into the destination, of paths over a channel:
// a set of their numbers modulo 64.
func (b *builder) lastChannelsBy(i int32) uint64 {
	if v := b.n.Head[i]; v != b.To {
		return b.lastChannels[v]
	}
	return 1 << (b.n.G.ToPort[b.n.G.Out[i]] % 64)
}

// basePath lists in w.base the channels of the path from switch s to a base LID.
func (b *builder) basePath(w *worker, s int32, lid fabric.LID) {
	w.base = w.base[:0]
	for s != b.To {
		c, _ := b.n.G.At(s, b.tables.Port(s, lid))
		w.base = append(w.base, b.position[c])
		s = b.n.G.To[c]
	}
}

// bundlePaths fills w.best with one hop for each of the LIDs of a port in some columns. It takes
// the LIDs in turn. There can be at most most disjoint paths, including the one to the base LID. If
// it finds fewer, it tries again, beginning with another LID and another hop.
func (b *builder) bundlePaths(w *worker, column, count, most int) {
	most = min(most, count+1)
	disjoint := b.greedy(w, column, count, 0, -1, most)
	w.best = append(w.best[:0], w.pick...)
	for try := 0; try < min(retries, count*len(w.allowed)) && disjoint < most; try++ {
		if d := b.greedy(w, column, count, try/len(w.allowed), try%len(w.allowed), most); d > disjoint {
			disjoint = d
			w.best = append(w.best[:0], w.pick...)
		}
	}
}

// greedy fills w.pick and returns the number of paths, including the one to the base LID, that
// share no channel with an earlier one. It begins with one LID and a hop for it (-1: any). If no
// two paths can be disjoint (most is 1) only the loads count.
func (b *builder) greedy(w *worker, column, count, begin, hop, most int) (disjoint int) {
	w.unmark()
	for _, i := range w.base {
		w.mark[i] = w.stamp
	}
	w.pick = append(w.pick[:0], make([]int32, count)...)
	w.used = append(w.used[:0], w.load...)
	disjoint = 1
	for n := range count {
		k := (begin + n) % count
		at, overlap := hop, 0
		switch {
		case len(w.allowed) == 1:
			at = 0
		case most == 1:
			at = w.leastUsed()
		case n > 0 || hop < 0:
			at, overlap = b.leastOverlap(w, column+k)
		default:
			overlap = b.walk(w, w.allowed[at], column+k, false)
		}
		if overlap == 0 {
			disjoint++
		}
		if most > 1 {
			b.walk(w, w.allowed[at], column+k, true)
		}
		w.used[at] += w.own
		w.pick[k] = int32(at)
	}
	return disjoint
}

// unmark removes the marks of all channels.
func (w *bundle) unmark() {
	if w.stamp++; w.stamp == 0 { // the numbers have wrapped around
		clear(w.mark)
		w.stamp = 1
	}
}

func (w *worker) leastUsed() int {
	at := 0
	for p, u := range w.used {
		if u < w.used[at] {
			at = p
		}
	}
	return at
}

// leastOverlap finds the hop whose path for a column shares the fewest channels with the marked
// paths, among equals the least loaded.
func (b *builder) leastOverlap(w *worker, col int) (at, overlap int) {
	if at = w.leastUsed(); b.walk(w, w.allowed[at], col, false) == 0 {
		return at, 0
	}
	at = -1
	for p, i := range w.allowed {
		if at >= 0 && overlap == 0 && w.used[p] >= w.used[at] {
			continue
		}
		o := b.walk(w, i, col, false)
		if at < 0 || o < overlap || (o == overlap && w.used[p] < w.used[at]) {
			at, overlap = p, o
		}
	}
	return at, overlap
}

// walk follows a column's path from the channel at position i to its end, and counts the marked
// channels on it or marks them all.
func (b *builder) walk(w *worker, i int32, col int, mark bool) (marked int) {
	next := b.next[col*b.n.G.NumSwitches:]
	for i >= 0 {
		if w.mark[i] == w.stamp {
			marked++
		}
		if mark {
			w.mark[i] = w.stamp
		}
		i = next[b.n.Head[i]]
	}
	return marked
}

// countTraffic adds the traffic through switch s to the loads.
func (b *builder) countTraffic(_ *worker, s int32) {
	S := b.n.G.NumSwitches
	flow := b.flow[int(s)*b.N : (int(s)+1)*b.N]
	for col, f := range flow {
		if f > 0 {
			i := b.next[col*S+int(s)]
			b.load[i] += int64(f)
			b.pass(b.n.Head[i], col, f)
		}
	}
}
