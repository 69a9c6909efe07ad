package check

// groupMasks holds the masks of every group of sources. They stay from LID to LID while the classes
// are the same.
type groupMasks struct {
	j       *judge
	groups  *groups
	tallies []tally // by switch; empty except during sum
	touched []int32 // switches with a tally that is not empty
	places  []int32 // places of SLs other than 0 along the line to be added up

	srcClass, dstClass int32    // of the owner and the LID of the fields below
	requests           []uint64 // by switch: masks of requests to the LID
	replies            []uint64 // by switch: masks of replies to the requests of the owner
	sameSL             uint64   // all ones if a reply keeps the SL of its request
	switches           []uint64 // by switch: masks of all that its sources send to the LID
	toLID              uint16   // SLs of all requests to the LID

	sent []uint64 // by source class: SLs (a field) of its requests
	lid  int      // of set
	own  int32
}

func newGroupMasks(j *judge) *groupMasks {
	n := j.Graph.NumSwitches
	m := &groupMasks{
		j: j, groups: j.groups, tallies: make([]tally, n), srcClass: -2, dstClass: -2, requests: make([]uint64, n),
		replies: make([]uint64, n), switches: make([]uint64, n), sent: make([]uint64, j.lanes.numSrc+1),
	}
	if j.Plan.Service.ReplySameSL {
		m.sameSL = ^uint64(0)
	}
	return m
}

func (m *groupMasks) bySwitch() []uint64 { return m.switches }

// set computes the masks of all switches for the LID of p.
func (m *groupMasks) set(p *Paths) {
	l := m.j.lanes
	m.lid, m.own = int(p.LID), p.Owner
	m.setClasses(l.src[p.Owner], l.dst[p.LID])
	m.j.found.toLID[p.LID] = m.toLID
}

// setClasses computes the masks for the classes of an owner and of its LID.
func (m *groupMasks) setClasses(src, dst int32) {
	l, u := m.j.lanes, m.groups
	if src != m.srcClass || dst != m.dstClass {
		if dst < 0 {
			clear(m.requests)
		} else if dst != m.dstClass {
			m.places = u.rowPlaces(m.places[:0], dst)
			m.sum(m.requests, &u.rows, int(dst)*u.row, 1)
		}
		if src == l.numSrc {
			clear(m.replies)
		} else if src != m.srcClass {
			m.places = u.columnPlaces(m.places[:0], src)
			m.sum(m.replies, &u.columns, int(src), u.row)
		}
		m.srcClass, m.dstClass = src, dst
		m.join()
	}
}

// sum computes the masks of all switches along a line. The SL at place k of the line is half byte
// number first+k*step of Cells.
func (m *groupMasks) sum(masks []uint64, l *lines, first, step int) {
	u, tallies, touched := m.groups, m.tallies, m.touched[:0]
	copy(masks, l.zero)
	for _, k := range m.places {
		at := first + int(k)*step
		sl := u.bit[u.sl.Cells[at/2]>>(4*(at&1))&15]
		for _, g := range l.members[k] {
			y := &tallies[g.s]
			if *y == (tally{}) {
				touched = append(touched, g.s)
			}
			y.sls[g.group] |= sl
			y.seen[g.group]++
		}
	}
	for _, s := range touched {
		masks[s] = u.mask(&tallies[s], &l.size[s])
		tallies[s] = tally{}
	}
	m.touched = touched
}

// join combines requests and replies to the mask of each switch.
func (m *groupMasks) join() {
	to, from := uint64(0), uint64(0)
	for s, r := range m.requests {
		to |= r
		from |= m.replies[s]
		m.switches[s] = r | m.replies[s]&m.sameSL | m.groups.unasked[s]
	}
	l := m.j.lanes
	m.toLID = uint16(l.field(to, assigned))
	m.sent[m.srcClass] |= l.field(from, assigned)
}

func (m *groupMasks) of(e int32) uint64 {
	j, l := m.j, m.j.lanes
	if !j.LIDs.IsSource(e) {
		return 0
	}
	sls := l.bit(l.src[e], l.dst[m.lid])
	if j.Plan.Service.ReplySameSL {
		sls |= j.requestsTo(l.src[m.own], e)
	}
	return sls*l.spreadOf(int(e) < j.Graph.NumHosts) | l.unasked()
}

// sentBy returns the requests of the source's whole class, without replies.
func (m *groupMasks) sentBy(e int32) uint64 {
	if !m.j.LIDs.IsSource(e) {
		return 0
	}
	return m.sent[m.j.lanes.src[e]]
}

// sentByGroup adds a source's replies to its requests, and removes SLs that it would use to itself
// alone.
func (j *judge) sentByGroup(e int32, sent uint64) uint64 {
	if j.Plan.Service.ReplySameSL {
		for k := range j.LIDs.Count[e] {
			sent |= uint64(j.found.toLID[int(j.Plan.Ends.Base[e])+k])
		}
	}
	for m := sent & j.requestsTo(j.lanes.src[e], e); m != 0; m &= m - 1 {
		if sl := m & -m; !j.sends(e, sl) {
			sent &^= sl
		}
	}
	return sent
}

// sends reports whether a source sends assigned packets on an SL to another end.
func (j *judge) sends(e int32, sl uint64) bool {
	for o, n := range j.LIDs.Count {
		if int32(o) == e || n == 0 {
			continue
		}
		if j.requestsTo(j.lanes.src[e], int32(o))&sl != 0 {
			return true
		}
		if j.Plan.Service.ReplySameSL && j.requestsTo(j.lanes.src[o], e)&sl != 0 {
			return true
		}
	}
	return false
}
