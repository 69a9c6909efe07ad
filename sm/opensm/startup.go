package opensm

import (
	_ "embed" // arguments.tsv
	"strings"
)

//go:embed arguments.tsv
var argumentTable string

// argument is an option of OpenSM's command line.
type argument struct {
	option string // of opensm.conf; "" for none
	value  string // VALUE or HEX if it follows, NONE if there is none
}

// arguments maps letters and words of the command line.
var arguments = readArgumentTable(argumentTable)

// readArgumentTable parses arguments.tsv.
func readArgumentTable(table string) map[string]argument {
	list := map[string]argument{}
	for line := range strings.Lines(table) {
		if w := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(w) == 4 {
			list[w[0]], list[w[1]] = argument{w[2], w[3]}, argument{w[2], w[3]}
		}
	}
	delete(list, "")
	return list
}

// follows reports whether the value is the next word.
func (a argument) follows() bool { return a.value == "VALUE" || a.value == "HEX" }

// variables maps variables of sysconfig files and init scripts to options of opensm.conf.
var variables = map[string]string{
	"PRIORITY": "sm_priority", "LMC": "lmc", "MAXSMPS": "max_wire_smps", "SWEEP": "sweep_interval", "TIMEOUT": "transaction_timeout", "OSM_LOG": "log_file",
	"GUIDS": "guid", "GUID_LIST": "guid", "PORTS": "guid",
}

// readStartup finds the options of OpenSM in a file that starts it: an assignment of a shell, whose
// value begins with an option or whose name is known, and ExecStart of systemd. Other lines are
// code, which it does not read.
func readStartup(f *File) (list []line, notes []Note) {
	n := 0
	for text := range strings.Lines(string(f.Data)) {
		n++
		name, value, isSet := strings.Cut(strings.TrimSpace(text), "=")
		name = strings.TrimPrefix(name, "export ")
		words := shellWords(value)
		if !isSet || strings.ContainsAny(name, " \t#$(;") || len(words) == 0 {
			continue
		}
		to, known := variables[name]
		switch {
		case name == "ExecStart":
			words = words[1:]
		case known && to != "guid" || known && words[0] != "NONE" && words[0] != "":
			list = append(list, line{file: f.Name, number: n, name: to, value: strings.Join(words, " "), old: name})
			continue
		case !strings.HasPrefix(words[0], "-"):
			continue
		}
		options, unknown := readArguments(words)
		for _, o := range options {
			o.file, o.number = f.Name, n
			list = append(list, o)
		}
		for _, word := range unknown {
			notes = append(notes, Note{File: f.Name, Line: n, Option: clip(word), Fate: Unknown, Text: "not an option of OpenSM 3.3.23's command line"})
		}
	}
	return list, notes
}

// readArguments reads a command line. Variables, such as $OPTIONS, are left out: their own lines
// are read.
func readArguments(words []string) (list []line, unknown []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if strings.HasPrefix(word, "$") {
			continue
		}
		a, value, has := findArgument(word)
		if a == nil {
			unknown = append(unknown, word)
			continue
		}
		if !a.follows() {
			value = a.value
		} else if !has && i+1 < len(words) {
			i++
			value = words[i]
		}
		if a.value == "HEX" && !strings.HasPrefix(value, "0x") {
			value = "0x" + value
		}
		if a.option != "" {
			list = append(list, line{name: a.option, value: value})
		}
	}
	return list, unknown
}

// findArgument recognises a word: --word, -word, --word=VALUE, -l or -lVALUE; nil if it is none.
func findArgument(word string) (a *argument, value string, has bool) {
	if !strings.HasPrefix(word, "-") {
		return nil, "", false
	}
	name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if a, known := arguments[name]; known {
		return &a, value, has
	}
	if strings.HasPrefix(word, "--") || name == "" {
		return nil, "", false
	}
	if a, known := arguments[name[:1]]; known && a.follows() {
		return &a, word[2:], true
	}
	return nil, "", false
}

// ConfigOf returns the path of the configuration that a startup file names; "" if it names none.
func (f *File) ConfigOf() string {
	words := shellWords(strings.ReplaceAll(string(f.Data), "=", " "))
	for i, word := range words[:max(len(words)-1, 0)] {
		if word == "-F" || word == "--config" || word == "-config" {
			return words[i+1]
		}
	}
	return ""
}

// shellWords splits a text at blanks outside quotes, and drops comments.
func shellWords(text string) (words []string) {
	var word strings.Builder
	quote, in := rune(0), false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
			if strings.ContainsAny(word.String(), " \t") { // OPTIONS="-p 5": words of their own
				words = append(words, strings.Fields(word.String())...)
				word.Reset()
				in = false
			}
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case quote == 0 && c == '#' && !in:
			return words
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}
