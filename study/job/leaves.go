package job

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// leaf is a switch with free hosts.
type leaf struct {
	at    int32 // switch
	pod   int32
	hosts []int32
	busy  bool // another job has nodes there
}

// leaves lists the switches with free hosts.
func (t *table) leaves() (all []leaf) {
	for _, h := range t.choose {
		s := t.g.EndSwitch[h]
		if len(all) == 0 || all[len(all)-1].at != s {
			all = append(all, leaf{at: s, pod: t.pod[s], busy: t.busy[s]})
		}
		l := &all[len(all)-1]
		l.hosts = append(l.hosts, h)
	}
	return all
}

// fewest orders free hosts so that the first nodes are on few leaves.
func (t *table) fewest(nodes int) []int32 { return inOrder(bestFit(t.leaves(), nodes)) }

// wholeFirst orders free hosts so that the first nodes are on leaves that no other job uses: in the
// smallest pod without other jobs that suffices, or else in the smallest pod whose idle leaves
// suffice, or else on all idle leaves, and then on the others.
func (t *table) wholeFirst(nodes int) []int32 {
	var idle, used []leaf
	jobsIn := map[int32]bool{} // by pod
	for s, busy := range t.busy {
		jobsIn[t.pod[s]] = jobsIn[t.pod[s]] || busy
	}
	size := map[int32]int{} // by pod: free hosts on idle leaves
	for _, l := range t.leaves() {
		if l.busy {
			used = append(used, l)
			continue
		}
		idle = append(idle, l)
		size[l.pod] += len(l.hosts)
	}
	best := int32(-1)
	for _, l := range idle {
		if size[l.pod] < nodes || l.pod == best {
			continue
		}
		if best < 0 || !jobsIn[l.pod] && jobsIn[best] || jobsIn[l.pod] == jobsIn[best] && size[l.pod] < size[best] {
			best = l.pod
		}
	}
	if best >= 0 {
		in := func(l leaf) bool { return l.pod == best }
		out := func(l leaf) bool { return l.pod != best }
		return inOrder(slices.Concat(bestFit(slices.DeleteFunc(slices.Clone(idle), out), nodes), slices.DeleteFunc(idle, in), used))
	}
	first := inOrder(bestFit(idle, nodes))
	return append(first, inOrder(bestFit(used, max(0, nodes-len(first))))...)
}

// bestFit orders leaves: the one with the most free hosts again and again, and the smallest that
// suffices for the rest of the nodes.
func bestFit(all []leaf, nodes int) (out []leaf) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b leaf) int { return cmp.Compare(len(b.hosts), len(a.hosts)) })
	for len(all) > 0 {
		at := 0
		for at+1 < len(all) && len(all[at+1].hosts) >= nodes && nodes > 0 {
			at++
		}
		for at > 0 && len(all[at-1].hosts) == len(all[at].hosts) {
			at-- // of equal ones the first
		}
		nodes -= len(all[at].hosts)
		out = append(out, all[at])
		all = slices.Delete(all, at, at+1)
	}
	return out
}

// inOrder lists the hosts of leaves.
func inOrder(all []leaf) (hosts []int32) {
	for i := range all {
		hosts = append(hosts, all[i].hosts...)
	}
	return hosts
}

// findPods groups the switches with hosts that share a switch above: one without hosts of its own.
func (t *table) findPods() {
	g := t.g
	t.pod = make([]int32, g.NumSwitches)
	for s := range t.pod {
		t.pod[s] = int32(s)
	}
	find := func(s int32) int32 {
		for t.pod[s] != s {
			t.pod[s] = t.pod[t.pod[s]]
			s = t.pod[s]
		}
		return s
	}
	for above := range int32(g.NumSwitches) {
		if g.HostCount(above) > 0 {
			continue
		}
		first := int32(-1)
		for _, c := range g.OutOf(above) {
			below := g.To[c]
			if g.HostCount(below) == 0 {
				continue
			}
			if first < 0 {
				first = find(below)
			}
			root := find(below)
			t.pod[max(root, first)] = min(root, first)
			first = min(root, first)
		}
	}
	for s := range t.pod {
		t.pod[s] = find(int32(s))
	}
}

// numberCables numbers the cables of links: both directions are one.
func (t *table) numberCables() {
	g := t.g
	slots := t.net.Links() - g.NumHosts
	t.cable = make([]int32, t.net.Links())
	for s := range int32(g.NumSwitches) {
		for port := int32(0); port <= g.SwitchPorts[s]; port++ {
			switch c, host := g.At(s, uint8(port)); {
			case c != fabric.Nothing:
				t.cable[g.PortStart[s]+port] = c / 2
			case host != fabric.Nothing:
				t.cable[g.PortStart[s]+port] = int32(g.NumChannels/2) + host
			}
		}
	}
	for h := range g.NumHosts {
		t.cable[slots+h] = int32(g.NumChannels/2 + h)
	}
}

// cablesOf returns the cables that a job uses.
func (t *table) cablesOf(m *member) map[int32]bool {
	all := make(map[int32]bool, len(m.load))
	for _, l := range m.load {
		all[t.cable[l.link]] = true
	}
	return all
}
