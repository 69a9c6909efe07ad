package site

import (
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadKinds reads the kinds of hosts: a line for each host, with its GUID (of node or port; 0x or
// H- and digits) or its description, in double quotes if needed, then the kind. # begins a comment
// line. Errors are of type *lines.Error.
func ReadKinds(file string, data []byte) ([]fabric.KindRule, error) {
	var rules []fabric.KindRule
	err := lines.Each(file, data, lines.WithoutComments(func(line []byte, at int) error {
		host, kind := cutLastWord(string(line))
		switch {
		case host == "":
			return lines.Errorf(file, at, "no host before the kind %q (want GUID or description, then kind)", kind)
		case strings.Contains(kind, "="):
			return lines.Errorf(file, at, "%q is no name of a kind", kind)
		}
		digits, isGUID := strings.CutPrefix(host, "H-")
		if isGUID = isGUID || strings.HasPrefix(host, "0x"); isGUID {
			guid, err := fabric.ParseGUID(digits)
			if err != nil {
				return lines.Errorf(file, at, "%s", lines.Reason(err))
			}
			host = guid.String()
		} else {
			host = fabric.DescPattern(host)
		}
		rules = append(rules, fabric.KindRule{Kind: kind, Hosts: host})
		return nil
	}))
	return rules, err
}
