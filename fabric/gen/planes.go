package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// planes builds n copies of the network of a fabric on the same servers. On every adapter the ports
// of copy c follow the ports of the copies before it.
func planes(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	n, networks := a.int("n"), planesOf(f)
	if err := fitPlane(f, f, n-1, a.most); err != nil {
		return nil, problemf(a.pos, "n=%d: %v", n, err)
	}
	all := f.Clone()
	for i := range all.Nodes {
		if all.Nodes[i].Type != fabric.CA {
			all.Nodes[i].Desc = planeName(all.Nodes[i].Desc, 0)
		}
	}
	for c := 1; c < n; c++ {
		name := func(desc string) string { return planeName(desc, c*networks) }
		if err := addPlane(all, f, name, numbered); err != nil {
			return nil, problemf(a.pos, "n=%d: %v", n, err)
		}
	}
	return all, nil
}

// plane adds another network to the servers of a fabric: its server i is server i of the fabric.
// Those beyond them are servers of their own.
func plane(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	other, networks := a.built("network"), planesOf(f)
	if err := fitPlane(f, other, 1, a.most); err != nil {
		return nil, problemf(a.pos, "%v", err)
	}
	switchName, hostName := func(desc string) string { return planeName(desc, networks) }, numbered
	if name := strings.TrimSpace(a.text("name")); name != "" {
		if i := slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return strings.HasPrefix(n.Desc, name+" ") }); i >= 0 {
			return nil, problemf(a.value("name").pos, "name=%s: a node is called %q already: give the plane another name", name, f.Nodes[i].Desc)
		}
		switchName, hostName = planeNames(name)
	}
	f = f.Clone()
	if err := addPlane(f, other, switchName, hostName); err != nil {
		return nil, problemf(a.pos, "%v", err)
	}
	return f, nil
}

// planeNames returns the names of the switches of a plane and of its own servers.
func planeNames(plane string) (switchName func(string) string, hostName func(int) string) {
	own := -1
	switchName = func(desc string) string { return plane + " " + desc }
	hostName = func(int) string {
		own++
		return plane + " " + strconv.Itoa(own)
	}
	return switchName, hostName
}

// addPlane adds the network of other to a fabric. Servers of one number are the same.
func addPlane(f, other *fabric.Fabric, switchName func(string) string, hostName func(int) string) error {
	c := newCopier(f, other)
	mine, theirs := f.Servers().List, other.Servers().List
	for i := range min(len(mine), len(theirs)) {
		adapters := mine[i].Adapters
		for k, there := range theirs[i].Adapters {
			here := adapters[min(k, len(adapters)-1)]
			if err := c.unite(fabric.NodeID(here), fabric.NodeID(there)); err != nil {
				return err
			}
		}
	}
	return c.add(switchName, hostName)
}

// fitPlane returns an error if a fabric and n networks of another one are too large to build.
func fitPlane(f, other *fabric.Fabric, n int, most Limits) error {
	s := size{links: len(f.Links) + mul(n, len(other.Links))}
	count := func(g *fabric.Fabric, n int) {
		for i := range g.Nodes {
			if g.Nodes[i].Type != fabric.CA {
				s.switches += n
				s.ports = max(s.ports, g.Nodes[i].NumPorts())
			}
		}
	}
	count(f, 1)
	count(other, n)
	s.hosts = max(len(f.Servers().List), len(other.Servers().List))
	return s.fits(most)
}

// planesOf returns the highest number of a plane in the names of switches, at least 1: a network
// without numbers is the first plane.
func planesOf(f *fabric.Fabric) int {
	most := 1
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			continue
		}
		if n, _ := cutPlane(f.Nodes[i].Desc); n > most {
			most = n
		}
	}
	return most
}

// cutPlane cuts "plane 2 leaf 0" into 2 and "leaf 0". A description without a number is in plane 1.
func cutPlane(desc string) (n int, rest string) {
	if after, ok := strings.CutPrefix(desc, "plane "); ok {
		number, rest, _ := strings.Cut(after, " ")
		if n, err := strconv.ParseUint(number, 10, 16); err == nil && n > 0 {
			return int(n), rest
		}
	}
	return 1, desc
}

// planeName adds to the number of the plane in the name of a switch.
func planeName(desc string, n int) string {
	old, rest := cutPlane(desc)
	return fmt.Sprintf("plane %d %s", old+n, rest)
}
