package check

import (
	"math/bits"

	"weft/route"
)

// report adds up what the workers found. Counts are sums and examples are taken in
// order of LID, so that the number of workers cannot be seen.
func (j *judge) report(r *Report) {
	r.Faults, r.Warnings = []Finding{}, []Finding{}
	all := j.total()
	r.Reachability = all.Reachability
	for _, m := range j.deps.last {
		r.Deliveries += int64(bits.OnesCount64(m))
	}
	if err := j.Plan.Ends.Validate(j.Graph); err != nil {
		r.fault(Finding{Kind: Names, Count: 1, Examples: []string{err.Error()}})
	}
	nameless := Finding{Kind: NoLID, Examples: []string{}}
	for e, n := range j.LIDs.Count {
		if n == 0 {
			nameless.add(func() string { return route.EndName(j.Graph, int32(e)) })
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
	r.warn(Finding{Kind: DrainedUsed, Count: all.transit, Examples: j.gather(func(e *examples) []string { return e.transit })})
	r.warn(Finding{Kind: StaleEntry, Count: all.stale, Examples: j.gather(func(e *examples) []string { return e.stale })})
}

// total adds up the counts of the workers.
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

// entryFaults reports what is wrong with entries, and ends that get no answer.
func (j *judge) entryFaults(r *Report, all *counts) {
	all.entries[-inLoop] = all.Loops
	kinds := [...]Kind{-noEntry: NoEntry, -deadPort: DeadPort, -wrongEnd: WrongEnd, -beyondTable: BeyondTable, -inLoop: Loop}
	for i, kind := range kinds {
		if kind != "" {
			list := j.gather(func(e *examples) []string { return e.faults[i] })
			r.fault(Finding{Kind: kind, Count: all.entries[i], Pairs: all.pairs[i], Examples: list})
		}
	}
	if r.Unreachable+r.Disconnected > 0 {
		f := j.oneWay()
		r.OneWay = f.Count
		r.fault(f)
	}
}

// gather takes the first examples over all blocks.
func (j *judge) gather(of func(*examples) []string) []string {
	list := []string{}
	for i := range j.found.blocks {
		more := of(&j.found.blocks[i])
		list = append(list, more[:min(len(more), examplesShown-len(list))]...)
	}
	return list
}

// add counts one more, and keeps its text if it is one of the first.
func (f *Finding) add(text func() string) {
	f.Count++
	list := textList(f.Examples)
	list.add(text)
	f.Examples = list
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
