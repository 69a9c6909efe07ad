package gen

import (
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// kind is the type of an argument. Kinds from list on take several values.
type kind uint8

const (
	number kind = iota // a whole number within the bounds of its param
	seed               // any 64-bit number
	share              // a fraction, 0 to 1
	ratio              // a number from 1 to the most ports of a switch
	word               // text
	expr               // a formula or a named system, with or without suffixes
	dims               // sizes such as 8x8x8
	list               // whole numbers
	texts              // names, quotes included: fabric.NameHelp
)

// maxDims bounds the number of sizes or list elements of one argument.
const maxDims = 24

// param is an argument that a formula or suffix accepts.
type param struct {
	name     string
	kind     kind
	required bool
	lo, hi   int    // bounds of a number, and of each size and list element
	auto     string // the default as printed, and parsed if it is a number or seed
}

// spec is one line of the catalogue: a formula, a named system or a suffix.
type spec struct {
	name    string
	params  []param
	what    string
	source  string
	example string
	build   func(*args) (*fabric.Fabric, error)                 // formulas
	degrade func(*fabric.Fabric, *args) (*fabric.Fabric, error) // suffixes
}

// grouped reports whether semicolons separate the arguments.
func (s *spec) grouped() bool {
	for _, p := range s.params {
		if p.kind == list {
			return true
		}
	}
	return false
}

// named reports whether an argument takes names, which may contain semicolons.
func (s *spec) named() bool {
	return slices.ContainsFunc(s.params, func(p param) bool { return p.kind == texts })
}

// arguments lists the names of the arguments.
func (s *spec) arguments() []string {
	list := make([]string, len(s.params))
	for i := range s.params {
		list[i] = s.params[i].name
	}
	return list
}

// signature returns the call with its arguments, as in a formula.
func (s *spec) signature() string {
	var b strings.Builder
	b.WriteString(s.name)
	if len(s.params) == 0 {
		return b.String()
	}
	b.WriteByte('(')
	for i, p := range s.params {
		if i > 0 && s.grouped() {
			b.WriteByte(';')
		} else if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.name)
		switch {
		case p.kind == dims:
			b.WriteString("=AxBx..")
		case p.kind == list:
			b.WriteString(",..")
		case p.auto != "":
			b.WriteString("=" + p.auto)
		}
	}
	b.WriteByte(')')
	return b.String()
}

// value is the parsed value of one argument.
type value struct {
	set   bool
	pos   int
	num   int
	seed  uint64
	share float64 // for a share or a ratio
	text  string
	built *fabric.Fabric // for an expr
	nums  []int
	texts []string
}

// args are the arguments of a call, by the params of its spec.
type args struct {
	spec   *spec
	pos    int
	values []value
	most   Limits // of the fabric
}

// set parses one argument; a list grows, any other argument is given once.
func (a *args) set(i int, t term) error {
	p, v := &a.spec.params[i], &a.values[i]
	if v.set && p.kind < list {
		return problemf(t.pos, "%s is given twice", p.name)
	}
	if t.text == "" {
		return problemf(t.pos, "%s has no value (accepted: %s)", p.name, a.spec.signature())
	}
	if !v.set {
		v.pos = t.pos
	}
	v.set = true
	var err error
	switch p.kind {
	case number:
		v.num, err = p.integer(t)
	case seed:
		if v.seed, err = strconv.ParseUint(t.text, 10, 64); err != nil {
			return problemf(t.pos, "%s=%s: want a whole number of 64 bits", p.name, t.text)
		}
	case share:
		if v.share, err = strconv.ParseFloat(t.text, 64); err != nil || !(v.share >= 0 && v.share <= 1) {
			return problemf(t.pos, "%s=%s: want a fraction from 0 to 1", p.name, t.text)
		}
	case ratio:
		if v.share, err = strconv.ParseFloat(t.text, 64); err != nil || !(v.share >= 1 && v.share <= fabric.MaxPorts) {
			return problemf(t.pos, "%s=%s: want a number from 1 to %d", p.name, t.text, fabric.MaxPorts)
		}
	case word:
		v.text = fabric.Unquote(t.text)
	case expr:
		v.built, err = nested(t, a.spec.name, a.most)
	case texts:
		v.texts = append(v.texts, t.text)
	case dims, list:
		parts := []string{t.text}
		if p.kind == dims {
			parts = strings.Split(t.text, "x")
		}
		for _, s := range parts {
			n, err := p.integer(term{t.pos, s})
			if err != nil {
				return err
			}
			if v.nums = append(v.nums, n); len(v.nums) > maxDims {
				return problemf(t.pos, "%s has more than %d numbers", p.name, maxDims)
			}
		}
	}
	return err
}

func (p *param) integer(t term) (int, error) {
	n, err := strconv.Atoi(t.text)
	if err != nil || n < p.lo || n > p.hi || t.text[0] == '+' {
		return 0, problemf(t.pos, "%s=%s: want a whole number from %d to %d", p.name, t.text, p.lo, p.hi)
	}
	return n, nil
}

// complete fills in defaults and reports missing arguments.
func (a *args) complete() error {
	for i := range a.spec.params {
		p, v := &a.spec.params[i], &a.values[i]
		if v.set {
			continue
		}
		if p.required {
			return problemf(a.pos, "%s needs %s (accepted: %s)", a.spec.name, p.name, a.spec.signature())
		}
		v.pos = a.pos
		v.num = -1
		if n, err := strconv.Atoi(p.auto); err == nil {
			v.num, v.seed, v.share = n, uint64(n), float64(n)
		}
	}
	return nil
}

func (a *args) value(name string) *value {
	for i := range a.spec.params {
		if a.spec.params[i].name == name {
			return &a.values[i]
		}
	}
	panic("gen: " + a.spec.name + " has no parameter " + name)
}

// int returns a number; -1 if it was not given and has no number as default.
func (a *args) int(name string) int { return a.value(name).num }

func (a *args) built(name string) *fabric.Fabric { return a.value(name).built }
func (a *args) ints(name string) []int           { return a.value(name).nums }
func (a *args) seed(name string) uint64          { return a.value(name).seed }
func (a *args) given(name string) bool           { return a.value(name).set }
func (a *args) texts(name string) []string       { return a.value(name).texts }
func (a *args) text(name string) string          { return a.value(name).text }
func (a *args) fraction(name string) float64     { return a.value(name).share }
