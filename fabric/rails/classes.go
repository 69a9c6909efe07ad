package rails

import (
	"cmp"
	"maps"
	"slices"
)

// class is a place of a kind with leaves of its own: nearly all ports of the kind on them have it.
type class struct {
	spot   spot
	leaves []int32
	ports  []int32 // with this place, on each leaf
}

// classes finds the places with leaves of their own; nil if too few have any, or if most leaves
// have a single port.
func (f *find) classes(k *kind, v view) []class {
	type at struct {
		leaf int32
		spot spot
	}
	var all []at
	total := map[spot]int{}
	for _, server := range k.servers {
		for _, e := range f.ends[server] {
			s := v.of(f.place[e])
			all = append(all, at{f.g.EndSwitch[e], s})
			total[s]++
		}
	}
	if len(total) < 2 {
		return nil
	}
	slices.SortFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.leaf, b.leaf), compareSpots(a.spot, b.spot)) })
	own, shared := map[spot]*class{}, 0
	count := map[spot]int{}
	for i := 0; i < len(all); {
		j, best, most1 := i, all[i].spot, 0
		for j < len(all) && all[j].leaf == all[i].leaf {
			run := j
			for run < len(all) && all[run] == all[j] {
				run++
			}
			if run-j > most1 {
				best, most1 = all[j].spot, run-j
			}
			j = run
		}
		if most(most1, j-i) {
			if own[best] == nil {
				own[best] = &class{spot: best}
			}
			c := own[best]
			c.leaves, c.ports = append(c.leaves, all[i].leaf), append(c.ports, int32(most1))
			count[best] += most1
			if most1 > 1 {
				shared += most1
			}
		}
		i = j
	}
	if 2*shared < len(all) { // most leaves have one port: any place would agree
		return nil
	}
	var out []class
	for _, s := range slices.SortedFunc(maps.Keys(own), compareSpots) {
		if most(count[s], total[s]) {
			out = append(out, *own[s])
		}
	}
	if len(out) < len(total) && (k.sign == ByGUID || !most(len(out), len(total))) {
		return nil
	}
	return out
}

// forRails reports whether at least half of the host ports on the leaves of some classes are of
// servers with several.
func (f *find) forRails(classes []class) bool {
	multi, hosts := 0, 0
	for i := range classes {
		for _, leaf := range classes[i].leaves {
			multi += int(f.multi[leaf])
			hosts += int(f.g.HostCount(leaf))
		}
	}
	return 2*multi >= hosts
}

// joinClasses gives each place of a kind a rail: that of its leaves, or of the same place in a
// similar kind, or of the spines or the plane of its leaves, or a new one. It returns false if no
// place has a rail yet and the places are at most half as many as the rails of their plane: both
// ports of a storage server below the spines of rails.
func (f *find) joinClasses(k *kind, classes []class) bool {
	k.rails = map[spot]int32{}
	left := f.joinOthers(k, f.joinLeaves(k, classes), f.similar(classes))
	var there []int32 // rails for the places in order, if all have other names than before
	if len(k.rails) == 0 {
		there = f.inPlane[f.planes[left[0].leaves[0]]]
		if 2*len(left) <= len(there) {
			k.rails = nil
			return false
		}
	}
	for i, c := range left {
		if i < len(there) {
			k.rails[c.spot] = there[i]
			continue
		}
		k.rails[c.spot] = int32(f.rails)
		f.rails++
	}
	for i := range classes {
		for _, leaf := range classes[i].leaves {
			f.set(leaf, k.rails[classes[i].spot])
		}
	}
	return true
}

// joinLeaves gives places the rail that most ports on their leaves have. It returns the places
// whose leaves have no rail.
func (f *find) joinLeaves(k *kind, classes []class) (open []*class) {
	for i := range classes {
		c := &classes[i]
		votes := map[int32]int{}
		for j, leaf := range c.leaves {
			if r := f.rail[leaf]; r != None {
				votes[r] += int(c.ports[j])
			}
		}
		if r := winner(votes); r != None {
			k.rails[c.spot] = r
		} else {
			open = append(open, c)
		}
	}
	return open
}

// joinOthers gives open places the rail of the same place in a similar kind (nil if there is none),
// or of the spines or the plane of their leaves, unless another place has it. It returns the places
// without a rail.
func (f *find) joinOthers(k *kind, open []*class, similar *kind) (left []*class) {
	used := map[int32]bool{}
	for _, r := range k.rails {
		used[r] = true
	}
	for _, c := range open {
		r := None
		if similar != nil {
			if w, ok := similar.rails[c.spot]; ok && !used[w] {
				r = w
			}
		}
		if r == None {
			if w := f.only.vote(c.leaves); !used[w] {
				r = w
			}
		}
		if r == None {
			left = append(left, c)
			continue
		}
		k.rails[c.spot], used[r] = r, true
	}
	return left
}

// similar returns the kind that was decided before and has more than half of its places in common
// with these classes; nil if there is none.
func (f *find) similar(classes []class) *kind {
	for i := range classes {
		k := f.holders[classes[i].spot]
		if k == nil {
			continue
		}
		common := 0
		for j := range classes {
			if _, ok := k.rails[classes[j].spot]; ok {
				common++
			}
		}
		if 2*common > max(len(classes), len(k.rails)) {
			return k
		}
		return nil
	}
	return nil
}

// set gives a leaf a rail, unless it has one.
func (f *find) set(leaf, rail int32) {
	if f.rail[leaf] == None {
		f.rail[leaf] = rail
		f.only.add(leaf, rail)
		if p := f.planes[leaf]; p != None {
			if i, met := slices.BinarySearch(f.inPlane[p], rail); !met {
				f.inPlane[p] = slices.Insert(f.inPlane[p], i, rail)
			}
		}
	}
}

// winner returns the rail with the most votes, the lowest of several, None without votes.
func winner(votes map[int32]int) int32 {
	best := None
	for _, r := range slices.Sorted(maps.Keys(votes)) {
		if best == None || votes[r] > votes[best] {
			best = r
		}
	}
	return best
}
