// Package jobs names sets of hosts: the jobs of a cluster. It reads them from files of our own,
// from Slurm's node lists, and from what squeue prints.
package jobs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/internal/hostlist"
)

// Job is a named set of hosts.
type Job struct {
	Name string // the id of a Slurm job
	User string // "" if unknown
	// Hosts are the host ports of a Graph: server by server in the order of the list, and the ports
	// of each server by adapter and port. No port comes twice.
	Hosts []int32
}

// String names the job for people.
func (j *Job) String() string {
	if j.User == "" {
		return j.Name
	}
	return j.Name + " (" + j.User + ")"
}

// Names returns the names that a Finder knows a host port by: the description of its node,
// the machine in it ("n12.site" of "n12.site mlx5_0"), that without its domain, for generated
// networks "host12" of "host 12", and the node GUID.
func Names(g *fabric.Graph, host int32) []string {
	desc := g.EndDesc[host]
	machine, _ := fabric.HostAndDevice(desc)
	short, _, _ := strings.Cut(machine, ".")
	names := []string{desc, machine, short}
	if words := strings.Fields(machine); len(words) == 2 && strings.Trim(words[1], "0123456789") == "" {
		names = append(names, words[0]+words[1])
	}
	return append(names, g.EndNodeGUID[host].String())
}

// Finder finds the servers of a Graph by name.
type Finder struct {
	g       *fabric.Graph
	servers *fabric.Servers
	byName  map[string]int32 // server; several for a name of several
	first   string           // a name of the first server, as an example
}

// several stands for the servers of an ambiguous name.
const several int32 = -2

// NewFinder returns a Finder of a Graph.
func NewFinder(g *fabric.Graph) *Finder {
	x := &Finder{g: g, servers: g.Servers(), byName: map[string]int32{}}
	add := func(name string, server int32) {
		if old, met := x.byName[name]; met && old != server {
			server = several
		}
		x.byName[name] = server
	}
	for server := range x.servers.List {
		for e := range x.servers.Ends(g, int32(server)) {
			for _, name := range Names(g, e) {
				if name != "" {
					add(name, int32(server))
				}
			}
		}
		if x.first == "" {
			x.first = x.Name(int32(server))
		}
	}
	return x
}

// On returns the Finder of another Graph; of a nil Finder, a new one. If the Graph has the same
// host ports, as after the loss of a link between switches, their names are not read again.
func (x *Finder) On(g *fabric.Graph) *Finder {
	switch {
	case x == nil || x.g != g && !SameHosts(x.g, g):
		return NewFinder(g)
	case x.g == g:
		return x
	}
	next := *x
	next.g = g
	return &next
}

// SameHosts reports whether two Graphs have the same host ports, so that each name stands for the
// same ports in both.
func SameHosts(a, b *fabric.Graph) bool {
	n := a.NumHosts
	return n == b.NumHosts && slices.Equal(a.EndGUID[:n], b.EndGUID[:n]) && slices.Equal(a.EndNode[:n], b.EndNode[:n]) && slices.Equal(a.EndNodeGUID[:n], b.EndNodeGUID[:n]) && slices.Equal(a.EndSystem[:n], b.EndSystem[:n]) &&
		slices.Equal(a.EndType[:n], b.EndType[:n]) && slices.Equal(a.EndDesc[:n], b.EndDesc[:n]) && slices.Equal(a.Aggregation[:n], b.Aggregation[:n])
}

// Find returns the host ports of the nodes of a list as Slurm writes it, n[001-004,010],login. A
// node is the server of this name with all its ports.
func (x *Finder) Find(list string) ([]int32, error) {
	return x.expand(list, func(_ string, err error) error { return err }, func(node string) error { return fmt.Errorf("node %q comes twice", node) })
}

// Match returns the host ports of the nodes of a list, and the names of nodes that are not found. A
// node that comes twice counts once.
func (x *Finder) Match(list string) (hosts []int32, unknown []string, err error) {
	hosts, err = x.expand(list, func(node string, _ error) error {
		unknown = append(unknown, node)
		return nil
	}, func(string) error { return nil })
	return hosts, unknown, err
}

// expand returns the host ports of the nodes of a list. Of nodes that are not found, and of those
// that come twice, it calls a function, and ends with its error.
func (x *Finder) expand(list string, unknown func(node string, err error) error, twice func(node string) error) (hosts []int32, err error) {
	nodes, err := hostlist.Expand(list)
	if err != nil {
		return nil, err
	}
	met := make(map[int32]bool, len(nodes))
	for _, node := range nodes {
		server, err := x.find(node)
		switch {
		case err != nil:
			err = unknown(node, err)
		case met[server]:
			err = twice(node)
		default:
			met[server] = true
			hosts = x.addHosts(hosts, server)
		}
		if err != nil {
			return nil, err
		}
	}
	return hosts, nil
}

// find returns the server that a node of a list names.
func (x *Finder) find(node string) (server int32, err error) {
	server, known := x.byName[node]
	switch {
	case !known && x.first == "":
		return 0, fmt.Errorf("no host is called %q: the fabric has no hosts", node)
	case !known:
		return 0, fmt.Errorf("no host of the fabric is called %q; the first is called %q", node, x.first)
	case server == several:
		return 0, fmt.Errorf("several hosts are called %q: give their node GUIDs (weft show --servers)", node)
	}
	return server, nil
}

// addHosts adds the host ports of a server.
func (x *Finder) addHosts(hosts []int32, server int32) []int32 {
	for e := range x.servers.Ends(x.g, server) {
		if x.g.IsHost(e) {
			hosts = append(hosts, e)
		}
	}
	return hosts
}

// Name returns a name of a server that Find and Slurm read: that of the machine if no other has it,
// else a node GUID.
func (x *Finder) Name(server int32) string {
	for e := range x.servers.Ends(x.g, server) {
		names := Names(x.g, e)
		for _, i := range []int{2, 1, 3} { // short, machine, joined
			if i < len(names) && x.byName[names[i]] == server && safe(names[i]) {
				return names[i]
			}
		}
	}
	return x.servers.List[server].GUID.String()
}

// List returns the servers of host ports as Slurm's node list.
func (x *Finder) List(hosts []int32) string {
	names := map[string]bool{}
	for _, h := range hosts {
		names[x.Name(x.Server(h))] = true
	}
	return hostlist.Compress(slices.Collect(maps.Keys(names)))
}

// Server returns the server of a host port, fabric.NoServer for a router's.
func (x *Finder) Server(host int32) int32 { return x.servers.Of[x.g.EndNode[host]] }

// Text writes jobs as Read reads them, one a line.
func (x *Finder) Text(jobs []Job) string {
	var b strings.Builder
	for i := range jobs {
		j := &jobs[i]
		b.WriteString(j.Name + " ")
		if j.User != "" {
			b.WriteString(j.User + " ")
		}
		b.WriteString(x.List(j.Hosts) + "\n")
	}
	return b.String()
}

// safe reports whether a list holds a name as one name.
func safe(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`,[]="'#\;`, r)
	}) < 0
}

// byName sorts jobs as names with numbers are sorted.
func byName(a, b Job) int {
	return cmp.Or(hostlist.Compare(a.Name, b.Name), cmp.Compare(a.Name, b.Name))
}
