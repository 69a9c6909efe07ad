package batch

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
)

// WriteSlurmYAML writes Slurm's topology.yaml (Slurm 25.05 and later): a tree for each plane, and
// its blocks if opt.Blocks asks for them. The plane with the most hosts is the default.
func WriteSlurmYAML(w io.Writer, f *fabric.Fabric, opt SlurmOptions) ([]lines.Warning, error) {
	s, err := newSlurm(f, opt)
	if err != nil {
		return nil, err
	}
	all, err := s.topologies()
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# topologies of %s\n", lines.Printable(s.Name))
	for i := range all {
		all[i].writeYAML(out)
	}
	return s.warnings, out.Flush()
}

// topologies returns the topologies of all planes. With a root, all planes are one.
func (s *slurm) topologies() (all []Topology, err error) {
	hosts := s.findHosts()
	planes := s.planesBySize(hosts)
	groups := [][]int32{planes}
	if s.opt.Root == "" && len(planes) > 1 {
		groups = nil
		for _, p := range planes {
			groups = append(groups, []int32{p})
		}
	}
	for _, group := range groups {
		tree, blocks := "tree", "blocks"
		if len(groups) > 1 || s.opt.Plane != nil {
			tree, blocks = fmt.Sprintf("plane%d", group[0]), fmt.Sprintf("plane%d-blocks", group[0])
		}
		t, err := s.tree(hosts, group, len(groups) > 1)
		if err != nil {
			return nil, err
		}
		if len(t.Switches) == 0 {
			continue
		}
		t.Name, t.Default = tree, len(all) == 0
		all = append(all, *t)
		if !s.opt.Blocks {
			continue
		}
		if t, err = s.blocks(hosts, group, true); err != nil {
			return nil, err
		}
		if t.Name = blocks; len(t.Blocks) > 0 {
			all = append(all, *t)
		}
	}
	return all, nil
}

func (t *Topology) writeYAML(w io.Writer) {
	fmt.Fprintf(w, "- topology: %s\n  cluster_default: %t\n", quoted(t.Name), t.Default)
	if len(t.Switches) > 0 {
		fmt.Fprint(w, "  tree:\n    switches:\n")
		for _, sw := range t.Switches {
			fmt.Fprintf(w, "    - switch: %s\n", quoted(sw.Name))
			if len(sw.Nodes) > 0 {
				fmt.Fprintf(w, "      nodes: %s\n", quoted(hostlist.Compress(sw.Nodes)))
			} else {
				fmt.Fprintf(w, "      children: %s\n", quoted(hostlist.Compress(sw.Below)))
			}
		}
		return
	}
	fmt.Fprint(w, "  block:\n    block_sizes:\n")
	for _, size := range t.Sizes {
		fmt.Fprintf(w, "    - %d\n", size)
	}
	fmt.Fprint(w, "    blocks:\n")
	for _, b := range t.Blocks {
		fmt.Fprintf(w, "    - block: %s\n      nodes: %s\n", quoted(b.Name), quoted(hostlist.Compress(b.Nodes)))
	}
}

// plain matches texts that YAML reads as they are, apart from words such as yes and null.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.,\[\]-]*$`) })

// quoted returns a text as YAML reads it back. Names have no quote and no backslash (slurmSafe).
func quoted(text string) string {
	switch strings.ToLower(text) {
	case "y", "yes", "n", "no", "true", "false", "on", "off", "null", "nan", "inf":
	default:
		if plain().MatchString(text) {
			return text
		}
	}
	return `"` + text + `"`
}
