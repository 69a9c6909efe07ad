package check

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/route"
)

// counts are those over all LIDs of a worker.
type counts struct {
	Reachability
	stale, transit int64
	entries, pairs [-beingTraced]int64 // by fault, negative: entries, and pairs they lose
}

// examples are the first ones of each finding in a block of LIDs.
type examples struct {
	faults  [-beingTraced]textList // by fault, negative
	stale   textList
	transit textList
}

// textList keeps the first examples.
type textList []string

func (l *textList) add(text func() string) {
	if len(*l) < examplesShown {
		*l = append(*l, text())
	}
}

// count adds up the pairs of the LID followed and what its tables lack.
func (w *worker) count(found *examples) {
	j, p := w.j, &w.paths
	words := j.found.words
	row := j.found.delivers[int(p.LID)*words:][:words]
	if p.Shortest && p.AllMay() {
		w.counts.Pairs += j.LIDs.sources - 1 // not from the owner to itself
		for s := range p.Depth {
			row[s/64] |= 1 << (s % 64)
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
		found.faults[-inLoop].add(func() string { return loopText(p, p.loops.of(i)) })
	}
}

// countLost counts the pairs that start at a switch and do not arrive.
func (w *worker) countLost(s int32, sources int64, found *examples) {
	p := &w.paths
	kind, disconnected := p.Depth[s], p.Hops[s] == Unreached
	if p.at[s].next == kind && !(disconnected && kind == noEntry) {
		w.counts.entries[-kind]++
		found.faults[-kind].add(func() string { return entryText(p, s, kind, w.columns.of(p.LID)[s]) })
	}
	if disconnected {
		w.counts.Disconnected += sources
		return
	}
	w.counts.pairs[-kind] += sources
	w.counts.Unreachable += sources
}

// countStale counts the entries of a LID that nobody has.
func (w *worker) countStale(lid fabric.LID, found *examples) {
	for s, port := range w.columns.of(lid) {
		if port == route.NoPort {
			continue
		}
		w.counts.stale++
		found.stale.add(func() string {
			return fmt.Sprintf("LID %d: %s sends to port %d, but nobody has that LID", lid, route.SwitchName(w.j.Graph, int32(s)), port)
		})
	}
}

// entryText says what is wrong with the entry of a switch.
func entryText(p *Paths, s, kind int32, port uint8) string {
	g, what := p.g, "has no entry"
	switch kind {
	case deadPort:
		what = fmt.Sprintf("sends to port %d, where nothing is attached", port)
		if int32(port) > g.SwitchPorts[s] {
			what = fmt.Sprintf("sends to port %d, but has only %d ports", port, g.SwitchPorts[s])
		}
	case wrongEnd:
		behind := g.PortZero(s)
		if port != 0 {
			_, behind = g.At(s, port)
		}
		what = fmt.Sprintf("delivers to %s", route.EndName(g, behind))
	case beyondTable:
		what = fmt.Sprintf("has an entry beyond its table of %d", g.SwitchFDBCap[s])
	}
	return fmt.Sprintf("%s: %s %s", lidName(g, p.LID, p.Owner), route.SwitchName(g, s), what)
}

// loopText names the first switches of a loop.
func loopText(p *Paths, loop []int32) string {
	const most = 8
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d switches send round: ", lidName(p.g, p.LID, p.Owner), len(loop))
	for i := len(loop) - 1; i >= 0; i-- {
		if len(loop)-i > most {
			b.WriteString("... ")
			break
		}
		fmt.Fprintf(&b, "%s -> ", portName(p.g, loop[i], p.g.FromPort[p.at[loop[i]].out]))
	}
	b.WriteString(route.SwitchName(p.g, loop[len(loop)-1]))
	return b.String()
}

// oneWay counts the ends that get to another which does not get back to them.
func (j *judge) oneWay() Finding {
	g, f := j.Graph, Finding{Kind: OneWayPair, Examples: []string{}}
	visit := func(a, b int32) {
		if a == b || !j.LIDs.IsSource(b) {
			return
		}
		if back, usable := j.reaches(b, a); back || !usable {
			return
		}
		if there, _ := j.reaches(a, b); there {
			f.add(func() string {
				return fmt.Sprintf("%s reaches %s, but not the other way", route.EndName(g, a), route.EndName(g, b))
			})
		}
	}
	for a := range int32(g.NumEnds) {
		for s := range int32(g.NumSwitches) {
			if !j.LIDs.IsSource(a) || j.allReach(s, a) {
				continue
			}
			for _, b := range g.HostsOf(s) {
				visit(a, b)
			}
			visit(a, g.PortZero(s))
		}
	}
	return f
}

// reaches reports whether there is a LID of an end that another may use, and whether
// its packets to one get there.
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
