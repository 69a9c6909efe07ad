package batch

import (
	"cmp"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// nameCAs gives every CA the name of its server, and drops replaced CAs.
func (s *slurm) nameCAs(cas []slurmCA) []slurmCA {
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
		case s.opt.Absent[n.GUID] && s.opt.Was[n.GUID] != "":
			// another host has its name now: it was replaced
		default: // of the adapter that names its server
			id, _ := s.NodeByGUID(servers.List[server].GUID)
			cas[i].name = lines.NodeID(&s.Nodes[id])
			unnamed++
		}
	}
	cas = slices.DeleteFunc(cas, func(ca slurmCA) bool { return ca.name == "" })
	if unnamed > 0 {
		s.warnf("%d CAs are called by GUID: their description does not name a host (give a name map)", unnamed)
	}
	return cas
}

// HostNames returns the names that adapters have in the files, by node GUID. Names that are made of
// a GUID are not among them.
func HostNames(f *fabric.Fabric, opt SlurmOptions) map[fabric.GUID]string {
	s := &slurm{Fabric: f, opt: opt}
	servers := f.Servers()
	byServer, names := s.serverNames(servers), map[fabric.GUID]string{}
	for i := range servers.List {
		for _, id := range servers.List[i].Adapters {
			g := f.Nodes[id].GUID
			if name := cmp.Or(opt.Names[g], byServer[i]); name != "" {
				names[g] = name
			}
		}
	}
	return names
}

// SwitchNames returns the names that switches have in the files, by node GUID.
func SwitchNames(f *fabric.Fabric, opt SlurmOptions) map[fabric.GUID]string {
	s := &slurm{Fabric: f, opt: opt}
	names := map[fabric.GUID]string{}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			names[n.GUID] = s.switchName(fabric.NodeID(i))
		}
	}
	return names
}

// naming holds the names of servers while they are given.
type naming struct {
	*slurm
	servers *fabric.Servers
	names   []string // by server, "" while it has none
	taken   map[string]bool
}

// serverNames returns the names of servers that have one, by four rules in this order: that of an
// adapter in opt.Names; the host's own, if no other server has the same, or only an absent one that
// this one replaces; its earlier one; the own of an absent server. So a server that takes another's
// name gets neither that name nor its place.
func (s *slurm) serverNames(servers *fabric.Servers) []string {
	n := naming{s, servers, make([]string, len(servers.List)), map[string]bool{}}
	for _, name := range s.opt.Names {
		n.taken[name] = true
	}
	called, was := map[string]int{}, map[string]bool{}
	for i := range servers.List {
		for _, id := range servers.List[i].Adapters {
			if name, given := s.opt.Names[s.Nodes[id].GUID]; given && n.names[i] == "" {
				n.names[i] = name
			}
		}
		switch {
		case n.names[i] != "":
		case n.absent(i):
			was[n.own(i)], was[n.before(i)] = true, true
		default:
			called[n.own(i)]++
		}
	}
	for i := range servers.List {
		own, before := n.own(i), n.before(i)
		isNew := before == "" || before == own
		if called[own] == 1 && !n.absent(i) && (isNew || !was[own]) {
			n.give(i, own)
		}
	}
	for i := range servers.List {
		n.give(i, n.before(i))
	}
	for i := range servers.List {
		if n.absent(i) && n.before(i) == "" {
			n.give(i, n.own(i))
		}
	}
	return n.names
}

// give gives a server without a name one that Slurm reads and no other server has.
func (n *naming) give(server int, name string) {
	if n.names[server] == "" && slurmSafe(name) && !n.taken[name] {
		n.names[server], n.taken[name] = name, true
	}
}

// own returns the host name in the descriptions of a server.
func (n *naming) own(server int) string { return hostName(n.servers.List[server].Host) }

// before returns the earlier name of a server, "" if none is known.
func (n *naming) before(server int) string {
	for _, id := range n.servers.List[server].Adapters {
		if name := n.opt.Was[n.Nodes[id].GUID]; name != "" {
			return name
		}
	}
	return ""
}

// absent reports whether no adapter of a server is there.
func (n *naming) absent(server int) bool {
	return len(n.opt.Absent) > 0 && !slices.ContainsFunc(n.servers.List[server].Adapters, func(id int32) bool { return !n.opt.Absent[n.Nodes[id].GUID] })
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
