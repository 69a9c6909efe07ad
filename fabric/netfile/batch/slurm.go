// Package batch writes networks for batch systems: Slurm's topology.conf.
package batch

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// SlurmOptions add names and roles that only the site knows.
type SlurmOptions struct {
	// Names gives names to nodes by node GUID (see ReadNames), switches included. It overrides
	// descriptions.
	Names map[fabric.GUID]string
	// Spines are switches that are never leaves, even with hosts. When empty, every switch with
	// hosts is a leaf.
	Spines []fabric.GUID
	// Root, when not empty, names an added switch above all top switches, so that Slurm may place a
	// job anywhere.
	Root string
}

// WriteSlurm writes the topology.conf of Slurm's topology/tree plug-in: a line with Nodes= for each
// leaf, one with Switches= for each switch above. Parts that are down are left out.
//
// A host is a server (fabric.Servers). It is named by Names, or else by the first word of its host
// name. It is listed once, at the switch of its first CA by description; only CAs with other names
// in Names are hosts of their own. Without a host name ("MT25408 ConnectX Mellanox Technologies" on
// every CA) the host is called "H-guid". Switches are called "S-guid" unless named. Aggregation
// nodes are not hosts.
//
// Levels are distances from the leaves, and a switch lists its neighbours one level below. So the
// file is a hierarchy even if the network is not; it lacks cables between switches of one level.
// Slurm has no switch with both nodes and switches; the hosts of a spine go under an extra leaf
// "NAME-hosts". The cost is O(nodes + ports), and sorting.
func WriteSlurm(w io.Writer, f *fabric.Fabric, opt SlurmOptions) ([]lines.Warning, error) {
	s := slurm{Fabric: f, opt: opt, spine: map[fabric.NodeID]bool{}}
	if err := s.findSpines(); err != nil {
		return nil, err
	}
	s.placeHosts()
	s.findLevels()
	if err := s.write(w); err != nil {
		return nil, err
	}
	return s.warnings, nil
}

type slurm struct {
	*fabric.Fabric
	opt      SlurmOptions
	spine    map[fabric.NodeID]bool
	hosts    [][]string // names of hosts by node index of their switch
	level    []int32    // distance from the leaves by node index, -1 for nodes not in the file
	order    []fabric.NodeID
	warnings []lines.Warning
}

func (s *slurm) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, lines.Warningf(s.Name, 0, format, args...))
}

func (s *slurm) findSpines() error {
	for _, g := range s.opt.Spines {
		id, ok := s.NodeByGUID(g)
		if !ok || s.Nodes[id].Type != fabric.Switch {
			return fmt.Errorf("netfile: spine %s is no switch of this fabric", g)
		}
		s.spine[id] = true
	}
	s.order = lines.ListingOrder(s.Fabric)
	slices.SortStableFunc(s.order, func(a, b fabric.NodeID) int {
		return cmp.Compare(s.Nodes[a].GUID, s.Nodes[b].GUID)
	})
	return nil
}

// slurmCA is a channel adapter that becomes a host, or a part of one.
type slurmCA struct {
	id     fabric.NodeID
	leaf   fabric.NodeID
	leaves int // number of switches it is cabled to
	name   string
}

// placeHosts names the hosts and puts each under one switch.
func (s *slurm) placeHosts() {
	s.hosts = make([][]string, len(s.Nodes))
	cas := s.findCAs()
	s.nameCAs(cas)
	slices.SortStableFunc(cas, func(a, b slurmCA) int {
		return cmp.Or(compareNames(a.name, b.name), compareNames(s.Nodes[a.id].Desc, s.Nodes[b.id].Desc))
	})
	spread := 0
	for i := 0; i < len(cas); {
		j, on := i, map[fabric.NodeID]bool{}
		several := false
		for ; j < len(cas) && cas[j].name == cas[i].name; j++ {
			on[cas[j].leaf] = true
			several = several || cas[j].leaves > 1
		}
		if len(on) > 1 || several {
			spread++
		}
		s.hosts[cas[i].leaf] = append(s.hosts[cas[i].leaf], cas[i].name)
		i = j
	}
	if spread > 0 {
		s.warnf("%d hosts are cabled to several switches: each is listed only under the switch of its first CA port", spread)
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
		ca := slurmCA{id: id, leaf: -1}
		met := map[fabric.NodeID]bool{}
		for sw := range s.SwitchPeers(id, s.LinkUp) {
			met[sw] = true
			if ca.leaf < 0 {
				ca.leaf = sw
			}
		}
		if ca.leaves = len(met); ca.leaf < 0 {
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

// nameCAs gives every CA the name of its server.
func (s *slurm) nameCAs(cas []slurmCA) {
	servers := s.Servers()
	names := s.serverNames(servers)
	unnamed := 0
	for i := range cas {
		n, server := &s.Nodes[cas[i].id], servers.Of[cas[i].id]
		switch name, given := s.opt.Names[n.GUID]; {
		case given:
			cas[i].name = name
		case names[server] != "":
			cas[i].name = names[server]
		default: // of the adapter that names its server
			id, _ := s.NodeByGUID(servers.List[server].GUID)
			cas[i].name = lines.NodeID(&s.Nodes[id])
			unnamed++
		}
	}
	if unnamed > 0 {
		s.warnf("%d CAs are called by GUID: their description does not name a host (give a name map)", unnamed)
	}
}

// serverNames returns the names of servers that have one: that of an adapter in Names, or else of
// the host, if no other server gets the same.
func (s *slurm) serverNames(servers *fabric.Servers) []string {
	names := make([]string, len(servers.List))
	called := map[string]int{}
	for i := range servers.List {
		v := &servers.List[i]
		for _, id := range v.Adapters {
			if name, given := s.opt.Names[s.Nodes[id].GUID]; given {
				names[i] = name
				break
			}
		}
		if names[i] == "" {
			called[hostName(v.Host)]++
		}
	}
	for i := range servers.List {
		if names[i] != "" {
			continue
		}
		if name := hostName(servers.List[i].Host); called[name] == 1 && slurmSafe(name) {
			names[i] = name
		}
	}
	return names
}

// hostName returns the first word of a host name, joined with a number if that is the only other
// word ("host 12").
func hostName(host string) string {
	words := strings.Fields(host)
	switch {
	case len(words) == 0:
		return ""
	case len(words) == 2 && strings.Trim(words[1], "0123456789") == "":
		return words[0] + words[1]
	}
	return words[0]
}

// slurmSafe reports whether Slurm reads a name as one name.
func slurmSafe(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`,[]="'#\;`, r)
	}) < 0
}

// findLevels gives every switch its distance from the leaves.
func (s *slurm) findLevels() {
	var leaves []fabric.NodeID
	for _, id := range s.order {
		switch {
		case len(s.hosts[id]) == 0:
		case s.spine[id]:
			s.warnf("spine %s has hosts of its own: they go under an extra leaf %q", s.NodeName(id), s.switchName(id)+"-hosts")
		default:
			leaves = append(leaves, id)
		}
	}
	s.level = s.SwitchHops(leaves, s.LinkUp)
}

func (s *slurm) switchName(id fabric.NodeID) string {
	if name, ok := s.opt.Names[s.Nodes[id].GUID]; ok {
		return name
	}
	return lines.NodeID(&s.Nodes[id])
}

// below lists the names of the switches below a switch.
func (s *slurm) below(id fabric.NodeID) []string {
	var names []string
	met := map[fabric.NodeID]bool{}
	for sw := range s.SwitchPeers(id, s.LinkUp) {
		if !met[sw] && s.level[sw] == s.level[id]-1 {
			met[sw] = true
			names = append(names, s.switchName(sw))
		}
	}
	if len(s.hosts[id]) > 0 {
		names = append(names, s.switchName(id)+"-hosts")
	}
	return names
}

// slurmSwitch is a line of the file.
type slurmSwitch struct {
	name, kind string
	below      []string
}

func (s *slurm) write(w io.Writer) error {
	list := s.lines()
	listed, met := map[string]bool{}, map[string]bool{}
	for _, sw := range list {
		if !slurmSafe(sw.name) {
			return fmt.Errorf("netfile: %q is no name of a switch for Slurm", sw.name)
		}
		if met[sw.name] {
			return fmt.Errorf("netfile: two switches are called %q: give them different names", sw.name)
		}
		met[sw.name] = true
		for _, name := range sw.below {
			if !slurmSafe(name) {
				return fmt.Errorf("netfile: %q below switch %s is not a valid name in Slurm", name, sw.name)
			}
			listed[name] = sw.kind == "Switches" || listed[name]
		}
	}
	tops := slices.DeleteFunc(slices.Clone(list), func(sw slurmSwitch) bool { return listed[sw.name] })
	switch {
	case len(tops) == 0:
		s.warnf("no host is cabled to a switch: the file is empty")
	case len(tops) > 1 && s.opt.Root != "":
		if !slurmSafe(s.opt.Root) || met[s.opt.Root] {
			return fmt.Errorf("netfile: %q, the name of the root, is in use or invalid in Slurm", s.opt.Root)
		}
		root := slurmSwitch{name: s.opt.Root, kind: "Switches"}
		for _, sw := range tops {
			root.below = append(root.below, sw.name)
		}
		list = append(list, root)
	case len(tops) > 1 && !joined(list, tops):
		s.warnf("no switch is above all others: Slurm places no job across them (name a root)")
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# topology/tree of %s\n", lines.Printable(s.Name))
	for _, sw := range list {
		fmt.Fprintf(out, "SwitchName=%s %s=%s\n", sw.name, sw.kind, hostlist(sw.below))
	}
	return out.Flush()
}

// lines lists the leaves, then the switches above them by level and GUID.
func (s *slurm) lines() []slurmSwitch {
	var leaves, above []slurmSwitch
	slices.SortStableFunc(s.order, func(a, b fabric.NodeID) int { return cmp.Compare(s.level[a], s.level[b]) })
	for _, id := range s.order {
		name, hosts := s.switchName(id), len(s.hosts[id]) > 0
		switch {
		case hosts && s.level[id] == 0:
			leaves = append(leaves, slurmSwitch{name, "Nodes", s.hosts[id]})
		case hosts:
			leaves = append(leaves, slurmSwitch{name + "-hosts", "Nodes", s.hosts[id]})
			above = append(above, slurmSwitch{name, "Switches", s.below(id)})
		case s.level[id] > 0:
			above = append(above, slurmSwitch{name, "Switches", s.below(id)})
		}
	}
	return append(leaves, above...)
}

// joined reports whether one of the top switches has all leaves below it.
func joined(list, tops []slurmSwitch) bool {
	byName := map[string]*slurmSwitch{}
	leaves := 0
	for i := range list {
		byName[list[i].name] = &list[i]
		if list[i].kind == "Nodes" {
			leaves++
		}
	}
	return slices.ContainsFunc(tops, func(top slurmSwitch) bool { return leavesBelow(byName, top.name) == leaves })
}

func leavesBelow(byName map[string]*slurmSwitch, top string) int {
	met := map[string]bool{top: true}
	todo, leaves := []string{top}, 0
	for len(todo) > 0 {
		sw := byName[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if sw.kind == "Nodes" {
			leaves++
			continue
		}
		for _, name := range sw.below {
			if !met[name] {
				met[name] = true
				todo = append(todo, name)
			}
		}
	}
	return leaves
}
