package tables

import (
	"bytes"
	"math"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// fdbsEntry parses the text after the LID in an .fdbs file:
//
//	: 005  : 02   : yes
//	: 005  : 03   : No 2 hop path possible via port 7!
//	: 005  : HOPS UNKNOWN
//	: UNREACHABLE
func (r *lftReader) fdbsEntry(s *SwitchLFT, lid fabric.LID, c lines.Cursor, at int) error {
	var fields [4][]byte
	n := 0
	c.Blanks()
	for c.Lit(":") {
		field := c.Rest
		if i := bytes.IndexByte(c.Rest, ':'); i >= 0 {
			field = c.Rest[:i]
		}
		c.Rest = c.Rest[len(field):]
		if n < len(fields) {
			fields[n] = bytes.TrimSpace(field)
		}
		n++
	}
	e := fdbsClaim{port: NoPort, hops: UnknownHops, best: UnknownHops, via: NoPort}
	var err error
	switch {
	case n == 1 && string(fields[0]) == "UNREACHABLE":
	case n == 2 && string(fields[1]) == "HOPS UNKNOWN":
		e.port, err = r.port(fields[0], at)
	case n == 3:
		err = r.fdbsPath(&e, fields[0], fields[1], fields[2], at)
	default:
		err = r.Errorf(at, "an entry is \"LID : port : hops : optimal\" or \"LID : UNREACHABLE\"")
	}
	if err != nil {
		return err
	}
	s.Set(lid, e.port)
	if s.Claims != nil {
		s.Claims.set(lid, e)
	}
	return nil
}

type fdbsClaim struct{ port, hops, best, via uint8 }

func (k *Claims) set(lid fabric.LID, e fdbsClaim) {
	k.Hops = growTo(k.Hops, int(lid)+1)
	k.Best = growTo(k.Best, int(lid)+1)
	k.BestVia = growTo(k.BestVia, int(lid)+1)
	k.Hops[lid], k.Best[lid], k.BestVia[lid] = e.hops, e.best, e.via
}

func (r *lftReader) fdbsPath(e *fdbsClaim, port, hops, optimal []byte, at int) (err error) {
	if e.port, err = r.port(port, at); err != nil {
		return err
	}
	v, ok := lines.Decimal(hops)
	if !ok || v >= math.MaxUint8 {
		return r.Errorf(at, "%q is not a number of hops (0 to 254)", hops)
	}
	e.hops = uint8(v)
	if string(optimal) == "yes" {
		e.best = e.hops
		return nil
	}
	c := lines.Cursor{Rest: optimal}
	if !c.Lit("No ") {
		return r.Errorf(at, "optimal is %q (want yes or No)", optimal)
	}
	best, ok := c.Number()
	if !ok || best >= math.MaxUint8 || !c.Lit(" hop path possible via port ") {
		return r.Errorf(at, "optimal is %q (want \"No N hop path possible via port P!\")", optimal)
	}
	e.best = uint8(best)
	e.via, err = r.port(bytes.TrimSuffix(c.Rest, []byte("!")), at)
	return err
}

// osmdumpLine parses a line of the osmdump plug-in: S is a switch, H a host port. P, the service
// levels of a source, is for ReadPathSLs.
func (r *lftReader) osmdumpLine(kind byte, c lines.Cursor, at int) error {
	if kind == 'P' {
		return nil
	}
	word, digits := c.Word(), c.Word()
	lid, okLID := lines.Hex(word)
	guid, okGUID := lines.Hex(digits)
	if !okLID || lid == 0 || lid > uint64(fabric.MaxUnicastLID) || !okGUID {
		return r.Errorf(at, "want %c, unicast LID and GUID, not %q %q", kind, word, digits)
	}
	t := Target{LID: fabric.LID(lid), GUID: fabric.GUID(guid), Type: fabric.CA}
	if kind == 'S' {
		t.Type = fabric.Switch
	}
	r.targets[t.LID] = t
	if kind == 'H' {
		return nil
	}
	s, err := r.begin(t.GUID, fdbsStyle, at)
	if err != nil {
		return err
	}
	s.LID = t.LID
	table := c.Word()
	if len(table)%2 != 0 || len(table)/2 > int(fabric.MaxUnicastLID)+1 {
		return r.Errorf(at, "%d digits of a table: want two a LID, for LIDs up to 0x%04x", len(table), uint16(fabric.MaxUnicastLID))
	}
	s.Ports = make([]uint8, len(table)/2)
	for i := range s.Ports {
		v, ok := lines.Hex(table[2*i : 2*i+2])
		if !ok {
			return r.Errorf(at, "%q is not a port in hexadecimal", table[2*i:2*i+2])
		}
		s.Ports[i] = uint8(v)
	}
	r.listed, r.cur = len(s.Ports), -1
	return nil
}
