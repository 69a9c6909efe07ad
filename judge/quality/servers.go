package quality

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// Planes is about a network of several planes, which no switch cable joins. They meet in servers.
type Planes struct {
	Planes int   `json:"planes"`
	Pairs  int64 `json:"server_pairs"`       // of two servers
	Apart  int64 `json:"server_pairs_apart"` // no plane has ports of both
}

// CountServers adds the number of servers to a report. Judge leaves it out, since subnet managers
// judge often and do not need it.
func (r *Report) CountServers(g *fabric.Graph) {
	r.HostPorts, r.Servers = 0, 0
	groups := g.Servers()
	counted := make([]bool, len(groups.List))
	for h := range int32(g.NumHosts) {
		if !g.IsHost(h) {
			continue
		}
		r.HostPorts++
		switch v := groups.Of[g.EndNode[h]]; {
		case v == fabric.NoServer: // a router
			if g.NodeEnds[g.NodeStart[g.EndNode[h]]] == h {
				r.Servers++
			}
		case !counted[v]:
			counted[v] = true
			r.Servers++
		}
	}
}

// planesOf counts planes and pairs of servers; nil if no server has ports on several planes.
func planesOf(g *fabric.Graph) *Planes {
	part, parts := g.Components()
	groups := g.Servers()
	of := make([][]int32, len(groups.List)) // by server: its planes
	met, several := make([]bool, parts), false
	out := &Planes{}
	for h := range int32(g.NumHosts) {
		p, v := part[g.EndSwitch[h]], groups.Of[g.EndNode[h]]
		if !g.IsHost(h) || v == fabric.NoServer {
			continue
		}
		if !met[p] {
			met[p] = true
			out.Planes++
		}
		if !slices.Contains(of[v], p) {
			of[v] = append(of[v], p)
			several = several || len(of[v]) > 1
		}
	}
	if !several {
		return nil
	}
	out.countPairs(of)
	return out
}

// countPairs counts pairs of servers by kinds: servers of one kind have the same planes.
func (p *Planes) countPairs(of [][]int32) {
	number, servers := map[string]int64{}, int64(0)
	planes := map[string][]int32{}
	for _, own := range of {
		if len(own) > 0 {
			slices.Sort(own)
			key := fmt.Sprint(own)
			planes[key] = own
			number[key]++
			servers++
		}
	}
	p.Pairs = servers * (servers - 1)
	for a := range planes {
		for b := range planes {
			if !slices.ContainsFunc(planes[a], func(x int32) bool { return slices.Contains(planes[b], x) }) {
				p.Apart += number[a] * number[b]
			}
		}
	}
}

// text describes the reachability within the planes.
func (p *Planes) text() string {
	text := fmt.Sprintf("all pairs on each of %d planes reachable", p.Planes)
	if p.Apart > 0 {
		text += fmt.Sprintf(" (%d of %d pairs of servers share no plane)", p.Apart, p.Pairs)
	}
	return text
}

// hostsText names hosts: where servers have several ports, their host ports.
func (r *Report) hostsText() string {
	if r.Servers > 0 && r.Servers < r.Hosts {
		return "host ports"
	}
	return "hosts"
}

// sizeText counts switches, hosts, channels and LIDs.
func (r *Report) sizeText() string {
	hosts := fmt.Sprintf("%d hosts", r.Hosts)
	if r.hostsText() != "hosts" {
		hosts = fmt.Sprintf("%d servers, %d host ports", r.Servers, r.Hosts)
	}
	words := []string{fmt.Sprintf("%d switches", r.Switches), hosts, fmt.Sprintf("%d channels", r.Channels), fmt.Sprintf("%d LIDs", r.LIDs)}
	return strings.Join(words, ", ")
}
