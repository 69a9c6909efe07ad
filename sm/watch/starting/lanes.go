package starting

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/internal/hostlist"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm/terms"
)

// lanes holds which copies of the lanes (route/joblanes) jobs are on. The Plan has the copies from
// its routing on, and the judge has proven every pair on each of them. So a start changes no device
// and needs no proof: only answers to path queries change, and those of running jobs stay.
//
// Copies are found beside the loop (terms.Compute), one placing after the other. The answers to
// writes wait for it. A job that starts meanwhile gets its copy from the next placing.
type lanes struct {
	graph  *fabric.Graph // in force
	plan   *route.Plan
	find   *jobs.Finder // of graph; nil until it is needed
	pairs  *joblanes.Pairs
	placed []terms.Job // jobs that have their copies: those of pairs
	stale  bool        // another placing is needed
	under  *placing    // nil if none is under way
	held   []terms.Action
	counts *counts // belongs to the placing while one is under way
}

// placing finds copies for jobs. Until it has ended, only do uses it and the counts.
type placing struct {
	graph   *fabric.Graph
	plan    *route.Plan
	find    *jobs.Finder // of graph; nil: make one
	was     []terms.Job  // have their copies
	list    []terms.Job  // that run; after do with their copies
	counts  *counts
	pairs   *joblanes.Pairs // of list
	answers []terms.Action  // to the writes that it serves
	void    bool            // the list is that of an earlier master
}

// counts counts the jobs on channels.
type counts struct {
	graph *fabric.Graph
	plan  *route.Plan
	find  *jobs.Finder
	used  map[string]usage // by job
	load  [][]uint16       // by copy and channel: jobs on that copy that use the channel
}

// usage holds the channels of a job.
type usage struct {
	nodes    string
	copied   int
	channels []int32
}

// claim says that packets between some nodes take a copy of the lanes.
type claim struct {
	nodes  string
	copied int
}

// On takes the Graph and the Plan in force.
func (m *Machine) On(g *fabric.Graph, plan *route.Plan) {
	l := &m.lanes
	was := l.graph
	if l.graph, l.plan = g, plan; was != g {
		l.find = nil
	}
	switch {
	case !l.exist():
		l.pairs = nil
	case l.pairs == nil:
		l.pairs = l.pairsOf(l.placed)
	case was != g:
		l.pairs = l.pairs.On(was, g)
		l.stale = l.stale || len(m.list) > 0 && !haveSameHosts(was, g)
	}
}

// exist reports whether the Plan in force has copies.
func (l *lanes) exist() bool { return l.graph != nil && len(l.plan.JobLanes) > 0 }

// haveSameHosts reports whether names stand for the same end ports in two Graphs.
func haveSameHosts(a, b *fabric.Graph) bool {
	return slices.Equal(a.EndGUID, b.EndGUID) && slices.Equal(a.EndNodeGUID, b.EndNodeGUID) && slices.Equal(a.EndSystem, b.EndSystem) && slices.Equal(a.EndDesc, b.EndDesc)
}

// Pairs returns which pairs of end ports are on which copies of the lanes of the Plan in force; nil
// if it has none.
func (m *Machine) Pairs() *joblanes.Pairs { return m.lanes.pairs }

// pairsOf returns the pairs of jobs in the Graph in force.
func (l *lanes) pairsOf(list []terms.Job) *joblanes.Pairs {
	if len(list) == 0 {
		return joblanes.NewPairs(l.graph.NumEnds, nil)
	}
	return joblanes.NewPairs(l.graph.NumEnds, Claims(l.finder(), list))
}

// Answer appends the outcome of a write, or holds it until the jobs have their copies.
func (m *Machine) Answer(a terms.Action, out []terms.Action) []terms.Action {
	l := &m.lanes
	if a.Err != nil || !l.stale && l.under == nil {
		return append(out, a)
	}
	l.held = append(l.held, a)
	return m.Place(out)
}

// Place begins to find copies beside the loop, if that is needed.
func (m *Machine) Place(out []terms.Action) []terms.Action {
	l := &m.lanes
	switch {
	case l.under != nil || !l.stale:
		return out
	case !l.exist():
		l.stale, l.placed = false, m.list
		return m.Release(out)
	}
	if l.counts == nil {
		l.counts = &counts{}
	}
	l.under = &placing{graph: l.graph, plan: l.plan, find: l.find, was: l.placed, list: m.list, counts: l.counts, answers: l.held}
	l.stale, l.held = false, nil
	return append(out, terms.Action{Kind: terms.Compute, Do: l.under.do})
}

// Placed takes the end of a placing. Jobs that run still get their copies, and the writes that it
// served their answers.
func (m *Machine) Placed(out []terms.Action) []terms.Action {
	l := &m.lanes
	p := l.under
	if l.under = nil; !p.void {
		m.list = withCopies(m.list, p.list)
		l.placed = p.list
		switch {
		case !l.exist():
		case p.graph == l.graph:
			l.pairs, l.find = p.pairs, p.counts.find
		default:
			l.pairs = p.pairs.On(p.graph, l.graph)
			l.stale = l.stale || !haveSameHosts(p.graph, l.graph)
		}
	}
	out = m.answer(p.answers, out)
	return m.Place(out)
}

// Release appends all answers that are held: nobody waits for copies any more.
func (m *Machine) Release(out []terms.Action) []terms.Action {
	l := &m.lanes
	if l.under != nil {
		out, l.under.answers = m.answer(l.under.answers, out), nil
	}
	out, l.held = m.answer(l.held, out), nil
	return out
}

// answer appends answers to writes.
func (m *Machine) answer(list, out []terms.Action) []terms.Action {
	for i := range list {
		list[i].Jobs.List = m.list
	}
	return append(out, list...)
}

// withCopies returns a list of jobs with the copies of another list. Jobs that have other nodes
// there, or are not there, stay as they are.
func withCopies(list, placed []terms.Job) []terms.Job {
	found := make(map[string]*terms.Job, len(placed))
	for i := range placed {
		found[placed[i].ID] = &placed[i]
	}
	list = slices.Clone(list)
	for i := range list {
		if j := found[list[i].ID]; j != nil && isSame(j, &list[i]) {
			list[i].Copy, list[i].Shares = j.Copy, j.Shares
		}
	}
	return list
}

// do finds the copies, and the pairs on them.
func (p *placing) do() {
	c := p.counts
	if c.graph != p.graph {
		*c = counts{graph: p.graph, find: p.find}
	}
	if c.plan = p.plan; c.find == nil {
		c.find = jobs.NewFinder(p.graph)
	}
	p.list = c.give(p.was, p.list)
	p.pairs = joblanes.NewPairs(p.graph.NumEnds, Claims(c.find, p.list))
}

// Claims returns the claims of jobs on copies of the lanes, in a Graph. The first one that holds a
// pair counts.
func Claims(find *jobs.Finder, list []terms.Job) (all []joblanes.Claim) {
	for _, c := range claims(list) {
		hosts, _, _ := find.Match(c.nodes) // it was a list when the job began
		all = append(all, joblanes.Claim{Hosts: hosts, Copy: c.copied})
	}
	return all
}

func (l *lanes) finder() *jobs.Finder {
	if l.find == nil {
		l.find = jobs.NewFinder(l.graph)
	}
	return l.find
}

// claims lists the claims of jobs with several nodes, in the order in which they count.
func claims(list []terms.Job) (all []claim) {
	for i := range list {
		j := &list[i]
		for _, s := range j.Shares {
			all = append(all, claim{s.Nodes, s.Copy})
		}
		if j.Count > 1 {
			all = append(all, claim{j.Nodes, j.Copy})
		}
	}
	return all
}

// give returns a list of jobs that run with their copies. was has the jobs with copies.
func (c *counts) give(was, list []terms.Job) []terms.Job {
	list = slices.Clone(list)
	runs := make(map[string]bool, len(list))
	for i := range list {
		runs[list[i].ID] = true
	}
	var now []terms.Job
	place := make(map[string]int, len(list)) // in now, by ID
	for i := range was {
		if runs[was[i].ID] {
			place[was[i].ID] = len(now)
			now = append(now, was[i])
		}
	}
	c.follow(now)
	nodes, users := nodeSets{}, map[string][]int{} // by node: places in now of jobs on it
	for i := range now {
		nodes.addUser(users, &now[i], i)
	}
	for i := range list {
		j := &list[i]
		before, ran := place[j.ID]
		if ran && isSame(&now[before], j) {
			j.Copy, j.Shares = now[before].Copy, now[before].Shares
			continue
		}
		if !ran {
			before = len(now)
			now = append(now, *j)
		}
		var channels []int32
		if j.Count > 1 {
			if channels = c.channels(j.Nodes); ran {
				j.Copy = now[before].Copy
			} else {
				j.Copy = c.least(channels)
			}
			j.Shares = nodes.shares(claims(nodes.neighbours(users, now, j)), j)
			nodes.addUser(users, j, before)
		}
		c.drop(j.ID)
		now[before] = *j
		c.add(j, channels)
	}
	return list
}

// nodeSets holds the nodes of lists, so that each list is expanded once.
type nodeSets map[string]map[string]bool

// of returns the nodes of a list as a set.
func (n nodeSets) of(list string) map[string]bool {
	set, met := n[list]
	if !met {
		names, _ := hostlist.Expand(list) // it was a list when the job began
		set = make(map[string]bool, len(names))
		for _, name := range names {
			set[name] = true
		}
		n[list] = set
	}
	return set
}

// addUser adds a job with its place in a list to the users of its nodes.
func (n nodeSets) addUser(users map[string][]int, j *terms.Job, at int) {
	for node := range n.of(j.Nodes) {
		users[node] = append(users[node], at)
	}
}

// neighbours returns the jobs of a list that have nodes in common with a job.
func (n nodeSets) neighbours(users map[string][]int, list []terms.Job, j *terms.Job) (near []terms.Job) {
	var places []int
	for node := range n.of(j.Nodes) {
		places = append(places, users[node]...)
	}
	slices.Sort(places)
	for _, i := range slices.Compact(places) {
		near = append(near, list[i])
	}
	return near
}

// shares returns the copies that pairs of nodes of a job have already, since other jobs run on
// them: those stay. If all its pairs have one copy, the job gets it.
func (n nodeSets) shares(all []claim, j *terms.Job) (list []terms.LaneShare) {
	mine := n.of(j.Nodes)
	var sets []map[string]bool
	for _, c := range all {
		both := map[string]bool{}
		for node := range n.of(c.nodes) {
			if mine[node] {
				both[node] = true
			}
		}
		if len(both) < 2 || slices.ContainsFunc(sets, func(s map[string]bool) bool { return isWithin(both, s) }) {
			continue
		}
		if len(sets) == 0 && len(both) == len(mine) {
			j.Copy = c.copied
			return nil
		}
		sets = append(sets, both)
		names := make([]string, 0, len(both))
		for node := range both {
			names = append(names, node)
		}
		list = append(list, terms.LaneShare{Nodes: hostlist.Compress(names), Copy: c.copied})
	}
	for len(list) > 0 && list[len(list)-1].Copy == j.Copy {
		list = list[:len(list)-1]
	}
	return list
}

// isWithin reports whether all of a set are in another one.
func isWithin(a, b map[string]bool) bool {
	for x := range a {
		if !b[x] {
			return false
		}
	}
	return true
}

// follow makes used and load those of some jobs.
func (c *counts) follow(list []terms.Job) {
	if copies := len(c.plan.JobLanes) + 1; len(c.load) != copies {
		c.used, c.load = map[string]usage{}, make([][]uint16, copies)
		for i := range c.load {
			c.load[i] = make([]uint16, c.graph.NumChannels)
		}
	}
	runs := make(map[string]*terms.Job, len(list))
	for i := range list {
		runs[list[i].ID] = &list[i]
	}
	for id, u := range c.used {
		if j := runs[id]; j == nil || j.Nodes != u.nodes || j.Copy != u.copied {
			c.drop(id)
		}
	}
	for i := range list {
		if j := &list[i]; c.counts(j) {
			c.add(j, c.channels(j.Nodes))
		}
	}
}

// counts reports whether a job's channels are to be counted, and are not yet.
func (c *counts) counts(j *terms.Job) bool {
	_, met := c.used[j.ID]
	return !met && j.Count > 1 && j.Copy < len(c.load)
}

// add counts the channels of a job.
func (c *counts) add(j *terms.Job, channels []int32) {
	if !c.counts(j) {
		return
	}
	u := usage{j.Nodes, j.Copy, channels}
	c.used[j.ID] = u
	for _, ch := range u.channels {
		c.load[u.copied][ch]++
	}
}

// drop takes the channels of a job out of the counts.
func (c *counts) drop(id string) {
	u := c.used[id]
	for _, ch := range u.channels {
		c.load[u.copied][ch]--
	}
	delete(c.used, id)
}

// channels returns the channels between switches that the pairs of some nodes use.
func (c *counts) channels(nodes string) (list []int32) {
	hosts, _, _ := c.find.Match(nodes)
	set, _ := joblanes.Used(context.Background(), c.graph, c.plan, hosts) // it is not cancelled
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// least returns the copy on which channels are shared with the fewest jobs, each counted once for
// each channel.
func (c *counts) least(channels []int32) (best int) {
	least := -1
	for copied, load := range c.load {
		sum := 0
		for _, ch := range channels {
			sum += int(load[ch])
		}
		if least < 0 || sum < least {
			best, least = copied, sum
		}
	}
	return best
}
