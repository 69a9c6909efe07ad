package conformance

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// walk follows a LID from switch s by the tables alone. It returns the channels taken and the end
// port reached, or an error.
func walk(g *fabric.Graph, p *route.Plan, s int32, lid fabric.LID) (path []int32, end int32, err error) {
	for range g.NumSwitches + 1 {
		port := p.Tables.Port(s, lid)
		if port == 0 {
			return path, g.PortZero(s), nil
		}
		c, host := g.At(s, port)
		switch {
		case host >= 0:
			return path, host, nil
		case c < 0:
			return path, -1, fmt.Errorf("%s sends LID %d to port %d, which leads nowhere", fabric.SwitchName(g, s), lid, port)
		}
		path = append(path, c)
		s = g.To[c]
	}
	return path, -1, fmt.Errorf("LID %d goes round in a loop past %s", lid, fabric.SwitchName(g, s))
}

// distances returns the fewest hops from switch t to every switch, without passing a drained
// switch; -1 where there is no way.
func distances(g *fabric.Graph, t int32) []int {
	hops := slices.Repeat([]int{-1}, g.NumSwitches)
	hops[t] = 0
	for d := 0; ; d++ {
		found := false
		for c := range g.NumChannels {
			from, to := g.From[c], g.To[c]
			if hops[to] == d && hops[from] < 0 && (to == t || !g.Drained[to]) {
				hops[from] = d + 1
				found = true
			}
		}
		if !found {
			return hops
		}
	}
}

// findings holds the results of walking every LID from every switch.
type findings struct {
	problems []string
	longer   int               // paths longer than the shortest
	depends  map[[2]int32]bool // channel after channel
	load     []int             // host to host LID paths, by channel

	hostsLonger int // longer paths from switches with hosts to hosts
}

func (f *findings) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// inspect walks every LID from every switch.
func inspect(g *fabric.Graph, p *route.Plan) *findings {
	f := &findings{depends: map[[2]int32]bool{}, load: make([]int, g.NumChannels)}
	for end := range int32(g.NumEnds) {
		hops := distances(g, g.EndSwitch[end])
		for k := range p.Ends.Count(end) {
			lid := p.Ends.Base[end] + fabric.LID(k)
			for s := range int32(g.NumSwitches) {
				f.pair(g, p, s, end, lid, hops[s])
			}
		}
	}
	return f
}

// pair walks one LID from one switch; hops is the shortest distance, -1 if none.
func (f *findings) pair(g *fabric.Graph, p *route.Plan, s, end int32, lid fabric.LID, hops int) {
	if hops < 0 {
		if port := p.Tables.Port(s, lid); port != route.NoPort {
			f.problem("%s has port %d for LID %d, which it cannot reach", fabric.SwitchName(g, s), port, lid)
		}
		return
	}
	path, got, err := walk(g, p, s, lid)
	switch {
	case err != nil:
		f.problem("from %s: %v", fabric.SwitchName(g, s), err)
		return
	case got != end:
		f.problem("from %s, LID %d of %s ends at %s", fabric.SwitchName(g, s), lid, route.EndName(g, end), route.EndName(g, got))
		return
	}
	hosts := len(g.HostsOf(s))
	if len(path) > hops {
		f.longer++
		if hosts > 0 && !g.IsPortZero(end) {
			f.hostsLonger++
		}
	}
	for i, c := range path {
		if !g.IsPortZero(end) {
			f.load[c] += hosts
		}
		if i > 0 {
			f.depends[[2]int32{path[i-1], c}] = true
			if g.Drained[g.From[c]] {
				f.problem("LID %d passes %s, which is drained", lid, fabric.SwitchName(g, g.From[c]))
			}
		}
	}
}

// cyclic reports whether the dependencies contain a cycle: it removes channels without a
// predecessor until none is left.
func (f *findings) cyclic() bool {
	into := map[int32]int{}
	after := map[int32][]int32{}
	for d := range f.depends {
		into[d[1]]++
		after[d[0]] = append(after[d[0]], d[1])
	}
	var free []int32
	for c := range after {
		if into[c] == 0 {
			free = append(free, c)
		}
	}
	for len(free) > 0 {
		c := free[len(free)-1]
		free = free[:len(free)-1]
		for _, n := range after[c] {
			if into[n]--; into[n] == 0 {
				delete(into, n)
				free = append(free, n)
			}
		}
	}
	return len(into) > 0
}
