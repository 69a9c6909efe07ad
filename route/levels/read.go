package levels

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weft/route"
)

// Level is a level as the file defines it, with its traffic.
type Level struct {
	Name       string
	Share      uint8
	High       bool
	SL         uint8    // its SL for operators, 0 for none
	Partitions []string // names or P_Keys as in the file
	Services   []Range
	Classes    []uint16
}

// Range is an inclusive range of service IDs.
type Range struct{ First, Last uint64 }

// Levels lists levels; the first one is for all other traffic.
type Levels []Level

// Most is the maximum number of levels, limited by lanes and SLs.
const Most = int(route.DropVL)

// mostRules limits the names of a level's traffic, so that no file can make queries slow.
const mostRules = 1024

// Error is an error in a file, with its line.
type Error struct {
	File string
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// Read reads a file of levels.
func Read(name string, data []byte) (Levels, error) {
	var list Levels
	for i, text := range strings.Split(strings.TrimPrefix(string(data), "\xef\xbb\xbf"), "\n") {
		text, _, _ = strings.Cut(text, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		l, err := list.read(words)
		if err != nil {
			return nil, &Error{name, i + 1, err.Error()}
		}
		if list = append(list, l); len(list) > Most {
			return nil, &Error{name, i + 1, fmt.Sprintf("there are more than %d levels", Most)}
		}
	}
	if len(list) == 0 {
		return nil, &Error{name, 1, "the file has no level: want a line such as: storage share=3 partition=storage"}
	}
	return list, nil
}

// read parses a line after the levels before it.
func (list Levels) read(words []string) (Level, error) {
	l := Level{Name: words[0], Share: 1}
	if strings.Contains(l.Name, "=") || len(l.Name) > 64 {
		return l, fmt.Errorf("%.70q is not the name of a level: a line begins with the name", l.Name)
	}
	if list.Find(l.Name) >= 0 {
		return l, fmt.Errorf("level %s is there twice", l.Name)
	}
	for _, word := range words[1:] {
		if err := l.set(word); err != nil {
			return l, fmt.Errorf("%.100s: %w", word, err)
		}
	}
	if l.SL > 0 && slices.ContainsFunc(list, func(o Level) bool { return o.SL == l.SL }) {
		return l, fmt.Errorf("another level has sl=%d", l.SL)
	}
	if len(l.Partitions)+len(l.Services)+len(l.Classes) > mostRules {
		return l, fmt.Errorf("it names more than %d partitions, services and classes", mostRules)
	}
	return l, nil
}

// Find returns the index of the level with a name, -1 for none.
func (list Levels) Find(name string) int {
	return slices.IndexFunc(list, func(l Level) bool { return l.Name == name })
}

// BySL returns the index of the level with sl=, -1 for none.
func (list Levels) BySL(sl uint8) int {
	return slices.IndexFunc(list, func(l Level) bool { return sl > 0 && l.SL == sl })
}

// set parses one word of a line.
func (l *Level) set(word string) error {
	name, value, _ := strings.Cut(word, "=")
	switch name {
	case "share":
		n, err := strconv.ParseUint(value, 10, 8)
		if err != nil || n < 1 || n > 100 {
			return fmt.Errorf("want 1 to 100")
		}
		l.Share = uint8(n)
	case "priority":
		if value != "high" && value != "low" {
			return fmt.Errorf("want high or low")
		}
		l.High = value == "high"
	case "sl":
		n, err := strconv.ParseUint(value, 10, 8)
		if err != nil || n == 0 || n >= route.NumSLs {
			return fmt.Errorf("want 1 to %d: SL 0 belongs to the first level", route.NumSLs-1)
		}
		l.SL = uint8(n)
	case "partition":
		if value == "" {
			return fmt.Errorf("want the name or the P_Key of a partition")
		}
		l.Partitions = append(l.Partitions, value)
	case "service":
		r, err := readRange(value)
		if err != nil {
			return err
		}
		l.Services = append(l.Services, r)
	case "class":
		n, err := strconv.ParseUint(value, 0, 16)
		if err != nil || n > 0xFFF {
			return fmt.Errorf("want 0 to 4095")
		}
		l.Classes = append(l.Classes, uint16(n))
	default:
		return fmt.Errorf("want share=, priority=, sl=, partition=, service= or class=")
	}
	return nil
}

// readRange parses service IDs, FIRST or FIRST-LAST.
func readRange(text string) (r Range, err error) {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	if r.First, err = strconv.ParseUint(first, 0, 64); err == nil {
		r.Last, err = strconv.ParseUint(last, 0, 64)
	}
	if err != nil || r.Last < r.First {
		return r, fmt.Errorf("want a service ID, or FIRST-LAST")
	}
	return r, nil
}

// Of returns the levels of a Plan, without their traffic.
func Of(p *route.Plan) (list Levels) {
	for i := range p.Levels {
		l := &p.Levels[i]
		list = append(list, Level{Name: l.Name, Share: l.Share, High: l.High, SL: l.SL[p.Service.Default]})
	}
	return list
}

// Equal reports whether two lists of levels are equal.
func (list Levels) Equal(other Levels) bool {
	return slices.EqualFunc(list, other, func(a, b Level) bool { return reflect.DeepEqual(a, b) })
}
