package batch

import (
	"fmt"
	"strconv"
	"strings"
)

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
