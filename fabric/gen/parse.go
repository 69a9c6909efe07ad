package gen

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/internal/spelling"
)

// Limits of an expression: its length in bytes and its number of suffixes.
const (
	maxExpr     = 1 << 16
	maxSuffixes = 64
)

// Parse builds the fabric that an expression describes. An error names the problem, the byte of the
// expression (from 1), and the accepted forms.
func Parse(expr string) (*fabric.Fabric, error) { return Within(expr, usual) }

// Within does the same within limits. What a formula or a suffix that multiplies would build is
// counted before it is built; what named systems and other suffixes built is counted afterwards.
func Within(expr string, most Limits) (*fabric.Fabric, error) {
	if len(expr) > maxExpr {
		return nil, fmt.Errorf("gen: the expression has %d bytes (at most %d)", len(expr), maxExpr)
	}
	terms, err := splitBars(expr)
	if err != nil {
		return nil, at(expr, err)
	}
	if len(terms) > maxSuffixes+1 {
		return nil, at(expr, problemf(terms[maxSuffixes+1].pos, "more than %d suffixes", maxSuffixes))
	}
	c, err := parseCall(terms[0], formulas, "formula or system", most)
	if err != nil {
		return nil, at(expr, err)
	}
	f, err := c.spec.build(c.args)
	if err != nil {
		return nil, at(expr, located(terms[0].pos, err))
	}
	if err := most.hold(f); err != nil {
		return nil, at(expr, located(terms[0].pos, err))
	}
	for _, t := range terms[1:] {
		if f, err = apply(f, t, most); err != nil {
			return nil, at(expr, err)
		}
		if err := most.hold(f); err != nil {
			return nil, at(expr, located(t.pos, err))
		}
	}
	f.Name = strings.TrimSpace(expr)
	return f, nil
}

// nested builds the fabric for an argument of a suffix. A network to add as a plane may be merged
// from trees, but formulas nest no deeper: their cost is bounded.
func nested(t term, suffix string, most Limits) (*fabric.Fabric, error) {
	terms, err := split(t, '|')
	if err != nil {
		return nil, err
	}
	for _, inner := range terms[1:] {
		name, _, _ := strings.Cut(inner.text, "(")
		switch strings.TrimSpace(name) {
		case "plane":
		case "merge":
			if suffix == "plane" {
				continue
			}
		default:
			continue
		}
		return nil, problemf(t.pos, "the fabric of %s cannot have a suffix %s of its own: write one suffix after the other", suffix, strings.TrimSpace(name))
	}
	f, err := Within(t.text, most)
	if err != nil {
		return nil, problemf(t.pos, "%s", strings.TrimPrefix(err.Error(), "gen: "))
	}
	return f, nil
}

// Apply applies one suffix, given without its bar: "fail(links=10,seed=3)". The result is a copy; f
// is unchanged.
func Apply(f *fabric.Fabric, suffix string) (*fabric.Fabric, error) {
	if len(suffix) > maxExpr {
		return nil, fmt.Errorf("gen: the suffix has %d bytes (at most %d)", len(suffix), maxExpr)
	}
	terms, err := splitBars(suffix)
	if err != nil {
		return nil, at(suffix, err)
	}
	if len(terms) > 1 {
		return nil, at(suffix, problemf(terms[1].pos-1, "a second suffix"))
	}
	g, err := apply(f, terms[0], usual)
	if err != nil {
		return nil, at(suffix, err)
	}
	g.Name = f.Name + "|" + strings.TrimSpace(suffix)
	return g, nil
}

// Split splits a FABRIC argument at its bars into a formula or file name, and the suffixes for
// Apply. Bars in quotes or parentheses do not count; an argument with unbalanced quotes or
// parentheses is all base.
func Split(arg string) (base string, suffixes []string) {
	terms, err := splitBars(arg)
	if err != nil {
		return arg, nil
	}
	for _, t := range terms[1:] {
		suffixes = append(suffixes, strings.TrimSpace(t.text))
	}
	return terms[0].text, suffixes
}

// IsFormula reports whether s looks like a formula or a named system, not a file name: a known name
// before '(', '|' or the end. Its arguments may still be wrong.
func IsFormula(s string) bool {
	if i := strings.IndexAny(s, "(|"); i >= 0 {
		s = s[:i]
	}
	return lookup(formulas, strings.TrimSpace(s)) != nil
}

// Nearest replaces an unknown name in an expression by the nearest formula or named system:
// "rlft(36,2)" for "Rlf(36,2)". If a common name stands for several formulas, it returns all of
// them as Catalogue lists them, since their arguments differ. It returns "" if no name is near.
func Nearest(s string) string {
	name, rest := strings.TrimSpace(s), ""
	if i := strings.IndexAny(name, "(|"); i >= 0 {
		name, rest = strings.TrimSpace(name[:i]), name[i:]
	}
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch meant := otherNames[plain]; len(meant) {
	case 0:
	case 1:
		return meant[0] + rest
	default:
		var all []string
		for _, m := range meant {
			all = append(all, lookup(formulas, m).signature())
		}
		return strings.Join(all, " or ")
	}
	near := spelling.Nearest(name, names(formulas))
	if near == "" {
		return ""
	}
	return near + rest
}

// otherNames lists other names of the formulas, in lower case.
var otherNames = map[string][]string{
	"dragonfly+": {"dragonflyplus"}, "megafly": {"dragonflyplus"}, "kary": {"karytree"}, "karyntree": {"karytree"}, "karyncube": {"torus"}, "cube": {"hypercube"},
	"ring": {"torus"}, "grid": {"mesh"}, "fattree": {"tree", "rlft"}, "clos": {"tree", "rlft"}, "leafspine": {"tree", "rlft"}, "spineleaf": {"tree", "rlft"},
}

// problem is an error at an offset of the expression.
type problem struct {
	pos  int
	text string
}

func (p *problem) Error() string { return p.text }

func problemf(pos int, format string, args ...any) *problem {
	return &problem{pos, fmt.Sprintf(format, args...)}
}

// located adds a position to an error that has none.
func located(pos int, err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return &problem{pos, err.Error()}
}

// Error is an error in an expression.
type Error struct {
	Expr string
	At   int // byte, from 1
	Text string
}

func (e *Error) Error() string {
	expr := e.Expr
	if len(expr) > 80 {
		expr = expr[:80] + "..."
	}
	return fmt.Sprintf("gen: %q at %d: %s", expr, e.At, e.Text)
}

// at combines an error with its expression and position.
func at(expr string, err error) error {
	p := located(0, err)
	return &Error{expr, p.pos + 1, p.text}
}

// term is a piece of the expression and its offset.
type term struct {
	pos  int
	text string
}

// trimmed removes the space around a term.
func (t term) trimmed() term {
	s := strings.TrimLeft(t.text, " \t")
	return term{t.pos + len(t.text) - len(s), strings.TrimRight(s, " \t")}
}

// split splits a term at a separator outside quotes and parentheses.
func split(t term, sep byte) ([]term, error) {
	var out []term
	depth, quote, start := 0, -1, 0
	for i := 0; i < len(t.text); i++ {
		c := t.text[i]
		switch {
		case c == '"' && quote >= 0:
			quote = -1
		case quote >= 0:
		case c == '"':
			quote = i
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return nil, problemf(t.pos+i, "a closing parenthesis without an opening one")
			}
		case c == sep && depth == 0:
			out = append(out, term{t.pos + start, t.text[start:i]})
			start = i + 1
		}
	}
	if quote >= 0 {
		return nil, problemf(t.pos+quote, "a quote is not closed")
	}
	if depth > 0 {
		return nil, problemf(t.pos+len(t.text), "a parenthesis is not closed: want ')'")
	}
	return append(out, term{t.pos + start, t.text[start:]}), nil
}

func splitBars(expr string) ([]term, error) { return split(term{0, expr}, '|') }

// call is a name with its arguments.
type call struct {
	spec *spec
	args *args
}

// parseCall parses "name" or "name(arguments)"; table holds the known names.
func parseCall(t term, table []spec, kind string, most Limits) (call, error) {
	t = t.trimmed()
	name, rest := t, term{t.pos + len(t.text), ""}
	if i := strings.IndexByte(t.text, '('); i >= 0 {
		name, rest = term{t.pos, strings.TrimRight(t.text[:i], " \t")}, term{t.pos + i, t.text[i:]}
	}
	s := lookup(table, name.text)
	if s == nil {
		if hint := spelling.Hint(name.text, names(table)); hint != "" {
			return call{}, problemf(t.pos, "no %s is called %q%s", kind, name.text, hint)
		}
		return call{}, problemf(t.pos, "no %s is called %q (accepted: %s)", kind, name.text, strings.Join(names(table), " "))
	}
	a := &args{spec: s, pos: t.pos, values: make([]value, len(s.params)), most: most}
	if rest.text != "" {
		if !strings.HasSuffix(rest.text, ")") {
			return call{}, problemf(rest.pos+strings.LastIndexByte(rest.text, ')')+1, "text after the closing parenthesis")
		}
		inside := term{rest.pos + 1, rest.text[1 : len(rest.text)-1]}
		if err := a.read(inside); err != nil {
			return call{}, err
		}
	}
	return call{s, a}, a.complete()
}

// read parses the text between the parentheses into the values.
func (a *args) read(t term) error {
	if strings.TrimSpace(t.text) == "" {
		return nil
	}
	groups, err := split(t, ';')
	if err != nil {
		return err
	}
	if a.spec.named() {
		groups = []term{t}
	}
	if len(groups) > 1 && !a.spec.grouped() {
		return problemf(groups[1].pos-1, "%s takes no ';' (accepted: %s)", a.spec.name, a.spec.signature())
	}
	next := 0 // the parameter that the next unnamed argument sets
	for _, g := range groups {
		tokens, err := split(g, ',')
		if err != nil {
			return err
		}
		open := -1 // the list that unnamed arguments currently extend, or -1
		for _, tok := range tokens {
			tok = tok.trimmed()
			i, val, named := a.keyword(tok)
			switch {
			case named && i < 0:
				return problemf(tok.pos, "%s has no argument %q%s (accepted: %s)", a.spec.name, val.text, spelling.Hint(val.text, a.spec.arguments()), a.spec.signature())
			case named:
			case a.isSecondSize(next, tok):
				size := a.values[next-1].nums[0]
				return problemf(tok.pos, "%s(%d,%s) could mean two things: write %[1]s(%[2]dx%[3]s), or %[1]s(%[2]d,%[4]s=%[3]s)",
					a.spec.name, size, tok.text, a.spec.params[next].name)
			case open >= 0:
				i = open
			case next < len(a.spec.params):
				i = next
				next++
			default:
				return problemf(tok.pos, "too many arguments (accepted: %s)", a.spec.signature())
			}
			if err := a.set(i, val); err != nil {
				return err
			}
			if open = -1; a.spec.params[i].kind >= list {
				open = i
			}
		}
	}
	return nil
}

// isSecondSize reports whether an unnamed number follows a single size: torus(4,4) may be meant as
// a torus of 4x4.
func (a *args) isSecondSize(next int, tok term) bool {
	if next != 1 || len(a.spec.params) < 2 || a.spec.params[0].kind != dims || len(a.values[0].nums) != 1 {
		return false
	}
	_, err := strconv.Atoi(tok.text)
	return err == nil
}

// keyword parses "name=value". named is false for other text. For a name that the spec does not
// have, index is -1 and val the name.
func (a *args) keyword(tok term) (index int, val term, named bool) {
	i := strings.IndexByte(tok.text, '=')
	if i < 0 {
		return -1, tok, false
	}
	key := strings.TrimRight(tok.text[:i], " \t")
	if strings.ContainsAny(key, "\"( \t") {
		return -1, tok, false
	}
	for p := range a.spec.params {
		if a.spec.params[p].name == key {
			return p, term{tok.pos + i + 1, tok.text[i+1:]}.trimmed(), true
		}
	}
	return -1, term{tok.pos, key}, true
}

func lookup(table []spec, name string) *spec {
	i := slices.IndexFunc(table, func(s spec) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &table[i]
}

func names(table []spec) []string {
	list := make([]string, len(table))
	for i := range table {
		list[i] = table[i].name
	}
	return list
}
