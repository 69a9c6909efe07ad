package check

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// counts are sums over all LIDs of a worker.
type counts struct {
	Reachability
	stale, transit int64
	entries, pairs [-beingTraced]int64 // by fault, negative: entries, and pairs they lose
}

// examples holds the first examples of each finding in a block of LIDs.
type examples struct {
	faults  [-beingTraced]remarks // by fault, negative
	stale   remarks
	transit remarks
}

// count adds up the pairs of the current LID and the faults of its entries.
func (w *worker) count(found *examples) {
	j, p := w.j, &w.paths
	words := j.found.words
	row := j.found.delivers[int(p.LID)*words:][:words]
	if p.Shortest && p.AllMay() {
		w.counts.Pairs += j.LIDs.sources - 1 // not from the owner to itself
		for i := range row {
			row[i] = ^uint64(0)
		}
		if rest := len(p.Depth) % 64; rest > 0 {
			row[len(row)-1] = 1<<rest - 1
		}
		return
	}
	for s, d := range p.Depth {
		sources := int64(p.Sources[s])
		if int32(s) == p.Target {
			sources--
		}
		w.counts.Pairs += sources
		if d > 0 {
			row[s/64] |= 1 << (s % 64)
		} else {
			w.countLost(int32(s), sources, found)
		}
	}
	for i := range p.loops.end {
		w.counts.Loops++
		found.faults[-inLoop].add(func() route.Remark { return loopRemark(p, p.loops.of(i)) })
	}
}

// countLost counts the pairs from a switch that do not arrive.
func (w *worker) countLost(s int32, sources int64, found *examples) {
	p := &w.paths
	kind, disconnected := p.Depth[s], p.Hops[s] == Unreached
	if p.at[s].next == kind && !(disconnected && kind == noEntry) {
		w.counts.entries[-kind]++
		found.faults[-kind].add(func() route.Remark { return entryRemark(p, s, kind, w.columns.of(p.LID)[s]) })
	}
	if disconnected {
		w.counts.Disconnected += sources
		return
	}
	w.counts.pairs[-kind] += sources
	w.counts.Unreachable += sources
}

// countStale counts the entries of a LID without an owner.
func (w *worker) countStale(lid fabric.LID, found *examples) {
	for s, port := range w.columns.of(lid) {
		if port == route.NoPort {
			continue
		}
		w.counts.stale++
		found.stale.add(func() route.Remark {
			return route.Remark{LID: lid, Ports: []fabric.PortName{w.j.Graph.SwitchPort(int32(s), port)}, Text: "has an entry for a LID that no port has"}
		})
	}
}

// entryRemark describes the fault of a switch's entry.
func entryRemark(p *Paths, s, kind int32, port uint8) route.Remark {
	g := p.g
	say := func(text string, behind ...fabric.PortName) route.Remark {
		return lidRemark(g, p.LID, p.Owner, text, append([]fabric.PortName{g.SwitchPort(s, 0)}, behind...)...)
	}
	switch {
	case kind == deadPort && int32(port) > g.SwitchPorts[s]:
		return say(fmt.Sprintf("sends to port %d, but has only %d ports", port, g.SwitchPorts[s]))
	case kind == deadPort:
		return say(fmt.Sprintf("sends to port %d, which has no link in use", port))
	case kind == wrongEnd && port == 0:
		return say("delivers to its own port 0")
	case kind == wrongEnd:
		_, host := g.At(s, port)
		return say("the first delivers to the second", g.EndName(host))
	case kind == beyondTable:
		return say(fmt.Sprintf("has an entry beyond its table of %d", g.SwitchFDBCap[s]))
	}
	return say("has no entry")
}

// loopRemark names the first switches of a loop.
func loopRemark(p *Paths, loop []int32) route.Remark {
	const most = 8
	var ports []fabric.PortName
	for i := len(loop) - 1; i >= max(0, len(loop)-most); i-- {
		ports = append(ports, p.g.SwitchPort(loop[i], p.g.FromPort[p.at[loop[i]].out]))
	}
	text := "each sends to the next, and the last to the first"
	if len(loop) > most {
		text = fmt.Sprintf("the first of %d switches in a loop", len(loop))
	}
	return lidRemark(p.g, p.LID, p.Owner, text, ports...)
}

// oneWay counts the ends that reach another end but get no answer from it.
func (j *judge) oneWay() Finding {
	g, f := j.Graph, Finding{Kind: OneWayPair, Examples: []route.Remark{}}
	visit := func(a, b int32) {
		if a == b || !j.LIDs.IsSource(b) {
			return
		}
		if back, usable := j.reaches(b, a); back || !usable {
			return
		}
		if there, _ := j.reaches(a, b); there {
			f.add(func() route.Remark {
				return remark("the first reaches the second, but not the reverse", g.EndName(a), g.EndName(b))
			})
		}
	}
	for a := range int32(g.NumEnds) {
		for s := range int32(g.NumSwitches) {
			if !j.LIDs.IsSource(a) || j.allReach(s, a) {
				continue
			}
			for _, b := range g.AttachedTo(s) {
				visit(a, b)
			}
			visit(a, g.PortZero(s))
		}
	}
	return f
}

// reaches reports whether one end may use a LID of another, and whether packets to such a LID
// arrive.
func (j *judge) reaches(from, to int32) (yes, usable bool) {
	s := j.Graph.EndSwitch[from]
	for k := range j.LIDs.Count[to] {
		lid := j.Plan.Ends.Base[to] + fabric.LID(k)
		if j.LIDs.Owner[lid] == to && j.Plan.Uses(from, to, lid) {
			usable = true
			yes = yes || j.delivers(s, int(lid))
		}
	}
	return yes, usable
}

// delivers reports whether packets to a LID arrive from a switch.
func (j *judge) delivers(s int32, lid int) bool {
	return j.found.delivers[lid*j.found.words+int(s/64)]>>(s%64)&1 == 1
}

// allReach reports whether every LID of an end can be reached from a switch.
func (j *judge) allReach(s, to int32) bool {
	for k := range j.LIDs.Count[to] {
		if !j.delivers(s, int(j.Plan.Ends.Base[to])+k) {
			return false
		}
	}
	return true
}
