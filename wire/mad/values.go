package mad

import (
	"fmt"
	"net/netip"
	"strings"
)

// named is a value, or the number of a bit, with its name.
type named struct {
	v    uint64
	name string
}

// inOrder numbers names from 0 on; "" leaves a number without a name.
func inOrder(names ...string) []named {
	var numbered []named
	for i, name := range names {
		if name != "" {
			numbered = append(numbered, named{uint64(i), name})
		}
	}
	return numbered
}

// fieldNames returns the names of fields.
func fieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.decl.Name
	}
	return names
}

// valueNames holds the names of a field's values or bits.
type valueNames struct {
	names []named
	bits  bool
}

// of returns the words for v: one name, the names of all set bits, or "".
func (n valueNames) of(v uint64) string {
	var said []string
	for _, x := range n.names {
		if n.bits && v>>x.v&1 == 1 || !n.bits && v == x.v {
			said = append(said, x.name)
		}
	}
	return strings.Join(said, " ")
}

// ValueName returns the words for value v: the name of an enumerated
// value, the names of all set bits, or "".
func (d *Decl) ValueName(v uint64) string { return d.values.of(v) }

// GID is a global identifier: the subnet prefix and the GUID of a port, or a
// multicast group.
type GID [16]byte

// String formats a GID as the IPv6 address that it is: fe80::10:1.
func (g GID) String() string { return netip.AddrFrom16(g).String() }

// MakeGID joins a subnet prefix and a GUID.
func MakeGID(prefix, guid uint64) GID {
	var g GID
	GIDPrefix.Put(g[:], prefix)
	GIDGUID.Put(g[:], guid)
	return g
}

// ParseGID parses any form of an IPv6 address.
func ParseGID(s string) (GID, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return GID{}, fmt.Errorf("mad: %q is not a GID (want the form fe80::10:1)", s)
	}
	return a.As16(), nil
}

// DefaultGIDPrefix is the default subnet prefix.
const DefaultGIDPrefix = 0xFE80000000000000

// The two halves of a GID.
var (
	gidLayout = newLayout("GID", 16, "4.1.1")
	GIDPrefix = gidLayout.bits("Prefix", 0, 64, hex)
	GIDGUID   = gidLayout.bits("GUID", 64, 64, hex)
)
