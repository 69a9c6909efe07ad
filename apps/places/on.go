package places

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"weft/sim/traffic"
)

// On puts ranks on the servers of a fabric, given by host ports in order of their leaves. By is
// "leaf" (in that order), "spread" (round robin over the leaves) or "random:SEED". Each server
// takes one rank, and all its ports serve it; with onPorts each port takes one.
func On(by string, ranks int, hosts []int32, leafOf func(host int32) int32, servers *traffic.Servers, onPorts bool) (*Places, error) {
	list, what := units(hosts, servers, onPorts), "servers"
	if onPorts {
		what = "host ports"
	}
	if ranks > len(list) {
		return nil, fmt.Errorf("%d ranks on %d places: the fabric has too few %s", ranks, len(list), what)
	}
	if err := sortUnits(by, list, func(u unit) int32 { return leafOf(u.ports[0]) }); err != nil {
		return nil, err
	}
	p := &Places{}
	if servers != nil && servers.Planes > 1 {
		p.Plane = servers.Plane
	}
	for _, u := range list[:ranks] {
		p.Ports, p.Server = append(p.Ports, u.ports), append(p.Server, u.server)
	}
	return p, nil
}

// unit is a place for a rank.
type unit struct {
	ports  []int32
	server int32
	turn   int // how many places of its leaf are before it
}

// units lists the places in order of their first ports.
func units(hosts []int32, servers *traffic.Servers, onPorts bool) []unit {
	var list []unit
	at := map[int32]int{}
	for _, h := range hosts {
		server := h
		if servers != nil {
			server = servers.Of[h]
		}
		if i, known := at[server]; known && !onPorts {
			list[i].ports = append(list[i].ports, h)
			continue
		}
		at[server] = len(list)
		list = append(list, unit{ports: []int32{h}, server: server})
	}
	return list
}

// sortUnits puts places into an order.
func sortUnits(by string, list []unit, leafOf func(unit) int32) error {
	kind, arg, _ := strings.Cut(by, ":")
	switch {
	case by == "leaf":
	case by == "spread":
		seen := map[int32]int{}
		for i := range list {
			leaf := leafOf(list[i])
			list[i].turn = seen[leaf]
			seen[leaf]++
		}
		slices.SortStableFunc(list, func(a, b unit) int { return a.turn - b.turn })
	case kind == "random":
		seed, err := strconv.ParseUint(arg, 10, 64)
		if err != nil && arg != "" {
			return fmt.Errorf("placement %q: random:SEED with a number is expected", by)
		}
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	default:
		return fmt.Errorf("placement %q: leaf, spread or random:SEED is expected", by)
	}
	return nil
}
