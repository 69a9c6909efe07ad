package tuning

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Rates are the speeds and widths that a link may use; 0 says nothing.
type Rates struct {
	Speeds Speeds `json:",omitempty"`
	Widths Widths `json:",omitempty"`
}

// Rule says which speeds and widths the links at a place may use.
type Rule struct {
	// Node selects nodes: a GUID (0x...) of a node, or a pattern of names in the syntax of
	// path.Match. "*" selects all links.
	Node string
	Port uint8 `json:",omitempty"` // 0: all ports of the node
	Rates
}

// Rules are tried in order: the last one that speaks of speeds decides on them, and the same for
// widths.
type Rules []Rule

// End is an end of a link, as rules see it.
type End struct {
	GUID fabric.GUID // of the node
	Name string
	Port uint8
}

// matches reports whether a rule selects an end of a link.
func (r *Rule) matches(e *End) bool {
	if r.Port != 0 && r.Port != e.Port {
		return false
	}
	if r.Node == "*" {
		return true
	}
	if guid, err := fabric.ParseGUID(r.Node); err == nil && strings.HasPrefix(r.Node, "0x") {
		return guid == e.GUID
	}
	ok, _ := path.Match(r.Node, e.Name)
	return ok
}

// Of returns the rates of a link by the rules.
func (r Rules) Of(a, b *End) (rates Rates) {
	for i := range r {
		if rule := &r[i]; rule.matches(a) || rule.matches(b) {
			if rule.Speeds != 0 {
				rates.Speeds = rule.Speeds
			}
			if rule.Widths != 0 {
				rates.Widths = rule.Widths
			}
		}
	}
	return rates
}

// mostRules bounds the rules of a file.
const mostRules = 100_000

// ReadRules reads a file of rules, one a line:
//
//	PLACE: speed=SPEEDS width=WIDTHS
//
// PLACE is a node or NODE[PORT]. Either of the two settings may be left out. Lines that begin with
// # are comments.
func ReadRules(file string, data []byte) (rules Rules, err error) {
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		r, err := parseRule(text)
		if err == nil && len(rules) == mostRules {
			err = fmt.Errorf("more than %d rules", mostRules)
		}
		if err != nil {
			return nil, lines.Errorf(file, n, "%v", err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// parseRule reads a line of a file of rules.
func parseRule(text string) (r Rule, err error) {
	at := strings.LastIndex(text, ":")
	if at < 0 {
		return r, fmt.Errorf("want PLACE: speed=SPEEDS width=WIDTHS, such as leaf 3[20]: speed=..EDR")
	}
	if r.Node, r.Port, err = parsePlace(strings.TrimSpace(text[:at])); err != nil {
		return r, err
	}
	for word := range strings.FieldsSeq(text[at+1:]) {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case name == "speed" && r.Speeds == 0:
			r.Speeds, err = ParseSpeeds(value)
		case name == "width" && r.Widths == 0:
			r.Widths, err = ParseWidths(value)
		default:
			err = fmt.Errorf("%q: want speed=SPEEDS or width=WIDTHS, each at most once", word)
		}
		if err != nil {
			return r, err
		}
	}
	if r.Rates == (Rates{}) {
		return r, fmt.Errorf("neither speed= nor width= follows the place")
	}
	return r, nil
}

// parsePlace reads NODE or NODE[PORT].
func parsePlace(text string) (node string, port uint8, err error) {
	node = fabric.Unquote(text)
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if n, err := strconv.ParseUint(text[open+1:len(text)-1], 10, 32); err == nil {
			if n < 1 || n > fabric.MaxPorts {
				return "", 0, fmt.Errorf("%q: ports are 1 to %d", text, fabric.MaxPorts)
			}
			node, port = fabric.Unquote(strings.TrimSpace(text[:open])), uint8(n)
		}
	}
	if _, err := path.Match(node, ""); err != nil || node == "" {
		return "", 0, fmt.Errorf("%q: want a node's GUID, a pattern of names as for files, or NODE[PORT]", text)
	}
	if strings.HasPrefix(node, "0x") {
		_, err = fabric.ParseGUID(node)
	}
	return node, port, err
}

// Index finds the rules of links faster than Rules do.
type Index struct {
	rules  Rules
	byGUID map[fabric.GUID][]int
	byName map[string][]int
	others []int // patterns
}

// Index returns the index of the rules.
func (r Rules) Index() *Index {
	x := &Index{rules: r, byGUID: map[fabric.GUID][]int{}, byName: map[string][]int{}}
	for i := range r {
		guid, err := fabric.ParseGUID(r[i].Node)
		switch {
		case err == nil && strings.HasPrefix(r[i].Node, "0x"):
			x.byGUID[guid] = append(x.byGUID[guid], i)
		case strings.ContainsAny(r[i].Node, `*?[\`):
			x.others = append(x.others, i)
		default:
			x.byName[r[i].Node] = append(x.byName[r[i].Node], i)
		}
	}
	return x
}

// Of returns the rates of a link by the rules.
func (x *Index) Of(a, b *End) Rates {
	at := slices.Concat(x.others, x.byGUID[a.GUID], x.byGUID[b.GUID], x.byName[a.Name], x.byName[b.Name])
	if len(at) == 0 {
		return Rates{}
	}
	slices.Sort(at)
	few := make(Rules, 0, len(at))
	for _, i := range at {
		few = append(few, x.rules[i])
	}
	return few.Of(a, b)
}

// String names the speeds and widths.
func (r Rates) String() string {
	var parts []string
	if r.Speeds != 0 {
		parts = append(parts, "speed "+r.Speeds.String())
	}
	if r.Widths != 0 {
		parts = append(parts, "width "+r.Widths.String())
	}
	return strings.Join(parts, " and ")
}
