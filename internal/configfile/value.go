package configfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Wrong explains an invalid value of a flag, and what the flag wants.
func Wrong(wrong *pflag.InvalidValueError) string {
	f, err := wrong.GetFlag(), errors.Unwrap(wrong)
	if want := wanted(f.Value.Type(), err); want != "" {
		return fmt.Sprintf("%s: want %s", wrong.GetValue(), want)
	}
	return fmt.Sprintf("%s: %v", wrong.GetValue(), err)
}

// wanted describes the values of a type; "" if the error does.
func wanted(kind string, err error) string {
	_, number := errors.AsType[*strconv.NumError](err)
	switch {
	case kind == "duration":
		return "a time with its unit, such as 10s, 1m30s or 200ms"
	case !number:
		return ""
	case kind == "bool":
		return "true or false"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "uint8" && errors.Is(err, strconv.ErrRange):
		return "a whole number from 0 to 255"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0 on"
	}
	return "a whole number"
}

// Write writes all options of a command as a file, with their descriptions and values. Options that
// were set are active lines, the others comments with their defaults. note adds to a description;
// it may be nil.
func Write(w io.Writer, flags *pflag.FlagSet, note func(*pflag.Flag) string) error {
	var b strings.Builder
	for i, f := range Options(flags) {
		if i > 0 {
			b.WriteString("\n")
		}
		_, doc := pflag.UnquoteUsage(f)
		b.WriteString("# " + strings.ReplaceAll(doc, "\n", " ") + "\n")
		if note != nil && note(f) != "" {
			b.WriteString("# " + note(f) + "\n")
		}
		if !f.Changed {
			b.WriteString("#")
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Name, valueOf(f))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// valueOf writes the value of a flag as YAML.
func valueOf(f *pflag.Flag) string {
	values, isList := Values(f)
	switch kind := f.Value.Type(); {
	case isList:
		quoted := make([]string, len(values))
		for i, v := range values {
			quoted[i] = quote(v)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case kind == "string":
		return quote(values[0])
	default: // numbers, times, true and false
		return values[0]
	}
}

// quote writes a text in double quotes, in the form of YAML and JSON.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
