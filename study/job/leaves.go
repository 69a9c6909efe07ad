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

// fewest orders free hosts so that the first nodes are on few leaves: the leaf with the most free
// hosts again and again, and the smallest that suffices at the end.
func (t *table) fewest(nodes int) []int32 { return inOrder(bestFit(t.leaves(), nodes)) }

// wholeFirst orders free hosts so that leaves, and of them pods, that no other job uses come first.
func (t *table) wholeFirst(nodes int) []int32 {
	all := t.leaves()
	idle, size := map[int32]bool{}, map[int32]int{} // by pod
	for s, busy := range t.busy {
		idle[t.pod[s]] = idle[t.pod[s]] || busy
	}
	for i := range all {
		size[all[i].pod] += len(all[i].hosts)
	}
	best := int32(-1) // the smallest idle pod that suffices
	for pod, n := range size {
		if !idle[pod] && n >= nodes && (best < 0 || cmp.Or(cmp.Compare(n, size[best]), cmp.Compare(pod, best)) < 0) {
			best = pod
		}
	}
	rank := func(l *leaf) int {
		switch {
		case l.pod == best:
			return 0
		case !l.busy && !idle[l.pod]:
			return 1
		case !l.busy:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(all, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.pod, b.pod))
	})
	// Within the last rank that is needed, few leaves are better than many.
	var hosts []int32
	for len(all) > 0 {
		n, free := 0, 0
		for n < len(all) && rank(&all[n]) == rank(&all[0]) && (rank(&all[0]) == 3 || all[n].pod == all[0].pod) {
			free += len(all[n].hosts)
			n++
		}
		hosts = append(hosts, inOrder(bestFit(all[:n], max(0, nodes-len(hosts))))...)
		all = all[n:]
	}
	return hosts
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
	var find func(s int32) int32
	find = func(s int32) int32 {
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
