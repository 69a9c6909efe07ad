package mad

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Layout is a structure of the specification: a header, an attribute, a
// record.
type Layout struct {
	Name   string
	Size   int    // meaningful bytes; records and attributes are padded
	Clause string // section of the specification, volume 1

	decls []*Decl // by offset
	parts []component
}

// A Decl is the one declaration of a field. Offsets and widths are in bits from
// the layout's first, most significant bit.
type Decl struct {
	Layout *Layout
	Name   string
	Off    int
	Width  int // of one element
	Count  int // elements; 1 unless an array
	Stride int // from element to element
	Clause string
	Note   string  // meaning, if not clear from the name
	Part   *Layout // the layout of a Part

	format    format
	values    valueNames
	component uint64
	wide      bool // a range of bytes
	union     bool // shares its bits with other fields
}

// component holds the bits of an SA record's ComponentMask for a field of a layout inside the
// record.
type component struct {
	decl *Decl
	mask uint64
}

type format uint8

const (
	decimal format = iota
	hexadecimal
	hexBytes
	text
	path
	gid
)

// layouts holds all layouts in the order of their names, for documentation and tests.
var layouts []*Layout

// newLayout declares a layout of size bytes.
func newLayout(name string, size int, clause string) *Layout {
	l := &Layout{Name: name, Size: size, Clause: clause}
	at, double := slices.BinarySearchFunc(layouts, name, func(l *Layout, name string) int { return strings.Compare(l.Name, name) })
	if double {
		panic("mad: two layouts are called " + name)
	}
	layouts = slices.Insert(layouts, at, l)
	return l
}

// Fields returns the layout's declarations, by offset.
func (l *Layout) Fields() []*Decl { return slices.Clone(l.decls) }

// Mask returns the ComponentMask of an SA query that fixes the given fields of the record or of a
// layout inside it. It panics for a field without a bit there: the query would silently ask for
// something else.
func (l *Layout) Mask(fields ...Handle) uint64 {
	mask := uint64(0)
	for _, f := range fields {
		bits := l.Component(f.Decl())
		if bits == 0 {
			panic(fmt.Sprintf("mad: no component of %s stands for %s.%s", l.Name, f.Decl().Layout.Name, f.Decl().Name))
		}
		mask |= bits
	}
	return mask
}

// Component returns the ComponentMask bits for field d of the record or of a layout inside it; 0 if
// there are none. An array has one bit an element, the lowest for the first element.
func (l *Layout) Component(d *Decl) uint64 {
	if d.Layout == l {
		return d.component
	}
	for _, c := range l.parts {
		if c.decl == d {
			return c.mask
		}
	}
	return 0
}

// bits declares a number of width bits at bit off.
func (l *Layout) bits(name string, off, width int, opts ...option) Field {
	f := handle(l.declare(name, off, width, opts), off, width)
	if width < 1 || width > 64 || f.at*8 > off {
		panic(fmt.Sprintf("mad: %s.%s: %d bits at bit %d do not fit a word", l.Name, name, width, off))
	}
	return f
}

// run declares consecutive numbers of width bits, beginning at byte off.
func (l *Layout) run(off, width int, names ...string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i] = l.bits(name, off*8+i*width, width)
	}
	return fields
}

// array declares count numbers of width bits, the first at bit off, stride bits
// apart.
func (l *Layout) array(name string, off, width, count, stride int, opts ...option) Array {
	return Array{declared{l.declare(name, off, width, append(opts, func(d *Decl) { d.Count, d.Stride = count, stride }))}}
}

// bytes declares size bytes at byte off.
func (l *Layout) bytes(name string, off, size int, f format, opts ...option) Bytes {
	return Bytes{declared{l.declare(name, off*8, size*8, append(opts, func(d *Decl) { d.wide, d.format = true, f }))}}
}

// part declares that inner lies at byte off.
func (l *Layout) part(name string, off int, inner *Layout, opts ...option) Part {
	return Part{declared{l.declare(name, off*8, inner.Size*8, append(opts, func(d *Decl) { d.wide, d.Part = true, inner }))}}
}

// declare adds a field. Handles of several files are initialised in order of their dependencies,
// hence the insertion by offset.
func (l *Layout) declare(name string, off, width int, opts []option) *Decl {
	d := &Decl{Layout: l, Name: name, Off: off, Width: width, Count: 1, Clause: l.Clause}
	for _, o := range opts {
		o(d)
	}
	at, _ := slices.BinarySearchFunc(l.decls, d, func(a, b *Decl) int {
		return cmp.Or(cmp.Compare(a.Off, b.Off), strings.Compare(a.Name, b.Name))
	})
	l.decls = slices.Insert(l.decls, at, d)
	return d
}

// End returns the bit after the field's last one.
func (d *Decl) End() int { return d.Off + (d.Count-1)*d.Stride + d.Width }

// Union reports whether the field is another reading of bits that other fields share.
func (d *Decl) Union() bool { return d.union }

// element returns the handle for element i.
func (d *Decl) element(i int) Field { return handle(d, d.Off+i*d.Stride, d.Width) }

// bytes returns the field's part of b.
func (d *Decl) bytes(b []byte) []byte {
	end := d.End() / 8
	return b[d.Off/8 : end : end]
}

// option completes a declaration.
type option func(*Decl)

// hex prints the number in hexadecimal.
func hex(d *Decl) { d.format = hexadecimal }

// union declares that the field shares its bits with other fields of the layout or of an overlaid
// one.
func union(d *Decl) { d.union = true }

// enum declares the names of values.
func enum(names ...named) option {
	return func(d *Decl) { d.values = valueNames{names: names} }
}

// flags declares the names of bits; the value of a name is its bit's number.
func flags(names ...named) option {
	return func(d *Decl) { d.values = valueNames{names: names, bits: true}; d.format = hexadecimal }
}

// note adds an explanation to the name.
func note(s string) option { return func(d *Decl) { d.Note = s } }

// comp declares the field's bits of the ComponentMask.
func comp(bits ...int) option {
	return func(d *Decl) {
		for _, b := range bits {
			d.component |= 1 << b
		}
	}
}

// comps declares n bits for an array, one an element, beginning with bit first.
func comps(first, n int) option {
	return func(d *Decl) { d.component = (1<<n - 1) << first }
}

// inner assigns bits of the record's ComponentMask to fields of a part, in this order, beginning
// with bit first; an array takes a bit an element.
func inner(first int, fields ...Handle) option {
	return func(d *Decl) {
		next := first
		for _, f := range fields {
			n := f.Decl().Count
			d.Layout.parts = append(d.Layout.parts, component{f.Decl(), (1<<n - 1) << next})
			next += n
		}
	}
}
