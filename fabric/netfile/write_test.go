package netfile

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/netfiletest"
	"weft/fabric/netfile/own"
	"weft/internal/dumps"
)

// carried is what an ibnetdiscover file can hold of a fabric.
func carried(f *fabric.Fabric) *fabric.Fabric {
	c := f.Without(
		func(n fabric.NodeID) bool { return f.Nodes[n].Down },
		func(l fabric.LinkID) bool { return f.Links[l].Down })
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Revision, n.LinearFDBCap, n.Role, n.Drained = 0, 0, fabric.NoRole, false
		for p := range n.Ports {
			port := &n.Ports[p]
			port.VLCap = 0
			if p > 0 && port.Link == fabric.NoLink {
				guid := port.GUID
				*port = fabric.Port{Link: fabric.NoLink}
				if n.Type == fabric.Switch {
					port.GUID = guid
				}
			}
		}
	}
	for i := range c.Links {
		c.Links[i].Drained = false
	}
	return c
}

func TestIBNetDiscoverRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		want := carried(f)
		if len(want.Nodes) == 0 {
			t.Skip("all nodes are down")
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { return discovery.WriteIBNetDiscover(b, f) })
		got, _, err := Read("f", []byte(text), Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		netfiletest.NoDiff(t, want, got, text)
	})
}

// TestRoundTripRealFiles: every dump of the project survives both formats.
func TestRoundTripRealFiles(t *testing.T) {
	files := []string{netfiletest.ExampleFiles + "psmn-x5.ibnetdiscover", netfiletest.ExampleFiles + "sx6036.ibnetdiscover", netfiletest.ExampleFiles + "trinityx.ibnetdiscover"}
	samples, err := fs.Glob(os.DirFS("testdata"), "*.ibnetdiscover")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no dumps in testdata: %v", err)
	}
	for _, file := range append(files, samples...) {
		t.Run(path.Base(file), func(t *testing.T) { roundTrip(t, netfiletest.File(t, file)) })
	}
}

// TestRoundTripRealDumps: so does every dump in the folder of dumps.
func TestRoundTripRealDumps(t *testing.T) {
	files, err := fs.Glob(os.DirFS(dumps.Dir(t)), "*/*ibnetdiscover*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dumps of ibnetdiscover: %v", err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) { roundTrip(t, dumps.Read(t, file)) })
	}
}

func roundTrip(t *testing.T, dump []byte) {
	f, _, err := Read("dump", dump, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"ibnetdiscover": func(b *bytes.Buffer) error { return discovery.WriteIBNetDiscover(b, f) },
		"JSON":          func(b *bytes.Buffer) error { return own.WriteJSON(b, f) },
	} {
		got, _, err := Read("f", []byte(netfiletest.Written(t, write)), Options{})
		if err != nil {
			t.Errorf("as %s: %v", name, err)
			continue
		}
		if d := fabric.Diff(f, got); len(d) > 0 {
			t.Errorf("as %s: %d differences, first %s", name, len(d), d[0])
		}
	}
}
