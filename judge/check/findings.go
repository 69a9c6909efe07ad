package check

import (
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// report adds up the workers' findings. Counts are sums and examples come in order of LID, so the
// report does not depend on the number of workers.
func (j *judge) report(r *Report) {
	r.Faults, r.Warnings = []Finding{}, []Finding{}
	all := j.total()
	r.Reachability = all.Reachability
	for _, m := range j.deps.last {
		r.Deliveries += int64(bits.OnesCount64(m))
	}
	if bad := j.Plan.Ends.Validate(j.Graph); bad != nil {
		r.fault(Finding{Kind: Names, Count: 1, Examples: []route.Remark{*bad}})
	}
	nameless := Finding{Kind: NoLID, Examples: []route.Remark{}}
	for e, n := range j.LIDs.Count {
		if n == 0 {
			nameless.add(func() route.Remark { return remark("has no LID", j.Graph.EndName(int32(e))) })
		}
	}
	r.warn(nameless)
	unclear := j.Plan.Unclear
	r.warn(Finding{Kind: Unclear, Count: int64(len(unclear)), Examples: unclear[:min(len(unclear), examplesShown)]})
	for _, f := range j.invalid {
		r.fault(f)
	}
	j.entryFaults(r, &all)
	j.checkVLs(r)
	r.warn(Finding{Kind: DrainedUsed, Count: all.transit, Examples: j.gather(func(e *examples) remarks { return e.transit })})
	r.warn(Finding{Kind: StaleEntry, Count: all.stale, Examples: j.gather(func(e *examples) remarks { return e.stale })})
}

// total adds up the workers' counts.
func (j *judge) total() (t counts) {
	for _, w := range j.workers {
		if w == nil {
			continue
		}
		c := &w.counts
		t.Pairs += c.Pairs
		t.Unreachable += c.Unreachable
		t.Disconnected += c.Disconnected
		t.Loops += c.Loops
		t.stale += c.stale
		t.transit += c.transit
		for i := range c.entries {
			t.entries[i] += c.entries[i]
			t.pairs[i] += c.pairs[i]
		}
	}
	return t
}

// entryFaults reports faulty entries, and ends that get no answer.
func (j *judge) entryFaults(r *Report, all *counts) {
	all.entries[-inLoop] = all.Loops
	kinds := [...]Kind{-noEntry: NoEntry, -deadPort: DeadPort, -wrongEnd: WrongEnd, -beyondTable: BeyondTable, -inLoop: Loop}
	for i, kind := range kinds {
		if kind != "" {
			list := j.gather(func(e *examples) remarks { return e.faults[i] })
			r.fault(Finding{Kind: kind, Count: all.entries[i], Pairs: all.pairs[i], Examples: list})
		}
	}
	if r.Unreachable+r.Disconnected > 0 {
		f := j.oneWay()
		r.OneWay = f.Count
		r.fault(f)
	}
}

// gather returns the first examples of all blocks.
func (j *judge) gather(of func(*examples) remarks) []route.Remark {
	list := []route.Remark{}
	for i := range j.found.blocks {
		more := of(&j.found.blocks[i])
		list = append(list, more[:min(len(more), examplesShown-len(list))]...)
	}
	return list
}

// add counts one case, and keeps it as an example if it is one of the first.
func (f *Finding) add(what func() route.Remark) {
	f.Count++
	(*remarks)(&f.Examples).add(what)
}

// remarks keeps the first examples.
type remarks []route.Remark

func (l *remarks) add(what func() route.Remark) {
	if len(*l) < examplesShown {
		*l = append(*l, what())
	}
}

// remark returns a remark about ports.
func remark(text string, ports ...fabric.PortName) route.Remark {
	return route.Remark{Ports: ports, Text: text}
}

// lidRemark returns a remark about ports on the way to a LID.
func lidRemark(g *fabric.Graph, lid fabric.LID, owner int32, text string, ports ...fabric.PortName) route.Remark {
	name := g.EndName(owner)
	return route.Remark{LID: lid, Owner: &name, Ports: ports, Text: text}
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
