package intersubnet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/subnets"
	"weft/wire/mad"
)

// Mapping is the mapping file of one subnet (code 1 of paper V): the router port that takes packets
// for a GID.
//
//	fec0:0000:0000:0002:0200:0048:0000:0101 0x0200005200000101
//	fec0:0000:0000:0002:0200:0048:0000:0101 0x0200005200000205   a second line is the backup of the first
//	fec0:0000:0000:0002:0200:0048:0000:0101 0x0200005200000205 0x0200005300000004   for sources at this switch
//	0xfec0000000000002 0x0200005200000101                         a whole prefix, as OpenSM's prefix routes
//	* 0x0200005200000101                                          the default
//	* 0x0200005200000201                                          its backup
//
// The best match decides, whatever the order of lines: a GID with the switch of the source, a GID,
// a prefix, then *. Of lines that match equally, the first with a usable port counts.
type Mapping struct {
	byGID    map[subnets.GID][]fabric.GUID
	bySwitch map[gidAt][]fabric.GUID
	byPrefix map[subnets.Prefix][]fabric.GUID
	defaults []fabric.GUID
	file     string
	lines    map[fabric.GUID]int // by router port: the first line that names it
}

// gidAt is a GID as the target of sources at a switch.
type gidAt struct {
	gid subnets.GID
	at  fabric.GUID
}

// maxMappingLine bounds a line of a mapping file.
const maxMappingLine = 1024

// ReadMapping reads a mapping file. Errors are of type *lines.Error. Text after # is a comment.
func ReadMapping(name string, data []byte) (*Mapping, error) {
	m := &Mapping{byGID: map[subnets.GID][]fabric.GUID{}, bySwitch: map[gidAt][]fabric.GUID{}, byPrefix: map[subnets.Prefix][]fabric.GUID{}, file: name, lines: map[fabric.GUID]int{}}
	rest := bytes.TrimPrefix(data, []byte("\uFEFF"))
	for at := 1; len(rest) > 0; at++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		err := fmt.Errorf("a line of more than %d bytes", maxMappingLine)
		if len(line) <= maxMappingLine {
			err = m.line(string(line), at)
		}
		if err != nil {
			return nil, &lines.Error{File: name, Line: at, Msg: err.Error()}
		}
	}
	return m, nil
}

func (m *Mapping) line(text string, at int) error {
	text, _, _ = strings.Cut(text, "#")
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	if len(words) != 2 && len(words) != 3 {
		return fmt.Errorf("%d words: want a GID, a prefix or *, and the GUID of a router port; behind a GID also that of the switch of the source", len(words))
	}
	port, err := fabric.ParseGUID(words[1])
	if err != nil {
		return fmt.Errorf("%q is not the GUID of a router port (want up to 16 hexadecimal digits)", words[1])
	}
	if m.lines[port] == 0 {
		m.lines[port] = at
	}
	switch target := words[0]; {
	case len(words) == 3:
		gid, err := subnets.ParseGID(target)
		if err != nil {
			return err
		}
		at, err := fabric.ParseGUID(words[2])
		if err != nil {
			return fmt.Errorf("%q is not the GUID of a switch (want up to 16 hexadecimal digits)", words[2])
		}
		m.bySwitch[gidAt{gid, at}] = append(m.bySwitch[gidAt{gid, at}], port)
	case target == "*":
		m.defaults = append(m.defaults, port)
	case strings.Contains(target, ":"):
		gid, err := subnets.ParseGID(target)
		if err != nil {
			return err
		}
		m.byGID[gid] = append(m.byGID[gid], port)
	default:
		prefix, err := fabric.ParseGUID(target)
		if err != nil {
			return fmt.Errorf("%q is no GID, no prefix and not *", target)
		}
		m.byPrefix[subnets.Prefix(prefix)] = append(m.byPrefix[subnets.Prefix(prefix)], port)
	}
	return nil
}

// findRouter returns the GUID of the router port for packets from a source at a switch (0: any) to
// a GID: the first usable port, the best match first. It returns false if there is none.
func (m *Mapping) findRouter(gid subnets.GID, at fabric.GUID, usable func(port fabric.GUID) bool) (fabric.GUID, bool) {
	for _, ports := range [][]fabric.GUID{m.bySwitch[gidAt{gid, at}], m.byGID[gid], m.byPrefix[gid.Prefix], m.defaults} {
		if i := slices.IndexFunc(ports, usable); i >= 0 {
			return ports[i], true
		}
	}
	return 0, false
}

// Router is find_router of the paper, for subnet administration: it returns the GUID of the router
// port for packets from a source at a switch to a GID.
func (m *Mapping) Router(gid mad.GID, at fabric.GUID, usable func(port fabric.GUID) bool) (fabric.GUID, bool) {
	return m.findRouter(GIDOf(gid), at, usable)
}

// GIDOf splits a GID of a datagram into its parts.
func GIDOf(gid mad.GID) subnets.GID {
	return subnets.GID{Prefix: subnets.Prefix(mad.GIDPrefix.Get(gid[:])), GUID: fabric.GUID(mad.GIDGUID.Get(gid[:]))}
}

// apply sets the gateways of a subnet by a mapping file. It skips ports that are down or do not
// lead nearer to the target.
func (p *Plan) apply(a *admissible, s int32, m *Mapping) error {
	places := map[fabric.GUID]int32{}
	for place, port := range p.Net.Subnets[s].Ports {
		places[p.Net.Ports[port].GUID] = int32(place)
	}
	gone := map[fabric.GUID]bool{}
	for _, port := range p.Net.Ports {
		gone[port.GUID] = port.Subnet == s && port.End < 0
	}
	var wrong *lines.Error
	for guid, line := range m.lines {
		if _, ok := places[guid]; !ok && !gone[guid] && (wrong == nil || line < wrong.Line) {
			wrong = &lines.Error{File: m.file, Line: line, Msg: fmt.Sprintf("subnet %q has no router port %s", p.Net.Subnets[s].Name, guid)}
		}
	}
	if wrong != nil {
		return wrong
	}
	for target := range int32(len(p.Net.Subnets)) {
		if target == s || a.distance[target][s] < 0 {
			continue
		}
		row := a.emptyRow(target)
		leads := map[fabric.GUID]bool{}
		for guid, place := range places {
			leads[guid] = a.leads(p.Net.Subnets[s].Ports[place], target)
		}
		usable := func(g fabric.GUID) bool { return leads[g] }
		for _, end := range targets(p.Net, target) {
			if guid, ok := m.findRouter(p.Net.GID(target, end), 0, usable); ok {
				row[end] = places[guid]
			}
		}
		p.Gateway[s][target] = a.rows.row(row)
		p.applySwitches(m, s, target, places, usable)
	}
	return nil
}

// applySwitches sets the gateways of single switches, if the mapping file names switches.
func (p *Plan) applySwitches(m *Mapping, s, target int32, places map[fabric.GUID]int32, usable func(port fabric.GUID) bool) {
	if p.BySwitch == nil && len(m.bySwitch) == 0 {
		return
	}
	if p.BySwitch == nil {
		p.BySwitch = noneBySwitch(len(p.Net.Subnets))
	}
	p.BySwitch[s][target] = nil
	g, general := p.Net.Graph(s), p.Gateway[s][target]
	var row []int32
	other := false
	for sw := range g.NumSwitches {
		row = append(row, general...)
		for _, end := range targets(p.Net, target) {
			guid, ok := m.findRouter(p.Net.GID(target, end), g.SwitchGUID[sw]+p.Net.Subnets[s].Shift, usable)
			if at := sw*len(general) + int(end); ok && row[at] != places[guid] {
				row[at], other = places[guid], true
			}
		}
	}
	if other {
		p.BySwitch[s][target] = row
	}
}

// WriteMapping writes the gateways of a subnet as a mapping file: each GID with its port and a
// backup, the next gateway on another router if there is one. The gateways follow as defaults.
func (p *Plan) WriteMapping(w io.Writer, s int32) error {
	out := bufio.NewWriter(w)
	a := newAdmissible(p.Net, p.Down)
	fmt.Fprintf(out, "# gateways of subnet %q: GID, router port\n", p.Net.Subnets[s].Name)
	guid := func(port int32) fabric.GUID { return p.Net.Ports[port].GUID }
	var defaults []int32
	for target := range int32(len(p.Net.Subnets)) {
		if p.Gateway[s][target] == nil {
			continue
		}
		ports := a.gateways(s, target)
		for i, place := range ports {
			ports[i] = p.Net.Subnets[s].Ports[place]
		}
		for _, port := range ports[:min(len(ports), 4)] {
			if !slices.Contains(defaults, port) {
				defaults = append(defaults, port)
			}
		}
		for _, end := range targets(p.Net, target) {
			port := p.GatewayPort(s, Address{target, end})
			if port < 0 {
				continue
			}
			gid := p.Net.GID(target, end)
			fmt.Fprintln(out, gid, guid(port))
			if backup := backupOf(p.Net, ports, port); backup >= 0 {
				fmt.Fprintln(out, gid, guid(backup))
			}
			for sw, at := range p.Net.Graph(s).SwitchGUID {
				if to := (Address{target, end}); p.ownGateway(s, int32(sw), to) {
					fmt.Fprintln(out, gid, guid(p.gatewayOf(s, int32(sw), to)), at+p.Net.Subnets[s].Shift)
				}
			}
		}
	}
	for _, port := range defaults {
		fmt.Fprintln(out, "*", guid(port))
	}
	return out.Flush()
}

// backupOf returns the gateway after port in a list, on another router if there is one; -1 for
// none.
func backupOf(n *subnets.Network, ports []int32, port int32) int32 {
	at := slices.Index(ports, port)
	if at < 0 || len(ports) < 2 {
		return -1
	}
	for i := 1; i < len(ports); i++ {
		if q := ports[(at+i)%len(ports)]; n.Ports[q].Router != n.Ports[port].Router {
			return q
		}
	}
	return ports[(at+1)%len(ports)]
}
