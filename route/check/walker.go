package check

import (
	"weft/fabric"
	"weft/route"
)

// How the way from a switch goes on, where it does not go to another switch. The
// last ones are kinds of faults.
const (
	delivered = -1 - iota
	noEntry
	deadPort
	wrongEnd
	beyondTable
	inLoop
	onPath // while a path is being followed
)

// walker follows the entries of one LID after the other. All of it is scratch
// memory and sums of one worker.
type walker struct {
	j       *judge
	stride  int     // of a column
	columns []uint8 // 64 LIDs of one block, by LID then switch
	loaded  int     // the block in columns, -1 at first

	lid      fabric.LID
	owner    int32
	target   int32   // switch of the owner
	at       []hop   // by switch
	depth    []int32 // by switch: 1 + channels to the target, or a fault (negative)
	order    []int32 // switches outside loops, each after the one it leads to
	longer   []int32 // memory of order where some switch has no shortest way
	direct   bool    // every switch has a shortest way
	rings    []int32 // switches of loops, likewise, one loop after the other
	ringAt   []int32 // where loops end in rings
	stack    []int32
	sets     *sets    // SLs by switch, with groups
	masks    *masks   // SLs by source, without
	from     []uint64 // by switch: SLs that start there, of either
	using    []bool   // masks.using
	sources  []int32  // by switch: sources that may use the LID
	hosts    []int32  // the hosts among them
	lane     []uint64 // by switch and VL: SLs that pass or start there, on the channel it leaves by; only if lanes.inOut
	laneVL   []uint16 // by switch: VLs on that channel, 15 when discarded; only then
	deps     *deps
	assigned uint64   // lanes.fieldMask(assigned)
	drop     []uint64 // lanes.drop
	passes   bool     // some switch is drained
	transit  []bool   // by switch: drained, and lets the LID's packets through
	bfs      *bfs
	nears    []int32  // target switches of the block, and of earlier ones as long as there is room
	nearOf   []int32  // by switch: place in nears, -1 when it is not there
	around   []around // by place in nears

	path  []int32 // an intended path
	use   []channelUse
	sum   sums
	found *blockResult
}

// channelUse is what passes over a channel.
type channelUse struct {
	paths int64  // pairs of hosts
	lanes uint16 // SLs of assigned traffic before discarding; VLs if lanes.inOut
}

// sums are counts over all LIDs of a worker.
type sums struct {
	pairs, unreachable, disconnected, nonMinimal, loops int64
	host                                                HostPairs
	entries                                             Entries
	hostHops, entryHops                                 []int64
	transit                                             int64
	faultEntries, faultPairs                            [-onPath]int64
}

// blockResult holds the examples of one block of LIDs.
type blockResult struct {
	faults  [-onPath][]string
	stale   []string
	transit []string
}

func newWalker(j *judge) *walker {
	n := j.g.NumSwitches
	w := &walker{
		// An odd number of cache lines keeps the columns out of each other's way.
		j: j, stride: ((n+63)/64 | 1) * 64, loaded: -1,
		at: make([]hop, n), depth: make([]int32, n),
		longer: make([]int32, 0, n), rings: make([]int32, 0, n), stack: make([]int32, 0, n),
		bfs:     newBFS(j.g),
		transit: make([]bool, n), nearOf: make([]int32, n), use: make([]channelUse, j.g.NumChannels),
	}
	w.deps, w.assigned, w.drop, w.passes = j.deps.own(), j.lanes.fieldMask(assigned), j.lanes.drop, len(j.drained) > 0
	if j.groups != nil {
		w.sets = newSets(j)
		w.from, w.sources, w.hosts = w.sets.bySwitch, j.sources, j.hosts
	} else {
		w.masks = newMasks(j)
		w.from, w.sources, w.hosts, w.using = w.masks.bySwitch, w.masks.sources, w.masks.hosts, w.masks.using
	}
	w.around = make([]around, len(w.bfs.dist))
	w.columns = make([]uint8, route.BlockSize*w.stride)
	w.sum.hostHops = make([]int64, n+2)
	w.sum.entryHops = make([]int64, n+2)
	for s := range w.nearOf {
		w.nearOf[s] = -1
	}
	if j.lanes.inOut {
		w.lane = make([]uint64, n*len(j.lanes.vls))
		w.laneVL = make([]uint16, n)
	}
	return w
}

// load turns a block of all tables into columns.
func (w *walker) load(block int) {
	if w.loaded == block {
		return
	}
	w.loaded = block
	t := w.j.p.Tables
	if block >= t.NumBlocks() {
		for i := range w.columns {
			w.columns[i] = route.NoPort
		}
		return
	}
	for s := range w.j.g.NumSwitches {
		at := s
		for _, port := range t.Block(int32(s), block) {
			w.columns[at] = port
			at += w.stride
		}
	}
}

func (w *walker) column(lid fabric.LID) []uint8 {
	at := int(lid) % route.BlockSize * w.stride
	return w.columns[at : at+w.j.g.NumSwitches]
}

// block judges the entries of 64 LIDs.
func (w *walker) block(i int) {
	j := w.j
	w.found = &j.blocks[i]
	w.load(i)
	first := i * route.BlockSize
	if first >= len(j.owner) {
		for k := range route.BlockSize {
			w.stale(fabric.LID(first + k))
		}
		return
	}
	owners := j.owner[first : first+route.BlockSize]
	w.targets(owners)
	for k, owner := range owners {
		lid := fabric.LID(first + k)
		if owner < 0 {
			w.stale(lid)
			continue
		}
		w.follow(lid, owner)
		w.starts()
		w.count(lid)
		if j.lanes.inOut {
			w.carryByPort(lid)
		} else {
			w.carry(lid)
		}
		w.drained(lid)
	}
}

// targets measures the distances to the switches of the block's owners, and to others
// in the same search where there is room for all.
func (w *walker) targets(owners []int32) {
	if len(w.nears)+len(owners) > len(w.around) {
		for _, s := range w.nears {
			w.nearOf[s] = -1
		}
		w.nears = w.nears[:0]
	}
	known := len(w.nears)
	for _, o := range owners {
		if o >= 0 {
			w.addTarget(w.j.g.EndSwitch[o])
		}
	}
	if known == len(w.nears) {
		return
	}
	if len(w.around) > route.BlockSize {
		for s := int32(0); int(s) < len(w.nearOf) && len(w.nears)-known < route.BlockSize; s++ {
			w.addTarget(s)
		}
	}
	w.bfs.run(w.nears[known:], known)
	for i := known; i < len(w.nears); i++ {
		w.around[i].count(w.bfs.order[i], w.bfs.dist[i], w.j)
	}
}

func (w *walker) addTarget(s int32) {
	if w.nearOf[s] < 0 {
		w.nearOf[s] = int32(len(w.nears))
		w.nears = append(w.nears, s)
	}
}

// stale counts the entries of a LID that nobody has.
func (w *walker) stale(lid fabric.LID) {
	for s, p := range w.column(lid) {
		if p == route.NoPort {
			continue
		}
		w.sum.entries.Stale++
		if len(w.found.stale) < examplesShown {
			w.found.stale = append(w.found.stale, staleText(w.j.g, int32(s), lid, p))
		}
	}
}

// follow finds out how the way to a LID goes on from every switch, and how it ends.
func (w *walker) follow(lid fabric.LID, owner int32) {
	w.lid, w.owner, w.target = lid, owner, w.j.g.EndSwitch[owner]
	w.rings, w.ringAt = w.rings[:0], w.ringAt[:0]
	nearest := w.bfs.order[w.nearOf[w.target]]
	if w.direct = w.resolve(lid); w.direct {
		w.order = nearest
		return
	}
	clear(w.depth)
	w.order = w.longer[:0]
	w.ascend(nearest)
	for s := range int32(len(w.depth)) {
		if w.depth[s] == 0 {
			w.trace(s)
		}
	}
}

// resolve looks up what is behind the port of every switch's entry. It reports whether
// the target delivers and every other switch leads to one that is nearer by one: then
// all have a shortest way, of the depth set here.
func (w *walker) resolve(lid fabric.LID) bool {
	at, depth, slots, ports := w.at, w.depth, w.j.slots, w.j.ports
	dist, other := w.bfs.dist[w.nearOf[w.target]], int32(0)
	for s, p := range w.column(lid) {
		if i, ok := slots[s].of(p, lid); ok && ports[i].out >= 0 {
			at[s] = ports[i]
			other |= int32(dist[ports[i].next]) + 1 - int32(dist[s])
		} else {
			at[s] = hop{next: w.ending(int32(s), lid, p), out: -1}
			other |= at[s].next - delivered
		}
		depth[s] = int32(dist[s]) + 1
	}
	return other == 0
}

// ascend goes through switches, those nearest to the target first, and finds out how far
// the way is from those that lead to one before them.
func (w *walker) ascend(nearest []int32) {
	for _, s := range nearest {
		h, d := &w.at[s], int32(0)
		if h.next >= 0 {
			d = w.depth[h.next]
		}
		if d > 0 || h.next == delivered {
			w.depth[s] = d + 1
			w.order = append(w.order, s)
		}
	}
}

// ending tells how the way ends at a port that leads to no other switch.
func (w *walker) ending(s int32, lid fabric.LID, p uint8) int32 {
	slots := &w.j.slots[s]
	switch i, ok := slots.of(p, lid); {
	case p == route.NoPort:
		return noEntry
	case int32(lid) >= slots.lids:
		return beyondTable
	case !ok:
		return deadPort
	case p == 0 && w.j.g.PortZero(s) == w.owner, -2-w.j.ports[i].next == w.owner:
		return delivered
	case p == 0 || w.j.ports[i].next < fabric.Nothing:
		return wrongEnd
	}
	return deadPort
}

// trace follows the way from a switch to its end or to where it has been.
func (w *walker) trace(s int32) {
	stack := w.stack[:0]
	x := s
	for w.depth[x] == 0 {
		w.depth[x] = onPath
		stack = append(stack, x)
		if w.at[x].next < 0 {
			break
		}
		x = w.at[x].next
	}
	d := w.depth[x]
	if d == onPath {
		if w.at[x].next < 0 {
			d = w.at[x].next
			if d == delivered {
				d = 0
			}
		} else {
			stack = w.closeRing(stack, x)
			d = inLoop
		}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if d >= 0 {
			d++
		}
		w.depth[stack[i]] = d
		w.order = append(w.order, stack[i])
	}
	w.stack = stack
}

// closeRing moves the switches from x on, which lead back to x, from the stack to
// the rings.
func (w *walker) closeRing(stack []int32, x int32) []int32 {
	from := len(stack) - 1
	for stack[from] != x {
		from--
	}
	for i := len(stack) - 1; i >= from; i-- {
		w.depth[stack[i]] = inLoop
		w.rings = append(w.rings, stack[i])
	}
	w.ringAt = append(w.ringAt, int32(len(w.rings)))
	return stack[:from]
}
