package check

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/judge/check/internal/search"
	"weft/route"
)

// worker judges the entries of one LID after another. It shares no memory with other workers.
type worker struct {
	j         *judge
	columns   columns
	distances *search.Distances
	paths     Paths
	senders   senders
	collector collector
	batch     *batch // nil where LIDs are judged one by one
	observer  Observer
	counts    counts
}

func newWorker(j *judge) *worker {
	s := newSenders(j)
	w := &worker{
		j: j, columns: newColumns(j.Plan.Tables, j.Graph.NumSwitches), distances: search.NewDistances(j.Graph),
		paths: newPaths(j), senders: s, collector: newCollector(j, s),
	}
	if j.batches != nil {
		w.batch = newBatch(w)
	}
	return w
}

// judgeBlock judges the entries of 64 LIDs.
func (w *worker) judgeBlock(block int) {
	found := &w.j.found.blocks[block]
	owners := w.loadBlock(block)
	good := uint64(0) // LIDs, as bits, that record takes
	if w.batch != nil && owners != nil {
		good = w.batch.judge(block, owners)
	}
	for k := range route.BlockSize {
		lid := fabric.LID(block*route.BlockSize + k)
		if owners == nil || owners[k] < 0 {
			w.countStale(lid, found)
			continue
		}
		if good>>k&1 == 1 {
			w.paths.shortest(lid, owners[k], w.distances)
			w.address(lid, owners[k])
			w.count(found)
		} else {
			w.follow(lid, owners[k])
			w.count(found)
			if w.batch != nil && w.batch.take(&w.paths) {
				good |= 1 << k
			} else {
				w.collector.collect(&w.paths)
				w.counts.transit += w.collector.takeDrained(&w.paths, found)
			}
		}
		if good>>k&1 == 1 {
			w.j.found.arriving[lid] = w.j.lanes.field(w.j.batches.all, assigned)
		}
		if w.observer != nil {
			w.observer.Observe(&w.paths)
		}
	}
	if good != 0 {
		w.batch.record(good)
	}
}

// loadBlock loads the tables of a block and the distances to its owners. It returns the owners by
// LID, nil if no LID of the block has one.
func (w *worker) loadBlock(block int) (owners []int32) {
	w.columns.block = block
	if first := block * route.BlockSize; first < len(w.j.LIDs.Owner) {
		owners = w.j.LIDs.Owner[first : first+route.BlockSize]
		w.distances.Find(owners, w.j.LIDs.Owner[first+route.BlockSize:])
	}
	return owners
}

// follow follows the paths to a LID of the loaded block, and finds the SLs of packets to it.
func (w *worker) follow(lid fabric.LID, owner int32) {
	w.paths.follow(lid, owner, w.columns.of(lid), w.distances)
	w.address(lid, owner)
}

// address finds the SLs of packets to a LID.
func (w *worker) address(lid fabric.LID, owner int32) {
	w.paths.LID, w.paths.Owner = lid, owner
	w.paths.users.set(w.j, lid, owner)
	w.senders.set(&w.paths)
}

// eachLID calls body for every LID in use, after following its paths and setting its masks.
func (j *judge) eachLID(ctx context.Context, body func(w *worker)) error {
	return par.For(ctx, len(j.workers), len(j.LIDs.Owner)/route.BlockSize, func(i, block int) error {
		w := j.worker(i)
		for k, owner := range w.loadBlock(block) {
			if owner >= 0 {
				w.follow(fabric.LID(block*route.BlockSize+k), owner)
				body(w)
			}
		}
		return nil
	})
}
