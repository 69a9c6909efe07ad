package pathfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/route"
	"weft/route/paths"
)

// Read reads a P table for a network; name is the file's. An error is a *lines.Error with its line.
func Read(name string, data []byte, g *fabric.Graph) (*paths.Set, error) {
	r, b := newReader(g), paths.NewBuilder(g)
	err := r.lines(name, data, func(fields []string, line int) error {
		src, dst, way, err := r.path(fields, line)
		if err == nil {
			b.Add(src, dst, way)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	set, err := b.Build()
	if err != nil {
		return nil, &lines.Error{File: name, Msg: err.Error()}
	}
	if set.NumPaths() == 0 {
		return nil, &lines.Error{File: name, Msg: "the file has no path"}
	}
	return set, nil
}

// reader finds the ports named in lines, and caches them.
type reader struct {
	g              *fabric.Graph
	ends, switches map[string]int32
	met            []int // by switch: the last line whose path passed it
	way            []int32
}

func newReader(g *fabric.Graph) *reader {
	r := &reader{g: g, ends: map[string]int32{}, switches: map[string]int32{}, met: make([]int, g.NumSwitches)}
	n := newNamer(g)
	for e := range int32(g.NumHosts) {
		r.ends[n.end(e)] = e
	}
	return r
}

// lines passes on the fields of each line with content, with its number. Errors in them become
// *lines.Error.
func (r *reader) lines(name string, data []byte, read func(fields []string, line int) error) error {
	at := 0
	for line := range strings.Lines(string(data)) {
		at++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := read(strings.Split(line, "\t"), at); err != nil {
			return &lines.Error{File: name, Line: at, Msg: err.Error()}
		}
	}
	return nil
}

// path reads the fields of a line.
func (r *reader) path(fields []string, line int) (src, dst int32, way []int32, err error) {
	if len(fields) < 2 {
		return 0, 0, nil, errors.New("want a source, a target and egress ports, separated by tabs")
	}
	if src, dst, err = r.pair(fields); err != nil {
		return 0, 0, nil, err
	}
	r.way = r.way[:0]
	at := r.g.EndSwitch[src]
	r.met[at] = line
	for _, field := range fields[2:] {
		c, err := r.egress(field, at)
		if err != nil {
			return 0, 0, nil, err
		}
		if at = r.g.To[c]; r.met[at] == line {
			return 0, 0, nil, fmt.Errorf("the path meets %s twice", fabric.SwitchName(r.g, at))
		}
		r.met[at] = line
		r.way = append(r.way, c)
	}
	if at != r.g.EndSwitch[dst] {
		return 0, 0, nil, fmt.Errorf("the path ends at %s, but %s is at %s", fabric.SwitchName(r.g, at), fields[1], fabric.SwitchName(r.g, r.g.EndSwitch[dst]))
	}
	return src, dst, r.way, nil
}

// pair finds the source and the target of a line.
func (r *reader) pair(fields []string) (src, dst int32, err error) {
	if src, err = r.end(fields[0]); err != nil {
		return 0, 0, fmt.Errorf("source: %w", err)
	}
	if dst, err = r.end(fields[1]); err != nil {
		return 0, 0, fmt.Errorf("target: %w", err)
	}
	if src == dst {
		return 0, 0, fmt.Errorf("%s is both source and target", fields[0])
	}
	return src, dst, nil
}

// end finds the end port of a host.
func (r *reader) end(field string) (int32, error) {
	if e, ok := r.ends[field]; ok {
		return e, nil
	}
	node, port := cutPort(field)
	i, err := fabric.FindNamed("host", node, r.g.NumHosts, func(i int) (fabric.GUID, string) { return r.g.EndNodeGUID[i], r.g.EndDesc[i] })
	if err != nil {
		return 0, err
	}
	e := int32(i)
	if port >= 0 && int(r.g.EndNum[e]) != port {
		return 0, fmt.Errorf("%s has no port %d", route.EndName(r.g, e), port)
	}
	r.ends[field] = e
	return e, nil
}

// egress finds the channel that leaves a switch by the port named in a field.
func (r *reader) egress(field string, at int32) (int32, error) {
	node, port := cutPort(field)
	if port < 0 {
		return 0, fmt.Errorf("%q is not a port: want SWITCH[PORT]", field)
	}
	s, ok := r.switches[node]
	if !ok {
		var err error
		if s, err = r.g.FindSwitch(node); err != nil {
			return 0, err
		}
		r.switches[node] = s
	}
	if s != at {
		return 0, fmt.Errorf("the path is at %s, but continues from %s", fabric.SwitchName(r.g, at), fabric.SwitchName(r.g, s))
	}
	c := fabric.Nothing
	if port <= fabric.MaxPorts {
		c, _ = r.g.At(at, uint8(port))
	}
	if c < 0 {
		return 0, fmt.Errorf("port %d of %s leads to no switch", port, fabric.SwitchName(r.g, at))
	}
	return c, nil
}

// cutPort splits NODE[PORT]; port is -1 if there is none.
func cutPort(field string) (node string, port int) {
	field = strings.TrimSpace(field)
	open := strings.LastIndexByte(field, '[')
	if open < 0 || !strings.HasSuffix(field, "]") {
		return field, -1
	}
	port, err := strconv.Atoi(field[open+1 : len(field)-1])
	if err != nil || port < 0 {
		return field, -1
	}
	return field[:open], port
}
