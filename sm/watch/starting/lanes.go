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

// lanes gives jobs that start copies of the lanes (route/joblanes). The Plan has the copies from
// its routing on, and the judge has proven every pair on each of them. So a start changes no device
// and needs no proof: only answers to path queries change, and those of running jobs stay.
type lanes struct {
	graph *fabric.Graph // in force
	plan  *route.Plan
	find  *jobs.Finder     // of graph; nil until it is needed
	used  map[string]usage // by job
	load  [][]uint16       // by copy and channel: jobs on that copy that use the channel
	pairs *joblanes.Pairs  // of the jobs told, in the Graph by
	told  []terms.Job
	by    *fabric.Graph
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
	if l := &m.lanes; l.graph != g {
		*l = lanes{graph: g, plan: plan, pairs: l.pairs, told: l.told, by: l.by}
	} else {
		l.plan = plan
	}
}

// Pairs returns which pairs of end ports are on which copies of the lanes of the Plan in force; nil
// if it has none.
func (m *Machine) Pairs() *joblanes.Pairs {
	l := &m.lanes
	switch {
	case l.graph == nil || len(l.plan.JobLanes) == 0:
		l.pairs, l.told, l.by = nil, nil, nil
		return nil
	case l.by == l.graph && isSameList(l.told, m.list):
		return l.pairs
	}
	if l.pairs == nil || l.by != l.graph || !haveSameClaims(l.told, m.list) {
		l.pairs = joblanes.NewPairs(l.graph.NumEnds, Claims(l.finder(), m.list))
	}
	l.told, l.by = m.list, l.graph
	return l.pairs
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

// isSameList reports whether two lists are the same memory.
func isSameList(a, b []terms.Job) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// haveSameClaims reports whether two lists lead to the same claims.
func haveSameClaims(a, b []terms.Job) bool {
	return slices.EqualFunc(a, b, func(x, y terms.Job) bool {
		return x.Nodes == y.Nodes && x.Copy == y.Copy && slices.Equal(x.Shares, y.Shares)
	})
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

// giveLanes gives copies to the jobs of a new list that have started. was is the list before.
func (m *Machine) giveLanes(was, list []terms.Job, changed []change) {
	l := &m.lanes
	if l.graph == nil || len(l.plan.JobLanes) == 0 {
		return
	}
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].ID] = i
	}
	now := make([]terms.Job, 0, len(list))
	for i := range was {
		if _, runs := at[was[i].ID]; runs {
			now = append(now, was[i])
		}
	}
	place := make(map[string]int, len(list))
	for i := range now {
		place[now[i].ID] = i
	}
	l.follow(now)
	users := map[string][]string{} // by node: IDs of jobs on it
	for i := range now {
		addUser(users, &now[i])
	}
	for i := range changed {
		if changed[i].ended {
			continue
		}
		j := &list[at[changed[i].job.ID]]
		before, ran := place[j.ID]
		if j.Count > 1 {
			if ran {
				j.Copy = now[before].Copy
			} else {
				j.Copy = l.least(j.Nodes)
			}
			j.Shares = shares(claims(neighbours(users, now, j)), j)
			addUser(users, j)
		}
		if ran {
			l.drop(j.ID)
			now[before] = *j
		} else {
			place[j.ID] = len(now)
			now = append(now, *j)
		}
		l.add(j)
	}
}

// addUser adds a job to the users of its nodes.
func addUser(users map[string][]string, j *terms.Job) {
	for node := range nodesOf(j.Nodes) {
		users[node] = append(users[node], j.ID)
	}
}

// neighbours returns the jobs of a list that have nodes in common with a job.
func neighbours(users map[string][]string, list []terms.Job, j *terms.Job) (near []terms.Job) {
	ids := map[string]bool{}
	for node := range nodesOf(j.Nodes) {
		for _, id := range users[node] {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	for i := range list {
		if ids[list[i].ID] {
			near = append(near, list[i])
		}
	}
	return near
}

// shares returns the copies that pairs of nodes of a job have already, since other jobs run on
// them: those stay. If all its pairs have one copy, the job gets it.
func shares(all []claim, j *terms.Job) (list []terms.LaneShare) {
	mine := nodesOf(j.Nodes)
	var sets []map[string]bool
	for _, c := range all {
		both := map[string]bool{}
		for node := range nodesOf(c.nodes) {
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

// nodesOf returns the nodes of a list as a set.
func nodesOf(list string) map[string]bool {
	names, _ := hostlist.Expand(list) // it was a list when the job began
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
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
func (l *lanes) follow(list []terms.Job) {
	if copies := len(l.plan.JobLanes) + 1; len(l.load) != copies {
		l.used, l.load = map[string]usage{}, make([][]uint16, copies)
		for i := range l.load {
			l.load[i] = make([]uint16, l.graph.NumChannels)
		}
	}
	runs := make(map[string]*terms.Job, len(list))
	for i := range list {
		runs[list[i].ID] = &list[i]
	}
	for id, u := range l.used {
		if j := runs[id]; j == nil || j.Nodes != u.nodes || j.Copy != u.copied {
			l.drop(id)
		}
	}
	for i := range list {
		l.add(&list[i])
	}
}

// add counts the channels of a job.
func (l *lanes) add(j *terms.Job) {
	if _, met := l.used[j.ID]; met || j.Count < 2 || j.Copy >= len(l.load) {
		return
	}
	u := usage{j.Nodes, j.Copy, l.channels(j.Nodes)}
	l.used[j.ID] = u
	for _, c := range u.channels {
		l.load[u.copied][c]++
	}
}

// drop takes the channels of a job out of the counts.
func (l *lanes) drop(id string) {
	u := l.used[id]
	for _, c := range u.channels {
		l.load[u.copied][c]--
	}
	delete(l.used, id)
}

// channels returns the channels between switches that the pairs of some nodes use.
func (l *lanes) channels(nodes string) (list []int32) {
	hosts, _, _ := l.finder().Match(nodes)
	set, _ := joblanes.Used(context.Background(), l.graph, l.plan, hosts) // it is not cancelled
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// least returns the copy on which some nodes share the fewest channels with other jobs, each
// counted once for each job.
func (l *lanes) least(nodes string) (best int) {
	channels, least := l.channels(nodes), -1
	for copied, load := range l.load {
		sum := 0
		for _, c := range channels {
			sum += int(load[c])
		}
		if least < 0 || sum < least {
			best, least = copied, sum
		}
	}
	return best
}
