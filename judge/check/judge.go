package check

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Options are the options of Judge.
type Options struct {
	Workers int // goroutines, at least 1
	// Observe makes the Observer of a worker, if it is not nil. The worker calls it in its own
	// goroutine.
	Observe func(worker int, f *Facts) Observer
}

// Observer sees the paths to one LID after another, so that figures beside the proof need no walk
// of their own. The Paths are valid during the call only and read-only.
type Observer interface{ Observe(p *Paths) }

// Facts hold for every LID. An Observer does not change them.
type Facts struct {
	Graph *fabric.Graph
	Plan  *route.Plan
	LIDs  *LIDs
	// Pairs is by channel the number of pairs of hosts whose packets cross it, counted once a LID.
	// It is set when Judge returns.
	Pairs []int64
}

// judge is one run of Judge: its input, read for fast access, and its findings.
type judge struct {
	Facts
	ports   *portMap
	lanes   *lanes
	groups  *groups  // nil where each source needs a mask of its own
	batches *batches // nil where LIDs are judged one by one
	choice  *choice  // nil where every source may use all LIDs of every target
	deps    *deps
	beside  *beside // the lanes of Mix's other Plan; nil without Mix
	copies  *copies // packets of the trees for groups; nil without trees

	drained []int32 // switches
	invalid []Finding
	found   results
	workers []*worker
}

// results of the workers, by LID or block of LIDs.
type results struct {
	delivers []uint64 // by LID, this many words each: a bit for each switch whose packets arrive
	words    int
	arriving []uint64 // by LID: SLs that arrive at its host's port; VLs if lanes.byInput
	toLID    []uint16 // by LID: SLs of all sources to it; with groups alone
	blocks   []examples
	sls      []uint16 // by channel: SLs of assigned traffic; VLs if lanes.byInput
}

// examplesShown is the number of examples kept of each finding.
const examplesShown = 5

// Judge proves a Plan or finds its faults. It fails only with a *ShapeError, or with the error of
// ctx.
func Judge(ctx context.Context, g *fabric.Graph, p *route.Plan, opt Options) (*Report, error) {
	if err := shape(g, p); err != nil {
		return nil, err
	}
	n := max(1, opt.Workers)
	j := prepare(g, p, n, room{})
	if err := j.walk(ctx, opt.Observe); err != nil {
		return nil, err
	}
	r := &Report{Size: Size{Switches: g.NumSwitches, Hosts: g.NumHosts, Channels: g.NumChannels, LIDs: j.LIDs.Used}}
	for _, is := range g.Aggregation {
		if is {
			r.Hosts, r.Aggregation = r.Hosts-1, r.Aggregation+1
		}
	}
	j.copies = j.readTrees()
	j.report(r)
	if err := j.verdicts(ctx, r); err != nil {
		return nil, err
	}
	if err := j.discards(ctx, r); err != nil {
		return nil, err
	}
	j.multicast(r)
	r.OK = len(r.Faults) == 0 && r.DeadlockFree == Yes && r.Find(NoLID) == nil && r.Find(Unclear) == nil &&
		(r.Multicast == nil || r.Multicast.DeadlockFree == Yes)
	return r, nil
}

// prepare reads the Plan for all workers. Masks and nodes have at least the needed room.
func prepare(g *fabric.Graph, p *route.Plan, workers int, need room) *judge {
	j := &judge{Facts: Facts{Graph: g, Plan: p, LIDs: readLIDs(g, &p.Ends)}, workers: make([]*worker, workers)}
	for s, yes := range g.Drained {
		if yes {
			j.drained = append(j.drained, int32(s))
		}
	}
	j.readChoice()
	j.lanes = j.readLanes(need)
	j.groups = newGroups(j)
	j.deps = newDeps(g, j.lanes)
	j.ports = newPortMap(g, j.deps)
	lids := len(j.LIDs.Owner)
	j.found.words = (g.NumSwitches + 63) / 64
	j.found.delivers = make([]uint64, lids*j.found.words)
	j.found.arriving = make([]uint64, lids)
	j.found.toLID = make([]uint16, lids)
	j.batches = newBatches(j)
	j.found.blocks = make([]examples, max(lids/route.BlockSize, p.Tables.NumBlocks()))
	return j
}

// mostBlocks is the largest number of successive blocks that a worker takes at once.
const mostBlocks = 16

// walk judges the tables block by block and joins the workers' dependencies.
func (j *judge) walk(ctx context.Context, observe func(int, *Facts) Observer) error {
	// Successive blocks have targets in one search of distances.
	blocks := len(j.found.blocks)
	share := max(1, min(blocks/len(j.workers)/8, mostBlocks))
	err := par.For(ctx, len(j.workers), (blocks+share-1)/share, func(i, part int) error {
		w := j.worker(i)
		if w.observer == nil && observe != nil {
			w.observer = observe(i, &j.Facts)
		}
		for block := part * share; block < min(blocks, (part+1)*share); block++ {
			w.judgeBlock(block)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	j.Pairs, j.found.sls = make([]int64, j.Graph.NumChannels), make([]uint16, j.Graph.NumChannels)
	if j.batches != nil {
		j.batches.finish(j.workers)
	}
	for _, w := range j.workers {
		if w != nil {
			j.deps.join(w.collector.deps)
			for c, on := range w.collector.channels {
				j.Pairs[c] += on.pairs
				j.found.sls[c] |= on.sls
			}
		}
	}
	return nil
}

// worker returns a worker and makes it on first use.
func (j *judge) worker(i int) *worker {
	if j.workers[i] == nil {
		j.workers[i] = newWorker(j)
	}
	return j.workers[i]
}

// invalidate records a fault of the Plan that shows without a walk.
func (j *judge) invalidate(kind Kind, what route.Remark) {
	for i := range j.invalid {
		if f := &j.invalid[i]; f.Kind == kind {
			f.add(func() route.Remark { return what })
			return
		}
	}
	j.invalid = append(j.invalid, Finding{Kind: kind, Count: 1, Examples: []route.Remark{what}})
}
