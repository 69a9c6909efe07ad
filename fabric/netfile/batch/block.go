package batch

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
)

// WriteSlurmBlocks writes the topology.conf of Slurm's topology/block plug-in (Slurm 23.11 and
// later): a line for each switch with hosts, and the sizes.
func WriteSlurmBlocks(w io.Writer, f *fabric.Fabric, opt SlurmOptions) ([]lines.Warning, error) {
	s, err := newSlurm(f, opt)
	if err != nil {
		return nil, err
	}
	hosts := s.findHosts()
	t, err := s.blocks(hosts, s.planesBySize(hosts), false)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# topology/block of %s\n", lines.Printable(s.Name))
	for _, b := range t.Blocks {
		fmt.Fprintf(out, "BlockName=%s Nodes=%s\n", b.Name, hostlist.Compress(b.Nodes))
	}
	if len(t.Sizes) > 0 {
		fmt.Fprintf(out, "BlockSizes=%s\n", strings.Join(numbers(t.Sizes), ","))
	}
	return s.warnings, out.Flush()
}

func numbers(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// blocks returns the blocks of some planes. A block holds the hosts of one switch; the blocks of a
// pod follow each other. Slurm refuses a block with fewer hosts than the smallest size; such blocks
// are left out.
func (s *slurm) blocks(hosts []slurmHost, planes []int32, yaml bool) (*Topology, error) {
	p := s.place(hosts, planes)
	s.warnSeveral(hosts, yaml)
	if p.lost > 0 && !yaml {
		s.warnf("%d hosts have no port in plane %d: left out", p.lost, planes[0])
	}
	t := &Topology{Sizes: s.opt.Sizes}
	small, lost := 0, 0
	for _, id := range s.byPod(p) {
		b := Block{Name: s.switchName(id), Nodes: p.hosts[id]}
		if len(t.Sizes) > 0 && len(b.Nodes) < t.Sizes[0] {
			small++
			lost += len(b.Nodes)
			continue
		}
		t.Blocks = append(t.Blocks, b)
	}
	for _, gone := range p.gone {
		twice := slices.ContainsFunc(t.Blocks, func(b Block) bool { return b.Name == gone.Name || slices.Contains(b.Nodes, gone.Nodes[0]) })
		if !twice && (len(t.Sizes) == 0 || len(gone.Nodes) >= t.Sizes[0]) {
			t.Blocks = append(t.Blocks, Block{Name: gone.Name, Nodes: gone.Nodes})
		}
	}
	if small > 0 {
		s.warnf("%d blocks with %d hosts have fewer than the smallest size, %d: left out, as Slurm refuses them", small, lost, t.Sizes[0])
	}
	if len(t.Blocks) == 0 {
		s.warnf("no block: the file is empty")
		t.Sizes = nil
		return t, nil
	}
	if len(t.Sizes) == 0 {
		t.Sizes = s.usualSizes(t.Blocks)
	}
	if bad := t.flaw(); bad != nil {
		return nil, fmt.Errorf("netfile: %s", bad.text)
	}
	return t, nil
}

// usualSizes returns the hosts of the smallest block, and this number doubled until it stands for
// all blocks.
func (s *slurm) usualSizes(blocks []Block) (sizes []int) {
	least, most := slices.MinFunc(blocks, byHosts), slices.MaxFunc(blocks, byHosts)
	if base := len(least.Nodes); len(most.Nodes) >= 2*base {
		s.warnf("the smallest block, %s, has %d hosts, the largest %d: Slurm plans with blocks of %d (--block-sizes leaves smaller ones out, --hosts lists the hosts that Slurm knows)",
			least.Name, base, len(most.Nodes), base)
	}
	for n := 1; len(sizes) <= mostDoublings; n *= 2 {
		sizes = append(sizes, n*len(least.Nodes))
		if n >= len(blocks) {
			break
		}
	}
	return sizes
}

func byHosts(a, b Block) int { return cmp.Compare(len(a.Nodes), len(b.Nodes)) }

// byPod returns the switches with hosts. The switches of a pod follow each other, and inside a pod
// the switches of a smaller pod. A pod is a part of the network below some level.
func (s *slurm) byPod(p *placement) []fabric.NodeID {
	var leaves []fabric.NodeID
	for _, id := range s.order {
		if len(p.hosts[id]) > 0 {
			leaves = append(leaves, id)
		}
	}
	level := s.levels(p, leaves)
	depth := int32(0)
	for _, l := range level {
		depth = max(depth, l)
	}
	rank := make([]int32, len(s.Nodes)) // by node index: place in the order of GUIDs
	for i, id := range s.order {
		rank[id] = int32(i)
	}
	join, parts := s.joins(p), newParts(len(s.Nodes))
	keys := map[fabric.NodeID][]int32{} // by leaf: its part below each level, from the bottom up
	for under := range depth {
		for i := range s.Links {
			l := &s.Links[i]
			a, b := level[l.A.Node], level[l.B.Node]
			if join(fabric.LinkID(i)) && s.IsSwitchLink(fabric.LinkID(i)) && min(a, b) >= 0 && max(a, b) <= under {
				parts.join(rank[l.A.Node], rank[l.B.Node])
			}
		}
		for _, id := range leaves {
			keys[id] = append(keys[id], parts.find(rank[id]))
		}
	}
	slices.SortFunc(leaves, func(a, b fabric.NodeID) int {
		ka, kb := keys[a], keys[b]
		for i := len(ka) - 1; i >= 0; i-- {
			if ka[i] != kb[i] {
				return cmp.Compare(ka[i], kb[i])
			}
		}
		return cmp.Compare(rank[a], rank[b])
	})
	return leaves
}

// parts are disjoint sets. A set is known by its least element.
type parts []int32

func newParts(n int) parts {
	p := make(parts, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

func (p parts) find(i int32) int32 {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

func (p parts) join(i, j int32) {
	i, j = p.find(i), p.find(j)
	p[max(i, j)] = min(i, j)
}
