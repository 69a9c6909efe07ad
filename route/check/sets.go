package check

// sets are the SLs of every group to one LID. They are kept from LID to LID while
// the classes stay the same.
type sets struct {
	j       *judge
	u       *groups
	tallies []tally // by switch; empty when not at work
	touched []int32 // those that are not
	places  []int32 // of SLs that are not 0 along the line at work

	srcClass, dstClass int32    // of the owner and the LID that the rest is for
	direct             []uint64 // by switch: masks of requests to the LID
	requests           []uint64 // by switch: masks of replies to the requests of the owner
	replies            uint64   // all ones if a reply keeps the SL of its request
	bySwitch           []uint64 // masks of all that the sources of a switch send to the LID
	toLID              uint16   // SLs of all requests to the LID

	sent []uint64 // by source class: SLs of its requests
}

func newSets(j *judge) *sets {
	n := j.g.NumSwitches
	t := &sets{
		j: j, u: j.groups, tallies: make([]tally, n), srcClass: -2, dstClass: -2, direct: make([]uint64, n),
		requests: make([]uint64, n), bySwitch: make([]uint64, n), sent: make([]uint64, j.lanes.numSrc+1),
	}
	if j.p.Service.ReplySameSL {
		t.replies = ^uint64(0)
	}
	return t
}

// set makes the masks for a LID of an owner.
func (t *sets) set(lid int, owner int32) {
	l, u := t.j.lanes, t.u
	src, dst := l.src[owner], l.dst[lid]
	if src != t.srcClass || dst != t.dstClass {
		if dst < 0 {
			clear(t.direct)
		} else if dst != t.dstClass {
			t.places = u.rowPlaces(t.places[:0], dst)
			t.sum(t.direct, &u.rows, int(dst)*u.row, 1)
		}
		if src == l.numSrc {
			clear(t.requests)
		} else if src != t.srcClass {
			t.places = u.columnPlaces(t.places[:0], src)
			t.sum(t.requests, &u.columns, int(src), u.row)
		}
		t.srcClass, t.dstClass = src, dst
		t.join()
	}
	t.j.toLID[lid] = t.toLID
}

// sum finds the masks of all switches by the line at work. Cells has the SL at place k
// of it as its half byte number first+k*step.
func (t *sets) sum(masks []uint64, l *lines, first, step int) {
	u, tallies, touched := t.u, t.tallies, t.touched[:0]
	copy(masks, l.zero)
	for _, k := range t.places {
		at := first + int(k)*step
		sl := u.bit[u.sl.Cells[at/2]>>(4*(at&1))&15]
		for _, m := range l.members[k] {
			y := &tallies[m.s]
			if *y == (tally{}) {
				touched = append(touched, m.s)
			}
			y.sls[m.group] |= sl
			y.seen[m.group]++
		}
	}
	for _, s := range touched {
		masks[s] = u.mask(&tallies[s], &l.size[s])
		tallies[s] = tally{}
	}
	t.touched = touched
}

// join puts together what starts at each switch.
func (t *sets) join() {
	to, from := uint64(0), uint64(0)
	for s, m := range t.direct {
		to |= m
		from |= t.requests[s]
		t.bySwitch[s] = m | t.requests[s]&t.replies | t.u.unasked[s]
	}
	l := t.j.lanes
	t.toLID = uint16(l.field(to, assigned))
	t.sent[t.srcClass] |= l.field(from, assigned)
}

// of is the mask of one source to the LID of an owner.
func (t *sets) of(e int32, lid int, owner int32) uint64 {
	j, l := t.j, t.j.lanes
	if !j.isSource[e] {
		return 0
	}
	m := l.bit(l.src[e], l.dst[lid])
	if j.p.Service.ReplySameSL {
		for k := range j.count[e] {
			m |= l.bit(l.src[owner], l.dst[int(j.p.Ends.Base[e])+k])
		}
	}
	spread := l.spread
	if int(e) >= j.g.NumHosts {
		spread &^= 1 << l.shift[hostOnly]
	}
	return m*spread | l.byDefault<<l.shift[noRecord]
}

// sentBy is the set of SLs that a source sends assigned packets on.
func (j *judge) sentBy(e int32) uint64 {
	sent := uint64(0)
	if j.groups == nil {
		for _, w := range j.walkers {
			if w != nil {
				sent |= w.masks.sent[e]
			}
		}
		return j.lanes.field(sent, assigned)
	}
	if !j.isSource[e] {
		return 0
	}
	for _, w := range j.walkers {
		if w != nil {
			sent |= w.sets.sent[j.lanes.src[e]]
		}
	}
	toSelf := uint64(0)
	for k := range j.count[e] {
		lid := int(j.p.Ends.Base[e]) + k
		toSelf |= j.lanes.bit(j.lanes.src[e], j.lanes.dst[lid])
		if j.p.Service.ReplySameSL {
			sent |= uint64(j.toLID[lid])
		}
	}
	for m := sent & toSelf; m != 0; m &= m - 1 {
		if sl := m & -m; !j.sends(e, sl) {
			sent &^= sl
		}
	}
	return sent
}

// sends reports whether a source sends assigned packets on an SL to another end.
func (j *judge) sends(e int32, sl uint64) bool {
	l, base := j.lanes, j.p.Ends.Base
	for o, n := range j.count {
		if int32(o) == e {
			continue
		}
		for k := range n {
			if l.bit(l.src[e], l.dst[int(base[o])+k]) == sl {
				return true
			}
		}
		if n == 0 || !j.p.Service.ReplySameSL {
			continue
		}
		for k := range j.count[e] {
			if l.bit(l.src[o], l.dst[int(base[e])+k]) == sl {
				return true
			}
		}
	}
	return false
}
