package ftree

// nearestScan caches, for switches without a path to the selected LID, the nearest legal path to
// continue on.
type nearestScan struct {
	best  []firstHop // by switch
	stale []bool     // by switch: a neighbour got a path since best was found
	found []int32
}

// firstHop is the first bundle of a path, -1 for none, and the hops of that path.
type firstHop struct{ bundle, hops int32 }

// findNearest lists the switches without a path that have the shortest legal path to continue on.
func (j *targetJoiner) findNearest() []int32 {
	scan := &j.nearest
	scan.found = scan.found[:0]
	least := int32(illegal - 1)
	for _, s := range j.missing.list {
		if j.paths.isLegal(s) {
			continue
		}
		if scan.stale[s] {
			scan.best[s], scan.stale[s] = j.shortestFirstHop(s), false
		}
		if d := scan.best[s].hops; d <= least {
			if d < least {
				least, scan.found = d, scan.found[:0]
			}
			scan.found = append(scan.found, s)
		}
	}
	return scan.found
}

// shortestFirstHop finds the first bundle of a switch's shortest legal path to the selected LID.
// Each LID starts the search at another bundle.
func (j *targetJoiner) shortestFirstHop(s int32) firstHop {
	best := firstHop{-1, illegal}
	first, last := j.t.BundlesOf(s)
	i := first + j.paths.first%(last-first)
	for range last - first {
		if h := j.paths.hopsBy(i); h < best.hops {
			best = firstHop{i, h}
		}
		if i++; i == last {
			i = first
		}
	}
	return best
}

// mendOne makes one illegal path by level legal so that a switch without a path may continue on it.
// It reports whether it found one.
func (j *targetJoiner) mendOne() bool {
	clear(j.mended)
	for _, s := range j.missing.list {
		if j.paths.isLegal(s) {
			continue
		}
		first, last := j.t.BundlesOf(s)
		for n := range last - first {
			i := first + (n+j.paths.first)%(last-first)
			v := j.t.Neighbour[i]
			if j.joining.leadsUp[i] && j.levelHops.place[v] >= 0 && !j.paths.isLegal(v) && j.mend(v) {
				return true
			}
		}
	}
	return false
}

// mend makes a path by level legal in the joining order by changing as few next hops as possible.
// The path stays one by level: it may not pass a switch without its own. mend reports whether the
// path is legal then.
func (j *targetJoiner) mend(s int32) bool {
	if j.paths.isLegal(s) {
		return true
	}
	if j.mended[s] || j.missing.has[s] {
		return false
	}
	j.mended[s] = true
	bundles := j.levelHops.from(s)
	for _, mendNext := range [2]bool{false, true} {
		for n := range bundles {
			i := bundles[(n+int(j.paths.first))%len(bundles)]
			if v := j.t.Neighbour[i]; j.missing.has[v] || mendNext && !j.mend(v) {
				continue
			}
			if j.paths.hopsBy(i) != illegal {
				j.setPath(s, i)
				return true
			}
		}
	}
	return false
}
