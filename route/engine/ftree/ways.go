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

// finder finds ways, and remembers the last ones.
type finder struct {
	r     *reach
	kept  []ways
	clock int
}

// of lists the groups of a switch that are on a shortest way.
func (y *ways) of(s int32) []int32 {
	k := y.place[s]
	if k < 0 {
		return nil
	}
	return y.at(int(k))
}

// at lists the groups of order[k] that are on a shortest way.
func (y *ways) at(k int) []int32 { return y.groups[y.start[k]:y.start[k+1]] }

// to looks up or finds the ways to a switch.
func (f *finder) to(target int32) *ways {
	f.clock++
	oldest := 0
	for i := range f.kept {
		if f.kept[i].target == target {
			f.kept[i].used = f.clock
			return &f.kept[i]
		}
		if f.kept[i].used < f.kept[oldest].used {
			oldest = i
		}
	}
	if len(f.kept) < waysKept {
		oldest = len(f.kept)
		f.kept = append(f.kept, ways{place: make([]int32, f.r.t.g.NumSwitches)})
	}
	f.kept[oldest].search(f.r, target)
	f.kept[oldest].used = f.clock
	return &f.kept[oldest]
}

// search reads the ways to a switch from the sets (block.way).
func (y *ways) search(r *reach, target int32) {
	y.target = target
	y.order, y.groups, y.start = y.order[:0], y.groups[:0], append(y.start[:0], 0)
	hop, fall := r.near(target)
	last := uint16(0)
	for s := range y.place {
		if y.place[s] = -1; hop[s]&away != away {
			last = max(last, hop[s]&away)
		}
	}
	for k := uint16(1); k <= last; k++ {
		for s := range int32(len(y.place)) {
			if hop[s]&away != k {
				continue
			}
			y.place[s] = int32(len(y.order))
			y.order = append(y.order, s)
			must := hop[s]&mustFall != 0
			first, last := r.t.groupsOf(s)
			for i := first; i < last; i++ {
				v := r.t.to[i]
				if r.rises[i] && !must && hop[v]&away == k-1 || !r.rises[i] && fall[v] == k-1 && !r.left[i] && (k == 1 || !r.ends[i]) {
					y.groups = append(y.groups, i)
				}
			}
			y.start = append(y.start, int32(len(y.groups)))
		}
	}
}
