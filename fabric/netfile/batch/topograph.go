package batch

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
	"weft/internal/hostlist"
)

// modelReader reads a model of topograph (NVIDIA/topograph, docs/modeling.md and pkg/models): the
// switches, each with the switches below it, and blocks of nodes, each at a switch. A model is a
// tree. Each of its lines from a switch to a switch or node is one cable here, with ports numbered
// in the order of the file; nodes are CAs of one port. Labels and annotations, accelerator domains
// among them, are not read.
type modelReader struct {
	yamlReader
	*draft.Draft
	switches map[string]fabric.NodeID
	hosts    map[string]fabric.NodeID
	above    map[fabric.NodeID]fabric.NodeID
	next     map[fabric.NodeID]int // the last port cabled
	alone    int                   // nodes without a switch
}

// mostModelDepth bounds the levels of switches.
const mostModelDepth = 100

// IsTopograph recognises the first line of a section.
func IsTopograph(line []byte) bool { return string(line) == "switches:" || string(line) == "blocks:" }

// ReadTopograph reads a model of topograph. Errors are of type *lines.Error.
func ReadTopograph(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	body, err := parseYAML(name, data)
	if err != nil {
		return nil, nil, err
	}
	r := modelReader{
		yamlReader: yamlReader{file: name}, Draft: draft.New(name), switches: map[string]fabric.NodeID{}, hosts: map[string]fabric.NodeID{},
		above: map[fabric.NodeID]fabric.NodeID{}, next: map[fabric.NodeID]int{},
	}
	values, _, err := r.keys(body, "switches", "blocks")
	if err != nil {
		return nil, nil, err
	}
	if n := values["switches"]; n != nil {
		err = r.switchTree(n)
	}
	if n := values["blocks"]; n != nil && err == nil {
		err = r.each(n, "blocks", r.capacityBlock)
	}
	if err != nil {
		return nil, nil, err
	}
	if r.alone > 0 {
		r.Lostf(0, "%d nodes are in blocks without a switch: the model tells no cable of them", r.alone)
	}
	return r.Build()
}

// node returns the switch or host of a name, and adds it at its first mention.
func (r *modelReader) node(names map[string]fabric.NodeID, name string, t fabric.NodeType, at int) (fabric.NodeID, error) {
	if id, known := names[name]; known {
		return id, nil
	}
	id := r.Add(at)
	names[name] = id
	r.Nodes[id].Desc, r.Nodes[id].Type = name, t
	return id, r.Grow(id, 1, at)
}

// cable joins two nodes at their next free ports.
func (r *modelReader) cable(a, b fabric.NodeID, at int) error {
	var ends [2]fabric.End
	for i, id := range [2]fabric.NodeID{a, b} {
		r.next[id]++
		var err error
		if ends[i], err = r.End(id, r.next[id], at); err != nil {
			return err
		}
	}
	return r.Connect(ends[0], ends[1], at, 0, fabric.SpeedUnknown)
}

func (r *modelReader) switchTree(n ast.Node) error {
	entries, ok := entriesOf(n)
	if !ok {
		return r.errorf(n, "switches: want the name of each switch as a key (models of older versions are lists, which are not read)")
	}
	met := map[string]bool{}
	for _, e := range entries {
		name, at := e.Key.GetToken().Value, lineOf(e.Key)
		if met[name] {
			return r.errorf(e.Key, "switch %s is described twice", lines.Printable(name))
		}
		met[name] = true
		id, err := r.node(r.switches, name, fabric.Switch, at)
		if err != nil {
			return err
		}
		if _, empty := e.Value.(*ast.NullNode); empty || e.Value == nil {
			continue
		}
		values, _, err := r.keys(e.Value, "name", "labels", "annotations", "switches")
		if err != nil {
			return err
		}
		if below := values["switches"]; below != nil {
			if err := r.each(below, "switches", func(n ast.Node) error { return r.below(id, n) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// below reads the name of a switch below another.
func (r *modelReader) below(above fabric.NodeID, n ast.Node) error {
	name, err := r.name(n, "switches")
	if err != nil {
		return err
	}
	id, err := r.node(r.switches, name, fabric.Switch, lineOf(n))
	if err != nil {
		return err
	}
	if old, twice := r.above[id]; twice {
		return r.errorf(n, "switch %s is below %s and below %s: want a tree", lines.Printable(name), r.Name(old), r.Name(above))
	}
	depth := 0
	for top, known := above, true; known; top, known = r.above[top] {
		if depth++; top == id || depth > mostModelDepth {
			return r.errorf(n, "switch %s is below itself, or below over %d others: want a tree", lines.Printable(name), mostModelDepth)
		}
	}
	r.above[id] = above
	return r.cable(above, id, lineOf(n))
}

// name returns a name, which may be a number in YAML: 007 stays 007.
func (r *modelReader) name(n ast.Node, key string) (string, error) {
	if v, ok := n.(*ast.IntegerNode); ok {
		return v.GetToken().Value, nil
	}
	return r.text(n, key)
}

func (r *modelReader) capacityBlock(n ast.Node) error {
	values, _, err := r.keys(n, "name", "switch", "nodes", "labels", "annotations")
	if err != nil {
		return err
	}
	at := fabric.NodeID(-1)
	if s := values["switch"]; s != nil {
		name, err := r.name(s, "switch")
		if err != nil {
			return err
		}
		id, known := r.switches[name]
		if !known {
			return r.errorf(s, "no switch is called %s", lines.Printable(name))
		}
		at = id
	}
	if values["nodes"] == nil {
		return r.errorf(n, "a block without nodes")
	}
	return r.each(values["nodes"], "nodes", func(n ast.Node) error {
		list, err := r.name(n, "nodes")
		if err != nil {
			return err
		}
		names, err := r.names.parse(list)
		if err != nil {
			return r.errorf(n, "%v", err)
		}
		for _, name := range names {
			if _, twice := r.hosts[name]; twice {
				return r.errorf(n, "node %s is in two blocks", lines.Printable(name))
			}
			id, err := r.node(r.hosts, name, fabric.CA, lineOf(n))
			if err != nil {
				return err
			}
			if at < 0 {
				r.alone++
			} else if err := r.cable(at, id, lineOf(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteTopograph writes a model of topograph. A block is the hosts of a switch, and levels are
// distances from switches with hosts. Because a switch of a model has one switch above it, one name
// stands for all switches of a level that reach the same hosts from above: that of the first by
// GUID. Only opt.Names counts; a switch without one there has its description as name if that is
// one word and no other switch has it.
func WriteTopograph(w io.Writer, f *fabric.Fabric, opt SlurmOptions) ([]lines.Warning, error) {
	s, err := newSlurm(f, SlurmOptions{Names: withSwitchNames(f, opt.Names)})
	if err != nil {
		return nil, err
	}
	hosts := s.findHosts()
	p := s.place(hosts, s.planesBySize(hosts))
	s.warnSeveral(hosts, false)
	leaves := s.byPod(p)
	t := &Topology{}
	for _, id := range leaves {
		t.Switches = append(t.Switches, Switch{Name: s.switchName(id), Nodes: p.hosts[id]})
	}
	if len(leaves) == 0 {
		return nil, fmt.Errorf("netfile: no host is cabled to a switch")
	}
	above, merged := s.pods(p, leaves)
	if t.Switches = append(t.Switches, above...); merged > 0 {
		s.warnf("%d switches reach the same hosts from above as others: a model has one for all of them", merged)
	}
	if bad := t.flaw(); bad != nil {
		return nil, fmt.Errorf("netfile: %s: give other names (a node name map)", bad.text)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# model of %s\nswitches:\n", lines.Printable(s.Name))
	for _, sw := range slices.Backward(t.Switches) {
		switch {
		case len(sw.Below) > 0:
			fmt.Fprintf(out, "  %s:\n    switches:\n", quoted(sw.Name))
			for _, name := range sw.Below {
				fmt.Fprintf(out, "    - %s\n", quoted(name))
			}
		default:
			fmt.Fprintf(out, "  %s: {}\n", quoted(sw.Name))
		}
	}
	fmt.Fprint(out, "blocks:\n")
	for _, sw := range t.Switches[:len(leaves)] {
		fmt.Fprintf(out, "- switch: %s\n  nodes:\n  - %s\n", quoted(sw.Name), quoted(hostlist.Compress(sw.Nodes)))
	}
	return s.warnings, out.Flush()
}

// withSwitchNames adds the descriptions that can be names of switches.
func withSwitchNames(f *fabric.Fabric, given map[fabric.GUID]string) map[fabric.GUID]string {
	names, called := maps.Clone(given), map[string]int{}
	if names == nil {
		names = map[fabric.GUID]string{}
	}
	for _, name := range given {
		called[name]++
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			called[n.Desc]++
		}
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if _, has := given[n.GUID]; !has && n.Type == fabric.Switch && slurmSafe(n.Desc) && len(n.Desc) <= mostName && called[n.Desc] == 1 {
			names[n.GUID] = n.Desc
		}
	}
	return names
}

// pods returns a tree above the leaves. Its switches stand for the parts of the network up to a
// level: the first switch of that level for all. merged counts the others. A part that joins no two
// of the level below is left out.
func (s *slurm) pods(p *placement, leaves []fabric.NodeID) (list []Switch, merged int) {
	level, join, parts := s.levels(p, leaves), s.joins(p), newParts(len(s.Nodes))
	type part struct {
		name string
		in   fabric.NodeID // one of its switches
	}
	var tops []part
	for _, id := range leaves {
		tops = append(tops, part{s.switchName(id), id})
	}
	for at := int32(1); at <= slices.Max(level); at++ {
		for i := range s.Links {
			l := &s.Links[i]
			if a, b := level[l.A.Node], level[l.B.Node]; join(fabric.LinkID(i)) && min(a, b) >= 0 && max(a, b) <= at && s.IsSwitchLink(fabric.LinkID(i)) {
				parts.join(int32(l.A.Node), int32(l.B.Node))
			}
		}
		names, below := map[int32]string{}, map[int32][]string{} // by part
		for _, top := range tops {
			key := parts.find(int32(top.in))
			below[key] = append(below[key], top.name)
		}
		for _, id := range s.order {
			switch key := parts.find(int32(id)); {
			case level[id] != at || len(below[key]) < 2:
			case names[key] != "":
				merged++
			default:
				names[key] = s.switchName(id)
			}
		}
		var next []part
		for _, top := range tops {
			key := parts.find(int32(top.in))
			switch name := names[key]; {
			case name == "":
				next = append(next, top)
			case below[key] != nil:
				list = append(list, Switch{Name: name, Below: below[key]})
				next = append(next, part{name, top.in})
				below[key] = nil
			}
		}
		tops = next
	}
	if len(tops) > 1 {
		s.warnf("no switch is above all others: the model has %d trees", len(tops))
	}
	return list, merged
}
