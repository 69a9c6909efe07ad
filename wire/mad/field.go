package mad

import "encoding/binary"

// Field is a handle for a number of up to 64 bits.
type Field struct {
	mask  uint64
	at    int   // the eight bytes at b[at:] hold the field
	shift uint8 // its lowest bit in them
	declared
}

// Get returns the field's value in b, the bytes of its layout.
func (f Field) Get(b []byte) uint64 {
	return binary.BigEndian.Uint64(b[f.at:]) >> f.shift & f.mask
}

// Put writes the lowest Width bits of v; the bits around the field stay.
func (f Field) Put(b []byte, v uint64) {
	w := b[f.at:]
	binary.BigEndian.PutUint64(w, binary.BigEndian.Uint64(w)&^(f.mask<<f.shift)|(v&f.mask)<<f.shift)
}

// Is reports whether the field is not zero; for one-bit fields.
func (f Field) Is(b []byte) bool { return f.Get(b) != 0 }

// Array is a handle for equal numbers at a fixed distance: a forwarding table block, P_Keys, SLs.
type Array struct{ declared }

// Len returns the number of elements.
func (a Array) Len() int { return a.decl.Count }

// At returns element i in b, the bytes of the array's layout.
func (a Array) At(b []byte, i int) uint64 { return a.decl.element(i).Get(b) }

// Set writes element i.
func (a Array) Set(b []byte, i int, v uint64) { a.decl.element(i).Put(b, v) }

// Raw returns the part of b that holds the array, for arrays of whole bytes such as the ports of a
// forwarding table block. It aliases b.
func (a Array) Raw(b []byte) []byte { return a.decl.bytes(b) }

// Bytes is a handle for a range of whole bytes: a name, a GID, a path.
type Bytes struct{ declared }

// Get returns the range in b, the bytes of its layout. It aliases b.
func (f Bytes) Get(b []byte) []byte { return f.decl.bytes(b) }

// Put copies v into the range and clears the rest of it; excess bytes are dropped.
func (f Bytes) Put(b, v []byte) {
	r := f.decl.bytes(b)
	clear(r[copy(r, v):])
}

// Text returns the range up to its first zero byte, the form of names.
func (f Bytes) Text(b []byte) string {
	r := f.decl.bytes(b)
	for i, c := range r {
		if c == 0 {
			return string(r[:i])
		}
	}
	return string(r)
}

// GID returns the range as a GID; the range must be 16 bytes.
func (f Bytes) GID(b []byte) GID { return GID(f.decl.bytes(b)) }

// Part is a handle for a layout inside another one.
type Part struct{ declared }

// Get returns the inner layout's part of b, for the handles of the inner layout. It aliases b and
// reaches to the end of b if the inner layout is the last part of the outer.
func (p Part) Get(b []byte) []byte { return b[p.decl.Off/8:] }

// Handle is any of the four handles.
type Handle interface{ Decl() *Decl }

// declared is the common part of all handles.
type declared struct{ decl *Decl }

// Decl returns the declaration of the handle.
func (d declared) Decl() *Decl { return d.decl }

// handle derives the access path of the width bits at bit off. The eight bytes loaded end with the
// field, so that they never reach beyond a layout of eight bytes or more.
func handle(d *Decl, off, width int) Field {
	end := (off + width + 7) / 8
	at := max(0, end-8)
	return Field{
		mask:     ^uint64(0) >> (64 - width),
		at:       at,
		shift:    uint8((at+8)*8 - off - width),
		declared: declared{d},
	}
}
