package whatif

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/fold"
	"weft/study"
)

// Parts lists the differences between a fabric and its copy after changes.
type Parts struct {
	Failed  []string `json:"failed"`  // nodes and cables
	Drained []string `json:"drained"` // switches and cables
	Added   []string `json:"added"`   // nodes
	Moved   []string `json:"moved"`   // cables

	// What the text lists for failed, drained and added parts: servers as one part each.
	failed, drained, added []string
}

// PartsOf compares a fabric with its changed copy.
func PartsOf(before, after *fabric.Fabric) *Parts {
	p := &Parts{Failed: []string{}, Drained: []string{}, Added: []string{}, Moved: []string{}}
	groups := newServerParts(after)
	for i := range after.Nodes {
		n, id := &after.Nodes[i], fabric.NodeID(i)
		name := fmt.Sprintf("%s %s", n.Type, after.NodeName(id))
		was := &fabric.Node{}
		if i < len(before.Nodes) {
			was = &before.Nodes[i]
		} else {
			p.Added = append(p.Added, name)
			groups.add(&p.added, name, id, func(n fabric.NodeID) bool { return int(n) >= len(before.Nodes) })
		}
		switch {
		case n.Down && !was.Down:
			p.Failed = append(p.Failed, name)
			groups.add(&p.failed, name, id, func(n fabric.NodeID) bool { return after.Nodes[n].Down })
		case n.Drained && !was.Drained:
			p.Drained = append(p.Drained, name)
			p.drained = append(p.drained, name)
		}
	}
	for i := range before.Links {
		l, was := &after.Links[i], &before.Links[i]
		name := fmt.Sprintf("cable %s - %s", after.EndName(l.A), after.EndName(l.B))
		switch {
		case l.Down && !was.Down:
			p.Failed = append(p.Failed, name)
			p.failed = append(p.failed, name)
		case l.Drained && !was.Drained:
			p.Drained = append(p.Drained, name)
			groups.add(&p.drained, name, groups.hostOf(fabric.LinkID(i)), func(n fabric.NodeID) bool { return isDrained(after, n) })
		case l.A != was.A || l.B != was.B:
			p.Moved = append(p.Moved, fmt.Sprintf("cable %s - %s to %s - %s", before.EndName(was.A), before.EndName(was.B), after.EndName(l.A), after.EndName(l.B)))
		}
	}
	if counts := groups.countAdded(len(before.Nodes)); counts != "" {
		p.added = slices.Insert(p.added, 0, counts)
	}
	return p
}

// Add adds the differences of another fabric, whose parts get a prefix.
func (p *Parts) Add(prefix string, other *Parts) {
	for _, list := range []struct {
		to   *[]string
		from []string
	}{
		{&p.Failed, other.Failed},
		{&p.Drained, other.Drained},
		{&p.Added, other.Added},
		{&p.Moved, other.Moved},
		{&p.failed, other.failed},
		{&p.drained, other.drained},
		{&p.added, other.added},
	} {
		for _, part := range list.from {
			*list.to = append(*list.to, prefix+part)
		}
	}
}

// serverParts lists the parts of servers of several ports under one name.
type serverParts struct {
	f       *fabric.Fabric
	servers *fabric.Servers
	listed  map[*[]string]map[int32]bool
}

func newServerParts(f *fabric.Fabric) *serverParts {
	return &serverParts{f, f.Servers(), map[*[]string]map[int32]bool{}}
}

// add appends a part of a host to a list. It appends the server instead, once, if that has several
// ports and all its adapters share the fate.
func (s *serverParts) add(list *[]string, part string, host fabric.NodeID, shares func(fabric.NodeID) bool) {
	server := fabric.NoServer
	if host >= 0 {
		server = s.servers.Of[host]
	}
	if server == fabric.NoServer {
		*list = append(*list, part)
		return
	}
	v, ports := &s.servers.List[server], 0
	for _, adapter := range v.Adapters {
		for range s.f.Cabled(fabric.NodeID(adapter), nil) {
			ports++
		}
		if !shares(fabric.NodeID(adapter)) {
			ports = 0
			break
		}
	}
	if ports < 2 {
		*list = append(*list, part)
		return
	}
	if s.listed[list] == nil {
		s.listed[list] = map[int32]bool{}
	}
	if !s.listed[list][server] {
		s.listed[list][server] = true
		*list = append(*list, fmt.Sprintf("server %q (%d ports)", v.Name, ports))
	}
}

// countAdded counts the nodes from a number on. It returns "" unless a server among them has
// several ports.
func (s *serverParts) countAdded(first int) string {
	switches, machines, ports := 0, map[int32]bool{}, 0
	for id := first; id < len(s.f.Nodes); id++ {
		if s.f.Nodes[id].Type == fabric.Switch {
			switches++
		} else if server := s.servers.Of[id]; server != fabric.NoServer {
			machines[server] = true
			for range s.f.Cabled(fabric.NodeID(id), nil) {
				ports++
			}
		}
	}
	if ports == len(machines) {
		return ""
	}
	text := fmt.Sprintf("%s with %s", study.Plural(len(machines), "server"), study.Plural(ports, "host port"))
	if switches > 0 {
		text = fold.Count(switches, "switch", "switches") + ", " + text
	}
	return text
}

// hostOf returns the host at an end of a cable, -1 if there is none.
func (s *serverParts) hostOf(l fabric.LinkID) fabric.NodeID {
	for _, e := range []fabric.End{s.f.Links[l].A, s.f.Links[l].B} {
		if s.f.Nodes[e.Node].Type != fabric.Switch {
			return e.Node
		}
	}
	return -1
}

// isDrained reports whether all cables of a host are drained.
func isDrained(f *fabric.Fabric, host fabric.NodeID) bool {
	for _, l := range f.Cabled(host, nil) {
		if !f.Links[l].Drained {
			return false
		}
	}
	return true
}

// nothing reports whether there is no difference.
func (p *Parts) nothing() bool { return len(p.Failed)+len(p.Drained)+len(p.Added)+len(p.Moved) == 0 }
