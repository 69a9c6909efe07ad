// Package hostlist reads and writes lists of nodes as Slurm writes them: n[001-004,010],login.
package hostlist

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Compress returns names in the form of Slurm: node1 node2 node3 node07 x become node[1-3,07],x.
// Each name is listed once.
func Compress(names []string) string {
	names = slices.Clone(names)
	slices.SortFunc(names, Compare)
	names = slices.Compact(names)
	var out []string
	for i := 0; i < len(names); {
		prefix, _ := splitNumber(names[i])
		j := i + 1
		for j < len(names) && numbered(names[i]) && numbered(names[j]) && prefixOf(names[j]) == prefix {
			j++
		}
		out = append(out, hostRange(prefix, names[i:j]))
		i = j
	}
	return strings.Join(out, ",")
}

// splitNumber splits a name before its last digits. More than 18 digits are not a number, nor is
// the end of a GUID ("S-0002c9..", "0x0002c9..").
func splitNumber(name string) (prefix, digits string) {
	if len(name) == len("S-0000000000000000") && (name[1] == '-' || name[:2] == "0x") {
		if _, err := strconv.ParseUint(name[2:], 16, 64); err == nil {
			return name, ""
		}
	}
	i := len(name)
	for i > 0 && name[i-1] >= '0' && name[i-1] <= '9' {
		i--
	}
	if len(name)-i > 18 {
		return name, ""
	}
	return name[:i], name[i:]
}

func prefixOf(name string) string { p, _ := splitNumber(name); return p }
func numbered(name string) bool   { _, d := splitNumber(name); return d != "" }

func numberOf(name string) int {
	_, d := splitNumber(name)
	n, _ := strconv.Atoi(d)
	return n
}

// Compare orders names by prefix, then by number: node9 before node10.
func Compare(a, b string) int {
	pa, da := splitNumber(a)
	pb, db := splitNumber(b)
	return cmp.Or(
		cmp.Compare(pa, pb),
		cmp.Compare(min(len(da), 1), min(len(db), 1)),
		cmp.Compare(numberOf(a), numberOf(b)),
		cmp.Compare(len(da), len(db)))
}

// hostRange formats sorted names with one prefix. In a range every number is at least as wide as
// the first.
func hostRange(prefix string, names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	var parts []string
	for i := 0; i < len(names); {
		_, first := splitNumber(names[i])
		j := i + 1
		for j < len(names) && names[j] == fmt.Sprintf("%s%0*d", prefix, len(first), numberOf(names[i])+j-i) {
			j++
		}
		_, last := splitNumber(names[j-1])
		if j-i > 1 {
			first += "-" + last
		}
		parts = append(parts, first)
		i = j
	}
	return prefix + "[" + strings.Join(parts, ",") + "]"
}
