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
	next     []int32 // by switch: the next switch, or how the way ends
	out      []int32 // by switch: channel it leaves by, -1 when none
	rank     []int32 // of that channel
	depth    []int32 // by switch: 1 + channels to the target, or a fault (negative)
	order    []int32 // switches outside loops, each after the one it leads to
	direct   bool    // every switch has a shortest way
	rings    []int32 // switches of loops, in the order of the way, one loop after the other
	ringAt   []int32 // where loops end in rings
	stack    []int32
	pairs    []int32  // by switch: pairs of hosts that pass or start there
	sets     *sets    // SLs by switch, with groups
	masks    *masks   // SLs by source, without
	from     []uint64 // by switch: SLs that start there, of either
	using    []bool   // masks.using
	sources  []int32  // by switch: sources that may use the LID
	hosts    []int32  // the hosts among them
	acc      []uint64 // by switch: SLs that pass or start there
	lane     []uint64 // by switch and VL: likewise once on the channel; only if lanes.inOut
	laneVL   []uint16 // by switch: VLs of that channel, 15 when discarded; likewise
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
	row   int32  // where its dependencies start: deps.row, kept where it is at hand
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
		next: make([]int32, n), out: make([]int32, n), rank: make([]int32, n), depth: make([]int32, n),
		order: make([]int32, 0, n), rings: make([]int32, 0, n), stack: make([]int32, 0, n),
		pairs: make([]int32, n), acc: make([]uint64, n), bfs: newBFS(j.g),
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
	for c := range w.use {
		w.use[c].row = j.deps.row[c]
	}
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

// targets measures the distances to the switches of the block's owners.
func (w *walker) targets(owners []int32) {
	if len(w.nears)+len(owners) > len(w.around) {
		for _, s := range w.nears {
			w.nearOf[s] = -1
		}
		w.nears = w.nears[:0]
	}
	known := len(w.nears)
	for _, o := range owners {
		if o < 0 {
			continue
		}
		if s := w.j.g.EndSwitch[o]; w.nearOf[s] < 0 {
			w.nearOf[s] = int32(len(w.nears))
			w.nears = append(w.nears, s)
		}
	}
	if known == len(w.nears) {
		return
	}
	w.bfs.run(w.nears[known:], known)
	for i := known; i < len(w.nears); i++ {
		w.around[i].count(w.bfs.order[i], w.bfs.dist[i], w.j)
	}
}

// stale counts the entries of a LID that nobody has.
func (w *walker) stale(lid fabric.LID) {
	for s, p := range w.column(lid) {
		if p == route.NoPort {
			continue
		}
		w.sum.entries.Stale++
		if len(w.found.stale) < w.j.examples {
			w.found.stale = append(w.found.stale, staleText(w.j.g, int32(s), lid, p))
		}
	}
}

// follow finds out how the way to a LID goes on from every switch, and how it ends.
func (w *walker) follow(lid fabric.LID, owner int32) {
	w.lid, w.owner, w.target = lid, owner, w.j.g.EndSwitch[owner]
	w.resolve(lid)
	clear(w.depth)
	w.order, w.rings, w.ringAt = w.order[:0], w.rings[:0], w.ringAt[:0]
	if w.direct = w.ascend(); w.direct {
		return
	}
	for s := range int32(len(w.depth)) {
		if w.depth[s] == 0 {
			w.trace(s)
		}
	}
}

// ascend goes through the switches from the target on, nearest first, as long as
// each leads to one before it. It reports whether all have a shortest way, which
// is then known without following it.
func (w *walker) ascend() bool {
	near := w.nearOf[w.target]
	if near < 0 || w.next[w.target] != delivered {
		return false
	}
	order, dist := w.bfs.order[near], w.bfs.dist[near]
	direct := len(order) == len(w.next)
	w.depth[w.target] = 1
	w.order = append(w.order, w.target)
	for _, s := range order[1:] {
		next := w.next[s]
		if next < 0 || w.depth[next] <= 0 {
			direct = false
			continue
		}
		d := w.depth[next] + 1
		direct = direct && d == int32(dist[s])+1
		w.depth[s] = d
		w.order = append(w.order, s)
	}
	return direct
}

// resolve looks up what is behind the port of every switch's entry.
func (w *walker) resolve(lid fabric.LID) {
	ports, slots := w.j.ports, w.j.slots
	for s, p := range w.column(lid) {
		if i := slots[s].first + int32(p); p != route.NoPort && i < slots[s].end && int32(lid) < slots[s].lids {
			if to := &ports[i]; to.next >= 0 {
				w.next[s], w.out[s], w.rank[s] = to.next, to.channel, to.rank
				continue
			}
		}
		w.next[s], w.out[s] = w.ending(int32(s), lid, p), -1
	}
}

// ending tells how the way ends at a port that leads to no other switch.
func (w *walker) ending(s int32, lid fabric.LID, p uint8) int32 {
	slots := &w.j.slots[s]
	switch i := slots.first + int32(p); {
	case p == route.NoPort:
		return noEntry
	case int32(lid) >= slots.lids:
		return beyondTable
	case i >= slots.end:
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
		if w.next[x] < 0 {
			break
		}
		x = w.next[x]
	}
	d := w.depth[x]
	if d == onPath {
		if w.next[x] < 0 {
			d = w.next[x]
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
	for _, s := range stack[from:] {
		w.depth[s] = inLoop
		w.rings = append(w.rings, s)
	}
	w.ringAt = append(w.ringAt, int32(len(w.rings)))
	return stack[:from]
}
