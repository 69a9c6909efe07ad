package quality

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
)

// Report holds the proof and the quality of the routes. Pairs are (source end port, LID).
type Report struct {
	check.Report

	Minimal    bool  `json:"minimal"` // every delivered pair takes a shortest way
	NonMinimal int64 `json:"non_minimal"`

	HostPairs HostPairs `json:"host_pairs"`
	Entries   Entries   `json:"entries"`
	Hops      Hops      `json:"hops"` // delivered pairs of hosts
	Load      Load      `json:"load"`
	Hottest   []Hot     `json:"hottest"` // the 5 channels with the most paths for their rate

	// MultiHomed is about nodes with ports on several switches, nil without any.
	MultiHomed *Redundancy `json:"multi_homed,omitempty"`

	// Planes is about several planes; absent if no server has ports on two.
	Planes *Planes `json:"planes,omitempty"`

	Servers   int `json:"servers,omitempty"` // absent in reports of subnet managers
	HostPorts int `json:"host_ports,omitempty"`

	// IntendedPaths and DifferingPaths count pairs, if Plan.Intended is given.
	IntendedPaths  int64 `json:"intended_paths,omitempty"`
	DifferingPaths int64 `json:"differing_paths,omitempty"`
}

// HostPairs counts the pairs of two hosts.
type HostPairs struct {
	Pairs        int64 `json:"pairs"`
	Unreachable  int64 `json:"unreachable"`
	Disconnected int64 `json:"disconnected"`
	NonMinimal   int64 `json:"non_minimal"`
}

// Entries counts entries of forwarding tables: one a switch and LID in use, the
// switch's own LID included.
type Entries struct {
	Total     int64 `json:"total"`     // entries with a port
	Delivered int64 `json:"delivered"` // entries that lead to the LID's port
	Stale     int64 `json:"stale"`     // entries for LIDs without an owner, not in Total
	Hops      Hops  `json:"hops"`      // hops of delivered pairs
}

// Hops sums up path lengths; the package comment defines a hop.
type Hops struct {
	Max       int     `json:"max"`
	Avg       float64 `json:"avg"`
	Histogram []int64 `json:"histogram"` // by hops from 0
}

// Load sums up the paths of host pairs on each channel between switches. A pair that may use
// several LIDs has one path for each.
type Load struct {
	Max  int64   `json:"max"`
	Avg  float64 `json:"avg"`  // over all channels
	P99  int64   `json:"p99"`  // nearest rank
	Dark int     `json:"dark"` // unused channels
}

// DifferingPath is the kind of finding for a pair whose path is not the intended one. It is a
// fault: the tables do not do what the engine computed.
const DifferingPath check.Kind = "differing-path"

// Kinds of warnings. DarkChannel counts channels between switches that carry no pair of hosts; it
// skips channels of drained switches without hosts. Detours counts pairs of hosts on a path that is
// not shortest, if more than detoursFew of all pairs are.
const (
	DarkChannel check.Kind = "dark-channel"
	Detours     check.Kind = "detours"
)

// detoursFew is the largest share of pairs of hosts on longer paths without a warning.
const detoursFew = .01

// examplesShown is the number of examples kept of each finding.
const examplesShown = 5

// Judge proves a Plan as check.Judge does, and measures it.
func Judge(ctx context.Context, g *fabric.Graph, p *route.Plan, opt check.Options) (*Report, error) {
	workers := max(1, opt.Workers)
	m := &measure{meters: make([]*meter, workers), differing: make([]differing, 1+int(fabric.MaxUnicastLID)/route.BlockSize)}
	opt.Observe = m.meter
	proof, err := check.Judge(ctx, g, p, opt)
	if err != nil {
		return nil, err
	}
	r := &Report{Report: *proof}
	facts := m.report(r, g)
	if r.HostPairs.Disconnected > 0 {
		r.Planes = planesOf(g)
	}
	r.MultiHomed, err = redundancyOf(ctx, facts, workers)
	return r, err
}

// measure holds the measurements of the workers.
type measure struct {
	meters    []*meter    // by worker, nil for one without work
	differing []differing // by block of LIDs
}

// report adds up the workers' measurements, and returns their facts.
func (m *measure) report(r *Report, g *fabric.Graph) (facts *check.Facts) {
	all := newMeter(g)
	for _, x := range m.meters {
		if x != nil {
			all.add(x)
			facts = x.facts
		}
	}
	r.HostPairs, r.NonMinimal, r.Minimal = all.pairs, all.nonMinimal, all.nonMinimal == 0
	r.Hops = hopsOf(all.hostHops)
	r.Entries = Entries{Total: all.entries, Hops: hopsOf(all.entryHops)}
	for _, n := range all.entryHops {
		r.Entries.Delivered += n
	}
	if f := r.Find(check.StaleEntry); f != nil {
		r.Entries.Stale = f.Count
	}
	r.Load = loadOf(facts.Pairs)
	r.Hottest = hottest(newUsers(g, facts.Plan, facts.LIDs.Owner), facts.Pairs)
	r.warn(g, facts.Pairs)
	f := check.Finding{Kind: DifferingPath, Examples: []route.Remark{}}
	for i := range m.differing {
		d := &m.differing[i]
		r.IntendedPaths += d.intended
		f.Count += d.count
		f.Examples = append(f.Examples, d.examples[:min(len(d.examples), examplesShown-len(f.Examples))]...)
	}
	if r.DifferingPaths = f.Count; f.Count > 0 {
		r.Faults = append(r.Faults, f)
		r.OK = false
	}
	return facts
}

// warn adds warnings about weaknesses of the routing. pairs holds the pairs of hosts by channel.
func (r *Report) warn(g *fabric.Graph, pairs []int64) {
	if r.Load.Dark < len(pairs) {
		f := check.Finding{Kind: DarkChannel, Examples: []route.Remark{}}
		for c, n := range pairs {
			if n > 0 || carriesNone(g, g.From[c]) || carriesNone(g, g.To[c]) {
				continue
			}
			if f.Count++; len(f.Examples) < examplesShown {
				f.Examples = append(f.Examples, darkChannel(g, int32(c)))
			}
		}
		if f.Count > 0 {
			r.Warnings = append(r.Warnings, f)
		}
	}
	if n := r.HostPairs.NonMinimal; float64(n) > detoursFew*float64(r.HostPairs.Pairs) {
		r.Warnings = append(r.Warnings, check.Finding{Kind: Detours, Count: n, Examples: []route.Remark{}})
	}
}

func hopsOf(histogram []int64) Hops {
	h := Hops{Histogram: []int64{}}
	n, total := int64(0), int64(0)
	for i, x := range histogram {
		if x > 0 {
			h.Max = i
			n += x
			total += x * int64(i)
		}
	}
	if n > 0 {
		h.Avg = float64(total) / float64(n)
		h.Histogram = append(h.Histogram, histogram[:h.Max+1]...)
	}
	return h
}

func loadOf(paths []int64) Load {
	l := Load{}
	if len(paths) == 0 {
		return l
	}
	total := int64(0)
	for _, n := range paths {
		total += n
		if n == 0 {
			l.Dark++
		}
	}
	sorted := slices.Sorted(slices.Values(paths))
	l.Max = sorted[len(sorted)-1]
	l.Avg = float64(total) / float64(len(sorted))
	l.P99 = sorted[(len(sorted)*99+99)/100-1]
	return l
}

// carriesNone reports whether a switch can carry no pair of hosts: it is drained and has no hosts.
func carriesNone(g *fabric.Graph, s int32) bool { return g.Drained[s] && len(g.HostsOf(s)) == 0 }

// darkChannel names an unused channel.
func darkChannel(g *fabric.Graph, c int32) route.Remark {
	return route.Remark{
		Ports: g.ChannelPorts(c),
		Text:  "no pair of hosts uses this channel",
	}
}
