// Package batch writes networks for batch systems: Slurm's topology.conf and topology.yaml. It also
// reads them, as strictly as the manual is (ReadConf, ReadYAML). It reads and writes models of
// topograph, which makes such files for clouds.
//
// A host is a server (fabric.Servers). It is named by SlurmOptions.Names, or else by the first word
// of its host name; only CAs with other names in Names are hosts of their own. Without a host name
// ("MT25408 ConnectX Mellanox Technologies" on every CA) the host is called "H-guid". Switches are
// called "S-guid" unless named. Aggregation nodes are not hosts. Parts that are down are left out.
//
// # Hosts with several ports
//
// Slurm takes a host at one switch of a topology. The hosts of a pod are at one switch on each of
// their rails, so one rail stands for all of a plane: that with the most host ports. The switches
// of the other rails are left out. Planes have no cable between them. Topology.yaml has a topology
// for each plane; topology.conf has room for one, and lists each host in the plane with the most
// hosts, or in Plane.
//
// # Trees
//
// Levels are distances from the leaves, and a switch lists its neighbours one level below. So the
// file is a hierarchy even if the network is not; it lacks cables between switches of one level.
// Slurm has no switch with both nodes and switches; the hosts of a spine go under an extra leaf
// "NAME-hosts".
//
// # Blocks
//
// A block is the hosts of a switch. Blocks of a pod follow each other, because Slurm makes larger
// blocks of neighbours in the file. The sizes are the hosts of the smallest block, twice as many,
// and so on up to all blocks.
//
// The cost is O(nodes + ports), and sorting.
package batch

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
)

// WriteSlurm writes the topology.conf of Slurm's topology/tree plug-in: a line with Nodes= for each
// leaf, one with Switches= for each switch above.
func WriteSlurm(w io.Writer, f *fabric.Fabric, opt SlurmOptions) ([]lines.Warning, error) {
	s, err := newSlurm(f, opt)
	if err != nil {
		return nil, err
	}
	hosts := s.findHosts()
	t, err := s.tree(hosts, s.planesBySize(hosts), false)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# topology/tree of %s\n", lines.Printable(s.Name))
	for _, sw := range t.Switches {
		if len(sw.Nodes) > 0 {
			fmt.Fprintf(out, "SwitchName=%s Nodes=%s\n", sw.Name, hostlist.Compress(sw.Nodes))
		} else {
			fmt.Fprintf(out, "SwitchName=%s Switches=%s\n", sw.Name, hostlist.Compress(sw.Below))
		}
	}
	return s.warnings, out.Flush()
}

// tree returns the tree of switches of these planes.
func (s *slurm) tree(hosts []slurmHost, planes []int32, yaml bool) (*Topology, error) {
	p := s.place(hosts, planes)
	s.warnSeveral(hosts, yaml)
	s.warnUneven(hosts, p)
	if p.lost > 0 && !yaml {
		s.warnf("%d hosts have no port in plane %d: left out", p.lost, planes[0])
	}
	level := s.levels(p, s.leavesOf(p))
	t := &Topology{Switches: addKept(s.switches(p, level), p.gone)}
	if err := s.addRoot(t); err != nil {
		return nil, err
	}
	if len(t.Switches) == 0 {
		return t, nil
	}
	if bad := t.flaw(); bad != nil {
		return nil, fmt.Errorf("netfile: %s: give other names (a node name map)", bad.text)
	}
	return t, nil
}

// below lists the names of the switches below a switch.
func (s *slurm) below(p *placement, level []int32, id fabric.NodeID) []string {
	var names []string
	met := map[fabric.NodeID]bool{}
	for sw := range s.SwitchPeers(id, s.joins(p)) {
		if !met[sw] && level[sw] == level[id]-1 {
			met[sw] = true
			names = append(names, s.switchName(sw))
		}
	}
	if len(p.hosts[id]) > 0 {
		names = append(names, s.switchName(id)+"-hosts")
	}
	return names
}

// switches lists the leaves, then the switches above them by level and GUID.
func (s *slurm) switches(p *placement, level []int32) []Switch {
	var leaves, above []Switch
	order := slices.Clone(s.order)
	slices.SortStableFunc(order, func(a, b fabric.NodeID) int { return int(level[a]) - int(level[b]) })
	for _, id := range order {
		name, hosts := s.switchName(id), p.hosts[id]
		switch {
		case len(hosts) > 0 && level[id] == 0:
			leaves = append(leaves, Switch{Name: name, Nodes: hosts})
		case len(hosts) > 0:
			leaves = append(leaves, Switch{Name: name + "-hosts", Nodes: hosts})
			above = append(above, Switch{Name: name, Below: s.below(p, level, id)})
		case level[id] > 0:
			above = append(above, Switch{Name: name, Below: s.below(p, level, id)})
		}
	}
	return append(leaves, above...)
}

// addRoot adds the root that the site asks for, or says that no switch is above all others.
func (s *slurm) addRoot(t *Topology) error {
	listed, met := map[string]bool{}, map[string]bool{}
	for _, sw := range t.Switches {
		met[sw.Name] = true
		for _, name := range sw.Below {
			listed[name] = true
		}
	}
	tops := slices.DeleteFunc(slices.Clone(t.Switches), func(sw Switch) bool { return listed[sw.Name] })
	switch {
	case len(tops) == 0:
		s.warnf("no host is cabled to a switch: the file is empty")
	case len(tops) > 1 && s.opt.Root != "":
		if !slurmSafe(s.opt.Root) || met[s.opt.Root] {
			return fmt.Errorf("netfile: %q, the name of the root, is in use or invalid in Slurm", s.opt.Root)
		}
		root := Switch{Name: s.opt.Root}
		for _, sw := range tops {
			root.Below = append(root.Below, sw.Name)
		}
		t.Switches = append(t.Switches, root)
	case len(tops) > 1 && !joined(t.Switches, tops):
		s.warnf("no switch is above all others: Slurm places no job across them (name a root)")
	}
	return nil
}

// joined reports whether one of the top switches has all leaves below it.
func joined(list, tops []Switch) bool {
	byName := map[string]*Switch{}
	leaves := 0
	for i := range list {
		byName[list[i].Name] = &list[i]
		if len(list[i].Nodes) > 0 {
			leaves++
		}
	}
	return slices.ContainsFunc(tops, func(top Switch) bool { return leavesBelow(byName, top.Name) == leaves })
}

func leavesBelow(byName map[string]*Switch, top string) int {
	met := map[string]bool{top: true}
	todo, leaves := []string{top}, 0
	for len(todo) > 0 {
		sw := byName[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if len(sw.Nodes) > 0 {
			leaves++
			continue
		}
		for _, name := range sw.Below {
			if !met[name] {
				met[name] = true
				todo = append(todo, name)
			}
		}
	}
	return leaves
}
