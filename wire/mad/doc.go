// Package mad is the InfiniBand management datagram: headers, attributes and records as fields over
// bytes, and everything derived from these declarations.
//
// A field is declared once, as a package-level handle. The declaration has its layout, name, bit
// offset and width from the specification's tables (bit 0 is the most significant bit of byte 0;
// everything is big endian). It also has the named values, and the bits for the field in the SA
// ComponentMask. From it derive Get and Put, the error for a truncated datagram and docs/mads.md;
// in tests also a datagram as text (Dump), and its bytes from that text.
//
//	data := d.Data()                               // the attribute of a datagram
//	if mad.PortInfoPortState.Get(data) == mad.PortInit { ... }
//	mad.PortInfoLID.Put(data, 17)
//
// There are four kinds of handles: Field (up to 64 bits), Array (equal numbers at a fixed
// distance), Bytes (names, GIDs, paths) and Part (a layout inside a layout: the NodeInfo of a
// NodeRecord). A handle is used on the bytes of its own layout, from the layout's first byte on.
// Get and Put cost one or two loads and allocate nothing. They check nothing: the bytes must be at
// least max(8, Layout.Size) long, which Check proves for a received datagram and New guarantees for
// a built one.
//
// Sources: InfiniBand Architecture Specification, volume 1 (the clause of every layout is in its
// declaration), checked against captured datagrams (testdata/vectors). Deviation: reserved bits are
// kept, not cleared.
package mad
