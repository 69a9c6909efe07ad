package batch

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
)

// slurmCA is a channel adapter that becomes a host, or a part of one.
type slurmCA struct {
	id     fabric.NodeID
	leaves []fabric.NodeID // switches that it is cabled to, by port
	name   string
}

// slurmHost is a host and the switches that it is cabled to, by adapter and port.
type slurmHost struct {
	name   string
	leaves []fabric.NodeID
}

// findHosts names the hosts of the file.
func (s *slurm) findHosts() (hosts []slurmHost) {
	cas := s.findCAs()
	cas = s.nameCAs(cas)
	slices.SortStableFunc(cas, func(a, b slurmCA) int {
		return cmp.Or(hostlist.Compare(a.name, b.name), cmp.Compare(a.name, b.name), hostlist.Compare(s.Nodes[a.id].Desc, s.Nodes[b.id].Desc))
	})
	for i := range cas {
		if n := len(hosts); n == 0 || hosts[n-1].name != cas[i].name {
			hosts = append(hosts, slurmHost{name: cas[i].name})
		}
		h := &hosts[len(hosts)-1]
		h.leaves = append(h.leaves, cas[i].leaves...)
	}
	return s.only(hosts)
}

// only drops the hosts that the site does not list.
func (s *slurm) only(hosts []slurmHost) []slurmHost {
	if s.opt.Only == nil {
		return hosts
	}
	wanted := map[string]bool{}
	for _, name := range s.opt.Only {
		wanted[name] = true
	}
	hosts = slices.DeleteFunc(hosts, func(h slurmHost) bool { return !wanted[h.name] })
	for i := range hosts {
		delete(wanted, hosts[i].name)
	}
	if len(wanted) > 0 {
		missing := make([]string, 0, len(wanted))
		for name := range wanted {
			missing = append(missing, name)
		}
		s.warnf("hosts that are listed are not in the fabric: %s", lines.Printable(hostlist.Compress(missing)))
	}
	return hosts
}

// placement is a network's hosts, each under one switch.
type placement struct {
	hosts [][]string // names by node index of the switch
	skip  []bool     // by node index: switches of other rails, which are left out
	lost  int        // hosts without a port there
	gone  []KeptSwitch
}

// place puts each host under one switch of the first of these planes that it has a port in: that of
// the rail that stands for the plane, or else of its first port.
func (s *slurm) place(hosts []slurmHost, planes []int32) *placement {
	p := &placement{hosts: make([][]string, len(s.Nodes)), skip: make([]bool, len(s.Nodes))}
	rank := map[int32]int{}
	for i, plane := range planes {
		rank[plane] = i
	}
	for _, h := range hosts {
		leaf, best := fabric.NodeID(-1), 0
		for _, at := range h.leaves {
			r, in := rank[s.net.plane[at]]
			if r *= 2; s.net.isOtherRail(at) {
				r++
			}
			if in && (leaf < 0 || r < best) {
				leaf, best = at, r
			}
		}
		if leaf < 0 {
			p.lost++
			continue
		}
		p.hosts[leaf] = append(p.hosts[leaf], h.name)
	}
	s.placeKept(hosts, p)
	for id := range s.Nodes {
		p.skip[id] = len(p.hosts[id]) == 0 && s.net.isOtherRail(fabric.NodeID(id)) && !s.spine[fabric.NodeID(id)]
	}
	return p
}

// placeKept adds the hosts of opt.Kept that are not listed, at their switches. Those whose switch
// is gone are left to addKept.
func (s *slurm) placeKept(hosts []slurmHost, p *placement) {
	if len(s.opt.Kept) == 0 {
		return
	}
	listed := map[string]bool{}
	for i := range hosts {
		listed[hosts[i].name] = true
	}
	ids := map[string]fabric.NodeID{}
	for _, id := range s.order {
		if n := &s.Nodes[id]; n.Type == fabric.Switch && !n.Down {
			ids[s.switchName(id)] = id
		}
	}
	met := map[string]bool{}
	for _, kept := range s.opt.Kept {
		at, there := ids[kept.Name]
		gone := KeptSwitch{Name: kept.Name, Above: kept.Above}
		for _, name := range kept.Nodes {
			switch {
			case listed[name], s.opt.Only != nil && !slices.Contains(s.opt.Only, name):
			case !there:
				gone.Nodes = append(gone.Nodes, name)
			case !met[kept.Name+" "+name]:
				met[kept.Name+" "+name] = true
				p.hosts[at] = append(p.hosts[at], name)
			}
		}
		if len(gone.Nodes) > 0 {
			p.gone = append(p.gone, gone)
		}
	}
}

// addKept adds switches that have gone, with their hosts, below their former upper switches. It
// drops a switch without such an upper switch, and hosts that the list already has.
func addKept(list []Switch, gone []KeptSwitch) []Switch {
	index, on := map[string]int{}, map[string]bool{}
	for i := range list {
		index[list[i].Name] = i
		for _, name := range list[i].Nodes {
			on[name] = true
		}
	}
	for _, kept := range gone {
		below := false
		hosts := slices.DeleteFunc(slices.Clone(kept.Nodes), func(name string) bool { return on[name] })
		if _, there := index[kept.Name]; there || len(hosts) == 0 {
			continue
		}
		for _, name := range kept.Above {
			if i, there := index[name]; there && len(list[i].Below) > 0 {
				list[i].Below = append(list[i].Below, kept.Name)
				below = true
			}
		}
		if !below {
			continue
		}
		for _, name := range hosts {
			on[name] = true
		}
		index[kept.Name] = len(list)
		list = append(list, Switch{Name: kept.Name, Nodes: hosts})
	}
	return list
}

// planesBySize returns the planes of the file, that with the most hosts first.
func (s *slurm) planesBySize(hosts []slurmHost) []int32 {
	if s.opt.Plane != nil {
		return []int32{int32(*s.opt.Plane)}
	}
	count := map[int32]int{}
	for _, h := range hosts {
		met := map[int32]bool{}
		for _, at := range h.leaves {
			if p := s.net.plane[at]; !met[p] {
				met[p] = true
				count[p]++
			}
		}
	}
	planes := make([]int32, 0, len(count))
	for p := range count {
		planes = append(planes, p)
	}
	slices.SortFunc(planes, func(a, b int32) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return planes
}

// warnSeveral says where hosts with ports on several switches are listed.
func (s *slurm) warnSeveral(hosts []slurmHost, yaml bool) {
	several, planes := 0, map[int32]bool{}
	for _, h := range hosts {
		if slices.ContainsFunc(h.leaves, func(at fabric.NodeID) bool { return at != h.leaves[0] }) {
			several++
		}
		for _, at := range h.leaves {
			planes[s.net.plane[at]] = true
		}
	}
	switch {
	case several == 0:
	case s.net.several() && s.opt.Plane == nil && len(planes) > 1 && !yaml:
		s.warnf("%d hosts are cabled to several switches: each is listed once, in the plane with the most hosts and on the first rail there (topology.yaml has each plane)", several)
	case s.net.several():
		s.warnf("%d hosts are cabled to several switches: each is listed once, at the switch of the first rail", several)
	case len(planes) > 1 && yaml:
	case len(planes) > 1 && s.opt.Plane == nil:
		s.warnf("%d hosts are cabled to several switches: each is listed once, in the plane with the most hosts (topology.yaml has each plane)", several)
	default:
		s.warnf("%d hosts are cabled to several switches: each is listed only under the switch of its first CA port", several)
	}
}

// warnUneven says where the rails of a plane group hosts in different ways: a tree of one rail does
// not say which hosts are near each other on the others.
func (s *slurm) warnUneven(hosts []slurmHost, p *placement) {
	leafOf := map[string]fabric.NodeID{}
	for leaf, names := range p.hosts {
		for _, name := range names {
			leafOf[name] = fabric.NodeID(leaf)
		}
	}
	groups := map[fabric.NodeID]map[fabric.NodeID]bool{} // by switch of another rail: leaves of its hosts
	for _, h := range hosts {
		leaf, placed := leafOf[h.name]
		for _, at := range h.leaves {
			if !placed || !s.net.isOtherRail(at) || s.net.plane[at] != s.net.plane[leaf] {
				continue
			}
			if groups[at] == nil {
				groups[at] = map[fabric.NodeID]bool{}
			}
			groups[at][leaf] = true
		}
	}
	uneven := 0
	for _, leaves := range groups {
		if len(leaves) > 1 {
			uneven++
		}
	}
	if uneven > 0 {
		s.warnf("%d switches of other rails have hosts of several switches of the first rail: the file holds only the groups of the first", uneven)
	}
}

func (s *slurm) findCAs() []slurmCA {
	var cas []slurmCA
	aggregation, alone := 0, 0
	for _, id := range s.order {
		n := &s.Nodes[id]
		switch {
		case n.Type != fabric.CA:
			continue
		case s.IsAggregationNode(id):
			aggregation++
			continue
		}
		ca := slurmCA{id: id, leaves: slices.Collect(s.SwitchPeers(id, s.LinkUp))}
		if len(ca.leaves) == 0 {
			alone++
			continue
		}
		cas = append(cas, ca)
	}
	if aggregation > 0 {
		s.warnf("%d aggregation nodes left out: they are no hosts", aggregation)
	}
	if alone > 0 {
		s.warnf("%d CAs on no switch left out", alone)
	}
	return cas
}

// leavesOf returns the switches with hosts that are no spines.
func (s *slurm) leavesOf(p *placement) (leaves []fabric.NodeID) {
	for _, id := range s.order {
		switch {
		case len(p.hosts[id]) == 0:
		case s.spine[id]:
			s.warnf("spine %s has hosts of its own: they go under an extra leaf %q", s.NodeName(id), s.switchName(id)+"-hosts")
		default:
			leaves = append(leaves, id)
		}
	}
	return leaves
}

// levels returns the distance of every switch from the leaves, over no switch that is left out.
func (s *slurm) levels(p *placement, leaves []fabric.NodeID) []int32 {
	return s.SwitchHops(leaves, s.joins(p))
}

// joins accepts the cables of a topology: cables that are up, and not on switches of other rails.
func (s *slurm) joins(p *placement) func(fabric.LinkID) bool {
	return func(id fabric.LinkID) bool {
		l := &s.Links[id]
		return s.LinkUp(id) && !p.skip[l.A.Node] && !p.skip[l.B.Node]
	}
}
