package fabric

import "testing"

// TestAggregationEvidence: either vendor and device or the description makes a CA an aggregation
// node; another vendor, or another type, does not.
func TestAggregationEvidence(t *testing.T) {
	for _, c := range []struct {
		what           string
		kind           NodeType
		vendor, device uint32
		desc           string
		port           uint8
		system         GUID
		want           string
	}{
		{
			"all of a dump", CA, 0x2c9, 0xcf09, AggregationCaption, 3, 1,
			`vendor 0x2c9 and device 0xcf09, description "Mellanox Technologies Aggregation Node", on the last port of its switch, system image GUID of its switch`,
		},
		{"renamed by a map", CA, 0x2c9, 0xcf09, "sharp 7", 1, 0, "vendor 0x2c9 and device 0xcf09"},
		{"a file without IDs", CA, 0, 0, AggregationCaption, 2, 0, `description "Mellanox Technologies Aggregation Node"`},
		{"another device of the vendor", CA, 0x2c9, 0xcf0a, AggregationCaption, 2, 0, `description "Mellanox Technologies Aggregation Node"`},
		{"another vendor", CA, 0x119f, 0xcf09, AggregationCaption, 3, 1, ""},
		{"a host", CA, 0x2c9, 0x1017, "n1 HCA-1", 3, 0, ""},
		{"a CA of a switch for management", CA, 0x2c9, 0x1017, "n1 HCA-1", 3, 1, ""},
		{"a router", Router, 0, 0, AggregationCaption, 3, 0, ""},
	} {
		f := New("test")
		s, err := f.AddNode(Switch, 1, 3, "switch")
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[s].SystemGUID = 1
		id, err := f.AddNode(c.kind, 2, 1, c.desc)
		if err != nil {
			t.Fatal(err)
		}
		n := &f.Nodes[id]
		n.VendorID, n.DeviceID, n.SystemGUID = c.vendor, c.device, c.system
		if _, err := f.Connect(End{s, c.port}, End{id, 1}, 4, HDR); err != nil {
			t.Fatal(err)
		}
		if got := f.AggregationEvidence(id); got != c.want {
			t.Errorf("%s: %q\nwant %q", c.what, got, c.want)
		}
		g := f.Compile()
		host := c.want == ""
		if g.IsHost(0) != host || len(g.HostsOf(0)) == 1 != host || len(g.OthersOf(0)) == 1 != host || len(g.AttachedTo(0)) != 1 {
			t.Errorf("%s: hosts %v, others %v, attached %v", c.what, g.HostsOf(0), g.OthersOf(0), g.AttachedTo(0))
		}
	}
}
