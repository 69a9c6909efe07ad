package lines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

func isControl(b byte) bool { return b < ' ' || b == 0x7f }

// HasControl reports whether a text has control characters.
func HasControl(s string) bool {
	for i := range len(s) {
		if isControl(s[i]) {
			return true
		}
	}
	return false
}

// Printable makes a text safe for one line of a file. It works on bytes: a description may not be
// UTF-8.
func Printable(s string) string {
	if !HasControl(s) {
		return s
	}
	b := []byte(s)
	for i := range b {
		if isControl(b[i]) {
			b[i] = ' '
		}
	}
	return string(b)
}

// ChassisHeading returns the heading of a node's chassis in files, "" where it has none.
func ChassisHeading(n *fabric.Node) string {
	if strings.HasPrefix(n.Chassis, "Chassis ") && n.Chassis == strings.TrimSpace(n.Chassis) && !HasControl(n.Chassis) {
		return n.Chassis
	}
	return ""
}

// ListingOrder returns the order for writing nodes that are up: by chassis, then switches, CAs and
// routers, then by GUID.
func ListingOrder(f *fabric.Fabric) []fabric.NodeID {
	rank := [...]int{fabric.Switch: 0, fabric.CA: 1, fabric.Router: 2}
	var order []fabric.NodeID
	for i := range f.Nodes {
		if !f.Nodes[i].Down {
			order = append(order, fabric.NodeID(i))
		}
	}
	slices.SortFunc(order, func(a, b fabric.NodeID) int {
		x, y := &f.Nodes[a], &f.Nodes[b]
		return cmp.Or(
			cmp.Compare(ChassisHeading(x), ChassisHeading(y)),
			cmp.Compare(rank[x.Type], rank[y.Type]),
			cmp.Compare(x.GUID, y.GUID))
	})
	return order
}

// NodeID returns the id of a node in a file, which is also its name if it has no better one.
func NodeID(n *fabric.Node) string {
	letter := [...]byte{fabric.Switch: 'S', fabric.CA: 'H', fabric.Router: 'R'}[n.Type]
	return fmt.Sprintf("%c-%016x", letter, uint64(n.GUID))
}
