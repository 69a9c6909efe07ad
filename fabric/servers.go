package fabric

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// ServerSign is the evidence that several channel adapters are one server.
type ServerSign string

// The signs. A server with one adapter has BySelf.
const (
	BySelf        ServerSign = "node GUID"         // it is the only adapter
	BySystemImage ServerSign = "system image GUID" // all have the same one
	ByHostName    ServerSign = "description"       // all begin with the same host name
)

// Server is a machine with one or several channel adapters. Switches, routers and aggregation
// nodes belong to no server.
type Server struct {
	Name     string // host name; without one, the description, with the GUID if others have it too
	Host     string // host name, "" without one
	GUID     GUID   // the lowest node GUID of its adapters
	Sign     ServerSign
	Adapters []int32 // in a Fabric: node indices; in a Graph: node numbers, as in NodeStart
}

// Servers are the machines of a Fabric or a Graph, by the lowest node GUID of each.
type Servers struct {
	List []Server
	Of   []int32 // by node: index in List, or NoServer
}

// NoServer stands for the server of a switch, router or aggregation node.
const NoServer int32 = -1

// Servers groups channel adapters into machines, also adapters that are down.
//
// Adapters with the same host name are one machine. The host name is the part of the description
// before the device ("n12 HCA-1", "n12 mlx5_0"). Descriptions as the firmware gives them ("MT4115
// ConnectX4"), "localhost" and the like hold no host name; nor does a name that two adapters have
// for the same device. A name without a device is that of several adapters only if other machines
// have such names too. "n12.site" and "n12" are one machine, and so are "n12-bf" and "n12": the
// first is an adapter with an operating system of its own. Adapters with the same system image GUID
// are one machine too, unless their host names differ: several machines can share an adapter. The
// cost is O(n log n).
func (f *Fabric) Servers() *Servers {
	s := newGrouping(len(f.Nodes))
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == CA && !f.IsAggregationNode(NodeID(i)) {
			s.add(int32(i), n.GUID, n.SystemGUID, n.Desc)
		}
	}
	return s.group()
}

// Servers groups the nodes of end ports into machines, as Fabric.Servers does. Machines that are
// down, or have no cable to a switch, are not among them.
func (g *Graph) Servers() *Servers {
	s := newGrouping(g.NumNodes)
	for node := range int32(g.NumNodes) {
		if e := g.NodeEnds[g.NodeStart[node]]; g.EndType[e] == CA && !g.Aggregation[e] {
			s.add(node, g.EndNodeGUID[e], g.EndSystem[e], g.EndDesc[e])
		}
	}
	return s.group()
}

// Ends yields the end ports of a server of a Graph, by adapter and port.
func (s *Servers) Ends(g *Graph, server int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, node := range s.List[server].Adapters {
			for _, e := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Find finds a server by name, as FindNamed does, or by the GUID of one of its adapters.
func (s *Servers) Find(f *Fabric, name string) (int32, error) {
	i, err := FindNamed("server", name, len(s.List), func(i int) (GUID, string) { return s.List[i].GUID, s.List[i].Name })
	if err == nil {
		return int32(i), nil
	}
	if id, found := f.FindHost(name); found == nil && s.Of[id] != NoServer {
		return s.Of[id], nil
	}
	return NoServer, err
}

// grouping groups adapters.
type grouping struct {
	adapters []adapter
	of       []int32
	parent   []int32 // of adapters, for union and find
}

type adapter struct {
	node         int32
	guid, system GUID
	desc, host   string // host name as written
	key, dev     string // host name as it is compared, and the device
}

func newGrouping(nodes int) *grouping {
	return &grouping{of: slices.Repeat([]int32{NoServer}, nodes)}
}

func (s *grouping) add(node int32, guid, system GUID, desc string) {
	a := adapter{node: node, guid: guid, system: system, desc: desc}
	a.host, a.dev = HostAndDevice(desc)
	a.key, a.dev = strings.ToLower(a.host), strings.ToLower(a.dev)
	s.adapters = append(s.adapters, a)
}

// group makes the servers.
func (s *grouping) group() *Servers {
	slices.SortFunc(s.adapters, func(a, b adapter) int { return cmp.Compare(a.guid, b.guid) })
	s.dropSharedNames()
	s.joinAliases()
	s.parent = make([]int32, len(s.adapters))
	for i := range s.parent {
		s.parent[i] = int32(i)
	}
	s.joinHosts()
	s.joinSystems()
	return s.servers()
}

// mostAdapters is the largest number of adapters that a machine is believed to have on the word of
// a host name without devices, or of a system image GUID, alone.
const mostAdapters = 16

// dropSharedNames takes away host names that two adapters have for the same device: two machines
// were given one name.
func (s *grouping) dropSharedNames() {
	met, shared := map[[2]string]bool{}, map[string]bool{}
	bare := map[string]int{} // adapters by host name, without a device
	for i := range s.adapters {
		a := &s.adapters[i]
		if a.dev == "" {
			bare[a.key]++
			continue
		}
		key := [2]string{a.key, a.dev}
		shared[a.key] = shared[a.key] || met[key]
		met[key] = true
	}
	repeated := 0
	for key, n := range bare {
		if key != "" && n > 1 {
			repeated++
		}
	}
	for i := range s.adapters {
		a := &s.adapters[i]
		if n := bare[a.key]; shared[a.key] || n > mostAdapters || n > 1 && repeated < 2 {
			a.host, a.key = "", ""
		}
	}
}

// joinAliases gives host names that are written in two ways one key: with and without a domain, and
// the names of adapters with an operating system of their own.
func (s *grouping) joinAliases() {
	if !slices.ContainsFunc(s.adapters, func(a adapter) bool { return shortName(a.key) != a.key || machineOf(a.key) != "" }) {
		return
	}
	long := map[string]string{} // by short name: the one with a domain, "" of several
	devices := map[string]map[string]bool{}
	for i := range s.adapters {
		a := &s.adapters[i]
		if devices[a.key] == nil {
			devices[a.key] = map[string]bool{}
		}
		devices[a.key][a.dev] = true
		if short := shortName(a.key); short != a.key {
			if old, met := long[short]; met && old != a.key {
				long[short] = ""
			} else {
				long[short] = a.key
			}
		}
	}
	delete(devices, "")
	name := map[string]string{}
	for i := range s.adapters {
		a := &s.adapters[i]
		machine := machineOf(a.key)
		if machine == "" {
			machine = machineOf(shortName(a.key))
		}
		if _, known := devices[machine]; known && machine != a.key {
			a.key = machine
		}
		if full := long[a.key]; full != "" && apart(devices[full], devices[a.key]) {
			a.key = full
		}
		if a.host != "" && machine == "" {
			name[a.key] = cmp.Or(name[a.key], a.host)
		}
	}
	for i := range s.adapters {
		a := &s.adapters[i]
		a.host = cmp.Or(name[a.key], a.host)
	}
}

// apart reports whether two sets of devices have none in common.
func apart(a, b map[string]bool) bool {
	for dev := range b {
		if a[dev] {
			return false
		}
	}
	return true
}

// joinHosts joins adapters with the same host name.
func (s *grouping) joinHosts() {
	first := map[string]int32{}
	for i := range s.adapters {
		key := s.adapters[i].key
		if key == "" {
			continue
		}
		if j, met := first[key]; met {
			s.join(j, int32(i))
		} else {
			first[key] = int32(i)
		}
	}
}

// joinSystems joins adapters with the same system image GUID, unless two of them have different
// host names, or far too many have it.
func (s *grouping) joinSystems() {
	first, key, several := map[GUID]int32{}, map[GUID]string{}, map[GUID]bool{}
	unnamed := map[GUID]int{}
	for i := range s.adapters {
		a := &s.adapters[i]
		if a.key != "" && key[a.system] == "" {
			key[a.system] = a.key
		}
		if a.key == "" {
			unnamed[a.system]++
		}
		several[a.system] = several[a.system] || a.key != "" && a.key != key[a.system] || unnamed[a.system] > mostAdapters
	}
	for i := range s.adapters {
		g := s.adapters[i].system
		if g == 0 || several[g] {
			continue
		}
		if j, met := first[g]; met {
			s.join(j, int32(i))
		} else {
			first[g] = int32(i)
		}
	}
}

func (s *grouping) find(i int32) int32 {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

// join joins two groups under the lower adapter, so that the first one names the group.
func (s *grouping) join(i, j int32) {
	i, j = s.find(i), s.find(j)
	s.parent[max(i, j)] = min(i, j)
}

// servers lists the groups.
func (s *grouping) servers() *Servers {
	out := &Servers{List: make([]Server, 0, len(s.adapters)), Of: s.of}
	var desc []string  // by server: of its first adapter
	var unnamed []bool // an adapter has no host name
	for i := range s.adapters {
		a, root := &s.adapters[i], s.find(int32(i))
		if root == int32(i) {
			s.of[a.node] = int32(len(out.List))
			out.List = append(out.List, Server{GUID: a.guid, Sign: BySelf})
			desc, unnamed = append(desc, a.desc), append(unnamed, false)
		}
		at := s.of[s.adapters[root].node]
		v := &out.List[at]
		s.of[a.node], v.Adapters, v.Name = at, append(v.Adapters, a.node), cmp.Or(v.Name, a.host)
		unnamed[at] = unnamed[at] || a.host == ""
		switch {
		case len(v.Adapters) == 1:
		case unnamed[at]:
			v.Sign = BySystemImage
		default:
			v.Sign = ByHostName
		}
	}
	out.nameOthers(desc)
	return out
}

// nameOthers names servers without a host name by description, and by GUID where several have it.
func (s *Servers) nameOthers(desc []string) {
	called := map[string]int{}
	for i := range s.List {
		s.List[i].Host = s.List[i].Name
		called[cmp.Or(s.List[i].Name, desc[i])]++
	}
	for i := range s.List {
		v := &s.List[i]
		switch {
		case v.Name != "":
		case desc[i] == "":
			v.Name = v.GUID.String()
		case called[desc[i]] > 1:
			v.Name = fmt.Sprintf("%s (%s)", desc[i], v.GUID)
		default:
			v.Name = desc[i]
		}
	}
}
