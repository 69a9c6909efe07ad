// Package site reads lists written at a site: names, GUIDs, kinds of hosts and roles of switches.
package site

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
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

// Rename gives nodes the names of a map, and warns of GUIDs that no node has.
func Rename(f *fabric.Fabric, file string, names map[fabric.GUID]string) (warnings []lines.Warning) {
	left := maps.Clone(names)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if name, ok := names[n.GUID]; ok {
			n.Desc = name
			delete(left, n.GUID)
		}
	}
	if len(left) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(left)))
		warnings = append(warnings, lines.Warning{File: file, Text: fmt.Sprintf("no node has %d of the %d GUIDs, such as %s", len(left), len(names), first)})
	}
	return warnings
}

// ReadGUIDs reads a list of node GUIDs, one a line, as in root and spine files; the forms are those
// of ReadNames. A name after the GUID means nothing, as in OpenSM. Errors are of type *lines.Error.
func ReadGUIDs(file string, data []byte) ([]fabric.GUID, error) {
	var list []fabric.GUID
	err := guidLines(file, data, func(g fabric.GUID, _ []byte, _ int) error {
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
