package quality

import "weft/fabric"

// PortPairs counts pairs of ports of one node that share a switch, seen from each switch with
// hosts: a leaf. Pairs on one switch do not count, and neither does the leaf of either port, where
// nothing can be shared. With several LIDs per port, a pair shares a switch if all paths of some
// host of the leaf to both ports pass it.
type PortPairs struct {
	Pairs    int64         `json:"pairs"`  // of a leaf and two ports, both reached from it
	Shared   int64         `json:"shared"` // all paths to both ports pass one switch beyond the leaf
	Examples []SharedPorts `json:"examples"`
}

// SharedPorts is a pair of ports whose paths from a leaf all pass one switch.
type SharedPorts struct {
	From    fabric.PortName `json:"from"` // leaf
	To      fabric.PortName `json:"to"`
	Other   fabric.PortName `json:"other"` // the other port of the node
	Through fabric.PortName `json:"through"`
}

// The states of a pair of ports, seen from a leaf.
const (
	unseen = iota
	reached
	sharing
)

// portExample is SharedPorts by numbers.
type portExample struct {
	found                    bool
	leaf, to, other, through int32
}

// portPairs finds the pairs of one node that share a switch, leaf by leaf.
type portPairs struct {
	g       *fabric.Graph
	ends    []int32   // ports of the node
	leaf    int32     // -1 for none yet
	state   []uint8   // by pair: index in ends of the later port times their number, plus the earlier
	seen    []int     // ports that the current sender reaches, as indexes in ends
	paths   int64     // to the current port
	common  []int32   // switches on all of them
	last    []int64   // by switch: the last path through it
	number  int64     // of the current path
	through [][]int32 // by switch: ports for which all paths of the current sender pass it
	used    []int32   // switches with entries in through
	pairs   int64
	shared  int64
	first   *portExample // example of the node; nil: paths do not lead to a node
}

func newPortPairs(g *fabric.Graph) *portPairs {
	return &portPairs{g: g, last: make([]int64, g.NumSwitches), through: make([][]int32, g.NumSwitches)}
}

// beginNode starts a node with these ports.
func (p *portPairs) beginNode(ends []int32) {
	p.ends, p.leaf = ends, -1
	p.state = append(p.state[:0], make([]uint8, len(ends)*len(ends))...)
}

// beginSender starts the paths of a host of a leaf, or of all its hosts.
func (p *portPairs) beginSender(leaf int32) {
	if p.leaf != leaf {
		p.endLeaf()
	}
	p.leaf, p.seen = leaf, p.seen[:0]
	for _, s := range p.used {
		p.through[s] = p.through[s][:0]
	}
	p.used = p.used[:0]
}

// beginPort starts the paths to a port.
func (p *portPairs) beginPort() { p.paths, p.common = 0, p.common[:0] }

// addPath adds a path to the port: channels from the leaf on.
func (p *portPairs) addPath(channels []int32) {
	p.paths++
	p.number++
	for _, c := range channels {
		p.last[p.g.To[c]] = p.number
		if p.paths == 1 {
			p.common = append(p.common, p.g.To[c])
		}
	}
	kept := p.common[:0]
	for _, s := range p.common {
		if p.last[s] == p.number {
			kept = append(kept, s)
		}
	}
	p.common = kept
}

// endPort compares port i of the node with the ports before it.
func (p *portPairs) endPort(i int) {
	if p.paths == 0 || p.g.EndSwitch[p.ends[i]] == p.leaf {
		return
	}
	for _, j := range p.seen {
		if p.g.EndSwitch[p.ends[j]] != p.g.EndSwitch[p.ends[i]] {
			pair := &p.state[i*len(p.ends)+j]
			*pair = max(*pair, reached)
		}
	}
	p.seen = append(p.seen, i)
	for _, s := range p.common {
		for _, j := range p.through[s] {
			pair := &p.state[i*len(p.ends)+int(j)]
			if *pair == reached {
				*pair = sharing
				if !p.first.found {
					*p.first = portExample{true, p.leaf, p.ends[j], p.ends[i], s}
				}
			}
		}
		p.through[s] = append(p.through[s], int32(i))
	}
	p.used = append(p.used, p.common...)
}

// endLeaf counts the pairs seen from the current leaf.
func (p *portPairs) endLeaf() {
	for i, s := range p.state {
		if s != unseen {
			p.pairs++
		}
		if s == sharing {
			p.shared++
		}
		p.state[i] = unseen
	}
}

// portPairsOf adds up the pairs of the workers; first has an example for each node.
func (r *redundancy) portPairsOf(first []portExample) PortPairs {
	out := PortPairs{Examples: []SharedPorts{}}
	for _, t := range r.overlaps {
		if t != nil {
			out.Pairs += t.ports.pairs
			out.Shared += t.ports.shared
		}
	}
	for _, e := range first {
		if e.found && len(out.Examples) < examplesShown {
			g := r.Graph
			out.Examples = append(out.Examples, SharedPorts{g.SwitchPort(e.leaf, 0), g.EndName(e.to), g.EndName(e.other), g.SwitchPort(e.through, 0)})
		}
	}
	return out
}
