package mad

import "fmt"

// ShortError is the error for a truncated datagram, attribute or record.
type ShortError struct {
	Layout *Layout // of the first missing field
	Field  *Decl   // that field; nil if only reserved bytes are missing
	Have   int     // bytes
	Need   int     // bytes
}

// Error names the field.
func (e *ShortError) Error() string {
	what := "reserved bytes are"
	if e.Field != nil {
		what = e.Layout.Name + "." + e.Field.Name + " is"
	}
	return fmt.Sprintf("mad: %d bytes of %d: %s missing", e.Have, e.Need, what)
}

// Check reports whether b is a complete datagram, so that every handle of its layouts can be used
// on it: Size bytes as on the wire, or an RMPP message of the length in its header (umad returns
// such messages whole). A truncated one is a *ShortError. Check only looks at lengths, not at
// values.
func Check(b []byte) error {
	if len(b) == Size {
		return nil
	}
	n := wantedLength(b)
	switch {
	case len(b) < n:
		return shortDatagram(b, n)
	case len(b) > n:
		return fmt.Errorf("mad: %d bytes, the datagram has %d", len(b), n)
	}
	return nil
}

// wantedLength computes the expected length of b from the headers it has.
func wantedLength(b []byte) int {
	if len(b) < saData {
		return Size
	}
	d := Datagram(b)
	switch {
	case !d.isData() || !d.Class().HasRMPP():
		return Size
	case d.Class() != ClassSA:
		return max(Size, len(b))
	}
	if n := d.MessageLength(); n > 0 {
		return n
	}
	size, _ := d.Records()
	if len(b) < Size || size == 0 {
		return max(Size, len(b))
	}
	rest := (len(b) - saData) % size
	return len(b) + (size-rest)%size
}

// HasRMPP reports whether datagrams of the class have room for an RMPP header (13.6): SA, DevMgt,
// DevAdm, BIS and the vendor classes with an OUI.
func (c Class) HasRMPP() bool {
	return c == ClassSA || c == 0x06 || c == 0x10 || c == 0x12 || c >= 0x30 && c <= 0x4F
}

// shortDatagram finds the first field that is missing or incomplete in b, which should have need
// bytes. The bytes of b determine the layouts.
func shortDatagram(b []byte, need int) *ShortError {
	e := &ShortError{Layout: Header, Have: len(b), Need: need}
	d := Datagram(b)
	if len(d) >= saData && d.Class() == ClassSA {
		size, _ := d.Records()
		d = padded(b, min(need, max(Size, len(b)+size)))
	} else {
		d = padded(b, Size)
	}
	best := len(d) * 8
	for _, s := range d.sections() {
		if f := s.layout.missing(len(b) - s.off); f != nil && s.off*8+f.Off < best {
			best = s.off*8 + f.Off
			e.Layout, e.Field = s.layout, f
		}
	}
	return e
}

// padded returns b with zeros up to n bytes, and at least Size.
func padded(b []byte, n int) Datagram {
	d := make(Datagram, max(n, Size, len(b)))
	copy(d, b)
	return d
}

// missing returns the first field that is incomplete in the layout's first n bytes, nil if there is
// none.
func (l *Layout) missing(n int) *Decl {
	for _, f := range l.decls {
		if f.End() > n*8 && f.Part == nil {
			return f
		}
	}
	return nil
}

// Check reports whether b, the bytes of one attribute or record, is long enough for the layout's
// handles: Size bytes, and at least eight. The error is a *ShortError.
func (l *Layout) Check(b []byte) error {
	need := max(l.Size, 8)
	if len(b) >= need {
		return nil
	}
	return &ShortError{Layout: l, Field: l.missing(len(b)), Have: len(b), Need: need}
}
