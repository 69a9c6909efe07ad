package concurrent

import (
	"cmp"
	"context"
	"slices"
	"time"

	"weft/internal/event"
	"weft/mapping"
	"weft/mapping/internal/survey"
)

const (
	// mostTasks is the maximum number of switches that a member visits in a round: several members
	// may all find the same switch.
	mostTasks = 2
	// sureShare is the expected share of answers above which all members sound with a string. A
	// string that led to a host from such a position, and was not tried there since, has 7/9.
	sureShare = 0.7
)

// task is a switch to visit; explore is false if it is only sounded.
type task struct {
	vertex  int32
	explore bool
}

// worker is a member in a round.
type worker struct {
	host     int32
	tasks    []task
	explorer *survey.Explorer // nil until it begins
	mapper   *coroutine
	prober   *mapping.Mapper
	probe    []mapping.Turn // its next probe
	now      time.Duration
	told     time.Duration // the leader's time to tell it its tasks
	reported bool          // its findings reached the leader
}

// meeting is two groups that met, and the member that found it out; nil if both leaders know.
type meeting struct {
	groups [2]*group
	by     *worker
}

// assign shares the switches with ports in doubt among the members of a group: each goes to the
// nearest member with the fewest tasks. The rest waits for later rounds. It reports whether there
// are such switches.
func (s *merging) assign(g *group) (busy bool) {
	g.workers, g.ended = nil, false
	e := survey.NewExplorer(s.ctx, g.graph, nil, s.n.Hosts[g.leader])
	e.Soundings = g.soundings
	byHost := map[int32]*worker{}
	explored := map[int]bool{} // positions of unexplored switches that a member explores
	for _, t := range s.openTasks(g, e, explored) {
		host := s.nearestMember(g, t.vertex, byHost)
		w := byHost[host]
		if w == nil {
			w = s.newWorker(g, host)
			byHost[host] = w
			g.workers = append(g.workers, w)
		}
		if len(w.tasks) < mostTasks {
			w.tasks = append(w.tasks, t)
		}
	}
	busy = len(g.workers) > 0
	g.workers = slices.DeleteFunc(g.workers, func(w *worker) bool { return !s.tell(g, w) })
	return busy
}

// tell sends a member its tasks, and reports whether they arrived.
func (s *merging) tell(g *group, w *worker) (arrived bool) {
	if w.host == g.leader {
		return true
	}
	w.told, arrived = s.mail.send(0, func() {})
	return arrived
}

// openTasks lists the switches with ports in doubt, near the leader first, up to the number that
// the members can take.
func (s *merging) openTasks(g *group, e *survey.Explorer, explored map[int]bool) (tasks []task) {
	for _, v := range e.Tree().Order {
		if len(tasks) == 2*mostTasks*len(g.members) {
			break
		}
		if g.graph.IsHost(v) || !e.IsOpen(v) {
			continue
		}
		t := task{v, true}
		if e.IsUnexplored(v) {
			_, position, share := e.BestSounding(v)
			if t.explore = share < sureShare; t.explore && explored[position] {
				continue
			}
			explored[position] = explored[position] || t.explore
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// nearestMember returns the member nearest to a vertex; in a tie, the one with the fewest tasks.
func (s *merging) nearestMember(g *group, v int32, byHost map[int32]*worker) int32 {
	host, within, fewest := int32(-1), 0, 0
	for u, wires := range g.graph.Around(v) {
		if host >= 0 && wires > within {
			break
		}
		if !g.graph.IsHost(u) {
			continue
		}
		h, tasks := s.byID[g.graph.Hosts[g.graph.HostIndex(u)].ID], 0
		if w := byHost[h]; w != nil {
			tasks = len(w.tasks)
		}
		if s.groupOf[h] == g && (host < 0 || tasks < fewest) {
			host, within, fewest = h, wires, tasks
		}
	}
	return host
}

// newWorker prepares a member for a round. It works on a clone of the group's graph.
func (s *merging) newWorker(g *group, host int32) *worker {
	w := &worker{host: host, prober: s.newProber(host)}
	w.mapper = newCoroutine(s.ctx, func(ctx context.Context, p mapping.Prober) {
		w.explorer = survey.NewExplorer(ctx, g.graph.Clone(), p, s.n.Hosts[host])
		w.explorer.Soundings = g.soundings.Clone()
		w.explorer.EndVisit = func(h mapping.Host) bool { return s.meet(w, g, s.groupOf[s.byID[h.ID]]) }
		w.run()
	})
	return w
}

// run carries out the tasks.
func (w *worker) run() {
	e := w.explorer
	for _, t := range w.tasks {
		switch {
		case !e.Map.IsRoot(t.vertex) || !e.IsOpen(t.vertex):
		case t.explore:
			e.Visit(t.vertex)
		default:
			e.Sound(t.vertex)
		}
	}
}

// meet notes that a member of group g found a host, and reports whether that is in another group.
// The group with the higher leader ends its round.
func (s *merging) meet(by *worker, g, other *group) bool {
	if other == g {
		return false
	}
	s.met = append(s.met, meeting{[2]*group{g, other}, by})
	if s.isLower(other, g) {
		g.ended = true
	} else {
		other.ended = true
	}
	return true
}

// work runs the workers, always the one with the least time; in a tie, the first in the list.
func (s *merging) work(workers []*worker) {
	var next event.Queue[time.Duration, int]
	put := func(i int) { next.Put(workers[i].now*time.Duration(len(workers))+time.Duration(i), i) }
	for i := range workers {
		put(i)
	}
	for next.Len() > 0 {
		if _, i := next.Take(); s.step(workers[i]) {
			put(i)
		}
	}
}

// step sends a worker's next probe, and runs it to the one after. It returns false when the worker
// has ended.
func (s *merging) step(w *worker) bool {
	if s.groupOf[w.host].ended || s.ctx.Err() != nil {
		w.mapper.stop()
		return false
	}
	if w.explorer != nil { // it has begun
		s.sent++
		w.mapper.reply, w.mapper.took = w.prober.Probe(w.probe)
		w.now += w.mapper.took
	}
	turns, more := w.mapper.next()
	if more && s.isSpent() {
		w.mapper.stop()
		more = false
	}
	w.probe = turns
	return more
}

// report merges the members' findings into the leader's graph. It returns when that is done, and
// the number of probes sent.
func (s *merging) report(g *group) (done time.Duration, probes int) {
	base := g.graph.Len()
	slices.SortStableFunc(g.workers, func(a, b *worker) int { return cmp.Compare(a.now, b.now) })
	for _, w := range g.workers {
		done = max(done, w.now) + w.told
		if w.explorer == nil {
			continue // the round was over before it began
		}
		probes += w.explorer.Probes.Total().Sent
		s.result.Probes.Add(&w.explorer.Probes)
		s.delays += w.prober.Delays()
		learn := func() {
			g.graph.Learn(w.explorer.Map, base)
			g.soundings.Absorb(w.explorer.Soundings)
			w.reported = true
		}
		if w.host == g.leader {
			learn()
			continue
		}
		took, _ := s.mail.send(w.explorer.Map.Added(), learn)
		done += took
	}
	return done, probes
}

// mergeGroups merges groups that met. It returns the time taken. Groups whose message was lost have
// still met after the next round.
func (s *merging) mergeGroups() time.Duration {
	took := map[*group]time.Duration{}
	var left []meeting
	for _, m := range s.met {
		a, b := s.groupOf[m.groups[0].leader], s.groupOf[m.groups[1].leader] // now
		if a == b || m.by != nil && !m.by.reported {
			continue
		}
		if s.isLower(b, a) {
			a, b = b, a
		}
		spent, arrived := s.mail.send(b.graph.Len(), func() { s.absorb(a, b) })
		took[a] = max(took[a], took[b]) + spent
		if !arrived {
			left = append(left, meeting{groups: m.groups})
		}
	}
	s.met = left
	slowest := time.Duration(0)
	for _, t := range took {
		slowest = max(slowest, t)
	}
	return slowest
}

// absorb makes group b a part of group a.
func (s *merging) absorb(a, b *group) {
	a.graph.Absorb(b.graph)
	a.soundings.Absorb(b.soundings)
	a.members = append(a.members, b.members...)
	for _, h := range b.members {
		s.groupOf[h] = a
	}
}
