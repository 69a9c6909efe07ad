package packets

import (
	"fmt"

	"weft/sim/traffic"
	"weft/study/flows"
)

// onServers reports whether ranks are servers with several ports.
func (j *job) onServers() bool { return j.RanksOn == flows.OnServers && j.servers != nil }

// portsOf lists the host ports of the first servers.
func (j *job) portsOf(servers int) (ports []int32) {
	met := map[int32]bool{}
	for _, h := range j.hosts {
		if v := j.servers.Of[h]; met[v] || len(met) < servers {
			met[v] = true
			ports = append(ports, h)
		}
	}
	return ports
}

// onNetwork turns the flows between ranks into flows between host ports, numbered by their place in
// the list that it returns. Flows within a server, and between servers that share no plane, are
// left out.
func (j *job) onNetwork(rounds []traffic.Flows, units []int32) (hosts []int32) {
	number := make([]int32, j.g.NumHosts) // 1 + its place in hosts
	replace := func(ends []int32) {
		for i, e := range ends {
			if number[e] == 0 {
				hosts = append(hosts, e)
				number[e] = int32(len(hosts))
			}
			ends[i] = number[e] - 1
		}
	}
	for i := range rounds {
		j.place.ToPorts(&rounds[i], units)
		replace(rounds[i].Src)
		replace(rounds[i].Dst)
	}
	return hosts
}

// peersOf lists the targets of uniform traffic of each host port: the ports of its plane or, if
// ranks are servers, the ports of its rail. It returns nil if all servers have one port; the list
// of a port without any peer is nil. Ports of one rail share a list.
func (j *job) peersOf(hosts []int32) [][]int32 {
	if j.servers == nil {
		return nil
	}
	type rail struct{ plane, rail int32 }
	of := func(h int32, onRail bool) rail {
		if onRail {
			return rail{j.servers.Plane[h], j.servers.Rail[h]}
		}
		return rail{j.servers.Plane[h], -2}
	}
	lists, servers := map[rail][]int32{}, map[rail]map[int32]bool{}
	for _, h := range hosts {
		for _, onRail := range []bool{false, true} {
			k := of(h, onRail)
			if lists[k] = append(lists[k], h); servers[k] == nil {
				servers[k] = map[int32]bool{}
			}
			servers[k][j.servers.Of[h]] = true
		}
	}
	peers := make([][]int32, len(hosts))
	for i, h := range hosts {
		k := of(h, j.onServers())
		if len(servers[k]) < 2 {
			k = of(h, false)
		}
		if len(servers[k]) > 1 {
			peers[i] = lists[k]
		}
	}
	return peers
}

// ranksOfBEff lists the host ports of the benchmark's ranks. A rank that is a server takes its
// first port on the plane with the most servers.
func (j *job) ranksOfBEff() ([]int32, error) {
	if !j.onServers() {
		if j.servers.Planes > 1 {
			return nil, fmt.Errorf("pattern b_eff: the host ports are on %d planes, and cannot all send to each other: add --ranks-on servers", j.servers.Planes)
		}
		return j.hosts, nil
	}
	first := make([][]int32, j.servers.Planes) // by plane: a port of each of its servers
	met := make([]map[int32]bool, j.servers.Planes)
	best := 0
	for _, h := range j.hosts {
		p, v := int(j.servers.Plane[h]), j.servers.Of[h]
		if met[p] == nil {
			met[p] = map[int32]bool{}
		}
		if met[p][v] {
			continue
		}
		met[p][v] = true
		if first[p] = append(first[p], h); len(first[p]) > len(first[best]) {
			best = p
		}
	}
	return first[best], nil
}
