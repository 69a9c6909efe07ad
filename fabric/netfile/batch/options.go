package batch

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// SlurmOptions add names and roles that only the site knows.
type SlurmOptions struct {
	// Names gives names to nodes by node GUID (see site.ReadNames), switches included. It overrides
	// descriptions.
	Names map[fabric.GUID]string
	// Was gives the earlier names of hosts by node GUID. A host without a name now, or with that of
	// another host, has its earlier name.
	Was map[fabric.GUID]string
	// Absent are nodes that are not there now, but have their place in the file.
	Absent map[fabric.GUID]bool
	// Kept are the leaves and blocks of an earlier file. Hosts that are not listed otherwise are
	// listed there.
	Kept []KeptSwitch
	// Only lists the hosts of the file. When nil, all hosts of the network are in it.
	Only []string
	// Spines are switches that are never leaves, even with hosts. When empty, every switch with
	// hosts is a leaf.
	Spines []fabric.GUID
	// Root, when not empty, names an added switch above all top switches, so that Slurm may place a
	// job anywhere.
	Root string
	// Plane, when not nil, is the only plane of the file, by its number in rails.Map.
	Plane *int
	// Sizes are the sizes of blocks. When empty, the smallest block gives the first.
	Sizes []int
	// Blocks asks for topologies of blocks too, in topology.yaml.
	Blocks bool
}

// KeptSwitch is a switch or block of an earlier file, with its hosts.
type KeptSwitch struct {
	Name  string
	Nodes []string
	Above []string // switches that list it
}

// slurm holds the state of a writer.
type slurm struct {
	*fabric.Fabric
	opt      SlurmOptions
	spine    map[fabric.NodeID]bool
	order    []fabric.NodeID // all nodes by GUID
	net      network
	warnings []lines.Warning
}

func newSlurm(f *fabric.Fabric, opt SlurmOptions) (*slurm, error) {
	s := &slurm{Fabric: f, opt: opt, spine: map[fabric.NodeID]bool{}}
	for _, g := range opt.Spines {
		id, ok := f.NodeByGUID(g)
		if !ok || f.Nodes[id].Type != fabric.Switch {
			return nil, fmt.Errorf("netfile: spine %s is no switch of this fabric", g)
		}
		s.spine[id] = true
	}
	s.order = lines.ListingOrder(f)
	slices.SortStableFunc(s.order, func(a, b fabric.NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	s.net = networkOf(f)
	if p := opt.Plane; p != nil && (*p < 0 || *p >= s.net.planes) {
		return nil, fmt.Errorf("netfile: no plane %d: this fabric has %s", *p, planesInWords(s.net.planes))
	}
	return s, nil
}

func planesInWords(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "plane 0 alone"
	}
	return fmt.Sprintf("planes 0 to %d", n-1)
}

// warnf adds a warning, once.
func (s *slurm) warnf(format string, args ...any) {
	if w := lines.Warningf(s.Name, 0, format, args...); !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// switchName returns the name of a switch: that of the site, or one made of its GUID.
func (s *slurm) switchName(id fabric.NodeID) string {
	if name, ok := s.opt.Names[s.Nodes[id].GUID]; ok {
		return name
	}
	return lines.NodeID(&s.Nodes[id])
}
