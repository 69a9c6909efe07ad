package cabling

import (
	"strconv"
	"sync"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// resolve finds the parts that wires lead to, joins the two listings of a wire and checks that
// every contact is used once. Vendors' files have wires to connectors that a board lacks: such a
// wire is left out, with a warning if its other end exists.
func (r *ibnlReader) resolve(s *system) error {
	used := map[contact]int{} // line by contact
	wireAt := map[contact]int{}
	joined := s.wires[:0]
	for _, w := range s.wires {
		b, ok := s.byName[w.to]
		if !ok {
			return r.Errorf(w.line, "no part %q in system %s", w.to, s.names[0])
		}
		w.b.part = b
		if i, ok := wireAt[w.a]; ok && joined[i].b == w.a && joined[i].a == w.b && joined[i].back == 0 {
			r.joinWires(&joined[i], &w)
			continue
		}
		if ok, err := r.bothExist(s, &w); err != nil {
			return err
		} else if !ok {
			continue
		}
		for _, c := range [2]contact{w.a, w.b} {
			if err := r.use(s, c, w.line, used); err != nil {
				return err
			}
		}
		wireAt[w.a], wireAt[w.b] = len(joined), len(joined)
		joined = append(joined, w)
	}
	s.wires = joined
	for _, p := range s.plugs {
		if ok, err := r.exists(s, p.at, p.line); err != nil {
			return err
		} else if !ok {
			at := &s.parts[p.at.part]
			r.Warnf(p.line, "%s (%s) has no connector %s: connector %s leads nowhere", at.name, at.board, p.at.port, p.name)
		}
		if err := r.use(s, p.at, p.line, used); err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether a contact exists: a board may lack a connector.
func (r *ibnlReader) exists(s *system, c contact, line int) (bool, error) {
	p := &s.parts[c.part]
	if p.typ != 0 {
		n, isNum := lines.Decimal([]byte(c.port))
		if !isNum || n < 1 || n > uint64(p.ports) || c.port[0] == '0' {
			return false, r.Errorf(line, "%s has no port %s (ports 1 to %d)", p.name, c.port, p.ports)
		}
		return true, nil
	}
	board, known := r.file.boards[p.board]
	if !known {
		return false, r.Errorf(p.line, "no SYSTEM %s in this file", p.board)
	}
	return board.plugAt[c.port] != 0, nil
}

// bothExist reports whether both ends of a wire exist.
func (r *ibnlReader) bothExist(s *system, w *wire) (bool, error) {
	a, err := r.exists(s, w.a, w.line)
	if err != nil {
		return false, err
	}
	b, err := r.exists(s, w.b, w.line)
	if err != nil {
		return false, err
	}
	if a != b {
		lacking := w.a
		if a {
			lacking = w.b
		}
		p := &s.parts[lacking.part]
		r.Warnf(w.line, "%s (%s) has no connector %s: nothing is connected there", p.name, p.board, lacking.port)
	}
	return a && b, nil
}

// use marks a contact as used.
func (r *ibnlReader) use(s *system, c contact, line int, used map[contact]int) error {
	if old, dup := used[c]; dup {
		return r.Errorf(line, "%s %s is connected on line %d too", s.parts[c.part].name, c.port, old)
	}
	used[c] = line
	return nil
}

// joinWires records the second listing of a wire; the lesser width and speed hold.
func (r *ibnlReader) joinWires(first, again *wire) {
	first.back = again.line
	if first.width != again.width || first.speed != again.speed {
		r.Warnf(again.line, "%dx %s here and %dx %s on line %d: the lesser is taken",
			again.width, again.speed, first.width, first.speed, first.line)
	}
	first.width = min(first.width, again.width)
	first.speed = min(first.speed, again.speed)
}

// count counts the chips of a system; it fails if a system contains itself or has too many.
func (r *ibnlReader) count(s *system) error {
	if s.chips > 0 {
		return nil
	}
	if s.open {
		return r.Errorf(s.line, "system %s is part of itself", s.names[0])
	}
	s.open = true
	defer func() { s.open = false }()
	n := 0
	for i := range s.parts {
		p := &s.parts[i]
		if p.typ != 0 {
			n++
			continue
		}
		board, ok := r.file.boards[p.board]
		if !ok {
			return r.Errorf(p.line, "no SYSTEM %s in this file", p.board)
		}
		if err := r.count(board); err != nil {
			return err
		}
		if n += board.chips; n > maxChips {
			return r.Errorf(s.line, "system %s holds more than %d chips", s.names[0], maxChips)
		}
	}
	if n == 0 {
		return r.Errorf(s.line, "system %s holds no chip", s.names[0])
	}
	s.chips = n
	return nil
}

// builtin returns the systems of one chip that need no ibnl file. Their connectors P1, P2, ... lead
// to the ports of chip U1.
var builtin = sync.OnceValue(builtinSystems)

func builtinSystems() map[string]*system {
	all := map[string]*system{}
	add := func(typ fabric.NodeType, ports int, names ...string) {
		s := &system{file: &ibnlFile{}, names: names, parts: []part{{name: "U1", typ: typ, ports: ports}}}
		for p := 1; p <= ports; p++ {
			n := strconv.Itoa(p)
			s.plugs = append(s.plugs, plug{name: "P" + n, at: contact{0, n}})
		}
		for _, n := range names {
			all[n] = s
		}
	}
	add(fabric.Switch, 8, "MTS800", "Buffalo")
	add(fabric.Switch, 24, "MTS2400", "MTS2400-24", "Reindeer")
	add(fabric.Switch, 36, "MTS3600", "Shark", "IS4", "F464M")
	add(fabric.CA, 1, "Cheetah", "MT25204", "MHGS18-XT")
	add(fabric.CA, 2, "Cougar", "MT23108", "Lion", "MT25208", "LionMini", "MT25218", "Eagle", "MT25408")
	return all
}
