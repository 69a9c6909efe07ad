package ftree

// ways are the next hops on all shortest legal paths to a switch.
type ways struct {
	target int32
	used   int     // when they were last wanted
	order  []int32 // switches, the nearest first, without the target
	start  []int32 // of the groups of order[k] in groups
	groups []int32
	place  []int32 // by switch: its place in order, -1 for none
}

// waysKept is how many targets have their ways remembered, for the nodes with
// ports on several switches.
const waysKept = 8

// of lists the groups of a switch that are on a shortest way.
func (y *ways) of(s int32) []int32 {
	k := y.place[s]
	if k < 0 {
		return nil
	}
	return y.groups[y.start[k]:y.start[k+1]]
}

// find looks up or finds the ways to a switch.
func (w *greedy) find(target int32) *ways {
	w.clock++
	oldest := 0
	for i := range w.ways {
		if w.ways[i].target == target {
			w.ways[i].used = w.clock
			return &w.ways[i]
		}
		if w.ways[i].used < w.ways[oldest].used {
			oldest = i
		}
	}
	if len(w.ways) < waysKept {
		oldest = len(w.ways)
		w.ways = append(w.ways, ways{place: make([]int32, w.t.g.NumSwitches)})
	}
	w.ways[oldest].search(w.r, target)
	w.ways[oldest].used = w.clock
	return &w.ways[oldest]
}

// search reads the ways to a switch from the sets.
func (y *ways) search(r *reach, target int32) {
	y.target = target
	y.order, y.groups, y.start = y.order[:0], y.groups[:0], append(y.start[:0], 0)
	for s := range y.place {
		y.place[s] = -1
	}
	block, b := &r.blocks[r.bit[target]/setSize], r.bit[target]%setSize
	for k := 1; k < len(block.hops); k++ {
		for s := range int32(len(y.place)) {
			if !block.hops[k][s].has(b) {
				continue
			}
			y.place[s] = int32(len(y.order))
			y.order = append(y.order, s)
			first, last := r.t.groupsOf(s)
			for i := first; i < last; i++ {
				if block.way(r, s, i, b, k) {
					y.groups = append(y.groups, i)
				}
			}
			y.start = append(y.start, int32(len(y.groups)))
		}
	}
}
