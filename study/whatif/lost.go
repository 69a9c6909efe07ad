package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/study"
)

// HostsLost lists the hosts and servers that a change cuts off or harms.
type HostsLost struct {
	// CutOff lists hosts that stay up but lose their last cable to a switch. Gone counts the ports
	// of these hosts and of failed hosts.
	CutOff []string `json:"hosts_cut_off"`
	Gone   int      `json:"host_ports_gone"`

	Servers   int `json:"servers"`    // today
	HostPorts int `json:"host_ports"` // today: ports of servers that are cabled to switches

	ServersLost   []string   `json:"servers_lost"`     // they fail with all adapters, or are drained
	ServersCutOff []string   `json:"servers_cut_off"`  // they stay up but lose their last cable to a switch
	Degraded      []Degraded `json:"servers_degraded"` // they keep some of their ports
}

// Degraded is a server that keeps some of its ports.
type Degraded struct {
	Server string `json:"server"`
	Keeps  int    `json:"ports"` // left
	Of     int    `json:"of"`    // ports today
}

// NoLoss returns a value without losses.
func NoLoss() HostsLost {
	return HostsLost{CutOff: []string{}, ServersLost: []string{}, ServersCutOff: []string{}, Degraded: []Degraded{}}
}

// LostHosts compares the host ports before and after changes. The servers are those before. Drained
// lists the hosts that were to be drained: they are lost, not cut off.
func LostHosts(before *fabric.Graph, servers *fabric.Servers, after *fabric.Fabric, left *fabric.Graph, drained map[fabric.GUID]bool) *HostsLost {
	l := NoLoss()
	_, now := fabric.Match(left, before) // by end port of today
	l.countHosts(before, after, now)
	l.Servers = len(servers.List)
	for i := range servers.List {
		s, has, keeps, up := &servers.List[i], 0, 0, false
		for e := range servers.Ends(before, int32(i)) {
			has++
			if now[e] >= 0 {
				keeps++
			}
			guid := before.EndNodeGUID[e]
			up = up || isUp(after, guid) && !drained[guid]
		}
		l.HostPorts += has
		switch {
		case keeps == has:
		case keeps > 0:
			l.Degraded = append(l.Degraded, Degraded{s.Name, keeps, has})
		case up:
			l.ServersCutOff = append(l.ServersCutOff, s.Name)
		default:
			l.ServersLost = append(l.ServersLost, s.Name)
		}
	}
	return &l
}

func isUp(f *fabric.Fabric, guid fabric.GUID) bool {
	id, ok := f.NodeByGUID(guid)
	return ok && !f.Nodes[id].Down
}

// CountPorts counts the host ports of servers.
func CountPorts(g *fabric.Graph, s *fabric.Servers) (ports int) {
	for i := range s.List {
		for range s.Ends(g, int32(i)) {
			ports++
		}
	}
	return ports
}

// countHosts lists the hosts that are cut off, and counts lost ports.
func (l *HostsLost) countHosts(before *fabric.Graph, after *fabric.Fabric, now []int32) {
	has, isHost := make([]bool, before.NumNodes), func(h int32) bool { return before.IsHost(h) && before.EndType[h] != fabric.Router }
	for h := range int32(before.NumHosts) {
		switch {
		case now[h] >= 0:
			has[before.EndNode[h]] = true
		case isHost(h):
			l.Gone++
		}
	}
	for h := range int32(before.NumHosts) {
		node := before.EndNode[h]
		if has[node] || !isHost(h) {
			continue
		}
		has[node] = true // named once
		if id, ok := after.NodeByGUID(before.EndNodeGUID[h]); ok && !after.Nodes[id].Down {
			l.CutOff = append(l.CutOff, after.NodeName(id))
		}
	}
}

// Add adds the losses in another subnet, whose servers get a prefix.
func (l *HostsLost) Add(prefix string, other *HostsLost) {
	named := func(to *[]string, names []string) {
		for _, name := range names {
			*to = append(*to, prefix+name)
		}
	}
	named(&l.CutOff, other.CutOff)
	named(&l.ServersLost, other.ServersLost)
	named(&l.ServersCutOff, other.ServersCutOff)
	for _, d := range other.Degraded {
		l.Degraded = append(l.Degraded, Degraded{prefix + d.Server, d.Keeps, d.Of})
	}
	l.Gone, l.Servers, l.HostPorts = l.Gone+other.Gone, l.Servers+other.Servers, l.HostPorts+other.HostPorts
}

// several reports whether there are servers with several ports.
func (l *HostsLost) several() bool { return l.HostPorts > l.Servers }

// port names the ends of pairs: hosts if all have one port.
func (l *HostsLost) port() string {
	if l.several() {
		return "host port"
	}
	return "host"
}

// CutOffText says which servers are cut off, and names the first ones: as hosts, if all have one
// port.
func (l *HostsLost) CutOffText() string {
	if !l.several() {
		return fmt.Sprintf("%s cut off: %s", hosts(len(l.CutOff)), list(l.CutOff))
	}
	return fmt.Sprintf("%s cut off: %s", servers(len(l.ServersCutOff)), list(l.ServersCutOff))
}

func hosts(n int) string { return is(n, "host") }

func servers(n int) string { return is(n, "server") }

func is(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}

// DegradedText counts the servers that keep some of their ports: "2 servers keep 7 of 8 ports". It
// returns "" if there are none.
func (l *HostsLost) DegradedText() string {
	type kept struct{ keeps, of int }
	times := map[kept]int{}
	for _, d := range l.Degraded {
		times[kept{d.Keeps, d.Of}]++
	}
	var texts []string
	kinds := slices.SortedFunc(maps.Keys(times), func(a, b kept) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.keeps, b.keeps), cmp.Compare(a.of, b.of))
	})
	for i, k := range kinds {
		if i == namesShown {
			texts = append(texts, "others keep other shares (--json lists all)")
			break
		}
		verb := "keep"
		if times[k] == 1 {
			verb = "keeps"
		}
		texts = append(texts, fmt.Sprintf("%s %s %d of %d ports", study.Plural(times[k], "server"), verb, k.keeps, k.of))
	}
	return strings.Join(texts, ", ")
}
