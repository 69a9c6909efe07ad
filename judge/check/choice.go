package check

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// choice is a Choice that keeps some sources from some LIDs.
type choice struct {
	by route.ChoiceBy
	// Listed rows, sorted by target: target t has rows start[t] to start[t+1].
	start  []int32
	source []int32
	offset []uint8
}

// readChoice reads the Plan's Choice and reports rows with a LID that their target does not have.
// Where no end port has more than one LID, all rules but rows allow the same.
func (j *judge) readChoice() {
	switch by := j.Plan.Choice.By; by {
	case route.AnyLID: // every pair of a source and a LID is proven
	case route.BaseLID, route.HashedLID:
		if slices.ContainsFunc(j.LIDs.Count, func(n int) bool { return n > 1 }) {
			j.choice = &choice{by: by, start: make([]int32, j.Graph.NumEnds+1)}
		}
	case route.ListedLIDs:
		j.readRows(&j.Plan.Choice)
	}
}

// readRows sorts rows by target.
func (j *judge) readRows(c *route.Choice) {
	n := j.Graph.NumEnds
	by := &choice{by: c.By, start: make([]int32, n+1)}
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			t := c.Target[i]
			if t < 0 || int(t) >= n || int(c.Offset[i]) >= j.LIDs.Count[t] {
				j.invalidate(BadChoice, j.badRow(s, t, c.Offset[i]))
			}
			if t >= 0 && int(t) < n {
				by.start[t+1]++
			}
		}
	}
	for t := range n {
		by.start[t+1] += by.start[t]
	}
	by.source = make([]int32, by.start[n])
	by.offset = make([]uint8, by.start[n])
	fill := append([]int32(nil), by.start[:n]...)
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			if t := c.Target[i]; t >= 0 && int(t) < n {
				by.source[fill[t]], by.offset[fill[t]] = s, c.Offset[i]
				fill[t]++
			}
		}
	}
	j.choice = by
}

func (j *judge) badRow(s, t int32, offset uint8) route.Remark {
	source := j.Graph.EndName(s)
	if t < 0 || int(t) >= j.Graph.NumEnds {
		return remark(fmt.Sprintf("uses target %d, which does not exist", t), source)
	}
	return remark(fmt.Sprintf("the first uses offset %d of the second, which has %d LIDs", offset, j.LIDs.Count[t]), source, j.Graph.EndName(t))
}

// users are the sources that may use one LID. Its owner is counted too.
type users struct {
	Hosts, Sources []int32 // by switch: hosts; with port 0
	may            []bool  // by end port; nil where all may
}

func newUsers(j *judge) users {
	if j.choice == nil {
		return users{Hosts: j.LIDs.Hosts, Sources: j.LIDs.Sources}
	}
	n := j.Graph.NumSwitches
	return users{Hosts: make([]int32, n), Sources: make([]int32, n), may: make([]bool, j.Graph.NumEnds)}
}

// AllMay reports whether all end ports with a LID may use this one.
func (u *users) AllMay() bool { return u.may == nil }

// May reports whether an end port with a LID may use this one.
func (u *users) May(e int32) bool { return u.may == nil || u.may[e] }

// set finds the sources that may use a LID, by the rule or by rows. Without a row a source uses the
// base LID.
func (u *users) set(j *judge, lid fabric.LID, owner int32) {
	if u.may == nil {
		return
	}
	offset := uint8(int(lid) - int(j.Plan.Ends.Base[owner]))
	if j.choice.by == route.HashedLID {
		u.setHashed(j, offset, owner)
		return
	}
	for e := range u.may {
		u.may[e] = offset == 0
	}
	clear(u.Sources)
	clear(u.Hosts)
	if offset == 0 {
		copy(u.Sources, j.LIDs.Sources)
		copy(u.Hosts, j.LIDs.Hosts)
	} else {
		u.count(j, owner, 1)
	}
	rows := j.choice
	lo, hi := rows.start[owner], rows.start[owner+1]
	for _, s := range rows.source[lo:hi] {
		u.allow(j, s, owner, false)
	}
	for i := lo; i < hi; i++ {
		if rows.offset[i] == offset {
			u.allow(j, rows.source[i], owner, true)
		}
	}
}

// setHashed finds the users of a LID under HashedLID: each source's own LIDs decide.
func (u *users) setHashed(j *judge, offset uint8, owner int32) {
	clear(u.Sources)
	clear(u.Hosts)
	for e := range u.may {
		u.may[e] = j.LIDs.IsSource(int32(e)) && j.hashed(int32(e), owner) == offset
		if u.may[e] || int32(e) == owner {
			u.count(j, int32(e), 1)
		}
	}
}

// hashed is the offset that a source uses for a target by HashedLID.
func (j *judge) hashed(source, target int32) uint8 {
	return route.HashedOffset(j.Plan.Ends.Base[source], j.Plan.Ends.LMC[source], j.LIDs.Count[target])
}

// allow notes that a source may use the LID, or not. The owner is counted always.
func (u *users) allow(j *judge, source, owner int32, yes bool) {
	if u.may[source] == yes {
		return
	}
	u.may[source] = yes
	if source == owner || !j.LIDs.IsSource(source) {
		return
	}
	if yes {
		u.count(j, source, 1)
	} else {
		u.count(j, source, -1)
	}
}

func (u *users) count(j *judge, source, n int32) {
	s := j.Graph.EndSwitch[source]
	u.Sources[s] += n
	if j.Graph.IsHost(source) {
		u.Hosts[s] += n
	}
}
