package survey

import (
	"context"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/probe"
)

// Explorer is a host that adds to a model graph.
type Explorer struct {
	probe.Sender
	Map *graph.Graph
	// Soundings holds the strings that led to hosts so far.
	Soundings *probe.Soundings
	// EndVisit, if set, ends the visit of a switch when it returns true for a host there.
	EndVisit func(mapping.Host) bool

	host     int32 // its vertex
	limit    int   // of probes, 0 for none
	evidence *evidence
	hint     *hint // nil for none
	compared comparisons
	tree     treeCache

	// For self-identifying switches, by number and by vertex.
	byNumber   map[uint64]identity
	identified map[int32]identity

	lastKind     graph.Kind // of the latest answer
	visitEnded   bool
	withoutMerge int // visits since two switches were merged
}

// comparisons records the switches compared so far.
type comparisons struct {
	pairs map[pair]int   // silent comparisons
	all   map[int32]bool // vertices compared with all others
}

// treeCache holds the tree of one version of the graph.
type treeCache struct {
	tree    *graph.Tree
	version int
}

// NewExplorer returns an Explorer of a graph, and adds the host if it is new. When the context ends
// it sends no more probes, and notes no silence.
func NewExplorer(ctx context.Context, g *graph.Graph, p mapping.Prober, self mapping.Host) *Explorer {
	e := &Explorer{
		Sender: probe.NewSender(ctx, p, self, probe.Options{}), Map: g, Soundings: &probe.Soundings{}, host: g.Host(self),
		evidence: newEvidence(0, 0), compared: comparisons{map[pair]int{}, map[int32]bool{}}, tree: treeCache{version: -1}, lastKind: graph.ForSwitch,
		byNumber: map[uint64]identity{}, identified: map[int32]identity{},
	}
	if e.root() == graph.None {
		g.Connect(e.host, 0, g.AddSwitch(0), 0)
	}
	return e
}

// root returns the switch of the host, graph.None if not known.
func (e *Explorer) root() int32 { return e.Map.At(e.host, 0).To }

// isSpent reports whether the probes are used up.
func (e *Explorer) isSpent() bool {
	return e.limit > 0 && e.Probes.Total().Sent >= e.limit || e.Ended()
}

// Tree returns the shortest paths from the host.
func (e *Explorer) Tree() *graph.Tree {
	if e.tree.version != e.Map.Version() {
		e.tree = treeCache{e.Map.Tree(e.host), e.Map.Version()}
	}
	return e.tree.tree
}

// IsUnexplored reports whether only the entry of a switch is known.
func (e *Explorer) IsUnexplored(v int32) bool { return e.degree(v) <= 1 }

// degree counts the wires of a switch.
func (e *Explorer) degree(v int32) (n int) {
	low, high := e.Map.Window(v)
	for i := low; i <= high; i++ {
		if e.Map.At(v, i).To != graph.None {
			n++
		}
	}
	return n
}

// isLegal reports whether a switch can have two ports that far apart.
func (e *Explorer) isLegal(turn int) bool { return turn > -e.Map.Radix && turn < e.Map.Radix }

// addHost adds a host that answered behind port i of v.
func (e *Explorer) addHost(v int32, i int, h mapping.Host) {
	e.lastKind = graph.ForHost
	e.Map.Connect(v, i, e.Map.Host(h), 0)
	e.visitEnded = e.EndVisit != nil && e.EndVisit(h)
	if e.hint != nil {
		e.hint.addHost(e.Map, v, i, h)
	}
}

// addPath adds the switches that an answered probe passed behind port i of v. It returns them, the
// last one, and the last one's output port.
func (e *Explorer) addPath(v int32, i int, turns []mapping.Turn) (added []int32, last int32, port int) {
	for _, turn := range turns {
		u := e.Map.AddSwitch(0)
		e.Map.Connect(v, i, u, 0)
		added = append(added, u)
		v, i = u, int(turn)
	}
	return added, v, i
}
