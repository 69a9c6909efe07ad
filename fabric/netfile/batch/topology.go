package batch

import (
	"fmt"
	"slices"
	"strconv"
)

// Topology is a network as Slurm is told of it: a tree of switches, or blocks of hosts.
type Topology struct {
	Name    string // in topology.yaml; topology.conf has one topology, without a name
	Default bool   // of partitions that name no topology

	Switches []Switch // of topology/tree
	Blocks   []Block  // of topology/block
	Sizes    []int    // hosts of the blocks to plan with: of the smallest, then of groups of blocks
}

// Switch is a switch with hosts, or with switches below.
type Switch struct {
	Name  string
	Nodes []string // hosts
	Below []string // switches
}

// Block is a set of hosts near each other.
type Block struct {
	Name  string
	Nodes []string
}

const (
	// mostName is the largest number of bytes of a switch's name in Slurm.
	mostName = 64
	// mostDepth bounds the levels of switches: Slurm takes a deeper tree for a circle.
	mostDepth = 20
	// mostDoublings bounds the sizes of groups of blocks: 2^15 of the smallest.
	mostDoublings = 15
)

// flaw is a rule of Slurm that a part of a topology breaks: a switch, a block, or all of it.
type flaw struct {
	part int // index in Switches or Blocks; -1: none of them
	text string
}

func flawf(part int, format string, args ...any) *flaw {
	return &flaw{part, fmt.Sprintf(format, args...)}
}

// flaw returns the first rule of Slurm that the topology breaks, nil if it breaks none.
func (t *Topology) flaw() *flaw {
	switch {
	case len(t.Switches) > 0 && len(t.Blocks) > 0:
		return flawf(-1, "switches and blocks: a topology has one of both")
	case len(t.Blocks) > 0:
		return t.blockFlaw()
	case len(t.Switches) > 0:
		return t.treeFlaw()
	}
	return flawf(-1, "no switch and no block")
}

func (t *Topology) treeFlaw() *flaw {
	index, on := map[string]int{}, map[string]string{}
	for i := range t.Switches {
		s := &t.Switches[i]
		_, twice := index[s.Name]
		switch {
		case !slurmSafe(s.Name):
			return flawf(i, "%q is not a valid name in Slurm", s.Name)
		case len(s.Name) > mostName:
			return flawf(i, "switch %s: a name has at most %d bytes", s.Name, mostName)
		case twice:
			return flawf(i, "switch %s is listed twice", s.Name)
		case len(s.Nodes) > 0 && len(s.Below) > 0:
			return flawf(i, "switch %s has hosts and switches: Slurm takes one of both", s.Name)
		case len(s.Nodes) == 0 && len(s.Below) == 0:
			return flawf(i, "switch %s has neither hosts nor switches", s.Name)
		}
		index[s.Name] = i
		if bad := hostsFlaw(on, i, "switch", s.Name, s.Nodes); bad != nil {
			return bad
		}
	}
	return t.levelFlaw(index)
}

// hostsFlaw checks the hosts of a part. on has the part of each host so far.
func hostsFlaw(on map[string]string, part int, kind, name string, hosts []string) *flaw {
	for _, host := range hosts {
		other, twice := on[host]
		switch {
		case !slurmSafe(host):
			return flawf(part, "%q in %s %s is not a valid name in Slurm", host, kind, name)
		case twice:
			return flawf(part, "host %s is listed twice, in %s %s and %s", host, kind, other, name)
		}
		on[host] = name
	}
	return nil
}

// levelFlaw checks that every child is listed, and that no switch is below itself.
func (t *Topology) levelFlaw(index map[string]int) *flaw {
	level := make([]int, len(t.Switches)) // 0: not visited; -1: being visited; otherwise 1 above the hosts, and so on
	var visit func(i int) *flaw
	visit = func(i int) *flaw {
		if level[i] > 0 {
			return nil
		}
		level[i] = -1
		most := 0
		for _, name := range t.Switches[i].Below {
			j, known := index[name]
			switch {
			case !known:
				return flawf(i, "switch %s lists %s, which has no line", t.Switches[i].Name, name)
			case level[j] == -1:
				return flawf(i, "switch %s is below itself, through %s", name, t.Switches[i].Name)
			}
			if bad := visit(j); bad != nil {
				return bad
			}
			most = max(most, level[j])
		}
		if level[i] = most + 1; level[i] > mostDepth {
			return flawf(i, "switch %s is at level %d: Slurm takes at most %d", t.Switches[i].Name, level[i], mostDepth)
		}
		return nil
	}
	for i := range t.Switches {
		if bad := visit(i); bad != nil {
			return bad
		}
	}
	return nil
}

func (t *Topology) blockFlaw() *flaw {
	if bad := sizesFlaw(t.Sizes); bad != "" {
		return flawf(-1, "%s", bad)
	}
	met, on := map[string]bool{}, map[string]string{}
	for i := range t.Blocks {
		b := &t.Blocks[i]
		switch {
		case !slurmSafe(b.Name):
			return flawf(i, "%q is not a valid name in Slurm", b.Name)
		case met[b.Name]:
			return flawf(i, "block %s is listed twice", b.Name)
		case len(b.Nodes) == 0:
			return flawf(i, "block %s has no hosts", b.Name)
		case len(t.Sizes) > 0 && len(b.Nodes) < t.Sizes[0]:
			return flawf(i, "block %s has %d hosts, fewer than the smallest size, %d", b.Name, len(b.Nodes), t.Sizes[0])
		}
		met[b.Name] = true
		if bad := hostsFlaw(on, i, "block", b.Name, b.Nodes); bad != nil {
			return bad
		}
	}
	return nil
}

// sizesFlaw returns the rule of Slurm that sizes of blocks break, "" if they break none.
func sizesFlaw(sizes []int) string {
	for i, size := range sizes {
		switch {
		case size < 1:
			return fmt.Sprintf("block size %d: want 1 or more", size)
		case i > 0 && size <= sizes[i-1]:
			return fmt.Sprintf("block size %d follows %d: each is larger than the one before", size, sizes[i-1])
		case size%sizes[0] != 0 || !isPower(size/sizes[0]):
			return fmt.Sprintf("block size %d is not %d times a power of two", size, sizes[0])
		case size/sizes[0] > 1<<mostDoublings:
			return fmt.Sprintf("block size %d is over %d times %d", size, 1<<mostDoublings, sizes[0])
		}
	}
	return ""
}

func isPower(n int) bool { return n > 0 && n&(n-1) == 0 }

// ParseSizes parses sizes of blocks, as in "18,36,72".
func ParseSizes(list []string) (sizes []int, err error) {
	for _, text := range list {
		size, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("block size %q is not a number", text)
		}
		sizes = append(sizes, size)
	}
	if bad := sizesFlaw(sizes); bad != "" {
		return nil, fmt.Errorf("%s", bad)
	}
	return sizes, nil
}

// hosts returns the number of hosts.
func (t *Topology) hosts() (n int) {
	for i := range t.Switches {
		n += len(t.Switches[i].Nodes)
	}
	for i := range t.Blocks {
		n += len(t.Blocks[i].Nodes)
	}
	return n
}

// Kept returns the leaves and blocks of a file, for SlurmOptions.
func Kept(all []Topology) (kept []KeptSwitch) {
	for i := range all {
		above := map[string][]string{}
		for _, s := range all[i].Switches {
			for _, name := range s.Below {
				above[name] = append(above[name], s.Name)
			}
		}
		for _, s := range all[i].Switches {
			if len(s.Nodes) > 0 {
				kept = append(kept, KeptSwitch{Name: s.Name, Nodes: s.Nodes, Above: above[s.Name]})
			}
		}
		for _, b := range all[i].Blocks {
			kept = append(kept, KeptSwitch{Name: b.Name, Nodes: b.Nodes})
		}
	}
	return kept
}

// Hosts returns the names of all hosts, sorted.
func (t *Topology) Hosts() []string {
	list := make([]string, 0, t.hosts())
	for i := range t.Switches {
		list = append(list, t.Switches[i].Nodes...)
	}
	for i := range t.Blocks {
		list = append(list, t.Blocks[i].Nodes...)
	}
	slices.Sort(list)
	return list
}
