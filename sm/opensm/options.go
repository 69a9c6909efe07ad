package opensm

import (
	_ "embed" // options.tsv
	"strings"
)

// Fate is the result for an option of OpenSM, or for a file.
type Fate string

// The fates.
const (
	Taken   Fate = "taken over" // weft sm has it, as the named option
	Idle    Fate = "not needed" // weft sm does so anyway, or it has no effect on the subnet
	Left    Fate = "not taken"  // weft sm has no counterpart, or behaves differently
	Unknown Fate = "unknown"    // OpenSM 3.3.23 has no such option
)

// option is an option of OpenSM.
type option struct {
	usual string // its default
	fate  Fate
	text  string // what weft sm does
}

//go:embed options.tsv
var optionTable string

// options maps names to options of OpenSM.
var options = readOptions(optionTable)

// readOptions parses options.tsv.
func readOptions(table string) map[string]option {
	fates := map[string]Fate{"took": Taken, "idle": Idle, "no": Left}
	list := map[string]option{}
	for line := range strings.Lines(table) {
		if w := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(w) == 4 && fates[w[2]] != "" {
			list[w[0]] = option{w[1], fates[w[2]], w[3]}
		}
	}
	return list
}

// line is an option set in opensm.conf.
type line struct {
	number      int
	name, value string // "" for (null) too
}

// mostBytes is the maximum size of a file.
const mostBytes = 1 << 24

// readLines parses the options set in opensm.conf.
func readLines(name string, data []byte) (list []line, err error) {
	if len(data) > mostBytes {
		return nil, wrong(name, 1, "more than %d bytes", mostBytes)
	}
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		at := strings.IndexAny(text, " \t")
		if at < 0 {
			return nil, wrong(name, n, "%s has no value: want OPTION VALUE", clip(text))
		}
		list = append(list, line{n, text[:at], plain(text[at:])})
	}
	return list, nil
}

// plain strips blanks, quotes and a comment from a value; (null) is empty.
func plain(value string) string {
	value = strings.TrimSpace(value)
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			return value[1 : end+1]
		}
	}
	value, _, _ = strings.Cut(value, "#")
	if value = strings.TrimSpace(value); value == "(null)" {
		return ""
	}
	return value
}

// isUsual reports whether a value equals the default, perhaps in another notation.
func (o *option) isUsual(value string) bool {
	usual := plain(o.usual)
	if strings.EqualFold(usual, value) {
		return true
	}
	a, err1 := number(usual)
	b, err2 := number(value)
	return err1 == nil && err2 == nil && a == b
}

// clip shortens a text quoted from a file.
func clip(text string) string {
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return text
}
