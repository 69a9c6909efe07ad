package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric/netfile/lines"
)

// Hostlist compresses names as Slurm does: node1 node2 node3 node07 x become node[1-3,07],x. Each
// name is listed once.
func Hostlist(names []string) string {
	names = slices.Clone(names)
	slices.SortFunc(names, compareNames)
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
// the end of a GUID ("S-0002c9..").
func splitNumber(name string) (prefix, digits string) {
	if len(name) == len("S-0000000000000000") && name[1] == '-' {
		if _, ok := lines.Hex([]byte(name[2:])); ok {
			return name, ""
		}
	}
	i := len(name)
	for i > 0 && lines.IsDigit(name[i-1]) {
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

// compareNames orders names by prefix, then by number: node9 before node10.
func compareNames(a, b string) int {
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

// ParseHostlist returns the names of a list as Slurm's tools print it: "n[1-4,7],login". A name has
// one bracket at most, at its end. It returns nil for an empty list.
func ParseHostlist(list string) (names []string, err error) {
	for rest := list; rest != ""; {
		end := strings.IndexByte(rest, ',')
		if open := strings.IndexByte(rest, '['); open >= 0 && (end < 0 || open < end) {
			shut := strings.IndexByte(rest, ']')
			if shut < open {
				return nil, fmt.Errorf("%q: a bracket is not closed", list)
			}
			if names, err = appendRanges(names, rest[:open], rest[open+1:shut]); err != nil {
				return nil, fmt.Errorf("%q: %w", list, err)
			}
			rest = rest[shut+1:]
			if rest != "" && rest[0] != ',' {
				return nil, fmt.Errorf("%q: text after a bracket", list)
			}
			end = 0
			if rest == "" {
				break
			}
		} else {
			if end < 0 {
				end = len(rest)
			}
			if names = append(names, rest[:end]); !slurmSafe(rest[:end]) {
				return nil, fmt.Errorf("%q: %q is not a name", list, rest[:end])
			}
		}
		if end == len(rest) {
			break
		}
		if rest = rest[end+1:]; rest == "" {
			return nil, fmt.Errorf("%q: no name at the end", list)
		}
		if len(names) > mostHosts {
			break
		}
	}
	if len(names) > mostHosts {
		return nil, fmt.Errorf("a list of over %d names", mostHosts)
	}
	return names, nil
}

// appendRanges appends the names of a bracket: "1-4,7". Numbers keep the width of the first.
func appendRanges(names []string, prefix, ranges string) ([]string, error) {
	if prefix != "" && !slurmSafe(prefix) {
		return nil, fmt.Errorf("%q is not the beginning of a name", prefix)
	}
	for part := range strings.SplitSeq(ranges, ",") {
		first, last, several := strings.Cut(part, "-")
		if !several {
			last = first
		}
		a, okA := number(first)
		b, okB := number(last)
		switch {
		case !okA || !okB || b < a:
			return nil, fmt.Errorf("%q is not a number or range", part)
		case b-a > mostHosts || len(names) > mostHosts:
			return nil, fmt.Errorf("a list of over %d names", mostHosts)
		}
		for n := a; n <= b; n++ {
			names = append(names, fmt.Sprintf("%s%0*d", prefix, len(first), n))
		}
	}
	return names, nil
}

// number parses up to 18 digits.
func number(text string) (int, bool) {
	if text == "" || len(text) > 18 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
