package opensm

import (
	_ "embed" // the tables
	"strings"
	"sync"
)

// Fate is the result for an option of OpenSM, or for a file.
type Fate string

// The fates.
const (
	Taken   Fate = "taken over"       // weft sm has it, as the named option
	TakenAs Fate = "taken as another" // weft sm has something near it
	Idle    Fate = "not needed"       // weft sm does so anyway, or it has no effect on the subnet
	Left    Fate = "not taken"        // weft sm has no counterpart, or behaves differently
	Wrong   Fate = "wrong there too"  // OpenSM does not take it either
	Unknown Fate = "unknown"          // neither OpenSM 3.3.23 nor our list of vendors' options has it
)

// option is an option of OpenSM.
type option struct {
	usual string // its default
	fate  Fate
	text  string // what weft sm does
}

//go:embed options.tsv
var optionTable string

// options returns the options of OpenSM by name.
var options = sync.OnceValue(func() map[string]option { return readOptions(optionTable) })

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

//go:embed vendor.tsv
var vendorTable string

// vendorOptions returns the counterparts in weft sm of options of vendors' OpenSM.
var vendorOptions = sync.OnceValue(func() map[string]string { return readVendorOptions(vendorTable) })

// readVendorOptions parses vendor.tsv.
func readVendorOptions(table string) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(table) {
		if name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			list[name] = text
		}
	}
	return list
}

// line is an option set in opensm.conf, or on OpenSM's command line.
type line struct {
	file        string
	number      int
	name, value string // "" for (null) too
	old         string // the name in the file, if it is another: an old one, or a variable
	started     bool   // given on the command line
}

// mostBytes is the maximum size of a file.
const mostBytes = 1 << 24

// oldNames maps names that options had in earlier releases to their names in 3.3.23.
var oldNames = map[string]string{
	"consolodate_ipv6_snm_req": "consolidate_ipv6_snm_req", //nolint:misspell // OpenSM spelt it so
	"dimn_ports_file":          "port_search_ordering_file", "event_db_plugin": "event_plugin_name",
	"no_multicast_option": "disable_multicast", "per_module_logging": "per_module_logging_file", "ucast_dump_file": "lfts_file", "updn_guid_file": "root_guid_file",
}

// mostLine is the number of bytes that OpenSM reads of a line of opensm.conf at once.
const mostLine = 1022

// readLines parses the options set in opensm.conf, as OpenSM reads them: a comment ends a line even
// between quotes, and an option may have no value.
func readLines(name string, data []byte) (list []line, err error) {
	if len(data) > mostBytes {
		return nil, wrong(name, 1, "more than %d bytes", mostBytes)
	}
	for n, text := range pieces(string(data), mostLine) {
		text, _, _ = strings.Cut(text, "#")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		option, value := text, ""
		if at := strings.IndexAny(text, " \t"); at >= 0 {
			option, value = text[:at], text[at:]
		}
		list = append(list, line{file: name, number: n, name: option, value: plain(value)}.renamed())
	}
	return list, nil
}

// renamed gives an option with an old name its present one.
func (l line) renamed() line {
	if now := oldNames[l.name]; now != "" {
		l.old, l.name = l.name, now
	}
	if l.name == "no_qos" { // the opposite of qos
		l.old, l.name = l.name, "qos"
		l.value = map[bool]string{true: "FALSE", false: "TRUE"}[l.value == "TRUE"]
	}
	return l
}

// plain strips blanks and quotes from a value; (null) is empty.
func plain(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	if value == "(null)" {
		return ""
	}
	return value
}

// isTruth reports whether an option is true or false.
func (o option) isTruth() bool { return o.usual == "TRUE" || o.usual == "FALSE" }

// isUsual reports whether a value equals the default, perhaps in another notation.
func (o option) isUsual(value string) bool {
	usual := plain(o.usual)
	if o.isTruth() {
		return truth(value) == truth(usual)
	}
	if usual == value {
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
