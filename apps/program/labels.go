package program

import (
	"slices"
	"strconv"
	"strings"
)

// labels are the names of operations. Names of the form l and a number, as most programs write
// them, are kept as numbers; other letters than l may be set before the first.
type labels struct {
	letters string
	ops     []int32 // the operations with a label, ascending
	short   []int32 // beside ops: the number after the letters; -1 if the name is in long
	long    map[int32]string
}

// add names an operation; operations come in ascending order.
func (l *labels) add(op int32, label string) {
	if label == "" {
		return
	}
	short := int32(-1)
	number, ok := strings.CutPrefix(label, l.letters)
	if n, err := strconv.ParseInt(number, 10, 32); ok && err == nil && number == strconv.Itoa(int(n)) && n >= 0 {
		short = int32(n)
	} else {
		if l.long == nil {
			l.long = map[int32]string{}
		}
		l.long[op] = label
	}
	l.ops, l.short = append(l.ops, op), append(l.short, short)
}

func (l *labels) of(op int32) (string, bool) {
	i, ok := slices.BinarySearch(l.ops, op)
	if !ok {
		return "", false
	}
	if l.short[i] >= 0 {
		return l.letters + strconv.Itoa(int(l.short[i])), true
	}
	return l.long[op], true
}
