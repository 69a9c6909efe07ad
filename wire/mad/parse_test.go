package mad

import (
	"bytes"
	enchex "encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// MaxMessage is the longest datagram that Parse makes, in bytes.
const MaxMessage = 1 << 24

// Parse reads what Dump prints and gives the bytes back. What the text does not
// name is zero; blank lines and lines that begin with # are skipped, as are the
// names of values behind a number. Text can thus be written by hand, too.
func Parse(text []byte) (Datagram, error) {
	p := parser{}
	for i, line := range bytes.Split(text, []byte("\n")) {
		l := strings.TrimRight(string(line), "\r")
		if l == "" || l[0] == '#' {
			continue
		}
		if err := p.line(l); err != nil {
			return nil, fmt.Errorf("mad: line %d: %w", i+1, err)
		}
	}
	if p.buf == nil {
		return nil, fmt.Errorf("mad: no line says how long the datagram is (want: datagram 256 bytes)")
	}
	return p.buf[:p.n:p.n], nil
}

type parser struct {
	buf Datagram // eight bytes longer than the datagram, for handles at its end
	n   int
	at  section
}

func (p *parser) line(l string) error {
	name, value, _ := strings.Cut(l, " ")
	switch {
	case name == "datagram":
		return p.start(value)
	case p.buf == nil:
		return fmt.Errorf("%q before the line that says how long the datagram is", l)
	case strings.HasPrefix(l, "  "):
		return p.field(l[2:])
	case l[0] == '@':
		return p.raw(l[1:])
	default:
		return p.section(name, value)
	}
}

// start reads the first line: datagram N bytes.
func (p *parser) start(value string) error {
	number, _, _ := strings.Cut(value, " ")
	n, err := strconv.ParseUint(number, 10, 31)
	switch {
	case p.buf != nil:
		return fmt.Errorf("a second datagram begins")
	case err != nil || n > MaxMessage:
		return fmt.Errorf("%q is not a length of up to %d bytes", number, MaxMessage)
	}
	p.n = int(n)
	p.buf = make(Datagram, p.n+8)
	return nil
}

// section reads LAYOUT @OFFSET.
func (p *parser) section(name, value string) error {
	l := LayoutByName(name)
	if l == nil {
		return fmt.Errorf("no layout is called %q", name)
	}
	off, err := strconv.ParseUint(strings.TrimPrefix(value, "@"), 10, 31)
	if err != nil || int(off) > p.n {
		return fmt.Errorf("%q is not an offset in %d bytes", value, p.n)
	}
	p.at = section{l, int(off)}
	return nil
}

// field reads NAME: VALUE or NAME[INDEX]: VALUE VALUE ...
func (p *parser) field(l string) error {
	name, value, ok := strings.Cut(l, ": ")
	if !ok || p.at.layout == nil {
		return fmt.Errorf("%q is not a field of a layout", l)
	}
	name, index, isArray := strings.Cut(name, "[")
	f := p.at.layout.field(name)
	switch {
	case f == nil:
		return fmt.Errorf("%s has no field %q", p.at.layout.Name, name)
	case p.at.off*8+f.End() > p.n*8:
		return fmt.Errorf("%s.%s does not fit %d bytes", p.at.layout.Name, name, p.n)
	case f.wide:
		return f.parseWide(p.buf[p.at.off:], value)
	}
	first, values := uint64(0), []string{value}
	if isArray {
		var err error
		if first, err = strconv.ParseUint(strings.TrimSuffix(index, "]"), 10, 16); err != nil {
			return fmt.Errorf("%q is not an index", index)
		}
		values = strings.Fields(value)
	} else {
		values[0], _, _ = strings.Cut(value, " ")
	}
	for i, v := range values {
		if err := f.parseNumber(p.buf[p.at.off:], int(first)+i, v); err != nil {
			return err
		}
	}
	return nil
}

// field finds a field that has a value of its own, nil when there is none.
func (l *Layout) field(name string) *Decl {
	for _, d := range l.decls {
		if d.Name == name && d.Part == nil {
			return d
		}
	}
	return nil
}

func (d *Decl) parseNumber(b []byte, i int, s string) error {
	v, err := strconv.ParseUint(s, 0, 64)
	if i >= d.Count {
		return fmt.Errorf("%s.%s has %d elements", d.Layout.Name, d.Name, d.Count)
	}
	if f := d.element(i); err == nil && v <= f.mask {
		f.Put(b, v)
		return nil
	}
	return fmt.Errorf("%s.%s: %q is not a number of %d bits", d.Layout.Name, d.Name, s, d.Width)
}

func (d *Decl) parseWide(b []byte, s string) error {
	v, err := d.format.parse(s)
	if err != nil || len(v) > d.Width/8 {
		return fmt.Errorf("%s.%s: %q is not a value of %d bytes", d.Layout.Name, d.Name, s, d.Width/8)
	}
	Bytes{declared{d}}.Put(b, v)
	return nil
}

// parse is the inverse of wide.
func (f format) parse(s string) ([]byte, error) {
	switch f {
	case gid:
		g, err := ParseGID(s)
		return g[:], err
	case text:
		v, err := strconv.Unquote(s)
		return []byte(v), err
	case path:
		var hops []byte
		for hop := range strings.SplitSeq(s, ",") {
			v, err := strconv.ParseUint(hop, 10, 8)
			if err != nil {
				return nil, err
			}
			hops = append(hops, byte(v))
		}
		return hops, nil
	default:
		return enchex.DecodeString(s)
	}
}

// raw parses OFFSET: HEX and sets the bits in addition.
func (p *parser) raw(l string) error {
	number, digits, _ := strings.Cut(l, ": ")
	off, err := strconv.ParseUint(number, 10, 31)
	b, bad := enchex.DecodeString(digits)
	if err != nil || bad != nil || int(off)+len(b) > p.n {
		return fmt.Errorf("%q is not an offset and hexadecimal digits in %d bytes", l, p.n)
	}
	for i, v := range b {
		p.buf[int(off)+i] |= v
	}
	return nil
}

// LayoutByName finds a layout, nil when there is none of that name.
func LayoutByName(name string) *Layout {
	for _, l := range layouts {
		if l.Name == name {
			return l
		}
	}
	return nil
}
