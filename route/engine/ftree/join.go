package ftree

import (
	"context"
	"math"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/internal/cdg"
	"weft/route/internal/updown"
)

// joinSwitches gives every switch a path to every LID (switches=all). It returns the pairs of
// switches whose packets need a second lane, nil if all paths together are free of deadlock on one.
//
// Paths that are legal by level stay unchanged. A switch without one follows a joining order, in
// which every two switches of a part have a path, until it meets a path by level that is legal in
// that order as well. Paths by level are free of deadlock among each other, and so are paths legal
// in the joining order. So two lanes are enough, and one if all paths by level are also legal in
// the joining order.
func joinSwitches(ctx context.Context, in *route.Input, byLevel *reachability, order updown.Order, tables *route.Tables) (*secondLane, error) {
	t := byLevel.t
	joining, err := newReachability(ctx, t, order, byLevel.place, t.bypassedLinks(order), in.Workers)
	if err != nil {
		return nil, err
	}
	second, err := newJoiner(in, byLevel, joining, tables).run(ctx, in.Workers)
	if err != nil || second == nil {
		return nil, err
	}
	cycle, err := cdg.HaveCycle(ctx, in.Workers, in.Graph, tables)
	if err != nil || !cycle {
		return nil, err
	}
	return second, nil
}

// joiner holds the shared input of joinSwitches' workers.
type joiner struct {
	t       *tree
	ends    *route.Ends
	tables  *route.Tables
	byLevel *reachability // legal paths by level
	joining *reachability // legal paths in the joining order
	bundle  []int32       // by port, as in Graph.PortStart: its bundle
	several bool          // some host has several LIDs
}

// change is a table entry written by joinSwitches.
type change struct {
	s    int32
	lid  fabric.LID
	port uint8
}

func newJoiner(in *route.Input, byLevel, joining *reachability, tables *route.Tables) *joiner {
	t := byLevel.t
	j := &joiner{t: t, ends: &in.Ends, tables: tables, byLevel: byLevel, joining: joining, bundle: make([]int32, len(t.G.PortVLs))}
	j.several = j.ends.MaxLMC() > 0
	for s := range int32(t.G.NumSwitches) {
		for i := range t.Bundles(s) {
			for _, port := range t.PortsOf(i) {
				j.bundle[t.G.PortStart[s]+int32(port)] = i
			}
		}
	}
	return j
}

// run joins all switches to the LIDs of one target switch after another. It returns the pairs whose
// paths are not by level, nil if there are none or all paths are legal in the joining order.
func (j *joiner) run(ctx context.Context, numWorkers int) (*secondLane, error) {
	g := j.t.G
	n := g.NumSwitches
	workers := make([]*targetJoiner, max(1, numWorkers))
	for i := range workers {
		workers[i] = j.newTargetJoiner()
	}
	changes := make([][]change, n)
	second := &secondLane{hosts: make([][]bool, n), zeros: make([][]bool, n)}
	err := par.For(ctx, numWorkers, n, func(worker, i int) error {
		w, target := workers[worker], int32(i)
		w.changes = nil
		w.levelHops.setTarget(target)
		w.joinHops.setTarget(target)
		second.hosts[i] = w.join(g.HostsOf(target))
		second.zeros[i] = w.join(g.OthersOf(target))
		changes[i] = w.changes
		return nil
	})
	if err != nil {
		return nil, err
	}
	some, conflict := false, false
	for target, list := range changes {
		for _, c := range list {
			j.tables.Set(c.s, c.lid, c.port)
		}
		some = some || second.hosts[target] != nil || second.zeros[target] != nil
	}
	for _, w := range workers {
		conflict = conflict || w.conflict
	}
	if !some || !conflict {
		return nil, nil
	}
	second.oneWay = !second.isSymmetric(g)
	return second, nil
}

// targetJoiner joins all switches to the LIDs of one target switch.
type targetJoiner struct {
	*joiner
	levelHops nextHops // to the target, by level
	joinHops  nextHops // to the target, in the joining order
	missing   missing
	batch     lidBatch
	paths     joinedPaths
	nearest   nearestScan
	mended    []bool // by switch: mend has visited it

	changes  []change
	conflict bool // some path by level is not legal in the joining order
}

func (j *joiner) newTargetJoiner() *targetJoiner {
	n := j.t.G.NumSwitches
	return &targetJoiner{
		joiner: j, levelHops: newNextHops(j.byLevel), joinHops: newNextHops(j.joining),
		missing: missing{has: make([]bool, n)},
		paths:   joinedPaths{r: j.joining, hops: make([]int32, 2*n)},
		nearest: nearestScan{best: make([]firstHop, n), stale: make([]bool, n)},
		mended:  make([]bool, n),
	}
}

// missing is the set of switches that have no path by level to the target, or have given it up.
type missing struct {
	list []int32
	has  []bool // by switch
}

func (m *missing) add(s int32) {
	if !m.has[s] {
		m.has[s] = true
		m.list = append(m.list, s)
	}
}

// lidBatch holds the LIDs of some end ports of the target, and their entries on all switches.
type lidBatch struct {
	lids  []fabric.LID
	first []int32 // by LID of the batch: its pick among equal choices
	ports []uint8 // by LID of the batch, switch
}

// read reads the entries of some end ports' LIDs, limited to a range of numbers, switch by switch.
// several says that some host has several LIDs.
func (b *lidBatch) read(ends []int32, numbers lidNumbers, of *route.Ends, several bool, tables *route.Tables, switches int) {
	b.lids, b.first = b.lids[:0], b.first[:0]
	for _, end := range ends {
		for k := numbers.first; k < min(numbers.end, of.Count(end)); k++ {
			b.lids = append(b.lids, of.Base[end]+fabric.LID(k))
			first := int32(of.Base[end])
			if several {
				first = end + 1 + int32(k) // as new LIDs with one a port
			}
			b.first = append(b.first, first)
		}
	}
	size := switches * len(b.lids)
	b.ports = slices.Grow(b.ports[:0], size)[:size]
	for s := range switches {
		for i, lid := range b.lids {
			b.ports[i*switches+s] = tables.Port(int32(s), lid)
		}
	}
}

// join joins all switches to the LIDs of some end ports of the target. It reports the switches
// whose paths are not by level, nil for none. If a switch without a path finds none to continue on,
// switches above it give up theirs; in the end all do.
func (j *targetJoiner) join(ends []int32) []bool {
	j.missing.list = j.missing.list[:0]
	clear(j.missing.has)
	for _, s := range j.joinHops.order {
		if j.levelHops.place[s] < 0 {
			j.missing.add(s)
		}
	}
	if len(j.missing.list) == 0 && j.conflict {
		return nil
	}
	j.joinBaseLIDs(ends)
	j.joinOtherLIDs(ends)
	if len(j.missing.list) == 0 || len(ends) == 0 {
		return nil
	}
	return slices.Clone(j.missing.has)
}

// joinBaseLIDs joins all switches to the base LIDs of some end ports of the target.
func (j *targetJoiner) joinBaseLIDs(ends []int32) {
	j.batch.read(ends, baseLIDs, j.ends, j.several, j.tables, len(j.missing.has))
	before := len(j.changes)
	for !j.extendAll() {
		if len(j.missing.list) == len(j.joinHops.order) {
			for i := range j.batch.lids {
				j.selectLID(i)
				j.routeByJoiningOrder()
			}
			break
		}
	}
	j.finishChanges(before)
}

// joinOtherLIDs joins all switches to the other LIDs of some end ports of the target: the same
// switches lack a path by level. A LID for which that fails takes the paths of the base LID.
func (j *targetJoiner) joinOtherLIDs(ends []int32) {
	if !slices.ContainsFunc(ends, func(end int32) bool { return j.ends.Count(end) > 1 }) {
		return
	}
	n := len(j.missing.has)
	base := slices.Clone(j.batch.ports)
	for _, end := range ends {
		count := j.ends.Count(end)
		if count == 0 {
			continue
		}
		j.batch.read([]int32{end}, lidNumbers{1, count}, j.ends, j.several, j.tables, n)
		before := len(j.changes)
		for i := range j.batch.lids {
			j.selectLID(i)
			if !j.extendWith(len(j.missing.list)) {
				copy(j.paths.ports, base[:n])
				for _, s := range j.joinHops.order {
					j.changes = append(j.changes, change{s: s, lid: j.paths.lid})
				}
			}
		}
		j.finishChanges(before)
		base = base[n:]
	}
}

// extendWith extends the paths to the selected LID if so many switches lack a path by level. It
// reports whether then all switches have a path, and no more of them lack one by level.
func (j *targetJoiner) extendWith(missing int) bool {
	if missing == len(j.joinHops.order) {
		j.routeByJoiningOrder()
		return true
	}
	j.checkLevelPaths()
	ok := len(j.missing.list) == missing && j.extend()
	for _, s := range j.missing.list[missing:] {
		j.missing.has[s] = false
	}
	j.missing.list = j.missing.list[:missing]
	return ok
}

// finishChanges fills in the final ports of the changes from a place on: some entries changed
// several times.
func (j *targetJoiner) finishChanges(from int) {
	n := len(j.missing.has)
	for i := from; i < len(j.changes); i++ {
		c := &j.changes[i]
		c.port = j.batch.ports[slices.Index(j.batch.lids, c.lid)*n+int(c.s)]
	}
}

// selectLID loads the column of the i-th LID of the batch.
func (j *targetJoiner) selectLID(i int) {
	n := len(j.missing.has)
	j.paths.lid, j.paths.first, j.paths.ports = j.batch.lids[i], j.batch.first[i], j.batch.ports[i*n:(i+1)*n]
}

// extendAll extends the paths to all LIDs of the batch. If it returns false, more switches lack a
// path by level than before.
func (j *targetJoiner) extendAll() bool {
	for i := range j.batch.lids {
		before := len(j.missing.list)
		j.selectLID(i)
		if j.checkLevelPaths(); len(j.missing.list) > before {
			return false
		}
		if !j.extend() {
			j.giveUpPaths()
			return false
		}
	}
	return true
}

// giveUpPaths makes switches give up their paths if they are above a switch without one. It spares
// switches beyond a drained one, which the joining order does not reach. If there are none, all
// switches give up.
func (j *targetJoiner) giveUpPaths() {
	before := len(j.missing.list)
	for _, s := range j.missing.list[:before] {
		if j.paths.isLegal(s) {
			continue
		}
		for _, i := range j.joining.upBundles[s] {
			if v := j.t.Neighbour[i]; !j.paths.isLegal(v) && j.joinHops.place[v] >= 0 {
				j.missing.add(v)
			}
		}
	}
	if len(j.missing.list) == before {
		for _, s := range j.joinHops.order {
			j.missing.add(s)
		}
	}
}

// checkLevelPaths finds which paths by level to the selected LID are legal in the joining order. A
// switch lacks its path if the path passes a switch that lacks its own.
func (j *targetJoiner) checkLevelPaths() {
	j.paths.clear(j.levelHops.target)
	for _, s := range j.levelHops.order {
		if j.missing.has[s] {
			continue
		}
		i := j.bundle[j.t.G.PortStart[s]+int32(j.paths.ports[s])]
		j.paths.setFirst(s, i)
		if j.missing.has[j.t.Neighbour[i]] {
			j.missing.add(s)
		}
		j.conflict = j.conflict || !j.paths.isLegal(s)
	}
}

// extend gives the switches without a path to the selected LID one that is legal in the joining
// order, the nearest switches first. If it finds none, it mends a path by level. It reports whether
// then all switches have a path. Each turn makes at least one more path legal, and a legal path
// stays legal, so extend ends.
func (j *targetJoiner) extend() bool {
	for _, s := range j.missing.list {
		j.nearest.stale[s] = true
	}
	for left := len(j.missing.list); left > 0; {
		found := j.findNearest()
		if len(found) == 0 && !j.mendOne() {
			return false
		}
		for _, s := range found {
			j.setPath(s, j.nearest.best[s].bundle)
			left--
		}
	}
	return true
}

// setPath lets the path of a switch to the selected LID begin with a bundle. From now on its
// neighbours may continue on it; if it leads up, only those below and its partner.
func (j *targetJoiner) setPath(s, bundle int32) {
	j.paths.setFirst(s, bundle)
	for i, v := range j.t.Bundles(s) {
		if j.paths.hops[2*s+1] != illegal || !j.joining.leadsUp[i] || i == j.joining.across[s] {
			j.nearest.stale[v] = true
		}
	}
	j.writeEntry(s, bundle)
}

// routeByJoiningOrder routes the selected LID by the joining order alone.
func (j *targetJoiner) routeByJoiningOrder() {
	for k, s := range j.joinHops.order {
		bundles := j.joinHops.fromPlace(k)
		j.writeEntry(s, bundles[int(j.paths.first)%len(bundles)])
	}
}

// writeEntry writes a switch's entry of the selected LID: a port of the bundle.
func (j *targetJoiner) writeEntry(s, bundle int32) {
	ports := j.t.PortsOf(bundle)
	j.paths.ports[s] = ports[int(j.paths.first)%len(ports)]
	j.changes = append(j.changes, change{s: s, lid: j.paths.lid})
}

// joinedPaths holds the paths of all switches to the selected LID, with their lengths as far as
// they are legal in the joining order.
type joinedPaths struct {
	r      *reachability // in the joining order
	target int32
	lid    fabric.LID
	first  int32   // the LID's pick among equal choices
	ports  []uint8 // by switch: its entry
	// By 2*switch the hops of its path, or illegal; by 2*switch+1 the same for paths that only go
	// down. reachability.continuation indexes them.
	hops []int32
}

// illegal is the length of a missing path, and of a path that is not up and then down in the
// joining order.
const illegal = math.MaxInt32

// clear forgets all paths but the target's.
func (p *joinedPaths) clear(target int32) {
	for i := range p.hops {
		p.hops[i] = illegal
	}
	p.target, p.hops[2*target], p.hops[2*target+1] = target, 0, 0
}

// isLegal reports whether the path of s goes up, then down, in the joining order.
func (p *joinedPaths) isLegal(s int32) bool { return p.hops[2*s] != illegal }

// hopsBy returns the hops of a path that begins with a bundle and continues on the neighbour's
// path, or illegal.
func (p *joinedPaths) hopsBy(bundle int32) int32 {
	h := p.hops[p.r.continuation[bundle]]
	if h == illegal || p.r.endsPath[bundle] && p.r.t.Neighbour[bundle] != p.target {
		return illegal
	}
	return h + 1
}

// setFirst makes the path of a switch begin with a bundle.
func (p *joinedPaths) setFirst(s, bundle int32) {
	h := p.hopsBy(bundle)
	p.hops[2*s], p.hops[2*s+1] = h, h
	if p.r.leadsUp[bundle] {
		p.hops[2*s+1] = illegal
	}
}
