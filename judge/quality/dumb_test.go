package quality

import (
	"weft/fabric"
	"weft/route"
)

// dumb measures a Plan by walking every pair by itself, with maps.
type dumb struct {
	g     *fabric.Graph
	p     *route.Plan
	owner map[fabric.LID]int32
	lids  map[int32][]fabric.LID
	dist  [][]int // by target switch, then switch; -1 without a way
}

func newDumb(g *fabric.Graph, p *route.Plan) *dumb {
	d := &dumb{g: g, p: p, owner: map[fabric.LID]int32{}, lids: map[int32][]fabric.LID{}}
	for e := range int32(g.NumEnds) {
		for k := range p.Ends.Count(e) {
			lid := p.Ends.Base[e] + fabric.LID(k)
			d.lids[e] = append(d.lids[e], lid)
			d.owner[lid] = e
		}
	}
	for s := range g.NumSwitches {
		row := make([]int, g.NumSwitches)
		for i := range row {
			row[i] = -1
		}
		row[s] = 0
		for h, more := 0, true; more; h++ {
			more = false
			for c := range g.NumChannels {
				u, v := g.From[c], g.To[c]
				if row[u] == h && row[v] < 0 && (h == 0 || !g.Drained[u]) {
					row[v], more = h+1, true
				}
			}
		}
		d.dist = append(d.dist, row)
	}
	return d
}

// walk follows the tables from a switch to a LID. It returns the switches and channels of
// the way, and whether it ends at the LID's port.
func (d *dumb) walk(s int32, lid fabric.LID) (switches, path []int32, arrives bool) {
	owner := d.owner[lid]
	for range d.g.NumSwitches {
		switches = append(switches, s)
		port := d.p.Tables.Port(s, lid)
		if limit := d.g.SwitchFDBCap[s]; port == route.NoPort || limit > 0 && int32(lid) >= limit {
			return switches, path, false
		}
		if port == 0 {
			return switches, path, d.g.PortZero(s) == owner
		}
		c, host := d.g.At(s, port)
		if c < 0 {
			return switches, path, host == owner && host >= 0
		}
		path = append(path, c)
		s = d.g.To[c]
	}
	return switches, path, false
}

// figures are those of a Report that the dumb measure finds too.
type figures struct {
	Host       HostPairs
	NonMinimal int64
	Entries    Entries
	Hops       Hops
	Load       Load
}

func (d *dumb) measure() figures {
	g := d.g
	var f figures
	hostHops, entryHops, load := map[int]int64{}, map[int]int64{}, make([]int64, g.NumChannels)
	for lid, dst := range d.owner {
		last := 0
		if int(dst) < g.NumHosts {
			last = 1
		}
		for s := range int32(g.NumSwitches) {
			if d.p.Tables.Port(s, lid) != route.NoPort {
				f.Entries.Total++
			}
			if _, path, arrives := d.walk(s, lid); arrives {
				f.Entries.Delivered++
				entryHops[len(path)+last]++
			}
		}
		for src := range int32(g.NumEnds) {
			if src == dst || len(d.lids[src]) == 0 || !d.p.Uses(src, dst, lid) {
				continue
			}
			hosts := int64(0)
			if int(src) < g.NumHosts && int(dst) < g.NumHosts {
				hosts = 1
			}
			f.Host.Pairs += hosts
			_, path, arrives := d.walk(g.EndSwitch[src], lid)
			far := d.dist[g.EndSwitch[dst]][g.EndSwitch[src]]
			switch {
			case !arrives && far < 0:
				f.Host.Disconnected += hosts
			case !arrives:
				f.Host.Unreachable += hosts
			case far >= 0 && len(path) > far:
				f.NonMinimal++
				f.Host.NonMinimal += hosts
			}
			if arrives && hosts == 1 {
				hostHops[len(path)+1]++
				for _, c := range path {
					load[c]++
				}
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		for lid := range d.p.Tables.Top() + 1 {
			if _, ok := d.owner[lid]; !ok && d.p.Tables.Port(s, lid) != route.NoPort {
				f.Entries.Stale++
			}
		}
	}
	f.Entries.Hops, f.Hops, f.Load = dumbHops(entryHops), dumbHops(hostHops), dumbLoad(load)
	return f
}

func dumbHops(count map[int]int64) Hops {
	h := Hops{Histogram: []int64{}}
	n, sum := int64(0), int64(0)
	for hops, x := range count {
		h.Max = max(h.Max, hops)
		n += x
		sum += x * int64(hops)
	}
	if n > 0 {
		h.Avg = float64(sum) / float64(n)
		for i := range h.Max + 1 {
			h.Histogram = append(h.Histogram, count[i])
		}
	}
	return h
}

func dumbLoad(load []int64) Load {
	l := Load{}
	if len(load) == 0 {
		return l
	}
	sum := int64(0)
	for _, x := range load {
		sum += x
		l.Max = max(l.Max, x)
		if x == 0 {
			l.Dark++
		}
	}
	l.Avg = float64(sum) / float64(len(load))
	for v := int64(0); ; v++ { // the least value that 99 % do not exceed
		n := 0
		for _, x := range load {
			if x <= v {
				n++
			}
		}
		if n*100 >= 99*len(load) {
			l.P99 = v
			return l
		}
	}
}
