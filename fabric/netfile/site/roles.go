package site

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadRoles reads the roles of switches in a tree and assigns them to a fabric. A line is a switch
// by name (see fabric.NameHelp), in double quotes if needed, then its role: root, middle, leaf or
// none. # begins a comment line. A missing switch is a Warning: it may be down. Errors are of type
// *lines.Error, and leave the fabric unchanged.
func ReadRoles(file string, data []byte, f *fabric.Fabric) ([]lines.Warning, error) {
	var warnings []lines.Warning
	roles := map[fabric.NodeID]fabric.Role{}
	given := map[fabric.NodeID]int{} // line of each
	err := lines.Each(file, data, lines.WithoutComments(func(line []byte, at int) error {
		name, word := cutLastWord(string(line))
		role, err := fabric.ParseRole(word)
		switch {
		case err != nil:
			return lines.Errorf(file, at, "%q is no role (root, middle, leaf or none)", word)
		case name == "":
			return lines.Errorf(file, at, "no switch before the role")
		}
		id, err := f.FindSwitch(name)
		none, isNone := errors.AsType[*fabric.NoName](err)
		switch {
		case isNone && none.Count == 0:
			warnings = append(warnings, lines.Warningf(file, at, "%v", err))
			return nil
		case err != nil:
			return lines.Errorf(file, at, "%s", lines.Reason(err))
		case given[id] > 0 && roles[id] != role:
			return lines.Errorf(file, at, "%s is %s here and %s on line %d", f.NodeName(id), role, roles[id], given[id])
		}
		roles[id], given[id] = role, at
		return nil
	}))
	if err != nil {
		return nil, err
	}
	for id, role := range roles {
		f.Nodes[id].Role = role
	}
	return warnings, nil
}

// cutLastWord splits a line before its last word, and removes quotes around the rest.
func cutLastWord(line string) (rest, word string) {
	i := strings.LastIndexAny(line, " \t")
	rest, word = strings.TrimRight(line[:i+1], " \t"), line[i+1:]
	if len(rest) > 1 && rest[0] == '"' && rest[len(rest)-1] == '"' {
		rest = rest[1 : len(rest)-1]
	}
	return rest, word
}

// WriteRoles writes the roles of a fabric's switches for ReadRoles.
func WriteRoles(w io.Writer, f *fabric.Fabric) error {
	out := bufio.NewWriter(w)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Role != fabric.NoRole {
			fmt.Fprintf(out, "# %q\n%s %s\n", n.Desc, n.GUID, n.Role)
		}
	}
	return out.Flush()
}
