package gen

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// sameNetwork reports whether two fabrics differ in nothing but the names and the order of nodes,
// and the port numbers of switches. It colours nodes by their neighbours until no colour splits,
// and then tries the nodes of the smallest colour one after the other.
func sameNetwork(a, b *fabric.Fabric) bool {
	if len(a.Nodes) != len(b.Nodes) || len(a.Links) != len(b.Links) {
		return false
	}
	var colours [2][]int
	for i, f := range []*fabric.Fabric{a, b} {
		for id := range f.Nodes {
			colours[i] = append(colours[i], int(f.Nodes[id].Type)<<9|f.Nodes[id].NumPorts())
		}
	}
	return matches([2]*fabric.Fabric{a, b}, colours)
}

func matches(f [2]*fabric.Fabric, colours [2][]int) bool {
	for classes := 0; ; {
		number := map[string]int{}
		var next [2][]int
		for i := range f {
			for id := range f[i].Nodes {
				text := signature(f[i], fabric.NodeID(id), colours[i])
				if _, known := number[text]; !known {
					number[text] = len(number)
				}
				next[i] = append(next[i], number[text])
			}
		}
		colours = next
		if len(number) == classes {
			break
		}
		classes = len(number)
	}
	var of [2]map[int][]int
	for i := range f {
		of[i] = map[int][]int{}
		for id, c := range colours[i] {
			of[i][c] = append(of[i][c], id)
		}
	}
	best := -1
	for c, ids := range of[0] {
		if len(of[1][c]) != len(ids) {
			return false
		}
		if len(ids) > 1 && (best < 0 || len(ids) < len(of[0][best]) || len(ids) == len(of[0][best]) && c < best) {
			best = c
		}
	}
	if best < 0 {
		return len(of[0]) == len(f[1].Nodes)
	}
	one := [2][]int{slices.Clone(colours[0]), nil}
	one[0][of[0][best][0]] = -1
	return slices.ContainsFunc(of[1][best], func(id int) bool {
		one[1] = slices.Clone(colours[1])
		one[1][id] = -1
		return matches(f, one)
	})
}

// signature describes the colours of a node and its neighbours. Of hosts, the port of a cable
// counts.
func signature(f *fabric.Fabric, id fabric.NodeID, colour []int) string {
	var near []string
	for p, l := range f.Cabled(id, nil) {
		here := fabric.End{Node: id, Port: p}
		there, port := f.Peer(here), here.Port
		if nodes.IsSwitch(f, id) {
			if port = there.Port; nodes.IsSwitch(f, there.Node) {
				port = 0
			}
		}
		near = append(near, fmt.Sprintf("%d %d %d %v", colour[there.Node], port, f.Links[l].Width, f.Links[l].Speed))
	}
	slices.Sort(near)
	return fmt.Sprint(colour[id], ":", strings.Join(near, ","))
}
