package ftree

// nearestScan remembers, for switches that miss a path to the selected LID, the nearest legal path
// that they may continue on.
type nearestScan struct {
	best  []firstHop // by switch
	stale []bool     // by switch: a neighbour has got a path since best was found
	found []int32
}

// firstHop is the bundle with which a path may begin, -1 for none, and the hops of that path.
type firstHop struct{ bundle, hops int32 }

// findNearest lists the switches missing a path that have the shortest legal one to continue on.
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

// shortestFirstHop finds the bundle of a switch with which the shortest legal path to the
// selected LID begins. Each LID looks at another bundle first.
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

// mendOne makes the path by level of one switch legal that a switch without a path may continue
// on. It reports whether it found one.
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
			if j.joining.leadsUp[i] && j.levelHops.place[v] >= 0 && !j.missing.has[v] && j.mend(v) {
				return true
			}
		}
	}
	return false
}

// mend makes a path by level legal in the joining order by another choice of next hops, as few as
// possible. The path stays one by level: it may not pass a switch that misses its own. mend
// reports whether the path is legal then.
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
