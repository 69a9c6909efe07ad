package configfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// options are flags of every type that a command has.
type options struct {
	flags    *pflag.FlagSet
	text     string
	list     []string
	number   int
	small    uint8
	key      uint64
	yes      bool
	interval time.Duration
}

func newOptions() *options {
	o := &options{flags: pflag.NewFlagSet("test", pflag.ContinueOnError)}
	o.flags.StringVar(&o.text, "text", "umad:", "the text")
	o.flags.StringArrayVar(&o.list, "option", nil, "an option, several times")
	o.flags.IntVar(&o.number, "number", -3, "the number")
	o.flags.Uint8Var(&o.small, "small", 0, "a small number")
	o.flags.Uint64Var(&o.key, "sm-key", 1, "the key")
	o.flags.BoolVar(&o.yes, "yes", false, "whether")
	o.flags.DurationVar(&o.interval, "interval", 10*time.Second, "the time")
	o.flags.String("config", "", "this file")
	Exclude(o.flags, "config")
	return o
}

// read parses a file and applies it.
func (o *options) read(text string) (*File, error) {
	f, err := Parse("weft.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return f, f.Apply(o.flags)
}

func TestRead(t *testing.T) {
	o := newOptions()
	f, err := o.read("# a comment\ntext: emulate:rlft(4,2)\noption: [a=1, \"b=x y\"]\nnumber: 12\nsmall: 0x10\nsm-key: 0xffffffffffffffff\nyes: true\ninterval: 1m30s # short\n")
	if err != nil {
		t.Fatal(err)
	}
	if o.text != "emulate:rlft(4,2)" || !slices.Equal(o.list, []string{"a=1", "b=x y"}) || o.number != 12 || o.small != 16 ||
		o.key != ^uint64(0) || !o.yes || o.interval != 90*time.Second {
		t.Errorf("%+v", o)
	}
	if f.Settings[6].Line != 8 || f.Settings[1].Option != "option" {
		t.Errorf("%+v", f.Settings)
	}
	for _, empty := range []string{"", "\n", "# nothing\n", "---\n", "#interval: 10s\n"} {
		if o := newOptions(); true {
			if _, err := o.read(empty); err != nil || o.text != "umad:" {
				t.Errorf("%q: %v", empty, err)
			}
		}
	}
	block := newOptions()
	if _, err := block.read("option:\n  - a=1\n  - 'b: c'\n"); err != nil || !slices.Equal(block.list, []string{"a=1", "b: c"}) {
		t.Errorf("%v: %q", err, block.list)
	}
	if _, err := block.read("option: one\n"); err != nil || !slices.Equal(block.list, []string{"one"}) {
		t.Errorf("%v: %q", err, block.list)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"intervall: 10s\n", `weft.yaml:1: unknown option "intervall": did you mean interval?`},
		{"# x\n\ncolour: red\n", `weft.yaml:3: unknown option "colour" (options: interval, number, option, sm-key, small, text, yes)`},
		{"config: other.yaml\n", "weft.yaml:1: config is allowed only on the command line"},
		{"yes: true\ninterval: 10\n", "weft.yaml:2: interval: 10: want a time with its unit, such as 10s, 1m30s or 200ms"},
		{"number: many\n", "weft.yaml:1: number: many: want a whole number"},
		{"number: 1.5\n", "weft.yaml:1: number: 1.5: want a whole number"},
		{"small: 300\n", "weft.yaml:1: small: 300: want a whole number from 0 to 255"},
		{"sm-key: -1\n", "weft.yaml:1: sm-key: -1: want a whole number from 0 on"},
		{"yes: yes\n", `weft.yaml:1: yes: "yes": want true or false`},
		{"yes: 1\n", `weft.yaml:1: yes: "1": want true or false`},
		{"text: [a]\n", "weft.yaml:1: text: takes one value, not a list"},
		{"text:\n", `weft.yaml:1: text: want a value, or a list of values; "" is an empty one`},
		{"text: {a: b}\n", `weft.yaml:1: text: want a value, or a list of values; "" is an empty one`},
		{"option:\n- [a]\n", "weft.yaml:2: option: want a list of plain values"},
		{"text: a\nnumber: 1\ntext: b\n", "weft.yaml:3: "},
		{"- a\n", `weft.yaml:1: want a line "OPTION: VALUE" for each option`},
		{"text: a\n---\ntext: b\n", "weft.yaml:3: a second document: want one mapping of options to values"},
		{"text: \"a\n", "weft.yaml:1: "},
		{"text: &a b\n", `weft.yaml:1: text: want a value, or a list of values; "" is an empty one`},
		{"1: a\n", `weft.yaml:1: unknown option "1"`},
		{"text: " + strings.Repeat("a", MostBytes), "weft.yaml:1: more than 65536 bytes"},
	} {
		_, err := newOptions().read(c.text)
		at, ok := errors.AsType[*Error](err)
		if !ok || !strings.HasPrefix(at.Error(), c.want) || strings.HasSuffix(c.want, ": ") && at.Error() == c.want {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestLocate: an error that is found later gets the line of the option that it is about.
func TestLocate(t *testing.T) {
	f, err := Parse("f", []byte("engine: foo\ninterval: 1ns\nsm: 1\nkinds: /no/file\nvls: 99\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`engine: no engine is called "foo"`: `f:1: engine: no engine is called "foo"`,
		"--interval must be 10ms or more":   "f:2: interval must be 10ms or more",
		"open /no/file: no such file":       "f:4: open /no/file: no such file",
		"--vls 99 is out of range":          "f:5: vls 99 is out of range",
		"--sm-key is wrong":                 "--sm-key is wrong",
		"something else":                    "something else",
	} {
		if got := f.Locate(errors.New(text)); got.Error() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if f.Locate(nil) != nil || (*File)(nil).Locate(errors.New("x")).Error() != "x" {
		t.Error("without a file or an error")
	}
}

// TestWrittenIsRead: a written file sets the same values again, and the defaults in its comments
// are values too.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, again := newOptions(), newOptions()
		for _, f := range Options(o.flags) {
			if !rapid.Bool().Draw(t, "set") {
				continue
			}
			values, isList := Values(f)
			switch f.Value.Type() {
			case "string":
				values = []string{rapid.String().Draw(t, "text")}
			case "stringArray":
				values = rapid.SliceOf(rapid.String()).Draw(t, "list")
			case "uint64":
				values = []string{fmt.Sprint(rapid.Uint64().Draw(t, "key"))}
			case "duration":
				values = []string{time.Duration(rapid.Int64().Draw(t, "time")).String()}
			}
			if err := Set(o.flags, f, values, isList); err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		if err := Write(&b, o.flags, func(*pflag.Flag) string { return "a note" }); err != nil {
			t.Fatal(err)
		}
		check := func(text string, changed bool) {
			if _, err := again.read(text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, f := range Options(o.flags) {
				want, _ := Values(f)
				g := again.flags.Lookup(f.Name)
				if got, _ := Values(g); !slices.Equal(got, want) || changed && g.Changed != f.Changed {
					t.Fatalf("%s: %q, was %q\n%s", f.Name, got, want, text)
				}
			}
		}
		check(b.String(), true)
		var lines []string // the comments that hold options, taken out of them
		for line := range strings.Lines(b.String()) {
			if len(line) > 1 && line[0] == '#' && line[1] != ' ' {
				line = line[1:]
			}
			lines = append(lines, line)
		}
		again = newOptions()
		check(strings.Join(lines, ""), false)
	})
}

// FuzzParse: any bytes give a file whose settings have a line in it, or an *Error with one.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "interval: 10s\n", "option: [a, b]\n", "option:\n- a\n- b\n", "a: &x b\nc: *x\n", "? a\n: b\n", "<<: {}\n", "a: |\n b\n", "---\n...\n", "{a: b}\n", "a: !!int 3\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 {
			return // the time of the parser grows with the square
		}
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 2
		file, err := Parse("f", data)
		if err != nil {
			at, ok := errors.AsType[*Error](err)
			if !ok || at.Line < 1 || at.Line > lines || at.Text == "" {
				t.Fatalf("%#v of %d lines", err, lines)
			}
			return
		}
		for _, s := range file.Settings {
			if s.Line < 1 || s.Line > lines || !s.List && len(s.Values) != 1 {
				t.Fatalf("%+v of %d lines", s, lines)
			}
		}
		_ = file.Apply(newOptions().flags)
	})
}
