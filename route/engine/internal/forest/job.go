package forest

import (
	"weft/fabric"
	"weft/route"
)

// job is one destination switch: the LIDs there, a column each, and the port that
// every switch takes for each of them.
type job struct {
	t        int32
	h        *Hops
	ends     []end // what has a LID there: hosts, then port 0
	cols     int
	hostCols int // columns that lead to hosts
	several  bool
	runs     []run
	ports    []uint8 // by switch and column, NoPort where there is no way
}

// end is an end port with its LIDs.
type end struct {
	id         int32
	col, count int
}

// run is a range of columns whose LIDs follow each other, from base on.
type run struct{ base, from, to int }

// open makes the job that of destination switch t.
func (j *job) open(in *route.Input, g *fabric.Graph, t int32) {
	j.t, j.ends, j.runs = t, j.ends[:0], j.runs[:0]
	j.cols, j.several = 0, false
	for _, host := range g.HostsOf(t) {
		j.add(&in.Ends, host)
	}
	j.hostCols = j.cols
	j.add(&in.Ends, g.PortZero(t))
	if need := g.NumSwitches * j.cols; cap(j.ports) < need {
		j.ports = make([]uint8, need)
	}
	j.ports = j.ports[:g.NumSwitches*j.cols]
	for i := range j.ports {
		j.ports[i] = route.NoPort
	}
	for _, e := range j.ends {
		for k := range e.count {
			j.row(t)[e.col+k] = g.EndPort[e.id]
		}
	}
}

// add gives the LIDs of an end port their columns.
func (j *job) add(ends *route.Ends, id int32) {
	count := ends.Count(id)
	if count == 0 {
		return
	}
	base := int(ends.Base[id])
	j.ends = append(j.ends, end{id, j.cols, count})
	j.several = j.several || count > 1
	if last := len(j.runs) - 1; last >= 0 && j.runs[last].base+j.cols-j.runs[last].from == base {
		j.runs[last].to += count
	} else {
		j.runs = append(j.runs, run{base, j.cols, j.cols + count})
	}
	j.cols += count
}

// row is the ports of one switch, by column.
func (j *job) row(s int32) []uint8 { return j.ports[int(s)*j.cols : (int(s)+1)*j.cols] }
