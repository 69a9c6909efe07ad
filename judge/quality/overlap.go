package quality

import (
	"weft/fabric"
	"weft/judge/check"
	"weft/route"
)

// overlap finds the switches and cables common to all paths of one pair. Those on each of the first
// n paths have the mark round+n.
type overlap struct {
	*check.Facts
	columns [][]column // by target, LID
	except  int32      // switch that is not counted
	round   int64
	paths   int64
	mark    []int64 // by switch
	touched []int64 // by switch: the last round in which a path passed it
	cable   []int64 // by channel/2: like mark
	path    []int32 // channels of the path being added
	on      []int32 // switches that a path passes
	cables  []int32 // channel/2 of the first path
	first   *example
	sum     Failures
	ports   *portPairs // used for the paths to nodes
}

// column holds by switch the next channel to one LID, or arrived or lost.
type column []int32

const (
	arrived = -1
	lost    = -2
)

func newOverlap(f *check.Facts) *overlap {
	n := f.Graph.NumSwitches
	return &overlap{
		Facts: f, mark: make([]int64, n), touched: make([]int64, n), cable: make([]int64, f.Graph.NumChannels/2),
		sum: Failures{Lost: make([]int64, n), Weakened: make([]int64, n)}, ports: newPortPairs(f.Graph),
	}
}

// resolve reads the columns of all LIDs of some end ports.
func (t *overlap) resolve(ends []int32) {
	for len(t.columns) < len(ends) {
		t.columns = append(t.columns, nil)
	}
	for i, end := range ends {
		for k := range t.LIDs.Count[end] {
			if k == len(t.columns[i]) {
				t.columns[i] = append(t.columns[i], make(column, t.Graph.NumSwitches))
			}
			t.read(t.columns[i][k], end, t.Plan.Ends.Base[end]+fabric.LID(k))
		}
	}
}

func (t *overlap) read(col column, end int32, lid fabric.LID) {
	for s := range int32(len(col)) {
		col[s] = lost
		port := t.Plan.Tables.Port(s, lid)
		limit := t.Graph.SwitchFDBCap[s]
		if port == route.NoPort || limit > 0 && int32(lid) >= limit || t.LIDs.Owner[lid] != end {
			continue
		}
		if c, host := t.Graph.At(s, port); c >= 0 {
			col[s] = c
		} else if host == end {
			col[s] = arrived
		}
	}
}

// begin starts a pair. The switch of its host does not count as a point of failure.
func (t *overlap) begin(except int32) {
	t.round += t.paths + 1
	t.paths, t.except = 0, except
	t.on, t.cables = t.on[:0], t.cables[:0]
}

// follow adds the paths from a sender to target number i, another end port.
func (t *overlap) follow(from sender, i int, end int32) {
	for k := range t.LIDs.Count[end] {
		if from.end < 0 || t.Plan.Uses(from.end, end, t.Plan.Ends.Base[end]+fabric.LID(k)) {
			t.add(from.at, t.columns[i][k])
		}
	}
}

// add marks the switches and cables of a path, if it arrives.
func (t *overlap) add(from int32, col column) {
	t.path = t.path[:0]
	at := from
	for ; col[at] >= 0; at = t.Graph.To[col[at]] {
		if len(t.path) == len(col) {
			return // a loop
		}
		t.path = append(t.path, col[at])
	}
	if col[at] == lost {
		return
	}
	t.paths++
	if t.ports.first != nil {
		t.ports.addPath(t.path)
	}
	t.pass(from)
	for _, c := range t.path {
		if t.paths == 1 {
			t.cables = append(t.cables, c/2)
		}
		if t.paths == 1 || t.cable[c/2] == t.round+t.paths-1 {
			t.cable[c/2] = t.round + t.paths
		}
		t.pass(t.Graph.To[c])
	}
}

func (t *overlap) pass(s int32) {
	if s == t.except {
		return
	}
	if t.touched[s] != t.round {
		t.touched[s] = t.round
		t.on = append(t.on, s)
	}
	if t.paths == 1 || t.mark[s] == t.round+t.paths-1 {
		t.mark[s] = t.round + t.paths
	}
}

// close finishes a pair that stands for weight equal pairs.
func (t *overlap) close(weight int64, from int32) {
	if t.paths == 0 {
		return
	}
	t.sum.Pairs += weight
	point := int32(-1)
	for _, s := range t.on {
		if t.mark[s] != t.round+t.paths {
			t.sum.Weakened[s] += weight
			continue
		}
		t.sum.Lost[s] += weight
		if point < 0 {
			point = s
		}
	}
	if point < 0 {
		return
	}
	t.sum.Shared += weight
	for _, c := range t.cables {
		if t.cable[c] == t.round+t.paths {
			t.sum.Cables += weight
			break
		}
	}
	if !t.first.found {
		*t.first = example{true, from, point}
	}
}
