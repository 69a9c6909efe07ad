package starting

import (
	"slices"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm/terms"
)

// lanes holds which copies of the lanes (route/joblanes) jobs are on. The Plan has the copies from
// its routing on, and the judge has proven every pair on each of them. So a start changes no device
// and needs no proof: only answers to path queries change, and answers for running jobs stay.
//
// Copies are found beside the loop (terms.Compute), one placing after the other. The answers to
// writes wait for it. A job that starts meanwhile gets its copy from the next placing. One placing
// finds copies for mostPlaced jobs: so a start waits for a part of a long list, and comes before
// the rest of it.
type lanes struct {
	graph *fabric.Graph // in force
	plan  *route.Plan
	find  *jobs.Finder // of this Graph or an earlier one; nil until it is needed
	paired
	placed []terms.Job // jobs that have their copies, and are in pairs
	stale  bool        // another placing is needed
	under  *placing    // nil if none is under way
	held   []answer
	counts *counts // belongs to the placing while one is under way
}

// paired holds the pairs of jobs that have their copies.
type paired struct {
	pairs *joblanes.Pairs
	by    *fabric.Graph
	named map[string][]int32 // by name of a node: the numbers of its claims, whether it is there or not
}

// placing finds copies for jobs. Until it has ended, only do uses it and the counts.
type placing struct {
	graph   *fabric.Graph
	plan    *route.Plan // nil: all have their copies
	was     []terms.Job // have their copies
	list    []terms.Job // that run; after do with their copies
	counts  *counts
	paired                  // of list
	first   map[string]bool // by ID: jobs that started one by one
	answers []answer        // to writes before it
	left    bool            // some jobs are without a copy: the next placing finds theirs
	void    bool            // the list is that of an earlier master
}

// mostPlaced is the number of jobs that get copies in one placing: on 11,664 hosts with jobs of 16
// nodes, some 30 ms of work.
const mostPlaced = 200

// answer is the outcome of a write, which waits until the jobs of the write have their copies.
type answer struct {
	terms.Action
	id string // of the job; "": it waits for all jobs
}

// claim says that packets between some nodes take a copy of the lanes.
type claim struct {
	nodes  string
	copied int
}

// On takes the Graph and the Plan in force.
func (m *Machine) On(g *fabric.Graph, plan *route.Plan) {
	l := &m.lanes
	l.graph, l.plan = g, plan
	l.follow()
}

// follow makes the pairs for the Graph and the Plan in force.
func (l *lanes) follow() {
	switch {
	case !l.exist():
		l.pairs = nil
	case l.pairs == nil:
		l.paired = pair(l.graph, func(text string) nodeList { return expand(l.finder(), text) }, l.placed)
	case l.by != l.graph:
		l.pairs = l.pairs.On(l.by, l.graph, l.claimsOf)
		l.stale = l.stale || len(l.placed) > 0 && !jobs.SameHosts(l.by, l.graph)
	}
	l.by = l.graph
}

// exist reports whether the Plan in force has copies.
func (l *lanes) exist() bool { return l.graph != nil && len(l.plan.JobLanes) > 0 }

// Pairs returns which pairs of end ports are on which copies of the lanes of the Plan in force; nil
// if it has none.
func (m *Machine) Pairs() *joblanes.Pairs { return m.lanes.pairs }

// pair returns the pairs of jobs in a Graph, given the nodes of lists.
func pair(g *fabric.Graph, nodes func(text string) nodeList, list []terms.Job) paired {
	p := paired{by: g, named: map[string][]int32{}}
	var on []joblanes.Claim
	for i, c := range claims(list) {
		has := nodes(c.nodes)
		on = append(on, joblanes.Claim{Hosts: has.hosts, Copy: c.copied})
		for _, name := range has.names {
			p.named[name] = append(p.named[name], int32(i))
		}
	}
	p.pairs = joblanes.NewPairs(g.NumEnds, on)
	return p
}

// claimsOf returns the numbers of the claims of a port that was not there when the pairs were made.
func (l *lanes) claimsOf(end int32) []int32 {
	if l.graph.IsHost(end) {
		for _, name := range jobs.Names(l.graph, end) {
			if has := l.named[name]; has != nil {
				return has
			}
		}
	}
	return nil
}

// Answer appends the outcome of a write, or holds it until the jobs have their copies.
func (m *Machine) Answer(a terms.Action, w *terms.JobWrite, out []terms.Action) []terms.Action {
	l := &m.lanes
	if a.Err != nil || !l.stale && l.under == nil {
		return append(out, a)
	}
	to := answer{a, w.End}
	if w.Start != nil {
		to.id = w.Start.ID
	}
	if !l.stale { // the job began before
		l.under.answers = append(l.under.answers, to)
		return out
	}
	l.held = append(l.held, to)
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
	l.stale = false
	return m.begin(l.graph, l.plan, out)
}

// Foresee begins to find the pairs of jobs in the Graph of a round, where none are known, so that
// they are there when its Plan comes into force: after a start or a takeover.
func (m *Machine) Foresee(g *fabric.Graph, out []terms.Action) []terms.Action {
	if l := &m.lanes; l.pairs != nil || l.under != nil || len(m.list) == 0 {
		return out
	}
	return m.begin(g, nil, out)
}

// begin begins a placing.
func (m *Machine) begin(g *fabric.Graph, plan *route.Plan, out []terms.Action) []terms.Action {
	l := &m.lanes
	if l.counts == nil {
		l.counts = &counts{}
	}
	l.under = &placing{graph: g, plan: plan, was: l.placed, list: m.list, counts: l.counts, first: map[string]bool{}, answers: l.held}
	for _, a := range l.held {
		l.under.first[a.id] = true
	}
	l.held = nil
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
		if l.paired = p.paired; l.graph != nil {
			l.follow()
		}
		l.find = p.counts.nodes.find
	}
	if p.left && !p.void {
		l.stale = true
		l.held = append(p.unserved(m.list), l.held...)
	}
	out = m.answer(p.answers, out)
	return m.Place(out)
}

// unserved takes out the answers whose jobs run and have no copy yet.
func (p *placing) unserved(runs []terms.Job) (list []answer) {
	waits := make(map[string]*terms.Job, len(runs))
	for i := range runs {
		waits[runs[i].ID] = &runs[i]
	}
	for i := range p.list {
		if j := &p.list[i]; waits[j.ID] != nil && isSame(waits[j.ID], j) {
			delete(waits, j.ID)
		}
	}
	isServed := func(a answer) bool { return a.id != "" && waits[a.id] == nil }
	for _, a := range p.answers {
		if !isServed(a) {
			list = append(list, a)
		}
	}
	p.answers = slices.DeleteFunc(p.answers, func(a answer) bool { return !isServed(a) })
	return list
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

// answer appends held answers to writes, with the jobs that run now.
func (m *Machine) answer(list []answer, out []terms.Action) []terms.Action {
	for i := range list {
		list[i].Jobs.List = m.list
		out = append(out, list[i].Action)
	}
	return out
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
		*c = counts{graph: p.graph, nodes: nodes{find: c.nodes.find.On(p.graph), of: map[string]int32{}}}
	}
	c.nodes.begin()
	if c.plan = p.plan; p.plan != nil {
		p.list, p.left = c.give(p.was, p.list, p.first)
	}
	p.paired = pair(p.graph, c.nodes.list, p.list)
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

// finder returns the Finder of the Graph in force.
func (l *lanes) finder() *jobs.Finder {
	l.find = l.find.On(l.graph)
	return l.find
}

// claims lists the claims of jobs with several nodes. The first that holds two nodes counts for
// them.
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
