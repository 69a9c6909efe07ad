package mad

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Dump prints b as text: the fields of its headers, attribute or records by
// name, and in hexadecimal whatever no field stands for and is not zero. It
// prints any bytes, also truncated ones, and returns what Check says of them. The
// text says every byte.
func Dump(w io.Writer, b []byte) error {
	d := Datagram(b)
	p := printer{data: d, n: len(b), covered: make([]byte, len(b))}
	fmt.Fprintf(&p.out, "datagram %d bytes: %v\n", len(b), d)
	if len(b) < Size {
		p.data = padded(b, Size)
	}
	p.sections(p.data.sections())
	p.raw(b)
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return err
	}
	return Check(b)
}

// printer collects the text, and which bits are in it.
type printer struct {
	out     bytes.Buffer
	data    Datagram // with room for all layouts
	n       int      // bytes that are there
	covered []byte
}

// sections prints the fields. Fields of a union come after all others: the more
// specific name for the same bits wins.
func (p *printer) sections(all []section) {
	for _, s := range all {
		for _, f := range s.layout.decls {
			if !f.union && p.has(s, f) {
				p.cover(s, f)
			}
		}
	}
	for _, s := range all {
		p.section(s)
	}
}

// section prints a layout's name and fields, unless it lies behind the end.
func (p *printer) section(s section) {
	if s.off >= p.n {
		return
	}
	fmt.Fprintf(&p.out, "%s @%d\n", s.layout.Name, s.off)
	for _, f := range s.layout.decls {
		switch {
		case !p.has(s, f):
		case !f.union:
			p.field(s, f)
		case p.uncovered(s, f):
			p.field(s, f)
			p.cover(s, f)
		}
	}
}

// has reports whether the field is there and is one to print; a part has a section
// of its own.
func (p *printer) has(s section, f *Decl) bool {
	return f.Part == nil && s.off*8+f.End() <= p.n*8
}

// field prints one field; an array as rows of 16 elements that are not all zero.
func (p *printer) field(s section, f *Decl) {
	b := p.data[s.off:]
	switch {
	case f.wide:
		fmt.Fprintf(&p.out, "  %s: %s\n", f.Name, f.format.wide(f.bytes(b)))
	case f.Count == 1:
		v := f.element(0).Get(b)
		fmt.Fprintf(&p.out, "  %s: %s", f.Name, f.number(v))
		if name := f.ValueName(v); name != "" {
			fmt.Fprintf(&p.out, " (%s)", name)
		}
		p.out.WriteByte('\n')
	default:
		p.rows(f, b)
	}
}

func (p *printer) rows(f *Decl, b []byte) {
	const row = 16
	for first := 0; first < f.Count; first += row {
		end, all := min(first+row, f.Count), uint64(0)
		for i := first; i < end; i++ {
			all |= f.element(i).Get(b)
		}
		if all == 0 {
			continue
		}
		fmt.Fprintf(&p.out, "  %s[%d]:", f.Name, first)
		for i := first; i < end; i++ {
			p.out.WriteByte(' ')
			p.out.WriteString(f.number(f.element(i).Get(b)))
		}
		p.out.WriteByte('\n')
	}
}

// number is a value in the declaration's base.
func (d *Decl) number(v uint64) string {
	if d.format == hexadecimal {
		return fmt.Sprintf("0x%0*x", (d.Width+3)/4, v)
	}
	return strconv.FormatUint(v, 10)
}

// wide is the text of a range of bytes, zeros at its end left out.
func (f format) wide(b []byte) string {
	short := bytes.TrimRight(b, "\x00")
	switch f {
	case gid:
		return GID(b).String()
	case text:
		return strconv.Quote(string(short))
	case path:
		var s []byte
		for i, hop := range b[:max(1, len(short))] {
			if i > 0 {
				s = append(s, ',')
			}
			s = strconv.AppendUint(s, uint64(hop), 10)
		}
		return string(s)
	default:
		return fmt.Sprintf("%x", b[:max(1, len(short))])
	}
}

// raw prints the bits that no field stood for, in rows of up to 32 bytes, where
// they are not zero.
func (p *printer) raw(b []byte) {
	left := make([]byte, len(b))
	for i := range b {
		left[i] = b[i] &^ p.covered[i]
	}
	for i := 0; i < len(left); i++ {
		if left[i] == 0 {
			continue
		}
		row := bytes.TrimRight(left[i:min(i+32, len(left))], "\x00")
		fmt.Fprintf(&p.out, "@%d: %x\n", i, row)
		i += len(row) - 1
	}
}

// cover marks the field's bits as printed.
func (p *printer) cover(s section, f *Decl) {
	f.eachByte(s.off, func(at int, mask byte) { p.covered[at] |= mask })
}

// uncovered reports whether none of the field's bits was printed.
func (p *printer) uncovered(s section, f *Decl) bool {
	free := true
	f.eachByte(s.off, func(at int, mask byte) { free = free && p.covered[at]&mask == 0 })
	return free
}

// eachByte calls do for every byte that the field, of a layout at byte off, has
// bits in.
func (d *Decl) eachByte(off int, do func(at int, mask byte)) {
	for i := range d.Count {
		first := off*8 + d.Off + i*d.Stride
		for bit := first; bit < first+d.Width; {
			n := min(8-bit%8, first+d.Width-bit)
			do(bit/8, byte(0xFF)>>(8-n)<<(8-bit%8-n))
			bit += n
		}
	}
}
