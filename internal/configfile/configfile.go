// Package configfile reads the options of a command from a YAML file, and writes such files. The
// keys are the names of the command's flags, so that a new flag is a key of its file too. It is
// strict: an option that is unknown, is given twice or has no value is an error with its line.
package configfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/spf13/pflag"

	"weft/internal/spelling"
)

// File is a file of options that was read.
type File struct {
	Name     string
	Settings []Setting // in the order of the file
}

// Setting is an option that a file sets.
type Setting struct {
	Option string
	Values []string
	List   bool // written as a list, also with one value or none
	Line   int
}

// Error is a mistake in a line of a file.
type Error struct {
	File string
	Line int
	Text string
	Err  error // nil if Text says all
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MostBytes is the maximum size of a file.
const MostBytes = 1 << 16

// Parse reads a file: one mapping of options to values, or to lists of values. An empty file sets
// nothing. Every error is an *Error.
func Parse(name string, data []byte) (*File, error) {
	p := reader{file: File{Name: name}}
	if len(data) > MostBytes {
		return nil, p.wrong(1, "more than %d bytes", MostBytes)
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		line, text := 1, err.Error()
		if at, ok := errors.AsType[yaml.Error](err); ok {
			if text = at.GetMessage(); at.GetToken() != nil && at.GetToken().Position != nil {
				line = at.GetToken().Position.Line
			}
		}
		return nil, p.wrong(line, "%s", text)
	}
	if len(tree.Docs) > 1 {
		return nil, p.wrong(lineOf(tree.Docs[1].Body), "a second document: want one mapping of options to values")
	}
	for _, doc := range tree.Docs {
		if err := p.mapping(doc.Body); err != nil {
			return nil, err
		}
	}
	return &p.file, nil
}

// reader collects the settings of a file.
type reader struct{ file File }

// wrong makes an *Error.
func (p *reader) wrong(line int, format string, args ...any) error {
	return &Error{File: p.file.Name, Line: max(1, line), Text: fmt.Sprintf(format, args...)}
}

// lineOf returns the line of a node, 0 if unknown.
func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// mapping reads a body.
func (p *reader) mapping(body ast.Node) error {
	switch b := body.(type) {
	case nil, *ast.CommentGroupNode:
	case *ast.MappingNode:
		for _, v := range b.Values {
			if err := p.setting(v); err != nil {
				return err
			}
		}
	case *ast.MappingValueNode:
		return p.setting(b)
	default:
		return p.wrong(lineOf(body), "want a line \"OPTION: VALUE\" for each option")
	}
	return nil
}

// setting reads an option and its value.
func (p *reader) setting(v *ast.MappingValueNode) error {
	line := lineOf(v.Key)
	key, ok := scalar(v.Key)
	if !ok {
		return p.wrong(line, "want the name of an option")
	}
	if slices.ContainsFunc(p.file.Settings, func(s Setting) bool { return s.Option == key }) {
		return p.wrong(line, "%s is set twice", key)
	}
	s := Setting{Option: key, Line: line}
	if list, ok := v.Value.(*ast.SequenceNode); ok {
		s.List = true
		for _, e := range list.Values {
			text, ok := scalar(e)
			if !ok {
				return p.wrong(max(line, lineOf(e)), "%s: want a list of plain values", key)
			}
			s.Values = append(s.Values, text)
		}
	} else {
		text, ok := scalar(v.Value)
		if !ok {
			return p.wrong(line, "%s: want a value, or a list of values; \"\" is an empty one", key)
		}
		s.Values = []string{text}
	}
	p.file.Settings = append(p.file.Settings, s)
	return nil
}

// scalar returns the text of a plain or quoted value, with numbers as written; false for everything
// else.
func scalar(n any) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode:
		return v.Token.Value, true
	case *ast.FloatNode:
		return v.Token.Value, true
	case *ast.BoolNode:
		return v.Token.Value, true
	}
	return "", false
}

// notInFile marks a flag that is no option of a file.
const notInFile = "configfile-not"

// Exclude marks flags that a file must not set.
func Exclude(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, notInFile, nil); err != nil {
			panic(err) // the flag is there
		}
	}
}

// isOption reports whether a file may set a flag.
func isOption(f *pflag.Flag) bool {
	_, not := f.Annotations[notInFile]
	return !not && f.Name != "help"
}

// Options lists the flags that a file may set, by name.
func Options(flags *pflag.FlagSet) (list []*pflag.Flag) {
	flags.VisitAll(func(f *pflag.Flag) {
		if isOption(f) {
			list = append(list, f)
		}
	})
	return list
}

// Apply sets the options of a file. An error is an *Error.
func (f *File) Apply(flags *pflag.FlagSet) error {
	for i := range f.Settings {
		s := &f.Settings[i]
		flag := flags.Lookup(s.Option)
		if flag == nil || !isOption(flag) {
			return &Error{File: f.Name, Line: s.Line, Text: unknown(flags, s.Option, flag != nil)}
		}
		if err := Set(flags, flag, s.Values, s.List); err != nil {
			return &Error{f.Name, s.Line, fmt.Sprintf("%s: %v", s.Option, err), err}
		}
	}
	return nil
}

// unknown says that a key is no option, and suggests the nearest or lists all.
func unknown(flags *pflag.FlagSet, key string, isFlag bool) string {
	if isFlag {
		return key + " is allowed only on the command line"
	}
	var names []string
	for _, f := range Options(flags) {
		names = append(names, f.Name)
	}
	if near := spelling.Nearest(key, names); near != "" {
		return fmt.Sprintf("unknown option %q: did you mean %s?", key, near)
	}
	return fmt.Sprintf("unknown option %q (options: %s)", key, strings.Join(names, ", "))
}

// Set replaces the values of a flag.
func Set(flags *pflag.FlagSet, f *pflag.Flag, values []string, isList bool) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(values)
	}
	if isList || len(values) != 1 {
		return errors.New("takes one value, not a list")
	}
	if kind := f.Value.Type(); kind == "bool" && values[0] != "true" && values[0] != "false" {
		return fmt.Errorf("%q: want true or false", values[0])
	}
	err := flags.Set(f.Name, values[0])
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return errors.New(Wrong(wrong))
	}
	return err
}

// Values returns the values of a flag in the form for Set.
func Values(f *pflag.Flag) (values []string, isList bool) {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice(), true
	}
	return []string{f.Value.String()}, false
}

// Locate adds the line of an option to an error that names the option or its value. Other errors
// stay unchanged.
func (f *File) Locate(err error) error {
	if err == nil || f == nil {
		return err
	}
	text := err.Error()
	var at *Setting
	for i := range f.Settings {
		s := &f.Settings[i]
		if at == nil && s.isNamedIn(text) {
			at = s
		}
	}
	for i := range f.Settings {
		if s := &f.Settings[i]; at == nil && slices.ContainsFunc(s.Values, func(v string) bool { return len(v) > 2 && strings.Contains(text, v) }) {
			at = s
		}
	}
	if at == nil {
		return err
	}
	return &Error{f.Name, at.Line, strings.TrimPrefix(text, "--"), err}
}

// isNamedIn reports whether an error is about this option: it contains --OPTION, or starts with its
// name.
func (s *Setting) isNamedIn(text string) bool {
	for _, name := range []string{"--" + s.Option, s.Option} {
		at := strings.Index(text, name)
		if at < 0 || at > 0 && name == s.Option {
			continue
		}
		if end := at + len(name); end == len(text) || strings.IndexByte(" :,=", text[end]) >= 0 {
			return true
		}
	}
	return false
}
