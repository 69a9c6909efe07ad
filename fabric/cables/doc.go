// Package cables finds the cables of a fabric that somebody should check. It lists cables that are
// slower or narrower than they could be, contradict each other in a file, or have errors in their
// counters. It finds missing, crossed and extra cables in the pattern of a tree, mesh, torus,
// HyperX, Dragonfly or Dragonfly+. Of servers with several ports it finds missing cables, and
// cables on a wrong rail or at the switch of other servers.
//
// Its types are JSON for programs: their keys do not change.
package cables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Kind is a kind of odd cable.
type Kind string

// The kinds, worst first.
const (
	// Contradicted are two cables that lines of a file put into one port: neither is used.
	Contradicted Kind = "contradicted"

	Slow     Kind = "slow"     // slower than both ends and similar cables can run
	Errors   Kind = "errors"   // its counters show errors
	Disputed Kind = "disputed" // lines of the file disagree on its width or speed, or on the LID or GUID of a port
	Missing  Kind = "missing"  // it is down, or the pattern has it but not the fabric
	Crossed  Kind = "crossed"  // two cables have swapped ends
	Extra    Kind = "extra"    // not in the pattern
	Waiting  Kind = "waiting"  // its counters show packets that waited for it or were discarded before it
)

var kinds = []Kind{Contradicted, Errors, Slow, Disputed, Missing, Crossed, Extra, Waiting}

// NoPattern is the pattern of a fabric that matches no known one.
const NoPattern = "none"

// Odd is a cable to inspect, or a missing one.
type Odd struct {
	Kind Kind `json:"kind"` // "contradicted", "errors", "slow", "disputed", "missing", "crossed", "extra" or "waiting"
	// Ports are both ends of the cable. For crossed or contradicted cables they are the ends of
	// both, for a disputed LID its port. An unknown port has number 0.
	Ports    []fabric.PortName `json:"ports"`
	Text     string            `json:"text"`               // the oddity in words
	Counters []Count           `json:"counters,omitempty"` // the counters that are not 0

	// Lacking is the number of cables missing at a switch, if their other ends are unknown.
	Lacking int `json:"lacking,omitempty"`

	weight float64 // within one kind, the greatest comes first
}

// Count is the value of a counter of a port.
type Count struct {
	Port    fabric.PortName `json:"port"`
	Name    string          `json:"name"` // the specification's name: SymbolErrorCounter
	Value   uint64          `json:"value"`
	PerByte float64         `json:"per_byte,omitempty"` // per received byte for errors, else per sent byte; absent if unknown
}

// Report lists the odd cables of a fabric, the worst first.
type Report struct {
	Counts  map[Kind]int `json:"counts"`
	Pattern string       `json:"pattern"`         // the expected shape: "tree", "torus", "mesh", "hyperx", "dragonfly", "dragonflyplus", or "none"
	Rails   int          `json:"rails,omitempty"` // rails of servers with several ports that their cables were compared with
	Cables  []Odd        `json:"cables"`
	Notes   []string     `json:"notes,omitempty"` // oddities of switches, and open questions

	short map[fabric.GUID]string // by node: a name that no other node has
}

// Kinds lists the kinds that occur, the worst first.
func (r *Report) Kinds() []Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return r.Counts[k] == 0 })
}

// Of lists the odd cables of a fabric and its Graph g. warnings come from reading its file.
func Of(f *fabric.Fabric, g *fabric.Graph, warnings []lines.Warning) *Report {
	r := &Report{Counts: map[Kind]int{}, Cables: []Odd{}, short: ShortNames(f)}
	r.Cables = append(r.Cables, slow(f)...)
	for _, w := range warnings {
		switch d := w.Dispute; {
		case d == nil:
		case d.Cables:
			r.Cables = append(r.Cables, Odd{Kind: Contradicted, Ports: d.Ports, Text: d.Text})
		default:
			r.Cables = append(r.Cables, Odd{Kind: Disputed, Ports: d.Ports, Text: d.Text})
		}
	}
	r.Cables = append(r.Cables, down(f)...)
	found := findPattern(f, g)
	r.Pattern, r.Notes = found.name, append(r.downNodes(f), found.notes...)
	servers, rails := ofServers(f, g)
	r.Rails = rails
	r.Cables = append(r.Cables, notContradicted(append(found.odd, servers...), r.Cables)...)
	r.finish()
	return r
}

// notContradicted removes cables that are missing because they are contradicted.
func notContradicted(odd, named []Odd) []Odd {
	contradicted := map[[2]fabric.GUID]bool{}
	for i := range named {
		if named[i].Kind != Contradicted {
			continue
		}
		for ends := range slices.Chunk(named[i].Ports, 2) {
			contradicted[[2]fabric.GUID{ends[0].GUID, ends[1].GUID}] = true
			contradicted[[2]fabric.GUID{ends[1].GUID, ends[0].GUID}] = true
		}
	}
	return slices.DeleteFunc(odd, func(o Odd) bool {
		return o.Kind == Missing && len(o.Ports) == 2 && contradicted[[2]fabric.GUID{o.Ports[0].GUID, o.Ports[1].GUID}]
	})
}

// down lists the known cables that are down although the nodes at both ends are up.
func down(f *fabric.Fabric) (odd []Odd) {
	for i := range f.Links {
		l, id := &f.Links[i], fabric.LinkID(i)
		if l.Down && !f.Nodes[l.A.Node].Down && !f.Nodes[l.B.Node].Down {
			odd = append(odd, Odd{Kind: Missing, Ports: f.LinkPorts(id), Text: "down"})
		}
	}
	return odd
}

// downNodes notes the known switches that are down.
func (r *Report) downNodes(f *fabric.Fabric) (notes []string) {
	var names []string
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Down && n.Type == fabric.Switch {
			names = append(names, r.short[n.GUID])
		}
	}
	if len(names) > 0 {
		notes = append(notes, fmt.Sprintf("switches that are down, with all their cables: %s", strings.Join(names, ", ")))
	}
	return notes
}

// finish sorts and counts the cables.
func (r *Report) finish() {
	slices.SortStableFunc(r.Cables, func(a, b Odd) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(b.weight, a.weight),
		)
	})
	clear(r.Counts)
	for i := range r.Cables {
		r.Counts[r.Cables[i].Kind]++
	}
}

// Name describes the cable, or both crossed cables, in one line by unique short names.
func (r *Report) Name(o *Odd) string {
	var names []string
	for ports := range slices.Chunk(o.Ports, 2) {
		names = append(names, NamePorts(r.short, ports))
	}
	return strings.Join(names, ", ")
}

// ShortNames returns the shortest unique name of every node: its description, or its GUID if others
// have the same description.
func ShortNames(f *fabric.Fabric) map[fabric.GUID]string {
	times := make(map[string]int, len(f.Nodes))
	for i := range f.Nodes {
		times[f.Nodes[i].Desc]++
	}
	names := make(map[fabric.GUID]string, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if names[n.GUID] = n.Desc; n.Desc == "" || times[n.Desc] > 1 {
			names[n.GUID] = n.GUID.String()
		}
	}
	return names
}

// NamePorts names ports by the names of their nodes, as in "leaf 1[19] - spine 0[2]".
func NamePorts(names map[fabric.GUID]string, ports []fabric.PortName) string {
	text := make([]string, len(ports))
	for i, p := range ports {
		p.Name = cmp.Or(names[p.GUID], p.Name, p.GUID.String())
		text[i] = p.Short()
	}
	return strings.Join(text, " - ")
}
