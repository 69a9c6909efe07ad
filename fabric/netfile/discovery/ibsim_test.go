package discovery

import (
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/netfiletest"
)

// readNet reads an ibsim net.
func readNet(t *testing.T, data string) *fabric.Fabric {
	t.Helper()
	f, _, err := ReadIBNetDiscover("net", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNetGUIDs: in an ibsim net given GUIDs hold, others are counted up as in ibsim, skipping GUIDs
// in use.
func TestNetGUIDs(t *testing.T) {
	f := readNet(t, `Switch 8 "a"
[1] "h1"[1] w=1 s=2
[2] "h2"
Switch 8 "b"
switchguid=0x500
Switch 8 "c"
Switch 8 "d"
switchguid+16
Switch 8 "e"
Hca 2 "h1"
Hca 2 "h2"
caguid=0x200001
Ca 1 "h3"
`)
	for name, want := range map[string]fabric.GUID{
		"a": 0x200000, "b": 0x200003, "c": 0x500, "d": 0x501, "e": 0x510,
		"h1": 0x100000, "h2": 0x100003, "h3": 0x200001,
	} {
		id, err := f.FindNode(name)
		if err != nil || f.Nodes[id].GUID != want {
			t.Errorf("%s has GUID %s, want %s", name, f.Nodes[id].GUID, want)
		}
	}
	h2, _ := f.FindNode("h2")
	if p := f.Nodes[h2].Ports[2]; p.GUID != 0x100005 {
		t.Errorf("port 2 of h2 has GUID %s, want node GUID + 2", p.GUID)
	}
	if p := f.Nodes[h2].Ports[1]; p.Link == fabric.NoLink {
		t.Errorf("a port line without far port must mean port 1")
	}
	if l := f.Links[0]; l.Width != 1 || l.Speed != fabric.DDR {
		t.Errorf("w=1 s=2 was read as %dx%s, want 1xDDR", l.Width, l.Speed)
	}
}

func TestNetGUIDsByType(t *testing.T) {
	f := readNet(t, netfiletest.GUIDNet)
	for name, want := range map[string]fabric.GUID{"a": 0x500, "b": 0x501, "c": 0x520, "h1": 0x100, "h2": 0x120} {
		id, err := f.FindNode(name)
		if err != nil || f.Nodes[id].GUID != want {
			t.Errorf("%s has GUID %s, want %s", name, f.Nodes[id].GUID, want)
		}
	}
	if a, _ := f.FindNode("a"); f.Nodes[a].Ports[0].GUID != 0x507 {
		t.Errorf("port 0 of a has GUID %s", f.Nodes[a].Ports[0].GUID)
	}
}

func TestNetOptions(t *testing.T) {
	f := readNet(t, `module="M"
width=3
speed=7
extspeed=2
Switch 8 "a"
[1] "b"[1]
[2] "b"[2] w=8 e=0 s=1
Switch 8 "b"
[1] "a"[1]
[2] "M#a"[2] w=8 e=0 s=1
`)
	if l := f.Links[0]; l.Width != 4 || l.Speed != fabric.EDR {
		t.Errorf("width=3 speed=7 extspeed=2 was read as %dx%s, want 4xEDR", l.Width, l.Speed)
	}
	if l := f.Links[1]; l.Width != 12 || l.Speed != fabric.SDR {
		t.Errorf("w=8 e=0 s=1 was read as %dx%s, want 12xSDR", l.Width, l.Speed)
	}
	if _, err := f.FindNode("M#b"); err != nil {
		t.Error(err)
	}
}
