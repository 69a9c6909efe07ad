package places

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"weft/sim/traffic"
)

// Request says where ranks go.
type Request struct {
	// By is the order of places:
	//
	//	leaf         fill leaf by leaf
	//	spread       round robin over leaves
	//	rail         fill server by server, its ports in order of their rails
	//	random:SEED  drawn
	//	file         as File says
	//	slurm:NODES  the nodes of a list of Slurm, such as n[001-004,010]; all ranks of a node first
	//	slurm-cyclic:NODES   round robin over the nodes
	//	slurm-plane=N:NODES  round robin over the nodes, N ranks at a time
	By      string
	Ranks   int
	Hosts   []int32          // in order of their leaves
	Servers *traffic.Servers // nil if each has one port
	OnPorts bool             // each host port takes a rank; otherwise a server does, with all its ports
	File    string           // lines: a rank, a node, and for ranks on ports the port
	Names   Names
}

// Names tell where a host port is.
type Names struct {
	Leaf func(host int32) int32
	Node func(host int32) []string // its node's names, the first for messages
	Port func(host int32) int      // its number on the node
}

// On puts ranks on the servers of a fabric.
func On(r *Request) (*Places, error) {
	list, err := r.inOrder()
	if err != nil {
		return nil, err
	}
	if r.Ranks > len(list) {
		what := "servers"
		if r.OnPorts {
			what = "host ports"
		}
		return nil, fmt.Errorf("%d ranks on %d places: placement %s has too few %s", r.Ranks, len(list), r.By, what)
	}
	p := &Places{}
	if r.Servers != nil && r.Servers.Planes > 1 {
		p.Plane = r.Servers.Plane
	}
	for _, u := range list[:r.Ranks] {
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
func (r *Request) units() []unit {
	var list []unit
	at := map[int32]int{}
	for _, h := range r.Hosts {
		server := h
		if r.Servers != nil {
			server = r.Servers.Of[h]
		}
		if i, known := at[server]; known && !r.OnPorts {
			list[i].ports = append(list[i].ports, h)
			continue
		}
		at[server] = len(list)
		list = append(list, unit{ports: []int32{h}, server: server})
	}
	return list
}

// inOrder lists the places in the order of ranks.
func (r *Request) inOrder() ([]unit, error) {
	list := r.units()
	kind, arg, _ := strings.Cut(r.By, ":")
	switch {
	case r.By == "leaf":
	case r.By == "spread":
		seen := map[int32]int{}
		for i := range list {
			leaf := r.Names.Leaf(list[i].ports[0])
			list[i].turn = seen[leaf]
			seen[leaf]++
		}
		slices.SortStableFunc(list, func(a, b unit) int { return cmp.Compare(a.turn, b.turn) })
	case r.By == "rail":
		r.byRail(list)
	case r.By == "file":
		return r.fromFile(list)
	case kind == "random":
		seed, err := strconv.ParseUint(arg, 10, 64)
		if err != nil && arg != "" {
			return nil, fmt.Errorf("placement %q: random:SEED with a number is expected", r.By)
		}
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	case strings.HasPrefix(kind, "slurm"):
		return r.fromSlurm(list, kind, arg)
	default:
		return nil, fmt.Errorf("placement %q: leaf, spread, rail, random:SEED, file:NAME or slurm:NODES is expected", r.By)
	}
	return list, nil
}

// byRail sorts places by server and then by rail. Servers stand in the order of their first ports.
func (r *Request) byRail(list []unit) {
	first := map[int32]int{}
	for i := range list {
		if _, met := first[list[i].server]; !met {
			first[list[i].server] = i
		}
	}
	rail := func(u *unit) int32 {
		if r.Servers == nil {
			return 0
		}
		return r.Servers.Rail[u.ports[0]]
	}
	slices.SortStableFunc(list, func(a, b unit) int {
		return cmp.Or(cmp.Compare(first[a.server], first[b.server]), cmp.Compare(rail(&a), rail(&b)))
	})
}
