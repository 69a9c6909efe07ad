// Package mad is the InfiniBand management datagram: headers, attributes and
// records as fields over bytes, and what derives from those declarations.
//
// A field is declared once, as a package-level handle: its layout, name, bit
// offset and width as the specification's tables give them (bit 0 is the most
// significant bit of byte 0; everything is big endian), the values that have
// names, the bits of the SA ComponentMask that stand for it. From that one
// declaration derive Get and Put, the error that names what a truncated datagram
// lacks and docs/mads.md; in tests also a datagram as text (Dump), and its bytes
// from that text again.
//
//	data := d.Data()                               // the attribute of a datagram
//	if mad.PortInfoPortState.Get(data) == mad.PortInit { ... }
//	mad.PortInfoLID.Put(data, 17)
//
// There are four kinds of handles: Field (up to 64 bits), Array (equal numbers
// at a fixed distance), Bytes (names, GIDs, paths) and Part (a layout inside a
// layout: the NodeInfo of a NodeRecord). A handle is used on the bytes of its
// own layout, from the layout's first byte on. Get and Put cost one load or two
// and allocate nothing; they do not check: the bytes must be at least
// max(8, Layout.Size) long, which Check proves for a datagram that was received
// and New guarantees for one that is built.
//
// Sources: InfiniBand Architecture Specification, volume 1 (the clause of every
// layout is in its declaration), checked against captured datagrams
// (testdata/vectors). Deviation: reserved bits are kept, not cleared.
package mad
