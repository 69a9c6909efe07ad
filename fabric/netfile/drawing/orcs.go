package drawing

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/tables"
)

// readORCS reads the input of ORCS (Schneider, Hoefler and Lumsdaine, "ORCS: An Oblivious Routing
// Congestion Simulator", Indiana University TR-675, 2009): one directed graph of Graphviz with
// network and routing.
//
// A node whose name begins with H is a host with one port and one cable; the rest of the name is
// its GUID in hexadecimal. Any other node is a switch; its name is a GUID if it has 16 digits
// (after S or S-). Nodes with other names get GUIDs as in ibsim's files. A cable is two edges, one
// for each direction. The comment of an edge from a switch lists the hosts whose traffic takes it,
// "*" for all; if several edges list a host, the first counts, as in ORCS. Edges from hosts have *.
//
// Port numbers are the taillabel and headlabel that WriteORCS gives edges, or the port-N in the key
// from ORCS's own script; other ports are numbered in the order of the file. Hosts get LIDs from 1
// on in order of GUID. Switches get none, because nothing is routed to them. A graph without
// comments is a topology without tables.
//
// Subgraphs, ports of nodes and HTML strings are refused. Errors are of type *lines.Error. The
// warnings in odd are about routes.
func readORCS(name string, data []byte) (f *fabric.Fabric, lfts *tables.LFTs, warnings, odd []lines.Warning, err error) {
	r := orcsReader{
		Draft: draft.New(name), lex: dotLexer{Messages: lines.Messages{File: name}, s: data, line: 1},
		ids: map[string]fabric.NodeID{},
	}
	if err = r.graph(); err == nil {
		err = r.cables()
	}
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if f, warnings, err = r.Build(); err != nil {
		return nil, nil, nil, nil, err
	}
	lfts, err = r.tables(f)
	return f, lfts, warnings, r.routing, err
}

// ReadORCSNetwork reads the network from a file of ORCS.
func ReadORCSNetwork(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	f, _, warnings, _, err := readORCS(name, data)
	return f, warnings, err
}

// ReadORCSTables reads the forwarding tables from a file of ORCS.
func ReadORCSTables(name string, data []byte) (*tables.LFTs, []lines.Warning, error) {
	_, lfts, _, odd, err := readORCS(name, data)
	if err == nil && lfts == nil {
		err = lines.Errorf(name, 0, "no routes in this graph: the edges out of its switches have no comments")
	}
	return lfts, odd, err
}

// IsDigraph reports whether a file is a directed graph of Graphviz.
func IsDigraph(data []byte) bool {
	x := dotLexer{s: data, line: 1}
	t, err := x.next()
	if err == nil && string(t.text) == "strict" {
		t, err = x.next()
	}
	return err == nil && string(t.text) == "digraph"
}

type orcsReader struct {
	*draft.Draft
	lex     dotLexer
	tok     dotToken
	err     error // the first error
	ids     map[string]fabric.NodeID
	names   []string // by node
	edges   []orcsEdge
	comment []byte // of edges without a comment of their own
	routing []lines.Warning
}

// orcsEdge is one direction of a cable.
type orcsEdge struct {
	from, to   fabric.NodeID
	line       int
	comment    []byte
	tail, head int // port numbers, 0 if unknown
	pair       int // 1 + the edge back
}

// advance reads the next token; after an error there is none.
func (r *orcsReader) advance() {
	if r.err == nil {
		r.tok, r.err = r.lex.next()
	}
	if r.err != nil {
		r.tok = dotToken{}
	}
}

// fail keeps the first error.
func (r *orcsReader) fail(line int, format string, args ...any) {
	if r.err == nil {
		r.err = r.Errorf(line, format, args...)
	}
	r.tok = dotToken{}
}

// want reports an unexpected token; what describes the expected one.
func (r *orcsReader) want(what string) { r.fail(r.tok.line, "want %s, not %s", what, r.tok.what()) }

// take consumes a token of the expected kind and returns its text.
func (r *orcsReader) take(kind byte, what string) []byte {
	text := r.tok.text
	if r.tok.kind != kind {
		r.want(what)
	}
	r.advance()
	return text
}

func (t dotToken) what() string {
	switch t.kind {
	case 0:
		return "the end of the file"
	case 'i':
		return clipped(t.text)
	case '>':
		return "->"
	case '-':
		return "--"
	}
	return string(t.kind)
}

// clipped returns the beginning of a text, for a message.
func clipped(s []byte) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q...", s[:most])
	}
	return fmt.Sprintf("%q", s)
}

// graph parses [strict] digraph NAME { ... }.
func (r *orcsReader) graph() error {
	r.advance()
	if string(r.tok.text) == "strict" {
		r.advance()
	}
	if string(r.tok.text) != "digraph" {
		r.want("digraph")
	}
	r.advance()
	if r.tok.kind == 'i' {
		r.advance()
	}
	r.take('{', "{")
	for r.err == nil && r.tok.kind != '}' {
		r.statement()
	}
	r.advance()
	if r.tok.kind != 0 {
		r.fail(r.tok.line, "%s after the end of the graph", r.tok.what())
	}
	return r.err
}

func (r *orcsReader) statement() {
	first := r.tok
	switch {
	case first.kind == ';':
		r.advance()
		return
	case first.kind == '{' || string(first.text) == "subgraph":
		r.fail(first.line, "subgraphs are not read")
		return
	case first.kind != 'i':
		r.want("a node or an edge")
		return
	}
	r.advance()
	switch word := string(first.text); {
	case r.tok.kind == '=': // an attribute of the graph
		r.advance()
		r.take('i', "a value")
	case r.tok.kind == '[' && word == "edge":
		r.attributes(func(key, value []byte) {
			if string(key) == "comment" {
				r.comment = value
			}
		})
	case r.tok.kind == '[' && (word == "graph" || word == "node"):
		r.attributes(func(_, _ []byte) {})
	case r.tok.kind == '>':
		r.edge(first)
	case r.tok.kind == '-':
		r.fail(r.tok.line, "-- in a directed graph: want ->")
	case r.tok.kind == ':':
		r.fail(r.tok.line, "ports of nodes are not read")
	default:
		id := r.node(first)
		r.attributes(func(key, value []byte) {
			if string(key) == "label" {
				r.Nodes[id].Desc = string(value)
			}
		})
	}
}

// attributes parses [key=value, ...], any number of times.
func (r *orcsReader) attributes(set func(key, value []byte)) {
	for r.tok.kind == '[' {
		r.advance()
		for r.err == nil && r.tok.kind != ']' {
			key := r.take('i', "an attribute")
			r.take('=', "=")
			if value := r.take('i', "a value"); r.err == nil {
				set(key, value)
			}
			if r.tok.kind == ',' || r.tok.kind == ';' {
				r.advance()
			}
		}
		r.advance()
	}
}

// node finds or adds the node with a name.
func (r *orcsReader) node(t dotToken) fabric.NodeID {
	if id, ok := r.ids[string(t.text)]; ok {
		return id
	}
	name := string(t.text)
	id := r.Add(t.line)
	r.ids[name] = id
	r.names = append(r.names, name)
	n := &r.Nodes[id]
	n.Desc, n.Type = name, fabric.Switch
	rest, host := bytes.CutPrefix(t.text, []byte("H"))
	if host {
		n.Type = fabric.CA
		rest = bytes.TrimPrefix(rest, []byte("-"))
	} else {
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("S")), []byte("-"))
	}
	if v, ok := lines.Hex(rest); ok && (host || len(rest) >= 16) {
		n.GUID = fabric.GUID(v)
	}
	if err := r.Grow(id, 1, t.line); err != nil {
		r.err = err
	} else if host {
		n.Ports[1].GUID = n.GUID
	}
	return id
}

// edge parses a chain of edges that begins with a node.
func (r *orcsReader) edge(first dotToken) {
	begin := len(r.edges)
	at := r.node(first)
	for r.tok.kind == '>' {
		r.advance()
		if r.tok.kind != 'i' || string(r.tok.text) == "subgraph" {
			r.want("a node after ->")
			return
		}
		to := r.node(r.tok)
		r.edges = append(r.edges, orcsEdge{from: at, to: to, line: r.tok.line, comment: r.comment})
		at = to
		r.advance()
	}
	if r.tok.kind == ':' {
		r.fail(r.tok.line, "ports of nodes are not read")
	}
	r.attributes(func(key, value []byte) {
		for i := begin; i < len(r.edges); i++ {
			r.edges[i].set(string(key), value)
		}
	})
}

func (e *orcsEdge) set(key string, value []byte) {
	number := func(s []byte) int {
		v, ok := lines.Decimal(s)
		if !ok || v > fabric.MaxPorts+1 {
			return 0
		}
		return int(v)
	}
	switch key {
	case "comment":
		e.comment = value
	case "taillabel":
		e.tail = number(value)
	case "headlabel":
		e.head = number(value)
	case "key": // "GUID:port-05 to GUID"
		if _, rest, ok := bytes.Cut(value, []byte(":port-")); ok && e.tail == 0 {
			c := lines.Cursor{Rest: rest}
			e.tail = number(c.Word())
		}
	}
}

// tables returns the routes in the comments, nil if there are none.
func (r *orcsReader) tables(f *fabric.Fabric) (*tables.LFTs, error) {
	var hosts []fabric.NodeID
	for i := range r.Nodes {
		if r.Nodes[i].Type == fabric.CA {
			hosts = append(hosts, fabric.NodeID(i))
		}
	}
	slices.SortFunc(hosts, func(a, b fabric.NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	if len(hosts) > int(fabric.MaxUnicastLID) {
		return nil, r.Errorf(0, "%d hosts are more than there are LIDs", len(hosts))
	}
	out := &tables.LFTs{}
	lids := make(map[string]fabric.LID, len(hosts))
	for i, h := range hosts {
		lid := fabric.LID(i + 1)
		lids[r.names[h]] = lid
		f.Nodes[h].Ports[1].LID = lid
		out.Targets = append(out.Targets, tables.Target{LID: lid, GUID: f.Nodes[h].Ports[1].GUID, Type: fabric.CA, Desc: f.Nodes[h].Desc})
	}
	at := make([]int, len(f.Nodes)) // by node: 1 + its index in out.Switches
	for i := range r.edges {
		e := &r.edges[i]
		if f.Nodes[e.from].Type != fabric.Switch {
			if c := string(e.comment); c != "*" && c != "" {
				r.odd(e.line, "the edge out of host %q does not take all traffic: taken for *", r.names[e.from])
			}
			continue
		}
		if len(e.comment) == 0 {
			continue
		}
		if at[e.from] == 0 {
			out.Switches = append(out.Switches, tables.SwitchLFT{GUID: f.Nodes[e.from].GUID, Desc: f.Nodes[e.from].Desc})
			at[e.from] = len(out.Switches)
		}
		r.route(&out.Switches[at[e.from]-1], e, lids)
	}
	if len(out.Switches) == 0 {
		return nil, nil
	}
	return out, nil
}

// route enters the hosts of an edge's comment into the table.
func (r *orcsReader) route(s *tables.SwitchLFT, e *orcsEdge, lids map[string]fabric.LID) {
	if string(e.comment) == "*" {
		for lid := 1; lid <= len(lids); lid++ {
			if s.Port(fabric.LID(lid)) == tables.NoPort {
				s.Set(fabric.LID(lid), uint8(e.tail))
			}
		}
		return
	}
	for rest := e.comment; ; {
		rest = bytes.TrimLeft(rest, ", \t\n")
		if len(rest) == 0 {
			return
		}
		name := rest
		if i := bytes.IndexAny(rest, ", \t\n"); i >= 0 {
			name = rest[:i]
		}
		rest = rest[len(name):]
		switch lid, ok := lids[string(name)]; {
		case !ok:
			r.odd(e.line, "traffic for %s, which is no host of this graph, is left out", clipped(name))
		case s.Port(lid) != tables.NoPort:
			r.odd(e.line, "host %s is on two edges out of %q: the first is taken", clipped(name), r.names[e.from])
		default:
			s.Set(lid, uint8(e.tail))
		}
	}
}

// oddities limits the warnings about routes.
const oddities = 20

func (r *orcsReader) odd(line int, format string, args ...any) {
	if len(r.routing) < oddities {
		r.routing = append(r.routing, lines.Warningf(r.File, line, format, args...))
	}
	if len(r.routing) == oddities {
		r.routing = append(r.routing, lines.Warningf(r.File, 0, "any further warnings about routes are left out"))
	}
}
