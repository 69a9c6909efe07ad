package algorithm

import (
	"fmt"
	"slices"

	"weft/mapping"
)

// The terms of the proof in section 3 of paper 001: the correspondence map, replicates and
// parallel paths (Definitions 4 to 6), chunks (Definition 7) and the inductive construction
// of section 3.2.6. Lemma 2 is tested in mapping/internal/graph, Lemmas 2 and 3 of the labels in
// labels_test.go.

// proofWay is a path in the network: the wire-ends through which a message leaves the nodes on it,
// the mapper's first. Two paths in the model are parallel (Definition 6) when their proofWays are
// equal.
type proofWay []mapping.End

// follow returns the proofWay of a probe string (the correspondence map C of Definition 4), and its
// input port at the end. Model vertices with strings that end at one node are replicates
// (Definition 5), and the port is their indexing offset (Definition 1). ok is false for a string
// without a vertex: it is no path of the network.
func follow(n *mapping.Network, mapper int32, turns []mapping.Turn) (way proofWay, at mapping.End, ok bool) {
	out := mapping.End{Node: mapper}
	for i := 0; ; i++ {
		if at, ok = n.Peer(out); !ok {
			return nil, mapping.End{}, false
		}
		way = append(way, out)
		if i == len(turns) {
			return way, at, true
		}
		out = mapping.End{Node: at.Node, Port: at.Port + int32(turns[i])}
		if n.IsHost(at.Node) || out.Port < 0 || out.Port >= n.Ports(at.Node) {
			return nil, mapping.End{}, false
		}
	}
}

// turns returns the probe string of a proofWay from a host.
func (w proofWay) turns(n *mapping.Network) []mapping.Turn {
	var turns []mapping.Turn
	for i := 1; i < len(w); i++ {
		in, _ := n.Peer(w[i-1])
		turns = append(turns, mapping.Turn(w[i].Port-in.Port))
	}
	return turns
}

// back returns the same way in the other direction.
func (w proofWay) back(n *mapping.Network) proofWay {
	other := make(proofWay, 0, len(w))
	for i := len(w) - 1; i >= 0; i-- {
		in, _ := n.Peer(w[i])
		other = append(other, in)
	}
	return other
}

// passes reports whether a host-probe gets through by this way under circuit routing: it
// is a path, and no direction of a wire is used twice.
func (w proofWay) passes(n *mapping.Network) bool {
	used := make(map[mapping.End]bool, len(w))
	for i, out := range w {
		in, ok := n.Peer(out)
		if !ok || used[out] || i+1 < len(w) && (w[i+1].Node != in.Node || n.IsHost(in.Node)) {
			return false
		}
		used[out] = true
	}
	return true
}

// chunk is a maximal run of wires that follow each other on two ways (Definition 7):
// a[At:At+Len] of one is b[On:On+Len] of the other, in the same direction or reversed.
type chunk struct {
	At, On, Len int
	Reversed    bool
}

// chunksOf returns the chunks of a on b, in the order of a. No wire is twice on b.
func chunksOf(n *mapping.Network, a, b proofWay) []chunk {
	type place struct {
		index    int
		reversed bool
	}
	on := make(map[mapping.End]place, 2*len(b))
	for j, out := range b {
		in, _ := n.Peer(out)
		on[out], on[in] = place{j, false}, place{j, true}
	}
	var chunks []chunk
	for i := 0; i < len(a); {
		p, ok := on[a[i]]
		if !ok {
			i++
			continue
		}
		c := chunk{At: i, On: p.index, Len: 1, Reversed: p.reversed}
		for i++; i < len(a); i++ {
			next, ok := on[a[i]]
			if !ok || next.reversed != c.Reversed || next.index != p.index+c.Len && !c.Reversed || next.index != p.index-c.Len && c.Reversed {
				break
			}
			c.Len++
			c.On = min(c.On, next.index)
		}
		chunks = append(chunks, c)
	}
	return chunks
}

// construct carries out the inductive construction of section 3.2.6 (Figs. 1 and 2)
// for two replicates: purple leads from the mapper to v, red from v on to a host, green
// from the mapper to v'. Each of the ways that it returns is the probe string of a
// host-vertex that must be in the model; together they make the labeler find that v and
// v' are one. It fails where the construction does not do what the paper says.
func construct(n *mapping.Network, purple, red, green proofWay) (pasted []proofWay, err error) {
	last, _ := n.Peer(red[len(red)-1])
	home := last.Node == purple[0].Node // red ends at the mapper: its last wire is no crossing
	for !slices.Equal(green, purple) {
		crossing := red
		if home {
			crossing = red[:len(red)-1]
		}
		onRed := chunksOf(n, crossing, green)
		if len(onRed) == 0 {
			return append(pasted, slices.Concat(green, red)), nil
		}
		// d is the chunk of red and green nearest to the host; from is where green comes to
		// its far end, to is the rest of red.
		d := onRed[len(onRed)-1]
		from, rest := d.On+d.Len, red[d.At+d.Len:]
		if d.Reversed {
			from = d.On
		}
		onPurple := chunksOf(n, purple, green)
		if onPurple[0].At != 0 || onPurple[0].On != 0 || onPurple[0].Reversed {
			return nil, fmt.Errorf("proof: purple and green do not begin with the same wire")
		}
		// g is the next chunk on purple, and where green comes to the node at which
		// purple meets it; without another chunk, the end of both.
		meet, at := len(purple), len(green)
		if len(onPurple) > 1 {
			g := onPurple[1]
			meet, at = g.At, g.On
			if g.Reversed {
				at = g.On + g.Len
			}
		}
		section := green[min(at, from):max(at, from)]
		if from < at {
			section = section.back(n)
		}
		pasted = append(pasted, slices.Concat(green[:from], rest), slices.Concat(purple[:meet], section, rest))
		next := slices.Concat(purple[:meet], green[at:])
		// The paper says that the intersection grows. It does not where g follows the first
		// chunk at once and green runs through it backwards: a round trip of green is left
		// out then, and green gets shorter.
		if more := common(purple, next) - common(purple, green); more < 0 || more == 0 && len(next) >= len(green) {
			return nil, fmt.Errorf("proof: purple and green come no nearer to each other")
		}
		green = next
	}
	return pasted, nil
}

// common returns the number of wires that two ways begin with together.
func common(a, b proofWay) int {
	k := 0
	for k < len(a) && k < len(b) && a[k] == b[k] {
		k++
	}
	return k
}
