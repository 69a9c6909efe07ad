package hostlist

import (
	"fmt"
	"strconv"
	"strings"
)

// mostNodes is the largest number of nodes of a list: more than a subnet has LIDs.
const mostNodes = 1 << 16

// Expand returns the nodes of a list as Slurm writes it: n[001-004,010],gpu1,r[1-2]n[1-4]. Numbers
// keep their leading zeros, and the last bracket of a name counts fastest.
func Expand(text string) (nodes []string, err error) {
	for text != "" {
		end, depth := len(text), 0
		for i, c := range text {
			switch {
			case c == '[':
				depth++
			case c == ']':
				depth--
			case c == ',' && depth == 0:
				end = i
			}
			if depth < 0 || depth > 1 {
				return nil, fmt.Errorf("node list %.80q: the brackets do not match", text)
			}
			if end == i {
				break
			}
		}
		if depth != 0 {
			return nil, fmt.Errorf("node list %.80q: a closing ] is missing", text)
		}
		some, err := expandOne(text[:end], max(0, mostNodes-len(nodes)))
		if err != nil {
			return nil, err
		}
		if nodes = append(nodes, some...); len(nodes) > mostNodes {
			return nil, fmt.Errorf("node list: over %d nodes", mostNodes)
		}
		if text = strings.TrimPrefix(text[end:], ","); end < 1 {
			return nil, fmt.Errorf("node list: a name is empty before %.80q", text)
		}
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("node list: no node")
	}
	return nodes, nil
}

// expandOne expands the brackets of one name.
func expandOne(name string, most int) ([]string, error) {
	head, rest, bracket := strings.Cut(strings.TrimSpace(name), "[")
	if !bracket {
		return []string{head}, nil
	}
	inner, tail, _ := strings.Cut(rest, "]")
	tails, err := expandOne(tail, most)
	if err != nil {
		return nil, err
	}
	var nodes []string
	for span := range strings.SplitSeq(inner, ",") {
		low, high, isSpan := strings.Cut(span, "-")
		if !isSpan {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 64)
		to, other := strconv.ParseUint(high, 10, 64)
		switch {
		case err != nil || other != nil || to < from:
			return nil, fmt.Errorf("node list %.80q: %.80q is no number and no range such as 001-004", name, span)
		case to-from >= uint64(most/len(tails)):
			return nil, fmt.Errorf("node list %.80q has over %d nodes", name, mostNodes)
		}
		for n := from; n <= to; n++ {
			digits := strconv.FormatUint(n, 10)
			digits = strings.Repeat("0", max(0, len(low)-len(digits))) + digits
			for _, t := range tails {
				nodes = append(nodes, head+digits+t)
			}
		}
	}
	if len(nodes) > most {
		return nil, fmt.Errorf("node list %.80q has over %d nodes", name, mostNodes)
	}
	return nodes, nil
}
