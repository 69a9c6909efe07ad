package netfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/drawing"
	"weft/fabric/netfile/netfiletest"
	"weft/fabric/netfile/tables"
	"weft/internal/peer"
)

// everyRate is two switches joined by one cable of every width and speed that
// ibsim 0.10 knows, with a host each and addresses.
func everyRate(t *testing.T) *fabric.Fabric {
	t.Helper()
	f := fabric.New("every rate")
	var ends [4]fabric.NodeID
	for i, typ := range []fabric.NodeType{fabric.Switch, fabric.Switch, fabric.CA, fabric.CA} {
		id, err := f.AddNode(typ, fabric.GUID(0x1000*(i+1)), map[fabric.NodeType]int{fabric.Switch: 40, fabric.CA: 2}[typ], fmt.Sprint("node ", i, ": lid 3, #1 (a)"))
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = id
		n := &f.Nodes[id]
		n.VendorID, n.DeviceID, n.SystemGUID = 0x2c9, 0xc738, n.GUID+3 // SwitchX, which distinguishes FDR10 from QDR
		n.EnhancedPort0 = i == 1
		if typ == fabric.Switch {
			n.Ports[0].LID = fabric.LID(10 + i)
			continue
		}
		for p := 1; p <= 2; p++ {
			n.Ports[p] = fabric.Port{GUID: n.GUID + fabric.GUID(p), LID: fabric.LID(16*i + 4*p), LMC: 2, Link: fabric.NoLink}
		}
	}
	port := uint8(0)
	connect := func(a, b fabric.End, w fabric.Width, s fabric.Speed) {
		if _, err := f.Connect(a, b, w, s); err != nil {
			t.Fatal(err)
		}
	}
	for s := fabric.SDR; s <= fabric.HDR; s++ {
		for _, w := range []fabric.Width{1, 4, 8, 12} {
			port++
			connect(fabric.End{Node: ends[0], Port: port}, fabric.End{Node: ends[1], Port: 41 - port}, w, s)
		}
	}
	connect(fabric.End{Node: ends[2], Port: 1}, fabric.End{Node: ends[0], Port: port + 1}, 4, fabric.EDR)
	connect(fabric.End{Node: ends[2], Port: 2}, fabric.End{Node: ends[0], Port: port + 2}, 4, fabric.QDR)
	connect(fabric.End{Node: ends[3], Port: 2}, fabric.End{Node: ends[0], Port: port + 3}, 4, fabric.HDR)
	return f
}

// simulated is what ibsim keeps of a fabric: it numbers the port GUIDs of CAs
// from the node GUID, and a node without system GUID gets its own.
func simulated(f *fabric.Fabric) *fabric.Fabric {
	c := carried(f)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.SystemGUID == 0 {
			n.SystemGUID = n.GUID
		}
		for p := range n.Ports {
			if n.Type != fabric.Switch && n.Ports[p].Link != fabric.NoLink {
				n.Ports[p].GUID = n.GUID + fabric.GUID(p)
			}
		}
	}
	return c
}

// A fabric written by us goes through ibsim, is discovered by infiniband-diags,
// and comes back the same.
func TestPeerIBSimKeepsTheFabric(t *testing.T) {
	peer.Program(t, "ibnetdiscover")
	fabrics := map[string]*fabric.Fabric{"every rate": everyRate(t)}
	for name, data := range map[string][]byte{
		"small": netfiletest.File(t, "opensm/small.net"), "psmn-x5": examples.PSMNX5, "trinityx": examples.Trinityx, "sx6036": examples.SX6036,
	} {
		f, _, err := Read(name, data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fabrics[name] = f
	}
	for name, f := range fabrics {
		t.Run(name, func(t *testing.T) {
			s := peer.Simulate(t, []byte(netfiletest.Written(t, func(b *bytes.Buffer) error { return discovery.WriteIBNetDiscover(b, f) })))
			got, _, err := Read("discovered", s.Run("ibnetdiscover"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := fabric.Diff(simulated(f), got); len(d) > 0 {
				t.Errorf("%d differences, first %v", len(d), d[:min(len(d), 10)])
			}
		})
	}
}

// ibsim gives nodes the GUIDs that we do.
func TestPeerIBSimGUIDs(t *testing.T) {
	peer.Program(t, "ibnetdiscover")
	discovered := peer.Simulate(t, []byte(netfiletest.GUIDNet)).Run("ibnetdiscover")
	got, want := mustRead(t, string(discovered), Options{}), mustRead(t, netfiletest.GUIDNet, Options{})
	for i := range want.Nodes {
		n := &want.Nodes[i]
		if id, ok := got.NodeByGUID(n.GUID); !ok || got.Nodes[id].Type != n.Type {
			t.Errorf("ibsim has no %s %s:\n%s", n.Type, n.GUID, discovered)
		}
	}
}

// OpenSM's engine "file" takes a file of ours, with tables of our choice, and
// programs exactly these: read back by dump_fts from the switches and from
// OpenSM's own dumps.
func TestPeerOpenSMProgramsTheTables(t *testing.T) {
	peer.Program(t, "opensm")
	peer.Program(t, "dump_fts")
	// The tables are OpenSM's own for this net with one detour and two holes, and
	// LIDs of their own: OpenSM finds the new ones by port GUID.
	want := readTables(t, "x", netfiletest.Sample(t, "opensm-lfts.dump"))
	leaf, _ := want.Switches[0], want.Switches[3]
	leaf.Ports[4] = 5 // the spine by way of leaf two
	leaf.Ports[5] = tables.NoPort
	want.Switches[2].Ports[8] = tables.NoPort

	s := peer.Simulate(t, netfiletest.Sample(t, "small.net"))
	if err := os.WriteFile(s.Path("tables"), []byte(netfiletest.Written(t, func(b *bytes.Buffer) error { return tables.WriteOpenSMLFTs(b, want) })), 0o600); err != nil {
		t.Fatal(err)
	}
	startOpenSM(s, "-R", "file,no_fallback", "-U", s.Path("tables"), "--dump_files_dir", s.Dir)
	if text := readFile(t, s.Path("osm.log")); bytes.Contains(text, []byte("PARSE")) || bytes.Contains(text, []byte("ERR ")) {
		t.Errorf("OpenSM complains:\n%s", text)
	}
	for name, data := range map[string][]byte{
		"dump_fts":         s.Run("dump_fts"),
		"opensm-lfts.dump": readFile(t, s.Path("opensm-lfts.dump")),
	} {
		got := readTables(t, name, data)
		if len(got.Switches) != len(want.Switches) {
			t.Fatalf("%s: %d switches", name, len(got.Switches))
		}
		if a, b := byTarget(want), byTarget(got); !slices.Equal(a, b) {
			t.Errorf("%s: programmed\n%s\nwant\n%s", name, strings.Join(b, "\n"), strings.Join(a, "\n"))
		}
	}
	fdbs := readTables(t, "opensm.fdbs", readFile(t, s.Path("opensm.fdbs")))
	lfts := readTables(t, "opensm-lfts.dump", readFile(t, s.Path("opensm-lfts.dump")))
	fdbs.Targets = lfts.Targets
	if a, b := byTarget(want), byTarget(fdbs); !slices.Equal(a, b) {
		t.Errorf("opensm.fdbs: programmed\n%s\nwant\n%s", strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
}

// startOpenSM brings a simulated subnet up.
func startOpenSM(s *peer.Simulator, args ...string) {
	args = append([]string{"-e", "-F", "/dev/null", "-f", s.Path("osm.log"), "-s", "0", "-d", "2", "-D", "0x43"}, args...)
	s.Wait("opensm", s.Start("opensm", args...), func() bool {
		text, err := os.ReadFile(s.Path("osm.log"))
		return err == nil && bytes.Contains(text, []byte("SUBNET UP"))
	})
}

// OpenSM's subnet.lst says what ibnetdiscover says, but for revisions.
func TestPeerOpenSMSubnetLST(t *testing.T) {
	peer.Program(t, "opensm")
	s := peer.Simulate(t, netfiletest.Sample(t, "small.net"))
	startOpenSM(s)
	discovered := mustRead(t, string(s.Run("ibnetdiscover")), Options{})
	lst := mustRead(t, string(readFile(t, s.Path("opensm-subnet.lst"))), Options{})
	for i := range lst.Nodes {
		lst.Nodes[i].Revision = 0
	}
	netfiletest.NoDiff(t, discovered, lst, "")
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readTables reads forwarding tables.
func readTables(t *testing.T, name string, data []byte) *tables.LFTs {
	t.Helper()
	l, _, err := ReadLFTs(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// byTarget lists all entries by switch GUID and target GUID.
func byTarget(l *tables.LFTs) []string {
	var list []string
	for i := range l.Switches {
		s := &l.Switches[i]
		for _, x := range l.Targets {
			if p := s.Port(x.LID); p != tables.NoPort {
				list = append(list, fmt.Sprintf("%s to %s: port %d", s.GUID, x.GUID, p))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestPeerGraphvizDraws(t *testing.T) {
	dot := peer.Program(t, "dot")
	f := everyRate(t)
	f.Nodes[0].Desc = "say \"\\N\" <b>&amp; \xff"
	f.Name = "a \"name\" \\"
	f.Links[0].Drained = true
	cmd := exec.Command(dot, "-Tsvg")
	cmd.Stdin = strings.NewReader(netfiletest.Written(t, func(b *bytes.Buffer) error { return drawing.WriteDot(b, f) }))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	svg, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	nodes, edges := bytes.Count(svg, []byte(`class="node"`)), bytes.Count(svg, []byte(`class="edge"`))
	if nodes != len(f.Nodes) || edges != len(f.Links) {
		t.Errorf("the picture has %d nodes and %d edges, want %d and %d", nodes, edges, len(f.Nodes), len(f.Links))
	}
	if want := []byte(`say &quot;\N&quot; &lt;b&gt;&amp;amp; ?`); !bytes.Contains(svg, want) {
		t.Errorf("the picture does not show %s", want)
	}
}
