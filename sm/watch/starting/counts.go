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

// counts counts the jobs on channels.
type counts struct {
	graph *fabric.Graph
	plan  *route.Plan
	nodes nodes
	used  map[string]usage // by job
	load  [][]uint16       // by copy and channel: jobs on that copy that use the channel
}

// usage holds the channels of a job.
type usage struct {
	nodes    string
	copied   int
	channels []int32
}

// give returns the jobs that run, each with a copy of the lanes. Jobs of was keep their copies
// while their nodes stay. Of the other jobs, all in first get copies, and then more up to
// mostPlaced. left reports that some must wait: a new job among them is not in given, and a job
// with other nodes is there as in was.
func (c *counts) give(was, list []terms.Job, first map[string]bool) (given []terms.Job, left bool) {
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
	nodes := &c.nodes
	for i := range now {
		nodes.addUser(&now[i], i)
	}
	var order, rest []int // jobs without a copy
	for i := range list {
		j := &list[i]
		switch before, ran := place[j.ID]; {
		case ran && isSame(&now[before], j):
			j.Copy, j.Shares = now[before].Copy, now[before].Shares
		case first[j.ID]:
			order = append(order, i)
		default:
			rest = append(rest, i)
		}
	}
	room := min(len(rest), max(0, mostPlaced-len(order)))
	for _, i := range append(order, rest[:room]...) {
		j := &list[i]
		before, ran := place[j.ID]
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
			j.Shares = nodes.shares(claims(nodes.neighbours(now, j)), j)
			nodes.addUser(j, before)
		}
		c.drop(j.ID)
		now[before] = *j
		c.add(j, channels)
	}
	return without(list, rest[room:], was), room < len(rest)
}

// without returns a list without the jobs at some places, ascending. If was has such a job, with
// other nodes, the job stays as it is in was.
func without(list []terms.Job, places []int, was []terms.Job) []terms.Job {
	if len(places) == 0 {
		return list
	}
	before := make(map[string]*terms.Job, len(was))
	for i := range was {
		before[was[i].ID] = &was[i]
	}
	kept := list[:0]
	for i := range list {
		if len(places) == 0 || places[0] != i {
			kept = append(kept, list[i])
			continue
		}
		if places = places[1:]; before[list[i].ID] != nil {
			kept = append(kept, *before[list[i].ID])
		}
	}
	return kept
}

// nodes numbers the nodes of lists, and holds which jobs are on each. A list is expanded once, as
// long as each placing uses it.
type nodes struct {
	find          *jobs.Finder
	lists, before map[string]nodeList // used by this placing so far, and by the one before it
	of            map[string]int32    // by name
	names         []string
	users         [][]int // by node: places of its jobs in a list
}

// nodeList is an expanded list of nodes.
type nodeList struct {
	names []string
	hosts []int32 // of the nodes that are there
	nodes []int32 // their numbers, ascending
}

// expand expands a list of nodes, without numbers.
func expand(find *jobs.Finder, text string) (l nodeList) {
	l.names, _ = hostlist.Expand(text) // it was a list when the job began
	l.hosts, _, _ = find.Match(text)
	return l
}

// begin begins a placing.
func (n *nodes) begin() {
	n.before, n.lists, n.users = n.lists, map[string]nodeList{}, make([][]int, len(n.names))
}

// list returns the nodes of a list.
func (n *nodes) list(text string) nodeList {
	l, met := n.lists[text]
	if met {
		return l
	}
	if l, met = n.before[text]; !met {
		l = expand(n.find, text)
		for _, name := range l.names {
			node, met := n.of[name]
			if !met {
				node = int32(len(n.names))
				n.of[name], n.names, n.users = node, append(n.names, name), append(n.users, nil)
			}
			l.nodes = append(l.nodes, node)
		}
		slices.Sort(l.nodes)
		l.nodes = slices.Compact(l.nodes)
	}
	n.lists[text] = l
	return l
}

// addUser adds a job with its place in a list to the users of its nodes.
func (n *nodes) addUser(j *terms.Job, at int) {
	for _, node := range n.list(j.Nodes).nodes {
		n.users[node] = append(n.users[node], at)
	}
}

// neighbours returns the jobs of a list that have nodes in common with a job.
func (n *nodes) neighbours(list []terms.Job, j *terms.Job) (near []terms.Job) {
	var places []int
	for _, node := range n.list(j.Nodes).nodes {
		places = append(places, n.users[node]...)
	}
	slices.Sort(places)
	for _, i := range slices.Compact(places) {
		near = append(near, list[i])
	}
	return near
}

// shares returns the copies that pairs of nodes of a job have already, since other jobs run on
// them: those stay. If all its pairs have one copy, the job gets it.
func (n *nodes) shares(all []claim, j *terms.Job) (list []terms.LaneShare) {
	mine := n.list(j.Nodes).nodes
	var sets [][]int32
	for _, c := range all {
		both := common(mine, n.list(c.nodes).nodes)
		if len(both) < 2 || slices.ContainsFunc(sets, func(s []int32) bool { return len(common(both, s)) == len(both) }) {
			continue
		}
		if len(sets) == 0 && len(both) == len(mine) {
			j.Copy = c.copied
			return nil
		}
		sets = append(sets, both)
		names := make([]string, 0, len(both))
		for _, node := range both {
			names = append(names, n.names[node])
		}
		list = append(list, terms.LaneShare{Nodes: hostlist.Compress(names), Copy: c.copied})
	}
	for len(list) > 0 && list[len(list)-1].Copy == j.Copy {
		list = list[:len(list)-1]
	}
	return list
}

// common returns what two ascending lists have in common.
func common(a, b []int32) (both []int32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// follow brings used and load up to date with a list of jobs.
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
		if j := &list[i]; c.misses(j) {
			c.add(j, c.channels(j.Nodes))
		}
	}
}

// misses reports whether the channels of a job are not counted yet, and should be.
func (c *counts) misses(j *terms.Job) bool {
	_, met := c.used[j.ID]
	return !met && j.Count > 1 && j.Copy < len(c.load)
}

// add counts the channels of a job.
func (c *counts) add(j *terms.Job, channels []int32) {
	if !c.misses(j) {
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
	set, _ := joblanes.Used(context.Background(), c.graph, c.plan, c.nodes.list(nodes).hosts) // it is not cancelled
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
