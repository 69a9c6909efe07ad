package markup

import (
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// graphML reads GraphML. A node's attributes are the data of its keys, by attr.name:
//
//	type, kind, role ...  host, server, CA ... or switch, leaf, spine ...: see typeOf
//	label, name, desc     the description; without one it is the node's id
//	guid                  the node GUID, in hexadecimal
//	ports                 the number of ports
//
// If an attribute names a host, all nodes without a word are switches. If none does, the nodes
// without a word that have one cable are hosts, and the others switches.
//
// An edge is a cable. In a directed graph an edge and the one back are one cable. A number from 1
// to 254 in sourceport and targetport is a port number; any other name is the label of a port.
// These and the ports of other edges are numbered in the order of the file. The attributes width
// (lanes) and speed (SDR to XDR) of an edge are its rate. Rates in other words are not read.
type graphML struct {
	*draft.Draft
	doc      *document
	keys     map[string]string // names of attributes by id
	defaults []graphDefault
	nodes    map[string]fabric.NodeID
	wild     []fabric.NodeID // without a word about their type
	directed bool
	graphs   int
	edges    []graphEdge
	back     map[edgeKey]int // number of directed edges without one back

	taken  map[fabric.End]bool
	labels map[fabric.NodeID]map[string]int // port numbers
	next   []int                            // by node: the last number given
}

// graphDefault is the value of an attribute where a node or edge has none.
type graphDefault struct{ name, of, value string }

// edgeKey is a direction of a cable.
type edgeKey struct {
	from, to         fabric.NodeID
	fromPort, toPort string
}

// mostKeys bounds the attributes of a file: each node looks at all with a default.
const mostKeys = 1000

// graphEdge is a cable.
type graphEdge struct {
	line     int
	ids      [2]string
	ends     [2]fabric.NodeID
	ports    [2]string
	directed bool
	dropped  bool // the other direction of a cable
	width    fabric.Width
	speed    fabric.Speed
}

// IsGraphML recognises a file by its first element.
func IsGraphML(data []byte) bool { return rootOf(data) == "graphml" }

// ReadGraphML reads a graph in GraphML. Errors are of type *lines.Error.
func ReadGraphML(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := graphML{
		Draft: draft.New(name), doc: newDocument(name, data), keys: map[string]string{}, nodes: map[string]fabric.NodeID{},
		back: map[edgeKey]int{}, taken: map[fabric.End]bool{}, labels: map[fabric.NodeID]map[string]int{},
	}
	readAll := func() error { return r.doc.each(r.element) }
	for _, step := range []func() error{readAll, r.join, r.setTypes, r.connect} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	return r.Build()
}

func (r *graphML) element(e *element) error {
	switch e.name {
	case "graph":
		if r.graphs++; r.graphs > 1 {
			return r.Errorf(e.line, "a second graph: keep one graph in the file")
		}
		r.directed = e.attr("edgedefault") == "directed"
	case "hyperedge":
		return r.Errorf(e.line, "hyperedges are not read: a cable has two ends")
	case "key":
		return r.key(e)
	case "node":
		return r.node(e)
	case "edge":
		return r.edge(e)
	}
	return nil
}

func (r *graphML) key(e *element) error {
	if err := r.doc.fill(e, "default"); err != nil {
		return err
	}
	name, id := strings.ToLower(e.attr("attr.name")), e.attr("id")
	if name == "" {
		name = strings.ToLower(id)
	}
	if r.keys[id] = name; len(r.keys) > mostKeys {
		return r.Errorf(e.line, "more than %d keys", mostKeys)
	}
	if value := e.value("default"); value != "" && len(r.defaults) < mostKeys {
		r.defaults = append(r.defaults, graphDefault{name: name, of: e.attr("for"), value: value})
	}
	return nil
}

// attributes returns the data of a node or edge by the name of the attribute.
func (r *graphML) attributes(e *element) map[string]string {
	all := map[string]string{}
	for _, d := range r.defaults {
		if d.of == e.name || d.of == "all" || d.of == "" {
			all[d.name] = d.value
		}
	}
	for i := range e.children {
		if c := &e.children[i]; c.name == "data" {
			if name := r.keys[c.attr("key")]; name != "" {
				all[name] = c.text
			}
		}
	}
	return all
}

func (r *graphML) node(e *element) error {
	if err := r.doc.fill(e, "data", "graph"); err != nil {
		return err
	}
	name := e.attr("id")
	if old, twice := r.nodes[name]; twice {
		return r.Errorf(e.line, "node %q is described twice: here and on line %d", name, r.Nodes[old].RefLine)
	}
	if name == "" {
		return r.Errorf(e.line, "a node without an id")
	}
	if e.child("graph") != nil {
		return r.Errorf(e.line, "node %q holds a graph of its own: graphs inside nodes are not read", name)
	}
	id := r.Add(e.line)
	r.nodes[name] = id
	n, all := &r.Nodes[id], r.attributes(e)
	n.Desc = name
	for _, key := range []string{"desc", "name", "label"} {
		if text, told := all[key]; told {
			n.Desc = text
		}
	}
	if text := strings.TrimSpace(all["guid"]); text != "" {
		guid, err := fabric.ParseGUID(text)
		if err != nil || guid == 0 {
			return r.Errorf(e.line, "guid %q of node %q is not a GUID (want 1 to 16 hexadecimal digits, not 0)", text, name)
		}
		n.GUID = guid
	}
	if n.Type = typeOf(all); n.Type == 0 {
		r.wild = append(r.wild, id)
	}
	ports := 1
	if text := strings.TrimSpace(all["ports"]); text != "" {
		var err error
		if ports, err = strconv.Atoi(text); err != nil || ports < 1 || ports > fabric.MaxPorts {
			return r.Errorf(e.line, "ports %q of node %q: want a number from 1 to %d", text, name, fabric.MaxPorts)
		}
	}
	return r.Grow(id, ports, e.line)
}

// typeKeys are the attributes that may name the type of a node, and typeWords their values.
var (
	typeKeys  = []string{"type", "node_type", "nodetype", "kind", "role", "device", "device_type", "class", "layer", "tier"}
	typeWords = map[string]fabric.NodeType{
		"host": fabric.CA, "hosts": fabric.CA, "server": fabric.CA, "ca": fabric.CA, "hca": fabric.CA, "nic": fabric.CA, "compute": fabric.CA,
		"computer": fabric.CA, "endpoint": fabric.CA, "endhost": fabric.CA, "end_host": fabric.CA, "terminal": fabric.CA, "gpu": fabric.CA,
		"switch": fabric.Switch, "sw": fabric.Switch, "leaf": fabric.Switch, "spine": fabric.Switch, "core": fabric.Switch, "tor": fabric.Switch,
		"edge": fabric.Switch, "aggregation": fabric.Switch, "agg": fabric.Switch, "access": fabric.Switch, "router": fabric.Switch,
	}
)

// typeOf returns the type of a node by its attributes, 0 if no attribute gives it. A router with a
// GUID is an InfiniBand router; without one it is a switch, as in files of other networks.
func typeOf(all map[string]string) fabric.NodeType {
	for _, key := range typeKeys {
		word := strings.ToLower(strings.TrimSpace(all[key]))
		if word == "router" && all["guid"] != "" {
			return fabric.Router
		}
		if t := typeWords[word]; t != 0 {
			return t
		}
	}
	return 0
}

func (r *graphML) edge(e *element) error {
	if err := r.doc.fill(e, "data"); err != nil {
		return err
	}
	if len(r.edges) == 2*fabric.MaxLinks {
		return r.Errorf(e.line, "more than %d edges", 2*fabric.MaxLinks)
	}
	all := r.attributes(e)
	edge := graphEdge{
		line: e.line, ids: [2]string{e.attr("source"), e.attr("target")}, ports: [2]string{e.attr("sourceport"), e.attr("targetport")},
		directed: r.directed,
	}
	if d := e.attr("directed"); d != "" {
		edge.directed = d == "true"
	}
	if w, ok := lines.Decimal([]byte(strings.TrimSpace(all["width"]))); ok && draft.KnownWidth(w) {
		edge.width = fabric.Width(w)
	}
	edge.speed, _ = fabric.ParseSpeed(strings.TrimSpace(all["speed"]))
	r.edges = append(r.edges, edge)
	return nil
}

// join finds the nodes of all edges, and drops the second direction of a cable and loops.
func (r *graphML) join() error {
	loops, first := 0, 0
	for i := range r.edges {
		e := &r.edges[i]
		for k, name := range e.ids {
			id, known := r.nodes[name]
			if !known {
				return r.Errorf(e.line, "this edge ends at %q, but no node has this id", name)
			}
			e.ends[k] = id
		}
		switch {
		case e.ends[0] == e.ends[1] && e.ports[0] == e.ports[1]:
			e.dropped = true
			if loops++; loops == 1 {
				first = e.line
			}
		case e.directed:
			r.pair(e)
		}
	}
	if loops > 0 {
		r.Warnf(first, "%d edges from a node to itself, the first here: left out", loops)
	}
	return nil
}

// pair drops a directed edge if there is one back between the same ports.
func (r *graphML) pair(e *graphEdge) {
	back := edgeKey{e.ends[1], e.ends[0], e.ports[1], e.ports[0]}
	if e.dropped = r.back[back] > 0; e.dropped {
		r.back[back]--
	} else {
		r.back[edgeKey{e.ends[0], e.ends[1], e.ports[0], e.ports[1]}]++
	}
}

// setTypes gives nodes without a type in their attributes one.
func (r *graphML) setTypes() error {
	if len(r.Nodes) == 0 {
		return r.Errorf(0, "no nodes in this graph")
	}
	told := slices.ContainsFunc(r.Nodes, func(n draft.Node) bool { return n.Type == fabric.CA || n.Type == fabric.Router })
	cables := make([]int, len(r.Nodes))
	for i := range r.edges {
		if e := &r.edges[i]; !e.dropped {
			cables[e.ends[0]]++
			cables[e.ends[1]]++
		}
	}
	hosts := 0
	for _, id := range r.wild {
		r.Nodes[id].Type = fabric.Switch
		if !told && cables[id] == 1 {
			r.Nodes[id].Type = fabric.CA
			hosts++
		}
	}
	switch first := r.wild; {
	case len(first) == 0:
	case told:
		r.Warnf(r.Nodes[first[0]].RefLine, "no attribute says of %d nodes whether they are hosts or switches, the first here: taken as switches", len(r.wild))
	default:
		r.Warnf(r.Nodes[first[0]].RefLine, "no attribute names a host: nodes with one cable are taken as hosts (%d), others as switches (%d)", hosts, len(r.wild)-hosts)
	}
	return nil
}

// connect numbers the ports and connects them. Numbers in the file take precedence.
func (r *graphML) connect() error {
	r.next = make([]int, len(r.Nodes))
	for i := range r.edges {
		e := &r.edges[i]
		for k, name := range e.ports {
			if p := portNumber(name); p > 0 && !e.dropped {
				r.taken[fabric.End{Node: e.ends[k], Port: uint8(p)}] = true
			}
		}
	}
	for i := range r.edges {
		e := &r.edges[i]
		if e.dropped {
			continue
		}
		var ends [2]fabric.End
		for k := range ends {
			var err error
			if ends[k], err = r.End(e.ends[k], r.port(e.ends[k], e.ports[k]), e.line); err != nil {
				return err
			}
			if name := e.ports[k]; portNumber(name) == 0 {
				r.Port(ends[k]).Label = name
			}
		}
		if err := r.Connect(ends[0], ends[1], e.line, e.width, e.speed); err != nil {
			return err
		}
	}
	return nil
}

// portNumber returns the number that a port is called by, 0 if it has another name.
func portNumber(name string) int {
	if v, ok := lines.Decimal([]byte(name)); ok && v <= fabric.MaxPorts && name[0] != '0' {
		return int(v)
	}
	return 0
}

// port returns the number of a port by its name: that number, or the next that is free.
func (r *graphML) port(id fabric.NodeID, name string) int {
	if p := portNumber(name); p > 0 {
		return p
	}
	if p := r.labels[id][name]; p > 0 {
		return p
	}
	for r.next[id]++; r.next[id] <= fabric.MaxPorts && r.taken[fabric.End{Node: id, Port: uint8(r.next[id])}]; {
		r.next[id]++
	}
	if name != "" {
		if r.labels[id] == nil {
			r.labels[id] = map[string]int{}
		}
		r.labels[id][name] = r.next[id]
	}
	return r.next[id]
}
