package check

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/route"
)

// sum adds up what the walkers counted. Counts are sums and examples are taken in
// order of LID, so that the number of walkers cannot be seen.
func (j *judge) sum(r *Report) {
	g := j.g
	r.Switches, r.Hosts, r.Channels, r.LIDs = g.NumSwitches, g.NumHosts, g.NumChannels, j.numLIDs
	all := j.total()
	r.Pairs, r.Unreachable, r.Disconnected = all.pairs, all.unreachable, all.disconnected
	r.Loops, r.NonMinimal, r.Minimal = all.loops, all.nonMinimal, all.nonMinimal == 0
	r.HostPairs, r.Entries = all.host, all.entries
	r.Hops, r.Entries.Hops = hops(all.hostHops), hops(all.entryHops)
	for _, n := range r.Entries.Hops.Histogram {
		r.Entries.Delivered += n
	}
	use := j.channelUses()
	r.Load = load(use)
	for _, m := range j.deps.last {
		r.Deliveries += int64(bits.OnesCount64(m))
	}
	j.faults(r, &all)
	j.vls(r, use)
	r.warn(Finding{Kind: DrainedUsed, Count: all.transit, Examples: j.gather(func(b *blockResult) []string { return b.transit })})
	r.warn(Finding{Kind: StaleEntry, Count: all.entries.Stale, Examples: j.gather(func(b *blockResult) []string { return b.stale })})
}

func (j *judge) total() sums {
	n := j.g.NumSwitches + 2
	t := sums{hostHops: make([]int64, n), entryHops: make([]int64, n)}
	for _, w := range j.walkers {
		if w == nil {
			continue
		}
		s := &w.sum
		t.pairs += s.pairs
		t.unreachable += s.unreachable
		t.disconnected += s.disconnected
		t.nonMinimal += s.nonMinimal
		t.loops += s.loops
		t.transit += s.transit
		t.host.Pairs += s.host.Pairs
		t.host.Unreachable += s.host.Unreachable
		t.host.Disconnected += s.host.Disconnected
		t.host.NonMinimal += s.host.NonMinimal
		t.entries.Total += s.entries.Total
		t.entries.Stale += s.entries.Stale
		addTo(t.hostHops, s.hostHops)
		addTo(t.entryHops, s.entryHops)
		addTo(t.faultEntries[:], s.faultEntries[:])
		addTo(t.faultPairs[:], s.faultPairs[:])
	}
	return t
}

func addTo(sum, v []int64) {
	for i, x := range v {
		sum[i] += x
	}
}

func hops(histogram []int64) Hops {
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

func (j *judge) channelUses() []channelUse {
	use := make([]channelUse, j.g.NumChannels)
	for _, w := range j.walkers {
		if w == nil {
			continue
		}
		for c := range w.use {
			use[c].paths += w.use[c].paths
			use[c].lanes |= w.use[c].lanes
		}
	}
	return use
}

func load(use []channelUse) Load {
	if len(use) == 0 {
		return Load{}
	}
	paths := make([]int64, len(use))
	total := int64(0)
	l := Load{}
	for c := range use {
		paths[c] = use[c].paths
		total += paths[c]
		if paths[c] == 0 {
			l.Dark++
		}
	}
	slices.Sort(paths)
	l.Max = paths[len(paths)-1]
	l.Avg = float64(total) / float64(len(paths))
	l.P99 = paths[(len(paths)*99+99)/100-1]
	return l
}

// gather takes the first examples over all blocks.
func (j *judge) gather(of func(*blockResult) []string) []string {
	list := []string{}
	for i := range j.blocks {
		for _, text := range of(&j.blocks[i]) {
			if len(list) == examplesShown {
				return list
			}
			list = append(list, text)
		}
	}
	return list
}

func (r *Report) fault(f Finding) {
	if f.Count > 0 || f.Pairs > 0 {
		r.Faults = append(r.Faults, f)
	}
}

func (r *Report) warn(f Finding) {
	if f.Count > 0 {
		r.Warnings = append(r.Warnings, f)
	}
}

func (j *judge) faults(r *Report, all *sums) {
	r.Faults, r.Warnings = []Finding{}, []Finding{}
	if err := j.p.Ends.Validate(j.g); err != nil {
		r.fault(Finding{Kind: Names, Count: 1, Examples: []string{err.Error()}})
	}
	var nameless []string
	for e, yes := range j.isSource {
		if !yes {
			nameless = append(nameless, route.EndName(j.g, int32(e)))
		}
	}
	r.warn(j.finding(NoLID, nameless))
	if j.badRows > 0 {
		r.fault(Finding{Kind: BadChoice, Count: j.badRows, Examples: j.badRowText})
	}
	r.fault(j.finding(NoSL, j.noSL))
	all.faultEntries[-inLoop] = all.loops
	kinds := [...]Kind{-noEntry: NoEntry, -deadPort: DeadPort, -wrongEnd: WrongEnd, -beyondTable: BeyondTable, -inLoop: Loop}
	for i, kind := range kinds {
		if kind == "" {
			continue
		}
		f := Finding{
			Kind: kind, Count: all.faultEntries[i], Pairs: all.faultPairs[i],
			Examples: j.gather(func(b *blockResult) []string { return b.faults[i] }),
		}
		r.fault(f)
	}
	if r.Unreachable+r.Disconnected > 0 {
		list := j.oneWay(r)
		r.fault(Finding{Kind: OneWayPair, Count: r.OneWay, Examples: list})
	}
}

func (j *judge) finding(kind Kind, list []string) Finding {
	return Finding{Kind: kind, Count: int64(len(list)), Examples: list[:min(len(list), examplesShown)]}
}

// reaches reports whether there is a LID of an end that another may use, and whether
// its packets to one get there.
func (j *judge) reaches(from, to int32) (yes, usable bool) {
	s := j.g.EndSwitch[from]
	at := func(offset int) bool {
		lid := int(j.p.Ends.Base[to]) + offset
		if offset >= j.count[to] || j.owner[lid] != to {
			return false
		}
		usable = true
		return j.delivers(s, lid)
	}
	if j.p.Choice != nil {
		for _, o := range j.p.Choice.Offsets(from, to) {
			yes = at(int(o)) || yes
		}
		return yes, usable
	}
	for k := range j.count[to] {
		yes = at(k) || yes
	}
	return yes, usable
}

// delivers reports whether packets to a LID arrive from a switch.
func (j *judge) delivers(s int32, lid int) bool {
	return j.reach[lid*j.reachRow+int(s/64)]>>(s%64)&1 == 1
}

// oneWay counts the ends that get to another which does not get back to them.
func (j *judge) oneWay(r *Report) []string {
	g, list := j.g, []string{}
	visit := func(a, b int32) {
		if a == b || !j.isSource[b] {
			return
		}
		if back, usable := j.reaches(b, a); back || !usable {
			return
		}
		if there, _ := j.reaches(a, b); !there {
			return
		}
		r.OneWay++
		if len(list) < examplesShown {
			list = append(list, fmt.Sprintf("%s reaches %s, but not the other way", route.EndName(g, a), route.EndName(g, b)))
		}
	}
	for a := range int32(g.NumEnds) {
		for s := range int32(g.NumSwitches) {
			if !j.isSource[a] || j.allReach(s, a) {
				continue
			}
			for _, b := range g.HostsOf(s) {
				visit(a, b)
			}
			visit(a, g.PortZero(s))
		}
	}
	return list
}

// allReach reports whether every LID of an end can be reached from a switch.
func (j *judge) allReach(s, to int32) bool {
	for k := range j.count[to] {
		if !j.delivers(s, int(j.p.Ends.Base[to])+k) {
			return false
		}
	}
	return true
}

// vls checks the VLs that assigned traffic gets at each port.
func (j *judge) vls(r *Report, use []channelUse) {
	if j.lanes.sl == nil {
		return
	}
	c := vlCheck{j: j, r: r, beyond: Finding{Kind: VLBeyondPort}, discards: Finding{Kind: DiscardVL}}
	for e := range int32(j.g.NumHosts) {
		c.host(e)
	}
	for ch, u := range use {
		c.port(j.g.From[ch], j.g.FromPort[ch], j.lanes.vlsUsed(int32(ch), u.lanes), -1)
	}
	r.VLs = countVLs(c.all)
	r.fault(c.beyond)
	r.fault(c.discards)
	if j.p.VLs > 0 && r.VLs > j.p.VLs {
		r.warn(Finding{Kind: VLBeyondPlan, Count: 1, Examples: []string{
			fmt.Sprintf("the plan says that it uses %d VLs, but traffic uses %d", j.p.VLs, r.VLs),
		}})
	}
}

type vlCheck struct {
	j                *judge
	r                *Report
	all              uint16
	beyond, discards Finding
}

// host checks both directions of a host's link.
func (c *vlCheck) host(e int32) {
	j := c.j
	s, p := j.g.EndSwitch[e], j.g.EndPort[e]
	c.port(s, p, j.lanes.vlsOf(j.sentBy(e), j.lanes.sl2vl.HostTable(e)), e)
	got := uint64(0)
	for k := range j.count[e] {
		if lid := int(j.p.Ends.Base[e]) + k; j.owner[lid] == e {
			got |= j.arriving[lid]
		}
	}
	if j.lanes.inOut {
		c.port(s, p, uint16(got), -1)
	} else {
		c.port(s, p, j.lanes.vlsOf(got, j.lanes.sl2vl.Table(j.g, s, 0, p)), -1)
	}
}

// port checks the VLs sent over a switch's port: by the switch, or by the host on
// it if that is given (not -1).
func (c *vlCheck) port(s int32, p uint8, vls uint16, host int32) {
	c.all |= vls
	name := func() string {
		if host >= 0 {
			return route.EndName(c.j.g, host)
		}
		return portName(c.j.g, s, p)
	}
	has := c.j.g.PortVLs[c.j.g.PortStart[s]+int32(p)]
	for ; vls != 0; vls &= vls - 1 {
		switch vl := uint8(bits.TrailingZeros16(vls)); {
		case vl == route.DropVL:
			c.add(&c.discards, func() string { return name() + " discards packets: their SL is mapped to VL 15" })
		case has > 0 && vl >= has:
			c.add(&c.beyond, func() string { return fmt.Sprintf("%s sends on VL %d, but the link has %d VLs", name(), vl, has) })
		}
	}
}

func (c *vlCheck) add(f *Finding, text func() string) {
	f.Count++
	if len(f.Examples) < examplesShown {
		f.Examples = append(f.Examples, text())
	}
}
