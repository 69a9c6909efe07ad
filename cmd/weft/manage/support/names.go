package support

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"weft/fabric"
	"weft/fabric/netfile/discovery"
)

// names replaces names by others that say nothing. The same name gets the same other one in all
// files.
type names struct {
	by      map[string]string
	lengths []int             // of the names in bytes, longest first
	placed  map[string]string // of alias, by kind and name
	count   map[string]int
}

func newNames() *names {
	return &names{by: map[string]string{}, placed: map[string]string{}, count: map[string]int{}}
}

// add has a name hidden from now on. kind begins its other name.
func (n *names) add(kind, name string) {
	if name = strings.TrimSpace(name); name == "" || n.by[name] != "" {
		return
	}
	n.count[kind]++
	alias := fmt.Sprintf("%s-%d", kind, n.count[kind])
	quoted := strconv.Quote(name)
	forms := []string{name, quoted[1 : len(quoted)-1], strings.ToValidUTF8(name, "\uFFFD")}
	for _, form := range forms {
		if n.by[form] == "" {
			n.by[form] = alias
			if !slices.Contains(n.lengths, len(form)) {
				n.lengths = append(n.lengths, len(form))
			}
		}
	}
	slices.SortFunc(n.lengths, func(a, b int) int { return cmp.Compare(b, a) })
	if host, rest, more := strings.Cut(name, " "); more && rest != "" && kind == "host" && strings.ContainsAny(host, "0123456789-.") { // as in n12 HCA-1
		n.add(kind, host)
	}
}

// addFabric adds the names of nodes.
func (n *names) addFabric(f *fabric.Fabric) {
	for i := range f.Nodes {
		node := &f.Nodes[i]
		kind := "host"
		if node.Type != fabric.CA {
			kind = node.Type.String()
		}
		n.add(kind, node.Desc)
	}
}

// quoted is a text in quotes, as names stand in the log.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"((?:[^"\\]|\\.)+)"`) })

// addLines adds the nodes that the lines of a log name, also nodes that have left.
func (n *names) addLines(data []byte) {
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var line struct{ Name, Text string }
		if dec.Decode(&line) != nil {
			return
		}
		n.add("node", line.Name)
		for _, m := range quoted().FindAllStringSubmatch(line.Text, -1) {
			n.add("node", m[1])
		}
	}
}

// addPatterns adds the patterns among the members of a partition, which begin as names do.
func (n *names) addPatterns(members []string) {
	for _, m := range members {
		if at := quoted().FindStringSubmatch(m); at != nil && strings.ContainsFunc(at[1], isWord) {
			n.add("pattern", at[1])
		}
	}
}

// addParts adds the names of the nodes to be drained: NODE or NODE[PORT]. A node need not be in the
// subnet.
func (n *names) addParts(parts []string) {
	for _, part := range parts {
		if name, _, _ := strings.Cut(part, "["); !strings.HasPrefix(name, "0x") {
			n.add("node", fabric.Unquote(strings.TrimSpace(name)))
		}
	}
}

// isWord reports whether a character is a part of a word.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// caller is the token of a request, as the log names it (terms.ByWhom). place is a path that begins
// a word.
var (
	caller = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` by token ([A-Za-z0-9._-]+)`) })
	place  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s"'=(,:])(/[A-Za-z0-9._~+@%-][^\s"'\\:;,()]*)`) })
)

// system are the places that every machine has, and every manager.
var system = []string{"/dev/", "/sys/", "/proc/", "/v1/"}

// text hides the names in a text: the longest one at each place, as whole words; and all paths and
// tokens.
func (n *names) text(s string) string {
	s = n.named(s)
	s = caller().ReplaceAllStringFunc(s, func(m string) string {
		name := caller().FindStringSubmatch(m)[1]
		if last := strings.TrimRight(name, "."); last != "" { // the end of a sentence
			name = last
		}
		return " by token " + n.alias("token", name)
	})
	return place().ReplaceAllStringFunc(s, func(m string) string {
		parts := place().FindStringSubmatch(m)
		if slices.ContainsFunc(system, func(at string) bool { return strings.HasPrefix(parts[2], at) }) {
			return m
		}
		return parts[1] + n.alias("path", parts[2])
	})
}

// alias returns the other name of something that is known by its place in a text only.
func (n *names) alias(kind, name string) string {
	key := kind + " " + name
	if n.placed[key] == "" {
		n.count[kind]++
		n.placed[key] = fmt.Sprintf("%s-%d", kind, n.count[kind])
	}
	return n.placed[key]
}

// Lines of the log about jobs, which have texts of users: a job that starts or ends, and one that
// something moved for.
var (
	jobChanged = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^job (.*?)( on \d+ nodes?)?( by token [A-Za-z0-9._-]+)?(: .*)?$`)
	})
	jobUser  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(.*\)$`) })
	jobMoved = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:nothing|\d+ entry|\d+ entries) moved for )(?:job ([^:;]*)|(\d+ jobs) \(the first that still runs is (.*?)\)|jobs that have ended)([:;].*)?$`)
	})
)

// job hides the job, its user and its nodes in a line of the log.
func (n *names) job(text string) string {
	if m := jobMoved().FindStringSubmatch(text); m != nil {
		what := cmp.Or(m[3], "jobs that have ended")
		if id := m[2] + m[4]; id != "" {
			what = strings.TrimSpace(m[3] + " " + n.alias("job", id))
		}
		return m[1] + what + n.text(m[5])
	}
	if m := jobChanged().FindStringSubmatch(text); m != nil {
		return n.alias("job", jobUser().ReplaceAllString(m[1], "")) + m[2] + n.text(m[3])
	}
	return "hidden"
}

// named hides the names that are known.
func (n *names) named(s string) string {
	var b strings.Builder
	before := ' '
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if alias, length := n.at(s[at:]); length > 0 && (!isWord(before) || !isWord(r)) {
			b.WriteString(alias)
			at += length
			before = 'x'
			continue
		}
		b.WriteString(s[at : at+size])
		at += size
		before = r
	}
	return b.String()
}

// at returns the other name of the longest name at the beginning of a text, and its length.
func (n *names) at(s string) (alias string, length int) {
	for _, l := range n.lengths {
		if l > len(s) {
			continue
		}
		alias, there := n.by[s[:l]]
		if !there {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(s[:l])
		next, _ := utf8.DecodeRuneInString(s[l:])
		if l == len(s) || !isWord(last) || !isWord(next) {
			return alias, l
		}
	}
	return "", 0
}

// json hides the names in the texts of JSON documents, one or several. Keys stay.
func (n *names) json(data []byte) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if bytes.Contains(bytes.TrimRight(data, "\n"), []byte("\n  ")) { // a document for people
		enc.SetIndent("", "  ")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		var v any
		if err := dec.Decode(&v); err == io.EOF {
			return out.Bytes(), nil
		} else if err != nil {
			return nil, err
		}
		if err := enc.Encode(n.value(v)); err != nil {
			return nil, err
		}
	}
}

func (n *names) value(v any) any {
	switch v := v.(type) {
	case string:
		return n.text(v)
	case []any:
		for i := range v {
			v[i] = n.value(v[i])
		}
	case map[string]any:
		kind, _ := v["kind"].(string)
		for key := range v {
			if text, ok := v[key].(string); ok && key == "text" && strings.HasPrefix(kind, "job-") {
				v[key] = n.job(text)
				continue
			}
			v[key] = n.value(v[key])
		}
	}
	return v
}

// config hides the names in the values of a configuration.
func (n *names) config(data []byte) ([]byte, error) {
	var settings yaml.MapSlice
	if err := yaml.Unmarshal(data, &settings); err != nil {
		return nil, err
	}
	for i := range settings {
		settings[i].Value = n.value(settings[i].Value)
	}
	return yaml.Marshal(settings)
}

// label is the value of a label of a metric.
var label = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`="(?:[^"\\]|\\.)*"`) })

// escape writes a text as the value of a label.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metrics hides the names in the labels of metrics.
func (n *names) metrics(data []byte) ([]byte, error) {
	return label().ReplaceAllFunc(data, func(m []byte) []byte {
		value, err := strconv.Unquote(string(m[1:]))
		if err != nil {
			return []byte(`="hidden"`)
		}
		return []byte(`="` + escape.Replace(n.text(value)) + `"`)
	}), nil
}

// fabric hides the names in a dump of the subnet.
func (n *names) fabric(data []byte) ([]byte, error) {
	f, _, err := discovery.ReadIBNetDiscover("fabric.txt", data)
	if err != nil {
		return nil, err
	}
	for i := range f.Nodes {
		f.Nodes[i].Desc = n.text(f.Nodes[i].Desc)
	}
	f.Name = "subnet"
	var b bytes.Buffer
	err = discovery.WriteIBNetDiscover(&b, f)
	return b.Bytes(), err
}
