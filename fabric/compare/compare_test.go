package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/netfiletest"
)

// sides writes a fabric in every format, and reads it back.
func sides(t *testing.T, f *fabric.Fabric) map[string]Side {
	t.Helper()
	all := map[string]Side{}
	for name, write := range map[string]func(*strings.Builder, *fabric.Fabric){
		"ibnetdiscover": nil, "json": nil, "port_list": netfiletest.WritePortList, "db_csv": netfiletest.WriteDBCSV, "node_list": netfiletest.WriteNodeList, "ndt": netfiletest.WriteNDT,
	} {
		var text strings.Builder
		if write != nil {
			write(&text, f)
		} else {
			format, err := netfile.FindWritable(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := format.Write(&text, f, netfile.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		format, err := netfile.Detect(name, []byte(text.String()))
		if err != nil || format.Name != name {
			t.Fatalf("%s is taken for %v: %v", name, format, err)
		}
		got, _, err := format.Read(name, []byte(text.String()), netfile.Options{Partial: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = Side{got, name, format.Tells}
	}
	return all
}

func readExample(t *testing.T, data []byte) *fabric.Fabric {
	t.Helper()
	f, _, err := netfile.Read("example", data, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// nameSwitches gives every switch a name of its own, as NDT needs it.
func nameSwitches(f *fabric.Fabric) {
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			n.Desc = fmt.Sprintf("MF0;leaf-%d:MQM8700/U1", i)
		}
	}
}

// TestSwitchesOfOneName: a table of names does not say which of several switches of one name it
// means, and one whose names are all strange says nothing.
func TestSwitchesOfOneName(t *testing.T) {
	all := sides(t, readExample(t, examples.Trinityx))
	_, err := Changes(all["ibnetdiscover"], all["ndt"])
	if err == nil || !strings.Contains(err.Error(), "have one name") {
		t.Errorf("switches of one name: %v", err)
	}
	strange, _, err := netfile.Read("strange", []byte("StartDevice,StartPort,EndDevice,EndPort\nmf0;x,Port 1,MF0;y,Port 2\n"), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Changes(all["ibnetdiscover"], Side{strange, "ndt", netfile.TellsOf("ndt")})
	if err == nil || !strings.Contains(err.Error(), "no name in common") {
		t.Errorf("strange names: %v", err)
	}
}

// TestSameFabricInTwoFormats: one fabric in two formats has no changes, whatever one of them does
// not tell. The dumps are of real clusters; in the formula hosts have several ports.
func TestSameFabricInTwoFormats(t *testing.T) {
	rails, err := gen.Parse("rail(2,4,2)")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*fabric.Fabric{"psmn": readExample(t, examples.PSMNX5), "trinityx": readExample(t, examples.Trinityx), "rail": rails} {
		nameSwitches(f)
		for i := range f.Nodes { // JSON alone tells the number of VLs
			for p := range f.Nodes[i].Ports {
				f.Nodes[i].Ports[p].VLCap = 8
			}
		}
		all := sides(t, f)
		for a, x := range all {
			for b, y := range all {
				if a == "node_list" && b == "ndt" || a == "ndt" && b == "node_list" {
					continue // nodes without cables, and cables without nodes
				}
				changes, err := Changes(x, y)
				if err != nil || len(changes) > 0 {
					t.Errorf("%s: from %s to %s: %v, %d changes: %v", name, a, b, err, len(changes), changes[:min(len(changes), 3)])
				}
			}
		}
	}
}

// TestChangesInTwoFormats: a change that both formats tell is found, and nothing else; a change
// that one of them does not tell is none.
func TestChangesInTwoFormats(t *testing.T) {
	before := readExample(t, examples.Trinityx)
	nameSwitches(before)
	rng := rand.New(rand.NewPCG(1, 2))
	link := func(f *fabric.Fabric) *fabric.Link { return &f.Links[rng.IntN(len(f.Links))] }
	ca := func(f *fabric.Fabric) *fabric.Node {
		for {
			if n := &f.Nodes[rng.IntN(len(f.Nodes))]; n.Type == fabric.CA && n.Ports[1].Link != fabric.NoLink && !f.IsAggregationNode(fabric.NodeID(slices.IndexFunc(f.Nodes, func(m fabric.Node) bool { return m.GUID == n.GUID }))) {
				return n
			}
		}
	}
	for _, c := range []struct {
		what  string
		edit  func(*fabric.Fabric) *fabric.Fabric
		told  []string // formats that tell it
		kinds []string
	}{
		{"a cable is gone", func(f *fabric.Fabric) *fabric.Fabric {
			gone := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
				return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
			}))
			return f.Without(nil, func(id fabric.LinkID) bool { return id == gone })
		}, []string{"ibnetdiscover", "json", "port_list", "db_csv", "ndt"}, []string{"link removed"}},
		{"a speed", func(f *fabric.Fabric) *fabric.Fabric { l := link(f); l.Speed = fabric.SDR; return f }, []string{"ibnetdiscover", "json", "port_list", "db_csv"}, []string{"link changed"}},
		{"a LID", func(f *fabric.Fabric) *fabric.Fabric { ca(f).Ports[1].LID = 999; return f }, []string{"ibnetdiscover", "json", "port_list", "db_csv"}, []string{"node changed"}},
		{"a system image GUID", func(f *fabric.Fabric) *fabric.Fabric { ca(f).SystemGUID = 0x77; return f }, []string{"ibnetdiscover", "json", "db_csv"}, []string{"node changed"}},
		{"a device", func(f *fabric.Fabric) *fabric.Fabric { ca(f).DeviceID = 0x77; return f }, []string{"ibnetdiscover", "json", "db_csv", "node_list"}, []string{"node changed"}},
		{"a revision", func(f *fabric.Fabric) *fabric.Fabric { ca(f).Revision = 7; return f }, []string{"json", "db_csv"}, nil},
	} {
		was := sides(t, before)
		is := sides(t, c.edit(before.Without(nil, nil)))
		for a, x := range was {
			for b, y := range is {
				if a == b || a == "node_list" && b == "ndt" || a == "ndt" && b == "node_list" {
					continue
				}
				changes, err := Changes(x, y)
				if err != nil {
					t.Fatal(err)
				}
				var kinds, want []string
				if slices.Contains(c.told, a) && slices.Contains(c.told, b) {
					want = c.kinds
				}
				for _, change := range changes {
					kinds = append(kinds, change.Kind)
				}
				if !slices.Equal(kinds, want) {
					t.Errorf("%s: from %s to %s: %v, want %v", c.what, a, b, changes, want)
				}
			}
		}
	}
}
