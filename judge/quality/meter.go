package quality

import (
	"fmt"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
)

// meter measures the paths to one LID after another. It belongs to one worker.
type meter struct {
	facts   *check.Facts
	measure *measure

	pairs               HostPairs
	nonMinimal, entries int64
	hostHops, entryHops []int64 // by hops

	near []*byDistance // by target switch, nil until counted
	path []int32       // an intended path
}

func newMeter(g *fabric.Graph) *meter {
	n := g.NumSwitches
	return &meter{
		hostHops: make([]int64, n+2), entryHops: make([]int64, n+2), near: make([]*byDistance, n),
	}
}

// meter makes a worker's meter.
func (m *measure) meter(worker int, f *check.Facts) check.Observer {
	x := newMeter(f.Graph)
	x.facts, x.measure = f, m
	m.meters[worker] = x
	return x
}

// Observe measures the paths to one LID.
func (m *meter) Observe(p *check.Paths) {
	toHost := m.facts.Graph.IsHost(p.Owner)
	if p.Shortest && p.AllMay() {
		m.countShortest(p, toHost)
	} else {
		m.count(p, toHost)
	}
	if m.facts.Plan.Intended != nil {
		m.compare(p)
	}
}

// count counts pairs and entries, switch by switch.
func (m *meter) count(p *check.Paths, toHost bool) {
	last := int32(0)
	if toHost {
		last = 1
	}
	for s, d := range p.Depth {
		sources, hosts := int64(p.Sources[s]), int32(0)
		if toHost {
			hosts = p.Hosts[s]
		}
		if int32(s) == p.Target { // not from the owner to itself
			sources--
			hosts -= last
		}
		m.pairs.Pairs += int64(hosts)
		if p.HasEntry(int32(s)) {
			m.entries++
		}
		switch {
		case d > 0:
			m.entryHops[d-1+last]++
			m.hostHops[d-1+last] += int64(hosts)
			if d-1 > int32(p.Hops[s]) {
				m.nonMinimal += sources
				m.pairs.NonMinimal += int64(hosts)
			}
		case p.Hops[s] == check.Unreached:
			m.pairs.Disconnected += int64(hosts)
		default:
			m.pairs.Unreachable += int64(hosts)
		}
	}
}

// byDistance counts switches and hosts at each distance from a target switch.
type byDistance struct{ switches, hosts []int64 }

func (m *meter) countNear(p *check.Paths) *byDistance {
	n := &byDistance{}
	for _, s := range p.Order {
		d := int(p.Hops[s])
		for len(n.switches) <= d {
			n.switches, n.hosts = append(n.switches, 0), append(n.hosts, 0)
		}
		n.switches[d]++
		n.hosts[d] += int64(p.Hosts[s])
	}
	return n
}

// countShortest is count where every switch has a shortest path and all sources may use the LID.
// The result then depends on the target alone.
func (m *meter) countShortest(p *check.Paths, toHost bool) {
	near := m.near[p.Target]
	if near == nil {
		near = m.countNear(p)
		m.near[p.Target] = near
	}
	m.entries += int64(len(p.Depth))
	if !toHost {
		addTo(m.entryHops, near.switches)
		return
	}
	addTo(m.entryHops[1:], near.switches)
	addTo(m.hostHops[1:], near.hosts)
	for _, n := range near.hosts {
		m.pairs.Pairs += n
	}
	m.pairs.Pairs-- // not from the owner to itself
	m.hostHops[1]--
}

// add adds the counts of another meter.
func (m *meter) add(o *meter) {
	m.pairs.Pairs += o.pairs.Pairs
	m.pairs.Unreachable += o.pairs.Unreachable
	m.pairs.Disconnected += o.pairs.Disconnected
	m.pairs.NonMinimal += o.pairs.NonMinimal
	m.nonMinimal += o.nonMinimal
	m.entries += o.entries
	addTo(m.hostHops, o.hostHops)
	addTo(m.entryHops, o.entryHops)
}

func addTo(sum, v []int64) {
	for i, x := range v {
		sum[i] += x
	}
}

// differing counts the intended paths to a block of LIDs, and how many of them the tables do not
// take.
type differing struct {
	intended, count int64
	examples        []route.Remark
}

// compare compares the path of every source with the intended one.
func (m *meter) compare(p *check.Paths) {
	d := &m.measure.differing[int(p.LID)/route.BlockSize]
	for e := range int32(m.facts.Graph.NumEnds) {
		if e == p.Owner || !m.facts.LIDs.IsSource(e) || !p.May(e) {
			continue
		}
		path, ok := m.facts.Plan.Intended.Path(e, p.Owner, p.LID, m.path[:0])
		if !ok {
			continue
		}
		m.path = path
		d.intended++
		if m.takes(p, e, path) {
			continue
		}
		d.count++
		if len(d.examples) < examplesShown {
			d.examples = append(d.examples, m.differRemark(p, e, path))
		}
	}
}

// takes reports whether the path of an end takes the given channels and arrives.
func (m *meter) takes(p *check.Paths, e int32, path []int32) bool {
	g := m.facts.Graph
	s := g.EndSwitch[e]
	for _, c := range path {
		if c < 0 || p.Out(s) != c {
			return false
		}
		s = g.To[c]
	}
	return p.Delivers(s)
}

// differRemark says where the path of an end leaves the intended one.
func (m *meter) differRemark(p *check.Paths, e int32, path []int32) route.Remark {
	g := m.facts.Graph
	s, owner := g.EndSwitch[e], g.EndName(p.Owner)
	out := route.Remark{LID: p.LID, Owner: &owner, Ports: []fabric.PortName{g.EndName(e)}, Text: "the path does not end"}
	for _, c := range path {
		if p.Out(s) != c {
			out.Ports = append(out.Ports, g.SwitchPort(s, m.facts.Plan.Tables.Port(s, p.LID)))
			out.Text = fmt.Sprintf("the path of the first leaves the intended one at the second, whose port should be %d", g.FromPort[c])
			break
		}
		s = g.To[c]
	}
	return out
}
