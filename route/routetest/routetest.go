// Package routetest has helpers for tests of Plans. Only tests import it.
package routetest

import (
	"fmt"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/tables"
)

// Must fails the test on an error; Must(call())(t) returns the value of the call.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Line builds a row of switches, each linked to the next, with some hosts each.
func Line(t testing.TB, switches, hosts int) *fabric.Fabric {
	t.Helper()
	f := fabric.New("line")
	for s := range switches {
		Must(f.AddNode(fabric.Switch, fabric.GUID(0x100+s), hosts+4, fmt.Sprintf("switch %d", s)))(t)
	}
	for s := range switches {
		if s > 0 {
			Must(f.Connect(fabric.End{Node: fabric.NodeID(s - 1), Port: 2}, fabric.End{Node: fabric.NodeID(s), Port: 1}, 4, fabric.HDR))(t)
		}
		for h := range hosts {
			ca := Must(f.AddNode(fabric.CA, fabric.GUID(0x1000+s*hosts+h), 1, fmt.Sprintf("host %d.%d", s, h)))(t)
			Must(f.Connect(fabric.End{Node: ca, Port: 1}, fabric.End{Node: fabric.NodeID(s), Port: uint8(5 + h)}, 4, fabric.HDR))(t)
		}
	}
	return f
}

// Swlab reads a real subnet and OpenSM's forwarding tables of it.
func Swlab(t testing.TB) (*fabric.Graph, *tables.LFTs) {
	t.Helper()
	f, _, err := netfile.Read("swlab.lst", examples.Swlab, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lfts, _, err := netfile.ReadLFTs("swlab.fdbs", examples.SwlabTables)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile(), lfts
}
