package watch

import (
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/sm/terms"
)

// TestRates: every width and speed is found as it is, also FDR10, which only a
// vendor's attribute tells from QDR, and what else a Fabric says of a node.
func TestRates(t *testing.T) {
	widths := []fabric.Width{1, 2, 4, 8, 12}
	speeds := []fabric.Speed{fabric.SDR, fabric.DDR, fabric.QDR, fabric.FDR10, fabric.FDR, fabric.EDR, fabric.HDR, fabric.NDR, fabric.XDR}
	f := fabric.New("rates")
	n := len(widths) * len(speeds)
	add := func(typ fabric.NodeType, guid fabric.GUID, ports int) fabric.NodeID {
		id, err := f.AddNode(typ, guid, ports, typ.String())
		if err != nil {
			t.Fatal(err)
		}
		d := &f.Nodes[id]
		d.VendorID, d.DeviceID, d.Revision, d.SystemGUID = 0x2C9, 0xC738, 7, guid+5
		for p := range d.Ports {
			d.Ports[p].VLCap = 4
			if typ != fabric.Switch {
				d.Ports[p].GUID = guid + fabric.GUID(p)
			}
		}
		if typ == fabric.Switch {
			d.LinearFDBCap = 1000
		}
		return id
	}
	a, b, h := add(fabric.Switch, 0x100, n+1), add(fabric.Switch, 0x200, n), add(fabric.CA, 0x300, 1)
	connect := func(x, y fabric.End, w fabric.Width, s fabric.Speed) {
		if _, err := f.Connect(x, y, w, s); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		p := uint8(i + 1)
		connect(fabric.End{Node: a, Port: p}, fabric.End{Node: b, Port: p}, widths[i%len(widths)], speeds[i/len(widths)])
	}
	connect(fabric.End{Node: h, Port: 1}, fabric.End{Node: a, Port: uint8(n + 1)}, 4, fabric.EDR)

	v, err := newVirtual(f, emulator.Options{}, terms.Config{ReadOnly: true}, planner.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if r := v.run(); r.State != terms.Discovered || len(r.Incidents) > 0 {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	want := f.Clone()
	want.Nodes[h].Ports[0].GUID, want.Nodes[h].Ports[0].VLCap = 0, 0 // a CA has no port 0
	for _, d := range fabric.Diff(want, v.manager.Result().Fabric()) {
		t.Error(d)
	}
}
