package gen

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// merge adds a second tree to a copy of a fabric and joins the roots of both, or their leaves.
func merge(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	other, links := a.built("tree"), a.int("links")
	if other == nil {
		return nil, problemf(a.pos, "merge names no tree")
	}
	if len(f.Nodes)+len(other.Nodes) > a.most.Nodes || len(f.Links)+len(other.Links)+links > a.most.Links {
		return nil, problemf(a.pos, "both trees together have too many nodes or cables (at most %d and %d)", a.most.Nodes, a.most.Links)
	}
	leaves := false
	switch at := a.text("at"); at {
	case "", "roots":
	case "leaves":
		leaves = true
	default:
		return nil, problemf(a.value("at").pos, "at=%s: want roots or leaves", at)
	}
	f = f.Clone()
	mine, theirs := outermost(f, leaves), outermost(other, leaves)
	if len(mine) == 0 || len(theirs) == 0 {
		return nil, problemf(a.pos, "a tree without switches has nothing to merge")
	}
	same := min(len(mine), len(theirs))
	if links > 0 {
		same = 0
	}
	c := newCopier(f, other)
	for i, id := range theirs[:same] {
		if err := c.unite(mine[i], id); err != nil {
			return nil, problemf(a.pos, "%v", err)
		}
	}
	prefix := treePrefix(f)
	if err := c.add(func(desc string) string { return prefix + desc }, numbered); err != nil {
		return nil, problemf(a.pos, "%v", err)
	}
	for i := range links {
		if err := connectFree(f, mine[i%len(mine)], c.node[theirs[i%len(theirs)]]); err != nil {
			return nil, problemf(a.pos, "%v", err)
		}
	}
	return f, nil
}

// treePrefix returns the prefix for the switches of the next tree.
func treePrefix(f *fabric.Fabric) string {
	for n := 2; ; n++ {
		prefix := fmt.Sprintf("tree %d ", n)
		if !slices.ContainsFunc(f.Nodes, func(n fabric.Node) bool { return strings.HasPrefix(n.Desc, prefix) }) {
			return prefix
		}
	}
}

// outermost lists the switches of the highest level, or the leaves, in order of GUID.
func outermost(f *fabric.Fabric, leaves bool) []fabric.NodeID {
	level := Levels(f)
	want := int32(0)
	if !leaves && len(level) > 0 {
		want = slices.Max(level)
	}
	return nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsSwitch(f, id) && level[id] == want })
}

// connectFree joins two switches by a cable on new ports.
func connectFree(f *fabric.Fabric, x, y fabric.NodeID) error {
	var ends [2]fabric.End
	for i, id := range [2]fabric.NodeID{x, y} {
		n := &f.Nodes[id]
		if n.NumPorts() == fabric.MaxPorts {
			return fmt.Errorf("%s has no port for another cable (at most %d)", f.NodeName(id), fabric.MaxPorts)
		}
		n.Ports = append(n.Ports, fabric.Port{GUID: n.Ports[0].GUID, Link: fabric.NoLink})
		ends[i] = fabric.End{Node: id, Port: uint8(n.NumPorts())}
	}
	_, err := f.Connect(ends[0], ends[1], 4, fabric.EDR)
	return err
}
