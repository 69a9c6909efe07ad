package opensm

import (
	_ "embed" // arguments.tsv
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed arguments.tsv
var argumentTable string

// argument is an option of OpenSM's command line.
type argument struct {
	option string // of opensm.conf; "" for none
	value  string // VALUE or HEX if it follows, NONE if there is none
}

// arguments returns the options of the command line by letter and by word.
var arguments = sync.OnceValue(func() map[string]argument { return readArgumentTable(argumentTable) })

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

// queries are programs on whose command lines OpenSM's name starts nothing.
var queries = []string{"ps", "pgrep", "pkill", "kill", "killall", "pidof", "killproc", "echo", "printf", "grep", "status", "which", "systemctl", "man"}

// startupFile is a file that starts OpenSM, while it is read.
type startupFile struct {
	name    string
	program map[string]bool // variables that hold the path of OpenSM
	lines   []line
	configs []line // of options that name a configuration
	notes   []Note
}

// readStartup finds the options of OpenSM in a file that starts it. It reads assignments of a shell
// that begin with an option or have a known name, ExecStart of systemd, and commands that start
// OpenSM. It skips other lines, which are code.
func readStartup(f *File) *startupFile {
	s := &startupFile{name: f.Name, program: map[string]bool{}}
	for n, text := range f.joined() {
		name, value, isSet := strings.Cut(strings.TrimSpace(text), "=")
		name = strings.TrimPrefix(name, "export ")
		if isSet && name == "Environment" {
			name, value, isSet = strings.Cut(strings.Trim(value, "\"'"), "=")
		}
		if !isSet || strings.ContainsAny(name, " \t#$(;") {
			name, value = "", text
		}
		s.read(n, name, shellWords(value))
	}
	return s
}

// joined yields the lines of a file with the number of their first; a backslash at the end joins
// the next.
func (f *File) joined() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var whole strings.Builder
		first, n := 1, 0
		for text := range strings.Lines(string(f.Data)) {
			n++
			part, goesOn := strings.CutSuffix(strings.TrimRight(text, "\r\n"), "\\")
			whole.WriteString(part)
			if goesOn && !strings.HasPrefix(strings.TrimSpace(text), "#") {
				whole.WriteByte(' ')
				continue
			}
			if !yield(first, whole.String()) {
				return
			}
			first = n + 1
			whole.Reset()
		}
		if whole.Len() > 0 {
			yield(first, whole.String())
		}
	}
}

// read reads the words of a line, or of the value that it assigns to a name.
func (s *startupFile) read(n int, name string, words []string) {
	if len(words) == 0 {
		return
	}
	if name != "" {
		words[0] = unlessSet(words[0])
	}
	to, known := variables[name]
	switch {
	case name == "" || name == "ExecStart":
		args := s.command(words)
		if args == nil && name != "" {
			s.notes = append(s.notes, Note{File: s.name, Line: n, Option: name, Value: clip(words[0]), Fate: Left, Text: "not OpenSM itself: if this file starts it, give it as startup=FILE"})
		}
		words = args
	case len(words) == 1 && path.Base(words[0]) == "opensm":
		s.program[name] = true
		return
	case known && to != "guid" || known && words[0] != "NONE" && words[0] != "":
		s.lines = append(s.lines, line{file: s.name, number: n, name: to, value: strings.Join(words, " "), old: name, started: true})
		return
	case !strings.HasPrefix(words[0], "-"): // NAME=VALUE before a command
		words = s.command(words[1:])
	}
	options, notes := readArguments(untilOperator(words))
	for _, o := range options {
		o.file, o.number, o.started = s.name, n, true
		if strings.ContainsAny(o.value, "$%`{") {
			notes = append(notes, Note{Option: o.name, Value: clip(o.value), Fate: Left, Text: "the value is assigned elsewhere: see there"})
			continue
		}
		if o.name == configuration {
			s.configs = append(s.configs, o)
			continue
		}
		s.lines = append(s.lines, o)
	}
	for _, note := range notes {
		note.File, note.Line = s.name, n
		s.notes = append(s.notes, note)
	}
}

// unlessSet returns VALUE of a shell's ${NAME:-VALUE}, and any other word as it is.
func unlessSet(word string) string {
	inner, begins := strings.CutPrefix(word, "${")
	at := strings.IndexAny(inner, "-=")
	if inner, ends := strings.CutSuffix(inner, "}"); begins && ends && at > 0 {
		return inner[at+1:]
	}
	return word
}

// command returns the arguments of OpenSM in a command that starts it; nil if it starts something
// else.
func (s *startupFile) command(words []string) []string {
	for i, word := range words {
		word = strings.TrimLeft(word, "@-+!:(`")
		if slices.Contains(queries, path.Base(word)) {
			return nil
		}
		if variable := strings.Trim(word, "${}"); path.Base(word) != "opensm" && variable != "OPENSM" && !s.program[variable] {
			continue
		}
		args := untilOperator(words[i+1:])
		if len(args) > 0 && !strings.ContainsAny(args[0][:1], "-$") {
			return nil // such as a service of this name
		}
		return args
	}
	return nil
}

// untilOperator returns the words before the first operator of a shell.
func untilOperator(words []string) []string {
	args := []string{}
	for _, arg := range words {
		before, _, ends := strings.Cut(arg, ";")
		if strings.ContainsAny(before, "&|<>)`") {
			return args
		}
		if before != "" && before != "--" {
			args = append(args, before)
		}
		if ends {
			break
		}
	}
	return args
}

// debugOptions are the options that OpenSM sets for the numbers of -d.
var debugOptions = map[string]string{"0": "ignore_other_sm", "1": "single_thread", "2": "force_log_flush", "3": "disable_multicast"}

// readArguments reads a command line, as getopt_long_only does. Variables, such as $OPTIONS, are
// left out: their own lines are read.
func readArguments(words []string) (list []line, notes []Note) {
	for i := 0; i < len(words); i++ {
		if word := words[i]; !strings.HasPrefix(word, "$") {
			found, ok := findArguments(word)
			if !ok && strings.HasPrefix(word, "-") { // OpenSM takes no others
				notes = append(notes, Note{Option: clip(word), Fate: Unknown, Text: "not an option of OpenSM 3.3.23's command line"})
			}
			for _, g := range found {
				if g.follows() && !g.has && i+1 < len(words) {
					i++
					g.given = words[i]
				}
				if g.isConfiguration() {
					list = append(list, line{name: configuration, value: g.given})
				} else if l, ok := g.line(); ok {
					list = append(list, l)
				} else if g.option == "" {
					notes = append(notes, Note{Option: clip(word), Fate: Idle, Text: "about the run of OpenSM, not the subnet"})
				}
			}
		}
	}
	return list, notes
}

// given is an argument with its value, unless that is the next word.
type given struct {
	argument
	name, given string
	has         bool
}

// configuration is the option of the command line that names opensm.conf.
const configuration = "config"

// isConfiguration reports whether an argument names opensm.conf.
func (g *given) isConfiguration() bool { return g.name == configuration || g.name == "F" }

// line returns the line of opensm.conf that an argument stands for; false if there is none.
func (g *given) line() (line, bool) {
	value := g.given
	if !g.follows() {
		value = g.value
	}
	if name := debugOptions[value]; g.option == "" && strings.HasPrefix(g.name, "d") && name != "" && g.follows() {
		return line{name: name, value: "TRUE"}, true
	}
	if g.value == "HEX" && !strings.HasPrefix(value, "0x") && !strings.HasPrefix(value, "$") {
		value = "0x" + value
	}
	return line{name: g.option, value: value}, g.option != ""
}

// findArguments recognises a word: --word, -word or its beginning, --word=VALUE, and letters as in
// -l, -lVALUE or -BQ; false if it is none of them.
func findArguments(word string) (list []given, ok bool) {
	if !strings.HasPrefix(word, "-") {
		return nil, false
	}
	name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if a, known := arguments()[name]; known {
		return []given{{a, name, value, has}}, true
	}
	begun := map[argument]string{}
	for long, a := range arguments() {
		if len(long) > 1 && name != "" && strings.HasPrefix(long, name) {
			begun[a] = long
		}
	}
	if len(begun) == 1 {
		for a, long := range begun {
			return []given{{a, long, value, has}}, true
		}
	}
	if strings.HasPrefix(word, "--") {
		return nil, false
	}
	for at, letter := range word[1:] {
		a, known := arguments()[string(letter)]
		if !known {
			return list, false
		}
		if rest := word[1+at+len(string(letter)):]; a.follows() {
			return append(list, given{a, string(letter), rest, rest != ""}), true
		}
		list = append(list, given{a, string(letter), "", false})
	}
	return list, len(list) > 0
}

// ConfigOf returns the path of the configuration that a startup file names; "" if it names none.
func (f *File) ConfigOf() string {
	if configs := readStartup(f).configs; len(configs) > 0 {
		return configs[0].value
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
