package netfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/fabric"
)

// need finds a program. A missing one skips the test, and fails it in CI.
func need(t *testing.T, program string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if path := filepath.Join(dir, program); isFile(path) {
			return path
		}
	}
	missing(t, program)
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func missing(t *testing.T, what string) {
	t.Helper()
	const hint = "apt-get install ibsim-utils libumad2sim0 opensm infiniband-diags graphviz"
	if os.Getenv("CI") == "true" {
		t.Fatalf("no %s on this machine (%s)", what, hint)
	}
	t.Skipf("no %s on this machine (%s)", what, hint)
}

// simulator is a running ibsim.
type simulator struct {
	t   *testing.T
	dir string
	env []string
}

// simulators counts the simulators of this process: each has its own sockets.
var simulators atomic.Int32

// simulate loads a net into ibsim, under a socket name of its own.
func simulate(t *testing.T, net string) *simulator {
	t.Helper()
	program := need(t, "ibsim")
	libraries, _ := filepath.Glob("/usr/lib/*/umad2sim/libumad2sim.so*")
	if len(libraries) == 0 {
		missing(t, "libumad2sim.so")
	}
	s := &simulator{t: t, dir: t.TempDir()}
	socket := fmt.Sprintf("weft-netfile-%d-%d", os.Getpid(), simulators.Add(1))
	s.env = append(os.Environ(), "IBSIM_SOCKNAME="+socket, "OSM_TMP_DIR="+s.dir, "OSM_CACHE_DIR="+s.dir)
	s.write("net", net)
	cmd := exec.Command(program, "-s", "-n", "-N", "4000", "-S", "2000", "-P", "100000", "net")
	log := s.start(cmd)
	s.env = append(s.env, "LD_PRELOAD="+libraries[0])
	s.wait("ibsim", log, func() bool {
		sockets, err := os.ReadFile("/proc/net/unix")
		return err == nil && bytes.Contains(sockets, []byte("@"+socket+":out9"))
	})
	return s
}

func (s *simulator) path(name string) string { return filepath.Join(s.dir, name) }

func (s *simulator) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulator) read(name string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// start runs a program until the test ends; it returns the file of its output.
func (s *simulator) start(cmd *exec.Cmd) string {
	s.t.Helper()
	log, err := os.Create(s.path(filepath.Base(cmd.Path) + ".out"))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, log, log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
	})
	return log.Name()
}

// wait waits until something has come about.
func (s *simulator) wait(what, log string, done func() bool) {
	s.t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(log)
	s.t.Fatalf("%s does not get ready:\n%s", what, text)
}

// run runs a client of the simulator and gives its output.
func (s *simulator) run(program string, args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command(need(s.t, program), args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", program, err, stderr.Bytes())
	}
	return out
}

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
		n.VendorID, n.DeviceID, n.SystemGUID = 0x2c9, 0xc738, n.GUID+3 // SwitchX, which tells FDR10 from QDR
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
	need(t, "ibnetdiscover")
	fabrics := map[string]*fabric.Fabric{"every rate": everyRate(t)}
	for _, file := range []string{"opensm/small.net", "psmn-x5.ibnetdiscover", "trinityx-lab.ibnetdiscover", "sx6036-loginov.ibnetdiscover"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := Read(file, data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fabrics[file] = f
	}
	for name, f := range fabrics {
		t.Run(name, func(t *testing.T) {
			s := simulate(t, written(t, func(b *bytes.Buffer) error { return WriteIBNetDiscover(b, f) }))
			got, _, err := Read("discovered", s.run("ibnetdiscover"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := fabric.Diff(simulated(f), got); len(d) > 0 {
				t.Errorf("%d differences, first %v", len(d), d[:min(len(d), 10)])
			}
		})
	}
}

// OpenSM's engine "file" takes a file of ours, with tables of our choice, and
// programs exactly these: read back by dump_fts from the switches and from
// OpenSM's own dumps.
func TestPeerOpenSMProgramsTheTables(t *testing.T) {
	opensm := need(t, "opensm")
	need(t, "dump_fts")
	// The tables are OpenSM's own for this net with one detour and two holes, and
	// LIDs of their own: OpenSM finds the new ones by port GUID.
	want, _ := mustReadLFTs(t, "x", readSample(t, "opensm-lfts.dump"))
	leaf, _ := want.Switches[0], want.Switches[3]
	leaf.Ports[4] = 5 // the spine by way of leaf two
	leaf.Ports[5] = NoPort
	want.Switches[2].Ports[8] = NoPort

	s := simulate(t, string(readSample(t, "small.net")))
	s.write("tables", written(t, func(b *bytes.Buffer) error { return WriteOpenSMLFTs(b, want) }))
	log := s.start(exec.Command(opensm, "-e", "-F", "/dev/null", "-f", s.path("osm.log"), "-s", "0", "-d", "2",
		"-R", "file,no_fallback", "-U", s.path("tables"), "--dump_files_dir", s.dir, "-D", "0x43"))
	s.wait("opensm", log, func() bool {
		text, err := os.ReadFile(s.path("osm.log"))
		return err == nil && bytes.Contains(text, []byte("SUBNET UP"))
	})
	if text := s.read("osm.log"); bytes.Contains(text, []byte("PARSE")) || bytes.Contains(text, []byte("ERR ")) {
		t.Errorf("OpenSM complains:\n%s", text)
	}
	for name, data := range map[string][]byte{
		"dump_fts":         s.run("dump_fts"),
		"opensm-lfts.dump": s.read("opensm-lfts.dump"),
	} {
		got, _ := mustReadLFTs(t, name, data)
		if len(got.Switches) != len(want.Switches) {
			t.Fatalf("%s: %d switches", name, len(got.Switches))
		}
		if a, b := byTarget(want), byTarget(got); !slices.Equal(a, b) {
			t.Errorf("%s: programmed\n%s\nwant\n%s", name, strings.Join(b, "\n"), strings.Join(a, "\n"))
		}
	}
	fdbs, _ := mustReadLFTs(t, "opensm.fdbs", s.read("opensm.fdbs"))
	lfts, _ := mustReadLFTs(t, "opensm-lfts.dump", s.read("opensm-lfts.dump"))
	fdbs.Targets = lfts.Targets
	if a, b := byTarget(want), byTarget(fdbs); !slices.Equal(a, b) {
		t.Errorf("opensm.fdbs: programmed\n%s\nwant\n%s", strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
}

// byTarget lists all entries by switch GUID and target GUID.
func byTarget(l *LFTs) []string {
	var list []string
	for i := range l.Switches {
		s := &l.Switches[i]
		for _, x := range l.Targets {
			if p := s.Port(x.LID); p != NoPort {
				list = append(list, fmt.Sprintf("%s to %s: port %d", s.GUID, x.GUID, p))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestPeerGraphvizDraws(t *testing.T) {
	dot := need(t, "dot")
	f := everyRate(t)
	f.Nodes[0].Desc = "say \"\\N\" <b>&amp; \xff"
	f.Name = "a \"name\" \\"
	f.Links[0].Drained = true
	cmd := exec.Command(dot, "-Tsvg")
	cmd.Stdin = strings.NewReader(written(t, func(b *bytes.Buffer) error { return WriteDot(b, f) }))
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
