// Package site reads lists written at a site: names, GUIDs, kinds of hosts and roles of switches.
package site

import (
	"bytes"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadNames reads a map from node GUIDs to names, one a line: GUID, blank, name. The GUID may begin
// with 0x, or with S- or H- as in ibnetdiscover. A name may be in double quotes, so OpenSM's
// node-name-map can be read too. # begins a comment line. Errors are of type *lines.Error.
func ReadNames(file string, data []byte) (map[fabric.GUID]string, error) {
	names := map[fabric.GUID]string{}
	err := guidLines(file, data, func(g fabric.GUID, rest []byte, at int) error {
		name := string(rest)
		if i := strings.LastIndexByte(name, '"'); len(name) > 0 && name[0] == '"' && i > 0 {
			name = name[1:i]
		}
		if name == "" {
			return lines.Errorf(file, at, "no name after the GUID")
		}
		if old, met := names[g]; met && old != name {
			return lines.Errorf(file, at, "%s is %q here and %q before", g, name, old)
		}
		names[g] = name
		return nil
	})
	return names, err
}

// ReadGUIDs reads a list of node GUIDs, one a line, as in root and spine files; the forms are those
// of ReadNames. Errors are of type *lines.Error.
func ReadGUIDs(file string, data []byte) ([]fabric.GUID, error) {
	var list []fabric.GUID
	err := guidLines(file, data, func(g fabric.GUID, rest []byte, at int) error {
		if len(rest) > 0 && rest[0] != '#' {
			return lines.Errorf(file, at, "%q after the GUID", rest)
		}
		list = append(list, g)
		return nil
	})
	return list, err
}

// guidLines calls each for every line with its GUID and the rest.
func guidLines(file string, data []byte, each func(g fabric.GUID, rest []byte, at int) error) error {
	return lines.Each(file, data, lines.WithoutComments(func(line []byte, at int) error {
		c := lines.Cursor{Rest: line}
		word := c.Word()
		digits := word
		if len(word) > 2 && word[1] == '-' && bytes.IndexByte([]byte("SHR"), word[0]) >= 0 {
			digits = word[2:]
		}
		v, isGUID := lines.Hex(digits)
		if !isGUID {
			return lines.Errorf(file, at, "%q is not a GUID", word)
		}
		c.Blanks()
		return each(fabric.GUID(v), c.Rest, at)
	}))
}
