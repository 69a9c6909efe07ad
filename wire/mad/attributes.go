package mad

import (
	"cmp"
	"fmt"
	"slices"
)

// attribute pairs an attribute number with its layout.
type attribute struct {
	id     AttrID
	layout *Layout
}

// attributes holds the attributes of every class, by number. Both SMP classes use ClassSMP.
var attributes = map[Class][]attribute{}

// newAttribute declares the layout of an attribute of a class.
func newAttribute(c Class, id AttrID, name string, size int, clause string) *Layout {
	return newLayout(name, size, clause).as(c, id)
}

// as declares the layout as an attribute of a class.
func (l *Layout) as(c Class, id AttrID) *Layout {
	at, _ := slices.BinarySearchFunc(attributes[c], id, func(a attribute, id AttrID) int { return cmp.Compare(a.id, id) })
	attributes[c] = slices.Insert(attributes[c], at, attribute{id, l})
	return l
}

// attributes returns the attributes of a class, by number.
func (c Class) attributes() []attribute {
	if c == ClassDirectedSMP {
		c = ClassSMP
	}
	return attributes[c]
}

// Attribute returns the layout of an attribute in a class, nil if unknown.
func (c Class) Attribute(id AttrID) *Layout {
	for _, a := range c.attributes() {
		if a.id == id {
			return a.layout
		}
	}
	return nil
}

// AttributeNames returns the names of a class's attributes, by number.
func (c Class) AttributeNames() (names []string) {
	for _, a := range c.attributes() {
		names = append(names, a.layout.Name)
	}
	return names
}

// AttributeName returns the name of an attribute in a class, or its number.
func (c Class) AttributeName(id AttrID) string {
	if l := c.Attribute(id); l != nil {
		return l.Name
	}
	return fmt.Sprintf("0x%04x", uint16(id))
}

// section is a layout at its offset in a datagram.
type section struct {
	layout *Layout
	off    int // bytes
}

// sections returns the layouts of a datagram of at least Size bytes: headers, attribute or records,
// and nested layouts.
func (d Datagram) sections() []section {
	s := []section{{Header, 0}}
	switch d.Class() {
	case ClassSMP:
		s = append(s, section{SMP, 0})
	case ClassDirectedSMP:
		s = append(s, section{DirectedSMP, 0})
	case ClassSA:
		s = append(s, section{RMPP, 0}, section{SAHeader, 0})
	case ClassCC:
		s = append(s, section{CongestionHeader, 0})
	default: // nothing between the common header and the data
	}
	l := d.Class().Attribute(d.Attr())
	if l == nil {
		return s
	}
	if d.Class() != ClassSA {
		return d.nest(s, l, d.Class().dataOffset())
	}
	size, n := d.records(l)
	for i := range n {
		s = d.nest(s, l, saData+i*size)
	}
	return s
}

// records returns the size of a record of layout l and the number of records in the datagram: one,
// or any number in the answer to a table query. Errors, acknowledgements and later segments, which
// may begin inside a record, have none.
func (d Datagram) records(l *Layout) (size, n int) {
	m, t := d.Method(), RMPPType.Get(d)
	switch {
	case m.IsResponse() && d.Status() != StatusOK,
		t == RMPPTypeAck || t == RMPPTypeStop || t == RMPPTypeAbort,
		d.isData() && RMPPFlags.Get(d)&RMPPFirst == 0:
		return 0, 0
	case m != GetTableResp && m != GetMultiResp:
		return l.RecordSize(), 1
	}
	whole := d
	if n := d.MessageLength(); n > 0 && n < len(d) {
		whole = d[:n]
	}
	if size, n = whole.Records(); size < l.Size {
		return 0, 0
	}
	return size, n
}

// nest adds layout l at byte off, and the layouts inside it.
func (d Datagram) nest(s []section, l *Layout, off int) []section {
	s = append(s, section{l, off})
	for _, f := range l.decls {
		if f.Part != nil {
			s = d.nest(s, f.Part, off+f.Off/8)
		}
	}
	switch l {
	case Notice:
		if t := TrapDetails(d[off:]); t != nil {
			s = append(s, section{t, off})
		}
	case MultiPathRecord:
		n := MultiPathRecordSGIDCount.Get(d[off:]) + MultiPathRecordDGIDCount.Get(d[off:])
		at := off + MultiPathRecord.Size
		for ; n > 0 && at+MultiPathGID.Size <= len(d); n-- {
			s = append(s, section{MultiPathGID, at})
			at += MultiPathGID.Size
		}
	}
	return s
}
