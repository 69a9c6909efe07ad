// Package cabling reads cabling plans: topology files of ibutils, with the .ibnl files that
// describe the inside of systems.
package cabling

import (
	"bytes"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// topoFile reads a topology file of ibutils. It names systems and the cables between their
// connectors,
//
//	MTS2400 SW1 CFG: leaf3=R
//	   P1 -4x-5G-> Cougar H-1 P1
//
// and ibnl files describe the inside of a system. Every chip becomes a node. Its description is
// system/board/chip, as in SW1/leaf1/U1, and its GUID is counted up in the order of the file.
type topoFile struct {
	*draft.Draft
	systems map[string]*system // from ibnl files; nil: none given
	byName  map[string]int
	used    []topoSystem
	wanted  []topoCable
	last    int                // line of the last cable
	warned  map[*ibnlFile]bool // warnings that were passed on
}

// topoSystem is one system in the network.
type topoSystem struct {
	name    string
	typ     string // name in the file
	kind    *system
	line    int               // of its own heading, 0 if it was only mentioned
	refLine int               // of the first mention
	config  map[string]string // board path to modifier; R: the board is removed
	first   fabric.NodeID     // first of its nodes
	plugs   map[string]fabric.End
}

// topoCable is a cable between connectors; systems are indices into used.
type topoCable struct {
	a, b         int
	plugA, plugB string
	line         int
	width        fabric.Width
	speed        fabric.Speed
}

// ReadTopo reads a topology file. The definitions are the .ibnl files of its systems; nil: none are
// given.
func ReadTopo(name string, data []byte, definitions fs.FS) (*fabric.Fabric, []lines.Warning, error) {
	var systems map[string]*system
	if definitions != nil {
		var err error
		if systems, err = readSystems(definitions); err != nil {
			return nil, nil, err
		}
	}
	return readTopoWith(name, data, systems)
}

// readTopoWith reads a topology file of the given systems; nil stands for no
// directory of systems.
func readTopoWith(name string, data []byte, systems map[string]*system) (*fabric.Fabric, []lines.Warning, error) {
	r := topoFile{Draft: draft.New(name), systems: systems, byName: map[string]int{}, warned: map[*ibnlFile]bool{}}
	if err := r.parse(data); err != nil {
		return nil, nil, err
	}
	for i := range r.used {
		if err := r.install(&r.used[i]); err != nil {
			return nil, nil, err
		}
	}
	inside := len(r.Cables)
	for i := range r.wanted {
		if err := r.cable(&r.wanted[i]); err != nil {
			return nil, nil, err
		}
	}
	r.warnCutOff(r.Cables[inside:])
	r.InventGUIDs()
	r.nameSystems()
	return r.Build()
}

func (r *topoFile) parse(data []byte) error {
	current := -1
	return lines.Each(r.File, data, withoutRemarks(func(f []string, at int) error {
		i, w, s, isCable, err := arrow(r.Draft, f, at)
		switch {
		case err != nil:
			return err
		case !isCable:
			current, err = r.heading(f, at)
			return err
		case current < 0:
			return r.Errorf(at, "a cable before the first system")
		case i != 1 || len(f) != 5:
			return r.Errorf(at, "want connector -> type system connector")
		}
		other, err := r.mention(f[2], f[3], at)
		if err != nil {
			return err
		}
		r.wanted = append(r.wanted, topoCable{a: current, b: other, plugA: f[0], plugB: f[4], line: at, width: w, speed: s})
		r.last = at
		return nil
	}))
}

// withoutRemarks cuts lines at # and into fields, and skips empty ones.
func withoutRemarks(do func(f []string, at int) error) func(line []byte, at int) error {
	return func(line []byte, at int) error {
		line, _, _ = bytes.Cut(line, []byte("#"))
		f := strings.Fields(string(line))
		if len(f) == 0 {
			return nil
		}
		return do(f, at)
	}
}

// heading parses "type name" or "type name CFG: board=modifier,board=modifier".
func (r *topoFile) heading(f []string, at int) (int, error) {
	if len(f) < 2 || (len(f) > 2 && f[2] != "CFG:") {
		return 0, r.Errorf(at, "want type and name of a system, or connector -> type system connector")
	}
	i, err := r.mention(f[0], f[1], at)
	if err != nil {
		return 0, err
	}
	u := &r.used[i]
	if u.line != 0 {
		return 0, r.Errorf(at, "system %s is described twice: here and on line %d", u.name, u.line)
	}
	u.line = at
	for _, m := range strings.FieldsFunc(strings.Join(f[min(3, len(f)):], ","), func(c rune) bool { return c == ',' }) {
		board, mod, ok := strings.Cut(m, "=")
		if !ok || board == "" || mod == "" {
			return 0, r.Errorf(at, "CFG: %q is not board=modifier", m)
		}
		if u.config == nil {
			u.config = map[string]string{}
		}
		if _, dup := u.config[board]; dup {
			return 0, r.Errorf(at, "CFG: board %s is given twice", board)
		}
		u.config[board] = mod
	}
	return i, nil
}

// mention finds a system by name, or adds it.
func (r *topoFile) mention(typ, name string, at int) (int, error) {
	kind := r.systems[typ]
	if kind == nil {
		kind = builtin()[typ]
	}
	if kind == nil && r.systems == nil {
		return 0, r.Errorf(at, "unknown system %s: give --ibnl DIR, a directory with its .ibnl file", typ)
	}
	if kind == nil {
		return 0, r.Errorf(at, "unknown system %s: none of the .ibnl files given defines it", typ)
	}
	i, known := r.byName[name]
	if !known {
		i = len(r.used)
		r.byName[name] = i
		r.used = append(r.used, topoSystem{name: name, typ: typ, kind: kind, refLine: at})
		return i, nil
	}
	if u := &r.used[i]; u.kind != kind {
		return 0, r.Errorf(at, "system %s is a %s here, a %s on line %d", name, typ, u.typ, u.refLine)
	}
	return i, nil
}

// install puts the chips of a system into the draft.
func (r *topoFile) install(u *topoSystem) error {
	at := u.line
	if at == 0 {
		at = u.refLine
	}
	r.warnOf(u.kind.file)
	u.first = fabric.NodeID(len(r.Nodes))
	x := installer{topoFile: r, at: at, config: u.config, done: map[string]bool{}}
	plugs, err := x.system(u.kind, u.name, "")
	if err != nil {
		return err
	}
	u.plugs = plugs
	boards := make([]string, 0, len(u.config))
	for board := range u.config {
		boards = append(boards, board)
	}
	sort.Strings(boards)
	for _, board := range boards {
		if !x.done[board] {
			return r.Errorf(at, "CFG: system %s (%s) has no board %s", u.name, u.typ, board)
		}
	}
	return nil
}

// warnOf passes on the warnings of an ibnl file, once.
func (r *topoFile) warnOf(f *ibnlFile) {
	if r.warned[f] {
		return
	}
	r.warned[f] = true
	r.Pass(f.warnings)
}

// installer builds one system of a topology file.
type installer struct {
	*topoFile
	at     int
	config map[string]string
	done   map[string]bool // boards of config that were found
}

// system adds the chips of a system and its inner cables, and returns the ports behind its
// connectors. name is for descriptions, board the path in config.
func (x *installer) system(s *system, name, board string) (map[string]fabric.End, error) {
	inside := make([]map[string]fabric.End, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		var err error
		if p.typ != 0 {
			inside[i], err = x.chip(p, name)
		} else {
			inside[i], err = x.board(s, p, name, strings.TrimPrefix(board+"/"+p.name, "/"))
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range s.wires {
		w := &s.wires[i]
		a, b := behind(inside, w.a), behind(inside, w.b)
		if a == removed || b == removed {
			x.warnLacking(s, inside, w)
			continue
		}
		if err := x.Connect(a, b, x.at, w.width, w.speed); err != nil {
			return nil, err
		}
	}
	plugs := make(map[string]fabric.End, len(s.plugs))
	for i := range s.plugs {
		plugs[s.plugs[i].name] = behind(inside, s.plugs[i].at)
	}
	return plugs, nil
}

func (x *installer) chip(p *part, name string) (map[string]fabric.End, error) {
	id := x.Add(x.at)
	x.Nodes[id].Desc = name + "/" + p.name
	if err := x.Describe(id, x.at, p.typ, p.ports); err != nil {
		return nil, err
	}
	ends := make(map[string]fabric.End, p.ports)
	for k := 1; k <= p.ports; k++ {
		ends[strconv.Itoa(k)] = fabric.End{Node: id, Port: uint8(k)}
	}
	return ends, nil
}

// board adds a board; it returns nil if the configuration removes it. Another modifier selects the
// variant SYSTEM board:modifier of the file.
func (x *installer) board(s *system, p *part, name, path string) (map[string]fabric.End, error) {
	typ := p.board
	mod, ok := x.config[path]
	if ok {
		x.done[path] = true
		if mod == "R" {
			return nil, nil
		}
		typ += ":" + mod
	}
	b := s.file.boards[typ]
	if b == nil {
		return nil, x.Errorf(x.at, "CFG: %s=%s: no SYSTEM %s in %s", path, mod, typ, s.file.name)
	}
	return x.system(b, name+"/"+p.name, path)
}

// removed marks a connector that leads nowhere: to a removed board, or to a board without such a
// connector.
var removed = fabric.End{Node: -1}

// behind returns the port behind a contact of a system with the given parts inside.
func behind(inside []map[string]fabric.End, c contact) fabric.End {
	if e, ok := inside[c.part][c.port]; ok {
		return e
	}
	return removed
}

// warnLacking warns of a wire that is lost because a variant of a board lacks its connector;
// removed boards are meant to lose theirs.
func (x *installer) warnLacking(s *system, inside []map[string]fabric.End, w *wire) {
	for _, c := range [2]contact{w.a, w.b} {
		if _, ok := inside[c.part][c.port]; !ok && inside[c.part] != nil {
			x.Warnf(x.at, "%s:%d: %s has no connector %s in this configuration: nothing is connected there",
				s.file.name, w.line, s.parts[c.part].name, c.port)
		}
	}
}

func (r *topoFile) cable(c *topoCable) error {
	a, err := r.plug(&r.used[c.a], c.plugA, c.line)
	if err != nil {
		return err
	}
	b, err := r.plug(&r.used[c.b], c.plugB, c.line)
	if err != nil {
		return err
	}
	return r.Connect(a, b, c.line, c.width, c.speed)
}

// plug returns the port behind a connector of a system.
func (r *topoFile) plug(u *topoSystem, name string, at int) (fabric.End, error) {
	e, ok := u.plugs[name]
	if !ok {
		return e, r.Errorf(at, "system %s (%s) has no connector %s", u.name, u.typ, name)
	}
	if e == removed {
		return e, r.Errorf(at, "connector %s of system %s leads nowhere: its board is removed or lacks it", name, u.name)
	}
	return e, nil
}

// warnCutOff warns if the end of the file seems to be missing. The last heading may lack its
// cables. In a file that lists cables at both ends, the other end of a cable may be missing, or a
// system of a type that is described elsewhere. outer are the cables between systems.
func (r *topoFile) warnCutOff(outer []draft.Cable) {
	described := make([]bool, len(r.Nodes))
	types := map[*system]bool{} // described once or more
	for i := range r.used {
		u := &r.used[i]
		if u.line > 0 && u.line >= r.last {
			r.Warnf(u.line, "no cables follow the heading of system %s: the file may be cut off", u.name)
		}
		for id := u.first; id < r.endOf(i); id++ {
			described[id] = u.line != 0
		}
		types[u.kind] = types[u.kind] || u.line != 0
	}
	once, bothEnds := r.WarnOneSided(outer, false, func(id fabric.NodeID) bool { return described[id] })
	r.LostEnds(once)
	for i := range r.used {
		if u := &r.used[i]; bothEnds && u.line == 0 && types[u.kind] {
			r.Lostf(u.refLine, "system %s is not described in this file, but other systems of type %s are", u.name, u.typ)
		}
	}
}

// endOf returns the node after the last one of a system.
func (r *topoFile) endOf(system int) fabric.NodeID {
	if system+1 < len(r.used) {
		return r.used[system+1].first
	}
	return fabric.NodeID(len(r.Nodes))
}

// nameSystems gives all chips of a system the GUID of its first chip as system image GUID.
func (r *topoFile) nameSystems() {
	for i := range r.used {
		first := r.used[i].first
		for id := first; id < r.endOf(i); id++ {
			r.Nodes[id].SystemGUID = r.Nodes[first].GUID
		}
	}
}

// IsTopo recognises a cable between two systems.
func IsTopo(line []byte) bool {
	line, _, _ = bytes.Cut(line, []byte("#"))
	f := bytes.Fields(line)
	return len(f) == 5 && bytes.HasPrefix(f[1], []byte("-")) && bytes.HasSuffix(f[1], []byte("->"))
}
