package check

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/route"
)

// count adds up the pairs and entries of one LID, and sets pairs to the hosts whose
// packets start at each switch and arrive.
func (w *walker) count(lid fabric.LID) {
	j := w.j
	toHost := w.owner < int32(j.g.NumHosts)
	last := int32(0)
	if toHost {
		last = 1
	}
	dist := w.bfs.dist[w.nearOf[w.target]]
	row := j.reach[int(lid)*j.reachRow:]
	if w.direct && w.using == nil {
		w.countDirect(&w.around[w.nearOf[w.target]], last, row)
		return
	}
	at, sum := w.at, &w.sum
	for s, d := range w.depth {
		sources, hosts := w.sources[s], w.hosts[s]
		if int32(s) == w.target { // not from the owner to itself
			sources--
			hosts--
		}
		if !toHost {
			hosts = 0
		}
		sum.pairs += int64(sources)
		sum.host.Pairs += int64(hosts)
		if at[s].next != noEntry {
			sum.entries.Total++
		}
		if d <= 0 {
			w.lost(int32(s), lid, sources, hosts, dist[s] == unreachedHops)
			continue
		}
		at[s].pairs = hosts
		row[s/64] |= 1 << (s % 64)
		hops := d - 1 + last
		sum.entryHops[hops]++
		sum.hostHops[hops] += int64(hosts)
		if d-1 > int32(dist[s]) {
			sum.nonMinimal += int64(sources)
			sum.host.NonMinimal += int64(hosts)
		}
	}
	for i, end := range w.ringAt {
		start := int32(0)
		if i > 0 {
			start = w.ringAt[i-1]
		}
		w.sum.loops++
		w.example(inLoop, func() string { return ringText(j.g, lid, w.owner, w.rings[start:end], w.at) })
	}
}

// around is how many switches and sources there are at each distance of a target.
type around struct {
	switches, hosts []int64
	sources         int64
}

func (a *around) count(order []int32, dist []uint16, j *judge) {
	a.switches, a.hosts, a.sources = a.switches[:0], a.hosts[:0], 0
	for _, s := range order {
		if dist[s] == unreachedHops {
			break
		}
		if int(dist[s]) == len(a.switches) {
			a.switches, a.hosts = append(a.switches, 0), append(a.hosts, 0)
		}
		a.switches[dist[s]]++
		a.hosts[dist[s]] += int64(j.hosts[s])
		a.sources += int64(j.sources[s])
	}
}

// countDirect is count where every switch has a shortest way.
func (w *walker) countDirect(a *around, last int32, row []uint64) {
	n := len(w.at)
	w.sum.pairs += a.sources - 1
	w.sum.entries.Total += int64(n)
	addTo(w.sum.entryHops[last:], a.switches)
	for i := range n / 64 {
		row[i] = ^uint64(0)
	}
	if n%64 > 0 {
		row[n/64] = 1<<(n%64) - 1
	}
	if last == 0 {
		return
	}
	for s := range w.at {
		w.at[s].pairs = w.hosts[s]
	}
	w.at[w.target].pairs--
	addTo(w.sum.hostHops[1:], a.hosts)
	w.sum.hostHops[1]--
	for _, n := range a.hosts {
		w.sum.host.Pairs += n
	}
	w.sum.host.Pairs--
}

// lost counts the pairs that start at a switch and do not arrive.
func (w *walker) lost(s int32, lid fabric.LID, sources, hosts int32, disconnected bool) {
	kind := w.depth[s]
	if w.at[s].next == kind && !(disconnected && kind == noEntry) {
		w.sum.faultEntries[-kind]++
		w.example(kind, func() string { return entryText(w.j.g, s, lid, w.owner, kind, w.column(lid)[s]) })
	}
	if disconnected {
		w.sum.disconnected += int64(sources)
		w.sum.host.Disconnected += int64(hosts)
		return
	}
	w.sum.faultPairs[-kind] += int64(sources)
	w.sum.unreachable += int64(sources)
	w.sum.host.Unreachable += int64(hosts)
}

func (w *walker) example(kind int32, text func() string) {
	if f := &w.found.faults[-kind]; len(*f) < examplesShown {
		*f = append(*f, text())
	}
}

func entryText(g *fabric.Graph, s int32, lid fabric.LID, owner, kind int32, port uint8) string {
	what := "has no entry"
	switch kind {
	case deadPort:
		what = fmt.Sprintf("sends to port %d, where nothing is attached", port)
		if int32(port) > g.SwitchPorts[s] {
			what = fmt.Sprintf("sends to port %d, but has only %d ports", port, g.SwitchPorts[s])
		}
	case wrongEnd:
		what = fmt.Sprintf("delivers to %s", route.EndName(g, behind(g, s, port)))
	case beyondTable:
		what = fmt.Sprintf("has an entry beyond its table of %d", g.SwitchFDBCap[s])
	}
	return fmt.Sprintf("%s: %s %s", lidName(g, lid, owner), route.SwitchName(g, s), what)
}

// behind is the end port at a port of a switch.
func behind(g *fabric.Graph, s int32, port uint8) int32 {
	if port == 0 {
		return g.PortZero(s)
	}
	_, h := g.At(s, port)
	return h
}

func staleText(g *fabric.Graph, s int32, lid fabric.LID, port uint8) string {
	return fmt.Sprintf("LID %d: %s sends to port %d, but nobody has that LID", lid, route.SwitchName(g, s), port)
}

func ringText(g *fabric.Graph, lid fabric.LID, owner int32, ring []int32, at []hop) string {
	const most = 8
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d switches send round: ", lidName(g, lid, owner), len(ring))
	for i := len(ring) - 1; i >= 0; i-- {
		if len(ring)-i > most {
			b.WriteString("... ")
			break
		}
		fmt.Fprintf(&b, "%s -> ", portName(g, ring[i], g.FromPort[at[ring[i]].out]))
	}
	b.WriteString(route.SwitchName(g, ring[len(ring)-1]))
	return b.String()
}
