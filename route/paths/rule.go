package paths

import (
	"slices"

	"weft/fabric"
)

// Rule says which channel may follow which: the legality of paths. Paths are free of deadlock if
// the allowed turns have no cycle. All searches of this package walk its nodes. Node c is "on
// channel c", node NumChannels+s is "about to leave switch s, where the path starts". No path
// passes a drained switch, turns round, or takes a cable from a switch to itself.
type Rule struct {
	g      *fabric.Graph
	start  []int32 // by node: the channels after it are after[start[x]:start[x+1]]
	after  []int32 // by port
	back   []int32 // by channel: the nodes before it are before[back[c]:back[c+1]]
	before []int32
}

// NewRule makes a rule from a function of a channel and a channel out of the switch at its end.
func NewRule(g *fabric.Graph, allowed func(c, d int32) bool) *Rule {
	r := &Rule{g: g, start: make([]int32, 1, g.NumChannels+g.NumSwitches+1)}
	for c := range int32(g.NumChannels) {
		if v := g.To[c]; v != g.From[c] && !g.Drained[v] {
			for _, d := range g.OutOf(v) {
				if d != c^1 && g.To[d] != v && allowed(c, d) {
					r.after = append(r.after, d)
				}
			}
		}
		r.start = append(r.start, int32(len(r.after)))
	}
	for s := range int32(g.NumSwitches) {
		for _, d := range g.OutOf(s) {
			if g.To[d] != s {
				r.after = append(r.after, d)
			}
		}
		r.start = append(r.start, int32(len(r.after)))
	}
	r.reverse()
	return r
}

// Unrestricted returns the rule that allows every turn.
func Unrestricted(g *fabric.Graph) *Rule {
	return NewRule(g, func(_, _ int32) bool { return true })
}

// reverse fills the lists of nodes before each channel.
func (r *Rule) reverse() {
	r.back = make([]int32, r.g.NumChannels+1)
	for _, d := range r.after {
		r.back[d+1]++
	}
	for c := range r.g.NumChannels {
		r.back[c+1] += r.back[c]
	}
	r.before = make([]int32, len(r.after))
	next := append([]int32(nil), r.back...)
	for x := range int32(r.nodes()) {
		for _, d := range r.next(x) {
			r.before[next[d]] = x
			next[d]++
		}
	}
}

// nodes returns the number of nodes.
func (r *Rule) nodes() int { return len(r.start) - 1 }

// source returns the node of a path that starts at switch s.
func (r *Rule) source(s int32) int32 { return int32(r.g.NumChannels) + s }

// at returns the switch of a node.
func (r *Rule) at(x int32) int32 {
	if int(x) >= r.g.NumChannels {
		return x - int32(r.g.NumChannels)
	}
	return r.g.To[x]
}

// next lists the channels that may follow a node, by port.
func (r *Rule) next(x int32) []int32 { return r.after[r.start[x]:r.start[x+1]] }

// After lists the channels that may follow channel c, by port. It must not be written.
func (r *Rule) After(c int32) []int32 { return r.next(c) }

// Allows reports whether channel d may follow channel c.
func (r *Rule) Allows(c, d int32) bool { return slices.Contains(r.next(c), d) }

// unreachable is the distance of a node without a way.
const unreachable = int32(1 << 30)

// distances sets for every node the number of channels of the shortest legal way to switch t. queue
// must have room for all channels. Cost: O(turns).
func (r *Rule) distances(t int32, dist, queue []int32) {
	for x := range dist {
		dist[x] = unreachable
	}
	dist[r.source(t)] = 0
	queue = queue[:0]
	for _, d := range r.g.OutOf(t) {
		if r.g.To[d] != t {
			dist[d^1] = 0
			queue = append(queue, d^1)
		}
	}
	for head := 0; head < len(queue); head++ {
		c := queue[head]
		for _, x := range r.before[r.back[c]:r.back[c+1]] {
			if dist[x] == unreachable {
				dist[x] = dist[c] + 1
				if int(x) < r.g.NumChannels {
					queue = append(queue, x)
				}
			}
		}
	}
}

// loopless reports whether a way from switch s meets no switch twice.
func loopless(g *fabric.Graph, s int32, way []int32) bool {
	for i, c := range way {
		if g.To[c] == s {
			return false
		}
		for _, d := range way[:i] {
			if g.To[d] == g.To[c] {
				return false
			}
		}
	}
	return true
}
