package check

import (
	"context"
	"fmt"
	"math"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Options are the options of Judge.
type Options struct {
	Workers int // goroutines, at least 1
}

// examplesShown is how many examples of each finding are kept.
const examplesShown = 5

// judge is one run of Judge.
type judge struct {
	g *fabric.Graph
	p *route.Plan

	owner    []int32 // by LID, whole blocks: the end port it names, -1 when none
	count    []int   // by end: LIDs
	isSource []bool  // by end: has a LID
	numLIDs  int
	ports    []hop     // by port slot: the hop through it, with nothing on it
	slots    []slots   // by switch
	hosts    []int32   // by switch: hosts that are sources
	sources  []int32   // by switch: hosts and port 0 that are sources
	drained  []int32   // switches
	turned   *byTarget // nil without a Choice
	lanes    *lanes
	groups   *groups // nil where each source needs a mask of its own
	deps     *deps

	reach      []uint64 // by LID, reachRow words: a bit for each switch that delivers
	reachRow   int
	arriving   []uint64 // by LID: SLs (VLs if lanes.inOut) that its host's port is sent
	toLID      []uint16 // by LID: SLs of all sources to it; with groups alone
	walkers    []*walker
	blocks     []blockResult
	noSL       []string
	badRows    int64
	badRowText []string
}

// slots are the port slots of a switch, and the LIDs that its table has room for.
type slots struct{ first, end, lids int32 }

// of is the slot of a port to which the entry of a LID leads, if both are there.
func (s *slots) of(port uint8, lid fabric.LID) (i int32, ok bool) {
	i = s.first + int32(port)
	return i, port != route.NoPort && i < s.end && int32(lid) < s.lids
}

// hop is how packets to a LID go on from a switch, and what goes there. All that is
// needed to carry them on lies together.
type hop struct {
	next  int32  // the next switch, or how the way ends; in ports -1 for nothing, -2-h for host h
	out   int32  // channel to it, -1 when none
	row   int64  // deps.row of that channel
	rank  int32  // deps.rank of it
	pairs int32  // pairs of hosts that pass or start there
	acc   uint64 // SLs that pass or start there
}

// Judge proves a Plan or finds its faults. It fails only with a *ShapeError, or
// with the error of ctx.
func Judge(ctx context.Context, g *fabric.Graph, p *route.Plan, opt Options) (*Report, error) {
	if err := shape(g, p); err != nil {
		return nil, err
	}
	j := &judge{g: g, p: p}
	workers := max(1, opt.Workers)
	j.prepare()
	j.walkers = make([]*walker, workers)
	j.blocks = make([]blockResult, max(len(j.owner)/route.BlockSize, p.Tables.NumBlocks()))
	err := par.For(ctx, workers, len(j.blocks), func(worker, i int) error {
		j.walker(worker).block(i)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, w := range j.walkers {
		if w != nil {
			j.deps.join(w.deps)
		}
	}
	r := &Report{}
	j.sum(r)
	if err := j.verdicts(ctx, workers, r); err != nil {
		return nil, err
	}
	if err := j.discards(ctx, workers, r); err != nil {
		return nil, err
	}
	if r.MultiHomed, err = j.redundancy(ctx, workers); err != nil {
		return nil, err
	}
	if p.Intended != nil {
		if err := j.intended(ctx, workers, r); err != nil {
			return nil, err
		}
	}
	r.OK = len(r.Faults) == 0 && r.DeadlockFree == Yes && r.Find(NoLID) == nil
	return r, nil
}

// walker is the walker of a worker, made when it is first needed.
func (j *judge) walker(worker int) *walker {
	if j.walkers[worker] == nil {
		j.walkers[worker] = newWalker(j)
	}
	return j.walkers[worker]
}

func (j *judge) prepare() {
	g := j.g
	j.names()
	j.hosts = make([]int32, g.NumSwitches)
	j.sources = make([]int32, g.NumSwitches)
	for e, yes := range j.isSource {
		if yes {
			s := g.EndSwitch[e]
			j.sources[s]++
			if e < g.NumHosts {
				j.hosts[s]++
			}
		}
	}
	for s, yes := range g.Drained {
		if yes {
			j.drained = append(j.drained, int32(s))
		}
	}
	if j.p.Choice != nil {
		j.turned = j.turnChoice(j.p.Choice)
	}
	j.lanes = newLanes(j)
	j.groups = newGroups(j)
	j.deps = newDeps(j)
	j.ports = make([]hop, len(g.Attached))
	for i, v := range g.Attached {
		if v >= 0 {
			j.ports[i] = hop{next: g.To[v], out: v, row: j.deps.row[v], rank: j.deps.rank[v]}
		} else {
			j.ports[i] = hop{next: v, out: -1}
		}
	}
	j.slots = make([]slots, g.NumSwitches)
	for s, first := range g.PortStart {
		j.slots[s] = slots{first, first + g.SwitchPorts[s] + 1, g.SwitchFDBCap[s]}
		if g.SwitchFDBCap[s] <= 0 {
			j.slots[s].lids = math.MaxInt32
		}
	}
	j.reachRow = (g.NumSwitches + 63) / 64
	j.reach = make([]uint64, len(j.owner)*j.reachRow)
	j.arriving = make([]uint64, len(j.owner))
	j.toLID = make([]uint16, len(j.owner))
}

// names finds out which end port each LID names; the first in order if several do.
func (j *judge) names() {
	ends := &j.p.Ends
	j.count = make([]int, j.g.NumEnds)
	j.isSource = make([]bool, j.g.NumEnds)
	top := 0
	for e, base := range ends.Base {
		if base == 0 || base > fabric.MaxUnicastLID {
			continue
		}
		j.count[e] = 1
		if ends.LMC[e] <= fabric.MaxLMC {
			j.count[e] = min(1<<ends.LMC[e], int(fabric.MaxUnicastLID)-int(base)+1)
		}
		j.isSource[e] = true
		top = max(top, int(base)+j.count[e]-1)
	}
	j.owner = make([]int32, (top/route.BlockSize+1)*route.BlockSize)
	for i := range j.owner {
		j.owner[i] = -1
	}
	for e, base := range ends.Base {
		for k := range j.count[e] {
			if l := int(base) + k; j.owner[l] < 0 {
				j.owner[l] = int32(e)
				j.numLIDs++
			}
		}
	}
}

// lidName names a LID for people.
func lidName(g *fabric.Graph, lid fabric.LID, owner int32) string {
	return fmt.Sprintf("LID %d of %s", lid, route.EndName(g, owner))
}

// portName names a port of a switch for people.
func portName(g *fabric.Graph, s int32, p uint8) string {
	return fmt.Sprintf("%s[%d]", route.SwitchName(g, s), p)
}
